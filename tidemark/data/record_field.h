// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "tidemark/data/batch.h"
#include "tidemark/data/column.h"
#include "tidemark/data/type.h"

// Which C++ types may be fields of a record, and how one value of each lives in a column.

namespace tidemark {

/// How a C++ type lives in a column: `Storage` is what the column holds for a value, `type()` the
/// column's type, `load` and `store` convert. Defined for the types below; everything else is no
/// field type. Fields are NOT NULL unless they are std::optional.
template <typename X>
struct FieldTraits;

namespace record_detail {

// Of the signed integer types, those that are numbers: char and wchar_t are text.
template <typename X>
concept Integer = std::signed_integral<X> && !std::same_as<X, char> && !std::same_as<X, wchar_t>;

template <std::size_t kBytes>
struct IntegerOfWidth;
template <>
struct IntegerOfWidth<1> {
  using Storage = std::int8_t;
  static DataType type() { return DataType::tiny_int(); }
};
template <>
struct IntegerOfWidth<2> {
  using Storage = std::int16_t;
  static DataType type() { return DataType::small_int(); }
};
template <>
struct IntegerOfWidth<4> {
  using Storage = std::int32_t;
  static DataType type() { return DataType::integer(); }
};
template <>
struct IntegerOfWidth<8> {
  using Storage = std::int64_t;
  static DataType type() { return DataType::big_int(); }
};

// The width of the signed integer that holds every value of an enumeration: an unsigned underlying
// type needs the next larger one. 16 (no such column) for std::uint64_t.
template <typename E>
inline constexpr std::size_t kEnumBytes = sizeof(E) *
                                          (std::is_signed_v<std::underlying_type_t<E>> ? 1 : 2);

template <typename E>
concept StorableEnum = std::is_enum_v<E> &&(kEnumBytes<E> <= 8);

}  // namespace record_detail

template <>
struct FieldTraits<bool> {
  using Storage = std::uint8_t;
  static DataType type() { return DataType::boolean().with_nullable(false); }
  static bool load(Storage value) noexcept { return value != 0; }
  static Storage store(bool value) noexcept { return value ? 1 : 0; }
};

template <record_detail::Integer X>
struct FieldTraits<X> {
  using Storage = typename record_detail::IntegerOfWidth<sizeof(X)>::Storage;
  static DataType type() {
    return record_detail::IntegerOfWidth<sizeof(X)>::type().with_nullable(false);
  }
  static X load(Storage value) noexcept { return value; }
  static Storage store(X value) noexcept { return value; }
};

template <record_detail::StorableEnum X>
struct FieldTraits<X> {
  using Width = record_detail::IntegerOfWidth<record_detail::kEnumBytes<X>>;
  using Storage = typename Width::Storage;
  static DataType type() { return Width::type().with_nullable(false); }
  static X load(Storage value) noexcept { return static_cast<X>(value); }
  static Storage store(X value) noexcept { return static_cast<Storage>(value); }
};

template <>
struct FieldTraits<float> {
  using Storage = float;
  static DataType type() { return DataType::float32().with_nullable(false); }
  static float load(Storage value) noexcept { return value; }
  static Storage store(float value) noexcept { return value; }
};

template <>
struct FieldTraits<double> {
  using Storage = double;
  static DataType type() { return DataType::float64().with_nullable(false); }
  static double load(Storage value) noexcept { return value; }
  static Storage store(double value) noexcept { return value; }
};

/// An owned copy: reading one allocates when it is longer than the small-string buffer.
template <>
struct FieldTraits<std::string> {
  using Storage = std::string_view;
  static DataType type() { return DataType::string().with_nullable(false); }
  static std::string load(Storage value) { return std::string(value); }
  static Storage store(const std::string& value) noexcept { return value; }
};

/// A view into the batch that was read: valid as long as that batch, which a function called with
/// the record must not outlast.
template <>
struct FieldTraits<std::string_view> {
  using Storage = std::string_view;
  static DataType type() { return DataType::string().with_nullable(false); }
  static std::string_view load(Storage value) noexcept { return value; }
  static Storage store(std::string_view value) noexcept { return value; }
};

/// TIMESTAMP_LTZ(3): an instant.
template <>
struct FieldTraits<std::chrono::sys_time<std::chrono::milliseconds>> {
  using Instant = std::chrono::sys_time<std::chrono::milliseconds>;
  using Storage = std::int64_t;
  static DataType type() { return DataType::timestamp_ltz(3).with_nullable(false); }
  static Instant load(Storage value) noexcept { return Instant(std::chrono::milliseconds(value)); }
  static Storage store(Instant value) noexcept { return value.time_since_epoch().count(); }
};

/// TIMESTAMP(3): wall-clock time without a zone.
template <>
struct FieldTraits<std::chrono::local_time<std::chrono::milliseconds>> {
  using WallClock = std::chrono::local_time<std::chrono::milliseconds>;
  using Storage = std::int64_t;
  static DataType type() { return DataType::timestamp(3).with_nullable(false); }
  static WallClock load(Storage value) noexcept {
    return WallClock(std::chrono::milliseconds(value));
  }
  static Storage store(WallClock value) noexcept { return value.time_since_epoch().count(); }
};

/// A type that is one column and cannot be NULL.
template <typename X>
concept PlainField = requires {
  typename FieldTraits<X>::Storage;
};

namespace record_detail {

template <typename X>
struct OptionalField : std::false_type {};
template <PlainField X>
struct OptionalField<std::optional<X>> : std::true_type {};

}  // namespace record_detail

/// A type that is one column: a plain field, or std::optional of one, whose column may hold NULL.
template <typename X>
concept FieldType = PlainField<X> || record_detail::OptionalField<X>::value;

/// The column type of a field type.
template <FieldType X>
DataType field_type() {
  if constexpr (PlainField<X>) {
    return FieldTraits<X>::type();
  } else {
    return FieldTraits<typename X::value_type>::type().with_nullable(true);
  }
}

/// Reads one column as values of X. `attach` resolves the raw pointers of a batch, which must then
/// outlive the reads.
template <FieldType X>
class FieldReader;

template <PlainField X>
class FieldReader<X> {
 public:
  using Storage = typename FieldTraits<X>::Storage;

