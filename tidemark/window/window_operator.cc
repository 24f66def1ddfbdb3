// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_operator.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/base/error.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/window/slice_rows.h"
#include "tidemark/window/slices.h"
#include "tidemark/window/window_firing.h"

namespace tidemark {
namespace {

constexpr OutputIndex kLateOutput = 1;
constexpr const char* kTableName = "window-slices";
constexpr const char* kWatermarkState = "window-watermark";
// Rows looked up and updated at a time: the slots that were fetched are still in the first-level
// cache when they are written.
constexpr std::size_t kUpdateRows = 512;

std::string schema_of(const WindowOperatorDescription& description,
                      const WindowAggregator& aggregator) {
  std::string keys;
  for (const DataType& type : description.key_types)
    keys += (keys.empty() ? "" : ", ") + to_string(type);
  const WindowDescription& window = description.window;
  std::string schema = "(" + keys + ") -> " + aggregator.schema() + "; windows of " +
                       std::to_string(window.size) + " ms every " + std::to_string(window.slide) +
                       " ms from " + std::to_string(window.offset) + " ms";
  if (description.clock) schema += " in " + std::string(description.clock->zone());
  return schema;
}

class WindowOperator final : public Operator {
 public:
  WindowOperator(WindowOperatorDescription description,
                 std::unique_ptr<WindowAggregator> aggregator)
      : description_(std::move(description)),
        aggregator_(std::move(aggregator)),
        slices_(description_.window),
        slice_rows_(slices_),
        codec_(description_.key_columns, description_.key_types),
        values_(kUpdateRows) {}

  void open(OperatorContext& context) override {
    uid_ = context.uid;
    if (context.metrics != nullptr) metrics_ = context.metrics;
    TIDEMARK_CHECK(context.keyed_state != nullptr, "a window operator has keyed state");
    aggregator_->open(context);
    const TableDescriptor descriptor{.name = kTableName,
                                     .key_encoding = codec_.encoding(),
                                     .values = aggregator_->values(),
                                     .schema = schema_of(description_, *aggregator_)};
    table_ = &context.keyed_state->open_table(descriptor);
    firing_ = std::make_unique<WindowFiring>(slices_, *table_, descriptor, *aggregator_);
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    TIDEMARK_CHECK(!firing_->active(), "resume() before the next batch");
    if (batch->rows() == 0) return Step::kDone;
    refuse_changes(*batch);
    codec_.encode(*batch, keys_);
    late_rows_.clear();
    touched_.clear();
    for (const SliceRows& part : slices_of(*batch)) {
      const std::optional<EventTime> last_end = slices_.last_window_end(part.slice_end);
      if (!last_end) {
        metrics_->unassigned.add(part.rows.size());
      } else if (*last_end <= firing_->expired()) {
        late_rows_.insert(late_rows_.end(), part.rows.begin(), part.rows.end());
      } else {
        update(*batch, part);
      }
    }
    if (!touched_.empty()) firing_->fire_again(keys_, touched_, out);
    if (!late_rows_.empty()) divert_late(*batch, out);
    return Step::kDone;
  }

  Step on_watermark(EventTime watermark, Output& out) override {
    TIDEMARK_CHECK(!firing_->active(), "resume() before the next watermark");
    watermark_ = std::max(watermark_, watermark);
    firing_->begin(complete_at(watermark_), expired_at(watermark_));
    return resume(out);
  }

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
    firing_->restore(complete_at(watermark_), expired_at(watermark_));
  }

 private:
  EventTime local(EventTime instant) const {
    return description_.clock ? description_.clock->complete_through(instant) : instant;
  }
  EventTime complete_at(EventTime watermark) const { return local(watermark); }
  EventTime expired_at(EventTime watermark) const {
    if (watermark == kMaxTime) return kMaxTime;
    return local(saturating_sub(watermark, description_.window.allowed_lateness));
  }

