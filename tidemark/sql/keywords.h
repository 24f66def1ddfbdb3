// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tidemark::sql {

/// ASCII letters in upper case, all other bytes as they are.
std::string to_upper(std::string_view text);

/// Whether Flink's parser takes `upper` (a word in upper case) for a keyword that cannot be a name
/// without backquotes.
bool is_reserved(std::string_view upper);

/// Whether `upper` begins or joins clauses, and so never names a function before a parenthesis.
bool is_clause_keyword(std::string_view upper);

}  // namespace tidemark::sql
