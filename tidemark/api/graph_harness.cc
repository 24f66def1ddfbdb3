// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/graph_harness.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/bytes.h"
#include "tidemark/base/check.h"
#include "tidemark/state/key.h"

namespace tidemark::api_detail {

struct GraphHarness::Node {
  // Where the batches of an input go, and the channels that its watermarks come by.
  struct Input {
    std::optional<KeyCodec> keys;  // set for a keyed input
    std::size_t first_channel = 0;
  };

  std::vector<OperatorHarness> subtasks;  // empty for a source, a union and a sink
  std::vector<Input> inputs;
  std::optional<WatermarkCombiner> watermarks;  // over the channels of all inputs
  EventTime passed = kMinTime;                  // the last watermark handed on by a union or sink
  std::size_t width = 1;                        // subtasks, for the channels of consumers

  std::unique_ptr<SinkContext> sink_context;
  std::unique_ptr<SinkWriter> writer;
  std::unique_ptr<Committer> committer;
};

namespace {

bool is_keyed(const StreamNode& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [](const StreamInput& input) { return input.keyed; });
}

std::vector<DataType> types_of(const Schema& schema, const std::vector<std::size_t>& columns) {
  std::vector<DataType> types;
  for (const std::size_t column : columns) types.push_back(schema.fields[column].type);
  return types;
}

}  // namespace

GraphHarness::GraphHarness(std::shared_ptr<StreamGraph> graph, StreamNodeId source,
                           StreamHandle sink, std::uint32_t parallelism,
                           std::uint32_t max_parallelism)
    : graph_(std::move(graph)),
      source_(source),
      sink_(std::move(sink)),
      parallelism_(parallelism),
      max_parallelism_(max_parallelism) {
  if (graph_->error()) throw Failure(*graph_->error());
  open(nullptr);
}

GraphHarness::~GraphHarness() = default;

void GraphHarness::open(const std::vector<std::vector<std::string>>* snapshots) {
  nodes_.clear();
  nodes_.resize(graph_->nodes().size());
  for (StreamNodeId id = 0; id < nodes_.size(); ++id) {
    const StreamNode& description = graph_->node(id);
    Node& node = nodes_[id];
    if (description.make_operator) {
      const std::uint32_t width = is_keyed(description) ? parallelism_ : 1;
      node.width = width;
      for (std::uint32_t subtask = 0; subtask < width; ++subtask) {
        const HarnessOptions options{.uid = description.uid,
                                     .subtask = subtask,
                                     .parallelism = width,
                                     .max_parallelism = max_parallelism_};
        if (snapshots == nullptr) {
          node.subtasks.emplace_back(description.make_operator, options);
        } else {
          node.subtasks.emplace_back(description.make_operator, options, (*snapshots)[id]);
        }
      }
    }
    if (description.sink) {
      node.sink_context = std::make_unique<SinkContext>();
      node.sink_context->sink_uid = description.uid;
      node.sink_context->parallelism = 1;
      node.writer = description.sink->open_writer(*node.sink_context);
      node.committer = description.sink->open_committer(*node.sink_context);
    }
    std::size_t channels = 0;
    for (const StreamInput& input : description.inputs) {
      Node::Input& at = node.inputs.emplace_back();
      at.first_channel = channels;
      channels += nodes_[input.from].width;
      if (input.keyed)
        at.keys.emplace(input.key_columns,
                        types_of(*graph_->node(input.from).output, input.key_columns));
    }
    node.watermarks.emplace(channels);
  }
}

void GraphHarness::push(const BatchPtr& batch) {
  deliver(source_, 0, {kMainOutput, batch, kMinTime});
  commit_sinks();
}

void GraphHarness::advance_watermark(EventTime watermark) {
  deliver(source_, 0, {kMainOutput, nullptr, watermark});
  commit_sinks();
}

void GraphHarness::advance_processing_time(Millis by) {
  for (StreamNodeId id = 0; id < nodes_.size(); ++id) {
    for (OperatorHarness& subtask : nodes_[id].subtasks) subtask.advance_processing_time(by);
    drain(id);
  }
  commit_sinks();
}

void GraphHarness::finish() {
  advance_watermark(kMaxTime);
  for (StreamNodeId id = 0; id < nodes_.size(); ++id) {
    for (OperatorHarness& subtask : nodes_[id].subtasks) subtask.finish();
    drain(id);
  }
  commit_sinks();
}

// Hands on what the subtasks of a node have said.
void GraphHarness::drain(StreamNodeId node) {
  for (std::size_t subtask = 0; subtask < nodes_[node].subtasks.size(); ++subtask)
    for (const HarnessElement& element : nodes_[node].subtasks[subtask].take_elements())
      deliver(node, subtask, element);
}

