// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/utf8.h"

#include <simdjson.h>

namespace tidemark {

bool is_valid_utf8(std::string_view bytes) noexcept {
  return simdjson::validate_utf8(bytes.data(), bytes.size());
}

}  // namespace tidemark
