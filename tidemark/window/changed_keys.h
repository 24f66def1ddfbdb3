// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <span>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/window/slice_reader.h"
#include "tidemark/window/slice_rows.h"

namespace tidemark {

/// The keys of slices that changed since their windows last spoke, kept until a delay of processing
/// time has passed. In memory: after a restore all keys of all slices may have changed. Belongs to
/// a window operator; its thread.
class ChangedKeys {
 public:
  /// `delay` > 0, milliseconds.
  ChangedKeys(const TableDescriptor& like, Millis delay);

  bool empty() const noexcept { return slices_.empty(); }
  void add(EventTime slice_end, const KeyBatch& keys, Selection rows, ProcessingTime now);
  /// kMaxTime when nothing has changed.
  ProcessingTime due() const noexcept { return due_; }
  const std::set<EventTime>& slices() const noexcept { return slices_; }

  /// Takes out the next keys, all of one slice; false when there are none. They are valid until the
  /// next call.
  bool take();
  const KeyBatch& keys() const noexcept { return reader_->keys(); }
  std::span<const SliceRows> part() const noexcept { return {&part_, 1}; }

 private:
  KeyEncoding encoding_;
  Millis delay_;
  ScratchTables scratch_;
  KeyedTable& table_;
  std::set<EventTime> slices_;
  ProcessingTime due_ = kMaxTime;
  std::unique_ptr<EntryReader> reader_;
  SliceRows part_{};
  std::vector<std::byte*> values_;
};

}  // namespace tidemark
