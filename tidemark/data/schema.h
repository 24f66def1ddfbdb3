// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/data/type.h"

namespace tidemark {

struct Field {
  std::string name;
  DataType type;

  friend bool operator==(const Field&, const Field&) = default;
};

/// The names and types of a batch's columns. Names are case-sensitive, as in Flink.
struct Schema {
  std::vector<Field> fields;

  std::size_t size() const noexcept { return fields.size(); }
  std::optional<std::size_t> index_of(std::string_view name) const;

  friend bool operator==(const Schema&, const Schema&) = default;
};

/// Immutable and shared by every batch of a stream.
using SchemaPtr = std::shared_ptr<const Schema>;

inline SchemaPtr make_schema(std::vector<Field> fields) {
  return std::make_shared<const Schema>(Schema{std::move(fields)});
}

/// "(origin STRING, delay INT)".
std::string to_string(const Schema& schema);

}  // namespace tidemark
