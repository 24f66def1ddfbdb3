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
#include "tidemark/window/window_emission.h"
#include "tidemark/window/window_input.h"

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
  std::string schema =
      "(" + keys + ") -> " + aggregator.schema() + "; " + to_string(description.window);
  if (description.clock) schema += " in " + std::string(description.clock->zone());
  return schema;
}

class WindowOperator final : public Operator {
 public:
  WindowOperator(WindowOperatorDescription description,
                 std::unique_ptr<WindowAggregator> aggregator)
      : description_(std::move(description)),
        aggregator_(std::move(aggregator)),
        slices_{.slices = Slices(description_.window)},
        slice_rows_(slices_.slices),
        codec_(description_.key_columns, description_.key_types),
        values_(kUpdateRows) {}

  void open(OperatorContext& context) override {
    uid_ = context.uid;
    if (context.metrics != nullptr) metrics_ = context.metrics;
    TIDEMARK_CHECK(context.keyed_state != nullptr, "a window operator has keyed state");
    aggregator_->open(context);
    slices_.descriptor = {.name = kTableName,
                          .key_encoding = codec_.encoding(),
                          .values = aggregator_->values(),
                          .schema = schema_of(description_, *aggregator_)};
    slices_.table = &context.keyed_state->open_table(slices_.descriptor);
    slices_.aggregator = aggregator_.get();
    emission_ = std::make_unique<WindowEmission>(slices_, description_, context);
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    TIDEMARK_CHECK(!emission_->active(), "resume() before the next batch");
    if (batch->rows() == 0) return Step::kDone;
    refuse_changes(*batch, uid_);
    codec_.encode(*batch, keys_);
    sort_out(slices_of(*batch));
    if (!late_rows_.empty()) divert_late(*batch, out);
    emission_->before_batch(keys_, accepted_);
    for (const SliceRows& part : accepted_) update(*batch, part);
    emission_->after_batch(keys_, accepted_);
    return emission_->advance(out);
  }

  Step on_watermark(EventTime watermark, Output& out) override {
    TIDEMARK_CHECK(!emission_->active(), "resume() before the next watermark");
    watermark_ = std::max(watermark_, watermark);
    emission_->advance_to(complete_at(watermark_), expired_at(watermark_));
    watermark_waits_ = true;
    return resume(out);
  }

  Step on_processing_time(ProcessingTime now, Output& out) override {
    emission_->on_processing_time(now);
    return emission_->advance(out);
  }
  ProcessingTime next_processing_time() const override { return emission_->next_processing_time(); }

  bool gives_changes() const override { return description_.updating; }

  Step resume(Output& out) override {
    if (emission_->advance(out) == Step::kMore) return Step::kMore;
    if (watermark_waits_) out.emit_watermark(watermark_);
    watermark_waits_ = false;
    return Step::kDone;
  }

  std::unique_ptr<SnapshotPart> snapshot(CheckpointId) override {
    TIDEMARK_CHECK(!emission_->active(), "a snapshot stands between two steps of the stream");
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
    emission_->restore(complete_at(watermark_), expired_at(watermark_));
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

  std::span<const SliceRows> slices_of(const Batch& batch) {
    const EventTime* times = batch.event_times();
    if (times == nullptr) times = event_times_of(batch, uid_);  // which says what is wrong
    std::span<const EventTime> window_times(times, batch.rows());
    if (description_.clock) {
      local_times_.resize(batch.rows());
      description_.clock->to_local(window_times, local_times_);
      window_times = local_times_;
    }
    const std::span<const SliceRows> parts = slice_rows_.build(window_times);
    if (slice_rows_.smallest_time() == kMinTime) event_times_of(batch, uid_);
    return parts;
  }

  void update(const Batch& batch, const SliceRows& part) {
    emission_->before_update(keys_, part);
    for (std::size_t at = 0; at < part.rows.size(); at += kUpdateRows) {
      const Selection rows = part.rows.subspan(at, std::min(kUpdateRows, part.rows.size() - at));
      slices_.table->find_or_insert(part.slice_end, keys_, rows, values_);
      aggregator_->update(batch, rows, {values_.data(), rows.size()});
    }
    emission_->after_update(keys_, part);
  }

  /// Into those that count and those that do not.
  void sort_out(std::span<const SliceRows> parts) {
    late_rows_.clear();
    accepted_.clear();
    for (const SliceRows& part : parts) {
      const std::optional<EventTime> last_end = slices_.slices.last_window_end(part.slice_end);
      if (!last_end) {
        metrics_->unassigned.add(part.rows.size());
      } else if (*last_end <= emission_->expired()) {
        late_rows_.insert(late_rows_.end(), part.rows.begin(), part.rows.end());
      } else {
        accepted_.push_back(part);
      }
    }
  }

  void divert_late(const Batch& batch, Output& out) {
    std::sort(late_rows_.begin(), late_rows_.end());
    metrics_->late_sample.add(batch, late_rows_, watermark_);
    if (description_.late_side_output) {
      metrics_->late_side_output.add(late_rows_.size());
      out.emit_side(kLateOutput, gather(batch, late_rows_));
    } else {
      metrics_->late_dropped.add(late_rows_.size());
    }
  }

  WindowOperatorDescription description_;
  std::unique_ptr<WindowAggregator> aggregator_;
  SliceTable slices_;
  SliceRowsBuilder slice_rows_;
  KeyCodec codec_;
  std::string uid_;
  OperatorMetrics unread_metrics_;  // for a context without any
  OperatorMetrics* metrics_ = &unread_metrics_;
  std::unique_ptr<WindowEmission> emission_;
  EventTime watermark_ = kMinTime;
  bool watermark_waits_ = false;  // for its windows to fire

  // Reused from batch to batch.
  KeyBatch keys_;
  std::vector<EventTime> local_times_;
  std::vector<std::byte*> values_;
  std::vector<RowIndex> late_rows_;
  std::vector<SliceRows> accepted_;
};

}  // namespace

std::unique_ptr<Operator> make_window_operator(WindowOperatorDescription description,
                                               std::unique_ptr<WindowAggregator> aggregator) {
  validate(description.window).or_throw();
  return std::make_unique<WindowOperator>(std::move(description), std::move(aggregator));
}

}  // namespace tidemark
