// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/operator.h"

#include <utility>

namespace tidemark {
namespace {

class OperatorStatePart final : public SnapshotPart {
 public:
  OperatorStatePart(StateDescriptor state, std::vector<std::string> items)
      : state_(std::move(state)), items_(std::move(items)) {}

  bool step(SnapshotWriter& writer, std::size_t bytes_max) override {
    if (next_ == 0) writer.declare(state_);
    std::size_t bytes = 0;
    while (next_ < items_.size() && (bytes == 0 || bytes < bytes_max)) {
      writer.write_operator(state_.name, items_[next_]);
      bytes += items_[next_].size();
      ++next_;
    }
    return next_ == items_.size();
  }

 private:
  StateDescriptor state_;
  std::vector<std::string> items_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<SnapshotPart> make_operator_state_part(StateDescriptor state,
                                                       std::vector<std::string> items) {
  return std::make_unique<OperatorStatePart>(std::move(state), std::move(items));
}

}  // namespace tidemark
