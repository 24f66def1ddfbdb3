// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/test_connectors.h"

#include <fmt/format.h>

namespace tidemark::sql {
namespace {

class UnreadSource final : public Source {
 public:
  explicit UnreadSource(SchemaPtr schema) : schema_(std::move(schema)) {}

  SchemaPtr schema() const override { return schema_; }
  bool bounded() const override { return true; }
  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override { return {}; }
  std::unique_ptr<SplitReader> open(SourceContext&, const Split&,
                                    const std::optional<std::string>&) const override {
    return nullptr;
  }

 private:
  SchemaPtr schema_;
};

class UnwrittenSink final : public Sink {
 public:
  explicit UnwrittenSink(bool takes_changes) : takes_changes_(takes_changes) {}
  std::unique_ptr<SinkWriter> open_writer(SinkContext&) const override { return nullptr; }
  std::unique_ptr<Committer> open_committer(SinkContext&) const override { return nullptr; }
  bool takes_changes() const override { return takes_changes_; }

 private:
  bool takes_changes_;
};

Status check_options(const TableOptions& table, bool needs_path) {
  OptionReader options(fmt::format("table '{}'", table.table), table.options);
  TIDEMARK_TRY(options.required("connector"));
  if (needs_path) {
    TIDEMARK_TRY(options.required("path"));
    TIDEMARK_TRY(options.choice("format", {"csv", "json"}, "csv"));
  }
  options.allow_prefix("scan.");
  options.allow("sink.parallelism");
  return options.finish();
}

std::function<Result<SourcePtr>(const TableOptions&)> source(bool needs_path) {
  return [needs_path](const TableOptions& table) -> Result<SourcePtr> {
    TIDEMARK_TRY(check_options(table, needs_path));
    return SourcePtr(std::make_shared<UnreadSource>(table.schema));
  };
}

std::function<Result<SinkPtr>(const TableOptions&)> sink(bool needs_path) {
  return [needs_path](const TableOptions& table) -> Result<SinkPtr> {
    TIDEMARK_TRY(check_options(table, needs_path));
    return SinkPtr(std::make_shared<UnwrittenSink>(/*takes_changes=*/!needs_path));
  };
}

}  // namespace

ConnectorRegistry test_connectors() {
  ConnectorRegistry registry;
  registry.add({"filesystem", source(true), sink(true)});
  registry.add({"datagen", source(false), nullptr});
  registry.add({"print", nullptr, sink(false)});
  return registry;
}

}  // namespace tidemark::sql
