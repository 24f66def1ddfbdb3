// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tidemark/base/options.h"
#include "tidemark/base/result.h"
#include "tidemark/operator/sink.h"
#include "tidemark/operator/source.h"

namespace tidemark {

/// What a table says about itself, as CREATE TABLE gave it.
struct TableOptions {
  std::string table;
  SchemaPtr schema;  // the physical columns
  OptionMap options;
  std::vector<std::size_t> primary_key;
  std::string time_zone = "UTC";
};

/// A connector: makes a source, a sink, or both from a table. Errors name the table, the option,
/// what it takes and what it got, and are found before the job starts.
struct Connector {
  std::string name;                                                   // 'connector' = name
  std::function<Result<SourcePtr>(const TableOptions&)> make_source;  // empty: not a source
  std::function<Result<SinkPtr>(const TableOptions&)> make_sink;      // empty: not a sink
};

/// The connectors a process knows, by name. Filled once at start, then read by any thread.
class ConnectorRegistry {
 public:
  void add(Connector connector);
  Result<SourcePtr> make_source(const TableOptions& table) const;
  Result<SinkPtr> make_sink(const TableOptions& table) const;
  std::vector<std::string> names() const;

 private:
  Result<const Connector*> find(const TableOptions& table) const;

  std::map<std::string, Connector, std::less<>> connectors_;
};

/// Options that every source takes, and that the runtime reads itself: they are no error for any
/// connector. scan.rows-per-second, scan.watermark.*, scan.parallelism, scan.record-errors, ...
void allow_engine_source_options(OptionReader& options);

}  // namespace tidemark
