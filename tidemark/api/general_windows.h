// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/api/evictors.h"
#include "tidemark/api/general_window_operator.h"
#include "tidemark/api/keyed_stream.h"
#include "tidemark/api/session_windows.h"
#include "tidemark/api/stream_graph.h"
#include "tidemark/api/triggers.h"
#include "tidemark/api/window_assigners.h"
#include "tidemark/api/window_contents.h"
#include "tidemark/api/window_function.h"
#include "tidemark/api/window_methods.h"

// Windows in general: those with a trigger or an evictor of their own, of rows that a function sees
// one and all, of processing time, global and counted ones. Tumbling windows and sessions that only
// aggregate run in operators made for them, and become these by trigger(), evictor() and process().

namespace tidemark {

/// The results of a function of windows over rows of T.
template <typename T, typename U>
class ProcessedWindows : public Stream<U> {
 public:
  /// `late_side_output` belongs to the operator's description.
  ProcessedWindows(api_detail::StreamHandle handle, std::shared_ptr<bool> late_side_output,
                   SchemaPtr input)
      : Stream<U>(std::move(handle)),
        late_side_output_(std::move(late_side_output)),
        input_(std::move(input)) {}

  /// The rows that came too late for their window, instead of dropping them.
  Stream<T> late_rows() const {
    *late_side_output_ = true;
    return Stream<T>(api_detail::add_late_rows(this->handle(), input_, schema_of<T>()));
  }

 private:
  std::shared_ptr<bool> late_side_output_;
  SchemaPtr input_;
};

template <typename K, typename T, typename Assigner, typename Trigger, typename Evictor>
class GeneralWindowStream;

namespace api_detail {

/// The node of a general window operator, without the operator.
StreamNode describe_general_window(const StreamHandle& from,
                                   const GeneralWindowDescription& description, SchemaPtr output);
/// Each notes an error for windows that cannot be.
void check_processing_windows(StreamGraph& graph, const WindowDescription& window);
void check_count(StreamGraph& graph, const char* what, std::int64_t count);

template <typename K, typename T, typename Assigner, typename Trigger>
GeneralWindowStream<K, T, Assigner, Trigger, NoEvictor> general_windows(
    const StreamHandle& handle, const std::vector<std::size_t>& columns, Assigner assigner,
    Trigger trigger) {
  GeneralWindowDescription description;
  description.key_columns = columns;
  for (const Field& field : schema_of<K>()->fields) description.key_types.push_back(field.type);
  return {handle, std::move(description), std::move(assigner), std::move(trigger), NoEvictor()};
}

/// The end of a session by either clock.
class SessionTrigger {
 public:
  using State = NoState;
  explicit SessionTrigger(WindowTime time) : time_(time) {}

  template <typename T>
  TriggerResult on_element(State& state, const T& row, EventTime time, TimeWindow window,
                           TriggerContext& context) {
    return by_event_time() ? event_.on_element(state, row, time, window, context)
                           : processing_.on_element(state, row, time, window, context);
  }
  TriggerResult on_event_time(State& state, EventTime time, TimeWindow window,
                              TriggerContext& context) {
    return by_event_time() ? event_.on_event_time(state, time, window, context)
                           : TriggerResult::kContinue;
  }
  TriggerResult on_processing_time(State& state, ProcessingTime time, TimeWindow window,
                                   TriggerContext& context) {
    return by_event_time() ? TriggerResult::kContinue
                           : processing_.on_processing_time(state, time, window, context);
  }
  void on_merge(State& state, TimeWindow window, TriggerContext& context) {
    if (by_event_time()) {
      event_.on_merge(state, window, context);
    } else {
      processing_.on_merge(state, window, context);
    }
  }

