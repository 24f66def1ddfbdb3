// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tidemark {

/// Appends RFC 4648 base 64 with padding.
void append_base64(std::string& out, std::string_view bytes);
/// Appends the decoded bytes, or returns false for text that is no base 64; padding may be missing.
/// `out` is unspecified then.
bool decode_base64(std::string_view text, std::string& out);

}  // namespace tidemark
