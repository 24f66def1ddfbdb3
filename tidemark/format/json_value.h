// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tidemark/data/column.h"
#include "tidemark/format/text_value.h"

namespace tidemark {

/// Whether `token` is a number by JSON's grammar (RFC 8259, section 6): no leading zero, no '+'.
bool is_json_number(std::string_view token) noexcept;

/// The value of a JSON number that is whole, exactly: 7, 7.0, 7e2. kFraction for 7.5, kOutOfRange
/// beyond 64 bits. Requires is_json_number.
TextError parse_whole_number(std::string_view token, std::int64_t& value);

/// Appends a JSON number to a column of any type.
TextError append_json_number(TextReader& reader, const DataType& type, ColumnBuilder& column,
                             std::string_view token);

/// Appends JSON text without the white space between tokens. Requires valid JSON.
void append_minified(std::string& out, std::string_view json);

}  // namespace tidemark
