// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace tidemark {

/// Whether bytes are well-formed UTF-8. Vectorised.
bool is_utf8(std::string_view bytes) noexcept;

}  // namespace tidemark
