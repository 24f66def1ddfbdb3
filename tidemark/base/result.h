// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "tidemark/base/check.h"
#include "tidemark/base/error.h"

namespace tidemark {

/// Either a T or an Error: what std::expected<T, Error> is in C++23. Asking a Result for what it
/// does not hold is a bug and stops the process; `or_throw` turns the error into a Failure.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  T& value() & {
    TIDEMARK_CHECK(ok(), "Result holds an error");
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    TIDEMARK_CHECK(ok(), "Result holds an error");
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    TIDEMARK_CHECK(ok(), "Result holds an error");
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    TIDEMARK_CHECK(!ok(), "Result holds a value");
    return *std::get_if<1>(&state_);
  }

  T or_throw() && {
    if (!ok()) throw Failure(error());
    return std::move(*this).value();
  }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool ok() const noexcept { return !error_.has_value(); }
  explicit operator bool() const noexcept { return ok(); }
  const Error& error() const {
    TIDEMARK_CHECK(error_.has_value(), "Result holds no error");
    return *error_;
  }
  void or_throw() const {
    if (error_) throw Failure(*error_);
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace tidemark

#define TIDEMARK_CONCAT_INNER(a, b) a##b
#define TIDEMARK_CONCAT(a, b) TIDEMARK_CONCAT_INNER(a, b)

/// Returns from the enclosing function with the error when `expression` holds one.
#define TIDEMARK_TRY(expression)                                          \
  do {                                                                    \
    auto tidemark_status = (expression);                                  \
    if (!tidemark_status.ok()) return std::move(tidemark_status).error(); \
  } while (false)

/// Declares or assigns `target` from a Result, or returns its error.
#define TIDEMARK_ASSIGN_OR_RETURN(target, expression)                      \
  auto TIDEMARK_CONCAT(tidemark_result_, __LINE__) = (expression);         \
  if (!TIDEMARK_CONCAT(tidemark_result_, __LINE__).ok())                   \
    return std::move(TIDEMARK_CONCAT(tidemark_result_, __LINE__)).error(); \
  target = std::move(TIDEMARK_CONCAT(tidemark_result_, __LINE__)).value()
