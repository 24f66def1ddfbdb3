// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/api/collector.h"
#include "tidemark/api/operators.h"
#include "tidemark/api/process_operator.h"
#include "tidemark/api/sink.h"
#include "tidemark/api/source.h"
#include "tidemark/api/stream_graph.h"
#include "tidemark/data/record.h"

// Streams of records. A Stream<T> is a handle to a node of the environment's graph: cheap to copy,
// and nothing runs until the environment does. Functions given to a stream are copied into each
// subtask and called by that subtask's thread alone, so what they capture by value needs no lock,
// and what they capture by reference must outlive the job and is shared by all subtasks. A mistake
// in the graph (a uid given twice) is returned by Environment::run.

namespace tidemark {

template <typename K, typename T>
class KeyedStream;
template <typename T>
class BroadcastStream;

/// Names a side output and the type of its rows.
template <typename U>
struct OutputTag {
  using Row = U;
  std::string name;
};

namespace api_detail {

/// Adds an operator whose only input is `from`.
StreamHandle add_operator(const StreamHandle& from, std::string name, SchemaPtr output,
                          std::function<std::unique_ptr<Operator>()> make);
StreamHandle add_timestamps(const StreamHandle& from, TimeExtractor extract,
                            WatermarkStrategy strategy);
StreamHandle add_union(const std::vector<StreamHandle>& inputs, SchemaPtr output);
void add_sink(const StreamHandle& from, std::string name, SinkPtr sink);
void add_table_sink(const StreamHandle& from, const TableSink& table);
/// The side output of `from`'s node with that name and schema; notes an error when there is none.
StreamHandle find_side_output(const StreamHandle& from, const SideOutput& wanted);
/// A stream of `row` (columns of the record) and the key's columns appended to it.
SchemaPtr append_key_fields(const Schema& row, std::vector<Field> key);

// Whether F can be a one-row-to-a-range function.
template <typename F, typename T>
concept RangeFunction =
    std::invocable<F&, T> && std::ranges::input_range<std::invoke_result_t<F&, T>>;

}  // namespace api_detail

/// A stream of records of T.
template <typename T>
class Stream {
 public:
  using Row = T;

  explicit Stream(api_detail::StreamHandle handle) : handle_(std::move(handle)) {
    require_record<T>();
  }

  /// One row for each row: f(const T&) -> U.
  template <typename F>
  auto map(F f) const {
    using U = std::remove_cvref_t<std::invoke_result_t<F&, T>>;
    require_record<U>();
    return Stream<U>(api_detail::add_operator(handle_, "map", schema_of<U>(), [f = std::move(f)] {
      return std::make_unique<api_detail::MapOperator<T, U, F>>(f);
    }));
  }

  /// The rows for which f(const T&) is true. The others are counted as filtered.
  template <typename F>
  Stream filter(F f) const {
    static_assert(std::is_invocable_r_v<bool, F&, T>, "filter takes a function (const T&) -> bool");
    return Stream(api_detail::add_operator(handle_, "filter", schema_of<T>(), [f = std::move(f)] {
      return std::make_unique<api_detail::FilterOperator<T, F>>(f);
    }));
  }

  /// Any number of rows for each row, f(const T&) -> range of U. It costs the range's allocation a
  /// row; flat_map<U> does not.
  template <typename F>
  requires api_detail::RangeFunction<F, T>
  auto flat_map(F f) const {
    using U = std::ranges::range_value_t<std::invoke_result_t<F&, T>>;
    return flat_map<U>([f = std::move(f)](const T& row, Collector<U>& out) mutable {
      for (auto&& made : std::invoke(f, row)) out.emit(made);
    });
  }
  /// Any number of rows for each row: f(const T&, Collector<U>&).
  template <typename U, typename F>
  Stream<U> flat_map(F f) const {
    static_assert(std::is_invocable_v<F&, T, Collector<U>&>,
                  "flat_map<U> takes a function (const T&, Collector<U>&)");
    return add_flat_map<U>("flat_map", std::move(f), {});
  }
  /// The same with side outputs, f(const T&, Collector<U>&, Collector<S>&...); the tags' rows come
  /// out of side_output(tag).
  /// Or a class with `void process(const T&, StreamContext&, Collector<U>&, Collector<S>&...)`, and
  /// `auto states() { return std::tie(...); }` for members that are states of the subtask
  /// (api/operator_states.h).
  template <typename U, typename F, typename... S>
  Stream<U> process(F f, const OutputTag<S>&... tags) const {
    if constexpr (requires(F & function, const T& row, StreamContext& context, Collector<U>& out,
                           Collector<S>&... sides) {
                    function.process(row, context, out, sides...);
                  }) {
      return add_making<api_detail::StreamProcessOperator<F, T, U, S...>, U, F, S...>(
          "process", std::move(f), {{tags.name, schema_of<S>()}...});
    } else {
      static_assert(
          std::is_invocable_v<F&, T, Collector<U>&, Collector<S>&...>,
          "process<U> takes a function (const T&, Collector<U>&, Collector<S>& for each tag), or a "
          "class with process(const T&, StreamContext&, Collector<U>&, Collector<S>&...)");
      return add_flat_map<U, F, S...>("process", std::move(f), {{tags.name, schema_of<S>()}...});
    }
  }

