// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/state_handle.h"

#include <array>
#include <charconv>

#include "tidemark/base/error.h"

namespace tidemark {
namespace api_detail {

std::string real_text(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

}  // namespace api_detail

TableDescriptor KeyedStateHandle::describe_as(const api_detail::StateEnvironment& environment,
                                              std::shared_ptr<const ValueOperations> values,
                                              const std::string& value_type) const {
  return {.name = name_,
          .key_encoding = environment.key_encoding,
          .values = std::move(values),
          .schema = environment.key_schema + " -> " + value_type,
          .ttl = ttl_};
}

void KeyedStateHandle::fail_unlisted() const {
  throw Failure(ErrorCode::kInvalidOption,
                "state '" + name_ +
                    "' is used but not listed: return it from states(), as in "
                    "`auto states() { return std::tie(" +
                    name_ + "); }`",
                /*retryable=*/false);
}

}  // namespace tidemark
