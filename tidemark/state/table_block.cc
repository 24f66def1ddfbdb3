// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/table_block.h"

#include "tidemark/base/check.h"

namespace tidemark {

StateDescriptor describe_table(const TableDescriptor& table) {
  return {.name = table.name,
          .keyed = true,
          .schema = std::string(to_string(table.key_encoding)) + ": " + table.schema,
          .version = kTableFormatVersion};
}

bool is_table(const StateDescriptor& state) {
  if (!state.keyed || state.version != kTableFormatVersion) return false;
  for (const KeyEncoding encoding :
       {KeyEncoding::kFixed8, KeyEncoding::kFixed16, KeyEncoding::kVariable})
    if (state.schema.starts_with(std::string(to_string(encoding)) + ": ")) return true;
  return false;
}

std::uint32_t value_width_in_blocks(const ValueOperations& operations) {
  return operations.is_plain() ? static_cast<std::uint32_t>(operations.width()) : kSizedValues;
}

std::uint32_t table_block_entries(std::string_view block) {
  // The header does not depend on how keys are encoded.
  return TableBlockReader(KeyEncoding::kVariable, block).header().entries;
}

TableBlockReader::TableBlockReader(KeyEncoding encoding, std::string_view block)
    : encoding_(encoding), in_(block) {
  header_.ns = in_.get<StateNamespace>();
  header_.entries = left_ = in_.get<std::uint32_t>();
  header_.value_width = in_.get<std::uint32_t>();
}

std::string_view TableBlockReader::next(KeyedEntry& key) {
  TIDEMARK_CHECK(left_ > 0, "a block is read to its end");
  --left_;
  switch (encoding_) {
    case KeyEncoding::kFixed8: key.fixed_key = in_.get<std::uint64_t>(); break;
    case KeyEncoding::kFixed16: key.variable_key = in_.get_raw(16); break;
    case KeyEncoding::kVariable: key.variable_key = in_.get_string(); break;
  }
  return header_.value_width == kSizedValues ? in_.get_string() : in_.get_raw(header_.value_width);
}

}  // namespace tidemark
