// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidemark/operator/metrics.h"
#include "tidemark/operator/operator.h"
#include "tidemark/runtime/output_port.h"

namespace tidemark {

/// What a source writes to: an operator's output, and the status of the stream.
class StreamOutput : public Output {
 public:
  /// Says, in order with the rows, that the stream falls silent (false) or speaks again.
  virtual void emit_status(bool active) = 0;
};

/// The ports of one output of one operator: an edge each.
using PortList = std::vector<OutputPort*>;

/// An operator of a chain, with all that it uses.
struct ChainMember {
  std::unique_ptr<Operator> op;
  OperatorContext context;
  std::unique_ptr<KeyedStateBackend> keyed_state;  // null for operators without keys
  std::shared_ptr<OperatorMetrics> metrics;
  std::map<OutputIndex, PortList> side_ports;

  /// Tells the keyed state what time it is (KeyedStateBackend::advance_time); kMinTime when the
  /// watermark is as it was.
  void tell_time(EventTime watermark) {
    if (keyed_state)
      keyed_state->advance_time({.now = context.clock->now(), .watermark = watermark});
  }
};

/// The first output of a chain that begins with a source.
struct ChainHead {
  std::shared_ptr<OperatorMetrics> metrics;  // null when rows come from a gate
};

/// Operators that call one another directly, without queues between them, and the ports behind the
/// last. When an operator answers Step::kMore the chain is pending: resume() goes on with the
/// deepest pending operator first, so that everything behind it is done and in order, and what was
/// emitted to an operator that is still busy waits before it. Control elements are passed in only
/// when nothing is pending, but for watermarks and status emitted inside the chain, which wait in
/// line.
///
/// Owner: a task. Thread: the task's. Does not own the ports.
class OperatorChain {
 public:
  enum class Progress : std::uint8_t {
    kIdle,     // nothing is pending
    kWorked,   // an operator went on; there may be more
    kBlocked,  // the deepest pending operator waits for an output port
  };

  OperatorChain(ChainHead head, std::vector<ChainMember> members, PortList main_ports);
  ~OperatorChain();
  OperatorChain(const OperatorChain&) = delete;
  OperatorChain& operator=(const OperatorChain&) = delete;

  std::size_t size() const noexcept { return nodes_.size(); }
  ChainMember& member(std::size_t i) noexcept;

  /// Where a source at the front of the chain emits to.
  StreamOutput& entry() noexcept;

  /// Into the first operator. Require that nothing is pending.
  void process(const BatchPtr& batch, std::size_t input);
  void on_watermark(EventTime watermark);
  void on_status(bool active);

  bool idle() const noexcept { return busy_nodes_ == 0; }
  Progress resume();

  /// When an operator wants on_processing_time next.
  ProcessingTime next_processing_time() const;
  /// Calls the operators that are due. Requires that nothing is pending.
  void on_processing_time(ProcessingTime now);

  /// Calls finish() of the next operator that has not been finished; false when there is none.
  /// Requires that nothing is pending.
  bool finish_next();
  /// Leaves out finish() of operator `i`: it had finished before a restore.
  void set_finished(std::size_t i);
  bool finished(std::size_t i) const;

  /// Whether every port has room.
  bool ports_ready() const;
  void close();

 private:
  class Link;
  struct Item {
    enum class Kind : std::uint8_t { kBatch, kWatermark, kStatus } kind;
    BatchPtr batch;
    EventTime watermark = kMinTime;
    bool active = true;
  };
  struct Node {
    ChainMember member;
    std::unique_ptr<Link> output;
    std::deque<Item> waiting;
    bool pending = false;
    bool finished = false;
    bool busy() const noexcept { return pending || !waiting.empty(); }
  };

  // `to` is an operator's number; size() means the main ports.
  void deliver(std::size_t to, Item item);
  void run(std::size_t at, const Item& item, std::size_t input);
  void send_to_ports(const Item& item);
  void after_call(std::size_t at, Step step);
  bool downstream_ready(std::size_t from) const;

  std::unique_ptr<Link> entry_;
  std::vector<Node> nodes_;
  PortList main_ports_;
  PortList all_ports_;
  std::size_t busy_nodes_ = 0;
};

}  // namespace tidemark
