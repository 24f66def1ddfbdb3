// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/aggregate.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

#include "tidemark/expr/expr_test_support.h"

namespace tidemark::test {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kLongMax = std::numeric_limits<std::int64_t>::max();

AggregateFunctionPtr resolve(std::string_view name, DataType type, bool distinct = false) {
  return std::move(resolve_aggregate(name, distinct, {&type, 1})).or_throw();
}

// Accumulators as the state has them: zeroed, 8-byte aligned, at an offset inside an entry.
class Groups {
 public:
  static constexpr std::size_t kOffset = 8;

  Groups(AggregateFunctionPtr function, std::size_t count) : function_(std::move(function)) {
    const std::size_t words = (function_->width() + kOffset + 15) / 8;
    for (std::size_t i = 0; i < count; ++i)
      entries_.push_back(static_cast<std::byte*>(std::calloc(words, 8)));
  }
  ~Groups() {
    for (std::byte* entry : entries_) {
      if (!function_->is_plain()) function_->destroy(entry + kOffset);
      std::free(entry);
    }
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;

  // Adds row i of the column to group groups[i].
  void update(const Column* column, const std::vector<std::size_t>& groups) {
    std::vector<RowIndex> rows;
    std::vector<std::byte*> targets;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      rows.push_back(static_cast<RowIndex>(i));
      targets.push_back(entries_[groups[i]]);
    }
    function_->update(column, rows, targets, kOffset, context);
  }
  Status merge(std::size_t into, const Groups& other, std::size_t from) {
    return function_->merge(entries_[into] + kOffset, other.entries_[from] + kOffset);
  }
  const std::byte* accumulator(std::size_t group) const { return entries_[group] + kOffset; }
  std::string encoded(std::size_t group) const {
    ByteWriter out;
    function_->encode(entries_[group] + kOffset, out);
    return out.take();
  }
  void decode(std::size_t group, std::string_view bytes) {
    ByteReader in(bytes);
    function_->decode(in, entries_[group] + kOffset);
    EXPECT_TRUE(in.at_end());
  }
  std::vector<std::string> results() {
    ColumnBuilder builder(function_->result_type());
    const std::vector<const std::byte*> entries(entries_.begin(), entries_.end());
    function_->finish(entries, kOffset, builder, context);
    return texts(*builder.finish());
  }

  EvaluationContext context;