  /// The rows that a process() before this wrote to the tag.
  template <typename U>
  Stream<U> side_output(const OutputTag<U>& tag) const {
    return Stream<U>(api_detail::find_side_output(handle_, {tag.name, schema_of<U>()}));
  }

  /// Rows of all streams, in any order. Watermarks are combined: the lowest counts.
  template <typename... Others>
  requires(std::same_as<Others, Stream>&&...) Stream union_with(const Others&... others)
  const {
    static_assert(sizeof...(Others) > 0, "a union is of two streams and more");
    return Stream(api_detail::add_union({handle_, others.handle_...}, schema_of<T>()));
  }

  /// Gives rows event times (a member or a function: std::chrono::sys_time or local_time of
  /// milliseconds, or std::int64_t milliseconds since the epoch), and makes watermarks. Where the
  /// source can tell the time of its rows, give both to Environment::source instead: it then makes
  /// watermarks for each split.
  template <typename Time>
  Stream assign_timestamps(Time time, WatermarkStrategy strategy) const {
    auto extract = guarded([&] { return api_detail::make_time_extractor<T>(std::move(time)); });
    return Stream(api_detail::add_timestamps(handle_, std::move(extract), std::move(strategy)));
  }

  /// For KeyedStream::connect: every subtask of the operator that it is connected to gets every
  /// row.
  BroadcastStream<T> broadcast() const;

  /// Partitions by one or several members, or by one function of the row. Equal keys meet in one
  /// subtask. A key may be NULL (std::optional); NULLs are one key.
  template <typename... Selectors>
  auto key_by(Selectors... selectors) const;

  /// Ends the stream in a collection, a table, a program's own Sink, or a function (const T&). The
  /// function is called by each subtask's thread; what it did before a failure it may do again.
  void sink_to(const Collected<T>& collected) const {
    api_detail::add_sink(handle_, "collect", collected.sink());
  }
  void sink_to(const TableSink& table) const { api_detail::add_table_sink(handle_, table); }
  void sink_to(SinkPtr sink) const { api_detail::add_sink(handle_, "sink", std::move(sink)); }
  template <typename F>
  requires std::invocable<F&, T>
  void sink_to(F f) const {
    api_detail::add_sink(handle_, "sink", api_detail::make_function_sink([f = std::move(f)] {
                           return [f, reader = RecordReader<T>()](const Batch& batch) mutable {
                             reader.attach(batch);
                             for (std::size_t i = 0; i < batch.rows(); ++i)
                               std::invoke(f, reader.row(i));
                           };
                         }));
  }

  /// Names the state of the operator that this stream comes out of. Give uids to a job that is to
  /// be changed and restored: the default follows the operator's path from the source. To be called
  /// before operators are added downstream.
  Stream uid(std::string uid) const {
    handle_.graph->set_uid(handle_.node, std::move(uid));
    return *this;
  }
  /// The operator's name for people. Does not change its uid.
  Stream name(std::string name) const {
    handle_.graph->set_name(handle_.node, std::move(name));
    return *this;
  }
  /// Subtasks of the operator; the job's default otherwise.
  Stream parallelism(std::uint32_t parallelism) const {
    handle_.graph->set_parallelism(handle_.node, parallelism);
    return *this;
  }

  const api_detail::StreamHandle& handle() const noexcept { return handle_; }

 protected:
  // A member that is not described is found here at run time; it becomes the job's error.
  template <typename Make>
  auto guarded(Make make) const -> decltype(make()) {
    try {
      return make();
    } catch (const Failure& failure) {
      handle_.graph->fail(failure.what());
      return {};
    }
  }

 private:
  template <typename>
  friend class Stream;

  template <typename U, typename F, typename... S>
  Stream<U> add_flat_map(std::string name, F f, std::vector<api_detail::SideOutput> sides) const {
    return add_making<api_detail::FlatMapOperator<F, T, U, S...>, U, F, S...>(
        std::move(name), std::move(f), std::move(sides));
  }

  template <typename Made, typename U, typename F, typename... S>
  Stream<U> add_making(std::string name, F f, std::vector<api_detail::SideOutput> sides) const {
    require_record<U>();
    (require_record<S>(), ...);
    api_detail::StreamNode node;
    node.name = std::move(name);
    node.output = schema_of<U>();
    node.inputs = {handle_.as_input()};
    node.side_outputs = std::move(sides);
    node.make_operator = [f = std::move(f)] { return std::make_unique<Made>(f); };
    return Stream<U>({handle_.graph, handle_.graph->add(std::move(node))});
  }

  api_detail::StreamHandle handle_;
};

}  // namespace tidemark

#include "tidemark/api/keyed_stream.h"  // IWYU pragma: export
