// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/task_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/base/hash.h"
#include "tidemark/runtime/operator_factory.h"
#include "tidemark/state/rocksdb/rocksdb_backend.h"

namespace tidemark {

TaskBuilder::TaskBuilder(const AttemptContext& context, Deployment& deployment,
                         std::vector<std::shared_ptr<TaskWaker>> wakers)
    : context_(context),
      blueprint_(*context.blueprint),
      deployment_(deployment),
      wakers_(std::move(wakers)) {}

std::vector<TaskParts> TaskBuilder::build() {
  open_channels();
  std::vector<TaskParts> tasks;
  for (std::size_t chain = 0; chain < blueprint_.plan.chains.size(); ++chain)
    for (std::uint32_t subtask = 0; subtask < blueprint_.plan.chains[chain].parallelism; ++subtask)
      tasks.push_back(build_task({chain, subtask}));
  return tasks;
}

void TaskBuilder::open_channels() {
  for (const PlannedEdge& edge : blueprint_.plan.edges) {
    const PlannedNode& from = blueprint_.plan.nodes[edge.from_node];
    const PlannedNode& to = blueprint_.plan.nodes[edge.to_node];
    for (std::uint32_t subtask = 0; subtask < from.parallelism; ++subtask) {
      std::unique_ptr<KeyGroupPartitioner> partitioner;
      if (edge.distribution == Distribution::kKeyGroup)
        partitioner = std::make_unique<KeyGroupPartitioner>(
            edge.key_columns, edge.key_types, to.parallelism, blueprint_.config.max_parallelism);
      ports_[{blueprint_.plan.task(from.chain, subtask), edge.from_node, edge.from_output}]
          .push_back(std::make_unique<OutputPort>(edge.distribution, open_from(edge, subtask),
                                                  std::move(partitioner)));
    }
  }
}

/// Whether a subtask of a source has nothing left to read, and nothing between it and its channels
/// holds rows. Its channels then never hold back a watermark: which rows are late must not depend
/// on how fast the end of a subtask without splits travels.
bool TaskBuilder::sends_no_rows(std::size_t chain, std::uint32_t subtask) const {
  for (const std::size_t node : blueprint_.plan.chains[chain].nodes) {
    const auto source = blueprint_.sources.find(node);
    if (source == blueprint_.sources.end()) {
      if (!blueprint_.plan.nodes[node].node->has_calc()) return false;
      continue;
    }
    const std::vector<SplitState>& splits = deployment_.sources.at(node).splits[subtask];
    if (splits.empty() && !source->second.source->bounded()) return false;
    if (!std::all_of(splits.begin(), splits.end(), [](const auto& s) { return s.finished; }))
      return false;
  }
  return blueprint_.sources.contains(blueprint_.plan.chains[chain].nodes.front());
}

std::vector<std::unique_ptr<ChannelSender>> TaskBuilder::open_from(const PlannedEdge& edge,
                                                                   std::uint32_t subtask) {
  const PlannedNode& from = blueprint_.plan.nodes[edge.from_node];
  const PlannedNode& to = blueprint_.plan.nodes[edge.to_node];
  const SubtaskId sender = blueprint_.plan.task(from.chain, subtask);
  const EventTime promised = sends_no_rows(from.chain, subtask) ? kMaxTime : kMinTime;
  std::vector<std::unique_ptr<ChannelSender>> senders;
  for (std::uint32_t target = 0; target < to.parallelism; ++target) {
    if (edge.distribution == Distribution::kForward && target != subtask) continue;
    const SubtaskId receiver = blueprint_.plan.task(to.chain, target);
    Channel channel = context_.environs.transport->open_channel(
        {.batches_max = blueprint_.config.channel_batches,
         .wake_receiver = [waker = wakers_[receiver]] { waker->wake(); },
         .wake_sender = [waker = wakers_[sender]] { waker->wake(); }});
    gates_[receiver].push_back({std::move(channel.receiver), edge.to_input, promised});
    senders.push_back(std::move(channel.sender));
  }
  return senders;
}

TaskParts TaskBuilder::build_task(const Place& place) {
  const PlannedChain& chain = blueprint_.plan.chains[place.chain];
  TaskParts parts;
  parts.id = blueprint_.plan.task(place.chain, place.subtask);
  parts.attempt = context_.number;
  parts.subtask = place.subtask;
  parts.clock = context_.environs.clock;
  parts.storage = context_.storage.get();
  parts.blocking = blocking(parts.id);
  parts.master = context_.master;
  parts.control = std::make_shared<TaskControl>();
  parts.stats = std::make_shared<TaskStats>();
  parts.stats->name = chain.name;
  parts.stats->subtask = place.subtask;

  ChainHead head;
  std::vector<ChainMember> members;
  for (const std::size_t node : chain.nodes) {
    if (blueprint_.sources.contains(node)) {
      add_source(parts, place, node);
      head.metrics = parts.stats->operators.back().metrics;
    } else {
      members.push_back(build_member(parts, place, node));
    }
  }
  PortList main_ports;
  for (auto& port : ports_[{parts.id, chain.nodes.back(), kMainOutput}]) {
    main_ports.push_back(port.get());
    parts.ports.push_back(std::move(port));
  }
  if (!parts.source) parts.gate = std::make_unique<InputGate>(std::move(gates_[parts.id]));
  parts.chain = std::make_unique<OperatorChain>(head, std::move(members), std::move(main_ports));
  return parts;
}

void TaskBuilder::add_source(TaskParts& parts, const Place& place, std::size_t node) {
  const SourceBlueprint& source = blueprint_.sources.at(node);
  SourceAssignment& assignment = deployment_.sources.at(node);
  const TaskStats::OperatorLine line = add_line(parts, node, OperatorRole::kSource);
  SourceHeadDescription description{.source = source.source,
                                    .rows = source.rows,
                                    .watermark = source.watermark,
                                    .record_errors = source.options.record_errors,
                                    .dead_letters = std::nullopt,
                                    .limiter = limiter_of(node),
                                    .batch_rows = blueprint_.config.batch_rows,
                                    .enumerated_for = assignment.enumerated_for};
  description.rows.seed = fresh_seed_of(node, place.subtask);
  if (source.options.record_errors == RecordErrorPolicy::kDeadLetter)
    description.dead_letters = DeadLetterPlace{.files = context_.environs.files,
                                               .directory = source.options.dead_letter_path,
                                               .table = source.table,
                                               .job_id = context_.job_id,
                                               .subtask = place.subtask};
  parts.source_uid = blueprint_.uid(node);
  parts.source =
      std::make_unique<SourceHead>(std::move(description),
                                   SourceContext{.files = context_.environs.files,
                                                 .clock = context_.environs.clock,
                                                 .table = source.table,
                                                 .bad_records = nullptr,
                                                 .seed = seed_of(node, place.subtask)},
                                   *line.metrics, parts.stats->progress,
                                   std::move(assignment.splits[place.subtask]), parts.blocking);
}

ChainMember TaskBuilder::build_member(TaskParts& parts, const Place& place, std::size_t node) {
  const PlannedNode& planned = blueprint_.plan.nodes[node];
  const bool is_sink = blueprint_.sinks.contains(node);
  ChainMember member;
  member.metrics =
      add_line(parts, node, is_sink ? OperatorRole::kSink : OperatorRole::kOperator).metrics;
  member.op = build_operator(parts, place, node);
  if (!is_sink && is_keyed(blueprint_, node)) {
    const std::uint32_t groups = blueprint_.config.max_parallelism;
    member.keyed_state = make_backend(range_of(place.subtask, planned.parallelism, groups), groups);
  }
  member.context = {.uid = blueprint_.uid(node),
                    .subtask = place.subtask,
                    .parallelism = planned.parallelism,
                    .max_parallelism = blueprint_.config.max_parallelism,
                    .clock = context_.environs.clock,
                    .keyed_state = member.keyed_state.get(),
                    .metrics = member.metrics.get(),
                    .time_zone = blueprint_.config.time_zone,
                    .seed = fresh_seed_of(node, place.subtask)};
  for (auto& [key, ports] : ports_) {
    if (key.task != parts.id || key.node != node || key.output == kMainOutput) continue;
    for (auto& port : ports) {
      member.side_ports[key.output].push_back(port.get());
      parts.ports.push_back(std::move(port));
    }
  }
  const auto reader = deployment_.readers.find({node, place.subtask});
  parts.restore.push_back(reader == deployment_.readers.end() ? nullptr
                                                              : std::move(reader->second));
  parts.finished.push_back(deployment_.finished.contains(node));
  return member;
}

std::unique_ptr<KeyedStateBackend> TaskBuilder::make_backend(KeyGroupRange range,
                                                             std::uint32_t groups) const {
  const StateConfig& state = blueprint_.config.state;
  if (state.backend == StateConfig::Backend::kHashmap) return make_hashmap_backend(range, groups);
  // Each keyed subtask gets an equal part of the memory.
  std::uint64_t backends = 0;
  for (std::size_t node = 0; node < blueprint_.plan.nodes.size(); ++node)
    if (!blueprint_.sinks.contains(node) && is_keyed(blueprint_, node))
      backends += blueprint_.plan.nodes[node].parallelism;
  return make_rocksdb_backend(range, groups,
                              {.directories = state.local_directories,
                               .memory_bytes = state.managed_memory / backends,
                               .incremental = state.incremental});
}

std::unique_ptr<Operator> TaskBuilder::build_operator(TaskParts& parts, const Place& place,
                                                      std::size_t node) {
  const auto sink = blueprint_.sinks.find(node);
  if (sink == blueprint_.sinks.end()) return make_operator(blueprint_, node).or_throw();
  SinkContext sink_context{.files = context_.environs.files,
                           .clock = context_.environs.clock,
                           .table = sink->second.table,
                           .job_id = context_.job_id,
                           .sink_uid = blueprint_.uid(node),
                           .subtask = place.subtask,
                           .parallelism = blueprint_.plan.nodes[node].parallelism};
  auto op = std::make_unique<SinkOperator>(sink->second.sink, sink_context, sink->second.schema,
                                           parts.blocking);
  parts.sink = op.get();
  return op;
}

TaskStats::OperatorLine TaskBuilder::add_line(TaskParts& parts, std::size_t node,
                                              OperatorRole role) {
  const proto::Node& proto_node = *blueprint_.plan.nodes[node].node;
  parts.stats->operators.push_back({.uid = proto_node.uid(),
                                    .name = proto_node.name(),
                                    .role = role,
                                    .metrics = std::make_shared<OperatorMetrics>()});
  return parts.stats->operators.back();
}

BlockingContext TaskBuilder::blocking(SubtaskId id) const {
  return {context_.environs.executor, context_.work, wakers_[id]};
}

std::uint64_t TaskBuilder::seed_of(std::size_t node, std::uint32_t subtask) const {
  return stable_hash(fmt::format("{}#{}", blueprint_.uid(node), subtask));
}

std::uint64_t TaskBuilder::fresh_seed_of(std::size_t node, std::uint32_t subtask) const {
  const proto::CheckpointMetadata* restored = deployment_.restored();
  const std::uint64_t from = restored ? restored->checkpoint_id() : 0;
  return stable_hash(
      fmt::format("{}#{}#{}#{}", blueprint_.uid(node), subtask, context_.job_id, from));
}

std::shared_ptr<RateLimiter> TaskBuilder::limiter_of(std::size_t node) {
  const double rate = blueprint_.sources.at(node).options.rows_per_second;
  if (rate <= 0) return nullptr;
  std::shared_ptr<RateLimiter>& limiter = limiters_[node];
  if (!limiter)
    limiter = std::make_shared<RateLimiter>(rate, context_.environs.clock->monotonic_ns());
  return limiter;
}

}  // namespace tidemark
