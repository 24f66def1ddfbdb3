// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/file_system.h"
#include "tidemark/base/result.h"
#include "tidemark/data/batch.h"
#include "tidemark/operator/metrics.h"

namespace tidemark {

/// A part of a source that one reader reads in order: a file, a partition.
struct Split {
  std::string id;       // unique within the source and stable: "flights.csv"
  std::string payload;  // the connector's own encoding of what to read
};

/// What happens to a record that cannot be read or evaluated (`scan.record-errors` and
/// `tidemark.record-errors`).
enum class RecordErrorPolicy : std::uint8_t { kFail, kSkip, kDeadLetter };

struct BadRecord {
  std::string source;  // table name
  std::string split;
  std::uint64_t offset;  // where the record starts within the split
  std::string raw;       // at most 64 KiB
  std::string reason;
};

/// Receives bad records and applies the policy: throws a Failure, counts, or keeps.
class BadRecordHandler {
 public:
  virtual ~BadRecordHandler() = default;
  virtual void reject(BadRecord record) = 0;
};

struct ReadResult {
  enum class State : std::uint8_t {
    kMore,      // there may be more at once
    kWait,      // nothing now: ask again at `retry_at` or after wake()
    kFinished,  // the split is at its end, for good
  };
  BatchPtr batch;  // null when no row came
  State state = State::kMore;
  ProcessingTime retry_at = kMaxTime;
};

/// Reads one split. Thread: the task's; it must not block on anything but a local file.
class SplitReader {
 public:
  virtual ~SplitReader() = default;

  /// Up to `rows_max` rows of the source's schema.
  virtual ReadResult read(std::size_t rows_max) = 0;
  /// Where the next read() continues, after every row returned so far. Opaque to the engine.
  virtual std::string position() const = 0;
  /// Bytes consumed so far, for progress; bytes_total is 0 when unknown.
  virtual std::uint64_t bytes_read() const { return 0; }
  virtual std::uint64_t bytes_total() const { return 0; }
};

/// What a source may use. Outlives it.
struct SourceContext {
  FileSystem* files = nullptr;
  const Clock* clock = nullptr;
  std::string table;
  BadRecordHandler* bad_records = nullptr;
  std::uint64_t seed = 0;
};

/// A configured source: what a connector makes from a table's schema and options. Immutable;
/// shared by the enumerator and the readers of all subtasks.
class Source {
 public:
  virtual ~Source() = default;

  virtual SchemaPtr schema() const = 0;
  /// Whether every split ends.
  virtual bool bounded() const = 0;
  /// The splits there are now, in a stable order. Runs once with the coordinator when a job starts,
  /// and again after a restore: splits that the checkpoint does not know are new ones.
  virtual std::vector<Split> enumerate(SourceContext& context, std::uint32_t parallelism) const = 0;
  /// `position` is what SplitReader::position() returned, or absent to start at the beginning.
  virtual std::unique_ptr<SplitReader> open(SourceContext& context, const Split& split,
                                            const std::optional<std::string>& position) const = 0;
};

using SourcePtr = std::shared_ptr<const Source>;

}  // namespace tidemark
