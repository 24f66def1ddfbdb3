// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "tidemark/base/error.h"
#include "tidemark/state/key.h"
#include "tidemark/state/key_column.h"

namespace tidemark {
namespace {

[[noreturn]] void damaged() {
  throw Failure(ErrorCode::kCheckpointDamaged, "a stored key does not have its columns' types",
                /*retryable=*/false);
}

// A key being read from its front to its end.
struct Cursor {
  const char* at;
  const char* end;

  const char* take(std::size_t count) {
    if (static_cast<std::size_t>(end - at) < count) damaged();
    const char* taken = at;
    at += count;
    return taken;
  }
};

std::vector<Cursor> cursors_of(KeyEncoding encoding, std::span<const KeyedEntry> entries) {
  std::vector<Cursor> cursors(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const KeyedEntry& entry = entries[i];
    const bool word = encoding == KeyEncoding::kFixed8;
    const char* bytes =
        word ? reinterpret_cast<const char*>(&entry.fixed_key) : entry.variable_key.data();
    cursors[i] = {bytes, bytes + (word ? sizeof(entry.fixed_key) : entry.variable_key.size())};
  }
  return cursors;
}

void decode_strings(std::vector<Cursor>& cursors, bool nullable, bool last, ColumnBuilder& out) {
  for (Cursor& cursor : cursors) {
    const bool valid = !nullable || *cursor.take(1) != 0;
    std::uint32_t length = 0;
    if (last) {
      length = static_cast<std::uint32_t>(cursor.end - cursor.at);
    } else {
      std::memcpy(&length, cursor.take(sizeof(length)), sizeof(length));
    }
    const std::string_view text{cursor.take(length), length};
    if (valid) {
      out.append_string(text);
    } else {
      out.append_null();
    }
  }
}

template <typename T>
void decode_values(std::vector<Cursor>& cursors, bool nullable, ColumnBuilder& out) {
  const std::size_t first = out.size();
  T* values = out.extend<T>(cursors.size());
  for (std::size_t i = 0; i < cursors.size(); ++i) {
    const bool valid = !nullable || *cursors[i].take(1) != 0;
    std::memcpy(&values[i], cursors[i].take(sizeof(T)), sizeof(T));
    if (!valid) out.set_null(first + i);
  }
}

}  // namespace

void KeyCodec::decode(std::span<const KeyedEntry> entries, std::span<ColumnBuilder> out) const {
  TIDEMARK_DCHECK(out.size() >= columns_.size(), "a builder for each key column");
  std::vector<Cursor> cursors = cursors_of(encoding_, entries);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const KeyColumn& key = columns_[i];
    if (is_variable_width(key.type.kind)) {
      decode_strings(cursors, key.type.nullable, key.last, out[i]);
    } else {
      with_key_type(key.type.kind,
                    [&]<typename T>(T*) { decode_values<T>(cursors, key.type.nullable, out[i]); });
    }
  }
}

void KeyCodec::decode(std::uint64_t fixed, std::span<ColumnBuilder> out) const {
  const KeyedEntry entry{.fixed_key = fixed};
  decode({&entry, 1}, out);
}

void KeyCodec::decode(std::string_view variable, std::span<ColumnBuilder> out) const {
  const KeyedEntry entry{.variable_key = variable};
  decode({&entry, 1}, out);
}

}  // namespace tidemark
