// SPDX-License-Identifier: Apache-2.0
// SQL's aggregates over windows: a WindowAggregator whose entry is a row of accumulators.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/window/accumulator_row.h"
#include "tidemark/window/local_time.h"
#include "tidemark/window/session_operator.h"
#include "tidemark/window/window_operator.h"

namespace tidemark {
namespace {

class SqlAggregator final : public WindowAggregator {
 public:
  SqlAggregator(WindowAggregateDescription description,
                std::shared_ptr<const AccumulatorRow> accumulators)
      : description_(std::move(description)),
        accumulators_(std::move(accumulators)),
        totals_(TotalRow::of(*accumulators_)),
        codec_(description_.window.key_columns, description_.window.key_types) {
    for (const Field& field : description_.output->fields) builders_.emplace_back(field.type);
  }

  void open(OperatorContext& context) override {
    uid_ = context.uid;
    evaluation_.clock = context.clock;
    evaluation_.time_zone = description_.time_zone;
    if (context.metrics != nullptr) metrics_ = context.metrics;
  }

  std::shared_ptr<const ValueOperations> values() const override { return accumulators_; }

  std::string schema() const override {
    std::string text;
    for (const AggregateCall& call : description_.aggregates) {
      text += text.empty() ? "" : ", ";
      text += call.function + (call.distinct ? "(DISTINCT " : "(");
      for (const std::size_t argument : call.arguments)
        text += to_string(description_.input->fields[argument].type);
      text += ")";
    }
    return text;
  }

  void update(const Batch& batch, Selection rows, std::span<std::byte* const> entries) override {
    if (description_.errors == RecordErrorPolicy::kFail) {
      if (!add(batch, rows, entries)) fail();
      return;
    }
    // A row that one aggregate cannot take must not count in the others either: what the rows did
    // is undone, and those without errors are added again.
    std::vector<RowIndex> good_rows(rows.begin(), rows.end());
    std::vector<std::byte*> good_entries(entries.begin(), entries.end());
    const AccumulatorBackup backup(*accumulators_, entries);
    while (!add(batch, good_rows, good_entries)) {
      backup.bring_back();
      metrics_->rejected_skipped.add(remove_failed(good_rows, good_entries));
    }
  }

  void merge(std::byte* into, const std::byte* other) override {
    for (std::size_t i = 0; i < accumulators_->functions().size(); ++i) {
      const std::size_t offset = accumulators_->offset(i);
      const Status merged = accumulators_->functions()[i]->merge(into + offset, other + offset);
      if (!merged.ok()) fail_with(merged.error().message);
    }
  }

  void merge_all(std::span<std::byte* const> into,
                 std::span<const std::byte* const> others) override {
    for (std::size_t i = 0; i < accumulators_->functions().size(); ++i) {
      const Status merged =
          accumulators_->functions()[i]->merge_all(into, others, accumulators_->offset(i));
      if (!merged.ok()) fail_with(merged.error().message);
    }
  }

  BatchPtr fire(TimeWindow window, std::span<const TableScan::Entry> entries) override {
    windows_.assign(entries.size(), window);
    return fire_each(windows_, entries);
  }

  BatchPtr fire_each(std::span<const TimeWindow> windows,
                     std::span<const TableScan::Entry> entries) override {
    return finish(windows, entries, [this](std::size_t i, ColumnBuilder& out) {
      accumulators_->functions()[i]->finish(values_, accumulators_->offset(i), out, evaluation_);
    });
  }

  std::shared_ptr<const ValueOperations> totals() const override { return totals_; }
  void add(std::span<std::byte* const> totals, std::span<const std::byte* const> entries) override {
    for (std::size_t i = 0; i < accumulators_->functions().size(); ++i)
      sliding(i).add(totals, totals_->offset(i), entries, accumulators_->offset(i));
  }
  void subtract(std::span<std::byte* const> totals,
                std::span<const std::byte* const> entries) override {
    for (std::size_t i = 0; i < accumulators_->functions().size(); ++i)
      sliding(i).subtract(totals, totals_->offset(i), entries, accumulators_->offset(i));
  }
  BatchPtr fire_totals(TimeWindow window, std::span<const TableScan::Entry> entries) override {
    windows_.assign(entries.size(), window);
    return finish(windows_, entries, [this](std::size_t i, ColumnBuilder& out) {
      sliding(i).finish(values_, totals_->offset(i), out, evaluation_);
    });
  }

