// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "tidemark/api/testing.h"
#include "tidemark/data/batch.h"

// Runs an operator in every way that a task may run it, and expects the same rows.

namespace tidemark {

/// What happens to an operator, in order.
struct VerifyRows {
  BatchPtr batch;
  std::size_t input = 0;
};
struct VerifyWatermark {
  EventTime time;
};
struct VerifyProcessingTime {
  Millis advance;
};
using VerifyStep = std::variant<VerifyRows, VerifyWatermark, VerifyProcessingTime>;

struct VerifyOptions {
  HarnessOptions harness;
  /// How many outputs are compared: the main one, and side outputs 1, 2, ...
  OutputIndex outputs = 1;
  /// Turns off what does not hold for an operator whose output depends on the cut of batches.
  bool batch_sizes = true;
};

/// The rows of each output as text, sorted.
using VerifiedRows = std::vector<std::vector<std::string>>;

/// Runs `make`'s operator through `steps` and the end of input in all combinations of
///   batches of 1, of 7, and whole;
///   no snapshot; snapshots that are written while later rows are processed; a restore into a new
///   instance at each step; and at every second;
///   outputs that are always ready, or refuse every other time;
/// and adds a test failure for each combination whose rows, event times, last watermark or counts
/// of late and filtered rows differ from the plain run's (whole batches, no snapshot, outputs
/// always ready). Returns the plain run's rows, for the caller to check.
VerifiedRows verify_operator(const OperatorHarness::Factory& make,
                             const std::vector<VerifyStep>& steps, VerifyOptions options = {});

}  // namespace tidemark
