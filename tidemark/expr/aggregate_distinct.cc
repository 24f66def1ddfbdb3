// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cmath>

#include "tidemark/base/hash.h"
#include "tidemark/expr/aggregate_kernel.h"
#include "tidemark/expr/kernel.h"

// DISTINCT: a set of the values seen, and the accumulator of the function over them. In memory a
// pointer to the set (null while it is empty), then the inner accumulator; encoded as the number of
// values, each as its key in order (so equal sets have equal bytes), then the inner accumulator.

namespace tidemark {
namespace {

// A value as bytes: little-endian for fixed width, itself for text. Equal values have equal keys.
template <typename T>
T canonical(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return std::numeric_limits<T>::quiet_NaN();
    if (value == 0) return 0;
  }
  return value;
}

struct KeyHash {
  using is_transparent = void;
  using is_avalanching = void;
  std::size_t operator()(std::string_view key) const { return stable_hash(key); }
};
// Short keys stay inside the string object, so a number costs no allocation of its own.
using KeySet = boost::unordered_flat_set<std::string, KeyHash, std::equal_to<>>;

class Distinct final : public AggregateFunction {
 public:
  Distinct(AggregateFunctionPtr inner, const DataType& argument)
      : inner_(std::move(inner)), argument_(argument.with_nullable(true)) {}

  DataType result_type() const override { return inner_->result_type(); }
  std::size_t width() const override { return sizeof(KeySet*) + inner_->width(); }
  bool is_plain() const override { return false; }

  void destroy(std::byte* accumulator) const noexcept override {
    delete set_of(accumulator);
    set_of(accumulator) = nullptr;
    inner_->destroy(inner_of(accumulator));
  }

  void encode(const std::byte* accumulator, ByteWriter& out) const override {
    const KeySet* set = set_of(accumulator);
    std::vector<std::string_view> keys;
    if (set != nullptr) keys.assign(set->begin(), set->end());
    std::sort(keys.begin(), keys.end());
    out.put(static_cast<std::uint64_t>(keys.size()));
    for (const std::string_view key : keys) out.put_string(key);
    inner_->encode(accumulator + sizeof(KeySet*), out);
  }

  void decode(ByteReader& in, std::byte* accumulator) const override {
    const auto count = in.get<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) insert(accumulator, in.get_string());
    inner_->decode(in, inner_of(accumulator));
  }

  void update(const Column* argument, Selection rows, std::span<std::byte* const> entries,
              std::size_t offset, EvaluationContext& context) const override {
    std::string key;
    std::vector<RowIndex> fresh;
    std::vector<std::byte*> fresh_entries;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (argument->is_null(rows[i])) continue;
      if (!insert(entries[i] + offset, key_of(*argument, rows[i], key))) continue;
      fresh.push_back(rows[i]);
      fresh_entries.push_back(entries[i]);
    }
    if (fresh.empty()) return;
    EvaluationContext inner_context;
    inner_->update(argument, fresh, fresh_entries, offset + sizeof(KeySet*), inner_context);
    forget_failed(*argument, fresh, fresh_entries, offset, inner_context.errors);
    merge_row_errors(context.errors, std::move(inner_context.errors));
  }

  Status merge(std::byte* accumulator, const std::byte* other) const override {
    const KeySet* more = set_of(other);
    if (more == nullptr) return {};
    // In order, so that a sum of DOUBLE does not depend on how the set lies in memory.
    std::vector<std::string_view> keys(more->begin(), more->end());
    std::sort(keys.begin(), keys.end());
    ColumnBuilder builder(argument_);
    for (const std::string_view key : keys)
      if (insert(accumulator, key)) append_key(builder, key);
    const ColumnPtr values = builder.finish();
    std::vector<RowIndex> rows(values->size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<RowIndex>(i);
    const std::vector<std::byte*> entries(rows.size(), accumulator);
    EvaluationContext context;
    inner_->update(values.get(), rows, entries, sizeof(KeySet*), context);
    if (context.errors.empty()) return {};
    return Error{ErrorCode::kEvaluation, context.errors.front().message};
  }

  void finish(std::span<const std::byte* const> entries, std::size_t offset, ColumnBuilder& out,
              EvaluationContext& context) const override {
    inner_->finish(entries, offset + sizeof(KeySet*), out, context);
  }

 private:
  static KeySet*& set_of(std::byte* accumulator) {
    return *reinterpret_cast<KeySet**>(accumulator);
  }
  static const KeySet* set_of(const std::byte* accumulator) {
    return *reinterpret_cast<KeySet* const*>(accumulator);
  }
  static std::byte* inner_of(std::byte* accumulator) { return accumulator + sizeof(KeySet*); }

  // Whether the key is new.
  static bool insert(std::byte* accumulator, std::string_view key) {
    KeySet*& set = set_of(accumulator);
    if (set == nullptr) set = new KeySet();
    if (set->find(key) != set->end()) return false;
    set->emplace(key);
    return true;
  }

  static std::string_view key_of(const Column& column, std::size_t row, std::string& buffer) {
    if (is_variable_width(column.kind())) return column.string(row);
    visit_physical(column.kind(), [&](auto zero) {
      const auto value = canonical(column.value<decltype(zero)>(row));
      buffer.assign(reinterpret_cast<const char*>(&value), sizeof(value));
    });
    return buffer;
  }

  void append_key(ColumnBuilder& builder, std::string_view key) const {
    if (is_variable_width(argument_.kind)) return builder.append_string(key);
    visit_physical(argument_.kind, [&](auto zero) {
      if (key.size() != sizeof(zero))
        throw Failure(ErrorCode::kCheckpointDamaged, "a stored DISTINCT value has a wrong size",
                      false);
      std::memcpy(&zero, key.data(), sizeof(zero));
      builder.append(zero);
    });
  }

  // A row that the function did not take leaves the set as it was.
  void forget_failed(const Column& argument, const std::vector<RowIndex>& rows,
                     const std::vector<std::byte*>& entries, std::size_t offset,
                     const std::vector<RowError>& errors) const {
    std::string key;
    for (const RowError& error : errors)
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i] == error.row)
          set_of(entries[i] + offset)->erase(key_of(argument, rows[i], key));
  }

  AggregateFunctionPtr inner_;
  DataType argument_;
};

}  // namespace

Result<AggregateFunctionPtr> make_distinct(AggregateFunctionPtr inner, const DataType& argument) {
  return AggregateFunctionPtr(std::make_shared<Distinct>(std::move(inner), argument));
}

}  // namespace tidemark
