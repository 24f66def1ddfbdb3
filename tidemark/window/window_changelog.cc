// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/window_changelog.h"

#include <cstring>

namespace tidemark {

void WindowChangelog::restore() {
  for (const StateNamespace window_end : said_.namespaces()) windows_.insert(window_end);
}

BatchPtr WindowChangelog::say(TimeWindow window, const KeyBatch& keys, Selection rows,
                              std::span<const std::byte* const> values) {
  before_.resize(rows.size());
  said_.find(window.end, keys, rows, before_);
  old_entries_.clear();
  new_entries_.clear();
  is_update_.clear();
  changed_rows_.clear();
  changed_values_.clear();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_update = before_[i] != nullptr;
    if (is_update && same(before_[i], values[i])) continue;
    if (is_update) old_entries_.push_back(entry_of(keys, rows[i], before_[i]));
    new_entries_.push_back(entry_of(keys, rows[i], values[i]));
    is_update_.push_back(is_update);
    changed_rows_.push_back(rows[i]);
    changed_values_.push_back(values[i]);
  }
  if (new_entries_.empty()) return nullptr;
  BatchPtr batch = make_batch(window);
  remember(window.end, keys, changed_rows_, changed_values_);
  return batch;
}

/// Each new row directly behind what it takes the place of.
BatchPtr WindowChangelog::make_batch(TimeWindow window) {
  std::vector<BatchPtr> parts;
  if (!old_entries_.empty()) parts.push_back(slices_.aggregator->fire(window, old_entries_));
  parts.push_back(slices_.aggregator->fire(window, new_entries_));
  std::vector<RowIndex> order;
  ColumnBuilder kinds(DataType::tiny_int().with_nullable(false));
  const auto add = [&](std::size_t row, RowKind kind) {
    order.push_back(static_cast<RowIndex>(row));
    kinds.append(static_cast<std::int8_t>(kind));
  };
  std::size_t old_row = 0;
  for (std::size_t i = 0; i < new_entries_.size(); ++i) {
    if (is_update_[i]) add(old_row++, RowKind::kUpdateBefore);
    add(old_entries_.size() + i, is_update_[i] ? RowKind::kUpdateAfter : RowKind::kInsert);
  }
  const BatchPtr ordered = gather(*concatenate(parts), order);
  return std::make_shared<const Batch>(ordered->schema_ptr(), ordered->rows(), ordered->columns(),
                                       ordered->event_times_ptr(), kinds.finish());
}

void WindowChangelog::remember(EventTime window_end, const KeyBatch& keys, Selection rows,
                               std::span<const std::byte* const> values) {
  if (rows.empty()) return;
  const ValueOperations& operations = *slices_.descriptor.values;
  windows_.insert(window_end);
  remembered_.resize(rows.size());
  said_.find_or_insert(window_end, keys, rows, remembered_);
  for (std::byte* entry : remembered_) {
    operations.destroy(entry);
    std::memset(entry, 0, operations.width());
  }
  slices_.aggregator->merge_all(remembered_, values);
}

void WindowChangelog::forget(EventTime window_end) {
  said_.drop(window_end);
  windows_.erase(window_end);
}

void WindowChangelog::forget_through(EventTime bound) {
  while (!windows_.empty() && *windows_.begin() <= bound) forget(*windows_.begin());
}

bool WindowChangelog::same(const std::byte* a, const std::byte* b) const {
  const ValueOperations& operations = *slices_.descriptor.values;
  if (operations.is_plain()) return std::memcmp(a, b, operations.width()) == 0;
  ByteWriter a_bytes, b_bytes;
  operations.encode(a, a_bytes);
  operations.encode(b, b_bytes);
  return a_bytes.view() == b_bytes.view();
}

}  // namespace tidemark
