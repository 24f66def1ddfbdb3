// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/calendar.h"
#include "tidemark/expr/cast.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/signature.h"
#include "tidemark/expr/temporal_arithmetic.h"

// What the clock and the watermark say. The clock is read once a batch.

namespace tidemark {
namespace {

bool read_clock(Row& row, std::int64_t& now) {
  if (row.context->clock == nullptr) {
    row.fail("no clock here");
    return false;
  }
  now = row.context->clock->now();
  return true;
}

// `f` makes the result from the milliseconds of the clock.
template <typename Out, typename F>
Function clock_function(std::string name, std::string summary, DataType type, F f) {
  const std::string signature = name;
  return {.name = std::move(name),
          .signature = signature,
          .summary = std::move(summary),
          .resolve = takes({}, type, ResultNulls::kNever),
          .make = row_kernel<Out()>([f](Row& row) {
            std::int64_t now = 0;
            return read_clock(row, now) ? static_cast<Out>(f(now)) : Out{};
          }),
          .purity = Purity::kBatch};
}

// The same from what a clock on the wall shows in the session time zone.
template <typename Out, typename F>
Function local_clock_function(std::string name, std::string summary, DataType type, F f) {
  const std::string signature = name;
  return {.name = std::move(name),
          .signature = signature,
          .summary = std::move(summary),
          .resolve = takes({}, type, ResultNulls::kNever),
          .make = row_kernel<Out()>([f, zone = SessionZone()](Row& row) mutable {
            std::int64_t now = 0;
            const TimeZone* local = zone.get(row);
            if (local == nullptr || !read_clock(row, now)) return Out{};
            return static_cast<Out>(f(local->to_local(now)));
          }),
          .purity = Purity::kBatch};
}

// W - 1, as Flink counts: the watermark of an event at t says that nothing at or before it follows.
std::optional<Resolution> resolve_watermark(std::span<const ExpressionPtr> arguments) {
  if (arguments.size() != 1 || !is_timestamp(arguments[0]->type.kind)) return std::nullopt;
  DataType result = arguments[0]->type;
  result.precision = 3;
  return Resolution{
      .arguments = {arguments[0]->type}, .result = result, .nulls = ResultNulls::kAlways};
}

class WatermarkKernel final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    Buffer values(call.rows * sizeof(std::int64_t));
    const EventTime watermark = call.context.watermark;
    std::fill_n(values.as<std::int64_t>(), call.rows, saturating_sub(watermark, 1));
    if (watermark == kMinTime) call.validity.set_all_null();
    return call.finish(std::move(values));
  }
  bool strict() const override { return false; }
  bool eager() const override { return true; }
};

}  // namespace

void add_clock_functions(FunctionTable& table) {
  const auto same = [](std::int64_t now) { return now; };
  const auto time_of_day = [](std::int64_t local) {
    return floor_mod(local, kMillisPerDay) / 1000 * 1000;
  };
  const DataType instant = DataType::timestamp_ltz(3);
  table.topic("Clock");
  table.add(
      clock_function<std::int64_t>("CURRENT_TIMESTAMP", "Now, as an instant.", instant, same));
  table.alias("NOW", "CURRENT_TIMESTAMP");
  table.alias("CURRENT_ROW_TIMESTAMP", "CURRENT_TIMESTAMP");
  table.add(local_clock_function<std::int64_t>("LOCALTIMESTAMP",
                                               "Now, on the wall in the session time zone.",
                                               DataType::timestamp(3), same));
  table.add(local_clock_function<std::int32_t>(
      "LOCALTIME", "The time of day in the session time zone.", DataType::time(0), time_of_day));
  table.alias("CURRENT_TIME", "LOCALTIME");
  table.add(local_clock_function<std::int32_t>(
      "CURRENT_DATE", "Today in the session time zone.", DataType::date(),
      [](std::int64_t local) { return floor_div(local, kMillisPerDay); }));
  table.add({.name = "CURRENT_WATERMARK",
             .signature = "CURRENT_WATERMARK(time_attribute)",
             .summary =
                 "The watermark, as Flink counts it: no row at or before it follows. NULL before "
                 "the first.",
             .resolve = resolve_watermark,
             .make = [](const CallSite&) -> Result<KernelPtr> {
               return KernelPtr(std::make_unique<WatermarkKernel>());
             },
             .purity = Purity::kBatch});
}

}  // namespace tidemark
