// SPDX-License-Identifier: Apache-2.0
// The operators that SQL's plans are made of, run in every way.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/harness/verify_operator.h"
#include "tidemark/base/random.h"
#include "tidemark/operator/calc.h"
#include "tidemark/window/window_operator.h"

namespace tidemark {
namespace {

struct Flight {
  std::optional<std::string> origin;
  std::optional<std::int32_t> delay;
  std::int64_t distance = 0;
};
BOOST_DESCRIBE_STRUCT(Flight, (), (origin, delay, distance))

// Batches of 40 flights from 8 origins and from none, up to 400 ms out of order, each followed by a
// watermark 20 ms behind the highest time.
std::vector<VerifyStep> make_steps() {
  Random random(11);
  std::vector<VerifyStep> steps;
  EventTime highest = 0;
  for (int batch = 0; batch < 6; ++batch) {
    RecordWriter<Flight> writer;
    std::vector<EventTime> times;
    for (int row = 0; row < 40; ++row) {
      Flight flight;
      if (!random.one_in(9)) flight.origin = "origin " + std::to_string(random.below(8));
      if (!random.one_in(5)) flight.delay = static_cast<std::int32_t>(random.below(60));
      flight.distance = static_cast<std::int64_t>(random.below(1000));
      writer.append(flight);
      times.push_back(batch * 200 + static_cast<EventTime>(random.below(400)) - 200);
      highest = std::max(highest, times.back());
    }
    steps.push_back(VerifyRows{writer.finish(make_time_column(times.data(), times.size()))});
    steps.push_back(VerifyWatermark{highest - 20});
  }
  return steps;
}

ExpressionPtr column(std::size_t index) {
  return column_expression(index, schema_of<Flight>()->fields[index].type);
}

TEST(VerifySqlOperators, CalcFiltersAndProjects) {
  CalcDescription description;
  description.input = schema_of<Flight>();
  description.filter =
      call_expression(">", {column(1), literal_expression(Value::of_integer(
                                           DataType::integer().with_nullable(false), 30))})
          .or_throw();
  description.projection = {column(0), call_expression("+", {column(2), column(1)}).or_throw()};
  description.output = make_schema(
      {{"origin", description.projection[0]->type}, {"sum", description.projection[1]->type}});
  const auto rows =
      verify_operator([&] { return make_calc_operator(description).or_throw(); }, make_steps());
  EXPECT_GT(rows[0].size(), 60u);
  EXPECT_LT(rows[0].size(), 140u);
}

WindowAggregateDescription window_of(std::vector<std::size_t> keys, Millis size, Millis slide) {
  const SchemaPtr input = schema_of<Flight>();
  WindowAggregateDescription description;
  description.input = input;
  description.window.window = {.size = size, .slide = slide};
  description.window.key_columns = keys;
  description.window.late_side_output = true;
  std::vector<Field> output;
  for (const std::size_t key : keys) {
    description.window.key_types.push_back(input->fields[key].type);
    output.push_back(input->fields[key]);
  }
  const auto add = [&](const char* function, bool distinct, std::vector<std::size_t> arguments) {
    std::vector<DataType> types;
    for (const std::size_t argument : arguments) types.push_back(input->fields[argument].type);
    description.aggregates.push_back(
        {.function = function, .distinct = distinct, .arguments = arguments, .filter = {}});
    output.push_back({function + std::to_string(output.size()),
                      resolve_aggregate(function, distinct, types).or_throw()->result_type()});
  };
  add("COUNT", false, {});
  add("MAX", false, {1});
  add("SUM", false, {2});
  add("MIN", false, {0});
  add("COUNT", true, {1});
  for (const char* name : {"window_start", "window_end", "window_time"})
    output.push_back({name, DataType::timestamp(3).with_nullable(false)});
  description.output = make_schema(std::move(output));
  return description;
}

VerifiedRows verify_window(const WindowAggregateDescription& description) {
  return verify_operator([&] { return make_window_aggregate(description).or_throw(); },
                         make_steps(), {.harness = {}, .outputs = 2});
}

TEST(VerifySqlOperators, TumblingWindowByKey) {
  const auto rows = verify_window(window_of({0}, 100, 100));
  EXPECT_GT(rows[0].size(), 40u);
  EXPECT_GT(rows[1].size(), 5u);
}

TEST(VerifySqlOperators, TumblingWindowWithoutKey) {
  const auto rows = verify_window(window_of({}, 100, 100));
  EXPECT_GT(rows[0].size(), 8u);
}

TEST(VerifySqlOperators, SlidingWindowByKeyOfTwoColumns) {
  const auto rows = verify_window(window_of({0, 1}, 150, 50));
  EXPECT_GT(rows[0].size(), 200u);
}

}  // namespace
}  // namespace tidemark
