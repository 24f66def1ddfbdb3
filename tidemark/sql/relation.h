// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/expr/aggregate.h"
#include "tidemark/expr/expression.h"
#include "tidemark/sql/catalog.h"

namespace tidemark::sql {

/// What a column means for event time, beyond its value.
enum class ColumnRole : std::uint8_t {
  kPlain,
  kRowtime,      // equals the row's event time: TUMBLE may group by it
  kEventTime,    // equals it too, but was used up by a TUMBLE
  kWindowStart,  // of the window that the row is in
  kWindowEnd,
  kWindowTime,     // the window's last millisecond, but not yet the row's event time
  kWindowRowtime,  // both: of the result of a window aggregation
};

inline bool is_rowtime(ColumnRole role) {
  return role == ColumnRole::kRowtime || role == ColumnRole::kWindowRowtime;
}
inline bool is_window_column(ColumnRole role) {
  return role >= ColumnRole::kWindowStart;
}

struct RelationColumn {
  std::string name;
  DataType type;
  ColumnRole role = ColumnRole::kPlain;
  /// Flink's type of the value where ours is wider (SUM of integers): what INSERT may store it in.
  std::optional<DataType> flink_type = {};
};

/// The windows that a relation's rows are in.
struct WindowSpec {
  enum class Kind : std::uint8_t { kSliding, kCumulating, kSession };
  Kind kind = Kind::kSliding;
  Millis size = 0;
  Millis slide = 0;  // of cumulating windows the step; equal to size where windows tumble
  Millis offset = 0;
  Millis gap = 0;      // of sessions
  DataType time_type;  // of the time attribute: TIMESTAMP or TIMESTAMP_LTZ

  /// Each row is in one window, which follows from its time alone.
  bool tumbles() const { return kind == Kind::kSliding && slide == size; }
};

struct Relation;
/// Immutable; shared by every query that reads the same view or table.
using RelationPtr = std::shared_ptr<const Relation>;

/// A bound relational expression: what a query means, before it is laid out as operators.
struct Relation {
  enum class Kind : std::uint8_t {
    kScan,       // `table`: its physical, then its computed columns
    kProject,    // `expressions` over the input, one a column
    kFilter,     // rows of the input where `expressions[0]` is TRUE
    kWindow,     // rows of the input with window_start, _end, _time: once for each of their windows
    kAggregate,  // a group per window and key: `keys`, aggregates, window_start, _end, _time
    kUnion,      // all rows of all inputs, which have equal types
    kValues,     // `rows`
  };

  Kind kind = Kind::kProject;
  std::vector<RelationColumn> columns;
  std::optional<WindowSpec> window;
  std::vector<RelationPtr> inputs;

  std::shared_ptr<const Table> table;
  std::vector<ExpressionPtr> expressions;  // kAggregate: what its keys and calls index
  std::vector<std::string> expression_names;
  std::vector<std::size_t> keys;
  /// GROUPING SETS, each the places of its keys in `keys`. Without any, every key counts. With them
  /// the number of a group's set is a column behind the keys.
  std::vector<std::vector<std::size_t>> grouping_sets;
  std::size_t time_column = 0;
  bool own_window = false;  // kAggregate: GROUP BY TUMBLE(ts, size), not window_start, window_end
  bool makes_windows = false;          // kProject: of a TUMBLE, whose windows are expressions
  std::vector<std::size_t> partition;  // kWindow: PARTITION BY of sessions
  Span span;                           // of a window's call or GROUP BY, for errors of planning
  std::vector<AggregateCall> calls;
  std::vector<std::vector<ExpressionPtr>> rows;
  std::size_t depth = 1;  // of the tree of relations below, this one included
  std::string owner;      // the view or target that a stateful relation belongs to, and its number
  std::size_t number = 0;
};

inline std::vector<Field> fields_of(const Relation& relation) {
  std::vector<Field> fields;
  for (const RelationColumn& column : relation.columns)
    fields.push_back({column.name, column.type});
  return fields;
}

/// Sets `depth` once the inputs are known.
inline void set_depth(Relation& relation) {
  for (const RelationPtr& input : relation.inputs)
    relation.depth = std::max(relation.depth, input->depth + 1);
}

}  // namespace tidemark::sql
