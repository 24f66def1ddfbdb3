// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/memory_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tidemark/base/random.h"
#include "tidemark/data/column.h"

namespace tidemark::simulation {
namespace {

std::uint64_t parse_number(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

class MemoryReader final : public SplitReader {
 public:
  MemoryReader(const Scenario& scenario, SchemaPtr schema, SourceContext& context, Split split,
               std::size_t at)
      : scenario_(scenario),
        schema_(std::move(schema)),
        context_(context),
        split_(std::move(split)),
        rows_(scenario.splits.at(parse_number(split_.payload))),
        at_(at),
        random_(context.seed ^ at) {}

  ReadResult read(std::size_t rows_max) override {
    context_.files->exists("/");
    ReadResult result;
    if (scenario_.pause_one_in != 0 && random_.one_in(scenario_.pause_one_in)) {
      result.state = ReadResult::State::kWait;
      result.retry_at = context_.clock->now() + 1 + static_cast<Millis>(random_.below(40));
      return result;
    }
    const std::size_t count =
        std::min<std::size_t>(1 + random_.below(rows_max), rows_.size() - at_);
    result.batch = take(count);
    if (at_ == rows_.size()) result.state = ReadResult::State::kFinished;
    return result;
  }

  std::string position() const override { return fmt::to_string(at_); }

 private:
  BatchPtr take(std::size_t count) {
    std::vector<ColumnBuilder> columns;
    for (const Field& field : schema_->fields) columns.emplace_back(field.type);
    for (; count > 0; --count, ++at_) {
      const InputRow& row = rows_[at_];
      if (!row.at && at_ % 2 == 0) {
        context_.bad_records->reject({context_.table, split_.id, at_, row.key, "it has no time"});
        continue;
      }
      if (scenario_.numeric_keys)
        columns[0].append(static_cast<std::int64_t>(parse_number(row.key)));
      else
        columns[0].append_string(row.key);
      columns[1].append(row.value);
      if (row.at)
        columns[2].append(*row.at);
      else
        columns[2].append_null();
    }
    const std::size_t rows = columns[0].size();
    if (rows == 0) return nullptr;
    std::vector<ColumnPtr> finished;
    for (ColumnBuilder& column : columns) finished.push_back(column.finish());
    return std::make_shared<Batch>(schema_, rows, std::move(finished));
  }

  const Scenario& scenario_;
  SchemaPtr schema_;
  SourceContext& context_;
  Split split_;
  const SplitRows& rows_;
  std::size_t at_;
  Random random_;
};

class MemorySource final : public Source {
 public:
  MemorySource(std::shared_ptr<const Scenario> scenario, SchemaPtr schema)
      : scenario_(std::move(scenario)), schema_(std::move(schema)) {}

  SchemaPtr schema() const override { return schema_; }
  bool bounded() const override { return true; }
  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override {
    std::vector<Split> splits;
    for (std::size_t i = 0; i < scenario_->splits.size(); ++i)
      splits.push_back({fmt::format("split-{}", i), fmt::to_string(i)});
    return splits;
  }
  std::unique_ptr<SplitReader> open(SourceContext& context, const Split& split,
                                    const std::optional<std::string>& position) const override {
    const std::size_t at = position ? parse_number(*position) : 0;
    return std::make_unique<MemoryReader>(*scenario_, schema_, context, split, at);
  }

 private:
  std::shared_ptr<const Scenario> scenario_;
  SchemaPtr schema_;
};

}  // namespace

Connector make_memory_connector(std::shared_ptr<const Scenario> scenario) {
  Connector connector;
  connector.name = "memory";
  connector.make_source = [scenario](const TableOptions& table) -> Result<SourcePtr> {
    return SourcePtr(std::make_shared<MemorySource>(scenario, table.schema));
  };
  return connector;
}

}  // namespace tidemark::simulation
