// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/session_operator.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/base/error.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/window/session_entry.h"
#include "tidemark/window/session_firing.h"
#include "tidemark/window/window_input.h"

namespace tidemark {
namespace {

constexpr OutputIndex kLateOutput = 1;
constexpr const char* kTableName = "window-sessions";
constexpr const char* kWatermarkState = "window-watermark";
// Rows looked up and updated at a time, as in the window operator.
constexpr std::size_t kUpdateRows = 512;
// The calendar's pages: so many to a gap, or to the time that sessions are kept.
constexpr Millis kPagesPerGap = 64;
constexpr Millis kPagesPerLateness = 1024;
constexpr Millis kPageOfDynamicGaps = 1000;

Millis page_of(const SessionOperatorDescription& description) {
  const Millis page =
      description.gap_of ? kPageOfDynamicGaps : description.session.gap / kPagesPerGap;
  return std::max(page, description.session.allowed_lateness / kPagesPerLateness);
}

std::string schema_of(const SessionOperatorDescription& description,
                      const WindowAggregator& aggregator) {
  std::string keys;
  for (const DataType& type : description.key_types)
    keys += (keys.empty() ? "" : ", ") + to_string(type);
  std::string schema = "(" + keys + ") -> " + aggregator.schema() + "; sessions with gaps of ";
  schema += description.gap_of ? "their rows" : std::to_string(description.session.gap) + " ms";
  if (description.time == WindowTime::kProcessingTime) schema += " of processing time";
  if (description.clock) schema += " in " + std::string(description.clock->zone());
  return schema;
}

class SessionOperator final : public Operator {
 public:
  SessionOperator(SessionOperatorDescription description,
                  std::unique_ptr<WindowAggregator> aggregator)
      : description_(std::move(description)),
        aggregator_(std::move(aggregator)),
        codec_(description_.key_columns, description_.key_types),
        gap_(description_.session.gap),
        found_(kUpdateRows) {}

  void open(OperatorContext& context) override {
    uid_ = context.uid;
    clock_ = context.clock;
    if (context.metrics != nullptr) metrics_ = context.metrics;
    TIDEMARK_CHECK(context.keyed_state != nullptr, "a session operator has keyed state");
    aggregator_->open(context);
    const Millis lateness = description_.session.allowed_lateness;
    values_ =
        std::make_shared<const SessionValues>(aggregator_->values(), std::max<Millis>(lateness, 1));
    table_ = &context.keyed_state->open_table({.name = kTableName,
                                               .key_encoding = codec_.encoding(),
                                               .values = values_,
                                               .schema = schema_of(description_, *aggregator_)});
    firing_ = std::make_unique<SessionFiring>(lateness, page_of(description_), codec_.encoding(),
                                              *table_, values_, *aggregator_);
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    TIDEMARK_CHECK(!firing_->active(), "resume() before the next batch");
    if (batch->rows() == 0) return Step::kDone;
    refuse_changes(*batch, uid_);
    codec_.encode(*batch, keys_);
    find_windows(*batch);
    all_rows_.resize(batch->rows());
    std::iota(all_rows_.begin(), all_rows_.end(), RowIndex{0});
    const Selection rows(all_rows_);
    for (std::size_t at = 0; at < rows.size(); at += kUpdateRows)
      add_rows(*batch, rows.subspan(at, std::min(kUpdateRows, rows.size() - at)));
    if (!ended_rows_.empty() || !taken_back_.empty()) fire_again(out);
    if (!late_rows_.empty()) divert_late(*batch, out);
    return Step::kDone;
  }

  Step on_watermark(EventTime watermark, Output& out) override {
    watermark_ = std::max(watermark_, watermark);
    if (by_processing_time() && watermark != kMaxTime) {
      out.emit_watermark(watermark_);
      return Step::kDone;
    }
    firing_->begin(complete_at(watermark_));
    return resume(out);
  }

