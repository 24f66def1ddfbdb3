// SPDX-License-Identifier: Apache-2.0
// The session operator against its model: random gaps, static and of the rows, disorder, batch
// sizes, lateness, parallelism and outputs that refuse, with snapshots restored at random points
// into the same and another number of subtasks.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/reference/session_model.h"
#include "tests/reference/window_pipeline.h"
#include "tidemark/base/random.h"
#include "tidemark/window/session_fixture.h"

namespace tidemark {
namespace {

using reference::SessionModel;

struct Case {
  Millis gap;
  bool dynamic;  // each row's gap follows from its value
  Millis lateness;
  Millis disorder;
  bool per_event;
  std::uint64_t keys;
  std::int64_t spread;  // how far rows scatter around their place
};

std::int64_t signed_below(Random& random, std::int64_t bound) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
}

Case random_case(Random& random) {
  Case chosen{};
  chosen.gap = 1 + signed_below(random, 40);
  chosen.dynamic = random.one_in(2);
  chosen.lateness = random.one_in(2) ? signed_below(random, 90) : 0;
  chosen.disorder = signed_below(random, 30);
  chosen.per_event = random.one_in(2);
  chosen.keys = 1 + random.below(random.one_in(5) ? 400 : 12);
  chosen.spread = 1 + signed_below(random, 120);
  return chosen;
}

std::string describe(const Case& c, std::uint64_t seed) {
  return "seed " + std::to_string(seed) + ": gap " +
         (c.dynamic ? "of the row" : std::to_string(c.gap)) + " lateness " +
         std::to_string(c.lateness) + " disorder " + std::to_string(c.disorder) +
         (c.per_event ? " per event" : " per batch");
}

Millis gap_of(const Case& c, std::int64_t value) {
  return c.dynamic ? 1 + floor_mod(value, 37) : c.gap;
}

std::vector<TestResult> sorted_results(const std::vector<SessionModel::Fired>& fired) {
  std::vector<TestResult> results;
  for (const SessionModel::Fired& f : fired)
    results.push_back({{f.start, f.end}, f.key, f.sum, f.count});
  std::sort(results.begin(), results.end());
  return results;
}

// One batch through the model, with the same watermarks between its rows.
std::vector<TestResult> model_batch(SessionModel& model, const std::vector<TestRow>& rows,
                                    const Case& c) {
  std::vector<SessionModel::Fired> fired;
  const auto append = [&](const std::vector<SessionModel::Fired>& more) {
    fired.insert(fired.end(), more.begin(), more.end());
  };
  for (const TestRow& row : rows) {
    model.row({row.key, row.value, row.time, gap_of(c, row.value)});
    if (!c.per_event || model.promise() <= model.watermark) continue;
    append(model.fire_changed());
    append(model.advance(model.promise()));
  }
  append(model.fire_changed());
  append(model.advance(model.promise()));
  return sorted_results(fired);
}

WindowPipeline::Shape shape_of(const Case& c, std::uint32_t parallelism, bool refusing) {
  WindowPipeline::Shape shape;
  SessionOperatorDescription description = sessions(c.gap, c.lateness);
  if (c.dynamic)
    description.gap_of = [c](const Batch& batch, std::span<Millis> gaps) {
      for (std::size_t i = 0; i < batch.rows(); ++i)
        gaps[i] = gap_of(c, batch.column(1).value<std::int64_t>(i));
    };
  shape.make_operator = [description] {
    return make_session_operator(description, std::make_unique<SumCountAggregator>());
  };
  shape.watermarks = bounded_out_of_orderness(c.disorder);
  shape.watermarks.emission =
      c.per_event ? WatermarkEmission::kPerEvent : WatermarkEmission::kPerBatch;
  shape.parallelism = parallelism;
  shape.refusing_outputs = refusing;
  return shape;
}

std::vector<TestResult> take_sorted(WindowPipeline& pipeline) {
  std::vector<TestResult> results = pipeline.take_results();
  std::sort(results.begin(), results.end());
  return results;
}

void run_case(std::uint64_t seed) {
  Random random(seed);
  const Case chosen = random_case(random);
  SCOPED_TRACE(describe(chosen, seed));
  SessionModel model(chosen.lateness, chosen.disorder);
  const auto fresh = [&] {
    const auto parallelism = static_cast<std::uint32_t>(1 + random.below(3));
    return std::make_unique<WindowPipeline>(shape_of(chosen, parallelism, random.one_in(2)));
  };
  auto pipeline = fresh();
  std::uint64_t late = 0;  // counters begin again with each restore
  std::int64_t place = signed_below(random, 400) - 200;
  for (int step = 0; step < 40; ++step) {
    const std::uint64_t largest = random.one_in(10) ? (chosen.per_event ? 100 : 1500) : 12;
    std::vector<TestRow> rows(random.below(largest));
    for (TestRow& row : rows) {
      place += signed_below(random, 6);
      row = {signed_below(random, static_cast<std::int64_t>(chosen.keys)),
             signed_below(random, 100) - 50, place - signed_below(random, chosen.spread)};
    }
    if (random.one_in(12)) place += signed_below(random, 500);
    const std::vector<TestResult> expected = model_batch(model, rows, chosen);
    pipeline->process(rows);
    ASSERT_EQ(take_sorted(*pipeline), expected) << "step " << step;
    if (!random.one_in(6)) continue;
    late += pipeline->late();
    const MemorySnapshot snapshot = pipeline->snapshot();
    pipeline = fresh();
    pipeline->restore(snapshot);
  }
  pipeline->end_of_input();
  EXPECT_EQ(take_sorted(*pipeline), sorted_results(model.advance(-SessionModel::kNever)))
      << "at the end";
  EXPECT_EQ(late + pipeline->late(), model.late);
}

TEST(SessionPropertyTest, AgreesWithTheModel) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    run_case(seed);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// What leaves one subtask at the end of input is in the order of the sessions' ends.
TEST(SessionPropertyTest, SessionsFireInTheOrderOfTheirEnds) {
  Random random(99);
  for (int round = 0; round < 50; ++round) {
    WindowPipeline pipeline(shape_of(random_case(random), 1, false));
    std::vector<TestRow> rows(200);
    for (TestRow& row : rows) row = {signed_below(random, 5), 1, signed_below(random, 3000)};
    pipeline.process(rows);
    pipeline.take_results();
    pipeline.end_of_input();
    const std::vector<TestResult> results = pipeline.take_results();
    EXPECT_TRUE(std::is_sorted(results.begin(), results.end(), [](const auto& a, const auto& b) {
      return a.window.end < b.window.end;
    }));
  }
}

}  // namespace
}  // namespace tidemark
