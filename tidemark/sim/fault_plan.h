// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tidemark/base/time.h"

namespace tidemark {

/// What goes wrong in a simulation. Probabilities are one in so many; 0 is never.
struct FaultPlan {
  /// An operation on a file throws IoFailure; an append then leaves a part of its bytes behind.
  std::uint64_t file_failure_one_in = 0;
  /// Exactly the n-th file operation after set_faults() fails, counted from 1; 0: none.
  std::uint64_t fail_nth_file_operation = 0;
  /// From the n-th file operation on nothing reaches the disk, and every operation throws, until
  /// crash(): the machine has lost its power in the middle of a step. 0: never.
  std::uint64_t halt_at_nth_file_operation = 0;
  /// After a crash some of what was not synced is there all the same, as on a real disk: a random
  /// part of a file, with or without zeros behind it, and some of the changes to directories. When
  /// false all of it is gone.
  bool crash_keeps_some_unsynced = true;

  Millis time_step_max = 20;             // the clock moves by up to this much at a time
  bool spurious_no_credit = true;        // senders say now and then that they have no credit
  std::uint64_t delivery_steps_max = 8;  // an element or a credit may arrive so many steps late
};

}  // namespace tidemark
