// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "tidemark/expr/kernel.h"

// Kernels from a function of one row. The loop around it is instantiated with it, so a row costs no
// indirect call, and a text result is built in one string that is used again for every row.

namespace tidemark {

/// What a function of one row may say besides returning its value. `fail` takes a literal.
class Row {
 public:
  void null() { null_ = true; }
  void fail(const char* reason) { reason_ = reason; }

  std::string text;  // the result of a function that returns Text
  const EvaluationContext* context = nullptr;

 private:
  template <typename Signature, typename F>
  friend class RowKernel;
  bool null_ = false;
  const char* reason_ = nullptr;
};

/// The result type of functions that append their STRING or BYTES result to `row.text`.
struct Text {};

template <typename Signature, typename F>
class RowKernel;

template <typename Out, typename... In, typename F>
class RowKernel<Out(In...), F> final : public Kernel {
 public:
  RowKernel(F function, bool eager) : function_(std::move(function)), eager_(eager) {}

  ColumnPtr run(Invocation& call) override {
    row_.context = &call.context;
    return run(call, std::index_sequence_for<In...>{});
  }
  bool eager() const override { return eager_; }

 private:
  template <std::size_t... I>
  ColumnPtr run(Invocation& call, std::index_sequence<I...>) {
    const std::tuple<Values<In>...> in{Values<In>(call.arguments[I])...};
    if constexpr (std::is_same_v<Out, Text>) {
      ColumnBuilder builder(call.result);
      builder.reserve(call.rows);
      for (std::size_t i = 0; i < call.rows; ++i) {
        row_.text.clear();
        if (!call.validity.is_valid(i)) {
          builder.append_null();
          continue;
        }
        function_(row_, std::get<I>(in)[i]...);
        if (settle(call, i)) {
          builder.append_string(row_.text);
        } else {
          builder.append_null();
        }
      }
      return builder.finish();
    } else {
      Buffer values(call.rows * sizeof(Out));
      Out* out = values.as<Out>();
      for (std::size_t i = 0; i < call.rows; ++i) {
        if (!call.validity.is_valid(i)) {
          out[i] = Out{};
          continue;
        }
        out[i] = static_cast<Out>(function_(row_, std::get<I>(in)[i]...));
        settle(call, i);
      }
      return call.finish(std::move(values));
    }
  }

  // Whether the row has a value.
  bool settle(Invocation& call, std::size_t i) {
    if (row_.reason_ == nullptr && !row_.null_) [[likely]]
      return true;
    if (row_.reason_ != nullptr) {
      call.fail(i, row_.reason_);
    } else {
      call.validity.set_null(i);
    }
    row_.reason_ = nullptr;
    row_.null_ = false;
    return false;
  }

  F function_;
  bool eager_;
  Row row_;
};

/// row_kernel<std::int64_t(std::string_view)>([](Row&, std::string_view text) { ... }). Every
/// kernel has its own copy of the function, which may keep state.
template <typename Signature, typename F>
KernelMaker row_kernel(F function, bool eager = false) {
  return [function = std::move(function), eager](const CallSite&) -> Result<KernelPtr> {
    return KernelPtr(std::make_unique<RowKernel<Signature, F>>(function, eager));
  };
}

/// A kernel at once, for makers that choose among several functions.
template <typename Signature, typename F>
KernelPtr make_row_kernel(F function, bool eager = false) {
  return std::make_unique<RowKernel<Signature, F>>(std::move(function), eager);
}

}  // namespace tidemark
