// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tidemark/base/options.h"
#include "tidemark/base/result.h"
#include "tidemark/format/text_value.h"

namespace tidemark {

/// The 'json.*' options, checked. docs/connectors.md says what each means.
struct JsonOptions {
  bool fail_on_missing_field = false;
  bool ignore_parse_errors = false;
  bool plain_decimals = false;
  bool ignore_null_fields = false;
  TimestampStandard standard = TimestampStandard::kSql;
  std::size_t record_bytes_max = 1 << 20;
};

Result<JsonOptions> read_json_options(OptionReader& options);

}  // namespace tidemark
