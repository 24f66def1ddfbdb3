// SPDX-License-Identifier: Apache-2.0
// The format of timers in a snapshot, version 1. A block holds timers of one key group:
//   0   u32  number of timers
//   4        the timers: i64 time, i64 namespace, key
// A key is as in tables (state/table_block.h).
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "tidemark/base/error.h"
#include "tidemark/state/table_block.h"
#include "tidemark/state/timers.h"

namespace tidemark {
namespace {

constexpr std::uint32_t kTimerFormatVersion = 1;
// Timers are written in portions of several slices, so that a block holds more than a few.
constexpr std::size_t kPortionRecords = std::size_t{1} << 16;

StateDescriptor describe_timers(const std::string& name, KeyEncoding encoding) {
  return {.name = name,
          .keyed = true,
          .schema = std::string(to_string(encoding)) + ": timers",
          .version = kTimerFormatVersion};
}

KeyedEntry key_of(const TimerLog& log, const TimerRecord& record, KeyEncoding encoding) {
  KeyedEntry key;
  key.fixed_key = record.key;
  if (encoding != KeyEncoding::kFixed8) key.variable_key = log.key_of(record);
  return key;
}

/// The slices as they were, without what was appended since.
struct FrozenSlice {
  std::int64_t number;
  std::shared_ptr<const TimerLog> log;
  std::size_t records;
};

class TimersPart final : public SnapshotPart {
 public:
  TimersPart(StateDescriptor state, KeyEncoding encoding, std::vector<FrozenSlice> slices)
      : state_(std::move(state)),
        encoding_(encoding),
        slices_(std::move(slices)),
        sorter_(encoding) {}

  bool step(SnapshotWriter& writer, std::size_t bytes_max) override {
    if (!declared_) writer.declare(state_);
    declared_ = true;
    std::size_t bytes = 0;
    while (next_ < slices_.size() && bytes < bytes_max) bytes += write_portion(writer);
    return next_ == slices_.size();
  }

 private:
  struct Entry {
    KeyGroup group;
    std::size_t begin;
    std::size_t end;
  };

  std::size_t write_portion(SnapshotWriter& writer) {
    entries_.clear();
    bytes_.clear();
    while (next_ < slices_.size() && entries_.size() < kPortionRecords) add(slices_[next_++]);
    order_by_group();
    for (std::size_t begin = 0; begin < entries_.size();) {
      std::size_t end = begin;
      block_.clear();
      block_.put(std::uint32_t{0});
      for (; end < entries_.size() && entries_[end].group == entries_[begin].group; ++end)
        block_.put_raw(
            bytes_.view().substr(entries_[end].begin, entries_[end].end - entries_[end].begin));
      std::string block = block_.take();
      const auto count = static_cast<std::uint32_t>(end - begin);
      std::memcpy(block.data(), &count, sizeof(count));
      writer.write_keyed(state_.name, entries_[begin].group, block);
      begin = end;
    }
    return bytes_.size() + 1;
  }

  // A counting sort.
  void order_by_group() {
    KeyGroup last = 0;
    for (const Entry& entry : entries_) last = std::max(last, entry.group);
    begins_.assign(last + std::size_t{2}, 0);
    for (const Entry& entry : entries_) ++begins_[entry.group + std::size_t{1}];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    ordered_.resize(entries_.size());
    for (const Entry& entry : entries_) ordered_[begins_[entry.group]++] = entry;
    entries_.swap(ordered_);
  }

  void add(FrozenSlice& slice) {
    sorter_.sort(*slice.log, slice.records, sorted_);
    for (const TimerRecord& record : sorted_) {
      const std::size_t begin = bytes_.size();
      bytes_.put(record.time(slice.number));
      bytes_.put(record.ns);
      write_key(key_of(*slice.log, record, encoding_), encoding_, bytes_);
      entries_.push_back({record.group(), begin, bytes_.size()});
    }
    slice.log = nullptr;
  }

  StateDescriptor state_;
  KeyEncoding encoding_;
  std::vector<FrozenSlice> slices_;
  TimerSorter sorter_;
  bool declared_ = false;
  std::size_t next_ = 0;
  std::vector<TimerRecord> sorted_;
  std::vector<Entry> entries_;
  std::vector<Entry> ordered_;
  std::vector<std::uint32_t> begins_;
  ByteWriter bytes_;
  ByteWriter block_;
};

}  // namespace

std::unique_ptr<SnapshotPart> TimerQueue::snapshot() {
  if (has_run()) suspend_run();
  std::vector<FrozenSlice> frozen;
  frozen.reserve(slices_.size());
  for (const auto& [number, slice] : slices_)
    frozen.push_back({number, slice.log, slice.log->records.size()});
  return std::make_unique<TimersPart>(describe_timers(name_, encoding_), encoding_,
                                      std::move(frozen));
}

void TimerQueue::restore(const SnapshotReader& reader) {
  const StateDescriptor* stored = reader.find(name_);
  if (stored == nullptr) return;
  const StateDescriptor wanted = describe_timers(name_, encoding_);
  if (stored->schema != wanted.schema || stored->version != wanted.version)
    throw Failure(ErrorCode::kCheckpointMismatch,
                  "the timers '" + name_ + "' in the checkpoint are of '" + stored->schema +
                      "' in version " + std::to_string(stored->version) + ", but the job needs '" +
                      wanted.schema + "' in version " + std::to_string(wanted.version) +
                      ": the type of a key cannot change",
                  /*retryable=*/false);
  reader.read_keyed(name_,
                    [&](KeyGroup group, std::string_view block) { restore_block(group, block); });
}

void TimerQueue::restore_block(KeyGroup group, std::string_view block) {
  const auto damaged = [&](const std::string& how) {
    throw Failure(ErrorCode::kCheckpointDamaged, "state '" + name_ + "' " + how,
                  /*retryable=*/false);
  };
  if (!range_.contains(group))
    damaged("was handed key group " + std::to_string(group) + ", which another subtask owns");
  ByteReader in(block);
  KeyBatch keys;
  clear_keys(encoding_, keys);
  std::vector<std::pair<std::int64_t, StateNamespace>> timers;
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) {
    const auto time = in.get<std::int64_t>();
    timers.emplace_back(time, in.get<StateNamespace>());
    append_key(read_key(in, encoding_), keys);
  }
  if (!in.at_end()) damaged("has a block that is longer than its timers");
  hash_keys(keys);
  for (std::size_t i = 0; i < timers.size(); ++i) {
    if (key_group_of(keys.hashes[i], max_parallelism_) != group)
      damaged("holds a key in a key group that is not its own");
    add(timers[i].second, keys, i, timers[i].first);
  }
}

}  // namespace tidemark
