// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tidemark/state/keyed_state.h"

namespace tidemark {

/// An operator that knows its keyed tables before it is opened, so that a checkpoint can be checked
/// against them before the job starts.
class DeclaresStates {
 public:
  virtual ~DeclaresStates() = default;
  /// As open() opens them.
  virtual std::vector<TableDescriptor> keyed_tables() = 0;
};

}  // namespace tidemark
