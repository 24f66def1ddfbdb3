// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/schema.h"

namespace tidemark {

std::optional<std::size_t> Schema::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (fields[i].name == name) return i;
  return std::nullopt;
}

std::string to_string(const Schema& schema) {
  std::string text = "(";
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (i > 0) text += ", ";
    text += schema.fields[i].name + " " + to_string(schema.fields[i].type);
  }
  return text + ")";
}

}  // namespace tidemark