 private:
  const SlidingAggregate& sliding(std::size_t function) const {
    return *accumulators_->functions()[function]->sliding();
  }

  /// The batch of a firing; `finish_call(i, out)` appends the results of call i over values_.
  template <typename FinishCall>
  BatchPtr finish(std::span<const TimeWindow> windows, std::span<const TableScan::Entry> entries,
                  FinishCall finish_call) {
    evaluation_.errors.clear();
    const std::size_t keys = codec_.types().size();
    const std::size_t calls = description_.aggregates.size();
    codec_.decode(entries, {builders_.data(), keys});
    values_.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) values_[i] = entries[i].value;
    for (std::size_t i = 0; i < calls; ++i) finish_call(i, builders_[keys + i]);
    // With another policy than kFail the value is NULL and the result stands.
    if (!evaluation_.errors.empty() && description_.errors == RecordErrorPolicy::kFail) fail();
    ColumnBuilder event_times(DataType::big_int().with_nullable(false));
    auto* result_times = event_times.extend<EventTime>(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
      result_times[i] =
          i > 0 && windows[i] == windows[i - 1] ? result_times[i - 1] : result_time_of(windows[i]);
    append_times(builders_[keys + calls], entries.size(),
                 [&](std::size_t i) { return windows[i].start; });
    append_times(builders_[keys + calls + 1], entries.size(),
                 [&](std::size_t i) { return windows[i].end; });
    append_times(builders_[keys + calls + 2], entries.size(),
                 [&](std::size_t i) { return result_times[i]; });
    std::vector<ColumnPtr> columns;
    for (ColumnBuilder& builder : builders_) columns.push_back(builder.finish());
    return std::make_shared<const Batch>(description_.output, entries.size(), std::move(columns),
                                         event_times.finish());
  }

  /// False when rows had errors; they are in evaluation_.errors then.
  bool add(const Batch& batch, Selection rows, std::span<std::byte* const> entries) {
    evaluation_.errors.clear();
    for (std::size_t i = 0; i < description_.aggregates.size(); ++i) {
      const AggregateCall& call = description_.aggregates[i];
      const Column* argument =
          call.arguments.empty() ? nullptr : &batch.column(call.arguments.front());
      const AggregateFunction& function = *accumulators_->functions()[i];
      if (!call.filter) {
        function.update(argument, rows, entries, accumulators_->offset(i), evaluation_);
      } else {
        select_true(batch.column(*call.filter), rows, entries);
        function.update(argument, filtered_rows_, filtered_entries_, accumulators_->offset(i),
                        evaluation_);
      }
      if (!evaluation_.errors.empty()) return false;
    }
    return true;
  }

  void select_true(const Column& filter, Selection rows, std::span<std::byte* const> entries) {
    filtered_rows_.clear();
    filtered_entries_.clear();
    const auto* values = filter.values<std::uint8_t>();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (filter.is_null(rows[i]) || values[rows[i]] == 0) continue;
      filtered_rows_.push_back(rows[i]);
      filtered_entries_.push_back(entries[i]);
    }
  }

  /// Takes the rows with errors out; returns how many there were.
  std::size_t remove_failed(std::vector<RowIndex>& rows, std::vector<std::byte*>& entries) const {
    std::size_t kept = 0;
    auto error = evaluation_.errors.begin();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      while (error != evaluation_.errors.end() && error->row < rows[i]) ++error;
      if (error != evaluation_.errors.end() && error->row == rows[i]) continue;
      rows[kept] = rows[i];
      entries[kept++] = entries[i];
    }
    const std::size_t removed = rows.size() - kept;
    TIDEMARK_CHECK(removed > 0, "row errors name rows that were added");
    rows.resize(kept);
    entries.resize(kept);
    return removed;
  }

  [[noreturn]] void fail() const { fail_with(evaluation_.errors.front().message); }
  [[noreturn]] void fail_with(const std::string& reason) const {
    throw Failure(ErrorCode::kEvaluation,
                  "operator '" + uid_ + "': an aggregate of a window cannot be computed: " +
                      reason + "; CAST the argument to a wider type, or set tidemark.record-errors",
                  /*retryable=*/false);
  }