void GraphHarness::deliver(StreamNodeId from, std::size_t subtask, const HarnessElement& element) {
  if (element.batch && from == sink_.node && element.output == sink_.output)
    taken_.push_back(element.batch);
  for (StreamNodeId to = from + 1; to < nodes_.size(); ++to) {
    const std::vector<StreamInput>& inputs = graph_->node(to).inputs;
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      if (inputs[input].from != from) continue;
      if (!element.batch) {
        deliver_watermark(to, nodes_[to].inputs[input].first_channel + subtask, element.watermark);
      } else if (inputs[input].output == element.output) {
        deliver_batch(to, input, element.batch);
      }
    }
  }
}

void GraphHarness::deliver_batch(StreamNodeId to, std::size_t input, const BatchPtr& batch) {
  Node& node = nodes_[to];
  if (node.writer) return node.writer->write(batch);
  if (graph_->node(to).kind == StreamNode::Kind::kUnion)
    return deliver(to, 0, {kMainOutput, batch, kMinTime});
  const auto& keys = node.inputs[input].keys;
  if (graph_->node(to).inputs[input].broadcast) {
    for (OperatorHarness& subtask : node.subtasks) subtask.push(batch, input);
  } else if (!keys) {
    node.subtasks[0].push(batch, input);
  } else {
    KeyBatch encoded;
    keys->encode(*batch, encoded);
    std::vector<std::vector<RowIndex>> rows(node.width);
    for (std::size_t row = 0; row < batch->rows(); ++row)
      rows[subtask_of(key_group_of(encoded.hashes[row], max_parallelism_),
                      static_cast<std::uint32_t>(node.width), max_parallelism_)]
          .push_back(static_cast<RowIndex>(row));
    for (std::size_t subtask = 0; subtask < node.width; ++subtask)
      if (!rows[subtask].empty()) node.subtasks[subtask].push(gather(*batch, rows[subtask]), input);
  }
  drain(to);
}

void GraphHarness::deliver_watermark(StreamNodeId to, std::size_t channel, EventTime watermark) {
  Node& node = nodes_[to];
  if (!node.watermarks->on_watermark(channel, watermark)) return;
  const EventTime combined = node.watermarks->watermark();
  node.passed = combined;
  if (node.subtasks.empty()) {
    if (!node.writer) deliver(to, 0, {kMainOutput, nullptr, combined});
    return;
  }
  for (OperatorHarness& subtask : node.subtasks) subtask.advance_watermark(combined);
  drain(to);
}

// In a harness every step is a completed checkpoint for the sinks.
void GraphHarness::commit_sinks() {
  for (Node& node : nodes_) {
    if (!node.writer) continue;
    const std::vector<std::string> committables = node.writer->prepare(next_commit_++);
    if (node.committer && !committables.empty()) node.committer->commit(committables);
  }
}

EventTime GraphHarness::output_watermark() const {
  const Node& node = nodes_[sink_.node];
  if (node.subtasks.empty()) return node.passed;
  EventTime lowest = kMaxTime;
  for (const OperatorHarness& subtask : node.subtasks)
    lowest = std::min(lowest, subtask.output_watermark());
  return lowest;
}

std::vector<std::string> GraphHarness::late_sample() const {
  std::vector<std::string> rows;
  for (const auto& node : nodes_)
    for (const OperatorHarness& subtask : node.subtasks)
      for (std::string& row : subtask.late_sample()) rows.push_back(std::move(row));
  return rows;
}

std::uint64_t GraphHarness::late_rows() const {
  std::uint64_t rows = 0;
  for (const Node& node : nodes_)
    for (const OperatorHarness& subtask : node.subtasks) rows += subtask.late_rows();
  return rows;
}

// Nodes by uid, the snapshot of each of their subtasks.
std::string GraphHarness::snapshot() {
  ByteWriter out;
  for (StreamNodeId id = 0; id < nodes_.size(); ++id) {
    out.put_string(graph_->node(id).uid);
    out.put(static_cast<std::uint32_t>(nodes_[id].subtasks.size()));
    for (OperatorHarness& subtask : nodes_[id].subtasks) out.put_string(subtask.snapshot());
  }
  return out.take();
}

void GraphHarness::restore(std::string_view snapshot) {
  std::vector<std::vector<std::string>> snapshots(nodes_.size());
  ByteReader in(snapshot);
  for (StreamNodeId id = 0; id < nodes_.size(); ++id) {
    const std::string_view uid = in.get_string();
    if (uid != graph_->node(id).uid)
      throw Failure(ErrorCode::kCheckpointMismatch,
                    "the snapshot holds operator '" + std::string(uid) +
                        "' where the pipeline has '" + graph_->node(id).uid + "'",
                    /*retryable=*/false);
    for (auto subtasks = in.get<std::uint32_t>(); subtasks > 0; --subtasks)
      snapshots[id].emplace_back(in.get_string());
  }
  open(&snapshots);
}

}  // namespace tidemark::api_detail
