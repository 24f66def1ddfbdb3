// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tidemark/base/options.h"
#include "tidemark/base/result.h"

namespace tidemark {

/// The 'csv.*' options, checked. docs/connectors.md says what each means.
struct CsvOptions {
  char delimiter = ',';
  std::optional<char> quote = '"';
  std::optional<char> escape;
  std::optional<std::string> null_literal;
  bool allow_comments = false;
  bool ignore_parse_errors = false;
  bool ignore_first_line = false;
  bool plain_decimals = false;
  std::size_t record_bytes_max = 1 << 20;
};

Result<CsvOptions> read_csv_options(OptionReader& options);

}  // namespace tidemark