 private:
  bool by_event_time() const noexcept { return time_ == WindowTime::kEventTime; }
  WindowTime time_;
  EventTimeTrigger event_;
  ProcessingTimeTrigger processing_;
};
inline SessionTrigger session_trigger(WindowTime time) {
  return SessionTrigger(time);
}

}  // namespace api_detail

/// A keyed stream cut into windows of any kind.
template <typename K, typename T, typename Assigner, typename Trigger, typename Evictor>
class GeneralWindowStream
    : public api_detail::WindowMethods<GeneralWindowStream<K, T, Assigner, Trigger, Evictor>> {
  using Methods = api_detail::WindowMethods<GeneralWindowStream>;
  static constexpr bool kEvicts = !std::is_same_v<Evictor, api_detail::NoEvictor>;

 public:
  GeneralWindowStream(api_detail::StreamHandle handle, GeneralWindowDescription description,
                      Assigner assigner, Trigger trigger, Evictor evictor)
      : handle_(std::move(handle)),
        description_(std::move(description)),
        assigner_(std::move(assigner)),
        trigger_(std::move(trigger)),
        evictor_(std::move(evictor)) {}

  /// Fires windows as `trigger` says (api/triggers.h), instead of at their ends.
  template <typename Other>
  auto trigger(Other trigger) const {
    return GeneralWindowStream<K, T, Assigner, Other, Evictor>(handle_, description_, assigner_,
                                                               std::move(trigger), evictor_);
  }
  /// Takes rows out of windows when they fire (api/evictors.h).
  template <typename Other>
  auto evictor(Other evictor) const {
    return GeneralWindowStream<K, T, Assigner, Trigger, Other>(handle_, description_, assigner_,
                                                               trigger_, std::move(evictor));
  }
  /// Keeps windows of event time for so long after their ends.
  GeneralWindowStream allowed_lateness(std::chrono::milliseconds lateness) const {
    GeneralWindowStream copy = *this;
    copy.description_.allowed_lateness = lateness.count();
    return copy;
  }

  using Methods::aggregate;
  using Methods::reduce;

  /// f(const K& key, const WindowContext&, const std::vector<T>& rows, Collector<U>&), or a class
  /// with process() (api/window_function.h). A window keeps all its rows.
  template <typename U, typename F>
  ProcessedWindows<T, U> process(F function) const {
    return add_processed<U>(
        [evictor = evictor_] { return api_detail::ListedContents<T, Evictor>(evictor); },
        std::move(function));
  }
  /// The same function, of the result of an aggregate instead of the rows.
  template <typename U, typename Spec, typename F>
  ProcessedWindows<T, U> aggregate(const Spec& spec, F function) const {
    return add_processed<U>(contents_of(spec), std::move(function));
  }
  template <typename U, typename R, typename F>
  ProcessedWindows<T, U> reduce(R reduce, F function) const {
    return aggregate<U>(api_detail::ReduceSpec<R>{std::move(reduce)}, std::move(function));
  }

 private:
  friend class api_detail::WindowMethods<GeneralWindowStream>;

  template <typename Spec>
  auto add_window(const Spec& spec) const {
    using R = typename decltype(api_detail::bind_aggregate<T>(spec))::Result;
    require_record<R>();
    return add<WindowStream<T, K, R>>(contents_of(spec), api_detail::ResultFunction<K, R>());
  }

  template <typename U, typename MakeContents, typename F>
  ProcessedWindows<T, U> add_processed(MakeContents make_contents, F function) const {
    using Input = typename std::invoke_result_t<MakeContents>::Result;
    require_record<U>();
    return add<ProcessedWindows<T, U>>(
        std::move(make_contents), api_detail::UserFunction<K, Input, U, F>(std::move(function)));
  }

  template <typename Spec>
  auto contents_of(const Spec& spec) const {
    return [spec, evictor = evictor_] {
      auto bound = api_detail::bind_aggregate<T>(spec);
      using Bound = decltype(bound);
      if constexpr (kEvicts) {
        return api_detail::EvictedContents<T, Bound, Evictor>(std::move(bound), evictor);
      } else {
        return api_detail::FoldedContents<T, Bound>(std::move(bound));
      }
    };
  }

  template <typename Result, typename MakeContents, typename Function>
  Result add(MakeContents make_contents, Function function) const {
    using Contents = std::invoke_result_t<MakeContents>;
    using Made = api_detail::GeneralWindowOperator<T, K, Assigner, Contents, Trigger, Function>;
    const auto description = std::make_shared<GeneralWindowDescription>(description_);
    api_detail::StreamNode node = api_detail::describe_general_window(
        handle_, *description, schema_of<typename Function::Row>());
    const SchemaPtr input = node.side_outputs[0].schema;
    // A member that is not described is found here at run time; it becomes the job's error.
    try {
      make_contents();
    } catch (const Failure& failure) {
      handle_.graph->fail(failure.what());
    }
    node.make_operator = [description, assigner = assigner_,
                          make_contents = std::move(make_contents), trigger = trigger_, function] {
      return std::make_unique<Made>(description, assigner, make_contents(), trigger, function);
    };
    const std::shared_ptr<bool> late(description, &description->late_side_output);
    return Result({handle_.graph, handle_.graph->add(std::move(node))}, late, input);
  }

  api_detail::StreamHandle handle_;
  GeneralWindowDescription description_;
  Assigner assigner_;
  Trigger trigger_;
  Evictor evictor_;
};

/// One window for all rows of a key, which says something when its trigger does: give it one.
struct GlobalWindows {
  template <typename K, typename T>
  auto over(const api_detail::StreamHandle& handle, const std::vector<std::size_t>& columns) const {
    return api_detail::general_windows<K, T>(handle, columns, api_detail::GlobalAssigner(),
                                             never_trigger());
  }
};
inline GlobalWindows global_windows() {
  return {};
}

/// Windows of the wall clock: a row belongs to the time at which it comes, whatever its event time,
/// and none is late. What comes out depends on when the job ran.
struct ProcessingTimeWindows {
  WindowDescription window;

