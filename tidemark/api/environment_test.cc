// SPDX-License-Identifier: Apache-2.0
// Jobs of the typed front end, run by the real runtime on real threads.
#include "tidemark/api/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tidemark/graph/job_graph.h"
#include "tidemark/runtime/job.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Number {
  std::int64_t value = 0;
  std::int64_t at = 0;
};
BOOST_DESCRIBE_STRUCT(Number, (), (value, at))

struct Said {
  std::int64_t key = 0;
  std::int64_t number = 0;
};
BOOST_DESCRIBE_STRUCT(Said, (), (key, number))

using Sum = WindowResult<std::int64_t, std::int64_t>;

Number number(std::uint64_t i) {
  const auto n = static_cast<std::int64_t>(i);
  return {n, n / 10};
}

// What windows of 100 ms over number(0) to number(rows - 1) sum to, by value % 7.
std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> expected_sums(std::int64_t rows) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sums;
  for (std::int64_t n = 0; n < rows; ++n) sums[{n / 10 / 100 * 100, n % 7}] += n;
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> rows_out;
  for (const auto& [key, sum] : sums) rows_out.emplace_back(key.first, key.second, sum);
  return rows_out;
}

std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> sorted(
    const std::vector<Sum>& rows) {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> out;
  for (const Sum& row : rows) out.emplace_back(row.window.start, row.key, row.result);
  std::sort(out.begin(), out.end());
  return out;
}

Stream<Sum> sums_by_remainder(const Stream<Number>& numbers) {
  return numbers.key_by([](const Number& n) { return n.value % 7; })
      .window(tumbling(100ms))
      .sum(&Number::value);
}

TEST(Environment, TheGraphIsWhatTheRuntimeTakes) {
  Environment env("sums");
  Collected<Sum> out;
  const auto numbers =
      env.source(from_generator(10, number), &Number::at, bounded_out_of_orderness(0ms));
  sums_by_remainder(numbers.union_with(numbers.map([](const Number& n) {
    return n;
  }))).sink_to(out);
  const Result<JobGraph> graph = env.parallelism(3).graph();
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE(validate(graph->plan).ok()) << validate(graph->plan).error().message;
  EXPECT_EQ(graph->plan.name(), "sums");
  EXPECT_EQ(graph->plan.options().at("parallelism.default"), "3");
  EXPECT_EQ(graph->native.size(), 5u);  // source, map, key, window, sink
  EXPECT_EQ(fingerprint(graph->plan), fingerprint(env.graph()->plan));
}

