// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/api/keyed_stream.h"
#include "tidemark/api/stream_graph.h"
#include "tidemark/api/window_aggregator.h"
#include "tidemark/api/window_methods.h"
#include "tidemark/window/session_operator.h"

// Sessions: rows of a key that are not further apart than a gap. A session begins with its first
// row and ends a gap after its last; sessions that touch are one.
//   stream.key_by(&Click::user).window(session(30min)).count()
//   stream.key_by(&Click::user).window(session([](const Click& c) { return c.patience; })).count()

namespace tidemark {

template <typename K, typename T, typename GapOf>
class SessionStream;

namespace api_detail {

// Defined in api/general_windows.h.
template <typename K, typename T, typename GapOf>
auto general_session_windows(const StreamHandle& handle, const std::vector<std::size_t>& columns,
                             GapOf gap_of, const SessionOperatorDescription& sessions);

/// The gap of every row.
struct FixedGap {
  Millis gap = 0;
  template <typename T>
  std::chrono::milliseconds operator()(const T&) const {
    return std::chrono::milliseconds(gap);
  }
};

}  // namespace api_detail

/// Sessions with one gap. Made by session().
struct SessionWindows {
  Millis gap = 0;
  WindowTime time = WindowTime::kEventTime;

  template <typename K, typename T>
  SessionStream<K, T, api_detail::FixedGap> over(const api_detail::StreamHandle& handle,
                                                 const std::vector<std::size_t>& columns) const;
};

/// Sessions with a gap for each row. Made by session().
template <typename F>
struct DynamicSessionWindows {
  F gap_of;
  WindowTime time = WindowTime::kEventTime;

  template <typename K, typename T>
  SessionStream<K, T, F> over(const api_detail::StreamHandle& handle,
                              const std::vector<std::size_t>& columns) const;
};

/// Sessions that end `gap` after their last row.
inline SessionWindows session(std::chrono::milliseconds gap) {
  return {.gap = gap.count()};
}
/// Each row reaches as far as gap_of(const T&) -> std::chrono::milliseconds says; it must be above
/// 0.
template <typename F>
requires(!std::is_convertible_v<F, std::chrono::milliseconds>)
    DynamicSessionWindows<F> session(F gap_of) {
  return {.gap_of = std::move(gap_of)};
}

/// The same sessions by the wall clock: a row belongs to the time at which it comes, whatever its
/// event time, and none is late. What comes out depends on when the job ran.
inline SessionWindows processing_time(SessionWindows windows) {
  windows.time = WindowTime::kProcessingTime;
  return windows;
}
template <typename F>
DynamicSessionWindows<F> processing_time(DynamicSessionWindows<F> windows) {
  windows.time = WindowTime::kProcessingTime;
  return windows;
}

namespace api_detail {

/// Notes an error for sessions that cannot be.
void check_sessions(StreamGraph& graph, const SessionOperatorDescription& description);

/// The function that fills in the gaps of a batch. Each operator has its own.
template <typename T, typename F>
std::function<void(const Batch&, std::span<Millis>)> make_gap_filler(F gap_of) {
  static_assert(std::is_invocable_r_v<std::chrono::milliseconds, const F&, const T&>,
                "session takes a duration or a function (const T&) -> std::chrono::milliseconds");
  return [gap_of = std::move(gap_of), reader = RecordReader<T>()](const Batch& batch,
                                                                  std::span<Millis> gaps) mutable {
    reader.attach(batch);
    for (std::size_t i = 0; i < gaps.size(); ++i)
      gaps[i] = std::chrono::milliseconds(std::invoke(gap_of, reader.row(i))).count();
  };
}

}  // namespace api_detail

/// A keyed stream cut into sessions. What it aggregates to comes out when the watermark reaches a
/// session's end. A late row that touches a session which is still kept joins it; others are
/// dropped and counted, or in late_rows().
template <typename K, typename T, typename GapOf>
class SessionStream : public api_detail::WindowMethods<SessionStream<K, T, GapOf>> {
  using Methods = api_detail::WindowMethods<SessionStream>;

 public:
  SessionStream(api_detail::StreamHandle handle, SessionOperatorDescription description,
                GapOf gap_of)
      : handle_(std::move(handle)),
        description_(std::move(description)),
        gap_of_(std::move(gap_of)) {}

  using Methods::aggregate;
  using Methods::reduce;

