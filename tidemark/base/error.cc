// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace tidemark {

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kInvalidSql: return "invalid SQL";
    case ErrorCode::kInvalidOption: return "invalid option";
    case ErrorCode::kInvalidRecord: return "invalid record";
    case ErrorCode::kEvaluation: return "evaluation error";
    case ErrorCode::kCheckpointMismatch: return "checkpoint mismatch";
    case ErrorCode::kCheckpointDamaged: return "damaged checkpoint";
    case ErrorCode::kNotFound: return "not found";
    case ErrorCode::kUnsupported: return "unsupported";
    case ErrorCode::kIo: return "I/O failure";
  }
  return "unknown error";
}

namespace {

// The path itself is wrong: trying again meets the same error.
bool is_wrong_path(int system_error) {
  switch (system_error) {
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case EROFS: return true;
    default: return false;
  }
}

}  // namespace

IoFailure::IoFailure(std::string_view operation, std::string_view path, int system_error)
    : Failure(ErrorCode::kIo,
              fmt::format("cannot {} '{}': {}", operation, path,
                          system_error == 0 ? std::string("unknown cause")
                                            : std::generic_category().message(system_error)),
              !is_wrong_path(system_error)),
      system_error_(system_error) {}

}  // namespace tidemark
