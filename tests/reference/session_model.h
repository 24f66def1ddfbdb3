// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

namespace tidemark::reference {

/// What sessions mean, in the plainest way there is: every row is kept, and the sessions of a key
/// are searched from end to end. Shares no code with the engine.
class SessionModel {
 public:
  struct Row {
    std::int64_t key, value, time, gap;
  };
  struct Fired {
    std::int64_t start, end, key, sum, count;
  };
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 4;

  /// Watermarks are `disorder` behind the newest row.
  SessionModel(std::int64_t lateness, std::int64_t disorder)
      : lateness_(lateness), disorder_(disorder) {}

  void row(const Row& row) {
    newest_ = std::max(newest_, row.time);
    Session merged{row.time, row.time + row.gap, {row.value}, false};
    std::vector<Session>& sessions = sessions_[row.key];
    const auto touched = [&](const Session& s) {
      return s.start <= row.time + row.gap && row.time <= s.end;
    };
    const bool joins = std::any_of(sessions.begin(), sessions.end(), touched);
    if (!joins && merged.end + lateness_ <= watermark) {
      ++late;
      return;
    }
    for (const Session& session : sessions) {
      if (!touched(session)) continue;
      merged.start = std::min(merged.start, session.start);
      merged.end = std::max(merged.end, session.end);
      merged.values.insert(merged.values.end(), session.values.begin(), session.values.end());
    }
    std::erase_if(sessions, touched);
    sessions.push_back(merged);
  }

  /// What the rows since the last call made fire again: sessions that have ended already.
  std::vector<Fired> fire_changed() { return fire_through(watermark); }

  /// The promise that the rows seen so far allow.
  std::int64_t promise() const { return newest_ == kNever ? kNever : newest_ - disorder_; }

  std::vector<Fired> advance(std::int64_t to) {
    watermark = std::max(watermark, to);
    std::vector<Fired> fired = fire_through(watermark);
    for (auto& [key, sessions] : sessions_)
      std::erase_if(sessions, [&](const Session& s) { return s.end + lateness_ <= watermark; });
    return fired;
  }

  std::int64_t watermark = kNever;
  std::uint64_t late = 0;

 private:
  struct Session {
    std::int64_t start, end;
    std::vector<std::int64_t> values;
    bool fired;
  };

  std::vector<Fired> fire_through(std::int64_t time) {
    std::vector<Fired> fired;
    for (auto& [key, sessions] : sessions_) {
      for (Session& session : sessions) {
        if (session.fired || session.end > time) continue;
        session.fired = true;
        Fired result{session.start, session.end, key, 0, 0};
        for (const std::int64_t value : session.values) {
          result.sum += value;
          ++result.count;
        }
        fired.push_back(result);
      }
    }
    return fired;
  }

  std::int64_t lateness_;
  std::int64_t disorder_;
  std::int64_t newest_ = kNever;
  std::map<std::int64_t, std::vector<Session>> sessions_;
};

}  // namespace tidemark::reference
