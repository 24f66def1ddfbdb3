// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tidemark/base/bytes.h"
#include "tidemark/checkpoint/coordinator.h"
#include "tidemark/checkpoint/coordinator_printing.h"

// Every sequence of events up to a depth, for two and three subtasks: what tests of single paths do
// not think of. Sequences that lead to the same state are followed once.

namespace tidemark {
namespace {

using namespace checkpoint_event;

/// What an observer who sees only events and actions knows, with the rules that must hold.
struct Observer {
  CheckpointId last_injected = 0;
  CheckpointId open = 0;           // injected, neither completed nor aborted
  bool writing = false;            // WriteMetadata came for `open`
  bool may_abort_writing = false;  // because its metadata failed
  bool attempt = false;            // between Start and Ended or FailJob
  std::uint32_t failures = 0;      // that count, in a row

  std::string check(const CheckpointState& state, const std::vector<CheckpointAction>& actions,
                    bool metadata_failed = false) {
    may_abort_writing = metadata_failed;
    for (const CheckpointAction& action : actions) {
      const std::string wrong = std::visit([this](const auto& a) { return on(a); }, action);
      if (!wrong.empty()) return wrong + " at '" + in_words(action) + "'";
    }
    if (state.pending.has_value() != (open != 0)) return "pending differs from what was injected";
    if (state.completed.size() > state.config.retained) return "more completed than retained";
    if (!attempt && open != 0 && !writing) return "pending outside of an attempt";
    if (state.pending && !state.pending->writing_metadata && state.pending->waiting_for.empty())
      return "waits for nobody";
    return "";
  }

  std::string on(const checkpoint_action::InjectBarriers& a) {
    if (open != 0) return "two pending";
    if (!attempt) return "injected outside of an attempt";
    if (a.checkpoint <= last_injected) return "a number that does not rise";
    open = last_injected = a.checkpoint;
    writing = false;
    return "";
  }
  std::string on(const checkpoint_action::WriteMetadata& a) {
    if (a.checkpoint != open || writing) return "writes what is not pending";
    writing = true;
    return "";
  }
  std::string on(const checkpoint_action::NotifyComplete& a) {
    if (a.checkpoint != open || !writing) return "completes what was not written";
    open = 0;
    return "";
  }
  std::string on(const checkpoint_action::Abort& a) {
    if (a.checkpoint != open) return "aborts what is not pending";
    if (writing && !may_abort_writing) return "aborts what is being written";
    open = 0;
    return "";
  }
  std::string on(const checkpoint_action::Discard& a) {
    return a.checkpoint == open ? "discards the pending one" : "";
  }
  std::string on(const checkpoint_action::FailJob&) {
    if (!attempt) return "fails a job that does not run";
    attempt = false;
    return "";
  }
  std::string on(const checkpoint_action::WakeAt&) { return ""; }
};

struct Explorer {
  explicit Explorer(std::uint32_t subtask_count) : subtasks(subtask_count) {}

  void explore(const CheckpointState& state, const Observer& observer, int depth,
               ProcessingTime now) {
    if (depth == 0 || !failure.empty()) return;
    int& explored = visited[key(state, observer, now)];
    if (explored >= depth) return;
    explored = depth;
    for (const ProcessingTime later : {now, now + 7})
      for (const CheckpointEvent& event : events(state, observer, later)) {
        CheckpointState next = state;
        Observer sees = observer;
        const auto actions = step(next, event);
        ++steps;
        if (std::holds_alternative<Start>(event)) sees.attempt = true;
        // The actions of the event that ends an attempt still belong to it.
        const bool metadata_failed = std::holds_alternative<MetadataFailed>(event);
        std::string wrong = sees.check(next, actions, metadata_failed);
        if (std::holds_alternative<Ended>(event)) sees.attempt = false;
        if (wrong.empty()) wrong = sees.check(next, {});
        if (wrong.empty()) wrong = goes_on(next, later);
        if (!wrong.empty()) {
          failure = wrong + " after event " + std::to_string(event.index());
          return;
        }
        explore(next, sees, depth - 1, later);
        if (!failure.empty()) {
          failure += " <- " + std::to_string(event.index());
          return;
        }
      }
  }