  EventTime result_time_of(TimeWindow window) const {
    return description_.window.clock ? description_.window.clock->last_instant_before(window.end)
                                     : saturating_sub(window.end, 1);
  }

  template <typename TimeOf>
  void append_times(ColumnBuilder& out, std::size_t rows, TimeOf time_of) const {
    auto* values = out.extend<std::int64_t>(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const bool repeats = i > 0 && time_of(i) == time_of(i - 1);
      values[i] = repeats ? values[i - 1]
                          : millis_to_timestamp(time_of(i), out.type().precision).or_throw();
    }
  }

  WindowAggregateDescription description_;
  std::shared_ptr<const AccumulatorRow> accumulators_;
  std::shared_ptr<const TotalRow> totals_;
  KeyCodec codec_;
  std::vector<ColumnBuilder> builders_;
  EvaluationContext evaluation_;
  std::string uid_;
  OperatorMetrics unread_metrics_;  // for a context without any
  OperatorMetrics* metrics_ = &unread_metrics_;
  std::vector<TimeWindow> windows_;
  std::vector<const std::byte*> values_;
  std::vector<RowIndex> filtered_rows_;
  std::vector<std::byte*> filtered_entries_;
};

Result<std::shared_ptr<const AccumulatorRow>> resolve(const WindowAggregateDescription& what) {
  std::vector<AggregateFunctionPtr> functions;
  for (const AggregateCall& call : what.aggregates) {
    if (call.arguments.size() > 1)
      return Error{ErrorCode::kUnsupported, call.function +
                                                " over a window takes one argument, not " +
                                                std::to_string(call.arguments.size())};
    std::vector<DataType> types;
    for (const std::size_t argument : call.arguments)
      types.push_back(what.input->fields[argument].type);
    TIDEMARK_ASSIGN_OR_RETURN(AggregateFunctionPtr function,
                              resolve_aggregate(call.function, call.distinct, types));
    functions.push_back(std::move(function));
  }
  return std::make_shared<const AccumulatorRow>(std::move(functions));
}

Status check_output(const WindowAggregateDescription& what, const AccumulatorRow& accumulators) {
  std::vector<TypeKind> kinds;
  for (const DataType& type : what.window.key_types) kinds.push_back(type.kind);
  for (const auto& function : accumulators.functions())
    kinds.push_back(function->result_type().kind);
  kinds.insert(kinds.end(), {TypeKind::kTimestamp, TypeKind::kTimestamp});
  kinds.push_back(what.local_time ? TypeKind::kTimestampLtz : TypeKind::kTimestamp);
  const std::vector<Field>& fields = what.output->fields;
  const bool fits = std::equal(kinds.begin(), kinds.end(), fields.begin(), fields.end(),
                               [](TypeKind kind, const Field& f) { return kind == f.type.kind; });
  if (fits) return {};
  return Error{ErrorCode::kInvalidSql,
               "a window aggregate gives its keys, aggregates, window_start, window_end and "
               "window_time, which " +
                   to_string(*what.output) + " does not hold"};
}

}  // namespace

Result<std::unique_ptr<Operator>> make_window_aggregate(WindowAggregateDescription description) {
  const SessionDescription session{description.session_gap,
                                   description.window.window.allowed_lateness};
  const bool sessions = description.session_gap != 0;
  TIDEMARK_TRY(sessions ? validate(session) : validate(description.window.window));
  TIDEMARK_ASSIGN_OR_RETURN(std::shared_ptr<const AccumulatorRow> accumulators,
                            resolve(description));
  TIDEMARK_TRY(check_output(description, *accumulators));
  if (description.local_time) {
    TIDEMARK_ASSIGN_OR_RETURN(description.window.clock, make_zone_clock(description.time_zone));
  }
  WindowOperatorDescription window = description.window;
  const bool updating = description.updating;
  auto aggregator =
      std::make_unique<SqlAggregator>(std::move(description), std::move(accumulators));
  if (!sessions) return make_window_operator(std::move(window), std::move(aggregator));
  return make_session_operator({.session = session,
                                .key_columns = std::move(window.key_columns),
                                .key_types = std::move(window.key_types),
                                .late_side_output = window.late_side_output,
                                .updating = updating,
                                .clock = std::move(window.clock)},
                               std::move(aggregator));
}

}  // namespace tidemark
