// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tidemark/state/snapshot.h"

namespace tidemark {

/// One part after the other; null ones are left out. nullptr when nothing is left.
std::unique_ptr<SnapshotPart> join_parts(std::vector<std::unique_ptr<SnapshotPart>> parts);

}  // namespace tidemark