  void refuse_changes(const Batch& batch) const {
    const std::int8_t* kinds = batch.row_kinds();
    if (kinds == nullptr) return;
    const auto is_change = [](std::int8_t kind) {
      return kind != static_cast<std::int8_t>(RowKind::kInsert);
    };
    if (std::none_of(kinds, kinds + batch.rows(), is_change)) return;
    throw Failure(ErrorCode::kUnsupported,
                  "operator '" + uid_ +
                      "': a window aggregate takes new rows only, but its input updates or "
                      "deletes earlier ones",
                  /*retryable=*/false);
  }

  std::span<const SliceRows> slices_of(const Batch& batch) {
    const EventTime* times = batch.event_times();
    if (times == nullptr) refuse_untimed();
    std::span<const EventTime> window_times(times, batch.rows());
    if (description_.clock) {
      local_times_.resize(batch.rows());
      description_.clock->to_local(window_times, local_times_);
      window_times = local_times_;
    }
    const std::span<const SliceRows> parts = slice_rows_.build(window_times);
    if (slice_rows_.smallest_time() == kMinTime) refuse_untimed();
    return parts;
  }

  [[noreturn]] void refuse_untimed() const {
    throw Failure(ErrorCode::kInvalidRecord,
                  "operator '" + uid_ +
                      "': a row has no event time; a window needs one for every row. Name the "
                      "time column with WATERMARK FOR or a timestamp assigner",
                  /*retryable=*/false);
  }

  void update(const Batch& batch, const SliceRows& part) {
    for (std::size_t at = 0; at < part.rows.size(); at += kUpdateRows) {
      const Selection rows = part.rows.subspan(at, std::min(kUpdateRows, part.rows.size() - at));
      table_->find_or_insert(part.slice_end, keys_, rows, values_);
      aggregator_->update(batch, rows, {values_.data(), rows.size()});
    }
    firing_->add_slice(part.slice_end);
    const bool has_fired =
        slices_.window_end_after(part.slice_end, firing_->expired()) <= firing_->complete();
    if (has_fired) touched_.push_back(part);
  }

  void divert_late(const Batch& batch, Output& out) {
    std::sort(late_rows_.begin(), late_rows_.end());
    if (description_.late_side_output) {
      metrics_->late_side_output.add(late_rows_.size());
      out.emit_side(kLateOutput, gather(batch, late_rows_));
    } else {
      metrics_->late_dropped.add(late_rows_.size());
    }
  }

  WindowOperatorDescription description_;
  std::unique_ptr<WindowAggregator> aggregator_;
  Slices slices_;
  SliceRowsBuilder slice_rows_;
  KeyCodec codec_;
  std::string uid_;
  OperatorMetrics unread_metrics_;  // for a context without any
  OperatorMetrics* metrics_ = &unread_metrics_;
  KeyedTable* table_ = nullptr;
  std::unique_ptr<WindowFiring> firing_;
  EventTime watermark_ = kMinTime;

  // Reused from batch to batch.
  KeyBatch keys_;
  std::vector<EventTime> local_times_;
  std::vector<std::byte*> values_;
  std::vector<RowIndex> late_rows_;
  std::vector<SliceRows> touched_;
};

}  // namespace

Status validate(const WindowDescription& window) {
  const auto refuse = [](const std::string& message) {
    return Error{ErrorCode::kInvalidOption, message};
  };
  if (window.size <= 0)
    return refuse("the window size is " + std::to_string(window.size) + " ms; it must be > 0");
  if (window.slide <= 0)
    return refuse("the window slide is " + std::to_string(window.slide) + " ms; it must be > 0");
  if (window.offset <= -window.slide || window.offset >= window.slide)
    return refuse("the window offset is " + std::to_string(window.offset) +
                  " ms; it must be less than the slide of " + std::to_string(window.slide) +
                  " ms, forwards or backwards");
  if (window.allowed_lateness < 0)
    return refuse("the allowed lateness is " + std::to_string(window.allowed_lateness) +
                  " ms; it must be >= 0");
  return {};
}

std::unique_ptr<Operator> make_window_operator(WindowOperatorDescription description,
                                               std::unique_ptr<WindowAggregator> aggregator) {
  validate(description.window).or_throw();
  return std::make_unique<WindowOperator>(std::move(description), std::move(aggregator));
}

}  // namespace tidemark
