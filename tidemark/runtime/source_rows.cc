// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/source_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/base/random.h"
#include "tidemark/data/calendar.h"
#include "tidemark/data/value.h"
#include "tidemark/operator/event_time.h"

namespace tidemark {
namespace {

std::string describe_row(const Batch& rows, RowIndex row) {
  std::string text = "(";
  for (std::size_t i = 0; i < rows.columns().size(); ++i)
    text += (i == 0 ? "" : ", ") + to_string(value_at(rows.column(i), row));
  return text + ")";
}

}  // namespace

Result<std::unique_ptr<SourceRows>> SourceRows::make(SourceRowsDescription description,
                                                     const Clock& clock,
                                                     BadRecordPolicy& bad_records) {
  TIDEMARK_CHECK(
      description.output->size() == description.physical->size() + description.computed.size(),
      "the output is the physical and the computed columns");
  std::unique_ptr<SourceRows> result(new SourceRows(std::move(description), clock, bad_records));
  const SourceRowsDescription& made = result->description_;
  for (const ExpressionPtr& expression : made.computed) {
    TIDEMARK_ASSIGN_OR_RETURN(std::unique_ptr<Evaluator> evaluator, make_evaluator(expression));
    result->evaluators_.push_back(std::move(evaluator));
  }
  std::vector<Field> fields = made.physical->fields;
  for (std::size_t i = 0; i < made.computed.size(); ++i) {
    result->schemas_.push_back(i == 0 ? made.physical : make_schema(fields));
    fields.push_back(made.output->fields[made.physical->size() + i]);
  }
  result->context_.clock = &clock;
  result->context_.time_zone = made.time_zone;
  result->context_.random_seed = made.seed;
  return result;
}

BatchPtr SourceRows::prepare(const BatchPtr& rows, const RowOrigin& origin, EventTime watermark) {
  rejections_.clear();
  BatchPtr result = add_computed(rows, watermark);
  result = add_event_times(result);
  if (rejections_.empty()) return result;
  return without_rejected(result, origin);
}

BatchPtr SourceRows::add_computed(const BatchPtr& rows, EventTime watermark) {
  if (evaluators_.empty()) return rows;
  context_.watermark = watermark;
  std::vector<ColumnPtr> columns = rows->columns();
  for (std::size_t i = 0; i < evaluators_.size(); ++i) {
    const Batch so_far(schemas_[i], rows->rows(), columns, rows->event_times_ptr(),
                       rows->row_kinds_ptr());
    context_.errors.clear();
    columns.push_back(evaluators_[i]->evaluate(so_far, context_));
    if (description_.evaluation_errors == RecordErrorPolicy::kSkip) continue;
    const std::string& name = description_.output->fields[columns.size() - 1].name;
    for (RowError& error : context_.errors)
      rejections_.push_back({error.row, fmt::format("column '{}': {}", name, error.message)});
  }
  // Each batch draws other random numbers, the same in every run.
  context_.random_seed = Random(context_.random_seed).next();
  return std::make_shared<const Batch>(description_.output, rows->rows(), std::move(columns),
                                       rows->event_times_ptr(), rows->row_kinds_ptr());
}

BatchPtr SourceRows::add_event_times(const BatchPtr& rows) {
  if (!description_.rowtime) {
    if (rows->event_times()) check_event_times(*rows, nullptr);
    return rows;
  }
  const ColumnPtr& rowtime = rows->column_ptr(*description_.rowtime);
  auto result = std::make_shared<const Batch>(rows->schema_ptr(), rows->rows(), rows->columns(),
                                              to_event_times(rowtime), rows->row_kinds_ptr());
  check_event_times(*result, rowtime.get());
  return result;
}

void SourceRows::check_event_times(const Batch& rows, const Column* rowtime) {
  const EventTime* times = rows.event_times();
  EventTime latest = kLatestEventTime;
  if (description_.max_future_skew)
    latest = std::min(latest, saturating_add(clock_.now(), *description_.max_future_skew));
  bool all_usable = rowtime == nullptr || !rowtime->has_nulls();
  for (std::size_t i = 0; i < rows.rows(); ++i)
    all_usable &= times[i] >= kEarliestEventTime && times[i] <= latest;
  if (all_usable) return;
  const std::string name =
      rowtime ? fmt::format("column '{}'", rows.schema().fields[*description_.rowtime].name)
              : std::string("its event time");
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = static_cast<RowIndex>(i);
    if (rowtime && rowtime->is_null(i)) {
      rejections_.push_back({row, fmt::format("{} is the time attribute and is NULL", name)});
    } else if (times[i] < kEarliestEventTime || times[i] > kLatestEventTime) {
      rejections_.push_back({row, fmt::format("{} is out of range: {} ms", name, times[i])});
    } else if (times[i] > latest) {
      rejections_.push_back(
          {row, fmt::format("{} is {}, more than 'scan.max-future-skew' ({} ms) ahead of the clock",
                            name, event_time_to_string(times[i]), *description_.max_future_skew)});
    }
  }
}

BatchPtr SourceRows::without_rejected(const BatchPtr& rows, const RowOrigin& origin) {
  std::stable_sort(rejections_.begin(), rejections_.end(),
                   [](const Rejection& a, const Rejection& b) { return a.row < b.row; });
  std::vector<RowIndex> kept;
  kept.reserve(rows->rows());
  std::size_t next = 0;
  for (RowIndex row = 0; row < rows->rows(); ++row) {
    if (next == rejections_.size() || rejections_[next].row != row) {
      kept.push_back(row);
      continue;
    }
    const std::uint64_t number = origin.first_row + row;
    bad_records_.reject_row(
        {.source = description_.table,
         .split = origin.split,
         .offset = number,
         .raw = describe_row(*rows, row),
         .reason = fmt::format("row {} of the split: {}", number + 1, rejections_[next].reason)});
    while (next < rejections_.size() && rejections_[next].row == row) ++next;
  }
  return kept.empty() ? nullptr : gather(*rows, kept);
}

}  // namespace tidemark
