// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/shown_rows.h"

#include <algorithm>

#include "tidemark/base/error.h"
#include "tidemark/sql/compile.h"

namespace tidemark {
namespace {

class ResultWriter final : public SinkWriter {
 public:
  ResultWriter(ResultDisplay& display, SchemaPtr schema)
      : display_(display), schema_(std::move(schema)) {}
  void write(const BatchPtr& batch) override { display_.print(schema_, batch.get()); }
  std::vector<std::string> prepare(CheckpointId) override { return {}; }

 private:
  ResultDisplay& display_;
  SchemaPtr schema_;
};

class ResultSink final : public Sink {
 public:
  ResultSink(ResultDisplay& display, SchemaPtr schema)
      : display_(display), schema_(std::move(schema)) {}
  std::unique_ptr<SinkWriter> open_writer(SinkContext&) const override {
    display_.print(schema_, nullptr);
    return std::make_unique<ResultWriter>(display_, schema_);
  }
  std::unique_ptr<Committer> open_committer(SinkContext&) const override { return nullptr; }
  bool takes_changes() const override { return true; }

 private:
  ResultDisplay& display_;
  SchemaPtr schema_;
};

class KeepingWriter final : public SinkWriter {
 public:
  KeepingWriter(std::unique_ptr<SinkWriter> writer, std::string table, SchemaPtr schema,
                FirstRows& rows)
      : writer_(std::move(writer)),
        table_(std::move(table)),
        schema_(std::move(schema)),
        rows_(rows) {}
  void write(const BatchPtr& batch) override {
    rows_.add(table_, schema_, batch);
    writer_->write(batch);
  }
  std::vector<std::string> prepare(CheckpointId checkpoint) override {
    return writer_->prepare(checkpoint);
  }
  std::string state() const override { return writer_->state(); }
  void restore_state(std::span<const std::string> states) override {
    writer_->restore_state(states);
  }

 private:
  std::unique_ptr<SinkWriter> writer_;
  std::string table_;
  SchemaPtr schema_;
  FirstRows& rows_;
};

class KeepingSink final : public Sink {
 public:
  KeepingSink(SinkPtr sink, SchemaPtr schema, FirstRows& rows)
      : sink_(std::move(sink)), schema_(std::move(schema)), rows_(rows) {}
  std::unique_ptr<SinkWriter> open_writer(SinkContext& context) const override {
    return std::make_unique<KeepingWriter>(sink_->open_writer(context), context.table, schema_,
                                           rows_);
  }
  std::unique_ptr<Committer> open_committer(SinkContext& context) const override {
    return sink_->open_committer(context);
  }
  bool takes_changes() const override { return sink_->takes_changes(); }

 private:
  SinkPtr sink_;
  SchemaPtr schema_;
  FirstRows& rows_;
};

}  // namespace

Connector ResultDisplay::connector() {
  Connector connector;
  connector.name = std::string(sql::kResultConnector);
  connector.make_sink = [this](const TableOptions& table) -> Result<SinkPtr> {
    return SinkPtr(std::make_shared<ResultSink>(*this, table.schema));
  };
  return connector;
}

void ResultDisplay::print(const SchemaPtr& schema, const Batch* batch) {
  const std::lock_guard lock(mutex_);
  if (!table_) table_.emplace(out_, schema);
  if (batch) table_->print(*batch);
  if (!out_)
    throw Failure(ErrorCode::kIo, "cannot write to the standard output", /*retryable=*/false);
}

void ResultDisplay::finish() {
  const std::lock_guard lock(mutex_);
  if (table_) table_->finish();
  table_.reset();
}

void FirstRows::add(const std::string& table, const SchemaPtr& schema, const BatchPtr& batch) {
  const std::lock_guard lock(mutex_);
  Kept& kept = first_[table];
  kept.schema = schema;
  BatchPtr& first = kept.rows;
  const std::size_t have = first ? first->rows() : 0;
  if (have >= rows_max_) return;
  const BatchPtr more = slice(batch, 0, std::min(batch->rows(), rows_max_ - have));
  const BatchPtr both[] = {first, more};
  first = first ? concatenate(both) : more;
}

void FirstRows::print(std::ostream& out) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [table, kept] : first_) {
    out << "\nFirst rows of " << table << ":\n";
    TablePrinter printer(out, kept.schema);
    printer.print(*kept.rows);
    printer.finish();
  }
}

void FirstRows::clear() {
  const std::lock_guard lock(mutex_);
  first_.clear();
}

ConnectorRegistry keep_first_rows(const ConnectorRegistry& connectors, FirstRows& rows) {
  ConnectorRegistry keeping;
  for (const std::string& name : connectors.names()) {
    Connector connector;
    connector.name = name;
    connector.make_source = [&connectors](const TableOptions& table) {
      return connectors.make_source(table);
    };
    connector.make_sink = [&connectors, &rows](const TableOptions& table) -> Result<SinkPtr> {
      TIDEMARK_ASSIGN_OR_RETURN(SinkPtr sink, connectors.make_sink(table));
      if (table.options.at("connector") == "print") return sink;  // its rows are shown already
      return SinkPtr(std::make_shared<KeepingSink>(std::move(sink), table.schema, rows));
    };
    keeping.add(std::move(connector));
  }
  return keeping;
}

}  // namespace tidemark
