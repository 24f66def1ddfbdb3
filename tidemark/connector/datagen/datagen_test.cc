// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tidemark/connector/connector_testing.h"

namespace tidemark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Strings = std::vector<std::string>;

class Datagen : public testing::Test {
 protected:
  Datagen() {
    context_.clock = &clock_;
    context_.table = "t";
    context_.seed = 42;
  }
  SourcePtr source(const SchemaPtr& schema, OptionMap options) {
    options.emplace("connector", "datagen");
    options.emplace("rows-per-second", "1000000000");
    return source_of(schema, std::move(options));
  }
  // The rows of all splits, of a bounded source.
  Strings rows(const SchemaPtr& schema, OptionMap options, std::uint32_t parallelism = 1,
               std::size_t rows_max = 1024) {
    const SourcePtr made = source(schema, std::move(options));
    Strings all;
    for (const Split& split : made->enumerate(context_, parallelism)) {
      const auto reader = made->open(context_, split, std::nullopt);
      clock_.advance(1000);
      for (std::string& row : read_all(*reader, rows_max)) all.push_back(std::move(row));
    }
    return all;
  }

  ManualClock clock_{978'312'240'000};
  SourceContext context_;
};

SchemaPtr mixed() {
  return make_schema({{"b", DataType::boolean()},
                      {"i", DataType::integer()},
                      {"l", DataType::big_int()},
                      {"d", DataType::float64()},
                      {"m", DataType::decimal(20, 3)},
                      {"s", DataType::string()},
                      {"t", DataType::timestamp(3)}});
}

TEST_F(Datagen, ASequenceEnds) {
  const SchemaPtr schema = make_schema({{"id", DataType::big_int()}});
  const OptionMap options = {
      {"fields.id.kind", "sequence"}, {"fields.id.start", "-1"}, {"fields.id.end", "3"}};
  EXPECT_TRUE(source(schema, options)->bounded());
  EXPECT_THAT(rows(schema, options), ElementsAre("-1", "0", "1", "2", "3"));
  Strings parallel = rows(schema, options, 3);
  std::sort(parallel.begin(), parallel.end());
  EXPECT_THAT(parallel, ElementsAre("-1", "0", "1", "2", "3"));
}

TEST_F(Datagen, TheShortestEndCounts) {
  const SchemaPtr schema = make_schema(
      {{"a", DataType::integer()}, {"b", DataType::decimal(5, 2)}, {"c", DataType::string()}});
  OptionMap options;
  for (const char* field : {"a", "b", "c"}) {
    options[std::string("fields.") + field + ".kind"] = "sequence";
    options[std::string("fields.") + field + ".start"] = "1";
    options[std::string("fields.") + field + ".end"] = *field == 'b' ? "3" : "100";
  }
  EXPECT_THAT(rows(schema, options), ElementsAre("1|1.00|1", "2|2.00|2", "3|3.00|3"));
  options["number-of-rows"] = "2";
  EXPECT_EQ(rows(schema, options).size(), 2u);
  options["number-of-rows"] = "0";
  EXPECT_EQ(rows(schema, options).size(), 0u);
}

TEST_F(Datagen, WithoutAnEndItIsUnbounded) {
  EXPECT_FALSE(source(mixed(), {})->bounded());
  EXPECT_TRUE(source(mixed(), {{"number-of-rows", "5"}})->bounded());
}

TEST_F(Datagen, ARowDependsOnSeedAndNumberAlone) {
  const OptionMap options = {{"number-of-rows", "100"}, {"fields.s.length", "5"}};
  const Strings once = rows(mixed(), options);
  EXPECT_EQ(once.size(), 100u);
  clock_ = ManualClock(978'312'240'000);
  EXPECT_EQ(rows(mixed(), options, 1, 7), once) << "by other batches";
  clock_ = ManualClock(978'312'240'000);
  context_.seed = 43;
  EXPECT_NE(rows(mixed(), options), once);
}

TEST_F(Datagen, GoesOnAtEveryPosition) {
  const SourcePtr made = source(mixed(), {{"number-of-rows", "25"}, {"fields.t.max-past", "1 h"}});
  const Split split = made->enumerate(context_, 2).at(1);
  auto reader = made->open(context_, split, std::nullopt);
  const std::string start = reader->position();
  clock_.advance(1000);
  const Strings whole = read_all(*reader);
  ASSERT_EQ(whole.size(), 12u);
  for (std::size_t stop = 0; stop < whole.size(); ++stop) {
    reader = made->open(context_, split, start);
    Strings got;
    clock_.advance(1000);
    for (std::size_t i = 0; i < stop; ++i) append_rows(*reader->read(1).batch, got);
    reader = made->open(context_, split, reader->position());
    clock_.advance(123'456);  // time passes, and the values stay
    for (std::string& row : read_all(*reader)) got.push_back(std::move(row));
    EXPECT_EQ(got, whole) << "stopped after " << stop;
  }
}

TEST_F(Datagen, RandomValuesKeepTheirBounds) {
  const SchemaPtr schema = make_schema({{"i", DataType::integer()},
                                        {"d", DataType::float64()},
                                        {"s", DataType::string()},
                                        {"v", DataType::string()},
                                        {"n", DataType::tiny_int()}});
  const SourcePtr made = source(schema, {{"number-of-rows", "2000"},
                                         {"fields.i.min", "-3"},
                                         {"fields.i.max", "3"},
                                         {"fields.d.min", "0.5"},
                                         {"fields.d.max", "0.75"},
                                         {"fields.s.length", "8"},
                                         {"fields.v.length", "4"},
                                         {"fields.v.var-len", "true"},
                                         {"fields.n.null-rate", "0.25"}});
  const auto reader = made->open(context_, made->enumerate(context_, 1).at(0), std::nullopt);
  clock_.advance(1000);
  const BatchPtr batch = reader->read(2000).batch;
  ASSERT_EQ(batch->rows(), 2000u);
  std::set<std::int32_t> ints;
  std::set<std::size_t> lengths;
  for (std::size_t row = 0; row < batch->rows(); ++row) {
    ints.insert(batch->column(0).value<std::int32_t>(row));
    EXPECT_GE(batch->column(1).value<double>(row), 0.5);
    EXPECT_LE(batch->column(1).value<double>(row), 0.75);
    EXPECT_EQ(batch->column(2).string(row).find_first_not_of("0123456789abcdef"),
              std::string_view::npos);
    EXPECT_EQ(batch->column(2).string(row).size(), 8u);
    lengths.insert(batch->column(3).string(row).size());
  }
  EXPECT_THAT(ints, ElementsAre(-3, -2, -1, 0, 1, 2, 3));
  EXPECT_THAT(lengths, ElementsAre(1u, 2u, 3u, 4u));
  std::size_t nulls = 0;
  for (std::size_t row = 0; row < batch->rows(); ++row) nulls += batch->column(4).is_null(row);
  EXPECT_GT(nulls, 400u);
  EXPECT_LT(nulls, 600u);
}

TEST_F(Datagen, TheFullRangeOfBigIntIsReached) {
  const SchemaPtr schema = make_schema({{"l", DataType::big_int()}});
  const SourcePtr made = source(schema, {{"number-of-rows", "1000"}});
  const auto reader = made->open(context_, made->enumerate(context_, 1).at(0), std::nullopt);
  clock_.advance(1000);
  const BatchPtr batch = reader->read(1000).batch;
  std::size_t negative = 0;
  for (std::size_t row = 0; row < 1000; ++row)
    negative += batch->column(0).value<std::int64_t>(row) < 0;
  EXPECT_GT(negative, 400u);
  EXPECT_LT(negative, 600u);
}

TEST_F(Datagen, RowsComeAtTheirRate) {
  const SchemaPtr schema = make_schema({{"l", DataType::big_int()}});
  const SourcePtr made = source_of(schema, {{"connector", "datagen"}, {"rows-per-second", "100"}});
  std::vector<std::unique_ptr<SplitReader>> readers;
  for (const Split& split : made->enumerate(context_, 2))
    readers.push_back(made->open(context_, split, std::nullopt));
  const ProcessingTime start = clock_.now();
  std::size_t rows = 0;
  std::size_t waits = 0;
  while (clock_.now() < start + 10'000) {
    ProcessingTime next = kMaxTime;
    for (const auto& reader : readers) {
      ReadResult result = reader->read(1024);
      while (result.batch) {
        rows += result.batch->rows();
        result = reader->read(1024);
      }
      ASSERT_EQ(result.state, ReadResult::State::kWait);
      ASSERT_GT(result.retry_at, clock_.now());
      next = std::min(next, result.retry_at);
    }
    ++waits;
    clock_.advance(next - clock_.now());
  }
  EXPECT_NEAR(static_cast<double>(rows), 1000, 1);
  EXPECT_LE(waits, 1001u);
}

TEST_F(Datagen, OptionsAreChecked) {
  const SchemaPtr schema = make_schema({{"i", DataType::tiny_int()}, {"b", DataType::boolean()}});
  const auto error = [&](OptionMap options) {
    options.emplace("connector", "datagen");
    return source_error(schema, std::move(options));
  };
  EXPECT_THAT(error({{"fields.i.min", "200"}}), HasSubstr("from -128 to 127"));
  EXPECT_THAT(error({{"fields.i.min", "5"}, {"fields.i.max", "4"}}), HasSubstr("'min'"));
  EXPECT_THAT(error({{"fields.i.kind", "sequence"}}), HasSubstr("'fields.i.start' is required"));
  EXPECT_THAT(error({{"fields.b.kind", "sequence"}}), HasSubstr("takes 'random'"));
  EXPECT_THAT(error({{"fields.i.kind", "other"}}), HasSubstr("'random', 'sequence'"));
  EXPECT_THAT(error({{"fields.x.min", "1"}}), HasSubstr("unknown option 'fields.x.min'"));
  EXPECT_THAT(error({{"rows-per-second", "0"}}), HasSubstr("rows-per-second"));
}

}  // namespace
}  // namespace tidemark