  Step on_processing_time(ProcessingTime now, Output& out) override {
    if (!by_processing_time()) return Step::kDone;
    firing_->begin(now);
    return resume(out);
  }
  ProcessingTime next_processing_time() const override {
    return by_processing_time() ? firing_->next() : kMaxTime;
  }

  bool gives_changes() const override { return description_.updating; }

  Step resume(Output& out) override {
    if (firing_->active() && firing_->advance(out) == Step::kMore) return Step::kMore;
    out.emit_watermark(watermark_);
    return Step::kDone;
  }

  std::unique_ptr<SnapshotPart> snapshot(CheckpointId) override {
    TIDEMARK_CHECK(!firing_->active(), "a snapshot stands between two steps of the stream");
    ByteWriter item;
    item.put(watermark_);
    return make_operator_state_part(
        {.name = kWatermarkState, .redistribution = Redistribution::kUnion, .schema = "watermark"},
        {item.take()});
  }

  // Every subtask gets the watermarks of all: what the slowest has not been promised may still
  // come.
  void restore(const SnapshotReader& reader) override {
    const std::vector<std::string> items = reader.read_operator(kWatermarkState);
    EventTime slowest = kMaxTime;
    for (const std::string& item : items)
      slowest = std::min(slowest, ByteReader(item).get<EventTime>());
    if (!items.empty()) watermark_ = std::max(watermark_, slowest);
    firing_->restore(by_processing_time() ? kMinTime : complete_at(watermark_));
  }

 private:
  /// What a session said before late rows changed it.
  struct TakenBack {
    TimeWindow window;
    RowIndex row;  // of its key
    std::unique_ptr<std::byte[]> accumulator;
  };

  bool by_processing_time() const { return description_.time == WindowTime::kProcessingTime; }
  EventTime complete_at(EventTime watermark) const {
    return description_.clock ? description_.clock->complete_through(watermark) : watermark;
  }

  /// Each row's own window, and clears what the last batch left.
  void find_windows(const Batch& batch) {
    late_rows_.clear();
    ended_rows_.clear();
    maybe_empty_.clear();
    times_.resize(batch.rows());
    if (by_processing_time()) {
      std::fill(times_.begin(), times_.end(), std::max(clock_->now(), firing_->complete()));
    } else {
      const EventTime* times = event_times_of(batch, uid_);
      if (description_.clock) {
        description_.clock->to_local({times, batch.rows()}, times_);
      } else {
        std::copy_n(times, batch.rows(), times_.begin());
      }
    }
    if (!description_.gap_of) return;
    gaps_.resize(batch.rows());
    description_.gap_of(batch, gaps_);
    if (*std::min_element(gaps_.begin(), gaps_.end()) <= 0) refuse_gap();
  }

  [[noreturn]] void refuse_gap() const {
    throw Failure(ErrorCode::kInvalidRecord,
                  "operator '" + uid_ + "': the gap of a session is " +
                      std::to_string(*std::min_element(gaps_.begin(), gaps_.end())) +
                      " ms for a row; it must be > 0",
                  /*retryable=*/false);
  }

  TimeWindow window_of(RowIndex row) const {
    // The last millisecond there is begins no window of its own.
    const EventTime start = std::min(times_[row], kMaxTime - 1);
    return {start, saturating_add(start, gaps_.empty() ? gap_ : gaps_[row])};
  }

  void add_rows(const Batch& batch, Selection rows) {
    table_->find_or_insert(kSessionNamespace, keys_, rows, found_);
    const EventTime complete = firing_->complete();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const TimeWindow window = window_of(rows[i]);
      const SessionSet sessions(*values_, found_[i]);
      SessionSpan& newest = sessions.newest();
      // The common row lets its key's newest session, which has not ended, grow at its end.
      if (newest.live() && window.start >= newest.start && window.start <= newest.end &&
          newest.end > complete && !newest.fired()) {
        newest.end = std::max(newest.end, window.end);
        assign(rows[i], sessions.newest_accumulator());
      } else if (sessions.empty()) {
        begin_session(batch, rows[i], window, sessions);
      } else {
        add_out_of_order(batch, rows[i], window, sessions);
      }
    }
    update_assigned(batch);
    erase_empty();
  }

