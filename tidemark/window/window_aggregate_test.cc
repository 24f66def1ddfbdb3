// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <string>

#include "tidemark/base/error.h"
#include "tidemark/data/calendar.h"
#include "tidemark/data/value.h"
#include "tidemark/window/window_fixture.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const DataType kKey = DataType::string();
const DataType kInt = DataType::big_int();

struct SqlRow {
  std::optional<std::string> key;
  std::optional<std::int64_t> value;
  EventTime time;
  std::optional<bool> flag = true;
};

SchemaPtr sql_schema() {
  return make_schema({{"k", kKey}, {"v", kInt}, {"flag", DataType::boolean()}});
}

BatchPtr sql_batch(const std::vector<SqlRow>& rows) {
  ColumnBuilder keys(kKey), values(kInt), flags(DataType::boolean());
  ColumnBuilder times(DataType::big_int().with_nullable(false));
  for (const SqlRow& row : rows) {
    append_value(keys, row.key ? Value::of_text(kKey, *row.key) : Value::null(kKey));
    append_value(values, row.value ? Value::of_integer(kInt, *row.value) : Value::null(kInt));
    append_value(flags, row.flag ? Value::of_integer(DataType::boolean(), *row.flag ? 1 : 0)
                                 : Value::null(DataType::boolean()));
    times.append(row.time);
  }
  return std::make_shared<const Batch>(sql_schema(), rows.size(),
                                       std::vector{keys.finish(), values.finish(), flags.finish()},
                                       times.finish());
}

WindowAggregateDescription describe(std::vector<AggregateCall> calls, Millis size = 10) {
  WindowAggregateDescription description;
  description.input = sql_schema();
  description.window = tumbling(size);
  description.window.key_columns = {0};
  description.window.key_types = {kKey};
  description.aggregates = std::move(calls);
  return description;
}

// Completes the output schema from what the aggregates give.
TestSubtask subtask_of(WindowAggregateDescription description) {
  std::vector<Field> fields;
  if (!description.window.key_types.empty()) fields.push_back({"k", kKey});
  for (const AggregateCall& call : description.aggregates) {
    std::vector<DataType> types;
    for (const std::size_t argument : call.arguments)
      types.push_back(description.input->fields[argument].type);
    const auto function = resolve_aggregate(call.function, call.distinct, types).or_throw();
    fields.push_back({call.name, function->result_type()});
  }
  fields.push_back({"window_start", DataType::timestamp(3)});
  fields.push_back({"window_end", DataType::timestamp(3)});
  fields.push_back({"window_time",
                    description.local_time ? DataType::timestamp_ltz(3) : DataType::timestamp(3)});
  description.output = make_schema(fields);
  return TestSubtask(make_window_aggregate(std::move(description)).or_throw());
}

/// Rows as text, sorted.
std::vector<std::string> take_rows(TestSubtask& subtask) {
  std::vector<std::string> lines;
  for (const BatchPtr& batch : std::exchange(subtask.out.batches, {}))
    for (const std::vector<Value>& row : to_rows(*batch)) {
      std::string line;
      for (const Value& value : row) line += "|" + to_string(value);
      lines.push_back(line.substr(1));
    }
  std::sort(lines.begin(), lines.end());
  return lines;
}

constexpr const char* kWindow =
    "|1970-01-01 00:00:00.000|1970-01-01 00:00:00.010|1970-01-01 00:00:00.009";

AggregateCall call(std::string function, std::vector<std::size_t> arguments = {}) {
  return {.function = std::move(function), .arguments = std::move(arguments), .name = "a"};
}

TEST(WindowAggregateTest, GivesKeysAggregatesAndTheWindow) {
  TestSubtask window = subtask_of(describe({call("COUNT"), call("COUNT", {1}), call("SUM", {1}),
                                            call("MIN", {1}), call("MAX", {1}), call("AVG", {1})}));
  window.process(sql_batch({{"a", 3, 1}, {"b", 7, 2}, {"a", std::nullopt, 3}, {"a", 6, 4}}));
  window.watermark(10);
  EXPECT_THAT(take_rows(window), ElementsAre(std::string("a|3|2|9|3|6|4") + kWindow,
                                             std::string("b|1|1|7|7|7|7") + kWindow));
}

