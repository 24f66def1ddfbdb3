// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tidemark/state/keyed_state.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// KeyedStateBackend::restore with failures that name the operator.
void restore_keyed_state(KeyedStateBackend& backend, const SnapshotReader& reader,
                         const std::string& operator_uid);

}  // namespace tidemark