TEST(Environment, TheSameResultAtAnyParallelism) {
  for (const std::uint32_t parallelism : {1u, 2u, 4u}) {
    Environment env("sums");
    Collected<Sum> out;
    const auto numbers = env.source(from_generator(20'000, number, "numbers", parallelism),
                                    &Number::at, bounded_out_of_orderness(50ms));
    sums_by_remainder(numbers).sink_to(out);
    const auto report = env.parallelism(parallelism).run();
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->rows_read, 20'000u);
    EXPECT_EQ(report->late_rows, 0u);
    EXPECT_EQ(sorted(out.rows()), expected_sums(20'000)) << parallelism;
  }
}

// A late row corrects what its window said.
WindowStream<Number, std::int64_t, std::int64_t> updating_sums(Environment& env) {
  WatermarkStrategy strategy = bounded_out_of_orderness(0ms);
  strategy.emission = WatermarkEmission::kPerEvent;
  return env.source(from_values<Number>({{1, 5}, {7, 200}, {2, 6}}), &Number::at, strategy)
      .key_by([](const Number&) { return std::int64_t{0}; })
      .window(tumbling(100ms))
      .allowed_lateness(1s)
      .updating()
      .sum(&Number::value);
}

TEST(Environment, ResultsThatAreTakenBackComeWithTheirKinds) {
  Environment env;
  Collected<Sum> out;
  updating_sums(env).sink_to(out);
  const auto report = env.run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  std::vector<std::pair<RowKind, std::int64_t>> changes;
  for (const auto& [kind, sum] : out.changes()) changes.emplace_back(kind, sum.result);
  using Change = std::pair<RowKind, std::int64_t>;
  EXPECT_THAT(changes, ElementsAre(Change{RowKind::kInsert, 1}, Change{RowKind::kUpdateBefore, 1},
                                   Change{RowKind::kUpdateAfter, 3}, Change{RowKind::kInsert, 7}));
}

TEST(Environment, ASinkThatTakesNoChangesIsRefusedByName) {
  Environment env;
  updating_sums(env).map([](const Sum& sum) { return sum.result; }).sink_to([](std::int64_t) {});
  const auto report = env.run();
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(report.error().message, AllOf(HasSubstr("sink '"), HasSubstr("new rows only")));
}

TEST(Environment, AFunctionIsASink) {
  Environment env;
  std::vector<std::int64_t> seen;  // one subtask, and read after the end
  env.source(from_values<std::int64_t>({3, 1, 2})).sink_to([&](std::int64_t value) {
    seen.push_back(value);
  });
  ASSERT_TRUE(env.run().ok());
  EXPECT_THAT(seen, ElementsAre(3, 1, 2));
}

TEST(Environment, AMistakeInTheGraphIsTheRunsError) {
  Environment env;
  env.source(from_values<std::int64_t>({1})).uid("").sink_to([](std::int64_t) {});
  const auto report = env.run();
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("uid"));
}

TEST(Environment, ASourceOfAnotherSchemaIsRefusedWithBothTypes) {
  struct Nothing final : Source {
    SchemaPtr schema() const override {
      return make_schema({{"at", DataType::big_int()}, {"value", DataType::string()}});
    }
    bool bounded() const override { return true; }
    std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override { return {}; }
    std::unique_ptr<SplitReader> open(SourceContext&, const Split&,
                                      const std::optional<std::string>&) const override {
      return nullptr;
    }
  };
  Environment env;
  env.source(from_source<Number>(std::make_shared<Nothing>(), "nothing"));
  ASSERT_FALSE(env.run().ok());
  EXPECT_THAT(env.run().error().message, AllOf(HasSubstr("'nothing'"), HasSubstr("'value'"),
                                               HasSubstr("BIGINT NOT NULL"), HasSubstr("STRING")));
}

TEST(Environment, AnUnknownConnectorOrOptionIsTheRunsError) {
  Environment env;
  env.source(from_table<Number>("numbers", {{"connector", "filesytem"}}));
  const auto report = env.run();
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("numbers"));
}

TEST(Environment, AnExceptionOfAFunctionFailsTheJobWithItsMessage) {
  Environment env;
  env.set("restart-strategy.type", "none");
  env.source(from_values<std::int64_t>({1}))
      .map([](std::int64_t value) -> std::int64_t {
        if (value == 1) throw std::runtime_error("one is too many");
        return value;
      })
      .sink_to([](std::int64_t) {});
  const auto report = env.run();
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("one is too many"));
}

