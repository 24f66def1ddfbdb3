// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "tidemark/expr/binary_loop.h"
#include "tidemark/expr/kernel.h"

// Checked arithmetic on whole columns: a loop computes wrapped results and gathers in one word
// whether any row overflowed; only then the rows are looked at one by one.

namespace tidemark {

template <typename T>
struct CheckedAdd {
  using U = std::make_unsigned_t<T>;
  static T compute(T a, T b, U& bad) {
    const U sum = static_cast<U>(static_cast<U>(a) + static_cast<U>(b));
    bad = static_cast<U>(bad | ((static_cast<U>(a) ^ sum) & (static_cast<U>(b) ^ sum)));
    return static_cast<T>(sum);
  }
  static bool any(U bad) { return static_cast<T>(bad) < 0; }
};

template <typename T>
struct CheckedSubtract {
  using U = std::make_unsigned_t<T>;
  static T compute(T a, T b, U& bad) {
    const U difference = static_cast<U>(static_cast<U>(a) - static_cast<U>(b));
    bad = static_cast<U>(
        bad | ((static_cast<U>(a) ^ static_cast<U>(b)) & (static_cast<U>(a) ^ difference)));
    return static_cast<T>(difference);
  }
  static bool any(U bad) { return static_cast<T>(bad) < 0; }
};

template <typename T>
struct CheckedMultiply {
  using U = std::make_unsigned_t<T>;
  static T compute(T a, T b, U& bad) {
    if constexpr (sizeof(T) <= 4) {
      const std::int64_t product = std::int64_t{a} * std::int64_t{b};
      const T low = static_cast<T>(product);
      bad = static_cast<U>(bad | (product != std::int64_t{low} ? 1u : 0u));
      return low;
    } else {
      T product = 0;
      bad |= __builtin_mul_overflow(a, b, &product) ? 1u : 0u;
      return product;
    }
  }
  static bool any(U bad) { return bad != 0; }
};

// Truncates towards zero. The rows under a NULL are divided too, so nothing may trap.
template <typename T>
struct CheckedDivide {
  using U = std::make_unsigned_t<T>;
  static T compute(T a, T b, U& bad) {
    if (b == 0) [[unlikely]] {
      bad = 1;
      return 0;
    }
    if (b == -1) [[unlikely]] {
      if (a == std::numeric_limits<T>::min()) bad = 1;
      return static_cast<T>(U{0} - static_cast<U>(a));
    }
    return static_cast<T>(a / b);
  }
  static bool any(U bad) { return bad != 0; }
};

// Has the sign of the dividend; the minimum % -1 is 0.
template <typename T>
struct CheckedRemainder {
  using U = std::make_unsigned_t<T>;
  static T compute(T a, T b, U& bad) {
    if (b == 0) [[unlikely]] {
      bad = 1;
      return 0;
    }
    return b == -1 ? T{0} : static_cast<T>(a % b);
  }
  static bool any(U bad) { return bad != 0; }
};

template <typename T, template <typename> typename Operation, bool kDivides>
class CheckedIntegerKernel final : public Kernel {
 public:
  explicit CheckedIntegerKernel(std::string overflow) : overflow_(std::move(overflow)) {}

  ColumnPtr run(Invocation& call) override {
    using Op = Operation<T>;
    Buffer values(call.rows * sizeof(T));
    T* out = values.as<T>();
    with_shapes<T>(call.arguments[0], call.arguments[1], [&](auto a, auto b) {
      typename Op::U bad = 0;
      for (std::size_t i = 0; i < call.rows; ++i) out[i] = Op::compute(a[i], b[i], bad);
      if (Op::any(bad)) [[unlikely]]
        report(call, a, b);
    });
    return call.finish(std::move(values));
  }

 private:
  template <typename A, typename B>
  void report(Invocation& call, A a, B b) {
    using Op = Operation<T>;
    for (std::size_t i = 0; i < call.rows; ++i) {
      typename Op::U bad = 0;
      Op::compute(a[i], b[i], bad);
      if (!Op::any(bad) || !call.validity.is_valid(i)) continue;
      call.fail(i, kDivides && b[i] == 0 ? "division by zero" : std::string_view(overflow_));
    }
  }

  std::string overflow_;
};

template <typename T>
using AddKernel = CheckedIntegerKernel<T, CheckedAdd, false>;
template <typename T>
using SubtractKernel = CheckedIntegerKernel<T, CheckedSubtract, false>;
template <typename T>
using MultiplyKernel = CheckedIntegerKernel<T, CheckedMultiply, false>;
template <typename T>
using DivideKernel = CheckedIntegerKernel<T, CheckedDivide, true>;
template <typename T>
using RemainderKernel = CheckedIntegerKernel<T, CheckedRemainder, true>;

}  // namespace tidemark
