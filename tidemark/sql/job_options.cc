// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "tidemark/expr/time_zone.h"
#include "tidemark/sql/describe.h"
#include "tidemark/state/key_group.h"

namespace tidemark::sql {

Status check_option(std::string_view name, std::string_view value) {
  const OptionMap options = {{std::string(name), std::string(value)}};
  OptionReader reader("SET", options);
  if (name == "table.exec.source.idle-timeout") {
    TIDEMARK_TRY(reader.duration(name, 0));
  } else if (name == "table.exec.emit.allow-lateness" ||
             name == "table.exec.emit.early-fire.delay" ||
             name == "table.exec.emit.late-fire.delay") {
    TIDEMARK_TRY(reader.duration(name, 0));
  } else if (name == "table.exec.emit.early-fire.enabled" ||
             name == "table.exec.emit.late-fire.enabled") {
    TIDEMARK_TRY(reader.boolean(name, false));
  } else if (name == "pipeline.max-parallelism" || name == "parallelism.default") {
    TIDEMARK_TRY(reader.integer(name, 1, 1, kMaxMaxParallelism));
  } else if (name == "table.local-time-zone") {
    TIDEMARK_TRY(TimeZone::find(value));
  }
  return {};
}

}  // namespace tidemark::sql
