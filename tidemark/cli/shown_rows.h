// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tidemark/cli/table_printer.h"
#include "tidemark/operator/connector.h"

namespace tidemark {

/// Draws a SELECT's result on `out` as a table, each batch as it comes. Provides the connector that
/// such a result goes to (sql/compile.h, kResultConnector). One query at a time; rows may come from
/// any thread. `out` and this object must outlive the job.
class ResultDisplay {
 public:
  explicit ResultDisplay(std::ostream& out) : out_(out) {}

  Connector connector();
  void print(const SchemaPtr& schema, const Batch* batch);
  /// Closes the table of the query that ended. Without a query it does nothing.
  void finish();

 private:
  std::ostream& out_;
  std::mutex mutex_;
  std::optional<TablePrinter> table_;
};

/// The first rows that a job's sinks were given, by table, for the end of a run. Thread-safe.
class FirstRows {
 public:
  explicit FirstRows(std::size_t rows_max) : rows_max_(rows_max) {}

  /// `schema` names the columns as the table does, not as the query.
  void add(const std::string& table, const SchemaPtr& schema, const BatchPtr& batch);
  /// Draws a table for each sink that got rows.
  void print(std::ostream& out) const;
  void clear();

 private:
  struct Kept {
    SchemaPtr schema;
    BatchPtr rows;
  };

  const std::size_t rows_max_;
  mutable std::mutex mutex_;
  std::map<std::string, Kept> first_;
};

/// A registry whose sinks, but for `print`, also keep their first rows. Both arguments must outlive
/// it.
ConnectorRegistry keep_first_rows(const ConnectorRegistry& connectors, FirstRows& rows);

}  // namespace tidemark