  // The same sessions with a trigger, an evictor or a function of their rows. Include
  // api/general_windows.h. Their results are no changelog.
  template <typename Trigger>
  auto trigger(Trigger trigger) const {
    return general().trigger(std::move(trigger));
  }
  template <typename Evictor>
  auto evictor(Evictor evictor) const {
    return general().evictor(std::move(evictor));
  }
  template <typename U, typename F>
  auto process(F function) const {
    return general().template process<U>(std::move(function));
  }
  template <typename U, typename Spec, typename F>
  auto aggregate(const Spec& spec, F function) const {
    return general().template aggregate<U>(spec, std::move(function));
  }
  template <typename U, typename R, typename F>
  auto reduce(R reduce, F function) const {
    return general().template reduce<U>(std::move(reduce), std::move(function));
  }

  /// Keeps sessions for so long after they fired: a late row in that time fires its session again,
  /// with the new result; it may also let it grow, or join it to another.
  SessionStream allowed_lateness(std::chrono::milliseconds lateness) const {
    SessionStream copy = *this;
    copy.description_.session.allowed_lateness = lateness.count();
    return copy;
  }
  /// Makes the results a changelog: a session that is changed after it fired takes back what it
  /// said (-U or -D) before it says something else (+U or +I).
  SessionStream updating() const {
    SessionStream copy = *this;
    copy.description_.updating = true;
    return copy;
  }

 private:
  friend class api_detail::WindowMethods<SessionStream>;

  auto general() const {
    if (description_.updating)
      handle_.graph->fail(
          "sessions with a trigger, an evictor or a function do not update: take "
          "updating() away");
    return api_detail::general_session_windows<K, T>(handle_, description_.key_columns, gap_of_,
                                                     description_);
  }

  template <typename Spec>
  auto add_window(const Spec& spec) const {
    using Bound = decltype(api_detail::bind_aggregate<T>(spec));
    using Aggregator = api_detail::TypedWindowAggregator<T, K, Bound>;
    using R = typename Bound::Result;
    require_record<R>();
    static_assert(Bound::kMergeable, "sessions grow together: their aggregate needs merge()");

    const auto description = std::make_shared<SessionOperatorDescription>(description_);
    api_detail::check_sessions(*handle_.graph, *description);
    api_detail::StreamNode node;
    node.name = "session";
    node.output = schema_of<WindowResult<K, R>>();
    node.inputs = {handle_.as_input()};
    node.inputs[0].keyed = true;
    node.inputs[0].key_columns = description->key_columns;
    const SchemaPtr input = handle_.graph->node(handle_.node).output;
    node.side_outputs = {{"late", input}};
    try {
      node.make_operator = [description, bound = api_detail::bind_aggregate<T>(spec)] {
        return make_session_operator(
            *description,
            std::make_unique<Aggregator>(bound, description->key_columns, description->key_types));
      };
    } catch (const Failure& failure) {
      handle_.graph->fail(failure.what());
    }
    const std::shared_ptr<bool> late(description, &description->late_side_output);
    return WindowStream<T, K, R>({handle_.graph, handle_.graph->add(std::move(node))}, late, input);
  }

  api_detail::StreamHandle handle_;
  SessionOperatorDescription description_;
  GapOf gap_of_;
};

namespace api_detail {

template <typename K>
SessionOperatorDescription describe_sessions(const std::vector<std::size_t>& columns) {
  SessionOperatorDescription description;
  description.key_columns = columns;
  for (const Field& field : schema_of<K>()->fields) description.key_types.push_back(field.type);
  return description;
}

}  // namespace api_detail

template <typename K, typename T>
SessionStream<K, T, api_detail::FixedGap> SessionWindows::over(
    const api_detail::StreamHandle& handle, const std::vector<std::size_t>& columns) const {
  SessionOperatorDescription description = api_detail::describe_sessions<K>(columns);
  description.session.gap = gap;
  description.time = time;
  return {handle, std::move(description), api_detail::FixedGap{gap}};
}

template <typename F>
template <typename K, typename T>
SessionStream<K, T, F> DynamicSessionWindows<F>::over(
    const api_detail::StreamHandle& handle, const std::vector<std::size_t>& columns) const {
  SessionOperatorDescription description = api_detail::describe_sessions<K>(columns);
  description.gap_of = api_detail::make_gap_filler<T>(gap_of);
  description.time = time;
  return {handle, std::move(description), gap_of};
}

}  // namespace tidemark
