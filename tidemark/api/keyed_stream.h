// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/api/aggregate.h"
#include "tidemark/api/keyed_states.h"
#include "tidemark/api/map_state.h"
#include "tidemark/api/process_operator.h"
#include "tidemark/api/stream.h"
#include "tidemark/api/window_aggregator.h"
#include "tidemark/window/window_operator.h"

namespace tidemark {

/// Windows [n * size + offset, (n + 1) * size + offset) for every integer n.
inline WindowDescription tumbling(std::chrono::milliseconds size,
                                  std::chrono::milliseconds offset = {}) {
  return {.size = size.count(), .slide = size.count(), .offset = offset.count()};
}

/// Windows [s, s + size) for every s = n * slide + offset: they overlap where the slide is less
/// than the size, and leave gaps where it is more.
inline WindowDescription sliding(std::chrono::milliseconds size, std::chrono::milliseconds slide,
                                 std::chrono::milliseconds offset = {}) {
  return {.size = size.count(), .slide = slide.count(), .offset = offset.count()};
}

/// Windows that begin every `size`, at n * size + offset, and end a `step` later than each other up
/// to `size`: results of a day so far, say. `size` is a multiple of `step`.
inline WindowDescription cumulating(std::chrono::milliseconds size, std::chrono::milliseconds step,
                                    std::chrono::milliseconds offset = {}) {
  return {.size = size.count(),
          .slide = step.count(),
          .offset = offset.count(),
          .shape = WindowShape::kCumulating};
}

namespace api_detail {

/// What a window operator of a stream is made from. Shared by its node and its streams, because
/// late_rows() changes it after the operator was added and before the job starts.
struct WindowSettings {
  WindowOperatorDescription description;
  bool mergeable = true;
};

/// Notes an error for a window that cannot be.
void check_window(StreamGraph& graph, const WindowSettings& settings);

/// The rows that come out of output 1 of a window operator whose input has `input` columns, as
/// `row` (the columns of the record without appended keys).
StreamHandle add_late_rows(const StreamHandle& window, const SchemaPtr& input,
                           const SchemaPtr& row);

}  // namespace api_detail

struct DeduplicateOptions {
  /// Which time the time to live is counted in: the wall clock, or the rows' event times.
  TimeToLive::Clock clock = TimeToLive::Clock::kProcessingTime;
  /// Of the filter in memory that answers "never seen" where state lies on disk.
  double false_positive_rate = 0.01;
  /// Keys within a time to live and subtask, about; the filter grows beyond.
  std::size_t expected_keys = std::size_t{1} << 20;
};

namespace api_detail {

StreamHandle add_deduplicate(const StreamHandle& from, const std::vector<std::size_t>& columns,
                             const SchemaPtr& key, const SchemaPtr& row, Millis ttl,
                             const DeduplicateOptions& options);

/// Inputs without key columns are broadcast.
StreamNode describe_keyed_process(const std::vector<StreamHandle>& inputs,
                                  const std::vector<std::vector<std::size_t>>& columns,
                                  SchemaPtr output, std::vector<SideOutput> sides);

template <typename F, typename K, typename Inputs, typename U, typename... S>
Stream<U> add_keyed_process(const std::vector<StreamHandle>& inputs,
                            const std::vector<std::vector<std::size_t>>& columns, F function,
                            std::vector<SideOutput> sides) {
  require_record<U>();
  (require_record<S>(), ...);
  StreamNode node = describe_keyed_process(inputs, columns, schema_of<U>(), std::move(sides));
  std::vector<DataType> types;
  for (const Field& field : schema_of<K>()->fields) types.push_back(field.type);
  std::vector<KeyColumns> keys;
  for (const std::vector<std::size_t>& of_input : columns)
    keys.push_back({of_input, of_input.empty() ? std::vector<DataType>() : types});
  node.make_operator = [function = std::move(function), keys = std::move(keys)] {
    return std::make_unique<KeyedProcessOperator<F, K, Inputs, U, S...>>(function, keys);
  };
  const std::shared_ptr<StreamGraph>& graph = inputs.front().graph;
  return Stream<U>({graph, graph->add(std::move(node))});
}

}  // namespace api_detail

template <typename T, typename K, typename R>
class WindowStream;
template <typename K, typename T>
class WindowedStream;
template <typename K, typename A, typename B>
class ConnectedStreams;
template <typename K, typename A, typename B>
class BroadcastConnectedStreams;

namespace api_detail {

// Defined in api/general_windows.h.
template <typename K, typename T>
auto general_event_windows(const StreamHandle& handle, const std::vector<std::size_t>& columns,
                           const WindowDescription& window);
template <typename K, typename T>
auto general_count_windows(const StreamHandle& handle, const std::vector<std::size_t>& columns,
                           std::int64_t size);
template <typename K, typename T>
auto general_sliding_count_windows(const StreamHandle& handle,
                                   const std::vector<std::size_t>& columns, std::int64_t size,
                                   std::int64_t slide);

}  // namespace api_detail

/// A stream whose rows are partitioned by a key of K.
template <typename K, typename T>
class KeyedStream {
 public:
  /// `columns` are the key's in the stream's schema.
  KeyedStream(api_detail::StreamHandle handle, std::vector<std::size_t> columns)
      : handle_(std::move(handle)), columns_(std::move(columns)) {}

