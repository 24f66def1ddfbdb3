// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/values_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidemark/base/bytes.h"
#include "tidemark/data/value.h"
#include "tidemark/expr/evaluator.h"
#include "tidemark/expr/proto.h"

namespace tidemark {
namespace {

class ValuesReader final : public SplitReader {
 public:
  ValuesReader(BatchPtr rows, std::uint64_t next) : rows_(std::move(rows)), next_(next) {}

  ReadResult read(std::size_t rows_max) override {
    ReadResult result;
    const std::size_t count = std::min<std::size_t>(rows_max, rows_->rows() - next_);
    if (count > 0) result.batch = slice(rows_, next_, count);
    next_ += count;
    result.state = next_ == rows_->rows() ? ReadResult::State::kFinished : ReadResult::State::kMore;
    return result;
  }

  std::string position() const override {
    ByteWriter out;
    out.put(next_);
    return out.take();
  }

 private:
  BatchPtr rows_;
  std::uint64_t next_;
};

class ValuesSource final : public Source {
 public:
  explicit ValuesSource(BatchPtr rows) : rows_(std::move(rows)) {}

  SchemaPtr schema() const override { return rows_->schema_ptr(); }
  bool bounded() const override { return true; }
  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override {
    return {{.id = "values", .payload = ""}};
  }
  std::unique_ptr<SplitReader> open(SourceContext&, const Split&,
                                    const std::optional<std::string>& position) const override {
    const std::uint64_t next = position ? ByteReader(*position).get<std::uint64_t>() : 0;
    return std::make_unique<ValuesReader>(rows_, std::min<std::uint64_t>(next, rows_->rows()));
  }

 private:
  BatchPtr rows_;
};

}  // namespace

Result<SourcePtr> make_values_source(const proto::ValuesSpec& spec, SchemaPtr schema,
                                     const std::string& time_zone) {
  std::vector<ColumnBuilder> builders;
  for (const Field& field : schema->fields) builders.emplace_back(field.type);
  for (const proto::ValuesRow& row : spec.rows()) {
    if (static_cast<std::size_t>(row.columns_size()) != builders.size())
      return Error{ErrorCode::kInvalidSql,
                   fmt::format("VALUES: a row has {} columns, but {} are wanted",
                               row.columns_size(), builders.size())};
    for (std::size_t i = 0; i < builders.size(); ++i) {
      TIDEMARK_ASSIGN_OR_RETURN(const ExpressionPtr expression,
                                from_proto(row.columns(static_cast<int>(i))));
      TIDEMARK_ASSIGN_OR_RETURN(const Value value, evaluate_constant(expression, time_zone));
      append_value(builders[i], value);
    }
  }
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& builder : builders) columns.push_back(builder.finish());
  return SourcePtr(std::make_shared<ValuesSource>(std::make_shared<const Batch>(
      std::move(schema), static_cast<std::size_t>(spec.rows_size()), std::move(columns))));
}

}  // namespace tidemark
