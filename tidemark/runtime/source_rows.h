// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/expr/evaluator.h"
#include "tidemark/runtime/bad_records.h"

namespace tidemark {

/// Event times that a row may have: years 0 to 9999, SQL's range of TIMESTAMP. Anything else is a
/// broken record, which must not move a watermark.
inline constexpr EventTime kEarliestEventTime = -62'167'219'200'000;
inline constexpr EventTime kLatestEventTime = 253'402'300'799'999;

struct SourceRowsDescription {
  std::string table;
  SchemaPtr physical;                   // what the reader gives
  SchemaPtr output;                     // physical and computed columns
  std::vector<ExpressionPtr> computed;  // each reads the columns before it
  std::optional<std::size_t> rowtime;  // column of `output`; absent: event times come with the rows
  std::optional<Millis> max_future_skew;
  /// A computed column that cannot be evaluated: kSkip gives NULL; otherwise the row is a bad
  /// record.
  RecordErrorPolicy evaluation_errors = RecordErrorPolicy::kFail;
  std::string time_zone = "UTC";
  std::uint64_t seed = 0;
};

/// Where rows come from, for messages about the bad ones.
struct RowOrigin {
  const std::string& split;
  std::uint64_t first_row;  // number of the batch's first row within the split, from 0
};

/// Turns what a reader gives into the rows of the stream: adds the computed columns, takes the
/// event times from the rowtime column, and rejects rows without a usable one. One thread.
class SourceRows {
 public:
  /// An error when an expression is wrong by itself. `clock` and `bad_records` outlive this.
  static Result<std::unique_ptr<SourceRows>> make(SourceRowsDescription description,
                                                  const Clock& clock, BadRecordPolicy& bad_records);

  /// nullptr when no row is left. `watermark` is the source's, for CURRENT_WATERMARK.
  BatchPtr prepare(const BatchPtr& rows, const RowOrigin& origin, EventTime watermark);

 private:
  SourceRows(SourceRowsDescription description, const Clock& clock, BadRecordPolicy& bad_records)
      : description_(std::move(description)), clock_(clock), bad_records_(bad_records) {}

  struct Rejection {
    RowIndex row;
    std::string reason;
  };

  BatchPtr add_computed(const BatchPtr& rows, EventTime watermark);
  BatchPtr add_event_times(const BatchPtr& rows);
  void check_event_times(const Batch& rows, const Column* rowtime);
  BatchPtr without_rejected(const BatchPtr& rows, const RowOrigin& origin);

  SourceRowsDescription description_;
  const Clock& clock_;
  BadRecordPolicy& bad_records_;
  std::vector<std::unique_ptr<Evaluator>> evaluators_;
  std::vector<SchemaPtr> schemas_;  // with 0, 1, ... computed columns
  EvaluationContext context_;
  std::vector<Rejection> rejections_;
};

}  // namespace tidemark
