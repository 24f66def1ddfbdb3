// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/data/batch.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// Counters of one operator in one subtask, written by its task and read by anyone
/// (operator/metrics.h). Every row that enters is accounted for by one of them.
struct OperatorMetrics;

/// Identifies a side output of an operator: 0 is the main output.
using OutputIndex = std::uint32_t;
inline constexpr OutputIndex kMainOutput = 0;

/// Where an operator sends what it makes. Implemented by the chain (runtime/) and by the harness.
class Output {
 public:
  virtual ~Output() = default;

  /// Hands on a batch. Empty batches are ignored.
  virtual void emit(BatchPtr batch) = 0;
  /// Hands a batch to a side output; without a consumer the rows are dropped (and were counted by
  /// the operator).
  virtual void emit_side(OutputIndex side, BatchPtr batch) = 0;
  /// Promises that no row with event time < `watermark` follows. A watermark that is not above the
  /// last one is ignored.
  virtual void emit_watermark(EventTime watermark) = 0;
  /// Whether there is room. After each emit an operator with more to say looks here: when false it
  /// returns Step::kMore and goes on in resume(). What is emitted regardless is kept, so nothing is
  /// lost, but an operator that ignores a full output breaks the bound on memory.
  virtual bool ready() const = 0;
};

/// Whether an operator has said everything that its last input leads to.
enum class Step : std::uint8_t {
  kDone,
  kMore,  // the output was full: call resume() when it is ready, and nothing else before
};

/// What an operator knows of its place. Outlives the operator.
struct OperatorContext {
  std::string uid;  // stable across restarts, unique in the job
  std::uint32_t subtask = 0;
  std::uint32_t parallelism = 1;
  std::uint32_t max_parallelism = kDefaultMaxParallelism;
  const Clock* clock = nullptr;
  KeyedStateBackend* keyed_state = nullptr;  // null for operators without keyed input
  OperatorMetrics* metrics = nullptr;
  std::string time_zone = "UTC";
  std::uint64_t seed = 0;  // differs by operator and subtask, equal from run to run
};

/// One step of a pipeline. The task that owns it calls, on its one thread and in this order:
/// open, restore (if there is a snapshot), then process / on_watermark / on_processing_time /
/// snapshot in the order of the stream, finish once when every input has ended, close.
/// Never re-entered. Failures throw.
class Operator {
 public:
  virtual ~Operator() = default;

  virtual void open(OperatorContext& context) { static_cast<void>(context); }

  /// Rows of one input, all after the watermark last seen and before the next.
  virtual Step process(const BatchPtr& batch, std::size_t input, Output& out) = 0;

  /// The watermark combined over all inputs rose. Emit what it completes first, then pass it on.
  virtual Step on_watermark(EventTime watermark, Output& out) {
    out.emit_watermark(watermark);
    return Step::kDone;
  }

  /// The time asked for by next_processing_time() has come.
  virtual Step on_processing_time(ProcessingTime now, Output& out) {
    static_cast<void>(now), static_cast<void>(out);
    return Step::kDone;
  }
  /// When on_processing_time is wanted next; kMaxTime for never.
  virtual ProcessingTime next_processing_time() const { return kMaxTime; }

  /// Goes on after Step::kMore.
  virtual Step resume(Output& out) {
    static_cast<void>(out);
    return Step::kDone;
  }

  /// Whether its rows may update or take back earlier ones though its input's do not. Constant.
  virtual bool gives_changes() const { return false; }

  /// Freezes all state as it is now, in constant time; the rest is done by the part. nullptr: none.
  /// Keyed state opened from the context's backend is snapshotted by the task, not here.
  virtual std::unique_ptr<SnapshotPart> snapshot(CheckpointId checkpoint) {
    static_cast<void>(checkpoint);
    return nullptr;
  }
  /// Called after open and after the keyed state was loaded.
  virtual void restore(const SnapshotReader& reader) { static_cast<void>(reader); }
  /// Checkpoint `checkpoint` is complete: what it holds may be published. May repeat.
  virtual void on_checkpoint_complete(CheckpointId checkpoint) { static_cast<void>(checkpoint); }

  /// Every input has ended (after a watermark of kMaxTime).
  virtual Step finish(Output& out) {
    static_cast<void>(out);
    return Step::kDone;
  }
  virtual void close() {}
};

/// A snapshot part of a few operator-state items, copied when it was made.
std::unique_ptr<SnapshotPart> make_operator_state_part(StateDescriptor state,
                                                       std::vector<std::string> items);

}  // namespace tidemark
