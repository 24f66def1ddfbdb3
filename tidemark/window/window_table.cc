// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_table.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "tidemark/operator/metrics.h"
#include "tidemark/window/local_time.h"
#include "tidemark/window/slices.h"
#include "tidemark/window/window_input.h"

namespace tidemark {
namespace {

class WindowTable final : public Operator {
 public:
  WindowTable(WindowTableDescription description, std::shared_ptr<const WindowClock> clock)
      : description_(std::move(description)),
        clock_(std::move(clock)),
        slices_(description_.window) {}

  void open(OperatorContext& context) override {
    uid_ = context.uid;
    if (context.metrics != nullptr) metrics_ = context.metrics;
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    if (batch->rows() == 0) return Step::kDone;
    const EventTime* times = event_times_of(*batch, uid_);
    batch_ = batch;
    next_row_ = 0;
    local_.assign(times, times + batch->rows());
    if (clock_) clock_->to_local({times, batch->rows()}, local_);
    return resume(out);
  }

  Step resume(Output& out) override {
    while (next_row_ < batch_->rows()) {
      collect();
      if (rows_.empty()) continue;
      out.emit(make_batch());
      if (!out.ready() && (next_row_ < batch_->rows() || !open_windows_.empty()))
        return Step::kMore;
    }
    batch_ = nullptr;
    return Step::kDone;
  }

 private:
  /// As many rows as a batch has.
  void collect() {
    rows_.clear();
    windows_.clear();
    while (next_row_ < batch_->rows() && rows_.size() < kDefaultBatchRows) {
      if (open_windows_.empty()) {
        open_windows_ = slices_.windows_of(local_[next_row_]);
        if (open_windows_.empty()) {
          metrics_->unassigned.add(1);
          ++next_row_;
          continue;
        }
      }
      // The windows that end first come first.
      while (!open_windows_.empty() && rows_.size() < kDefaultBatchRows) {
        rows_.push_back(static_cast<RowIndex>(next_row_));
        windows_.push_back(open_windows_.back());
        open_windows_.pop_back();
      }
      if (open_windows_.empty()) ++next_row_;
    }
  }

  BatchPtr make_batch() const {
    const BatchPtr rows = gather(*batch_, rows_);
    const std::size_t inputs = rows->columns().size();
    std::vector<EventTime> times;
    for (const TimeWindow& window : windows_)
      times.push_back(clock_ ? clock_->last_instant_before(window.end)
                             : saturating_sub(window.end, 1));
    std::vector<ColumnPtr> columns = rows->columns();
    columns.push_back(time_column(inputs, [&](std::size_t i) { return windows_[i].start; }));
    columns.push_back(time_column(inputs + 1, [&](std::size_t i) { return windows_[i].end; }));
    columns.push_back(time_column(inputs + 2, [&](std::size_t i) { return times[i]; }));
    ColumnBuilder event_times(DataType::big_int().with_nullable(false));
    std::copy(times.begin(), times.end(), event_times.extend<EventTime>(times.size()));
    return std::make_shared<const Batch>(description_.output, rows->rows(), std::move(columns),
                                         event_times.finish(), rows->row_kinds_ptr());
  }

  template <typename MillisAt>
  ColumnPtr time_column(std::size_t column, MillisAt millis_at) const {
    const DataType& type = description_.output->fields[column].type;
    ColumnBuilder builder(type);
    std::int64_t* values = builder.extend<std::int64_t>(rows_.size());
    for (std::size_t i = 0; i < rows_.size(); ++i)
      values[i] = millis_to_timestamp(millis_at(i), type.precision).or_throw();
    return builder.finish();
  }

  WindowTableDescription description_;
  std::shared_ptr<const WindowClock> clock_;
  Slices slices_;
  std::string uid_;
  OperatorMetrics unread_metrics_;  // for a context without any
  OperatorMetrics* metrics_ = &unread_metrics_;
  BatchPtr batch_;
  std::vector<EventTime> local_;
  std::size_t next_row_ = 0;
  std::vector<TimeWindow> open_windows_;  // of the next row, still to come, the last to end first
  std::vector<RowIndex> rows_;
  std::vector<TimeWindow> windows_;
};

}  // namespace

Result<std::unique_ptr<Operator>> make_window_table(WindowTableDescription description) {
  TIDEMARK_TRY(validate(description.window));
  std::shared_ptr<const WindowClock> clock;
  if (description.local_time) {
    TIDEMARK_ASSIGN_OR_RETURN(clock, make_zone_clock(description.time_zone));
  }
  return std::unique_ptr<Operator>(
      std::make_unique<WindowTable>(std::move(description), std::move(clock)));
}

}  // namespace tidemark
