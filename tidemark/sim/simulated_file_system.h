// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "tidemark/base/file_system.h"
#include "tidemark/sim/fault_plan.h"

namespace tidemark {

/// Files in memory that forget what was not synced, with fault injection. Deterministic from a
/// seed: the same calls give the same faults and the same losses. Relative paths start at "/".
/// Thread-safe, but only one thread makes it deterministic.
///
/// Every call counts as one operation, except that remove_tree counts one for each file and
/// directory it removes (so it may fail half-way), and that close() and size() count none.
class SimulatedFileSystem : public FileSystem {
 public:
  /// A loss of power. Forgets the bytes of each file after its last sync(), and the entries
  /// created, renamed or removed since the last sync_directory() (see
  /// FaultPlan::crash_keeps_some_unsynced). A rename is undone or kept as a whole. Files that are
  /// open fail from now on.
  virtual void crash() = 0;

  /// Replaces the faults; counting for the n-th operation starts again.
  virtual void set_faults(const FaultPlan& faults) = 0;
  /// Operations since the file system was made.
  virtual std::uint64_t operations() const = 0;
  /// Whether FaultPlan::halt_at_nth_file_operation has come, and no crash() since.
  virtual bool halted() const = 0;
};

std::unique_ptr<SimulatedFileSystem> make_simulated_file_system(std::uint64_t seed);

}  // namespace tidemark