 private:
  AggregateFunctionPtr function_;
  std::vector<std::byte*> entries_;
};

// One group over all values, computed whole; then by two halves that are merged; and once more from
// its encoding. All must agree.
std::string aggregate(std::string_view name, const std::vector<Value>& values,
                      bool distinct = false) {
  const auto function = resolve(name, values.front().type, distinct);
  const BatchPtr batch = batch_of({values});
  Groups whole(function, 1);
  whole.update(&batch->column(0), std::vector<std::size_t>(values.size(), 0));
  EXPECT_TRUE(whole.context.errors.empty());
  const std::string result = whole.results()[0];

  const std::size_t half = values.size() / 2;
  Groups parts(function, 2);
  std::vector<std::size_t> halves(values.size(), 0);
  for (std::size_t i = half; i < values.size(); ++i) halves[i] = 1;
  parts.update(&batch->column(0), halves);
  Groups merged(function, 1);
  EXPECT_TRUE(merged.merge(0, parts, 0).ok());
  EXPECT_TRUE(merged.merge(0, parts, 1).ok());
  EXPECT_EQ(merged.results()[0], result) << name << " merged";

  Groups restored(function, 1);
  restored.decode(0, whole.encoded(0));
  EXPECT_EQ(restored.results()[0], result) << name << " restored";
  EXPECT_EQ(restored.encoded(0), whole.encoded(0));
  return result;
}

Value no_int() {
  return null(DataType::integer());
}

TEST(Aggregates, SkipNulls) {
  EXPECT_EQ(aggregate("COUNT", {integer(1), no_int(), integer(3)}), "2");
  EXPECT_EQ(aggregate("SUM", {integer(1), no_int(), integer(3)}), "4");
  EXPECT_EQ(aggregate("AVG", {integer(1), no_int(), integer(4)}), "2");
  EXPECT_EQ(aggregate("MIN", {no_int(), integer(3), integer(2)}), "2");
  EXPECT_EQ(aggregate("MAX", {no_int(), integer(3), integer(2)}), "3");
  for (const char* name : {"SUM", "AVG", "MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "VAR_POP"})
    EXPECT_EQ(aggregate(name, {no_int(), no_int()}), "NULL") << name;
  EXPECT_EQ(aggregate("COUNT", {no_int(), no_int()}), "0");
}

TEST(Aggregates, CountStarCountsEveryRow) {
  const auto count = std::move(resolve_aggregate("count", false, {})).or_throw();
  Groups groups(count, 2);
  groups.update(nullptr, {0, 0, 1});
  EXPECT_EQ(groups.results(), (std::vector<std::string>{"2", "1"}));
  EXPECT_FALSE(count->result_type().nullable);
}

TEST(Aggregates, ResultTypes) {
  const auto type = [](std::string_view name, DataType argument) {
    return to_string(resolve(name, argument)->result_type());
  };
  EXPECT_EQ(type("SUM", DataType::tiny_int()), "BIGINT");
  EXPECT_EQ(type("SUM", DataType::big_int()), "BIGINT");
  EXPECT_EQ(type("SUM", DataType::float32()), "DOUBLE");
  EXPECT_EQ(type("SUM", DataType::decimal(10, 2)), "DECIMAL(38, 2)");
  EXPECT_EQ(type("AVG", DataType::small_int()), "SMALLINT");
  EXPECT_EQ(type("AVG", DataType::decimal(10, 2)), "DECIMAL(38, 6)");
  EXPECT_EQ(type("AVG", DataType::decimal(10, 8)), "DECIMAL(38, 8)");
  EXPECT_EQ(type("MAX", DataType::date().with_nullable(false)), "DATE");
  EXPECT_EQ(type("STDDEV", DataType::integer()), "DOUBLE");
}

TEST(Aggregates, SumsOfEveryNumber) {
  EXPECT_EQ(aggregate("SUM", {tiny(127), tiny(127), tiny(-1)}), "253");
  EXPECT_EQ(aggregate("SUM", {small(32767), small(1)}), "32768");
  EXPECT_EQ(aggregate("SUM", {integer(2147483647), integer(1)}), "2147483648");
  EXPECT_EQ(aggregate("SUM", {real(0.5), real(0.25)}), "0.75");
  EXPECT_EQ(aggregate("SUM", {single(0.5f), single(0.25f)}), "0.75");
  EXPECT_EQ(aggregate("SUM", {decimal("0.50", 4, 2), decimal("-1.75", 4, 2)}), "-1.25");
}

TEST(Aggregates, Averages) {
  EXPECT_EQ(aggregate("AVG", {integer(1), integer(2)}), "1") << "truncated";
  EXPECT_EQ(aggregate("AVG", {integer(-1), integer(-2)}), "-1");
  EXPECT_EQ(aggregate("AVG", {big(kLongMax), big(kLongMax), big(kLongMax)}),
            std::to_string(kLongMax))
      << "the total does not overflow";
  EXPECT_EQ(aggregate("AVG", {real(1), real(2)}), "1.5");
  EXPECT_EQ(aggregate("AVG", {decimal("1.00", 4, 2), decimal("2.00", 4, 2), decimal("2.00", 4, 2)}),
            "1.666667");
}

TEST(Aggregates, ExtremesOfEveryType) {
  EXPECT_EQ(aggregate("MAX", {text("b"), text("abc"), text("")}), "b");
  EXPECT_EQ(aggregate("MIN", {text("b"), text("abc"), text("")}), "");
  EXPECT_EQ(aggregate("MIN", {decimal("1.5", 3, 1), decimal("-1.5", 3, 1)}), "-1.5");
  EXPECT_EQ(aggregate("MAX", {date("2001-01-01"), date("2000-01-01")}), "2001-01-01");
  EXPECT_EQ(aggregate("MAX", {timestamp("2001-01-01 00:00:00"), timestamp("2001-01-01 00:00:01")}),
            "2001-01-01 00:00:01.000");
  EXPECT_EQ(aggregate("MIN", {boolean(true), boolean(false)}), "FALSE");
  EXPECT_EQ(aggregate("MIN", {tiny(-5), tiny(3)}), "-5");
  EXPECT_EQ(aggregate("MAX", {real(1), real(NAN), real(2)}), "NaN");
  EXPECT_EQ(aggregate("MIN", {real(NAN), real(1), real(2)}), "1.0");
  const std::string long_text(5000, 'x');
  EXPECT_EQ(aggregate("MAX", {text("a"), text(long_text)}), long_text);
}

TEST(Aggregates, FirstLastAndList) {
  EXPECT_EQ(aggregate("FIRST_VALUE", {no_int(), integer(3), integer(2)}), "3");
  EXPECT_EQ(aggregate("LAST_VALUE", {integer(3), integer(2), no_int()}), "2");
  EXPECT_EQ(aggregate("LAST_VALUE", {text("a"), text("bb")}), "bb");
  EXPECT_EQ(aggregate("LISTAGG", {text("a"), null(DataType::string()), text("b"), text("")}),
            "a,b,");
}

TEST(Aggregates, Variances) {
  const std::vector<Value> values = {integer(2), integer(4), integer(4), integer(4),
                                     integer(5), integer(5), integer(7), integer(9)};
  EXPECT_DOUBLE_EQ(std::stod(aggregate("VAR_POP", values)), 4.0);
  EXPECT_DOUBLE_EQ(std::stod(aggregate("STDDEV_POP", values)), 2.0);
  EXPECT_EQ(aggregate("VAR_SAMP", {integer(5)}), "NULL");
  EXPECT_EQ(aggregate("VARIANCE", {integer(1), integer(3)}), "2.0");
  EXPECT_EQ(aggregate("STDDEV_SAMP", {decimal("1.0", 3, 1), decimal("3.0", 3, 1)}),
            constant(lit(real(std::sqrt(2.0)))));
}

TEST(Aggregates, Distinct) {
  EXPECT_EQ(aggregate("COUNT", {integer(1), integer(1), no_int(), integer(2)}, true), "2");
  EXPECT_EQ(aggregate("SUM", {integer(5), integer(5), integer(2)}, true), "7");
  EXPECT_EQ(aggregate("AVG", {real(1), real(1), real(2)}, true), "1.5");
  EXPECT_EQ(aggregate("COUNT", {text("a"), text("b"), text("a"), text("")}, true), "3");
  EXPECT_EQ(aggregate("COUNT", {real(0.0), real(-0.0), real(NAN), real(NAN)}, true), "2");
  EXPECT_EQ(aggregate("SUM", {decimal("1.5", 3, 1), decimal("1.5", 3, 1)}, true), "1.5");
  EXPECT_EQ(aggregate("MIN", {integer(5), integer(2)}, true), "2");
  EXPECT_EQ(aggregate("COUNT", {no_int()}, true), "0");
}

TEST(Aggregates, DistinctMergesOverlappingSets) {
  const auto function = resolve("SUM", DataType::integer(), true);
  const BatchPtr batch = batch_of({{integer(1), integer(2), integer(2), integer(3)}});
  Groups groups(function, 2);
  groups.update(&batch->column(0), {0, 0, 1, 1});
  Groups merged(function, 1);
  ASSERT_TRUE(merged.merge(0, groups, 0).ok());
  ASSERT_TRUE(merged.merge(0, groups, 1).ok());
  EXPECT_EQ(merged.results()[0], "6");
}

TEST(Aggregates, OverflowIsAnErrorOfItsRow) {
  const auto function = resolve("SUM", DataType::big_int());
  const BatchPtr batch = batch_of({{big(kLongMax), big(1), big(-1), big(5)}});
  Groups groups(function, 2);
  groups.update(&batch->column(0), {0, 0, 0, 1});
  ASSERT_EQ(groups.context.errors.size(), 1u);
  EXPECT_EQ(groups.context.errors[0].row, 1u);
  EXPECT_THAT(groups.context.errors[0].message, HasSubstr("overflow"));
  // The row did not count, its neighbours did.
  EXPECT_EQ(groups.results(), (std::vector<std::string>{std::to_string(kLongMax - 1), "5"}));
}

TEST(Aggregates, OverflowInMergeIsAnError) {
  const auto function = resolve("SUM", DataType::big_int());
  const BatchPtr batch = batch_of({{big(kLongMax), big(1)}});
  Groups groups(function, 2);
  groups.update(&batch->column(0), {0, 1});
  Groups other(function, 1);
  ASSERT_TRUE(other.merge(0, groups, 0).ok());
  const Status status = other.merge(0, groups, 1);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kEvaluation);
  EXPECT_EQ(other.results()[0], std::to_string(kLongMax)) << "as it was";
}

// What the groups of a column, one a value, come to: all are added to a total, and then the first
// `gone` are taken out of it again.
std::vector<std::string> slide(const AggregateFunctionPtr& function,
                               const std::vector<Value>& values, std::size_t gone,
                               EvaluationContext& context) {
  const BatchPtr batch = batch_of({values});
  Groups groups(function, values.size());
  std::vector<std::size_t> one_each(values.size());
  std::iota(one_each.begin(), one_each.end(), std::size_t{0});
  groups.update(&batch->column(0), one_each);
  const SlidingAggregate& sliding = *function->sliding();
  std::vector<std::int64_t> total(sliding.width() / 8);
  std::byte* const at[] = {reinterpret_cast<std::byte*>(total.data())};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::byte* const group[] = {groups.accumulator(i)};
    sliding.add(at, 0, group, 0);
  }
  for (std::size_t i = 0; i < gone; ++i) {
    const std::byte* const group[] = {groups.accumulator(i)};
    sliding.subtract(at, 0, group, 0);
  }
  ColumnBuilder out(function->result_type());
  const std::byte* const read[] = {at[0]};
  sliding.finish(read, 0, out, context);
  return texts(*out.finish());
}

TEST(Aggregates, GroupsAreTakenOutOfATotal) {
  const std::vector<Value> numbers = {big(5), big(-9), null(DataType::big_int()), big(8), big(3)};
  const std::vector<Value> decimals = {decimal("5.5", 5, 1), decimal("-9.1", 5, 1),
                                       null(DataType::decimal(5, 1)), decimal("8.0", 5, 1)};
  for (const char* name : {"SUM", "AVG", "COUNT"}) {
    for (const std::vector<Value>& values : {numbers, decimals}) {
      for (std::size_t gone = 0; gone < values.size(); ++gone) {
        const auto function = resolve(name, values.front().type);
        EvaluationContext context;
        const std::vector<Value> left(values.begin() + static_cast<std::ptrdiff_t>(gone),
                                      values.end());
        EXPECT_EQ(slide(function, values, gone, context)[0], aggregate(name, left)) << name;
      }
    }
  }
}

TEST(Aggregates, ATotalOverflowsOnlyInItsResult) {
  const std::vector<Value> values = {big(kLongMax), big(kLongMax), big(1)};
  const auto sum = resolve("SUM", DataType::big_int());
  EvaluationContext context;
  EXPECT_EQ(slide(sum, values, 0, context)[0], "NULL");
  ASSERT_EQ(context.errors.size(), 1u);
  EXPECT_THAT(context.errors[0].message, HasSubstr("overflow in SUM"));
  context.errors.clear();
  EXPECT_EQ(slide(sum, values, 2, context)[0], "1");
  EXPECT_TRUE(context.errors.empty());

  // Four of these are 2^128 and a bit: a total of 128 bits would have come around.
  const std::vector<Value> large(4, decimal("85070591730234615865843651857942052864", 38, 0));
  const auto decimal_sum = resolve("SUM", DataType::decimal(38, 0));
  EXPECT_EQ(slide(decimal_sum, large, 0, context)[0], "NULL");
  EXPECT_EQ(context.errors.size(), 1u);
  context.errors.clear();
  EXPECT_EQ(slide(decimal_sum, large, 3, context)[0], "85070591730234615865843651857942052864");
  EXPECT_TRUE(context.errors.empty());
}

TEST(Aggregates, WhatCannotBeTakenOutHasNoTotal) {
  EXPECT_EQ(resolve("SUM", DataType::float64())->sliding(), nullptr);
  EXPECT_EQ(resolve("AVG", DataType::float32())->sliding(), nullptr);
  EXPECT_EQ(resolve("MAX", DataType::big_int())->sliding(), nullptr);
  EXPECT_EQ(resolve("COUNT", DataType::big_int(), true)->sliding(), nullptr);
}

TEST(Aggregates, DecimalOverflowLeavesTheAccumulator) {
  const std::string nines(38, '9');
  const auto function = resolve("SUM", DataType::decimal(38, 0));
  const BatchPtr batch = batch_of({{decimal(nines, 38, 0), decimal("1", 38, 0)}});
  Groups groups(function, 1);
  groups.update(&batch->column(0), {0, 0});
  EXPECT_EQ(groups.context.errors.size(), 1u);
  EXPECT_EQ(groups.results()[0], nines);
}

TEST(Aggregates, ADistinctValueThatOverflowedIsForgotten) {
  const auto function = resolve("SUM", DataType::big_int(), true);
  const BatchPtr batch = batch_of({{big(kLongMax), big(1), big(-7)}});
  Groups groups(function, 1);
  groups.update(&batch->column(0), {0, 0, 0});
  EXPECT_EQ(groups.context.errors.size(), 1u);
  EXPECT_EQ(groups.results()[0], std::to_string(kLongMax - 7));
  const BatchPtr again = batch_of({{big(1)}});
  groups.update(&again->column(0), {0});
  EXPECT_EQ(groups.results()[0], std::to_string(kLongMax - 6)) << "now it fits, and counts";
}

TEST(Aggregates, GroupsAreIndependent) {
  const auto function = resolve("MAX", DataType::string());
  std::vector<Value> values;
  std::vector<std::size_t> groups;
  std::map<std::size_t, std::string> expected;
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::string value = std::to_string(i * 7919 % 1009);
    values.push_back(text(value));
    groups.push_back(i % 13);
    expected[i % 13] = std::max(expected[i % 13], value);
  }
  const BatchPtr batch = batch_of({values});
  Groups state(function, 13);
  state.update(&batch->column(0), groups);
  const auto results = state.results();
  for (std::size_t i = 0; i < 13; ++i) EXPECT_EQ(results[i], expected[i]);
}

