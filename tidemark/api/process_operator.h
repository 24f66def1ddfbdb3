// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/api/collector.h"
#include "tidemark/api/operator_states.h"
#include "tidemark/api/operators.h"
#include "tidemark/api/process_context.h"
#include "tidemark/api/process_core.h"
#include "tidemark/data/record.h"
#include "tidemark/operator/declares_states.h"
#include "tidemark/operator/snapshot_parts.h"

// The operator behind KeyedStream::process: the program's function in a typed loop over the rows of
// a batch, or over a batch of timers.

namespace tidemark::api_detail {

/// The states that a function lists in states(), in its order.
template <typename F>
auto states_of(F& function) {
  if constexpr (requires { function.states(); }) {
    return function.states();
  } else {
    return std::tuple<>();
  }
}

template <typename Handle, typename F>
std::vector<Handle*> handles_of(F& function) {
  std::vector<Handle*> handles;
  std::apply(
      [&](auto&... state) {
        [[maybe_unused]] const auto add = [&](auto& one) {
          if constexpr (std::is_base_of_v<Handle, std::remove_reference_t<decltype(one)>>)
            handles.push_back(&one);
        };
        (add(state), ...);
      },
      states_of(function));
  return handles;
}

// A function with a member called on_timer, whatever its parameters: so that one with the wrong
// parameters does not compile.
template <typename F>
concept HasOnTimer = requires {
  &F::on_timer;
};

/// The collectors of a function's outputs, and where they end.
template <typename... Rows>
class Collectors {
 public:
  template <typename Source>
  void attach(const Source& source) {
    std::apply([&](auto&... collector) { (collector.attach(source), ...); }, collectors_);
  }
  /// Calls `use` with every collector.
  template <typename Use>
  void at_row(std::size_t row, Use&& use) {
    std::apply(
        [&](auto&... collector) {
          (collector.at_row(row), ...);
          use(collector...);
        },
        collectors_);
  }
  std::size_t largest() const {
    return std::apply([](const auto&... collector) { return std::max({collector.rows()...}); },
                      collectors_);
  }
  void flush(Output& out) {
    OutputIndex index = kMainOutput;
    std::apply([&](auto&... collector) { (flush_one(collector, index++, out), ...); }, collectors_);
  }

 private:
  template <typename Row>
  static void flush_one(Collector<Row>& collector, OutputIndex index, Output& out) {
    if (collector.rows() > 0) emit_made(collector.finish(), index, out);
  }

