// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidemark/api/projection.h"
#include "tidemark/base/options.h"
#include "tidemark/data/record.h"
#include "tidemark/operator/batch_source.h"
#include "tidemark/operator/connector.h"
#include "tidemark/operator/source.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {

/// W = max(ts) - `bound`, see operator/watermark.h.
inline WatermarkStrategy bounded_out_of_orderness(std::chrono::milliseconds bound) {
  return bounded_out_of_orderness(Millis{bound.count()});
}

/// A source of records of T, not yet part of a job. Made by the functions below; given to
/// Environment::source.
template <typename T>
struct TypedSource {
  std::string name;
  /// The source, given the connectors that the environment knows.
  std::function<Result<SourcePtr>(const ConnectorRegistry&)> make;
};

namespace api_detail {

/// The time of an event in milliseconds, from what a record says.
inline EventTime to_event_time(std::int64_t millis) noexcept {
  return millis;
}
inline EventTime to_event_time(std::chrono::sys_time<std::chrono::milliseconds> time) noexcept {
  return time.time_since_epoch().count();
}
inline EventTime to_event_time(std::chrono::local_time<std::chrono::milliseconds> time) noexcept {
  return time.time_since_epoch().count();
}

[[noreturn]] void throw_no_event_time();
template <typename Time>
EventTime to_event_time(const std::optional<Time>& time) {
  if (!time) [[unlikely]]
    throw_no_event_time();
  return to_event_time(*time);
}

/// Fills in the event time of each row of a batch, whose first columns are a record's.
using TimeExtractor = std::function<void(const Batch&, std::span<EventTime>)>;

/// From a member (read from its column) or a function of the record.
template <typename T, typename Time>
TimeExtractor make_time_extractor(Time time) {
  return [input = make_input<T>(time)](const Batch& batch, std::span<EventTime> out) mutable {
    input.attach(batch);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = to_event_time(input.get(i));
  };
}

/// `make(first, count, step)` makes the `count` rows first, first + step, ...
struct GeneratorDescription {
  SchemaPtr schema;
  std::uint64_t rows = 0;  // over all splits; kUnbounded for ever
  std::uint32_t splits = 1;
  std::function<BatchPtr(std::uint64_t first, std::size_t count, std::uint64_t step)> make;
};
SourcePtr make_generator_source(GeneratorDescription description);

/// `base` with its columns put in the order of T's (by name), and event times when `extract` is
/// set. An error when a column is missing or of another type.
Result<SourcePtr> adapt_source(SourcePtr base, SchemaPtr wanted, TimeExtractor extract);

}  // namespace api_detail

inline constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();

/// The rows of a vector, in order, by one subtask. A restored job goes on after the last row that
/// its checkpoint has seen, so the vector must be the same.
template <typename T>
TypedSource<T> from_values(const std::vector<T>& values, std::string name = "values") {
  require_record<T>();
  RecordWriter<T> writer;
  writer.reserve(values.size());
  for (const T& value : values) writer.append(value);
  return {std::move(name),
          [source = make_batch_source(writer.finish())](
              const ConnectorRegistry&) -> Result<SourcePtr> { return source; }};
}

/// Rows made by a function of their number, 0 to rows - 1; kUnbounded never ends. The function must
/// be pure, because a restored job calls it again. At most `splits` subtasks share the work, and
/// call it at the same time: split s of n makes the rows s, s + n, s + 2n, ... A job with a
/// checkpoint must keep its number of splits.
template <typename F,
          typename T = std::remove_cvref_t<std::invoke_result_t<const F&, std::uint64_t>>>
TypedSource<T> from_generator(std::uint64_t rows, F make, std::string name = "generator",
                              std::uint32_t splits = 1) {
  require_record<T>();
  auto make_batch = [make = std::move(make)](std::uint64_t first, std::size_t count,
                                             std::uint64_t step) {
    RecordWriter<T> writer;
    writer.reserve(count);
    for (std::size_t i = 0; i < count; ++i) writer.append(std::invoke(make, first + i * step));
    return writer.finish();
  };
  return {std::move(name),
          [source = api_detail::make_generator_source(
               {schema_of<T>(), rows, splits, std::move(make_batch)})](
              const ConnectorRegistry&) -> Result<SourcePtr> { return source; }};
}

/// A program's own source (operator/source.h). Its columns are matched to T's members by name.
template <typename T>
TypedSource<T> from_source(SourcePtr source, std::string name = "source") {
  return {std::move(name),
          [source = std::move(source)](const ConnectorRegistry&) -> Result<SourcePtr> {
            return source;
          }};
}

/// A table read by a connector, as CREATE TABLE ... WITH (options) would: the columns are T's
/// members, in order.
///   from_table<Flight>("flights", {{"connector", "filesystem"}, {"path", "flights.csv"},
///                                  {"format", "csv"}})
template <typename T>
TypedSource<T> from_table(std::string table, OptionMap options) {
  return {table, [table, options = std::move(options)](const ConnectorRegistry& connectors) {
            return connectors.make_source(
                {.table = table, .schema = schema_of<T>(), .options = options});
          }};
}

}  // namespace tidemark
