// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "tidemark/data/record.h"

// A value of each row of a batch, named by a member of the record or computed by a function of it.
// A member is read from its column alone.

namespace tidemark::api_detail {

template <typename T, FieldType V>
class ColumnInput {
 public:
  using Value = V;
  explicit ColumnInput(std::size_t column) : column_(column) {}
  void attach(const Batch& batch) { reader_.attach(batch.column(column_)); }
  V get(std::size_t row) const { return reader_.get(row); }

 private:
  std::size_t column_;
  FieldReader<V> reader_;
};

template <typename T, typename F>
class RowInput {
 public:
  using Value = std::remove_cvref_t<std::invoke_result_t<const F&, T>>;
  explicit RowInput(F project) : project_(std::move(project)) {}
  void attach(const Batch& batch) { reader_.attach(batch); }
  Value get(std::size_t row) const { return std::invoke(project_, reader_.row(row)); }

 private:
  F project_;
  RecordReader<T> reader_;
};

/// Throws a Failure (kInvalidOption) for a member that is not described; whoever takes projections
/// from a program turns it into the job's error.
template <Record T, typename Projection>
auto make_input(const Projection& projection) {
  if constexpr (std::is_member_object_pointer_v<Projection>) {
    using Value = typename record_detail::PointerTarget<Projection>::Type;
    static_assert(FieldType<Value>, "aggregate over a member that is one column");
    const std::optional<std::size_t> column = column_of<T>(projection);
    if (!column)
      throw Failure(ErrorCode::kInvalidOption,
                    "an aggregate reads a member that BOOST_DESCRIBE_STRUCT does not list",
                    /*retryable=*/false);
    return ColumnInput<T, Value>(*column);
  } else {
    return RowInput<T, Projection>(projection);
  }
}

}  // namespace tidemark::api_detail