  std::tuple<Collector<Rows>...> collectors_;
};

// The inputs of the operator: the type of the rows, and the member of the function that takes them.

/// The only input, or the keyed one beside a broadcast one.
template <typename T>
struct ProcessRows {
  using Row = T;
  static constexpr bool kBroadcast = false;
  template <typename F, typename Context, typename... Args>
  static void call(F& function, const T& row, Context& context, BroadcastContext&, Args&... args) {
    function.process(row, context, args...);
  }
};
template <typename T>
struct ProcessFirst {
  using Row = T;
  static constexpr bool kBroadcast = false;
  template <typename F, typename Context, typename... Args>
  static void call(F& function, const T& row, Context& context, BroadcastContext&, Args&... args) {
    function.process_first(row, context, args...);
  }
};
template <typename T>
struct ProcessSecond {
  using Row = T;
  static constexpr bool kBroadcast = false;
  template <typename F, typename Context, typename... Args>
  static void call(F& function, const T& row, Context& context, BroadcastContext&, Args&... args) {
    function.process_second(row, context, args...);
  }
};
template <typename T>
struct ProcessBroadcast {
  using Row = T;
  static constexpr bool kBroadcast = true;
  template <typename F, typename Context, typename... Args>
  static void call(F& function, const T& row, Context&, BroadcastContext& context, Args&... args) {
    function.process_broadcast(row, context, args...);
  }
};

/// `Inputs` are the inputs as above; U and Sides the rows that come out.
template <typename F, typename K, typename Inputs, typename U, typename... Sides>
class KeyedProcessOperator;

template <typename F, typename K, typename... Inputs, typename U, typename... Sides>
class KeyedProcessOperator<F, K, std::tuple<Inputs...>, U, Sides...> final : public Operator,
                                                                             public DeclaresStates {
 public:
  KeyedProcessOperator(F function, std::vector<KeyColumns> inputs)
      : function_(std::move(function)),
        core_(std::move(inputs), schema_of<K>()),
        context_(core_),
        broadcast_context_(core_) {}

  std::vector<TableDescriptor> keyed_tables() override {
    return core_.keyed_tables(handles_of<KeyedStateHandle>(function_));
  }

  void open(OperatorContext& context) override {
    core_.open(context, handles_of<KeyedStateHandle>(function_));
    operator_states_ = handles_of<OperatorStateHandle>(function_);
    operator_uid_ = context.uid;
    subtask_ = context.subtask;
    if constexpr (requires { function_.open(std::as_const(context)); })
      function_.open(std::as_const(context));
  }
  void close() override {
    if constexpr (requires { function_.close(); }) function_.close();
  }

  Step process(const BatchPtr& batch, std::size_t input, Output& out) override {
    input_ = input;
    next_row_ = 0;
    core_.begin_rows(batch, input);
    collectors_.attach(*batch);
    phase_ = Phase::kRows;
    with_input([&](auto& at) { at.reader.attach(*batch); });
    return resume(out);
  }

  Step on_watermark(EventTime watermark, Output& out) override {
    core_.set_watermark(watermark);
    phase_ = Phase::kEventTimers;
    // A timer for T waits until no row with event time <= T can come; at the end all of them fire.
    due_until_ = watermark == kMaxTime ? kMaxTime : saturating_sub(watermark, 1);
    return resume(out);
  }

  Step on_processing_time(ProcessingTime now, Output& out) override {
    phase_ = Phase::kProcessingTimers;
    due_until_ = saturating_sub(now, 1);
    return resume(out);
  }
  ProcessingTime next_processing_time() const override { return core_.next_processing_time(); }

  Step resume(Output& out) override {
    const Step step = phase_ == Phase::kRows ? run_rows(out) : fire_timers(out);
    if (step == Step::kDone && phase_ == Phase::kEventTimers) out.emit_watermark(core_.watermark());
    return step;
  }

  std::unique_ptr<SnapshotPart> snapshot(CheckpointId) override {
    auto parts = operator_state_parts(operator_states_, subtask_);
    parts.push_back(core_.snapshot());
    return join_parts(std::move(parts));
  }
  void restore(const SnapshotReader& reader) override {
    core_.restore(reader);
    restore_operator_states(operator_states_, reader, operator_uid_);
  }

 private:
  enum class Phase : std::uint8_t { kRows, kEventTimers, kProcessingTimers };

  template <typename Input>
  struct InputReader {
    using Kind = Input;
    RecordReader<typename Input::Row> reader;
  };

  // Calls `use` with the reader of the current input.
  template <typename Use>
  void with_input(Use&& use) {
    std::size_t at = 0;
    std::apply([&](auto&... reader) { ((at++ == input_ ? use(reader) : void()), ...); }, readers_);
  }

  Step run_rows(Output& out) {
    Step step = Step::kDone;
    with_input([&](auto& at) { step = run_rows_of(at, out); });
    return step;
  }

  template <typename Input>
  Step run_rows_of(InputReader<Input>& at, Output& out) {
    context_.forget_keys();
    if constexpr (Input::kBroadcast) set_writable(true);
    while (next_row_ < core_.rows()) {
      core_.at_row(next_row_);
      collectors_.at_row(next_row_, [&](auto&... collector) {
        Input::call(function_, at.reader.row(next_row_), context_, broadcast_context_,
                    collector...);
      });
      ++next_row_;
      if (collectors_.largest() < kDefaultBatchRows) continue;
      collectors_.flush(out);
      if (!out.ready()) return Step::kMore;
    }
    collectors_.flush(out);
    core_.end_rows();
    if constexpr (Input::kBroadcast) set_writable(false);
    return Step::kDone;
  }

  void set_writable(bool writable) {
    for (OperatorStateHandle* state : operator_states_) state->set_writable(writable);
  }

  Step fire_timers(Output& out) {
    const TimerClock clock =
        phase_ == Phase::kEventTimers ? TimerClock::kEventTime : TimerClock::kProcessingTime;
    while (core_.begin_timers(clock, due_until_)) {
      context_.forget_keys();
      collectors_.attach(core_.timer_times());
      std::size_t fired = 0;
      const std::size_t due = core_.rows();
      while (fired < due && core_.may_fire(fired) && collectors_.largest() < kDefaultBatchRows)
        fire(fired++);
      core_.end_timers(fired);
      collectors_.flush(out);
      if (!out.ready()) return Step::kMore;
    }
    return Step::kDone;
  }

  void fire(std::size_t row) {
    core_.at_row(row);
    collectors_.at_row(row, [&](auto&... collector) {
      if constexpr (HasOnTimer<F> ||
                    requires { function_.on_timer(core_.timer(row), context_, collector...); })
        function_.on_timer(core_.timer(row), context_, collector...);
    });
  }

  F function_;
  ProcessCore core_;
  KeyedContext<K> context_;
  BroadcastContext broadcast_context_;
  std::vector<OperatorStateHandle*> operator_states_;
  std::string operator_uid_;
  std::uint32_t subtask_ = 0;
  std::tuple<InputReader<Inputs>...> readers_;
  Collectors<U, Sides...> collectors_;
  Phase phase_ = Phase::kRows;
  std::size_t input_ = 0;
  std::size_t next_row_ = 0;
  std::int64_t due_until_ = kMinTime;
};

/// The operator behind Stream::process with a class: states of the subtask, no key.
template <typename F, typename T, typename U, typename... Sides>
class StreamProcessOperator final : public Operator {
 public:
  explicit StreamProcessOperator(F function) : function_(std::move(function)) {}

