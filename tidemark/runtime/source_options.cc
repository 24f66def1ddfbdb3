// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/source_options.h"

#include <fmt/format.h>

#include "tidemark/state/key_group.h"

namespace tidemark {
namespace {

constexpr double kRowsPerSecondMax = 1e12;

Result<RecordErrorPolicy> read_policy(OptionReader& reader) {
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::string name,
      reader.choice("scan.record-errors", {"fail", "skip", "dead-letter"}, "fail"));
  if (name == "skip") return RecordErrorPolicy::kSkip;
  return name == "dead-letter" ? RecordErrorPolicy::kDeadLetter : RecordErrorPolicy::kFail;
}

}  // namespace

Result<SourceOptions> read_source_options(const std::string& table, const OptionMap& options) {
  OptionReader reader(fmt::format("table '{}'", table), options);
  SourceOptions result;
  TIDEMARK_ASSIGN_OR_RETURN(result.rows_per_second,
                            reader.real("scan.rows-per-second", 0, 0, kRowsPerSecondMax));
  if (reader.has("scan.parallelism")) {
    TIDEMARK_ASSIGN_OR_RETURN(const std::int64_t parallelism,
                              reader.integer("scan.parallelism", 1, 1, kMaxMaxParallelism));
    result.parallelism = static_cast<std::uint32_t>(parallelism);
  }
  TIDEMARK_ASSIGN_OR_RETURN(result.record_errors, read_policy(reader));
  result.dead_letter_path = reader.optional("scan.dead-letter.path", "");
  if (result.record_errors == RecordErrorPolicy::kDeadLetter && result.dead_letter_path.empty())
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("table '{}': 'scan.record-errors' = 'dead-letter' needs "
                             "'scan.dead-letter.path', the directory for the bad records",
                             table)};
  if (reader.has("scan.max-future-skew")) {
    TIDEMARK_ASSIGN_OR_RETURN(result.max_future_skew, reader.duration("scan.max-future-skew", 0));
  }
  if (reader.has("scan.watermark.emit.strategy")) {
    TIDEMARK_ASSIGN_OR_RETURN(
        const std::string strategy,
        reader.choice("scan.watermark.emit.strategy", {"on-periodic", "on-event"}, "on-periodic"));
    result.emission =
        strategy == "on-event" ? WatermarkEmission::kPerEvent : WatermarkEmission::kPerBatch;
  }
  if (reader.has("scan.watermark.idle-timeout")) {
    TIDEMARK_ASSIGN_OR_RETURN(result.idle_after, reader.duration("scan.watermark.idle-timeout", 0));
  }
  return result;
}

}  // namespace tidemark
