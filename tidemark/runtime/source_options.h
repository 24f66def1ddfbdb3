// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tidemark/base/options.h"
#include "tidemark/operator/source.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {

/// The options of a table that the runtime reads itself, whatever the connector
/// (allow_engine_source_options in operator/connector.h lists them all).
struct SourceOptions {
  double rows_per_second = 0;                // scan.rows-per-second; 0 is unlimited
  std::optional<std::uint32_t> parallelism;  // scan.parallelism
  RecordErrorPolicy record_errors = RecordErrorPolicy::kFail;  // scan.record-errors
  /// scan.dead-letter.path: a directory that receives files of JSON lines, hidden until the
  /// checkpoint that covers them is complete.
  std::string dead_letter_path;
  std::optional<Millis> max_future_skew;      // scan.max-future-skew
  std::optional<WatermarkEmission> emission;  // scan.watermark.emit.strategy
  std::optional<Millis> idle_after;           // scan.watermark.idle-timeout
};

/// Errors name the table, the option, what it takes and what it got.
Result<SourceOptions> read_source_options(const std::string& table, const OptionMap& options);

}  // namespace tidemark
