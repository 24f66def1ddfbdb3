// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/operator_chain.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {

// The output of a source or of one operator: counts, and hands on to what stands behind.
class OperatorChain::Link final : public StreamOutput {
 public:
  Link(OperatorChain& chain, std::size_t to, OperatorMetrics* metrics,
       const std::map<OutputIndex, PortList>* side_ports)
      : chain_(chain), to_(to), metrics_(metrics), side_ports_(side_ports) {}

  void emit(BatchPtr batch) override {
    if (!batch || batch->rows() == 0) return;
    if (metrics_) metrics_->records_out.add(batch->rows());
    chain_.deliver(to_, {.kind = Item::Kind::kBatch, .batch = std::move(batch)});
  }

  void emit_side(OutputIndex side, BatchPtr batch) override {
    if (!batch || batch->rows() == 0 || !side_ports_) return;
    const auto found = side_ports_->find(side);
    if (found == side_ports_->end()) return;
    for (OutputPort* port : found->second) port->send(batch);
  }

  void emit_watermark(EventTime watermark) override {
    if (watermark <= last_watermark_) return;
    last_watermark_ = watermark;
    if (metrics_) metrics_->watermark.store(watermark, std::memory_order_relaxed);
    chain_.deliver(to_, {.kind = Item::Kind::kWatermark, .batch = {}, .watermark = watermark});
  }

  void emit_status(bool active) override {
    chain_.deliver(to_, {.kind = Item::Kind::kStatus, .batch = {}, .active = active});
  }

  bool ready() const override { return chain_.downstream_ready(to_); }

 private:
  OperatorChain& chain_;
  std::size_t to_;
  OperatorMetrics* metrics_;
  const std::map<OutputIndex, PortList>* side_ports_;
  EventTime last_watermark_ = kMinTime;
};

OperatorChain::OperatorChain(ChainHead head, std::vector<ChainMember> members, PortList main_ports)
    : main_ports_(std::move(main_ports)), all_ports_(main_ports_) {
  nodes_.resize(members.size());
  entry_ = std::make_unique<Link>(*this, 0, head.metrics.get(), nullptr);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.member = std::move(members[i]);
    for (const auto& [side, ports] : node.member.side_ports)
      all_ports_.insert(all_ports_.end(), ports.begin(), ports.end());
    node.output =
        std::make_unique<Link>(*this, i + 1, node.member.metrics.get(), &node.member.side_ports);
  }
}

OperatorChain::~OperatorChain() {
  // An operator may hold a scan of its state; of a database on disk it must go first.
  for (Node& node : nodes_) node.member.op.reset();
}

ChainMember& OperatorChain::member(std::size_t i) noexcept {
  return nodes_[i].member;
}
StreamOutput& OperatorChain::entry() noexcept {
  return *entry_;
}

void OperatorChain::process(const BatchPtr& batch, std::size_t input) {
  TIDEMARK_DCHECK(idle(), "nothing pending");
  run(0, {.kind = Item::Kind::kBatch, .batch = batch}, input);
}

void OperatorChain::on_watermark(EventTime watermark) {
  TIDEMARK_DCHECK(idle(), "nothing pending");
  deliver(0, {.kind = Item::Kind::kWatermark, .batch = {}, .watermark = watermark});
}

void OperatorChain::on_status(bool active) {
  TIDEMARK_DCHECK(idle(), "nothing pending");
  deliver(0, {.kind = Item::Kind::kStatus, .batch = {}, .active = active});
}

void OperatorChain::deliver(std::size_t to, Item item) {
  if (to == nodes_.size()) return send_to_ports(item);
  Node& node = nodes_[to];
  if (node.busy()) {
    node.waiting.push_back(std::move(item));
    return;
  }
  run(to, item, 0);
}

void OperatorChain::run(std::size_t at, const Item& item, std::size_t input) {
  Node& node = nodes_[at];
  if (item.kind != Item::Kind::kStatus) node.member.tell_time(item.watermark);
  switch (item.kind) {
    case Item::Kind::kBatch:
      if (node.member.metrics) node.member.metrics->records_in.add(item.batch->rows());
      after_call(at, node.member.op->process(item.batch, input, *node.output));
      break;
    case Item::Kind::kWatermark:
      after_call(at, node.member.op->on_watermark(item.watermark, *node.output));
      break;
    case Item::Kind::kStatus: deliver(at + 1, item); break;
  }
}

void OperatorChain::after_call(std::size_t at, Step step) {
  Node& node = nodes_[at];
  const bool was_busy = node.busy();
  node.pending = step == Step::kMore;
  if (node.busy() && !was_busy) ++busy_nodes_;
  if (!node.busy() && was_busy) --busy_nodes_;
}

void OperatorChain::send_to_ports(const Item& item) {
  switch (item.kind) {
    case Item::Kind::kBatch:
      for (OutputPort* port : main_ports_) port->send(item.batch);
      break;
    case Item::Kind::kWatermark:
      for (OutputPort* port : all_ports_) port->broadcast(Watermark{item.watermark});
      break;
    case Item::Kind::kStatus:
      for (OutputPort* port : all_ports_) port->broadcast(StreamStatus{item.active});
      break;
  }
}

OperatorChain::Progress OperatorChain::resume() {
  if (idle()) return Progress::kIdle;
  std::size_t at = nodes_.size();
  while (at > 0 && !nodes_[at - 1].busy()) --at;
  TIDEMARK_CHECK(at > 0, "a busy node");
  Node& node = nodes_[--at];
  if (!node.output->ready()) return Progress::kBlocked;
  if (node.pending) {
    after_call(at, node.member.op->resume(*node.output));
  } else {
    const Item item = std::move(node.waiting.front());
    node.waiting.pop_front();
    if (!node.busy()) --busy_nodes_;
    run(at, item, 0);
  }
  return Progress::kWorked;
}

bool OperatorChain::downstream_ready(std::size_t from) const {
  for (std::size_t i = from; i < nodes_.size(); ++i)
    if (nodes_[i].busy()) return false;
  return ports_ready();
}

bool OperatorChain::ports_ready() const {
  return std::all_of(all_ports_.begin(), all_ports_.end(),
                     [](const OutputPort* port) { return port->ready(); });
}

ProcessingTime OperatorChain::next_processing_time() const {
  ProcessingTime next = kMaxTime;
  for (const Node& node : nodes_) next = std::min(next, node.member.op->next_processing_time());
  return next;
}

void OperatorChain::on_processing_time(ProcessingTime now) {
  // From the last operator on, so that what one emits meets operators that are not busy.
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    Node& node = nodes_[i];
    if (node.busy() || node.member.op->next_processing_time() > now) continue;
    node.member.tell_time(kMinTime);
    after_call(i, node.member.op->on_processing_time(now, *node.output));
  }
}

bool OperatorChain::finish_next() {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    if (node.finished) continue;
    node.finished = true;
    after_call(i, node.member.op->finish(*node.output));
    return true;
  }
  return false;
}

void OperatorChain::set_finished(std::size_t i) {
  nodes_[i].finished = true;
}
bool OperatorChain::finished(std::size_t i) const {
  return nodes_[i].finished;
}

void OperatorChain::close() {
  for (Node& node : nodes_) node.member.op->close();
}

}  // namespace tidemark
