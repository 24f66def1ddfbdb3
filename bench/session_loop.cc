// SPDX-License-Identifier: Apache-2.0
#include "bench/session_loop.h"

#include <algorithm>
#include <map>
#include <vector>

#include "bench/huge_array.h"
#include "bench/measure.h"
#include "tidemark/base/check.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kPrefetch = 16;
constexpr std::size_t kFirstSlots = 4'096;

struct Session {
  EventTime start = 0;
  EventTime end = 0;  // 0: none
  std::int64_t sum = 0;
  std::int64_t count = 0;

  bool live() const { return end != 0; }
};

struct Slot {
  std::int64_t key;
  std::int64_t used;  // 0: the slot is empty; a key keeps its slot
  Session newest;
  Session older;
};

class SessionLoop final : public WindowLoop {
 public:
  explicit SessionLoop(Millis gap) : gap_(gap) {}

  void process(const Batch& batch) override {
    const auto* keys = batch.column(kKeyColumn).values<std::int64_t>();
    const auto* values = batch.column(kValueColumn).values<std::int64_t>();
    const EventTime* times = batch.event_times();
    reserve(batch.rows());
    hashes_.resize(batch.rows());
    for (std::size_t i = 0; i < batch.rows(); ++i)
      hashes_[i] = mix(static_cast<std::uint64_t>(keys[i]));
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      if (i + kPrefetch < batch.rows())
        __builtin_prefetch(&slots_[hashes_[i + kPrefetch] & mask()], 1);
      Slot* slot = probe(keys[i], hashes_[i]);
      if (slot->used == 0) {
        slot->key = keys[i];
        slot->used = 1;
        ++used_;
      }
      add(*slot, times[i], values[i]);
    }
  }

  void on_watermark(EventTime watermark) override {
    while (!calendar_.empty() && calendar_.begin()->first <= watermark) {
      const std::vector<std::int64_t> keys = std::move(calendar_.begin()->second);
      const EventTime time = calendar_.begin()->first;
      calendar_.erase(calendar_.begin());
      for (const std::int64_t key : keys)
        look_at(*probe(key, mix(static_cast<std::uint64_t>(key))), time);
    }
  }

  std::uint64_t take_checksum() override { return checksum_.take(); }

 private:
  void add(Slot& slot, EventTime time, std::int64_t value) {
    const EventTime end = time + gap_;
    Session& newest = slot.newest;
    Session& older = slot.older;
    const auto touches = [&](const Session& s) {
      return s.live() && time <= s.end && end >= s.start;
    };
    if (touches(newest)) {
      grow(newest, time, end, value);
      if (!older.live() || older.end < newest.start) return;
      newest = {older.start, newest.end, newest.sum + older.sum, newest.count + older.count};
      older = {};
    } else if (touches(older)) {
      grow(older, time, end, value);
    } else {
      TIDEMARK_CHECK(!older.live(), "two sessions of a key");
      Session& made = newest.live() && time < newest.start ? older : newest;
      if (&made == &newest) older = newest;
      made = {time, end, value, 1};
      calendar_[end].push_back(slot.key);
    }
  }

  static void grow(Session& session, EventTime time, EventTime end, std::int64_t value) {
    session.start = std::min(session.start, time);
    session.end = std::max(session.end, end);
    session.sum += value;
    ++session.count;
  }

  // Sessions that were noted and have become one are found ended, or noted twice: both are right.
  void look_at(Slot& slot, EventTime time) {
    for (Session* session : {&slot.older, &slot.newest}) {
      if (!session->live() || session->start > time) continue;
      if (session->end > time) {
        calendar_[session->end].push_back(slot.key);
        continue;
      }
      checksum_.add(checksum_of_key(slot.key), session->start, session->sum, session->count);
      *session = {};
    }
  }

  std::size_t mask() const { return slots_.size() - 1; }
  Slot* probe(std::int64_t key, std::uint64_t hash) {
    std::size_t at = hash & mask();
    while (slots_[at].used != 0 && slots_[at].key != key) at = (at + 1) & mask();
    return &slots_[at];
  }
  void reserve(std::size_t more) {
    if ((used_ + more) * 2 <= slots_.size()) return;
    std::size_t count = std::max(kFirstSlots, slots_.size());
    while ((used_ + more) * 2 > count) count *= 2;
    HugeArray<Slot> old(count);
    std::swap(old, slots_);
    for (Slot& slot : old.all())
      if (slot.used != 0) *probe(slot.key, mix(static_cast<std::uint64_t>(slot.key))) = slot;
  }

  Millis gap_;
  HugeArray<Slot> slots_;
  std::size_t used_ = 0;
  std::vector<std::uint64_t> hashes_;
  std::map<EventTime, std::vector<std::int64_t>> calendar_;
  ResultChecksum checksum_;
};

}  // namespace

std::unique_ptr<WindowLoop> make_session_loop(Millis gap) {
  return std::make_unique<SessionLoop>(gap);
}

}  // namespace tidemark::bench
