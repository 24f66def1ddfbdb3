// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/table_block.h"

#include "tidemark/base/check.h"
#include "tidemark/base/error.h"

namespace tidemark {
namespace {

bool is_table_version(std::uint32_t version) {
  return version >= kTableFormatVersion && version <= kTableFormatEventTime;
}

}  // namespace

StateDescriptor describe_table(const TableDescriptor& table) {
  return {.name = table.name,
          .keyed = true,
          .schema = std::string(to_string(table.key_encoding)) + ": " + table.schema,
          .version = table_version_of(table.ttl)};
}

bool is_table(const StateDescriptor& state) {
  if (!state.keyed || !is_table_version(state.version)) return false;
  for (const KeyEncoding encoding :
       {KeyEncoding::kFixed8, KeyEncoding::kFixed16, KeyEncoding::kVariable})
    if (state.schema.starts_with(std::string(to_string(encoding)) + ": ")) return true;
  return false;
}

TableRestore::TableRestore(const StateDescriptor& stored, const TableDescriptor& table)
    : version_(stored.version), ttl_(table.ttl) {
  const StateDescriptor wanted = describe_table(table);
  const auto refuse = [&](const std::string& why) {
    throw Failure(ErrorCode::kCheckpointMismatch,
                  "state '" + wanted.name + "': " + why +
                      "; restore with the job that wrote it, or start with --fresh",
                  /*retryable=*/false);
  };
  if (!stored.keyed) refuse("the checkpoint holds operator state, but the job needs keyed state");
  if (!is_table_version(stored.version))
    refuse("the checkpoint holds format version " + std::to_string(stored.version) +
           ", but this program knows versions " + std::to_string(kTableFormatVersion) + " to " +
           std::to_string(kTableFormatEventTime));
  auto conversion = conversion_between(stored.schema, wanted.schema);
  if (!conversion.ok()) refuse(conversion.error().message);
  conversion_ = std::move(*conversion);
  value_width_ = value_width_in_blocks(*table.values, has_stamps(version_));
  if (!conversion_) return;
  const std::optional<std::size_t> plain = plain_entry_bytes(conversion_->from);
  value_width_ = plain
                     ? static_cast<std::uint32_t>(*plain + (has_stamps(version_) ? kStampBytes : 0))
                     : kSizedValues;
}

std::int64_t TableRestore::take_stamp(std::string_view& value, const StateTime& time) const {
  std::int64_t stamp = kMinTime;
  if (has_stamps(version_)) {
    stamp = ByteReader(value).get<std::int64_t>();
    value.remove_prefix(kStampBytes);
  }
  return version_ == table_version_of(ttl_) ? stamp : time.of(ttl_.clock);
}

std::string_view TableRestore::convert(std::string_view value, std::string& scratch) const {
  if (!conversion_) return value;
  return scratch = convert_value(conversion_->from, conversion_->to, value);
}

std::uint32_t value_width_in_blocks(const ValueOperations& operations, bool stamped) {
  if (!operations.is_plain()) return kSizedValues;
  return static_cast<std::uint32_t>(operations.width() + (stamped ? kStampBytes : 0));
}

KeyedEntry read_key(ByteReader& in, KeyEncoding encoding) {
  KeyedEntry entry;
  switch (encoding) {
    case KeyEncoding::kFixed8: entry.fixed_key = in.get<std::uint64_t>(); break;
    case KeyEncoding::kFixed16: entry.variable_key = in.get_raw(16); break;
    case KeyEncoding::kVariable: entry.variable_key = in.get_string(); break;
  }
  return entry;
}

void write_key(const KeyedEntry& entry, KeyEncoding encoding, ByteWriter& out) {
  switch (encoding) {
    case KeyEncoding::kFixed8: out.put(entry.fixed_key); break;
    case KeyEncoding::kFixed16: out.put_raw(entry.variable_key); break;
    case KeyEncoding::kVariable: out.put_string(entry.variable_key); break;
  }
}

KeyedEntry key_at(const KeyBatch& keys, std::size_t i) {
  KeyedEntry entry;
  switch (keys.encoding) {
    case KeyEncoding::kFixed8: entry.fixed_key = keys.fixed[i]; break;
    case KeyEncoding::kFixed16:
      entry.variable_key = {reinterpret_cast<const char*>(&keys.fixed[2 * i]), 16};
      break;
    case KeyEncoding::kVariable: entry.variable_key = keys.variable(i); break;
  }
  return entry;
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
  key = read_key(in_, encoding_);
  return header_.value_width == kSizedValues ? in_.get_string() : in_.get_raw(header_.value_width);
}

}  // namespace tidemark
