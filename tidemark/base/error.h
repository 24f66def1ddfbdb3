// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

// Three kinds of trouble, three mechanisms (ARCHITECTURE.md, "Errors"):
//   * what a user got wrong (SQL, an option, a record) is an Error inside a Result (result.h);
//   * an operating failure (a full disk, a lost peer) is a Failure, thrown out of Task::poll();
//   * a bug in this program is a failed TIDEMARK_CHECK (check.h).

namespace tidemark {

enum class ErrorCode : std::uint8_t {
  kInvalidSql,          // the text does not parse or bind
  kInvalidOption,       // an option or config value is unknown or out of range
  kInvalidRecord,       // a record does not parse or does not fit its schema
  kEvaluation,          // an expression cannot be evaluated for a row (overflow, division by zero)
  kCheckpointMismatch,  // a checkpoint belongs to another job or has an incompatible schema
  kCheckpointDamaged,   // a checkpoint is missing or does not read back
  kNotFound,            // a named thing (file, table, function) does not exist
  kUnsupported,         // valid, but outside what this version does
  kIo,                  // the file system, network or another outside system failed
};

std::string_view to_string(ErrorCode code) noexcept;

/// What went wrong, as a value. `message` says where, what, and how to mend it, and needs no
/// further context to be understood by a user.
struct Error {
  ErrorCode code = ErrorCode::kInvalidOption;
  std::string message;
};

/// A failure of the running job. Thrown inside a task it leaves Task::poll() and fails the job
/// attempt. `retryable()` says whether a restart from the last checkpoint may help: true for I/O,
/// false for a poisoned record, which would fail again for ever.
class Failure : public std::runtime_error {
 public:
  Failure(ErrorCode code, const std::string& message, bool retryable)
      : std::runtime_error(message), code_(code), retryable_(retryable) {}
  explicit Failure(const Error& error)
      : Failure(error.code, error.message, error.code == ErrorCode::kIo) {}

  ErrorCode code() const noexcept { return code_; }
  bool retryable() const noexcept { return retryable_; }

 private:
  ErrorCode code_;
  bool retryable_;
};

/// An operating-system or object-store error on a named path. Retryable, unless the path is wrong.
class IoFailure : public Failure {
 public:
  /// `system_error` is an errno value, or 0 when the cause is none.
  IoFailure(std::string_view operation, std::string_view path, int system_error);

  int system_error() const noexcept { return system_error_; }

 private:
  int system_error_;
};

}  // namespace tidemark