  void assign(RowIndex row, std::byte* accumulator) {
    assigned_rows_.push_back(row);
    assigned_.push_back(accumulator);
  }

  /// Adds the rows that were assigned so far: before an accumulator moves or is merged.
  void update_assigned(const Batch& batch) {
    if (!assigned_rows_.empty()) aggregator_->update(batch, assigned_rows_, assigned_);
    assigned_rows_.clear();
    assigned_.clear();
  }

  void begin_session(const Batch& batch, RowIndex row, TimeWindow window, SessionSet sessions) {
    if (firing_->is_late(window.end)) {
      late_rows_.push_back(row);
      maybe_empty_.push_back(row);
      return;
    }
    if (!sessions.empty()) update_assigned(batch);
    place(row, sessions.add({window.start, window.end, window.start}));
  }

  void add_out_of_order(const Batch& batch, RowIndex row, TimeWindow window, SessionSet sessions) {
    const std::vector<SessionRef> touched = sessions.touching(window);
    if (touched.empty()) return begin_session(batch, row, window, sessions);
    SessionSpan span{window.start, window.end, window.start};
    std::optional<EventTime> armed;
    for (const SessionRef& session : touched) {
      span.start = std::min(span.start, session.span->start);
      span.end = std::max(span.end, session.span->end);
      if (session.span->fired()) {
        if (description_.updating) take_back(row, session);
      } else if (session.span->to_fire()) {
        armed = std::min(armed.value_or(kMaxTime), session.span->armed);
      }
    }
    span.armed = armed.value_or(span.start);  // without one it is to be armed again
    if (touched.size() > 1) update_assigned(batch);
    place(row, sessions.respan(merge(touched, sessions), span));
  }

  /// Merges sessions into the last of them and removes the others.
  SessionRef merge(const std::vector<SessionRef>& touched, SessionSet sessions) {
    const EventTime survivor = touched.back().span->end;
    std::vector<EventTime> absorbed;
    for (const SessionRef& session : touched) {
      if (session.span->end == survivor) continue;
      aggregator_->merge(touched.back().accumulator, session.accumulator);
      absorbed.push_back(session.span->start);
    }
    for (const EventTime start : absorbed) sessions.remove(start);
    return sessions.ending_at(survivor);
  }

  void place(RowIndex row, SessionRef session) {
    if (session.span->end > firing_->complete()) {
      firing_->arm(*session.span, keys_, row);
    } else {
      ended_rows_.push_back(row);
    }
    assign(row, session.accumulator);
  }

  void take_back(RowIndex row, SessionRef session) {
    ByteWriter bytes;
    values_->encode_accumulator(session.accumulator, bytes);
    auto copy = std::make_unique<std::byte[]>(values_->accumulator().width());
    ByteReader in(bytes.view());
    values_->decode_accumulator(in, copy.get());
    taken_back_.push_back({session.span->window(), row, std::move(copy)});
  }

  // Rows that were late have made entries without a session.
  void erase_empty() {
    if (maybe_empty_.empty()) return;
    std::vector<const std::byte*> found(maybe_empty_.size());
    table_->find(kSessionNamespace, keys_, maybe_empty_, found);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < maybe_empty_.size(); ++i) {
      auto* entry = const_cast<std::byte*>(found[i]);  // read only
      if (entry != nullptr && SessionSet(*values_, entry).empty())
        maybe_empty_[kept++] = maybe_empty_[i];
    }
    maybe_empty_.resize(kept);
    if (kept > 0) table_->erase(kSessionNamespace, keys_, maybe_empty_);
    maybe_empty_.clear();
  }

