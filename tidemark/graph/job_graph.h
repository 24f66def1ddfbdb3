// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Checks what the runtime relies on: ids and uids unique, edges between existing nodes, topological
/// order, schemas of the two sides of an edge, keys in range, every node but sinks consumed.
Status validate(const proto::JobGraph& graph);

/// A 64-bit identity of a job's meaning: nodes, specs and edges, without options and parallelism. A
/// checkpoint of a graph with another identity is refused.
std::uint64_t fingerprint(const proto::JobGraph& graph);

/// The plan as a tree, sinks first, for EXPLAIN.
std::string explain(const proto::JobGraph& graph);

}  // namespace tidemark
