// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tidemark {

/// Whether bytes are well-formed UTF-8: vectorised, for whole blocks of input (expr/utf8.h has the
/// rest of what is done with UTF-8).
bool is_valid_utf8(std::string_view bytes) noexcept;

}  // namespace tidemark
