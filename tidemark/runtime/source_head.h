// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/operator/watermark.h"
#include "tidemark/runtime/operator_chain.h"
#include "tidemark/runtime/publish_queue.h"
#include "tidemark/runtime/rate_limiter.h"
#include "tidemark/runtime/source_rows.h"
#include "tidemark/runtime/split_state.h"

namespace tidemark {

/// Name of the operator state that holds the parallelism for which a source's splits were
/// enumerated.
inline constexpr std::string_view kEnumerationState = "enumeration";

struct SourceHeadDescription {
  SourcePtr source;
  SourceRowsDescription rows;
  std::optional<WatermarkStrategy> watermark;  // absent: none but the one at the end
  RecordErrorPolicy record_errors = RecordErrorPolicy::kFail;
  std::optional<DeadLetterPlace> dead_letters;  // for kDeadLetter
  std::shared_ptr<RateLimiter> limiter;         // null: as fast as it goes
  std::size_t batch_rows = kDefaultBatchRows;
  std::uint32_t enumerated_for = 1;  // parallelism given to Source::enumerate
};

/// The front of a source task: reads the splits of its subtask in turn, a batch each, and sends
/// rows, watermarks and status into the chain. Every split has a watermark generator of its own;
/// the watermark sent is the combination over the splits.
///
/// A split is idle when its reader had nothing for `idle_after` and was asked: time during which
/// the task did not ask, because its output was full, does not count. Without splits an unbounded
/// source is idle.
///
/// Owner: a task. Thread: the task's.
class SourceHead {
 public:
  enum class Result : std::uint8_t {
    kWorked,
    kBlocked,  // the output has no room
    kWaiting,  // nothing to read before next_time()
    kEnded,    // every split is at its end, and the last watermark is out
  };

  /// `metrics` and `progress` outlive this.
  SourceHead(SourceHeadDescription description, SourceContext context, OperatorMetrics& metrics,
             SourceProgress& progress, std::vector<SplitState> splits, BlockingContext blocking);
  ~SourceHead();

  /// Sends what restored splits had promised before.
  void open(StreamOutput& out);
  /// Splits that wait for nothing but a wake are asked again.
  void begin_poll();
  /// Reads at most one batch. Requires that `out` is ready.
  Result step(StreamOutput& out);
  ProcessingTime next_time() const noexcept { return next_time_; }
  /// The task could not ask its splits for `millis`, because its output was full.
  void add_blocked_time(Millis millis);

  /// Whether a barrier may pass: every row read was sent.
  bool at_boundary() const noexcept { return !cursor_.has_value(); }
  std::unique_ptr<SnapshotPart> snapshot(CheckpointId checkpoint);
  void on_checkpoint_complete(CheckpointId checkpoint);
  /// Up to which checkpoint dead letters are published; see PublishQueue::poll().
  CheckpointId poll_published();

 private:
  struct OpenSplit;
  /// A batch that is being sent piece by piece (on-event emission).
  struct Cursor {
    std::size_t split;
    BatchPtr batch;
    std::size_t begin = 0;
  };

  std::optional<std::size_t> next_readable(ProcessingTime now);
  Result read_split(std::size_t index, ProcessingTime now, StreamOutput& out);
  void send_rows(std::size_t index, const BatchPtr& rows, StreamOutput& out);
  void open_generator(OpenSplit& split);
  bool send_pieces(StreamOutput& out);
  void finish_split(std::size_t index, StreamOutput& out);
  void note_silence(std::size_t index, ProcessingTime now);
  void mark_idle_splits(StreamOutput& out);
  void send_progress(StreamOutput& out);
  void update_bytes(OpenSplit& split);
  Result wait_or_end(StreamOutput& out);

  SourceHeadDescription description_;
  const Clock& clock_;
  OperatorMetrics& metrics_;
  SourceProgress& progress_;
  BadRecordPolicy bad_records_;
  SourceContext context_;
  std::unique_ptr<SourceRows> rows_;
  std::vector<OpenSplit> splits_;
  WatermarkCombiner combiner_;
  std::unique_ptr<PublishQueue> dead_letters_;
  std::optional<Cursor> cursor_;
  std::vector<EventTime> watermarks_;  // of the batch just observed
  std::size_t turn_ = 0;
  std::size_t unfinished_ = 0;
  ProcessingTime next_time_ = kMaxTime;
  EventTime sent_watermark_ = kMinTime;
  bool sent_idle_ = false;
  bool ended_ = false;
};

}  // namespace tidemark