  /// Event-time windows: rows need event times and watermarks.
  WindowedStream<K, T> window(WindowDescription window) const {
    return WindowedStream<K, T>(handle_, columns_, window);
  }
  /// Windows of other kinds: session(gap), processing_time(...), global_windows()
  /// (api/session_windows.h, api/general_windows.h).
  template <typename Windows>
  auto window(Windows windows) const {
    return windows.template over<K, T>(handle_, columns_);
  }
  /// Windows of `size` rows of a key, however long they take. The last rows, fewer than that, say
  /// nothing. Include api/general_windows.h.
  auto count_window(std::int64_t size) const {
    return api_detail::general_count_windows<K, T>(handle_, columns_, size);
  }
  /// The last `size` rows of a key, at every `slide`-th row.
  auto count_window(std::int64_t size, std::int64_t slide) const {
    return api_detail::general_sliding_count_windows<K, T>(handle_, columns_, size, slide);
  }

  /// Any number of rows for each row, with states and timers for each key. F is a class with
  ///   void process(const T& row, KeyedContext<K>& context, Collector<U>& out)
  /// and, as it needs them,
  ///   auto states() { return std::tie(state, ...); }   // its members that are states
  ///   void on_timer(const Timer& timer, KeyedContext<K>& context, Collector<U>& out)
  ///   void open(const OperatorContext& context), void close()
  /// With tags, a Collector of each tag's rows follows `out`. States are declared in
  /// api/keyed_states.h and api/map_state.h. Rows made from a row take its event time, rows made by
  /// an event-time timer the timer's, and by a processing-time timer the watermark. At the end of
  /// the input every event-time timer fires; processing-time timers that are not due do not.
  template <typename U, typename F, typename... S>
  Stream<U> process(F function, const OutputTag<S>&... tags) const {
    using Inputs = std::tuple<api_detail::ProcessRows<T>>;
    return api_detail::add_keyed_process<F, K, Inputs, U, S...>(
        {handle_}, {columns_}, std::move(function), {{tags.name, schema_of<S>()}...});
  }

  /// The first row of each key; those that follow within `ttl` of it are counted as filtered.
  Stream<T> deduplicate(std::chrono::milliseconds ttl, DeduplicateOptions options = {}) const {
    return Stream<T>(api_detail::add_deduplicate(handle_, columns_, schema_of<K>(), schema_of<T>(),
                                                 ttl.count(), options));
  }

  /// Two streams with the same type of key, for a function that sees rows of both with the states
  /// and timers of their key.
  template <typename B>
  ConnectedStreams<K, T, B> connect(const KeyedStream<K, B>& other) const {
    return {*this, other};
  }
  /// This stream and one whose rows every subtask sees, for rules and other settings.
  template <typename B>
  BroadcastConnectedStreams<K, T, B> connect(const BroadcastStream<B>& other) const {
    return {*this, other};
  }