// NULLs are one group, apart from the empty string.
TEST(WindowAggregateTest, NullKeysAreOneGroup) {
  TestSubtask window = subtask_of(describe({call("COUNT")}));
  window.process(sql_batch({{std::nullopt, 1, 1}, {"", 1, 2}, {std::nullopt, 1, 3}}));
  window.watermark(10);
  EXPECT_THAT(take_rows(window),
              ElementsAre(std::string("NULL|2") + kWindow, std::string("|1") + kWindow));
}

TEST(WindowAggregateTest, NoKeysAreOneGroup) {
  WindowAggregateDescription description = describe({call("SUM", {1})});
  description.window.key_columns.clear();
  description.window.key_types.clear();
  TestSubtask window = subtask_of(description);
  window.process(sql_batch({{"a", 1, 1}, {"b", 2, 2}}));
  window.watermark(10);
  EXPECT_THAT(take_rows(window), ElementsAre(std::string("3") + kWindow));
}

TEST(WindowAggregateTest, NoAggregatesAreTheDistinctKeys) {
  TestSubtask window = subtask_of(describe({}));
  window.process(sql_batch({{"a", 1, 1}, {"a", 2, 2}}));
  window.watermark(10);
  EXPECT_THAT(take_rows(window), ElementsAre(std::string("a") + kWindow));
}

TEST(WindowAggregateTest, AFilterTakesTheRowsWhereItIsTrue) {
  AggregateCall filtered = call("SUM", {1});
  filtered.filter = 2;
  TestSubtask window = subtask_of(describe({filtered, call("COUNT")}));
  window.process(sql_batch({{"a", 1, 1}, {"a", 2, 2, false}, {"a", 4, 3, std::nullopt}}));
  window.watermark(10);
  EXPECT_THAT(take_rows(window), ElementsAre(std::string("a|1|3") + kWindow));
}

TEST(WindowAggregateTest, ValuesThatOwnMemoryComeBackFromASnapshot) {
  AggregateCall distinct = call("COUNT", {1});
  distinct.distinct = true;
  const WindowAggregateDescription description =
      describe({call("MAX", {0}), distinct, call("SUM", {1})});
  TestSubtask before = subtask_of(description);
  before.process(sql_batch({{"a long enough key", 1, 1}, {"b", 2, 2}, {"b", 2, 3}}));
  MemorySnapshot snapshot;
  before.snapshot(snapshot);
  before.process(sql_batch({{"b", 100, 4}}));
  TestSubtask after = subtask_of(description);
  after.restore(snapshot);
  after.process(sql_batch({{"b", 2, 2}, {"b", 3, 3}}));
  after.watermark(10);
  EXPECT_THAT(take_rows(after),
              ElementsAre(std::string("a long enough key|a long enough key|1|1") + kWindow,
                          std::string("b|b|2|9") + kWindow));
}

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TEST(WindowAggregateTest, AnOverflowFailsTheJobNamingTheOperator) {
  TestSubtask window = subtask_of(describe({call("SUM", {1})}));
  window.process(sql_batch({{"a", kLargest, 1}}));
  try {
    window.process(sql_batch({{"a", 1, 2}}));
    FAIL() << "added";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ErrorCode::kEvaluation);
    EXPECT_THAT(failure.what(), HasSubstr("window-1"));
  }
}

TEST(WindowAggregateTest, ARowThatIsSkippedCountsNowhere) {
  AggregateCall distinct = call("COUNT", {1});
  distinct.distinct = true;
  WindowAggregateDescription description = describe({call("COUNT"), distinct, call("SUM", {1})});
  description.errors = RecordErrorPolicy::kSkip;
  TestSubtask window = subtask_of(description);
  window.process(sql_batch({{"a", kLargest, 1}, {"b", 5, 1}}));
  window.process(sql_batch({{"b", 6, 2}, {"a", 1, 2}, {"a", -1, 3}, {"a", kLargest, 4}}));
  window.watermark(10);
  EXPECT_EQ(window.metrics.rejected_skipped.get(), 2u);
  EXPECT_THAT(take_rows(window), ElementsAre(std::string("a|2|2|9223372036854775806") + kWindow,
                                             std::string("b|2|2|11") + kWindow));
}

TEST(WindowAggregateTest, AnOutputThatDoesNotFitIsAnError) {
  WindowAggregateDescription description = describe({call("COUNT")});
  description.output = make_schema({{"k", kKey}, {"n", kInt}});
  const auto made = make_window_aggregate(description);
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("window_start"));
}

