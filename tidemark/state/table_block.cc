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

void require_compatible(const StateDescriptor& stored, const TableDescriptor& table) {
  const StateDescriptor wanted = describe_table(table);
  const auto refuse = [&](const std::string& found, const std::string& needed) {
    throw Failure(ErrorCode::kCheckpointMismatch,
                  "state '" + wanted.name + "' in the checkpoint holds " + found +
                      ", but the job needs " + needed +
                      "; restore with the job that wrote it, or start with --fresh",
                  /*retryable=*/false);
  };
  if (!stored.keyed) refuse("operator state", "keyed state");
  if (stored.schema != wanted.schema) refuse(stored.schema, wanted.schema);
  if (!is_table_version(stored.version))
    refuse("format version " + std::to_string(stored.version),
           "version " + std::to_string(wanted.version));
}

std::uint32_t value_width_in_blocks(const ValueOperations& operations, bool stamped) {
  if (!operations.is_plain()) return kSizedValues;
  return static_cast<std::uint32_t>(operations.width() + (stamped ? kStampBytes : 0));
}

std::int64_t take_stamp(std::string_view& value) {
  ByteReader in(value);
  const auto stamp = in.get<std::int64_t>();
  value.remove_prefix(kStampBytes);
  return stamp;
}

std::int64_t restored_stamp(std::int64_t stored, std::uint32_t version, const TimeToLive& ttl,
                            const StateTime& time) noexcept {
  return version == table_version_of(ttl) ? stored : time.of(ttl.clock);
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