  // Once a batch: what late rows changed is taken back, and what has ended is said again.
  void fire_again(Output& out) {
    std::vector<SessionFiring::Firing> firings = firing_->ended(keys_, ended_rows_);
    if (!taken_back_.empty()) say_taken_back(firings, out);
    firing_->fire_now(keys_, firings, description_.updating, out);
  }

  void say_taken_back(std::vector<SessionFiring::Firing>& firings, Output& out) {
    std::vector<RowKind> kinds;
    std::vector<TimeWindow> windows;
    std::vector<TableScan::Entry> entries;
    for (const TakenBack& old : taken_back_) {
      const auto again = std::find_if(firings.begin(), firings.end(), [&](const auto& firing) {
        return firing.window == old.window && same_key(firing.key, old.row);
      });
      if (again != firings.end()) again->update = true;
      kinds.push_back(again == firings.end() ? RowKind::kDelete : RowKind::kUpdateBefore);
      windows.push_back(old.window);
      entries.push_back(entry_of(keys_, old.row, old.accumulator.get()));
    }
    const BatchPtr batch = aggregator_->fire_each(windows, entries);
    for (const TakenBack& old : taken_back_)
      if (!values_->accumulator().is_plain()) values_->accumulator().destroy(old.accumulator.get());
    taken_back_.clear();
    out.emit(with_kinds(batch, kinds));
  }

  bool same_key(std::size_t a, std::size_t b) const {
    return keys_.hashes[a] == keys_.hashes[b] && !key_before(keys_, a, b) &&
           !key_before(keys_, b, a);
  }

  void divert_late(const Batch& batch, Output& out) {
    metrics_->late_sample.add(batch, late_rows_, watermark_);
    if (description_.late_side_output) {
      metrics_->late_side_output.add(late_rows_.size());
      out.emit_side(kLateOutput, gather(batch, late_rows_));
    } else {
      metrics_->late_dropped.add(late_rows_.size());
    }
  }

  SessionOperatorDescription description_;
  std::unique_ptr<WindowAggregator> aggregator_;
  KeyCodec codec_;
  Millis gap_;
  std::string uid_;
  const Clock* clock_ = nullptr;
  OperatorMetrics unread_metrics_;  // for a context without any
  OperatorMetrics* metrics_ = &unread_metrics_;
  std::shared_ptr<const SessionValues> values_;
  KeyedTable* table_ = nullptr;
  std::unique_ptr<SessionFiring> firing_;
  EventTime watermark_ = kMinTime;

  // Of the batch; reused from one to the next.
  KeyBatch keys_;
  std::vector<EventTime> times_;
  std::vector<Millis> gaps_;
  std::vector<RowIndex> all_rows_;
  std::vector<std::byte*> found_;
  std::vector<RowIndex> assigned_rows_;  // with assigned_: rows that are still to be added
  std::vector<std::byte*> assigned_;
  std::vector<RowIndex> late_rows_;
  std::vector<RowIndex> maybe_empty_;  // rows whose entries may hold no session
  std::vector<RowIndex> ended_rows_;   // rows in sessions that have ended
  std::vector<TakenBack> taken_back_;
};

}  // namespace

Status validate(const SessionDescription& session) {
  if (session.gap <= 0)
    return Error{ErrorCode::kInvalidOption,
                 "the gap of sessions is " + std::to_string(session.gap) + " ms; it must be > 0"};
  if (session.allowed_lateness < 0)
    return Error{ErrorCode::kInvalidOption, "the allowed lateness is " +
                                                std::to_string(session.allowed_lateness) +
                                                " ms; it must be >= 0"};
  return {};
}

std::unique_ptr<Operator> make_session_operator(SessionOperatorDescription description,
                                                std::unique_ptr<WindowAggregator> aggregator) {
  if (!description.gap_of) {
    const Status status = validate(description.session);
    TIDEMARK_CHECK(status.ok(), "a validated session description");
  }
  return std::make_unique<SessionOperator>(std::move(description), std::move(aggregator));
}

}  // namespace tidemark