  const api_detail::StreamHandle& handle() const noexcept { return handle_; }
  const std::vector<std::size_t>& key_columns() const noexcept { return columns_; }

 private:
  api_detail::StreamHandle handle_;
  std::vector<std::size_t> columns_;
};

/// A keyed stream cut into windows. What it aggregates to comes out when the watermark reaches a
/// window's end; rows that come after that are late: dropped and counted, or in late_rows().
template <typename K, typename T>
class WindowedStream {
 public:
  WindowedStream(api_detail::StreamHandle handle, std::vector<std::size_t> columns,
                 WindowDescription window)
      : handle_(std::move(handle)), columns_(std::move(columns)), window_(window) {}

  /// Keeps windows for so long after they fired: a late row in that time fires its window again,
  /// with the new result.
  WindowedStream allowed_lateness(std::chrono::milliseconds lateness) const {
    WindowedStream copy = *this;
    copy.window_.allowed_lateness = lateness.count();
    return copy;
  }
  /// A window that fires again takes back what it said before: its rows are a changelog (+I, -U,
  /// +U), which a sink must be able to take.
  WindowedStream updating() const {
    WindowedStream copy = *this;
    copy.updating_ = true;
    return copy;
  }
  /// Results before the window ends, so long (in processing time) after its first row and after
  /// each early result; 0: with every batch. Implies updating().
  WindowedStream early_results(std::chrono::milliseconds delay) const {
    WindowedStream copy = updating();
    copy.early_delay_ = delay.count();
    return copy;
  }

  // The same windows with a trigger, an evictor or a function of their rows. Include
  // api/general_windows.h.
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

  /// One result a key and window. `aggregate` is a ready one (api/aggregate.h) or a program's own.
  template <typename Aggregate>
  auto aggregate(const Aggregate& aggregate) const {
    return add_window(aggregate);
  }
  /// Folds rows with f(const T&, const T&) -> T, from the first of each window on.
  template <typename F>
  auto reduce(F f) const {
    return add_window(api_detail::ReduceSpec<F>{std::move(f)});
  }
  auto count() const { return add_window(tidemark::count()); }
  template <typename Projection>
  auto sum(Projection projection) const {
    return add_window(tidemark::sum(std::move(projection)));
  }
  template <typename Projection>
  auto min(Projection projection) const {
    return add_window(tidemark::min(std::move(projection)));
  }
  template <typename Projection>
  auto max(Projection projection) const {
    return add_window(tidemark::max(std::move(projection)));
  }
  template <typename Projection>
  auto avg(Projection projection) const {
    return add_window(tidemark::avg(std::move(projection)));
  }

 private:
  auto general() const {
    return api_detail::general_event_windows<K, T>(handle_, columns_, window_);
  }

  template <typename Spec>
  auto add_window(const Spec& spec) const {
    using Bound = decltype(api_detail::bind_aggregate<T>(spec));
    using Aggregator = api_detail::TypedWindowAggregator<T, K, Bound>;
    using R = typename Bound::Result;
    require_record<R>();

    auto settings = std::make_shared<api_detail::WindowSettings>();
    settings->description.window = window_;
    settings->description.updating = updating_;
    settings->description.early_fire_delay = early_delay_;
    settings->description.key_columns = columns_;
    for (const Field& field : schema_of<K>()->fields)
      settings->description.key_types.push_back(field.type);
    settings->mergeable = Bound::kMergeable;
    api_detail::check_window(*handle_.graph, *settings);

    api_detail::StreamNode node;
    node.name = "window";
    node.output = schema_of<WindowResult<K, R>>();
    node.inputs = {handle_.as_input()};
    node.inputs[0].keyed = true;
    node.inputs[0].key_columns = columns_;
    const SchemaPtr input = handle_.graph->node(handle_.node).output;
    node.side_outputs = {{"late", input}};
    try {
      node.make_operator = [settings, bound = api_detail::bind_aggregate<T>(spec)] {
        const WindowOperatorDescription& description = settings->description;
        return make_window_operator(
            description,
            std::make_unique<Aggregator>(bound, description.key_columns, description.key_types));
      };
    } catch (const Failure& failure) {
      handle_.graph->fail(failure.what());
    }
    const std::shared_ptr<bool> late(settings, &settings->description.late_side_output);
    return WindowStream<T, K, R>({handle_.graph, handle_.graph->add(std::move(node))}, late, input);
  }

