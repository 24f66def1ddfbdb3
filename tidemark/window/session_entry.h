// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "tidemark/state/keyed_state.h"
#include "tidemark/window/window_description.h"

namespace tidemark {

/// One session of a key, [start, end). `armed` is when the calendar of its operator comes to it:
/// within (start, end] until its result has been said, after `end` from then on (when it is to be
/// forgotten). `start` is for not at all.
struct SessionSpan {
  EventTime start = 0;
  EventTime end = 0;
  EventTime armed = 0;

  bool live() const noexcept { return end > start; }
  bool fired() const noexcept { return armed > end; }
  bool to_fire() const noexcept { return armed > start && armed <= end; }
  /// Sessions that touch are one.
  bool touches(TimeWindow window) const noexcept {
    return window.start <= end && window.end >= start;
  }
  TimeWindow window() const noexcept { return {start, end}; }
};

/// A session in its entry, and its accumulator.
struct SessionRef {
  SessionSpan* span = nullptr;
  std::byte* accumulator = nullptr;

  explicit operator bool() const noexcept { return span != nullptr; }
};

/// How the sessions of a key live in one entry of keyed state: the newest in the entry itself, so
/// that rows in order find it with their look-up, and the older ones, where there are any, in a map
/// beside it. Sessions of a key never touch. All zero is no session.
class SessionValues final : public ValueOperations {
 public:
  /// Sessions that have fired are kept for `kept` milliseconds, > 0.
  SessionValues(std::shared_ptr<const ValueOperations> accumulator, Millis kept);

  const ValueOperations& accumulator() const noexcept { return *accumulator_; }
  /// When a session that has fired is to be forgotten.
  EventTime forgotten_at(EventTime end) const noexcept { return saturating_add(end, kept_); }

  std::size_t width() const override;
  bool is_plain() const override { return false; }
  void destroy(std::byte* value) const noexcept override;
  void encode(const std::byte* value, ByteWriter& out) const override;
  void decode(ByteReader& in, std::byte* value) const override;

  void encode_accumulator(const std::byte* accumulator, ByteWriter& out) const;
  void decode_accumulator(ByteReader& in, std::byte* accumulator) const;

 private:
  std::shared_ptr<const ValueOperations> accumulator_;
  Millis kept_;
};

/// The sessions of one key. A view; references that it gives hold until it adds or removes one.
class SessionSet {
 public:
  SessionSet(const SessionValues& values, std::byte* entry) : values_(values), entry_(entry) {}

  bool empty() const noexcept { return !newest().live(); }
  bool only_one() const noexcept { return older() == nullptr; }
  SessionSpan& newest() const noexcept;
  std::byte* newest_accumulator() const noexcept;

  /// In the order of time.
  std::vector<SessionRef> touching(TimeWindow window) const;
  std::vector<SessionRef> all() const;
  /// The session that ends then; none when there is not.
  SessionRef ending_at(EventTime end) const;
  /// The sessions armed for that time: at most one that has not fired and one that has.
  SessionRef to_fire_at(EventTime time) const;
  SessionRef to_forget_at(EventTime time) const;

  /// A session that touches no other, with an accumulator of zeros.
  SessionRef add(SessionSpan span) const;
  /// Gives a session the span of several that it stands for from now on.
  SessionRef respan(SessionRef session, SessionSpan span) const;
  void remove(EventTime start) const;

 private:
  struct Older {
    SessionSpan span;
    std::unique_ptr<std::byte[]> accumulator;
  };
  using OlderSessions = std::map<EventTime, Older>;  // by start
  friend class SessionValues;

  OlderSessions*& older() const noexcept;
  std::unique_ptr<std::byte[]> make_accumulator() const;
  void move_newest_aside() const;
  void promote_older() const;

  const SessionValues& values_;
  std::byte* entry_;
};

}  // namespace tidemark