TEST(WindowAggregateTest, WindowsThatAreNoneAreAnError) {
  const auto made = make_window_aggregate(describe({call("COUNT")}, 0));
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("size"));
}

EventTime at(const char* text) {
  return *parse_timestamp(text, 3);
}

TestSubtask los_angeles(Millis size, Millis slide = 0, WindowShape shape = WindowShape::kSliding) {
  WindowAggregateDescription description = describe({call("COUNT")}, size);
  if (slide != 0) description.window.window.slide = slide;
  description.window.window.shape = shape;
  description.local_time = true;
  description.time_zone = "America/Los_Angeles";
  return subtask_of(description);
}

// Conformance vector 26: the day the clocks go forward has 23 hours.
TEST(WindowAggregateTest, ALocalDayHas23Hours) {
  TestSubtask window = los_angeles(24 * 3'600'000);
  const EventTime first = at("2021-03-14 08:00:00");     // 00:00 PST
  const EventTime last = at("2021-03-15 06:59:59.999");  // 23:59:59.999 PDT
  window.process(sql_batch({{"a", 1, first - 1}, {"a", 1, first}, {"a", 1, last}}));
  window.watermark(last);
  EXPECT_THAT(take_rows(window), ElementsAre("a|1|2021-03-13 00:00:00.000|2021-03-14 00:00:00.000|"
                                             "2021-03-14 07:59:59.999Z"));
  window.watermark(last + 1);
  EXPECT_THAT(take_rows(window), ElementsAre("a|2|2021-03-14 00:00:00.000|2021-03-15 00:00:00.000|"
                                             "2021-03-15 06:59:59.999Z"));
}

// Conformance vector 27: an hour that the clocks show twice is one window.
TEST(WindowAggregateTest, ARepeatedLocalHourIsOneWindow) {
  TestSubtask window = los_angeles(3'600'000);
  const EventTime first = at("2021-11-07 08:30:00");   // 01:30 PDT
  const EventTime second = at("2021-11-07 09:30:00");  // 01:30 PST
  window.process(sql_batch({{"a", 1, first}}));
  window.watermark(at("2021-11-07 09:00:00"));
  EXPECT_THAT(take_rows(window), IsEmpty());
  window.process(sql_batch({{"a", 1, second}}));
  window.watermark(at("2021-11-07 09:59:59.999"));
  EXPECT_THAT(take_rows(window), IsEmpty());
  window.watermark(at("2021-11-07 10:00:00"));
  EXPECT_THAT(take_rows(window), ElementsAre("a|2|2021-11-07 01:00:00.000|2021-11-07 02:00:00.000|"
                                             "2021-11-07 09:59:59.999Z"));
  EXPECT_EQ(window.metrics.late_dropped.get(), 0u);
}

WindowAggregateDescription describe_sessions(std::vector<AggregateCall> calls, Millis gap) {
  WindowAggregateDescription description = describe(std::move(calls));
  description.session_gap = gap;
  return description;
}

TEST(WindowAggregateTest, SessionsSayTheirStartAndEnd) {
  AggregateCall distinct = call("COUNT", {1});
  distinct.distinct = true;
  const WindowAggregateDescription description =
      describe_sessions({call("SUM", {1}), distinct, call("MAX", {0})}, 10);
  TestSubtask before = subtask_of(description);
  before.process(sql_batch({{"a", 3, 1}, {"b", 7, 100}, {"a", 3, 21}, {"a", 4, 11}, {"a", 5, 32}}));
  MemorySnapshot snapshot;
  before.snapshot(snapshot);
  TestSubtask after = subtask_of(description);
  after.restore(snapshot);
  after.watermark(kMaxTime);
  EXPECT_THAT(take_rows(after),
              ElementsAre("a|10|2|a|1970-01-01 00:00:00.001|1970-01-01 00:00:00.031|"
                          "1970-01-01 00:00:00.030",
                          "a|5|1|a|1970-01-01 00:00:00.032|1970-01-01 00:00:00.042|"
                          "1970-01-01 00:00:00.041",
                          "b|7|1|b|1970-01-01 00:00:00.100|1970-01-01 00:00:00.110|"
                          "1970-01-01 00:00:00.109"));
}

