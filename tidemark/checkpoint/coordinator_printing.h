// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tidemark/checkpoint/coordinator.h"

namespace tidemark {

/// For logs and tests: "periodic".
std::string_view to_string(CheckpointReason reason) noexcept;
/// For logs and tests: "inject 3 periodic", "abort 3: reason", "wake 1000".
std::string in_words(const CheckpointAction& action);

}  // namespace tidemark