  void open(OperatorContext& context) override {
    context_.attach(context);
    states_ = handles_of<OperatorStateHandle>(function_);
    uid_ = context.uid;
    subtask_ = context.subtask;
    for (OperatorStateHandle* state : states_) state->set_writable(true);
    if constexpr (requires { function_.open(std::as_const(context)); })
      function_.open(std::as_const(context));
  }
  void close() override {
    if constexpr (requires { function_.close(); }) function_.close();
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    batch_ = batch;
    next_row_ = 0;
    reader_.attach(*batch);
    collectors_.attach(*batch);
    return resume(out);
  }
  Step resume(Output& out) override {
    const EventTime* times = batch_->event_times();
    while (next_row_ < batch_->rows()) {
      context_.at_row(times == nullptr ? kMinTime : times[next_row_]);
      collectors_.at_row(next_row_, [&](auto&... collector) {
        function_.process(reader_.row(next_row_), context_, collector...);
      });
      ++next_row_;
      if (collectors_.largest() < kDefaultBatchRows) continue;
      collectors_.flush(out);
      if (!out.ready()) return Step::kMore;
    }
    collectors_.flush(out);
    batch_ = nullptr;
    return Step::kDone;
  }
  Step on_watermark(EventTime watermark, Output& out) override {
    context_.set_watermark(watermark);
    out.emit_watermark(watermark);
    return Step::kDone;
  }

  std::unique_ptr<SnapshotPart> snapshot(CheckpointId) override {
    return join_parts(operator_state_parts(states_, subtask_));
  }
  void restore(const SnapshotReader& reader) override {
    restore_operator_states(states_, reader, uid_);
  }

 private:
  F function_;
  StreamContext context_;
  RecordReader<T> reader_;
  Collectors<U, Sides...> collectors_;
  std::vector<OperatorStateHandle*> states_;
  std::string uid_;
  std::uint32_t subtask_ = 0;
  BatchPtr batch_;
  std::size_t next_row_ = 0;
};

}  // namespace tidemark::api_detail