// As the windows of other shapes, sessions of TIMESTAMP_LTZ are cut by the clocks of the zone.
TEST(WindowAggregateTest, SessionsInLocalTime) {
  WindowAggregateDescription description = describe_sessions({call("COUNT")}, 60'000);
  description.local_time = true;
  description.time_zone = "Asia/Kolkata";
  TestSubtask window = subtask_of(description);
  window.process(sql_batch({{"a", 1, 0}, {"a", 1, 30'000}}));
  window.watermark(89'999);
  EXPECT_THAT(take_rows(window), IsEmpty());
  window.watermark(90'000);
  EXPECT_THAT(take_rows(window), ElementsAre("a|2|1970-01-01 05:30:00.000|1970-01-01 05:31:30.000|"
                                             "1970-01-01 00:01:29.999Z"));
}

TEST(WindowAggregateTest, SessionsUpdateWhereAskedTo) {
  WindowAggregateDescription description = describe_sessions({call("SUM", {1})}, 10);
  description.window.window.allowed_lateness = 100;
  description.updating = true;
  TestSubtask window = subtask_of(description);
  window.process(sql_batch({{"a", 3, 1}}));
  window.watermark(20);
  window.out.batches.clear();
  window.process(sql_batch({{"a", 4, 1}}));
  ASSERT_EQ(window.out.batches.size(), 2u);
  EXPECT_EQ(window.out.batches[0]->row_kinds()[0],
            static_cast<std::int8_t>(RowKind::kUpdateBefore));
  EXPECT_EQ(window.out.batches[1]->row_kinds()[0], static_cast<std::int8_t>(RowKind::kUpdateAfter));
}

TEST(WindowAggregateTest, ASessionGapIsAboveZero) {
  WindowAggregateDescription description = describe_sessions({}, -1);
  const auto made = make_window_aggregate(std::move(description));
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("the gap of sessions is -1 ms"));
}

// The same of windows of several slices. The hour from 2 to 3 is skipped: windows that it is a part
// of hold the other one, and one that ends with it ends with the hour before.
TEST(WindowAggregateTest, LocalWindowsOfSeveralSlicesPassOverASkippedHour) {
  for (const WindowShape shape : {WindowShape::kSliding, WindowShape::kCumulating}) {
    TestSubtask window = los_angeles(2 * 3'600'000, 3'600'000, shape);
    window.process(sql_batch({{"a", 1, at("2021-03-14 09:30:00")},     // 01:30 PST
                              {"a", 1, at("2021-03-14 10:30:00")}}));  // 03:30 PDT
    window.watermark(kMaxTime);
    std::vector<std::string> expected = {
        "a|1|2021-03-14 00:00:00.000|2021-03-14 02:00:00.000|2021-03-14 09:59:59.999Z",
        "a|1|2021-03-14 02:00:00.000|2021-03-14 04:00:00.000|2021-03-14 10:59:59.999Z"};
    if (shape == WindowShape::kSliding) {
      expected.insert(
          expected.begin() + 1,
          "a|1|2021-03-14 01:00:00.000|2021-03-14 03:00:00.000|2021-03-14 09:59:59.999Z");
      expected.emplace_back(
          "a|1|2021-03-14 03:00:00.000|2021-03-14 05:00:00.000|2021-03-14 11:59:59.999Z");
    }
    EXPECT_EQ(take_rows(window), expected);
  }
}

// Vector 27: rows of both hours that the clocks show are in the windows that hold the hour, which
// are complete when it is over the second time.
TEST(WindowAggregateTest, LocalWindowsOfSeveralSlicesHoldARepeatedHour) {
  TestSubtask window = los_angeles(2 * 3'600'000, 3'600'000);
  window.process(sql_batch({{"a", 1, at("2021-11-07 08:30:00")}}));  // 01:30 PDT
  window.watermark(at("2021-11-07 09:00:00"));
  window.process(sql_batch({{"a", 1, at("2021-11-07 09:30:00")}}));  // 01:30 PST
  window.watermark(at("2021-11-07 09:59:59.999"));
  EXPECT_THAT(take_rows(window), IsEmpty());
  window.watermark(at("2021-11-07 11:00:00"));
  EXPECT_THAT(
      take_rows(window),
      ElementsAre("a|2|2021-11-07 00:00:00.000|2021-11-07 02:00:00.000|2021-11-07 09:59:59.999Z",
                  "a|2|2021-11-07 01:00:00.000|2021-11-07 03:00:00.000|2021-11-07 10:59:59.999Z"));
  EXPECT_EQ(window.metrics.late_dropped.get(), 0u);
}

}  // namespace
}  // namespace tidemark
