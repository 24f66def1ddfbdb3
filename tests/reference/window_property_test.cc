// SPDX-License-Identifier: Apache-2.0
// The window operator against the reference model: random windows, disorder, batch sizes, lateness,
// parallelism and outputs that refuse, with snapshots restored at random points into the same and
// another number of subtasks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>

#include "tests/reference/reference_model.h"
#include "tests/reference/window_pipeline.h"
#include "tidemark/base/random.h"

namespace tidemark {
namespace {

using reference::Model;

using Change = std::pair<RowKind, TestResult>;

struct Case {
  Model::Windows windows;
  bool early;  // results with every batch
  Merging merging;
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
  chosen.windows.size = 1 + signed_below(random, 40);
  chosen.windows.slide = random.one_in(3) ? chosen.windows.size : 1 + signed_below(random, 40);
  chosen.windows.cumulating = random.one_in(4);
  if (chosen.windows.cumulating) {
    chosen.windows.slide = 1 + signed_below(random, 15);
    chosen.windows.size = chosen.windows.slide * (1 + signed_below(random, 8));
  }
  const std::int64_t period =
      chosen.windows.cumulating ? chosen.windows.size : chosen.windows.slide;
  chosen.windows.offset = signed_below(random, 2 * period - 1) - period + 1;
  chosen.merging = kEveryMerging[random.below(std::size(kEveryMerging))];
  chosen.windows.ordered = chosen.merging == Merging::kOrdered;
  chosen.windows.lateness = random.one_in(3) ? signed_below(random, 60) : 0;
  chosen.early = random.one_in(6);
  chosen.windows.updating = chosen.early || random.one_in(2);
  chosen.disorder = signed_below(random, 30);
  chosen.per_event = random.one_in(2);
  chosen.keys = 1 + random.below(random.one_in(5) ? 2000 : 12);
  chosen.spread = 1 + signed_below(random, 80);
  return chosen;
}

std::string describe(const Case& c, std::uint64_t seed) {
  return "seed " + std::to_string(seed) + ": size " + std::to_string(c.windows.size) + " slide " +
         std::to_string(c.windows.slide) + " offset " + std::to_string(c.windows.offset) +
         (c.windows.cumulating ? " cumulating" : "") + (c.windows.updating ? " updating" : "") +
         (c.early ? " early" : "") + " merging " + std::to_string(static_cast<int>(c.merging)) +
         " lateness " + std::to_string(c.windows.lateness) + " disorder " +
         std::to_string(c.disorder) + (c.per_event ? " per event" : " per batch");
}

TestResult to_result(const Model::Fired& f) {
  return {{f.start, f.end}, f.key, f.sum, f.count};
}

void append(std::vector<Change>& to, const std::vector<Model::Change>& from) {
  for (const Model::Change& change : from)
    to.emplace_back(static_cast<RowKind>(change.kind), to_result(change.fired));
}

// What a sink holds that applies every change.
class Folded {
 public:
  void apply(const std::vector<Change>& changes) {
    for (const auto& [kind, result] : changes) {
      const auto at = std::tuple(result.window.start, result.window.end, result.key);
      const auto held = rows_.find(at);
      const bool is_new = kind == RowKind::kInsert || kind == RowKind::kUpdateAfter;
      if (is_new) {
        ASSERT_TRUE(held == rows_.end()) << "twice: " << result;
        rows_[at] = result;
      } else {
        ASSERT_TRUE(held != rows_.end() && held->second == result) << "never said: " << result;
        rows_.erase(held);
      }
    }
  }
  std::vector<TestResult> rows() const {
    std::vector<TestResult> all;
    for (const auto& [at, result] : rows_) all.push_back(result);
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  std::map<std::tuple<EventTime, EventTime, std::int64_t>, TestResult> rows_;
};

// One batch through the model, with the same control elements between its rows.
std::vector<Change> model_batch(Model& model, const std::vector<TestRow>& rows, bool per_event) {
  std::vector<Change> results;
  for (const TestRow& row : rows) {
    model.row({row.key, row.value, row.time});
    if (!per_event || model.promise() <= model.watermark) continue;
    append(results, model.fire_changed());
    append(results, model.advance(model.promise()));
  }
  append(results, model.fire_changed());
  append(results, model.advance(model.promise()));
  return results;
}

WindowPipeline::Shape shape_of(const Case& c, std::uint32_t parallelism, bool refusing) {
  WindowPipeline::Shape shape;
  shape.window = tumbling(c.windows.size);
  shape.window.window = {c.windows.size, c.windows.slide, c.windows.offset, c.windows.lateness,
                         c.windows.cumulating ? WindowShape::kCumulating : WindowShape::kSliding};
  shape.window.updating = c.windows.updating;
  shape.window.early_fire_delay = c.early ? 0 : -1;
  shape.merging = c.merging;
  shape.watermarks = bounded_out_of_orderness(c.disorder);
  shape.watermarks.emission =
      c.per_event ? WatermarkEmission::kPerEvent : WatermarkEmission::kPerBatch;
  shape.parallelism = parallelism;
  shape.refusing_outputs = refusing;
  return shape;
}

void run_case(std::uint64_t seed) {
  Random random(seed);
  const Case chosen = random_case(random);
  SCOPED_TRACE(describe(chosen, seed));
  Model model(chosen.windows, chosen.disorder);
  const auto fresh = [&] {
    const auto parallelism = static_cast<std::uint32_t>(1 + random.below(3));
    return std::make_unique<WindowPipeline>(shape_of(chosen, parallelism, random.one_in(2)));
  };
  auto pipeline = fresh();
  Folded folded;
  // Counters begin again with each restore.
  std::uint64_t late = 0;
  std::uint64_t unassigned = 0;
  std::int64_t place = signed_below(random, 400) - 200;
  for (int step = 0; step < 40; ++step) {
    const std::uint64_t largest = random.one_in(10) ? (chosen.per_event ? 100 : 1500) : 12;
    std::vector<TestRow> rows(random.below(largest));
    for (TestRow& row : rows) {
      place += signed_below(random, 4);
      row = {signed_below(random, static_cast<std::int64_t>(chosen.keys)),
             signed_below(random, 100) - 50, place - signed_below(random, chosen.spread)};
    }
    if (random.one_in(12)) place += signed_below(random, 500);
    std::vector<Change> expected = model_batch(model, rows, chosen.per_event);
    pipeline->process(rows);
    std::vector<Change> actual = pipeline->take_changes();
    if (chosen.windows.updating) folded.apply(actual);
    if (::testing::Test::HasFatalFailure()) return;
    std::sort(expected.begin(), expected.end());
    std::sort(actual.begin(), actual.end());
    // Early results depend on how rows are cut into batches, what they come to does not.
    if (!chosen.early) {
      ASSERT_EQ(actual, expected) << "step " << step;
    }
    if (!random.one_in(6)) continue;
    late += pipeline->late();
    unassigned += pipeline->unassigned();
    const MemorySnapshot snapshot = pipeline->snapshot();
    pipeline = fresh();
    pipeline->restore(snapshot);
  }
  std::vector<Change> expected;
  append(expected, model.advance(Model::kNever * -1));
  pipeline->end_of_input();
  std::vector<Change> actual = pipeline->take_changes();
  if (chosen.windows.updating) {
    folded.apply(actual);
    std::vector<TestResult> last;
    for (const Model::Fired& fired : model.last_said()) last.push_back(to_result(fired));
    std::sort(last.begin(), last.end());
    EXPECT_EQ(folded.rows(), last);
  }
  std::sort(expected.begin(), expected.end());
  std::sort(actual.begin(), actual.end());
  if (!chosen.early) {
    EXPECT_EQ(actual, expected) << "at the end";
  }
  EXPECT_EQ(late + pipeline->late(), model.late);
  EXPECT_EQ(unassigned + pipeline->unassigned(), model.unassigned);
}

TEST(WindowPropertyTest, AgreesWithTheModel) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    run_case(seed);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
}

// What leaves one subtask at the end of input is in the order of the windows' ends.
TEST(WindowPropertyTest, WindowsFireInTheOrderOfTheirEnds) {
  Random random(99);
  for (int round = 0; round < 50; ++round) {
    WindowPipeline pipeline(shape_of(random_case(random), 1, false));
    std::vector<TestRow> rows(200);
    for (TestRow& row : rows) row = {signed_below(random, 5), 1, signed_below(random, 300)};
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
