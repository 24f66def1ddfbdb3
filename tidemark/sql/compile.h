// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/graph/job_graph.h"
#include "tidemark/operator/connector.h"

namespace tidemark::sql {

/// What one statement of a file asks for, in the order of the file. SET and CREATE have already
/// had their effect on what follows.
struct CompiledStatement {
  enum class Kind : std::uint8_t {
    kInsert,   // run `graph` (one INSERT, or all of a STATEMENT SET)
    kSelect,   // run `graph`, whose sink is the table `kResultTable`, and show it
    kExplain,  // show `text`
    kShow,     // show `text` (SHOW TABLES, DESCRIBE)
  };
  Kind kind;
  std::string name;  // of the job: "insert-into_hourly_delays", or pipeline.name
  proto::JobGraph graph;
  std::string text;
};

/// The connector of a SELECT's result: the caller registers a sink under this name.
inline constexpr std::string_view kResultTable = "result";
inline constexpr std::string_view kResultConnector = "__result";

/// Parses, binds and plans a file of Flink SQL. `file` is the name for messages. The error's
/// message is complete: file:line:column, the line with a caret, what was expected, the nearest
/// name.
Result<std::vector<CompiledStatement>> compile(std::string_view text, std::string_view file,
                                               const ConnectorRegistry& connectors);

}  // namespace tidemark::sql
