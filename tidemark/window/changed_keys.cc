// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/changed_keys.h"

namespace tidemark {

ChangedKeys::ChangedKeys(const TableDescriptor& like, Millis delay)
    : encoding_(like.key_encoding),
      delay_(delay),
      table_(scratch_.open(like, "changed", std::make_shared<const NoteOnly>())) {}

void ChangedKeys::add(EventTime slice_end, const KeyBatch& keys, Selection rows,
                      ProcessingTime now) {
  values_.resize(rows.size());
  table_.find_or_insert(slice_end, keys, rows, values_);
  slices_.insert(slice_end);
  if (due_ == kMaxTime) due_ = saturating_add(now, delay_);
}

bool ChangedKeys::take() {
  for (;;) {
    if (reader_ == nullptr) {
      if (slices_.empty()) {
        due_ = kMaxTime;
        return false;
      }
      reader_ = std::make_unique<EntryReader>(table_, encoding_, *slices_.begin());
    }
    if (reader_->next()) {
      part_ = {*slices_.begin(), reader_->rows()};
      return true;
    }
    reader_.reset();
    table_.drop(*slices_.begin());
    slices_.erase(slices_.begin());
  }
}

}  // namespace tidemark
