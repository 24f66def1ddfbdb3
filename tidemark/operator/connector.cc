// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/connector.h"

#include <fmt/format.h>

#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "'" : ", '") + name + "'";
  return list;
}

// Names that begin with two underscores are the engine's own.
std::vector<std::string> public_names(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) { return name.starts_with("__"); });
  return names;
}

}  // namespace

void ConnectorRegistry::add(Connector connector) {
  const std::string name = connector.name;
  const bool added = connectors_.emplace(name, std::move(connector)).second;
  TIDEMARK_CHECK(added, "a connector's name is taken once");
}

Result<SourcePtr> ConnectorRegistry::make_source(const TableOptions& table) const {
  TIDEMARK_ASSIGN_OR_RETURN(const Connector* connector, find(table));
  if (!connector->make_source)
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("table '{}': connector '{}' can be written to but not read from",
                             table.table, connector->name)};
  return connector->make_source(table);
}

Result<SinkPtr> ConnectorRegistry::make_sink(const TableOptions& table) const {
  TIDEMARK_ASSIGN_OR_RETURN(const Connector* connector, find(table));
  if (!connector->make_sink)
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("table '{}': connector '{}' can be read from but not written to",
                             table.table, connector->name)};
  return connector->make_sink(table);
}

std::vector<std::string> ConnectorRegistry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, connector] : connectors_) names.push_back(name);
  return names;
}

Result<const Connector*> ConnectorRegistry::find(const TableOptions& table) const {
  const auto option = table.options.find("connector");
  if (option == table.options.end())
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("table '{}': option 'connector' is missing; it is one of {}",
                             table.table, list_of(public_names(names())))};
  const auto found = connectors_.find(option->second);
  if (found != connectors_.end()) return &found->second;
  const std::string nearest = nearest_name(option->second, public_names(names()));
  return Error{ErrorCode::kInvalidOption,
               fmt::format("table '{}': there is no connector '{}'{}; it is one of {}", table.table,
                           option->second,
                           nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest),
                           list_of(public_names(names())))};
}

void allow_engine_source_options(OptionReader& options) {
  for (const char* name :
       {"scan.rows-per-second", "scan.parallelism", "scan.record-errors", "scan.dead-letter.path",
        "scan.max-future-skew", "scan.watermark.emit.strategy", "scan.watermark.idle-timeout"})
    options.allow(name);
}

}  // namespace tidemark
