// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "tidemark/base/result.h"
#include "tidemark/graph/job_graph.pb.h"
#include "tidemark/operator/operator.h"
#include "tidemark/operator/sink.h"
#include "tidemark/operator/source.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {

/// What a C++ program adds to a graph: factories named by NativeSpec::factory. A factory makes one
/// instance a subtask. Exactly one member is set.
struct NativeFactory {
  std::function<std::unique_ptr<Operator>()> make_operator;
  SourcePtr source;
  WatermarkStrategy watermark;  // with `source`: event times come with its batches
  SinkPtr sink;
};

/// A job as the runtime takes it. Immutable once built.
struct JobGraph {
  proto::JobGraph plan;
  std::map<std::string, NativeFactory, std::less<>> native;
};

/// Checks what the runtime relies on: ids and uids unique, edges between existing nodes,
/// topological order, schemas of the two sides of an edge, columns and keys in range, every node
/// but sinks consumed. The error names the node.
Status validate(const proto::JobGraph& graph);

/// A 64-bit identity of a job's meaning, equal on every machine and in every version. A checkpoint
/// of a graph with another identity is refused, so it changes with what the state and the output
/// mean and with nothing else (fingerprint.cc):
///
///   counted      the nodes' uids, kinds, schemas, expressions, windows, keys and watermarks, the
///                edges, and of a table's options `connector`, `format` and `path`
///
///   not counted  names, parallelism (and so forward or rebalance), the job's options, all other
///                options of tables (throttles, error policies, idleness, emission of
///                watermarks), node ids, order of the nodes
std::uint64_t fingerprint(const proto::JobGraph& graph);
/// The same of one node and the edges into it.
std::uint64_t fingerprint(const proto::JobGraph& graph, const proto::Node& node);
/// For messages about a mismatch: what may change and what may not.
inline constexpr std::string_view kFingerprintRule =
    "of a table's options only connector, format and path count; names, parallelism and SET "
    "options may change";

/// One line: what the node does, without its name: "TUMBLE(1 h) on scheduled_at, keys [origin],
/// ...".
std::string describe(const proto::JobGraph& graph, const proto::Node& node);

/// The plan as a tree, sinks first, for EXPLAIN.
std::string explain(const proto::JobGraph& graph);

}  // namespace tidemark