  template <typename K, typename T>
  auto over(const api_detail::StreamHandle& handle, const std::vector<std::size_t>& columns) const {
    api_detail::check_processing_windows(*handle.graph, window);
    return api_detail::general_windows<K, T>(
        handle, columns, api_detail::AlignedAssigner(window, WindowTime::kProcessingTime),
        processing_time_trigger());
  }
};
inline ProcessingTimeWindows processing_time(WindowDescription window) {
  return {window};
}

namespace api_detail {

template <typename K, typename T>
auto general_event_windows(const StreamHandle& handle, const std::vector<std::size_t>& columns,
                           const WindowDescription& window) {
  check_window(*handle.graph, {.description = {.window = window}});
  return general_windows<K, T>(handle, columns, AlignedAssigner(window, WindowTime::kEventTime),
                               event_time_trigger())
      .allowed_lateness(std::chrono::milliseconds(window.allowed_lateness));
}

template <typename K, typename T>
auto general_count_windows(const StreamHandle& handle, const std::vector<std::size_t>& columns,
                           std::int64_t size) {
  check_count(*handle.graph, "count_window", size);
  return general_windows<K, T>(handle, columns, GlobalAssigner(), purging(count_trigger(size)));
}

template <typename K, typename T>
auto general_sliding_count_windows(const StreamHandle& handle,
                                   const std::vector<std::size_t>& columns, std::int64_t size,
                                   std::int64_t slide) {
  check_count(*handle.graph, "count_window", std::min(size, slide));
  return general_windows<K, T>(handle, columns, GlobalAssigner(), count_trigger(slide))
      .evictor(count_evictor(static_cast<std::size_t>(size)));
}

template <typename K, typename T, typename GapOf>
auto general_session_windows(const StreamHandle& handle, const std::vector<std::size_t>& columns,
                             GapOf gap_of, const SessionOperatorDescription& sessions) {
  check_sessions(*handle.graph, sessions);
  const SessionAssigner<GapOf> assigner(std::move(gap_of), sessions.time);
  return general_windows<K, T>(handle, columns, assigner, session_trigger(sessions.time))
      .allowed_lateness(std::chrono::milliseconds(sessions.session.allowed_lateness));
}

}  // namespace api_detail
}  // namespace tidemark
