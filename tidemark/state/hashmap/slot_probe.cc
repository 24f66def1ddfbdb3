// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/hashmap/slot_probe.h"

#include <algorithm>

#include "tidemark/base/check.h"

namespace tidemark {

void compute_homes(const SlotArray& array, const KeyBatch& keys, Selection rows,
                   std::vector<std::size_t>& homes) {
  TIDEMARK_DCHECK(keys.encoding == array.type().encoding, "keys encoded for this table");
  homes.resize(rows.size());
  std::size_t furthest = 0;
  if (rows.size() == keys.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      homes[i] = array.home_of(keys.hashes[i]);
      furthest = std::max(furthest, homes[i]);
    }
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      homes[i] = array.home_of(keys.hashes[rows[i]]);
      furthest = std::max(furthest, homes[i]);
    }
  }
  TIDEMARK_CHECK(furthest < array.capacity(), "keys of the subtask's own key groups");
  for (std::size_t i = 0; i < std::min(kPrefetchDistance, homes.size()); ++i)
    __builtin_prefetch(array.slot(homes[i]), 1);
}

}  // namespace tidemark
