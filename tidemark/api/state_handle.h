// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/api/state_value.h"
#include "tidemark/api/value_schema.h"
#include "tidemark/state/batched_entries.h"
#include "tidemark/state/keyed_state.h"

namespace tidemark {

namespace api_detail {

/// What the states of a function are opened with.
struct StateEnvironment {
  KeyedStateBackend* backend = nullptr;
  KeyEncoding key_encoding = KeyEncoding::kFixed8;
  std::string key_schema;            // "(sensor STRING NOT NULL)"
  std::string operator_uid;          // for messages
  const std::size_t* row = nullptr;  // the current row of the attached batch
};

}  // namespace api_detail

/// A state of a function that the program declares as a member and lists in states(). Each subtask
/// has its own copy of the function, and so of the state.
class KeyedStateHandle {
 public:
  KeyedStateHandle(std::string name, TimeToLive ttl) : name_(std::move(name)), ttl_(ttl) {}
  virtual ~KeyedStateHandle() = default;
  KeyedStateHandle(const KeyedStateHandle& other) : name_(other.name_), ttl_(other.ttl_) {}
  KeyedStateHandle& operator=(const KeyedStateHandle&) = delete;

  const std::string& name() const noexcept { return name_; }
  const TimeToLive& time_to_live() const noexcept { return ttl_; }

  // What follows is for the operator that owns the function.

  /// The tables of this state, as open() opens them.
  virtual std::vector<TableDescriptor> describe(
      const api_detail::StateEnvironment& environment) const = 0;
  virtual void open(const api_detail::StateEnvironment& environment) = 0;
  virtual void attach(const KeyBatch& keys) = 0;
  virtual void detach() = 0;

 protected:
  TableDescriptor describe_as(const api_detail::StateEnvironment& environment,
                              std::shared_ptr<const ValueOperations> values,
                              const std::string& value_type) const;
  [[noreturn]] void fail_unlisted() const;

 private:
  std::string name_;
  TimeToLive ttl_;
};

namespace api_detail {

/// The entry of a value of V for the current key. Present entries have a first word that is not
/// zero (state/batched_entries.h).
template <typename V>
class ValueEntry {
  static_assert(alignof(V) <= 8, "a value in state is aligned to 8 bytes");
  static_assert(is_encodable<V>(),
                "a value in state goes into snapshots: make it a described struct "
                "(BOOST_DESCRIBE_STRUCT), a number, a string, a vector or an optional of these, or "
                "give it encode and decode");
  static_assert(!holds_view<V>(),
                "a value in state outlives the rows: hold std::string, not std::string_view");

 public:
  using Slot = SlotFor<V, /*kZeroIsEmpty=*/false>;

  static std::shared_ptr<const ValueOperations> operations() {
    return std::make_shared<const SlotOperations<Slot>>();
  }
  /// Plain values have their word in front, in snapshots too.
  static std::string type() {
    return Slot::kPlain ? "MADE<" + type_text<V>() + ">" : type_text<V>();
  }

  bool is_open() const noexcept { return entries_.has_value(); }
  void open(const StateEnvironment& environment, const TableDescriptor& descriptor) {
    KeyedTable& table = environment.backend->open_table(descriptor);
    entries_.emplace(*environment.backend, table, descriptor);
    row_ = environment.row;
  }
  void attach(const KeyBatch& keys) { entries_->attach(keys); }
  void detach() { entries_->detach(); }

  const V* read() {
    const std::byte* entry = entries_->read(*row_);
    return entry == nullptr ? nullptr : &Slot::peek(entry);
  }
  template <typename Make>
  V& write(const Make& make) {
    return Slot::get(entries_->write(*row_), make);
  }
  void erase() { entries_->erase(*row_); }

 private:
  std::optional<BatchedEntries> entries_;
  const std::size_t* row_ = nullptr;
};

/// A state that is one value of V a key.
template <typename V>
class SingleValueState : public KeyedStateHandle {
 public:
  using KeyedStateHandle::KeyedStateHandle;
  SingleValueState(const SingleValueState& other) : KeyedStateHandle(other) {}

  std::vector<TableDescriptor> describe(const StateEnvironment& environment) const override {
    return {describe_table(environment)};
  }
  void open(const StateEnvironment& environment) override {
    entry_.open(environment, describe_table(environment));
  }
  void attach(const KeyBatch& keys) override { entry_.attach(keys); }
  void detach() override { entry_.detach(); }

 protected:
  ValueEntry<V>& entry() const {
    if (!entry_.is_open()) [[unlikely]]
      this->fail_unlisted();
    return entry_;
  }

 private:
  TableDescriptor describe_table(const StateEnvironment& environment) const {
    return this->describe_as(environment, ValueEntry<V>::operations(), ValueEntry<V>::type());
  }

  mutable ValueEntry<V> entry_;
};

}  // namespace api_detail
}  // namespace tidemark