TEST(Aggregates, PlainOnesAreSaidToBe) {
  EXPECT_TRUE(resolve("SUM", DataType::big_int())->is_plain());
  EXPECT_TRUE(resolve("MAX", DataType::decimal(10, 2))->is_plain());
  EXPECT_FALSE(resolve("MAX", DataType::string())->is_plain());
  EXPECT_FALSE(resolve("COUNT", DataType::integer(), true)->is_plain());
}

TEST(Aggregates, ErrorsNameWhatIsWrong) {
  const auto message = [](std::string_view name, bool distinct, std::vector<DataType> arguments) {
    const auto result = resolve_aggregate(name, distinct, arguments);
    return result.ok() ? "no error" : result.error().message;
  };
  EXPECT_EQ(message("SUMM", false, {DataType::integer()}),
            "there is no aggregate function 'SUMM'; did you mean SUM?");
  EXPECT_EQ(message("SUM", false, {DataType::string()}), "SUM takes a number, got STRING");
  EXPECT_EQ(message("SUM", false, {}), "SUM takes one argument, got 0");
  EXPECT_THAT(message("COUNT", true, {}), HasSubstr("needs an argument"));
  EXPECT_TRUE(is_aggregate_function("sum"));
  EXPECT_FALSE(is_aggregate_function("UPPER"));
}

TEST(Aggregates, ADamagedAccumulatorIsAFailure) {
  const auto function = resolve("MAX", DataType::string());
  Groups groups(function, 1);
  EXPECT_THROW(groups.decode(0, std::string_view("\x01\xff\xff\xff\x7f", 5)), Failure);
}

}  // namespace
}  // namespace tidemark::test
