// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/json_options.h"

#include <fmt/format.h>

namespace tidemark {

Result<JsonOptions> read_json_options(OptionReader& options) {
  JsonOptions json;
  TIDEMARK_ASSIGN_OR_RETURN(json.fail_on_missing_field,
                            options.boolean("json.fail-on-missing-field", false));
  TIDEMARK_ASSIGN_OR_RETURN(json.ignore_parse_errors,
                            options.boolean("json.ignore-parse-errors", false));
  if (json.fail_on_missing_field && json.ignore_parse_errors)
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("{}: options 'json.fail-on-missing-field' and "
                             "'json.ignore-parse-errors' exclude each other; set one of them",
                             options.owner())};
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::string standard,
      options.choice("json.timestamp-format.standard", {"SQL", "ISO-8601"}, "SQL"));
  json.standard = standard == "SQL" ? TimestampStandard::kSql : TimestampStandard::kIso8601;
  TIDEMARK_ASSIGN_OR_RETURN(json.plain_decimals,
                            options.boolean("json.encode.decimal-as-plain-number", false));
  TIDEMARK_ASSIGN_OR_RETURN(json.ignore_null_fields,
                            options.boolean("json.encode.ignore-null-fields", false));
  TIDEMARK_ASSIGN_OR_RETURN(const std::uint64_t bytes_max,
                            options.memory_size("json.max-record-bytes", json.record_bytes_max));
  if (bytes_max < 1 || bytes_max > (1u << 30))
    return options.wrong("json.max-record-bytes", "a size from 1 byte to 1 gb",
                         options.optional("json.max-record-bytes", ""));
  json.record_bytes_max = bytes_max;
  // About MAP columns and about Jackson, of which there are none: they change nothing.
  options.allow("json.map-null-key.mode");
  options.allow("json.map-null-key.literal");
  options.allow("json.decode.json-parser.enabled");
  return json;
}

}  // namespace tidemark
