// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/api/state_value.h"
#include "tidemark/api/value_schema.h"
#include "tidemark/state/snapshot.h"

// States of a function that belong to its subtask and not to a key. They live in memory and are
// copied into each snapshot, so they are for little: positions, rules, buffers of a batch.

namespace tidemark {

/// A state that the function lists in states().
class OperatorStateHandle {
 public:
  explicit OperatorStateHandle(std::string name) : name_(std::move(name)) {}
  virtual ~OperatorStateHandle() = default;
  OperatorStateHandle(const OperatorStateHandle&) = default;
  OperatorStateHandle& operator=(const OperatorStateHandle&) = delete;

  const std::string& name() const noexcept { return name_; }

  // What follows is for the operator that owns the function.

  virtual StateDescriptor describe() const = 0;
  virtual std::vector<std::string> encode() const = 0;
  virtual void decode(const std::vector<std::string>& items) = 0;
  /// Whether all subtasks hold the same, so that one writes it for all.
  bool is_shared() const { return describe().redistribution == Redistribution::kBroadcast; }
  virtual void set_writable(bool writable) { static_cast<void>(writable); }

 private:
  std::string name_;
};

/// A list of each subtask. When a job is restored the items of all subtasks are dealt out round
/// robin (kSplit), or all of them go to every subtask, which keeps what is its own (kUnion).
template <typename T>
class OperatorListState final : public OperatorStateHandle {
  static_assert(api_detail::is_encodable<T>() && !api_detail::holds_view<T>(),
                "an item of a list state goes into snapshots and owns its strings");

 public:
  explicit OperatorListState(std::string name,
                             Redistribution redistribution = Redistribution::kSplit)
      : OperatorStateHandle(std::move(name)), redistribution_(redistribution) {}

  std::vector<T>& items() noexcept { return items_; }
  const std::vector<T>& items() const noexcept { return items_; }

  StateDescriptor describe() const override {
    return {
        .name = name(), .redistribution = redistribution_, .schema = api_detail::type_text<T>()};
  }
  std::vector<std::string> encode() const override {
    std::vector<std::string> encoded;
    for (const T& item : items_) {
      ByteWriter out;
      api_detail::encode_value(item, out);
      encoded.push_back(out.take());
    }
    return encoded;
  }
  void decode(const std::vector<std::string>& items) override {
    items_.clear();
    for (const std::string& item : items) {
      ByteReader in(item);
      items_.push_back(api_detail::decode_value<T>(in));
    }
  }

 private:
  Redistribution redistribution_;
  std::vector<T> items_;
};

/// A map that is the same in every subtask: the rows of a broadcast stream write it, and keyed rows
/// read it. Writing it for a keyed row fails the job, because the subtasks would come to differ.
template <typename K, typename V>
class BroadcastState final : public OperatorStateHandle {
  static_assert(api_detail::is_encodable<K>() && api_detail::is_encodable<V>() &&
                    !api_detail::holds_view<K>() && !api_detail::holds_view<V>(),
                "an entry of a broadcast state goes into snapshots and owns its strings");

 public:
  explicit BroadcastState(std::string name) : OperatorStateHandle(std::move(name)) {}

  /// nullptr when absent. Holds until the next write.
  const V* get(const K& key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }
  const std::map<K, V>& entries() const noexcept { return entries_; }

  void put(K key, V value) {
    require_writable();
    entries_.insert_or_assign(std::move(key), std::move(value));
  }
  void erase(const K& key) {
    require_writable();
    entries_.erase(key);
  }
  void clear() {
    require_writable();
    entries_.clear();
  }

  StateDescriptor describe() const override {
    return {
        .name = name(),
        .redistribution = Redistribution::kBroadcast,
        .schema = "MAP<" + api_detail::type_text<K>() + ", " + api_detail::type_text<V>() + ">"};
  }
  std::vector<std::string> encode() const override {
    std::vector<std::string> encoded;
    for (const auto& [key, value] : entries_) {
      ByteWriter out;
      api_detail::encode_value(key, out);
      api_detail::encode_value(value, out);
      encoded.push_back(out.take());
    }
    return encoded;
  }
  void decode(const std::vector<std::string>& items) override {
    entries_.clear();
    for (const std::string& item : items) {
      ByteReader in(item);
      K key = api_detail::decode_value<K>(in);
      entries_.insert_or_assign(std::move(key), api_detail::decode_value<V>(in));
    }
  }
  void set_writable(bool writable) override { writable_ = writable; }

 private:
  void require_writable() const {
    if (!writable_)
      throw Failure(ErrorCode::kInvalidOption,
                    "broadcast state '" + name() +
                        "' is read-only here: only rows of the broadcast stream may write it",
                    /*retryable=*/false);
  }

  std::map<K, V> entries_;
  bool writable_ = false;
};

namespace api_detail {

/// The snapshot parts of the states, copied now. Those that are shared are subtask 0's.
std::vector<std::unique_ptr<SnapshotPart>> operator_state_parts(
    const std::vector<OperatorStateHandle*>& states, std::uint32_t subtask);
/// Throws a Failure that names the operator, the state and both types when they differ.
void restore_operator_states(const std::vector<OperatorStateHandle*>& states,
                             const SnapshotReader& reader, const std::string& operator_uid);

}  // namespace api_detail
}  // namespace tidemark
