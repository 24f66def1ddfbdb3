// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/coordinator_printing.h"

#include <fmt/format.h>

namespace tidemark {
namespace {

struct InWords {
  std::string operator()(const checkpoint_action::InjectBarriers& a) const {
    return fmt::format("inject {} {}", a.checkpoint, to_string(a.reason));
  }
  std::string operator()(const checkpoint_action::WriteMetadata& a) const {
    return fmt::format("write {} {}", a.checkpoint, to_string(a.reason));
  }
  std::string operator()(const checkpoint_action::NotifyComplete& a) const {
    return fmt::format("complete {} {}", a.checkpoint, to_string(a.reason));
  }
  std::string operator()(const checkpoint_action::Abort& a) const {
    return fmt::format("abort {}: {}", a.checkpoint, a.reason);
  }
  std::string operator()(const checkpoint_action::Discard& a) const {
    return fmt::format("discard {}", a.checkpoint);
  }
  std::string operator()(const checkpoint_action::FailJob& a) const {
    return fmt::format("fail: {}", a.reason);
  }
  std::string operator()(const checkpoint_action::WakeAt& a) const {
    return fmt::format("wake {}", a.when);
  }
};

}  // namespace

std::string_view to_string(CheckpointReason reason) noexcept {
  switch (reason) {
    case CheckpointReason::kPeriodic: return "periodic";
    case CheckpointReason::kFinal: return "final";
    case CheckpointReason::kSavepoint: return "savepoint";
  }
  return "unknown";
}

std::string in_words(const CheckpointAction& action) {
  return std::visit(InWords{}, action);
}

}  // namespace tidemark