  /// From every state the pending checkpoint completes when all goes well, and the next one comes.
  static std::string goes_on(CheckpointState state, ProcessingTime now) {
    if (state.pending) {
      const CheckpointId id = state.pending->id;
      const bool savepoint = state.pending->reason == CheckpointReason::kSavepoint;
      for (const SubtaskId subtask : std::set<SubtaskId>(state.pending->waiting_for))
        step(state, Acknowledged{now, id, subtask});
      if (!state.pending || !state.pending->writing_metadata) return "does not write its metadata";
      step(state, MetadataWritten{now, id});
      const bool recovers = !state.completed.empty() && state.completed.back() == id;
      if (recovers == savepoint) return savepoint ? "retains a savepoint" : "does not complete";
      if (state.pending && state.pending->id == id) return "does not end";
    }
    if (!state.active || state.pending || state.running.empty() || state.config.interval == 0)
      return "";
    if (state.wake_at == kMaxTime) return "asks for no wake";
    step(state, Tick{std::max({state.wake_at, state.next_due, now})});
    return state.pending ? "" : "starts no other";
  }

  std::vector<CheckpointEvent> events(const CheckpointState& state, const Observer& observer,
                                      ProcessingTime now) const {
    std::set<SubtaskId> all;
    for (SubtaskId s = 1; s <= subtasks; ++s) all.insert(s);
    std::vector<CheckpointEvent> found{Tick{now}, Trigger{now, CheckpointReason::kSavepoint},
                                       Trigger{now, CheckpointReason::kFinal}};
    if (!state.pending && !observer.attempt) found.push_back(Start{now, state.completed, all});
    if (observer.attempt) found.push_back(Ended{now, ""});
    const CheckpointId current = observer.last_injected;
    for (const CheckpointId id : {current, current - 1, current + 1}) {
      for (const SubtaskId s : all) {
        found.push_back(Acknowledged{now, id, s});
        found.push_back(Declined{now, id, s, ""});
      }
      found.push_back(MetadataWritten{now, id});
      found.push_back(MetadataFailed{now, id, ""});
    }
    for (const SubtaskId s : all) found.push_back(SubtaskFinished{now, s});
    return found;
  }

  /// States that differ only by a shift of the clock are the same.
  static std::string key(const CheckpointState& s, const Observer& o, ProcessingTime now) {
    ByteWriter out;
    const auto time = [&](ProcessingTime t) { out.put(t == kMaxTime ? t : t - now); };
    const auto subtasks_of = [&](const std::set<SubtaskId>& set) {
      out.put(set.size());
      for (const SubtaskId id : set) out.put(id);
    };
    out.put(s.active), out.put(s.next_id - o.last_injected), out.put(s.consecutive_failures);
    out.put(s.savepoint_requested), out.put(s.requested ? static_cast<int>(*s.requested) : -1);
    time(s.next_due), time(s.requested_due), time(s.wake_at);
    subtasks_of(s.running);
    for (const CheckpointId id : s.completed) out.put(o.last_injected - id);
    if (s.pending) {
      out.put(o.last_injected - s.pending->id), out.put(s.pending->writing_metadata);
      out.put(s.pending->reason), time(s.pending->started);
      subtasks_of(s.pending->waiting_for);
    }
    out.put(o.open), out.put(o.writing), out.put(o.attempt);
    return out.take();
  }

  std::uint32_t subtasks;
  std::map<std::string, int> visited;
  std::uint64_t steps = 0;
  std::string failure;
};

class CoordinatorExploration : public ::testing::TestWithParam<CheckpointConfig> {};

TEST_P(CoordinatorExploration, NoSequenceOfEventsBreaksTheRules) {
  for (const std::uint32_t subtasks : {2u, 3u}) {
    Explorer explorer(subtasks);
    CheckpointState state;
    state.config = GetParam();
    explorer.explore(state, Observer{}, subtasks == 2 ? 8 : 6, 1'000);
    EXPECT_EQ(explorer.failure, "") << "with " << subtasks << " subtasks";
    EXPECT_GT(explorer.steps, 10'000u);
    RecordProperty("steps", std::to_string(explorer.steps));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Configurations, CoordinatorExploration,
    ::testing::Values(
        CheckpointConfig{.interval = 7, .timeout = 20},
        CheckpointConfig{.interval = 0, .timeout = 10, .tolerable_failures = 1},
        CheckpointConfig{
            .interval = 10, .timeout = 7, .min_pause = 8, .tolerable_failures = 2, .retained = 2}));

}  // namespace
}  // namespace tidemark
