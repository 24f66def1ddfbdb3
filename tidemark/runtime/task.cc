// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/operator/keyed_restore.h"
#include "tidemark/operator/snapshot_parts.h"

namespace tidemark {
namespace {

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

}  // namespace

Task::Task(TaskParts parts) : parts_(std::move(parts)) {
  TIDEMARK_CHECK((parts_.source == nullptr) != (parts_.gate == nullptr),
                 "a task has a source or a gate");
  last_poll_end_ns_ = parts_.clock->monotonic_ns();
}

Task::~Task() = default;

PollState Task::poll(const PollBudget& budget) {
  account_before_poll();
  const PollState state = run(budget);
  account_after_poll(state);
  return state;
}

PollState Task::run(const PollBudget& budget) {
  if (parts_.control->cancelled()) return close();
  if (!opened_) open();
  obey();
  if (parts_.source) parts_.source->begin_poll();
  for (std::size_t i = 0; i < budget.batches_max; ++i) {
    const Turn turn = take_turn();
    advance_snapshot();
    if (turn != Turn::kWorked) return wait_state(turn);
  }
  return PollState::kReady;
}

void Task::open() {
  opened_ = true;
  for (std::size_t i = 0; i < parts_.chain->size(); ++i) {
    ChainMember& member = parts_.chain->member(i);
    member.op->open(member.context);
    if (parts_.restore[i]) restore(i, *parts_.restore[i]);
    if (parts_.finished[i]) parts_.chain->set_finished(i);
  }
  parts_.restore.clear();
  if (parts_.source) parts_.source->open(parts_.chain->entry());
}

void Task::restore(std::size_t member_index, const SnapshotReader& reader) {
  ChainMember& member = parts_.chain->member(member_index);
  member.tell_time(kMinTime);
  if (member.keyed_state) restore_keyed_state(*member.keyed_state, reader, member.context.uid);
  member.op->restore(reader);
}

// Takes note of what the master wants, apart from the trigger, which waits for its moment.
void Task::obey() {
  const CheckpointId completed = parts_.control->completed();
  if (completed > completed_seen_) {
    completed_seen_ = completed;
    if (parts_.source) parts_.source->on_checkpoint_complete(completed);
    for (std::size_t i = 0; i < parts_.chain->size(); ++i)
      parts_.chain->member(i).op->on_checkpoint_complete(completed);
  }
  const CheckpointId aborted = parts_.control->aborted();
  if (aborted > aborted_seen_) {
    aborted_seen_ = aborted;
    last_snapshot_ = std::max(last_snapshot_, aborted);
    if (parts_.gate) parts_.gate->abort_checkpoint(aborted);
    if (snapshot_ && snapshot_->checkpoint() <= aborted) snapshot_.reset();
  }
  report_published();
}

void Task::report_published() {
  if (completed_seen_ == published_reported_) return;
  CheckpointId published = completed_seen_;
  if (parts_.source) published = std::min(published, parts_.source->poll_published());
  if (parts_.sink) published = std::min(published, parts_.sink->poll_published());
  if (published <= published_reported_) return;
  published_reported_ = published;
  parts_.master->post(task_message::Published{parts_.attempt, parts_.id, published});
}

PollState Task::close() {
  snapshot_.reset();
  if (opened_) parts_.chain->close();
  parts_.master->post(task_message::Closed{parts_.attempt, parts_.id});
  return PollState::kFinished;
}

void Task::on_failure(std::exception_ptr failure) noexcept {
  task_message::Failed failed{parts_.attempt, parts_.id, "", true};
  try {
    std::rethrow_exception(failure);
  } catch (const Failure& known) {
    failed.reason = known.what();
    failed.retryable = known.retryable();
  } catch (const std::exception& other) {
    failed.reason = other.what();
  } catch (...) {
    failed.reason = "an exception of an unknown type";
  }
  failed.reason = fmt::format("{} ({}): {}", parts_.stats->name, parts_.subtask, failed.reason);
  parts_.master->post(std::move(failed));
}

Task::Turn Task::take_turn() {
  bool flushed = true;
  for (const auto& port : parts_.ports) flushed &= port->flush();
  switch (parts_.chain->resume()) {
    case OperatorChain::Progress::kWorked: return Turn::kWorked;
    case OperatorChain::Progress::kBlocked: return Turn::kNoCredit;
    case OperatorChain::Progress::kIdle: break;
  }
  if (may_snapshot_by_trigger()) {
    start_snapshot(parts_.control->triggered());
    return Turn::kWorked;
  }
  if (end_sent_) return flushed ? Turn::kWaiting : Turn::kNoCredit;
  if (!parts_.chain->ports_ready()) return Turn::kNoCredit;
  if (run_due_timers()) return Turn::kWorked;
  if (input_ended_) return finish_turn();
  return parts_.source ? source_turn() : gate_turn();
}

// Sources by every trigger, between batches; others only when no barrier can reach them any more.
bool Task::may_snapshot_by_trigger() const {
  if (parts_.control->triggered().checkpoint <= last_snapshot_) return false;
  if (end_sent_) return true;
  return parts_.source && !input_ended_ && parts_.source->at_boundary();
}

Task::Turn Task::source_turn() {
  if (parts_.control->stopped() && parts_.source->at_boundary()) return Turn::kWaiting;
  switch (parts_.source->step(parts_.chain->entry())) {
    case SourceHead::Result::kWorked: return Turn::kWorked;
    case SourceHead::Result::kBlocked: return Turn::kNoCredit;
    case SourceHead::Result::kWaiting: return Turn::kWaiting;
    case SourceHead::Result::kEnded: input_ended_ = true; return Turn::kWorked;
  }
  return Turn::kWaiting;
}

Task::Turn Task::gate_turn() {
  std::optional<GateEvent> event = parts_.gate->next();
  if (!event) return Turn::kNoInput;
  std::visit(
      Overloaded{[this](const GateRows& rows) { parts_.chain->process(rows.batch, rows.input); },
                 [this](const Watermark& mark) { parts_.chain->on_watermark(mark.time); },
                 [this](const Barrier& barrier) { start_snapshot(barrier); },
                 [this](const StreamStatus& status) { parts_.chain->on_status(status.active); },
                 [this](const EndOfInput&) { input_ended_ = true; },
                 [this](const LatencyMarker& marker) {
                   for (const auto& port : parts_.ports) port->broadcast(marker);
                 }},
      *event);
  return Turn::kWorked;
}

Task::Turn Task::finish_turn() {
  if (parts_.chain->finish_next()) return Turn::kWorked;
  for (const auto& port : parts_.ports) port->broadcast(EndOfInput{});
  end_sent_ = true;
  parts_.master->post(task_message::Ended{parts_.attempt, parts_.id});
  return Turn::kWorked;
}

bool Task::run_due_timers() {
  const ProcessingTime next = parts_.chain->next_processing_time();
  if (next == kMaxTime) return false;
  const ProcessingTime now = parts_.clock->now();
  if (next > now) return false;
  parts_.chain->on_processing_time(now);
  return true;
}

void Task::start_snapshot(const Barrier& barrier) {
  if (barrier.checkpoint <= last_snapshot_) return;
  last_snapshot_ = barrier.checkpoint;
  // Downstream first: others can align while this task writes.
  if (!end_sent_)
    for (const auto& port : parts_.ports) port->broadcast(barrier);
  snapshot_.reset();
  const JobCounters counters = parts_.stats->counters();
  std::vector<FrozenOperator> frozen = freeze(barrier);
  CheckpointStorage* storage = parts_.storage;
  if (barrier.kind == SnapshotKind::kSavepoint) {
    savepoint_ = parts_.control->savepoint();
    storage = savepoint_.get();
  }
  if (storage == nullptr) return acknowledge(barrier.checkpoint, {}, counters, end_sent_);
  snapshot_ = std::make_unique<TaskSnapshot>(barrier.checkpoint, counters, end_sent_,
                                             std::move(frozen), *storage, parts_.blocking);
}

std::vector<FrozenOperator> Task::freeze(const Barrier& barrier) {
  const CheckpointId checkpoint = barrier.checkpoint;
  std::vector<FrozenOperator> frozen;
  if (parts_.source)
    frozen.push_back({parts_.source_uid, parts_.subtask, parts_.source->snapshot(checkpoint)});
  for (std::size_t i = 0; i < parts_.chain->size(); ++i) {
    ChainMember& member = parts_.chain->member(i);
    std::vector<std::unique_ptr<SnapshotPart>> states;
    member.tell_time(kMinTime);
    if (member.keyed_state) states.push_back(member.keyed_state->snapshot(barrier.kind));
    states.push_back(member.op->snapshot(checkpoint));
    frozen.push_back({member.context.uid, parts_.subtask, join_parts(std::move(states))});
  }
  return frozen;
}

// A disk that is full costs the checkpoint, not the task.
void Task::advance_snapshot() {
  if (!snapshot_) return;
  const CheckpointId checkpoint = snapshot_->checkpoint();
  try {
    snapshot_->step();
    std::optional<std::vector<SnapshotFile>> files = snapshot_->take_files();
    if (!files) return;
    acknowledge(checkpoint, std::move(*files), snapshot_->counters(), snapshot_->ended());
  } catch (const IoFailure& failure) {
    decline(checkpoint, failure.what());
  }
  snapshot_.reset();
}

void Task::acknowledge(CheckpointId checkpoint, std::vector<SnapshotFile> files,
                       const JobCounters& counters, bool ended) {
  parts_.master->post(task_message::Acknowledged{parts_.attempt, parts_.id, checkpoint,
                                                 std::move(files), counters, ended});
}

void Task::decline(CheckpointId checkpoint, std::string reason) {
  parts_.master->post(
      task_message::Declined{parts_.attempt, parts_.id, checkpoint, std::move(reason)});
}

PollState Task::wait_state(Turn turn) {
  if (snapshot_ && snapshot_->has_work()) return PollState::kReady;
  arm_timers(turn);
  switch (turn) {
    case Turn::kNoCredit: return PollState::kWaitCredit;
    case Turn::kNoInput: return PollState::kWaitInput;
    default: return PollState::kWaitExternal;
  }
}

void Task::arm_timers(Turn turn) {
  ProcessingTime when = kMaxTime;
  if (!end_sent_) when = parts_.chain->next_processing_time();
  if (turn == Turn::kWaiting && parts_.source && !input_ended_ && !parts_.control->stopped())
    when = std::min(when, parts_.source->next_time());
  if (when != kMaxTime) wake_timer_.arm(*parts_.blocking.waker, when, parts_.clock->now());
}

void Task::account_before_poll() {
  const std::int64_t now = parts_.clock->monotonic_ns();
  const auto elapsed =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - last_poll_end_ns_));
  TaskMetrics& time = parts_.stats->time;
  switch (last_state_) {
    case PollState::kWaitCredit:
      time.backpressured_ns.add(elapsed);
      if (parts_.source) parts_.source->add_blocked_time(static_cast<Millis>(elapsed / 1'000'000));
      break;
    case PollState::kReady: time.busy_ns.add(elapsed); break;
    default: time.idle_ns.add(elapsed); break;
  }
  last_poll_end_ns_ = now;
}

void Task::account_after_poll(PollState state) {
  const std::int64_t now = parts_.clock->monotonic_ns();
  parts_.stats->time.busy_ns.add(
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, now - last_poll_end_ns_)));
  last_poll_end_ns_ = now;
  last_state_ = state;
}

}  // namespace tidemark
