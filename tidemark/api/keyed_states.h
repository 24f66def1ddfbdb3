// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/api/list_value.h"
#include "tidemark/api/state_handle.h"

// The states of a process function (api/process_function.h): members that the function lists in
// states(), each with a value for every key. A call sees and changes the value of its own key.
// Values are numbers, strings, vectors, optionals and described structs of these. What get()
// returns holds until the same state is written or the call ends.

namespace tidemark {

/// One value a key.
template <typename T>
class ValueState final : public api_detail::SingleValueState<T> {
 public:
  explicit ValueState(std::string name, TimeToLive ttl = {})
      : api_detail::SingleValueState<T>(std::move(name), ttl) {}

  /// nullptr when the key has none.
  const T* get() const { return this->entry().read(); }
  T value_or(T otherwise) const {
    const T* value = get();
    return value == nullptr ? std::move(otherwise) : *value;
  }
  void set(T value) {
    this->entry().write([] { return T{}; }) = std::move(value);
  }
  /// The value, to be changed in place; T{} when the key had none.
  T& modify() {
    return this->entry().write([] { return T{}; });
  }
  void clear() { this->entry().erase(); }
};

/// A list a key. Under a time to live each element has its own.
template <typename T>
class ListState final : public api_detail::SingleValueState<api_detail::ListValue<T>> {
  static_assert(!std::same_as<T, bool>, "a list of bool has no elements to refer to: use char");

 public:
  explicit ListState(std::string name, TimeToLive ttl = {})
      : api_detail::SingleValueState<api_detail::ListValue<T>>(std::move(name), ttl) {}

  void open(const api_detail::StateEnvironment& environment) override {
    api_detail::SingleValueState<api_detail::ListValue<T>>::open(environment);
    backend_ = environment.backend;
    row_ = environment.row;
  }
  void attach(const KeyBatch& keys) override {
    api_detail::SingleValueState<api_detail::ListValue<T>>::attach(keys);
    times_ = keys.times;
  }

  /// In the order in which they were added.
  std::span<const T> get() const {
    const auto* list = this->entry().read();
    if (list == nullptr) return {};
    if (this->time_to_live().enabled() && list->needs_care(this->time_to_live(), now()))
      return living();
    return list->items;
  }
  bool empty() const { return get().empty(); }
  void add(T value) {
    auto& list = this->entry().write([] { return api_detail::ListValue<T>(); });
    list.items.push_back(std::move(value));
    if (this->time_to_live().enabled()) list.stamps.push_back(touch_time());
  }
  /// Replaces the list.
  void set(std::vector<T> values) {
    if (values.empty()) return clear();
    auto& list = this->entry().write([] { return api_detail::ListValue<T>(); });
    list.items = std::move(values);
    list.stamps.assign(this->time_to_live().enabled() ? list.items.size() : 0, touch_time());
  }
  void clear() { this->entry().erase(); }

 private:
  std::int64_t now() const { return backend_->time().of(this->time_to_live().clock); }
  std::int64_t touch_time() const {
    const bool by_row =
        times_ != nullptr && this->time_to_live().clock == TimeToLive::Clock::kEventTime;
    return by_row ? std::max(now(), times_[*row_]) : now();
  }
  std::span<const T> living() const {
    auto& list = this->entry().write([] { return api_detail::ListValue<T>(); });
    list.tend(this->time_to_live(), now());
    if (!list.items.empty()) return list.items;
    this->entry().erase();
    return {};
  }

  KeyedStateBackend* backend_ = nullptr;
  const std::size_t* row_ = nullptr;
  const EventTime* times_ = nullptr;
};

/// One value a key, folded from what is added with F{}(const T&, const T&) -> T.
template <typename T, typename F = std::plus<>>
class ReducingState final : public api_detail::SingleValueState<T> {
 public:
  explicit ReducingState(std::string name, TimeToLive ttl = {})
      : api_detail::SingleValueState<T>(std::move(name), ttl) {}

  const T* get() const { return this->entry().read(); }
  void add(const T& value) {
    bool made = false;
    T& folded = this->entry().write([&] { return made = true, value; });
    if (!made) folded = F{}(std::as_const(folded), value);
  }
  void clear() { this->entry().erase(); }
};

/// An accumulator a key. A is an aggregate as windows take it (api/aggregate.h): Accumulator,
/// create(), add(accumulator, const In&), result(accumulator).
template <typename In, typename A>
class AggregatingState final : public api_detail::SingleValueState<typename A::Accumulator> {
 public:
  using Result = std::remove_cvref_t<decltype(std::declval<const A&>().result(
      std::declval<const typename A::Accumulator&>()))>;

  explicit AggregatingState(std::string name, TimeToLive ttl = {}, A aggregate = {})
      : api_detail::SingleValueState<typename A::Accumulator>(std::move(name), ttl),
        aggregate_(std::move(aggregate)) {}

  /// Nothing when nothing was added.
  std::optional<Result> get() const {
    const auto* accumulator = this->entry().read();
    if (accumulator == nullptr) return std::nullopt;
    return aggregate_.result(*accumulator);
  }
  void add(const In& value) {
    aggregate_.add(this->entry().write([&] { return aggregate_.create(); }), value);
  }
  void clear() { this->entry().erase(); }

 private:
  A aggregate_;
};

}  // namespace tidemark
