// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidemark/data/column.h"
#include "tidemark/data/schema.h"
#include "tidemark/expr/time_zone.h"
#include "tidemark/format/json_options.h"
#include "tidemark/format/text_value.h"

namespace tidemark {

/// Turns JSON scalars into the columns of a schema. Tokens must be readable for 64 bytes past their
/// end.
class JsonColumns {
 public:
  static constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);

  JsonColumns(const Schema& schema, const JsonOptions& options, const TimeZone& zone);

  std::size_t size() const noexcept { return readers_.size(); }
  const Field& field(std::size_t column) const noexcept { return readers_[column].field; }
  /// The column of a key, or kNoColumn. `expected` is tried first: keys mostly come in order.
  std::size_t find(std::string_view key, std::size_t expected) const;

  // Each appends one value, or nothing when the column cannot hold it.
  TextError append_string(std::size_t column, std::string_view text, ColumnBuilder& builder);
  TextError append_number(std::size_t column, std::string_view token, ColumnBuilder& builder);
  TextError append_boolean(std::size_t column, bool value, ColumnBuilder& builder);

  /// Whether a key that is not there is NULL.
  bool may_be_missing(std::size_t column) const noexcept {
    return !fail_on_missing_ && readers_[column].field.type.nullable;
  }

 private:
  struct Reader {
    Field field;
    TextReader text;
  };

  bool fail_on_missing_;
  std::vector<Reader> readers_;
  std::unordered_map<std::string_view, std::size_t> by_name_;  // keys are the fields' names
};

}  // namespace tidemark