  void attach(const Column& column) noexcept { values_ = column.values<Storage>(); }
  X get(std::size_t row) const noexcept { return FieldTraits<X>::load(values_[row]); }

 private:
  const Storage* values_ = nullptr;
};

template <PlainField X>
requires std::same_as<typename FieldTraits<X>::Storage, std::string_view>
class FieldReader<X> {
 public:
  void attach(const Column& column) noexcept {
    offsets_ = column.offsets();
    bytes_ = column.bytes();
  }
  X get(std::size_t row) const {
    return FieldTraits<X>::load(
        {bytes_ + offsets_[row], static_cast<std::size_t>(offsets_[row + 1] - offsets_[row])});
  }

 private:
  const std::int32_t* offsets_ = nullptr;
  const char* bytes_ = nullptr;
};

template <PlainField X>
class FieldReader<std::optional<X>> {
 public:
  void attach(const Column& column) noexcept {
    values_.attach(column);
    validity_ = column.validity_bits();
  }
  std::optional<X> get(std::size_t row) const {
    if (validity_ != nullptr && !bit_is_set(validity_, row)) return std::nullopt;
    return values_.get(row);
  }

 private:
  FieldReader<X> values_;
  const std::uint8_t* validity_ = nullptr;
};

namespace record_detail {

// The validity bitmap of a column that is being written: all valid until told otherwise.
class ValidityWriter {
 public:
  // Makes room for `rows` rows, the new ones valid.
  void grow(std::size_t rows);
  void set_null(std::size_t row) noexcept {
    clear_bit(bits_.as<std::uint8_t>(), row);
    any_null_ = true;
  }
  // The bitmap of `rows` rows; empty when none is NULL.
  Buffer finish(std::size_t rows);

 private:
  Buffer bits_;
  bool any_null_ = false;
};

}  // namespace record_detail

/// Writes one column from values of X. Room is made for many rows at once (`grow`), so that `put`
/// has nothing to check. Rows are put in ascending order, each exactly once.
template <FieldType X>
class FieldWriter;

template <PlainField X>
class FieldWriter<X> {
 public:
  using Storage = typename FieldTraits<X>::Storage;

  void grow(std::size_t rows) { values_.resize(rows * sizeof(Storage)); }
  void put(std::size_t row, const X& value) noexcept {
    values_.template as<Storage>()[row] = FieldTraits<X>::store(value);
  }
  ColumnPtr finish(std::size_t rows) { return finish_as(FieldTraits<X>::type(), rows, Buffer()); }
  ColumnPtr finish_as(DataType type, std::size_t rows, Buffer validity) {
    values_.resize(rows * sizeof(Storage));
    return std::make_shared<const Column>(type, rows, std::move(validity),
                                          std::exchange(values_, Buffer()), Buffer());
  }

 private:
  Buffer values_;
};

template <PlainField X>
requires std::same_as<typename FieldTraits<X>::Storage, std::string_view>
class FieldWriter<X> {
 public:
  void grow(std::size_t) {}
  void put(std::size_t, const X& value) { builder_.append_string(FieldTraits<X>::store(value)); }
  ColumnPtr finish(std::size_t) { return builder_.finish(); }

 private:
  ColumnBuilder builder_{FieldTraits<X>::type()};
};

template <PlainField X>
class FieldWriter<std::optional<X>> {
 public:
  void grow(std::size_t rows) {
    values_.grow(rows);
    validity_.grow(rows);
  }
  void put(std::size_t row, const std::optional<X>& value) noexcept {
    if (!value) validity_.set_null(row);
    // The value under a NULL must be readable, so it is written too.
    values_.put(row, value.value_or(X{}));
  }
  ColumnPtr finish(std::size_t rows) {
    return values_.finish_as(field_type<std::optional<X>>(), rows, validity_.finish(rows));
  }

 private:
  FieldWriter<X> values_;
  record_detail::ValidityWriter validity_;
};

template <PlainField X>
requires std::same_as<typename FieldTraits<X>::Storage, std::string_view>
class FieldWriter<std::optional<X>> {
 public:
  void grow(std::size_t) {}
  void put(std::size_t, const std::optional<X>& value) {
    if (value) {
      builder_.append_string(FieldTraits<X>::store(*value));
    } else {
      builder_.append_null();
    }
  }
  ColumnPtr finish(std::size_t) { return builder_.finish(); }

 private:
  ColumnBuilder builder_{field_type<std::optional<X>>()};
};

}  // namespace tidemark
