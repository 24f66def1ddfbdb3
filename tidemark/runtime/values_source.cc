// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/values_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidemark/base/random.h"
#include "tidemark/data/value.h"
#include "tidemark/expr/evaluator.h"
#include "tidemark/expr/proto.h"
#include "tidemark/operator/batch_source.h"

namespace tidemark {
namespace {

using Rows = std::vector<std::vector<ExpressionPtr>>;

Result<Value> evaluate(const ExpressionPtr& expression, EvaluationContext& context) {
  if (!is_constant(*expression))
    return Error{ErrorCode::kInvalidSql, "VALUES: expected a constant, but it reads a column"};
  TIDEMARK_ASSIGN_OR_RETURN(const auto evaluator, make_evaluator(expression));
  const Batch one_row(make_schema({}), 1, {});
  const ColumnPtr column = evaluator->evaluate(one_row, context);
  if (!context.errors.empty()) return Error{ErrorCode::kEvaluation, context.errors.front().message};
  // RAND() and UUID() differ from one value to the next.
  context.random_seed = Random(context.random_seed).next();
  return value_at(*column, 0);
}

Result<BatchPtr> evaluate_rows(const Rows& rows, const SchemaPtr& schema,
                               EvaluationContext context) {
  std::vector<ColumnBuilder> builders;
  for (const Field& field : schema->fields) builders.emplace_back(field.type);
  for (const std::vector<ExpressionPtr>& row : rows)
    for (std::size_t i = 0; i < builders.size(); ++i) {
      TIDEMARK_ASSIGN_OR_RETURN(const Value value, evaluate(row[i], context));
      append_value(builders[i], value);
    }
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& builder : builders) columns.push_back(builder.finish());
  return BatchPtr(std::make_shared<const Batch>(schema, rows.size(), std::move(columns)));
}

bool all_deterministic(const Rows& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const std::vector<ExpressionPtr>& row) {
    return std::all_of(row.begin(), row.end(),
                       [](const ExpressionPtr& value) { return is_deterministic(*value); });
  });
}

// Rows that read the clock or draw random numbers, when the source is opened.
class LiveValuesSource final : public Source {
 public:
  LiveValuesSource(Rows rows, SchemaPtr schema, std::string time_zone)
      : rows_(std::move(rows)), schema_(std::move(schema)), time_zone_(std::move(time_zone)) {}

  SchemaPtr schema() const override { return schema_; }
  bool bounded() const override { return true; }
  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override {
    return {{.id = "values", .payload = ""}};
  }
  std::unique_ptr<SplitReader> open(SourceContext& context, const Split& split,
                                    const std::optional<std::string>& position) const override {
    auto rows = evaluate_rows(
        rows_, schema_,
        {.clock = context.clock,
         .time_zone = time_zone_,
         // Another in each run.
         .random_seed = context.seed ^ static_cast<std::uint64_t>(context.clock->monotonic_ns()),
         .errors = {}});
    if (!rows.ok()) throw Failure(rows.error());
    return make_batch_source(std::move(*rows))->open(context, split, position);
  }

 private:
  Rows rows_;
  SchemaPtr schema_;
  std::string time_zone_;
};

}  // namespace

Result<SourcePtr> make_values_source(const proto::ValuesSpec& spec, SchemaPtr schema,
                                     const std::string& time_zone) {
  const std::size_t width = schema->fields.size();
  Rows rows;
  for (const proto::ValuesRow& row : spec.rows()) {
    if (static_cast<std::size_t>(row.columns_size()) != width)
      return Error{ErrorCode::kInvalidSql,
                   fmt::format("VALUES: a row has {} columns, but {} are wanted",
                               row.columns_size(), width)};
    std::vector<ExpressionPtr>& values = rows.emplace_back();
    for (const proto::Expression& column : row.columns()) {
      TIDEMARK_ASSIGN_OR_RETURN(ExpressionPtr value, from_proto(column));
      values.push_back(std::move(value));
    }
  }
  if (!all_deterministic(rows))
    return SourcePtr(
        std::make_shared<LiveValuesSource>(std::move(rows), std::move(schema), time_zone));
  TIDEMARK_ASSIGN_OR_RETURN(BatchPtr batch,
                            evaluate_rows(rows, schema, {.time_zone = time_zone, .errors = {}}));
  return make_batch_source(std::move(batch));
}

}  // namespace tidemark