  api_detail::StreamHandle handle_;
  std::vector<std::size_t> columns_;
  WindowDescription window_;
  bool updating_ = false;
  Millis early_delay_ = -1;
};

/// The results of windows over rows of T.
template <typename T, typename K, typename R>
class WindowStream : public Stream<WindowResult<K, R>> {
 public:
  /// `late_side_output` belongs to the operator's description.
  WindowStream(api_detail::StreamHandle handle, std::shared_ptr<bool> late_side_output,
               SchemaPtr input)
      : Stream<WindowResult<K, R>>(std::move(handle)),
        late_side_output_(std::move(late_side_output)),
        input_(std::move(input)) {}

  /// The rows that came too late for their window, instead of dropping them.
  Stream<T> late_rows() const {
    *late_side_output_ = true;
    return Stream<T>(api_detail::add_late_rows(this->handle(), input_, schema_of<T>()));
  }

  WindowStream uid(std::string uid) const { return Stream<WindowResult<K, R>>::uid(uid), *this; }
  WindowStream name(std::string name) const {
    return Stream<WindowResult<K, R>>::name(name), *this;
  }
  WindowStream parallelism(std::uint32_t parallelism) const {
    return Stream<WindowResult<K, R>>::parallelism(parallelism), *this;
  }

 private:
  std::shared_ptr<bool> late_side_output_;
  SchemaPtr input_;
};

namespace api_detail {

// The key type of members: the member's own type, or a tuple of several.
template <typename... Members>
struct KeyOfMembers {
  using Type = std::tuple<Members...>;
};
template <typename Member>
struct KeyOfMembers<Member> {
  using Type = Member;
};

template <typename T, typename Member, typename Class>
void append_key_columns(StreamGraph& graph, Member Class::*member,
                        std::vector<std::size_t>& columns) {
  const std::optional<std::size_t> first = column_of<T>(member);
  if (!first) return graph.fail("key_by a member that BOOST_DESCRIBE_STRUCT does not list");
  for (std::size_t i = 0; i < kColumnsOf<Member>; ++i) columns.push_back(*first + i);
}

template <typename T, typename... Members, typename... Classes>
auto key_by_members(const StreamHandle& stream, Members Classes::*... members) {
  using K = typename KeyOfMembers<Members...>::Type;
  require_record<K>();
  std::vector<std::size_t> columns;
  (append_key_columns<T>(*stream.graph, members, columns), ...);
  return KeyedStream<K, T>(stream, std::move(columns));
}

template <typename T, typename F>
auto key_by_function(const StreamHandle& stream, F key_of) {
  using K = std::remove_cvref_t<std::invoke_result_t<F&, T>>;
  require_record<K>();
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < kColumnsOf<K>; ++i) columns.push_back(kColumnsOf<T> + i);
  const SchemaPtr output = append_key_fields(*schema_of<T>(), fields_of<K>("key"));
  return KeyedStream<K, T>(add_operator(stream, "key", output,
                                        [key_of = std::move(key_of), output] {
                                          return std::make_unique<KeyOperator<T, K, F>>(key_of,
                                                                                        output);
                                        }),
                           std::move(columns));
}

}  // namespace api_detail

template <typename T>
template <typename... Selectors>
auto Stream<T>::key_by(Selectors... selectors) const {
  static_assert(sizeof...(Selectors) > 0, "key_by needs a member or a function");
  if constexpr ((std::is_member_object_pointer_v<Selectors> && ...)) {
    return api_detail::key_by_members<T>(handle_, selectors...);
  } else {
    static_assert(sizeof...(Selectors) == 1,
                  "key_by takes members, or one function; for several values return a std::tuple");
    return api_detail::key_by_function<T>(handle_, std::move(selectors)...);
  }
}

}  // namespace tidemark

#include "tidemark/api/connected_streams.h"  // IWYU pragma: export
#include "tidemark/api/session_windows.h"    // IWYU pragma: export
