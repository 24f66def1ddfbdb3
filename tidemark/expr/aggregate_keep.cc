// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <new>

#include "tidemark/expr/aggregate_kernel.h"
#include "tidemark/expr/kernel.h"

// MIN, MAX, FIRST_VALUE, LAST_VALUE and LISTAGG: aggregates that keep values.

namespace tidemark {
namespace {

template <typename T>
struct Stored {
  using type = T;
};
template <>
struct Stored<__int128> {
  using type = Wide128;
};

// `seen` is 0 for the empty group. The value fills the first 8 bytes (16 for DECIMAL), zeros behind
// it.
template <typename T>
struct alignas(8) KeepAccumulator {
  typename Stored<T>::type value;
  std::uint8_t padding[(8 - sizeof(value) % 8) % 8 + 7];
  std::uint8_t seen;
};

template <typename T>
T load(const KeepAccumulator<T>& acc) {
  if constexpr (std::is_same_v<T, __int128>) {
    return acc.value.get();
  } else {
    return acc.value;
  }
}

template <typename T>
void store(KeepAccumulator<T>& acc, T value) {
  if constexpr (std::is_same_v<T, __int128>) {
    acc.value.set(value);
  } else {
    acc.value = value;
  }
  acc.seen = 1;
}

// Whether `value` takes the place of `kept`. NaN is greater than every number, as Java compares.
template <Keep kKeep, typename T>
bool replaces(const T& value, const T& kept) {
  if constexpr (kKeep == Keep::kFirst) return false;
  if constexpr (kKeep == Keep::kLast) return true;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value) || std::isnan(kept))
      return kKeep == Keep::kMin ? !std::isnan(value) : !std::isnan(kept);
  }
  return kKeep == Keep::kMin ? value < kept : kept < value;
}

template <typename T, Keep kKeep>
class FixedKeeper final : public PlainAggregate<KeepAccumulator<T>> {
  using Base = PlainAggregate<KeepAccumulator<T>>;
  using Accumulator = KeepAccumulator<T>;

 public:
  explicit FixedKeeper(DataType result) : Base(result) {}

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext&) const override {
    const T* values = argument->values<T>();
    for_each_value<Accumulator>(*argument, rows, entries, offset,
                                [values](RowIndex row, Accumulator& acc) {
                                  const T value = values[row];
                                  if (acc.seen == 0 || replaces<kKeep>(value, load<T>(acc)))
                                    store<T>(acc, value);
                                });
  }
  Status merge(std::byte* accumulator, const std::byte* other) const override {
    Accumulator& acc = Base::at(accumulator);
    const Accumulator& more = Base::at(other);
    if (more.seen != 0 && (acc.seen == 0 || replaces<kKeep>(load<T>(more), load<T>(acc))))
      acc = more;
    return {};
  }
  void finish(std::span<const std::byte* const> entries, std::size_t offset, ColumnBuilder& out,
              EvaluationContext&) const override {
    for (const std::byte* entry : entries) {
      const Accumulator& acc = Base::at(entry + offset);
      if (acc.seen == 0) {
        out.append_null();
      } else {
        out.append(load<T>(acc));
      }
    }
  }
};

// Owns `capacity` bytes at `data`, of which `size` are used; null for the empty group. Encoded as
// one byte that says whether there is a value, then the string.
struct TextAccumulator {
  char* data;
  std::uint32_t size;
  std::uint32_t capacity;

  std::string_view view() const { return {data, size}; }
  void reserve(std::size_t bytes) {
    if (data != nullptr && bytes <= capacity) return;
    if (bytes > (1u << 31))
      throw Failure(ErrorCode::kEvaluation, "a string of an aggregate exceeds 2 GiB", false);
    const std::size_t wanted = std::max<std::size_t>({16, bytes, std::size_t{capacity} * 2});
    char* grown = static_cast<char*>(std::realloc(data, wanted));
    if (grown == nullptr) throw std::bad_alloc();
    data = grown;
    capacity = static_cast<std::uint32_t>(wanted);
  }
  void assign(std::string_view text) {
    reserve(text.size());
    if (!text.empty()) std::memcpy(data, text.data(), text.size());
    size = static_cast<std::uint32_t>(text.size());
  }
  void append(std::string_view text) {
    reserve(size + text.size());
    if (!text.empty()) std::memcpy(data + size, text.data(), text.size());
    size += static_cast<std::uint32_t>(text.size());
  }
};
static_assert(sizeof(TextAccumulator) == 16);

