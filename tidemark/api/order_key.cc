// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/order_key.h"

namespace tidemark::api_detail {

std::string take_escaped(std::string_view& in) {
  std::string text;
  for (;;) {
    const char c = in.at(0);
    const char next = c == '\0' ? in.at(1) : c;
    in.remove_prefix(c == '\0' ? 2 : 1);
    if (c == '\0' && next == '\0') return text;
    text.push_back(c);
  }
}

}  // namespace tidemark::api_detail
