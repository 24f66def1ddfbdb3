// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/batched_entries.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

constexpr std::size_t kChunkRows = 256;
// After a write among reads: as many rows as tell whether more will write.
constexpr std::size_t kTrialRows = 16;
// Rows are looked up for writing when at least one in so many was written.
constexpr std::size_t kRowsAWrite = 4;

bool is_present(const std::byte* value) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, value, sizeof(word));
  return word != 0;
}

}  // namespace

void BatchedEntries::attach(const KeyBatch& keys) {
  detach();
  keys_ = &keys;
}

void BatchedEntries::detach() {
  if (count_ > 0) end_chunk();
  keys_ = nullptr;
}

void BatchedEntries::look_up(std::size_t row, Mode mode, std::size_t count) {
  TIDEMARK_DCHECK(keys_ != nullptr && row < keys_->size(), "a row of the attached batch");
  begin_ = row;
  count_ = std::min(count, keys_->size() - row);
  mode_ = mode;
  writes_ = 0;
  rows_.resize(count_);
  std::iota(rows_.begin(), rows_.end(), static_cast<RowIndex>(row));
  if (mode == Mode::kWriting) {
    written_.resize(count_);
    table_->find_or_insert(ns_, *keys_, rows_, written_, Touch::kKeep);
  } else {
    found_.resize(count_);
    table_->find(ns_, *keys_, rows_, found_);
  }
}

void BatchedEntries::begin_chunk(std::size_t row) {
  if (count_ > 0) end_chunk();
  look_up(row, next_mode_, kChunkRows);
}

void BatchedEntries::end_chunk() {
  // Looking ahead for reading would renew what is then not read.
  const bool reads_renew = ttl_.enabled() && ttl_.update == TimeToLive::Update::kOnReadAndWrite;
  const bool writes = reads_renew || writes_ * kRowsAWrite >= count_;
  next_mode_ = writes ? Mode::kWriting : Mode::kReading;
  if (mode_ == Mode::kWriting) {
    std::size_t absent = 0;
    for (std::size_t i = 0; i < count_; ++i)
      if (!is_present(written_[i])) rows_[absent++] = rows_[i];
    rows_.resize(absent);
    if (absent > 0) table_->erase(ns_, *keys_, rows_);
  }
  count_ = 0;
}

const std::byte* BatchedEntries::read(std::size_t row) {
  if (!covers(row)) begin_chunk(row);
  if (mode_ == Mode::kReading) return found_[row - begin_];
  std::byte* value = written_[row - begin_];
  if (!is_present(value)) return nullptr;
  if (ttl_.enabled() && ttl_.update == TimeToLive::Update::kOnReadAndWrite)
    renew(value, touch_time(row));
  return value;
}

std::byte* BatchedEntries::write(std::size_t row) {
  if (!covers(row)) begin_chunk(row);
  if (mode_ == Mode::kReading) {
    end_chunk();
    look_up(row, Mode::kWriting, kTrialRows);
  }
  ++writes_;
  std::byte* value = written_[row - begin_];
  if (ttl_.enabled()) renew(value, touch_time(row));
  return value;
}

void BatchedEntries::erase(std::size_t row) {
  if (!covers(row)) begin_chunk(row);
  ++writes_;
  if (mode_ == Mode::kReading) {
    if (found_[row - begin_] == nullptr) return;
    end_chunk();
    const auto index = static_cast<RowIndex>(row);
    table_->erase(ns_, *keys_, {&index, 1});
    return;
  }
  std::byte* value = written_[row - begin_];
  if (!values_->is_plain()) values_->destroy(value);
  std::memset(value, 0, values_->width());
}

std::int64_t BatchedEntries::touch_time(std::size_t row) const noexcept {
  const std::int64_t now = backend_->time().of(ttl_.clock);
  const bool by_row = keys_->times != nullptr && ttl_.clock == TimeToLive::Clock::kEventTime;
  return by_row ? std::max(now, keys_->times[row]) : now;
}

}  // namespace tidemark
