// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/state/rocksdb/database.h"
#include "tidemark/state/rocksdb/namespace_tier.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// The moment at which all that was frozen is in the database and nothing else: a directory of
/// links to its files is made then, once, by whoever comes first: the I/O thread that stores them,
/// or the task, when it cannot wait any longer. Thread-safe.
class DatabaseCut {
 public:
  explicit DatabaseCut(std::shared_ptr<Database> database) : database_(std::move(database)) {}
  ~DatabaseCut() { give_up(); }
  DatabaseCut(const DatabaseCut&) = delete;
  DatabaseCut& operator=(const DatabaseCut&) = delete;

  /// Makes the links. What goes wrong is kept for directory().
  void take() noexcept;
  /// No links are wanted any more; those made are removed.
  void give_up() noexcept;
  /// Whether the database may go on.
  bool over() const noexcept { return over_.load(std::memory_order_acquire); }
  /// Of the links. Throws what take() met, or when the cut was given up.
  std::string directory();
  Database& database() noexcept { return *database_; }

 private:
  std::shared_ptr<Database> database_;
  std::mutex mutex_;
  std::atomic<bool> over_{false};
  std::string directory_;
  std::exception_ptr failure_;
};

/// What of the tiers must reach the database for one open snapshot: the slots that were dirty when
/// it was made, each as it was then. A slot is saved here before it is written again.
/// Owner: shared by the backend and the part. Thread: the task's.
class FrozenState {
 public:
  FrozenState(std::shared_ptr<Database> database, std::uint32_t epoch);

  /// Only while the snapshot is made.
  void add(std::shared_ptr<NamespaceTier> tier);
  /// `hook` is called once, when all is in the database and nothing else is.
  void when_written(std::function<void()> hook) { hook_ = std::move(hook); }
  void set_counts(std::vector<std::pair<std::string, std::string>> counts);

  /// Keeps a slot that is about to change, as it is.
  void save(const NamespaceTier& tier, const std::byte* slot);
  /// A range to be removed once the database may go on.
  void remove_later(std::string begin, std::string end);
  std::vector<std::pair<std::string, std::string>> take_removals() noexcept;

  /// Writes at most about `records`; true when all is in the database.
  bool write_some(std::size_t records);
  /// Writes all, and takes the cut where there is one.
  void finish();
  /// Lets go of everything: the backend dies, or the snapshot was given up.
  void abandon() noexcept;

  const std::shared_ptr<DatabaseCut>& cut() const noexcept { return cut_; }
  bool over() const noexcept { return cut_->over(); }

 private:
  std::size_t write_saved(std::size_t records);
  std::size_t write_tier(NamespaceTier& tier, std::size_t records);

  std::shared_ptr<Database> database_;
  std::shared_ptr<DatabaseCut> cut_;
  std::uint32_t epoch_;
  bool written_ = false;
  std::function<void()> hook_;
  std::vector<std::shared_ptr<NamespaceTier>> pending_;
  std::size_t next_ = 0;  // of pending_
  std::deque<rocksdb::WriteBatch> saved_;
  rocksdb::WriteBatch batch_;
  std::vector<std::pair<std::string, std::string>> counts_;    // keys and values of the own table
  std::vector<std::pair<std::string, std::string>> removals_;  // ranges
};

}  // namespace tidemark
