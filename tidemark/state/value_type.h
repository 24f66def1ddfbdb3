// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/result.h"

// The type of a value in state, as it is stored beside the values: what its fields are and how they
// are laid out, so that a job whose type has changed can read them. As text:
//
//   BOOLEAN TINYINT SMALLINT INT BIGINT UTINYINT USMALLINT UINT UBIGINT FLOAT DOUBLE TIMESTAMP
//                         a number, little-endian
//   STRING                u32 length, bytes
//   LIST<T>               u32 length, elements
//   OPTIONAL<T>           u8 0, or 1 and the value
//   STRUCT<a T, b U>      the fields
//   PLAIN(n)<a T @0, ..>  n bytes, with the fields at their offsets
//   PLAIN_OPTIONAL(n)<T>  n bytes: a T and behind it a byte 0 or 1
//   BYTES(n), OPAQUE      the program's own
//   MADE<T>               8 bytes, a T, and zeros up to a multiple of 8: a plain value in its entry
//   LIST_STATE<T>         LIST<T>, and LIST<BIGINT> of as many stamps or none
//   MAP<K, V>             a page of an ordered table (state/ordered_page.h)
//
// A field may end in DEFAULT number: what it is in values that were stored without it; 0 otherwise.

namespace tidemark {

struct ValueType {
  enum class Kind : std::uint8_t {
    kNumber,
    kString,
    kList,
    kOptional,
    kStruct,
    kPlain,
    kPlainOptional,
    kBytes,
    kOpaque,
    kMade,
    kListState,
    kMap,
  };
  struct Field;

  Kind kind = Kind::kOpaque;
  std::string number;         // kNumber: its name
  std::size_t bytes = 0;      // kPlain, kPlainOptional, kBytes
  std::vector<ValueType> of;  // elements
  std::vector<Field> fields;  // kStruct, kPlain
};

struct ValueType::Field {
  std::string name;
  ValueType type;
  std::size_t offset = 0;  // kPlain
  std::string default_value;
};

/// nullopt when the text is of no such type: a description that people wrote.
std::optional<ValueType> parse_value_type(std::string_view text);
/// For people: without offsets, widths and defaults.
std::string to_string(const ValueType& type);

/// Whether stored values of `from` can become values of `to`. Fields are matched by name; they may
/// be added (with their default), dropped and widened: an integer to a larger one or to a DOUBLE
/// that holds it, FLOAT to DOUBLE, anything to an optional of itself. The error names the field and
/// both types.
Status check_conversion(const ValueType& from, const ValueType& to);
/// The bytes of a stored value as `to` has them. Requires that check_conversion() found nothing.
/// Throws a Failure (kCheckpointDamaged) for bytes that are not of `from`.
std::string convert_value(const ValueType& from, const ValueType& to, std::string_view stored);

/// Bytes of a plain entry (MADE); nullopt for values that have a length in snapshots.
std::optional<std::size_t> plain_entry_bytes(const ValueType& type);

/// How the values of one version of a job become those of the next.
struct ValueConversion {
  ValueType from;
  ValueType to;
};

/// Between the schemas of a stored state and a wanted one, "KEY -> VALUE TYPE"; nullopt when they
/// are equal. The error says what differs.
Result<std::optional<ValueConversion>> conversion_between(const std::string& stored,
                                                          const std::string& wanted);

}  // namespace tidemark