class EnvironmentCheckpoints : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string directory_ = ::testing::TempDir() + "/tidemark-" +
                           ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(EnvironmentCheckpoints, CollectedRowsComeOnceOverARestart) {
  // The function fails once, in the middle. Attempts share the flag.
  auto failed = std::make_shared<std::atomic<bool>>(false);
  Environment env("restarting");
  Collected<Sum> out;
  const auto numbers =
      env.source(from_generator(50'000, number), &Number::at, bounded_out_of_orderness(0ms))
          .map([failed](const Number& n) {
            if (n.value == 30'000 && !failed->exchange(true)) throw IoFailure("read", "disk", 5);
            return n;
          });
  sums_by_remainder(numbers).sink_to(out);
  env.set("restart-strategy.type", "fixed-delay")
      .set("restart-strategy.fixed-delay.delay", "1 ms")
      .checkpoints(directory_, 1ms);
  const auto report = env.run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(failed->load());
  EXPECT_EQ(report->restarts, 1u);
  EXPECT_EQ(sorted(out.rows()), expected_sums(50'000));
}

// Sums of each remainder, of two streams, times a factor that is broadcast. They are said at the
// end, when the order in which the streams came does not show.
struct SumTimes {
  ValueState<std::int64_t> sum{"sum"};
  BroadcastState<std::string, std::int64_t> factors{"factors"};
  auto states() { return std::tie(sum, factors); }

  void process(const Number& row, KeyedContext<std::int64_t>& context, Collector<Said>&) {
    sum.modify() += row.value;
    context.register_event_timer(kMaxTime);
  }
  void process_broadcast(const Number& row, BroadcastContext&, Collector<Said>&) {
    factors.put("factor", row.value);
  }
  void on_timer(const Timer&, KeyedContext<std::int64_t>& context, Collector<Said>& out) {
    out.emit({context.key(), *sum.get() * *factors.get("factor")});
  }
};
struct SumOfBoth {
  ValueState<std::int64_t> sum{"sum"};
  auto states() { return std::tie(sum); }

  void process_first(const Said& row, KeyedContext<std::int64_t>& context, Collector<Said>&) {
    sum.modify() += row.number;
    context.register_event_timer(kMaxTime);
  }
  void process_second(const Number& row, KeyedContext<std::int64_t>& context, Collector<Said>&) {
    sum.modify() += row.value;
    context.register_event_timer(kMaxTime);
  }
  void on_timer(const Timer&, KeyedContext<std::int64_t>& context, Collector<Said>& out) {
    out.emit({context.key(), *sum.get()});
  }
};

TEST(Environment, StreamsAreConnectedByKeyAndByBroadcast) {
  for (const std::uint32_t parallelism : {1u, 3u}) {
    Environment env("connected");
    Collected<Said> out;
    const auto numbers = [&](std::uint64_t count) {
      return env.source(from_generator(count, number), &Number::at, bounded_out_of_orderness(0ms));
    };
    const auto remainder = [](const Number& n) { return n.value % 7; };
    const auto factor = numbers(3).filter([](const Number& n) { return n.value == 2; });
    numbers(10'000)
        .key_by(remainder)
        .connect(factor.broadcast())
        .process<Said>(SumTimes())
        .key_by(&Said::key)
        .connect(numbers(1'000).key_by(remainder))
        .process<Said>(SumOfBoth())
        .sink_to(out);
    env.parallelism(parallelism);
    const auto report = env.run();
    ASSERT_TRUE(report.ok()) << report.error().message;
    std::map<std::int64_t, std::int64_t> expected;
    for (std::int64_t i = 0; i < 10'000; ++i) expected[i % 7] += 2 * i;
    for (std::int64_t i = 0; i < 1'000; ++i) expected[i % 7] += i;
    std::map<std::int64_t, std::int64_t> said;
    for (const Said& row : out.rows()) said[row.key] += row.number;
    EXPECT_EQ(said, expected) << "in " << parallelism << " subtasks";
    EXPECT_EQ(out.rows().size(), 7u);
  }
}

struct NarrowTotal {
  std::int32_t rows = 0;
};
BOOST_DESCRIBE_STRUCT(NarrowTotal, (), (rows))
struct WideTotal {
  std::int64_t rows = 0;
  std::int64_t step = 1;
};
BOOST_DESCRIBE_STRUCT(WideTotal, (), (rows, step))
struct OtherTotal {
  std::string rows;
};
BOOST_DESCRIBE_STRUCT(OtherTotal, (), (rows))

// Says the number of rows so far, for every ten thousandth.
template <typename Total>
struct CountRows {
  ValueState<Total> total{"total"};
  std::atomic<int>* opened = nullptr;
  auto states() { return std::tie(total); }
  void open(const OperatorContext&) { ++*opened; }

  void process(const Number&, KeyedContext<std::int64_t>&, Collector<std::int64_t>& out) {
    if constexpr (std::is_same_v<Total, OtherTotal>) {
      total.modify().rows += "x";
    } else {
      if (++total.modify().rows % 10'000 == 0) out.emit(total.get()->rows);
    }
  }
};

// The state of a job that was stopped is that of the next, whose type has changed.
TEST_F(EnvironmentCheckpoints, StatesThatChangedAreConvertedOrRefusedBeforeTheJobStarts) {
  Collected<std::int64_t> out;
  std::atomic<int> opened{0};
  const auto build = [&]<typename Total>(Environment& env, Total, std::function<void()> at_middle) {
    CountRows<Total> function;
    function.opened = &opened;
    env.source(from_generator(100'000, number), &Number::at, bounded_out_of_orderness(0ms))
        .map([at_middle](const Number& n) {
          if (n.value == 25'000) at_middle();
          return n;
        })
        .key_by([](const Number&) { return std::int64_t{0}; })
        .template process<std::int64_t>(function)
        .uid("counting")
        .sink_to(out);
    env.parallelism(1).checkpoints(directory_, 10s);
  };
  {
    Environment env("changing");
    std::atomic<JobHandle*> job{nullptr};
    std::atomic<bool> reached{false};
    build(env, NarrowTotal(), [&] {
      reached = true;
      reached.notify_all();
      job.wait(nullptr);
    });
    auto started = env.start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    reached.wait(false);
    started->stop();
    job = &*started;
    job.notify_all();
    const auto report = started->wait();
    ASSERT_TRUE(report.ok()) << report.error().message;
  }
  EXPECT_EQ(opened.load(), 1);
  {
    Environment env("changing");
    build(env, OtherTotal(), [] {});
    const auto report = env.run();
    ASSERT_FALSE(report.ok());
    EXPECT_THAT(report.error().message, HasSubstr("operator 'counting'"));
    EXPECT_THAT(report.error().message, HasSubstr("state 'total'"));
    EXPECT_THAT(report.error().message,
                HasSubstr("field 'rows' is INT in the checkpoint, but STRING in the job"));
    EXPECT_EQ(opened.load(), 1) << "no operator was opened";
  }
  Environment env("changing");
  build(env, WideTotal(), [] { ADD_FAILURE() << "the first run has read this"; });
  const auto report = env.run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  std::vector<std::int64_t> counts;
  for (std::int64_t rows = 10'000; rows <= 100'000; rows += 10'000) counts.push_back(rows);
  EXPECT_EQ(out.rows(), counts);
}

TEST_F(EnvironmentCheckpoints, AStoppedJobGoesOnWhereItWas) {
  // The first run is stopped at a row, the second finishes. The second commits again what the
  // checkpoint of the first holds, which must not show.
  Collected<Sum> out;
  const auto build = [&](Environment& env, std::function<void()> at_middle) {
    const auto numbers =
        env.source(from_generator(200'000, number), &Number::at, bounded_out_of_orderness(0ms))
            .map([at_middle](const Number& n) {
              if (n.value == 25'000) at_middle();
              return n;
            });
    sums_by_remainder(numbers).sink_to(out);
    env.checkpoints(directory_, 10s);
  };
  {
    Environment env("stopping");
    std::atomic<JobHandle*> job{nullptr};
    std::atomic<bool> reached{false};
    build(env, [&] {
      reached = true;
      reached.notify_all();
      job.wait(nullptr);
    });
    auto started = env.start();
    ASSERT_TRUE(started.ok()) << started.error().message;
    reached.wait(false);
    started->stop();
    job = &*started;
    job.notify_all();
    const auto report = started->wait();
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_EQ(report->state, JobState::kStopped);
    EXPECT_LT(report->rows_read, 200'000u);
    EXPECT_GT(report->rows_read, 25'000u);
  }
  Environment env("stopping");
  build(env, [] { ADD_FAILURE() << "the first run has read this"; });
  const auto report = env.run();
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->state, JobState::kFinished);
  EXPECT_EQ(sorted(out.rows()), expected_sums(200'000));
}

}  // namespace
}  // namespace tidemark
