// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/snapshot_parts.h"

#include <utility>

namespace tidemark {
namespace {

class JoinedParts final : public SnapshotPart {
 public:
  explicit JoinedParts(std::vector<std::unique_ptr<SnapshotPart>> parts)
      : parts_(std::move(parts)) {}

  bool step(SnapshotWriter& writer, std::size_t bytes_max) override {
    if (parts_[at_]->step(writer, bytes_max)) parts_[at_++].reset();
    return at_ == parts_.size();
  }

 private:
  std::vector<std::unique_ptr<SnapshotPart>> parts_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<SnapshotPart> join_parts(std::vector<std::unique_ptr<SnapshotPart>> parts) {
  std::erase(parts, nullptr);
  if (parts.empty()) return nullptr;
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<JoinedParts>(std::move(parts));
}

}  // namespace tidemark
