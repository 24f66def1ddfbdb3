// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/options.h"
#include "tidemark/base/result.h"
#include "tidemark/data/schema.h"
#include "tidemark/operator/operator.h"
#include "tidemark/operator/sink.h"
#include "tidemark/operator/source.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {

struct JobGraph;

namespace api_detail {

using StreamNodeId = std::uint32_t;

/// An edge of the graph, at its consumer.
struct StreamInput {
  StreamNodeId from = 0;
  OutputIndex output = kMainOutput;
  bool keyed = false;  // partitioned by `key_columns` of the producer's schema
  std::vector<std::size_t> key_columns;
  bool broadcast = false;  // every subtask gets every row
};

struct SideOutput {
  std::string name;
  SchemaPtr schema;
};

struct StreamNode {
  enum class Kind : std::uint8_t { kSource, kOperator, kUnion, kSink, kTableSink };

  Kind kind = Kind::kOperator;
  std::string name;  // what it does: "map", "window"; the derived uid ends in it
  std::string uid;   // empty when added: derived
  std::uint32_t parallelism = 0;
  SchemaPtr output;  // null for sinks
  std::vector<StreamInput> inputs;
  std::vector<SideOutput> side_outputs;  // outputs 1, 2, ...

  // By kind, one of:
  std::function<std::unique_ptr<Operator>()> make_operator;
  SourcePtr source;
  WatermarkStrategy watermark;  // with a source whose batches have event times
  SinkPtr sink;
  std::string table;  // kTableSink
  OptionMap table_options;
};

/// What a program has said so far: the typed streams are handles to nodes of it. Shared by the
/// Environment and its streams. One thread until the job starts.
class StreamGraph {
 public:
  StreamNodeId add(StreamNode node);

  const StreamNode& node(StreamNodeId id) const { return nodes_[id]; }
  const std::vector<StreamNode>& nodes() const noexcept { return nodes_; }

  void set_uid(StreamNodeId id, std::string uid);
  void set_name(StreamNodeId id, std::string name) { nodes_[id].name = std::move(name); }
  void set_parallelism(StreamNodeId id, std::uint32_t parallelism);

  /// Notes a mistake of the program. The first is what running the job returns, so that a chain of
  /// calls needs no check after each.
  void fail(std::string message);
  const std::optional<Error>& error() const noexcept { return error_; }

  /// The job as the runtime takes it, or the first mistake.
  Result<JobGraph> build(const std::string& job_name, const OptionMap& options) const;

 private:
  std::string derive_uid(const StreamNode& node) const;
  bool uid_taken(std::string_view uid) const;

  std::vector<StreamNode> nodes_;
  std::optional<Error> error_;
};

/// What all streams are: a node's output in a graph.
struct StreamHandle {
  std::shared_ptr<StreamGraph> graph;
  StreamNodeId node = 0;
  OutputIndex output = kMainOutput;

  StreamInput as_input() const { return {.from = node, .output = output}; }
};

}  // namespace api_detail
}  // namespace tidemark
