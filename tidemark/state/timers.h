// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/state/key.h"
#include "tidemark/state/key_group.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/state/snapshot.h"
#include "tidemark/state/timer_log.h"

namespace tidemark {

/// Timers that are due, in the order in which they fire. Valid until the queue's next due(); who
/// takes them may set the keys' times.
struct DueTimers {
  KeyBatch keys;
  std::vector<std::int64_t> times;
  std::vector<StateNamespace> namespaces;

  std::size_t size() const noexcept { return times.size(); }
};

/// The timers of one operator in one subtask, on one clock: event time or processing time. A timer
/// is (key, namespace, time), once however often it is added. They fire in the order of time, then
/// key group, then the key's encoded form (words as numbers, others as bytes), then namespace.
///
/// A calendar: slices of 1,024 ms hold their timers in no order until they are due. Adding and
/// removing append to a slice, 10 to 40 ns, whatever the number of timers; a slice that is full of
/// repetitions is compacted, so memory follows the timers that there are. Thread: the task's.
class TimerQueue {
 public:
  /// `name` is the state's in snapshots.
  TimerQueue(std::string name, KeyEncoding encoding, KeyGroupRange range,
             std::uint32_t max_parallelism);

  /// times[i] is the timer's of keys[rows[i]]. A time that has passed is due at the next call of
  /// due(), also while timers fire.
  void add(StateNamespace ns, const KeyBatch& keys, Selection rows,
           std::span<const std::int64_t> times);
  void add(StateNamespace ns, const KeyBatch& keys, std::size_t row, std::int64_t time) {
    append(ns, keys, row, time, /*removed=*/false);
  }
  /// A timer that there is not is no mistake.
  void remove(StateNamespace ns, const KeyBatch& keys, std::size_t row, std::int64_t time) {
    append(ns, keys, row, time, /*removed=*/true);
  }

  /// The first timers with time <= `until`, at most `count`. Before each is fired ask may_fire():
  /// what the timers before it added or removed may come first, and then the rest of the batch
  /// waits for the next. consume() says how many have been fired.
  DueTimers& due(std::int64_t until, std::size_t count);
  bool may_fire(std::size_t i) const noexcept { return due_.times[i] <= may_fire_until_; }
  void consume(std::size_t count) noexcept;

  /// No timer is due before this; kMaxTime when there is none. After due() has returned nothing for
  /// a time this is later than it.
  std::int64_t next_time() const noexcept;

  /// At least as many as there are timers.
  std::size_t records() const noexcept { return records_; }
  std::size_t memory_bytes() const noexcept;

  /// Freezes the timers as they are, in a time that depends on the number of slices alone. Not
  /// between due() and consume(). The part may outlive the queue.
  std::unique_ptr<SnapshotPart> snapshot();
  /// Adds the timers that `reader` holds for this subtask's key groups.
  void restore(const SnapshotReader& reader);

 private:
  struct Slice {
    std::shared_ptr<TimerLog> log = std::make_shared<TimerLog>();
    std::int64_t earliest = kMaxTime;  // of its records, removals too
    std::size_t compact_at = kCompactAt;
  };
  using Slices = std::map<std::int64_t, Slice>;
  // Compacting costs a sort, and slices of fewer records cost little memory.
  static constexpr std::size_t kCompactAt = 4096;
  // A power of two: slices near each other are found without the map.
  static constexpr std::size_t kNearSlices = 4096;

  void append(StateNamespace ns, const KeyBatch& keys, std::size_t row, std::int64_t time,
              bool removed);
  Slice& slice_at(std::int64_t number);
  void forget(Slices::iterator slice);
  void compact(Slice& slice);
  bool has_run() const noexcept { return run_at_ < run_.size(); }
  std::int64_t run_time() const noexcept { return run_[run_at_].time(run_slice_); }
  bool prepare(std::int64_t until);
  void load_first_slice();
  void suspend_run();
  void hand_out(std::int64_t until, std::size_t count);
  void restore_block(KeyGroup group, std::string_view block);

  std::string name_;
  KeyEncoding encoding_;
  KeyGroupRange range_;
  std::uint32_t max_parallelism_;
  Slices slices_;
  struct Near {
    std::int64_t number = 0;
    Slice* slice = nullptr;
  };
  std::vector<Near> near_ = std::vector<Near>(kNearSlices);
  std::size_t records_ = 0;
  TimerSorter sorter_;

  // The slice that is being fired: in order, and taken out of slices_. What is added to it
  // meanwhile makes a new slice there.
  std::int64_t run_slice_ = 0;
  std::shared_ptr<TimerLog> run_log_;
  std::vector<TimerRecord> run_;
  std::size_t run_at_ = 0;

  DueTimers due_;
  std::int64_t may_fire_until_ = kMaxTime;
};

}  // namespace tidemark
