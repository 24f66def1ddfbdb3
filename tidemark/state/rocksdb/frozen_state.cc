// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/frozen_state.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/state/rocksdb/rocksdb_table.h"

namespace tidemark {
namespace {

// Records of a batch of saved slots: what a step writes at least.
constexpr int kSavedRecords = 512;

}  // namespace

void DatabaseCut::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (over()) return;
  try {
    directory_ = database_->link_files();
  } catch (...) {
    failure_ = std::current_exception();
  }
  over_.store(true, std::memory_order_release);
}

void DatabaseCut::give_up() noexcept {
  const std::lock_guard lock(mutex_);
  if (!directory_.empty()) remove_scratch(database_->env(), directory_);
  directory_.clear();
  over_.store(true, std::memory_order_release);
}

std::string DatabaseCut::directory() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  if (directory_.empty())
    throw Failure(ErrorCode::kIo, "the snapshot was given up", /*retryable=*/true);
  return directory_;
}

FrozenState::FrozenState(std::shared_ptr<Database> database, std::uint32_t epoch)
    : database_(std::move(database)),
      cut_(std::make_shared<DatabaseCut>(database_)),
      epoch_(epoch) {}

void FrozenState::add(std::shared_ptr<NamespaceTier> tier) {
  tier->frozen_cursor = 0;
  pending_.push_back(std::move(tier));
}

void FrozenState::set_counts(std::vector<std::pair<std::string, std::string>> counts) {
  counts_ = std::move(counts);
}

void FrozenState::save(const NamespaceTier& tier, const std::byte* slot) {
  if (saved_.empty() || saved_.back().Count() >= kSavedRecords) saved_.emplace_back();
  tier.table->write_slot(tier, slot, saved_.back());
}

void FrozenState::remove_later(std::string begin, std::string end) {
  removals_.emplace_back(std::move(begin), std::move(end));
}

std::vector<std::pair<std::string, std::string>> FrozenState::take_removals() noexcept {
  return std::exchange(removals_, {});
}

bool FrozenState::write_some(std::size_t records) {
  if (written_) return true;
  std::size_t left = records;
  left -= std::min(left, write_saved(left));
  while (left > 0 && next_ < pending_.size()) {
    NamespaceTier& tier = *pending_[next_];
    if (tier.frozen > 0) left -= std::min(left, write_tier(tier, left));
    if (tier.frozen == 0) pending_[next_++].reset();
  }
  database_->write(batch_);
  if (next_ < pending_.size() || !saved_.empty()) return false;
  for (const auto& [key, value] : counts_) batch_.Put(key, value);
  database_->write(batch_);
  written_ = true;
  if (hook_) hook_();
  return true;
}

std::size_t FrozenState::write_saved(std::size_t records) {
  std::size_t done = 0;
  while (done < records && !saved_.empty()) {
    done += static_cast<std::size_t>(saved_.front().Count());
    database_->write(saved_.front());
    saved_.pop_front();
  }
  return done;
}

// Goes round the slots until none is frozen: eviction moves some behind the cursor. Returns the
// work done, in records; looking at a few slots is as much as writing one.
std::size_t FrozenState::write_tier(NamespaceTier& tier, std::size_t records) {
  constexpr std::size_t kSlotsARecord = 16;
  SlotArray& array = *tier.array;
  std::size_t seen = 0, written = 0;
  while (tier.frozen > 0 && written + seen / kSlotsARecord < records) {
    if (tier.frozen_cursor >= array.capacity()) tier.frozen_cursor = 0;
    std::byte* slot = array.slot(tier.frozen_cursor++);
    ++seen;
    if (!array.is_live(slot) || !tier.is_frozen(header_of(slot).epoch, epoch_)) continue;
    tier.table->write_slot(tier, slot, batch_);
    header_of(slot).epoch &= ~kSlotDirty;
    --tier.frozen;
    ++written;
  }
  return written + seen / kSlotsARecord + 1;
}

void FrozenState::abandon() noexcept {
  cut_->give_up();
  pending_.clear();
  saved_.clear();
  next_ = 0;
  hook_ = nullptr;
}

void FrozenState::finish() {
  while (!write_some(SIZE_MAX)) {
  }
  cut_->take();
}

}  // namespace tidemark
