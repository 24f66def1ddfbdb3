// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tidemark/runtime/attempt.h"

namespace tidemark {

/// Makes the parts of all tasks of an attempt: channels along the edges, sources, operators, sinks.
/// Used once.
class TaskBuilder {
 public:
  /// `wakers` are those of the tasks, by SubtaskId.
  TaskBuilder(const AttemptContext& context, Deployment& deployment,
              std::vector<std::shared_ptr<TaskWaker>> wakers);

  /// By SubtaskId: chain after chain, subtask after subtask. `control` and `stats` are set, too.
  std::vector<TaskParts> build();

 private:
  struct Place {
    std::size_t chain;
    std::uint32_t subtask;
  };

  void open_channels();
  bool sends_no_rows(std::size_t chain, std::uint32_t subtask) const;
  std::vector<std::unique_ptr<ChannelSender>> open_from(const PlannedEdge& edge,
                                                        std::uint32_t subtask);
  TaskParts build_task(const Place& place);
  void add_source(TaskParts& parts, const Place& place, std::size_t node);
  ChainMember build_member(TaskParts& parts, const Place& place, std::size_t node);
  std::unique_ptr<KeyedStateBackend> make_backend(KeyGroupRange range, std::uint32_t groups) const;
  std::unique_ptr<Operator> build_operator(TaskParts& parts, const Place& place, std::size_t node);
  TaskStats::OperatorLine add_line(TaskParts& parts, std::size_t node, OperatorRole role);
  BlockingContext blocking(SubtaskId id) const;
  /// The same in every run: a source that makes up rows makes the same again.
  std::uint64_t seed_of(std::size_t node, std::uint32_t subtask) const;
  /// Another in each run and after each checkpoint, so that UUID() does not come again for the rows
  /// behind the checkpoint.
  std::uint64_t fresh_seed_of(std::size_t node, std::uint32_t subtask) const;
  std::shared_ptr<RateLimiter> limiter_of(std::size_t node);

  const AttemptContext& context_;
  const JobBlueprint& blueprint_;
  Deployment& deployment_;
  std::vector<std::shared_ptr<TaskWaker>> wakers_;
  std::map<SubtaskId, std::vector<GateChannel>> gates_;
  // Ports by (task, node, output).
  struct PortKey {
    SubtaskId task;
    std::size_t node;
    std::uint32_t output;
    auto operator<=>(const PortKey&) const = default;
  };
  std::map<PortKey, std::vector<std::unique_ptr<OutputPort>>> ports_;
  std::map<std::size_t, std::shared_ptr<RateLimiter>> limiters_;
};

}  // namespace tidemark
