// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/api/stream_graph.h"
#include "tidemark/api/testing.h"
#include "tidemark/operator/watermark.h"

namespace tidemark::api_detail {

/// Runs the operators of a stream graph by direct calls, in one thread: what the runtime does with
/// tasks and channels, without either. Operators with keyed input run in `parallelism` subtasks,
/// all others in one.
class GraphHarness {
 public:
  /// Rows enter as the output of node `source`; what comes out of `sink` is kept for take().
  GraphHarness(std::shared_ptr<StreamGraph> graph, StreamNodeId source, StreamHandle sink,
               std::uint32_t parallelism, std::uint32_t max_parallelism);
  ~GraphHarness();

  void push(const BatchPtr& batch);
  void advance_watermark(EventTime watermark);
  void advance_processing_time(Millis by);
  void finish();

  std::vector<BatchPtr> take() { return std::exchange(taken_, {}); }
  EventTime output_watermark() const;
  std::uint64_t late_rows() const;
  std::vector<std::string> late_sample() const;

  std::string snapshot();
  /// Replaces every operator by a new one that is restored from the snapshot of a harness of the
  /// same graph, of any parallelism.
  void restore(std::string_view snapshot);

 private:
  struct Node;

  void open(const std::vector<std::vector<std::string>>* snapshots);
  void deliver(StreamNodeId from, std::size_t subtask, const HarnessElement& element);
  void deliver_batch(StreamNodeId to, std::size_t input, const BatchPtr& batch);
  void deliver_watermark(StreamNodeId to, std::size_t channel, EventTime watermark);
  void drain(StreamNodeId node);
  void commit_sinks();

  std::shared_ptr<StreamGraph> graph_;
  StreamNodeId source_;
  StreamHandle sink_;
  std::uint32_t parallelism_;
  std::uint32_t max_parallelism_;
  std::vector<Node> nodes_;
  std::vector<BatchPtr> taken_;
  CheckpointId next_commit_ = 1;
};

}  // namespace tidemark::api_detail
