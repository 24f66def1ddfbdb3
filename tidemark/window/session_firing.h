// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tidemark/operator/operator.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/window/key_calendar.h"
#include "tidemark/window/session_entry.h"
#include "tidemark/window/window_operator.h"

namespace tidemark {

/// The one namespace of a table of sessions.
inline constexpr StateNamespace kSessionNamespace = 0;

/// Decides which sessions fire and which are forgotten. The calendar holds one time for each
/// session: its end when it was begun. When that time comes and rows have moved the end on, the
/// session is noted again for its new end, so that a row costs nothing here. Belongs to a session
/// operator; its thread.
class SessionFiring {
 public:
  /// A session that is to fire, of the key numbered `key` in some batch of keys.
  struct Firing {
    TimeWindow window;
    std::uint64_t hash = 0;
    std::uint32_t key = 0;
    bool update = false;  // takes the place of a result that is taken back
  };

  /// The calendar's pages are `page` milliseconds long.
  SessionFiring(Millis allowed_lateness, Millis page, KeyEncoding encoding, KeyedTable& table,
                std::shared_ptr<const SessionValues> values, WindowAggregator& aggregator);

  /// Sessions that end at or before this have fired.
  EventTime complete() const noexcept { return complete_; }
  bool active() const noexcept { return active_; }
  /// When a session may be to fire or to be forgotten; kMaxTime for never.
  EventTime next() const noexcept { return calendar_.next(); }
  /// Whether a session that ended then has been forgotten.
  bool is_late(EventTime end) const noexcept {
    return complete_ == kMaxTime || saturating_add(end, allowed_lateness_) <= complete_;
  }

  /// Sees to it that the session, of the row's key, fires at its end.
  void arm(SessionSpan& session, const KeyBatch& keys, std::size_t row);
  /// Takes up the sessions of a restored table, without firing anything.
  void restore(EventTime complete);

  /// Time has come to `complete`.
  void begin(EventTime complete);
  /// Fires what begin() allows, batch by batch while the output has room, and forgets sessions.
  Step advance(Output& out);

  /// The sessions of the rows' keys that have ended and not fired, in the order of firing.
  std::vector<Firing> ended(const KeyBatch& keys, Selection rows);
  /// Fires them, at once. With `kinds` the results say +I or +U.
  void fire_now(const KeyBatch& keys, std::span<const Firing> firings, bool kinds, Output& out);

 private:
  bool refill();
  void look_at(std::size_t first, std::size_t count);
  BatchPtr fire(const KeyBatch& keys, std::span<const Firing> firings);
  void settle(std::span<const Firing> firings);
  void erase_emptied(const KeyBatch& keys);

  Millis allowed_lateness_;
  KeyedTable& table_;
  std::shared_ptr<const SessionValues> values_;
  WindowAggregator& aggregator_;
  KeyCalendar calendar_;
  EventTime complete_ = kMinTime;
  bool active_ = false;

  KeyCalendar::Due due_;
  std::vector<Firing> firings_;  // of due_.keys, in order
  std::size_t next_firing_ = 0;

  // Reused.
  KeyBatch keys_;
  std::vector<std::uint32_t> selected_;
  std::vector<std::byte*> found_;
  std::vector<RowIndex> rows_;
  std::vector<RowIndex> emptied_;
  std::vector<TimeWindow> windows_;
  std::vector<TableScan::Entry> entries_;
};

/// A column of row kinds.
ColumnPtr make_kind_column(std::span<const RowKind> kinds);
/// `batch` with row kinds.
BatchPtr with_kinds(const BatchPtr& batch, std::span<const RowKind> kinds);

}  // namespace tidemark
