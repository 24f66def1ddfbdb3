// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/hashmap/snapshot_session.h"

#include <algorithm>
#include <numeric>

#include "tidemark/base/check.h"
#include "tidemark/state/hashmap/hashmap_table.h"

namespace tidemark {
namespace {

// Undo entries are in the order of the writes. They are written by key group, in portions that are
// large enough for blocks of more than a few entries and small enough not to hold up the rows.
constexpr std::size_t kUndoPortionBytes = std::size_t{1} << 20;

}  // namespace

void SnapshotSession::add_table(HashmapTable& table) {
  tables_.push_back(&table);
}

void SnapshotSession::add_array(HashmapTable& table, StateNamespace ns,
                                std::shared_ptr<SlotArray> array) {
  array->set_scanned(0);
  pending_.push_back({&table, ns, std::move(array)});
}

void SnapshotSession::save(const HashmapTable& table, StateNamespace ns, const SlotArray& array,
                           const std::byte* slot, std::uint64_t hash) {
  if (array.is_expired(slot, time_)) return;
  const std::size_t offset = undo_bytes_.size();
  table.encode_slot(array, slot, undo_bytes_);
  undo_.push_back({offset, static_cast<std::uint32_t>(undo_bytes_.size() - offset),
                   origin_of(table, ns), table.group_of(hash)});
}

// A batch writes to one namespace, so the last origin is nearly always the right one.
std::uint32_t SnapshotSession::origin_of(const HashmapTable& table, StateNamespace ns) {
  const auto is_it = [&](const Origin& origin) {
    return origin.table == &table && origin.ns == ns;
  };
  const auto found = std::find_if(origins_.rbegin(), origins_.rend(), is_it);
  if (found != origins_.rend()) return static_cast<std::uint32_t>(origins_.rend() - found - 1);
  origins_.push_back({&table, ns});
  return static_cast<std::uint32_t>(origins_.size() - 1);
}

void SnapshotSession::save_rest(const HashmapTable& table, StateNamespace ns, SlotArray& array) {
  for (std::size_t i = array.scanned(); i < array.capacity(); ++i) {
    const std::byte* slot = array.slot(i);
    if (array.is_live(slot) && header_of(slot).epoch != epoch_)
      save(table, ns, array, slot, array.hash_of(slot));
  }
  array.set_scanned(array.capacity());
}

bool SnapshotSession::step(SnapshotWriter& writer, std::size_t bytes_max) {
  TIDEMARK_CHECK(open_, "the backend still lives, and the part was not stepped to its end");
  declare_all(writer);
  std::size_t work = 0;
  while (work < bytes_max && next_ < pending_.size()) {
    if (undo_bytes_.size() >= kUndoPortionBytes) {
      work += drain_undo(writer);
      continue;
    }
    Pending& pending = pending_[next_];
    work += scan(pending, writer, bytes_max - work);
    if (pending.array->scanned() < pending.array->capacity()) continue;
    release(pending);
    ++next_;
  }
  flush_block(writer);
  if (next_ < pending_.size()) return false;
  drain_undo(writer);
  close();
  return true;
}

void SnapshotSession::declare_all(SnapshotWriter& writer) {
  if (declared_) return;
  for (const HashmapTable* table : tables_) writer.declare(describe_table(table->descriptor()));
  declared_ = true;
}

// Returns the work done, in bytes read or written, so that a sparse array is bounded too.
std::size_t SnapshotSession::scan(Pending& pending, SnapshotWriter& writer, std::size_t bytes_max) {
  SlotArray& array = *pending.array;
  const std::size_t stride = array.type().layout.stride;
  const std::size_t first = array.scanned();
  const std::size_t slots = std::max<std::size_t>(1, bytes_max / stride);
  const std::size_t end = std::min(array.capacity(), first + slots);
  for (std::size_t i = first; i < end; ++i) {
    const std::byte* slot = array.slot(i);
    if (!array.is_live(slot) || header_of(slot).epoch == epoch_) continue;
    if (array.is_expired(slot, time_)) continue;
    Block& block =
        block_for(*pending.table, pending.ns, pending.table->group_of(array.hash_of(slot)), writer);
    pending.table->encode_slot(array, slot, block.bytes);
    ++block.entries;
  }
  array.set_scanned(end);
  return (end - first) * stride;
}

std::size_t SnapshotSession::drain_undo(SnapshotWriter& writer) {
  flush_block(writer);
  order_undo();
  for (const std::uint32_t index : undo_order_) {
    const Undo& undo = undo_[index];
    const Origin& origin = origins_[undo.origin];
    Block& block = block_for(*origin.table, origin.ns, undo.group, writer);
    block.bytes.put_raw(undo_bytes_.view().substr(undo.offset, undo.length));
    ++block.entries;
  }
  flush_block(writer);
  const std::size_t drained = undo_bytes_.size();
  undo_.clear();
  undo_bytes_.clear();
  origins_.clear();
  return drained;
}

// By origin, then key group, then age: a counting sort by group, and one by origin where there are
// several.
void SnapshotSession::order_undo() {
  undo_order_.resize(undo_.size());
  std::iota(undo_order_.begin(), undo_order_.end(), std::uint32_t{0});
  const auto sort_by = [&](std::size_t values, auto value_of) {
    undo_begins_.assign(values + 1, 0);
    for (const Undo& undo : undo_) ++undo_begins_[value_of(undo) + 1];
    std::partial_sum(undo_begins_.begin(), undo_begins_.end(), undo_begins_.begin());
    std::vector<std::uint32_t> sorted(undo_.size());
    for (const std::uint32_t index : undo_order_)
      sorted[undo_begins_[value_of(undo_[index])]++] = index;
    undo_order_.swap(sorted);
  };
  KeyGroup last_group = 0;
  for (const Undo& undo : undo_) last_group = std::max(last_group, undo.group);
  sort_by(last_group + std::size_t{1}, [](const Undo& undo) { return undo.group; });
  if (origins_.size() > 1) sort_by(origins_.size(), [](const Undo& undo) { return undo.origin; });
}

SnapshotSession::Block& SnapshotSession::block_for(const HashmapTable& table, StateNamespace ns,
                                                   KeyGroup group, SnapshotWriter& writer) {
  if (block_.entries > 0 && (block_.table != &table || block_.ns != ns || block_.group != group))
    flush_block(writer);
  block_.table = &table;
  block_.ns = ns;
  block_.group = group;
  return block_;
}

void SnapshotSession::flush_block(SnapshotWriter& writer) {
  if (block_.entries == 0) return;
  framed_.clear();
  put_table_block_header({.ns = block_.ns,
                          .entries = block_.entries,
                          .value_width = value_width_in_blocks(*block_.table->descriptor().values,
                                                               block_.table->type().ttl.enabled())},
                         framed_);
  framed_.put_raw(block_.bytes.view());
  writer.write_keyed(block_.table->descriptor().name, block_.group, framed_.view());
  block_.entries = 0;
  block_.bytes.clear();
}

void SnapshotSession::release(Pending& pending) noexcept {
  pending.array->set_scanned(SlotArray::kNotFrozen);
  pending.table->recycle(std::move(pending.array));
}

void SnapshotSession::close() noexcept {
  if (!open_) return;
  for (; next_ < pending_.size(); ++next_) release(pending_[next_]);
  open_ = false;
  pending_.clear();
  undo_ = {};
  undo_order_ = {};
  undo_bytes_ = {};
  origins_ = {};
}

std::size_t SnapshotSession::memory_bytes() const noexcept {
  std::size_t bytes = undo_bytes_.size() + undo_.capacity() * sizeof(Undo) + block_.bytes.size();
  for (std::size_t i = next_; i < pending_.size(); ++i)
    if (pending_[i].array.use_count() == 1) bytes += pending_[i].array->memory_bytes();
  return bytes;
}

}  // namespace tidemark
