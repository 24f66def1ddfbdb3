// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "tidemark/api/keyed_stream.h"
#include "tidemark/api/operator_states.h"
#include "tidemark/api/stream.h"

namespace tidemark {

/// A stream of which every subtask gets every row.
template <typename T>
class BroadcastStream {
 public:
  explicit BroadcastStream(api_detail::StreamHandle handle) : handle_(std::move(handle)) {}
  const api_detail::StreamHandle& handle() const noexcept { return handle_; }

 private:
  api_detail::StreamHandle handle_;
};

/// Two streams partitioned by keys of the same type.
template <typename K, typename A, typename B>
class ConnectedStreams {
 public:
  ConnectedStreams(KeyedStream<K, A> first, KeyedStream<K, B> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  /// As KeyedStream::process, with two members for the rows:
  ///   void process_first(const A& row, KeyedContext<K>& context, Collector<U>& out, ...)
  ///   void process_second(const B& row, KeyedContext<K>& context, Collector<U>& out, ...)
  /// The watermark is the lower of the two streams'.
  template <typename U, typename F, typename... S>
  Stream<U> process(F function, const OutputTag<S>&... tags) const {
    using Inputs = std::tuple<api_detail::ProcessFirst<A>, api_detail::ProcessSecond<B>>;
    return api_detail::add_keyed_process<F, K, Inputs, U, S...>(
        {first_.handle(), second_.handle()}, {first_.key_columns(), second_.key_columns()},
        std::move(function), {{tags.name, schema_of<S>()}...});
  }

 private:
  KeyedStream<K, A> first_;
  KeyedStream<K, B> second_;
};

/// A keyed stream and a broadcast one.
template <typename K, typename A, typename B>
class BroadcastConnectedStreams {
 public:
  BroadcastConnectedStreams(KeyedStream<K, A> keyed, BroadcastStream<B> broadcast)
      : keyed_(std::move(keyed)), broadcast_(std::move(broadcast)) {}

  /// As KeyedStream::process, with a member more:
  ///   void process_broadcast(const B& row, BroadcastContext& context, Collector<U>& out, ...)
  /// It writes BroadcastState members, and process() reads them. All subtasks must do the same for
  /// the same row: their states are taken to be equal.
  template <typename U, typename F, typename... S>
  Stream<U> process(F function, const OutputTag<S>&... tags) const {
    using Inputs = std::tuple<api_detail::ProcessRows<A>, api_detail::ProcessBroadcast<B>>;
    return api_detail::add_keyed_process<F, K, Inputs, U, S...>(
        {keyed_.handle(), broadcast_.handle()}, {keyed_.key_columns(), {}}, std::move(function),
        {{tags.name, schema_of<S>()}...});
  }

 private:
  KeyedStream<K, A> keyed_;
  BroadcastStream<B> broadcast_;
};

template <typename T>
BroadcastStream<T> Stream<T>::broadcast() const {
  return BroadcastStream<T>(handle_);
}

}  // namespace tidemark