class TextAggregate : public AggregateFunction {
 public:
  explicit TextAggregate(DataType result) : result_(result) {}

  DataType result_type() const final { return result_; }
  std::size_t width() const final { return sizeof(TextAccumulator); }
  bool is_plain() const final { return false; }
  void destroy(std::byte* accumulator) const noexcept final {
    std::free(at(accumulator).data);
    at(accumulator) = {};
  }
  void encode(const std::byte* accumulator, ByteWriter& out) const final {
    const auto& acc = *reinterpret_cast<const TextAccumulator*>(accumulator);
    out.put<std::uint8_t>(acc.data != nullptr ? 1 : 0);
    if (acc.data != nullptr) out.put_string(acc.view());
  }
  void decode(ByteReader& in, std::byte* accumulator) const final {
    if (in.get<std::uint8_t>() != 0) at(accumulator).assign(in.get_string());
  }
  void finish(std::span<const std::byte* const> entries, std::size_t offset, ColumnBuilder& out,
              EvaluationContext&) const final {
    for (const std::byte* entry : entries) {
      const auto& acc = *reinterpret_cast<const TextAccumulator*>(entry + offset);
      if (acc.data == nullptr) {
        out.append_null();
      } else {
        out.append_string(acc.view());
      }
    }
  }

 protected:
  static TextAccumulator& at(std::byte* accumulator) {
    return *reinterpret_cast<TextAccumulator*>(accumulator);
  }
  const DataType result_;
};

template <Keep kKeep>
class TextKeeper final : public TextAggregate {
 public:
  using TextAggregate::TextAggregate;

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext&) const override {
    for_each_value<TextAccumulator>(
        *argument, rows, entries, offset,
        [argument](RowIndex row, TextAccumulator& acc) { keep(acc, argument->string(row)); });
  }
  Status merge(std::byte* accumulator, const std::byte* other) const override {
    const auto& more = *reinterpret_cast<const TextAccumulator*>(other);
    if (more.data != nullptr) keep(at(accumulator), more.view());
    return {};
  }

 private:
  static void keep(TextAccumulator& acc, std::string_view text) {
    if (acc.data == nullptr || replaces<kKeep>(text, acc.view())) acc.assign(text);
  }
};

// The values in the order they came, with commas between them.
class TextList final : public TextAggregate {
 public:
  TextList() : TextAggregate(DataType::string()) {}

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext&) const override {
    for_each_value<TextAccumulator>(
        *argument, rows, entries, offset,
        [argument](RowIndex row, TextAccumulator& acc) { add(acc, argument->string(row)); });
  }
  Status merge(std::byte* accumulator, const std::byte* other) const override {
    const auto& more = *reinterpret_cast<const TextAccumulator*>(other);
    if (more.data != nullptr) add(at(accumulator), more.view());
    return {};
  }

 private:
  static void add(TextAccumulator& acc, std::string_view text) {
    if (acc.data == nullptr) return acc.assign(text);
    acc.append(",");
    acc.append(text);
  }
};

template <Keep kKeep>
AggregateFunctionPtr make_keeper_of(const DataType& argument) {
  const DataType result = argument.with_nullable(true);
  if (is_variable_width(argument.kind)) return std::make_shared<TextKeeper<kKeep>>(result);
  return visit_physical(argument.kind, [&](auto zero) -> AggregateFunctionPtr {
    return std::make_shared<FixedKeeper<decltype(zero), kKeep>>(result);
  });
}

}  // namespace

Result<AggregateFunctionPtr> make_keeper(Keep keep, const DataType& argument) {
  if (argument.kind == TypeKind::kNull)
    return Error{ErrorCode::kInvalidSql, "an aggregate of NULL needs a CAST that says its type"};
  switch (keep) {
    case Keep::kMin: return make_keeper_of<Keep::kMin>(argument);
    case Keep::kMax: return make_keeper_of<Keep::kMax>(argument);
    case Keep::kFirst: return make_keeper_of<Keep::kFirst>(argument);
    case Keep::kLast: break;
  }
  return make_keeper_of<Keep::kLast>(argument);
}

Result<AggregateFunctionPtr> make_list(const DataType& argument) {
  if (argument.kind == TypeKind::kString) return AggregateFunctionPtr(std::make_shared<TextList>());
  return Error{ErrorCode::kInvalidSql, fmt::format("LISTAGG takes a STRING, got {}; add a CAST",
                                                   to_string(argument.with_nullable(true)))};
}

}  // namespace tidemark
