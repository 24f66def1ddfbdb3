// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "tidemark/state/keyed_state.h"

namespace tidemark {

/// What a KeyedTable also is when looking for an entry that is not there costs it more than memory:
/// it can be told that there is none.
class BlindInsert {
 public:
  virtual ~BlindInsert() = default;

  /// As KeyedTable::find_or_insert with Touch::kKeep, of keys that the caller knows to be absent,
  /// or to have expired, unless they were inserted since the last advance_time() of the backend.
  virtual void insert_absent(StateNamespace ns, const KeyBatch& keys, Selection rows,
                             std::span<std::byte*> values) = 0;
};

}  // namespace tidemark
