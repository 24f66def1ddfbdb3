// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/source_head.h"

#include <gtest/gtest.h>

#include <deque>

#include "tidemark/data/calendar.h"
#include "tidemark/runtime/test_executor.h"
#include "tidemark/runtime/test_files.h"
#include "tidemark/runtime/test_rows.h"

namespace tidemark {
namespace {

// What the reader of a split says, read by read.
struct Script {
  std::deque<ReadResult> reads;
  std::uint64_t position = 0;
};

class ScriptReader final : public SplitReader {
 public:
  explicit ScriptReader(std::shared_ptr<Script> script) : script_(std::move(script)) {}
  ReadResult read(std::size_t rows_max) override {
    if (script_->reads.empty()) return {.batch = nullptr, .state = ReadResult::State::kWait};
    ReadResult read = script_->reads.front();
    if (read.batch && read.batch->rows() > rows_max) {
      script_->reads.front().batch = slice(read.batch, rows_max, read.batch->rows() - rows_max);
      read.batch = slice(read.batch, 0, rows_max);
      read.state = ReadResult::State::kMore;
    } else {
      script_->reads.pop_front();
    }
    script_->position += read.batch ? read.batch->rows() : 0;
    return read;
  }
  std::string position() const override { return std::to_string(script_->position); }

 private:
  std::shared_ptr<Script> script_;
};

class ScriptSource final : public Source {
 public:
  ScriptSource(SchemaPtr schema, std::map<std::string, std::shared_ptr<Script>> scripts,
               bool bounded)
      : schema_(std::move(schema)), scripts_(std::move(scripts)), bounded_(bounded) {}
  SchemaPtr schema() const override { return schema_; }
  bool bounded() const override { return bounded_; }
  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override { return {}; }
  std::unique_ptr<SplitReader> open(SourceContext&, const Split& split,
                                    const std::optional<std::string>&) const override {
    return std::make_unique<ScriptReader>(scripts_.at(split.id));
  }

 private:
  SchemaPtr schema_;
  std::map<std::string, std::shared_ptr<Script>> scripts_;
  bool bounded_;
};

// Writes down what it gets; refuses while `room` is 0.
class Recorder final : public StreamOutput {
 public:
  void emit(BatchPtr batch) override {
    if (!batch || batch->rows() == 0) return;
    text += "[";
    for (std::size_t i = 0; i < batch->rows(); ++i)
      text += (i == 0 ? "" : " ") + std::to_string(batch->event_times()[i]);
    text += "] ";
    if (room > 0) --room;
  }
  void emit_side(OutputIndex, BatchPtr) override {}
  void emit_watermark(EventTime watermark) override {
    text += watermark == kMaxTime ? "W(max) " : "W(" + std::to_string(watermark) + ") ";
  }
  void emit_status(bool active) override { text += active ? "active " : "idle "; }
  bool ready() const override { return room > 0; }

  std::string take() { return std::exchange(text, {}); }

  std::string text;
  std::size_t room = 1'000'000;
};

class SourceHeads : public testing::Test {
 protected:
  void build(std::vector<std::string> splits, std::optional<WatermarkStrategy> watermark,
             bool bounded = false) {
    SourceHeadDescription description;
    description.rows.table = "t";
    description.rows.physical = description.rows.output = schema_;
    description.rows.rowtime = rowtime_;
    description.rows.max_future_skew = max_future_skew_;
    description.watermark = std::move(watermark);
    description.record_errors = policy_;
    description.dead_letters = dead_letters_;
    description.limiter = limiter_;
    std::vector<SplitState> states;
    for (const std::string& id : splits) {
      if (!scripts_.contains(id)) scripts_[id] = std::make_shared<Script>();
      states.push_back({.split = {id, ""}});
    }
    if (!restored_.empty()) states = restored_;
    description.source = std::make_shared<ScriptSource>(schema_, scripts_, bounded);
    head_ = std::make_unique<SourceHead>(
        std::move(description), SourceContext{.files = &files_, .clock = &clock_, .table = "t"},
        metrics_, progress_, std::move(states),
        BlockingContext{&executor_, std::make_shared<OutstandingWork>(waker_), waker_});
    head_->open(out_);
  }
  void give(const std::string& split, BatchPtr batch,
            ReadResult::State state = ReadResult::State::kMore) {
    if (!scripts_.contains(split)) scripts_[split] = std::make_shared<Script>();
    scripts_[split]->reads.push_back({.batch = std::move(batch), .state = state});
  }
  void finish(const std::string& split) { give(split, nullptr, ReadResult::State::kFinished); }
  /// Steps until there is nothing to do; returns what came out.
  std::string run() {
    head_->begin_poll();
    while (out_.ready()) {
      last_ = head_->step(out_);
      if (last_ != SourceHead::Result::kWorked) break;
    }
    return out_.take();
  }
  static WatermarkStrategy idle_after(Millis millis) {
    WatermarkStrategy strategy = monotonous_timestamps();
    strategy.idle_after = millis;
    return strategy;
  }
  std::vector<SplitState> snapshot_states() {
    struct Writer final : SnapshotWriter {
      void declare(const StateDescriptor&) override {}
      void write_keyed(std::string_view, KeyGroup, std::string_view) override {}
      void write_operator(std::string_view state, std::string_view item) override {
        if (state == kSplitsState) states.push_back(decode_split_state(item));
      }
      void attach(std::unique_ptr<SnapshotFiles>) override {}
      std::vector<SplitState> states;
    } writer;
    const std::unique_ptr<SnapshotPart> part = head_->snapshot(1);
    while (!part->step(writer, 1)) {
    }
    return writer.states;
  }

  ManualClock clock_{1'000'000};
  TestExecutor executor_{clock_};
  std::shared_ptr<TaskWaker> waker_ = std::make_shared<TaskWaker>(executor_);
  TestFiles files_;
  SchemaPtr schema_ = number_schema();
  std::optional<std::size_t> rowtime_;
  std::optional<Millis> max_future_skew_;
  RecordErrorPolicy policy_ = RecordErrorPolicy::kFail;
  std::optional<DeadLetterPlace> dead_letters_;
  std::shared_ptr<RateLimiter> limiter_;
  std::vector<SplitState> restored_;
  std::map<std::string, std::shared_ptr<Script>> scripts_;
  OperatorMetrics metrics_;
  SourceProgress progress_;
  Recorder out_;
  std::unique_ptr<SourceHead> head_;
  SourceHead::Result last_ = SourceHead::Result::kWorked;
};

TEST_F(SourceHeads, SendsTheLeastWatermarkOfItsSplits) {
  give("a", numbers({10, 20}));
  give("b", numbers({5, 15}));
  build({"a", "b"}, monotonous_timestamps());
  EXPECT_EQ(run(), "[10 20] [5 15] W(15) ");
  EXPECT_EQ(metrics_.records_in.get(), 4u);
}

TEST_F(SourceHeads, EndsWithTheLastWatermark) {
  give("a", numbers({10}));
  finish("a");
  give("b", numbers({30}), ReadResult::State::kFinished);
  build({"a", "b"}, monotonous_timestamps(), true);
  EXPECT_EQ(run(), "[10] [30] W(10) W(max) ");
  EXPECT_EQ(last_, SourceHead::Result::kEnded);
}

TEST_F(SourceHeads, WithoutSplitsABoundedSourceEndsAndAnUnboundedOneIsIdle) {
  build({}, monotonous_timestamps(), true);
  EXPECT_EQ(run(), "W(max) ");
  EXPECT_EQ(last_, SourceHead::Result::kEnded);
  build({}, monotonous_timestamps(), false);
  EXPECT_EQ(run(), "idle ");
  EXPECT_EQ(last_, SourceHead::Result::kWaiting);
}

TEST_F(SourceHeads, CutsBatchesAfterEachRowThatRaisesTheWatermark) {
  WatermarkStrategy strategy = bounded_out_of_orderness(2);
  strategy.emission = WatermarkEmission::kPerEvent;
  give("a", numbers({10, 9, 8, 12, 11}));
  build({"a"}, strategy);
  EXPECT_EQ(run(), "[10] W(8) [9 8 12] W(10) [11] ");
}

TEST_F(SourceHeads, CutsOnlyWhereTheCombinedWatermarkRises) {
  WatermarkStrategy strategy = monotonous_timestamps();
  strategy.emission = WatermarkEmission::kPerEvent;
  give("a", numbers({1, 2, 3}));
  give("b", numbers({2, 9}));
  build({"a", "b"}, strategy);
  EXPECT_EQ(run(), "[1 2 3] [2] W(2) [9] W(3) ");
}

TEST_F(SourceHeads, GoesOnInTheMiddleOfABatchAndLetsNoBarrierPassThere) {
  WatermarkStrategy strategy = monotonous_timestamps();
  strategy.emission = WatermarkEmission::kPerEvent;
  give("a", numbers({1, 2, 3}), ReadResult::State::kFinished);
  build({"a"}, strategy, true);
  out_.room = 1;
  EXPECT_EQ(run(), "[1] W(1) ");
  EXPECT_FALSE(head_->at_boundary());
  EXPECT_EQ(head_->step(out_), SourceHead::Result::kBlocked);
  EXPECT_EQ(out_.take(), "[2] W(2) ");
  out_.room = 100;
  EXPECT_EQ(run(), "[3] W(3) W(max) ");
  EXPECT_TRUE(head_->at_boundary());
}

// A split that has never spoken is idle once it was silent for long enough.
TEST_F(SourceHeads, ASplitThatNeverSpokeBecomesIdle) {
  give("a", numbers({1000}));
  build({"a", "b"}, idle_after(5000));
  EXPECT_EQ(run(), "[1000] ");
  EXPECT_EQ(head_->next_time(), clock_.now() + 5000);
  clock_.advance(4999);
  give("a", numbers({2000}));
  EXPECT_EQ(run(), "[2000] ");
  clock_.advance(1);
  give("a", numbers({3000}));
  EXPECT_EQ(run(), "W(2000) [3000] W(3000) ");
  give("b", numbers({1500}));
  give("a", numbers({4000}));
  EXPECT_EQ(run(), "[1500] [4000] ");
}

// Time in which the source did not ask does not count.
TEST_F(SourceHeads, ASplitIsNotIdleWhileTheOutputIsFull) {
  build({"a", "b"}, idle_after(5000));
  give("a", numbers({1000}));
  EXPECT_EQ(run(), "[1000] ");
  clock_.advance(8000);
  head_->add_blocked_time(8000);
  give("a", numbers({2000}));
  give("b", numbers({500}));
  EXPECT_EQ(run().find("W(2000)"), std::string::npos);
}

TEST_F(SourceHeads, SaysWhenAllSplitsAreSilentAndWhenOneSpeaksAgain) {
  give("a", numbers({1000}));
  build({"a"}, idle_after(100));
  EXPECT_EQ(run(), "[1000] W(1000) ");
  clock_.advance(100);
  EXPECT_EQ(run(), "idle ");
  give("a", numbers({1001}));
  EXPECT_EQ(run(), "active [1001] W(1001) ");
}

TEST_F(SourceHeads, AThrottledSourceReadsSoManyRowsASecond) {
  limiter_ = std::make_shared<RateLimiter>(10.0, clock_.monotonic_ns());
  std::vector<std::int64_t> many;
  for (std::int64_t i = 0; i < 100; ++i) many.push_back(i);
  give("a", numbers(many));
  build({"a"}, std::nullopt);
  std::size_t rows = 0;
  for (int i = 0; i < 40; ++i) {
    run();
    rows = metrics_.records_in.get();
    ASSERT_EQ(last_, SourceHead::Result::kWaiting);
    EXPECT_GT(head_->next_time(), clock_.now());
    clock_.advance(50);
  }
  EXPECT_GE(rows, 18u);
  EXPECT_LE(rows, 21u);
}

TEST_F(SourceHeads, GoesOnFromRestoredSplits) {
  give("a", numbers({10, 20}));
  give("b", numbers({7}), ReadResult::State::kFinished);
  WatermarkStrategy strategy = bounded_out_of_orderness(5);
  build({"a", "b"}, strategy);
  run();
  restored_ = snapshot_states();
  ASSERT_EQ(restored_.size(), 2u);
  EXPECT_EQ(restored_[0].position, "2");
  EXPECT_EQ(restored_[0].rows_read, 2u);
  EXPECT_EQ(restored_[0].watermark, 15);
  EXPECT_TRUE(restored_[1].finished);
  scripts_.clear();
  give("a", numbers({12}));
  build({"a", "b"}, strategy);
  // The promise of before is repeated, and does not fall; the finished split is not opened.
  EXPECT_EQ(out_.take(), "W(15) ");
  EXPECT_EQ(run(), "[12] ");
}

BatchPtr timestamps(std::vector<std::optional<std::int64_t>> values, std::uint8_t precision) {
  ColumnBuilder builder(DataType::timestamp(precision));
  for (const auto& value : values) {
    if (value)
      builder.append<std::int64_t>(*value);
    else
      builder.append_null();
  }
  return std::make_shared<const Batch>(make_schema({{"ts", DataType::timestamp(precision)}}),
                                       values.size(), std::vector<ColumnPtr>{builder.finish()});
}

TEST_F(SourceHeads, TakesEventTimesFromTheRowtimeColumn) {
  schema_ = make_schema({{"ts", DataType::timestamp(6)}});
  rowtime_ = 0;
  give("a", timestamps({1'500'000, -1, -1'000'001}, 6));
  build({"a"}, std::nullopt);
  EXPECT_EQ(run(), "[1500 -1 -1001] ");
}

TEST_F(SourceHeads, ABadTimeNeverMovesTheWatermark) {
  schema_ = make_schema({{"ts", DataType::timestamp(3)}});
  rowtime_ = 0;
  policy_ = RecordErrorPolicy::kSkip;
  max_future_skew_ = 3'600'000;
  give("a", timestamps({1000, std::nullopt, kMaxTime, kMinTime, 4'102'444'800'000, 2000}, 3));
  build({"a"}, monotonous_timestamps());
  EXPECT_EQ(run(), "[1000 2000] W(2000) ");
  EXPECT_EQ(metrics_.records_in.get(), 6u);
  EXPECT_EQ(metrics_.rejected_skipped.get(), 4u);
}

TEST_F(SourceHeads, ABadTimeFailsTheJobByDefaultAndIsNamed) {
  schema_ = make_schema({{"ts", DataType::timestamp(3)}});
  rowtime_ = 0;
  give("file.csv", timestamps({1000, std::nullopt}, 3));
  build({"file.csv"}, monotonous_timestamps());
  try {
    run();
    FAIL() << "no failure";
  } catch (const Failure& failure) {
    EXPECT_FALSE(failure.retryable());
    const std::string message = failure.what();
    EXPECT_NE(message.find("file.csv"), std::string::npos) << message;
    EXPECT_NE(message.find("'ts'"), std::string::npos) << message;
    EXPECT_NE(message.find("row 2"), std::string::npos) << message;
  }
}

TEST_F(SourceHeads, KeepsDeadLettersHiddenUntilTheirCheckpointIsComplete) {
  const std::string directory = testing::TempDir() + "tidemark-dead-" + std::to_string(::getpid());
  schema_ = make_schema({{"ts", DataType::timestamp(3)}});
  rowtime_ = 0;
  policy_ = RecordErrorPolicy::kDeadLetter;
  dead_letters_ = DeadLetterPlace{
      .files = &files_, .directory = directory, .table = "t", .job_id = "j", .subtask = 0};
  give("a", timestamps({1000, std::nullopt}, 3));
  build({"a"}, monotonous_timestamps());
  EXPECT_EQ(run(), "[1000] W(1000) ");
  EXPECT_EQ(metrics_.rejected_dead_letter.get(), 1u);
  head_->snapshot(1);
  const std::string visible = directory + "/t-j-0-1.jsonl";
  EXPECT_FALSE(files_.exists(visible));
  head_->on_checkpoint_complete(1);
  head_->poll_published();
  executor_.run_until_idle();
  EXPECT_EQ(head_->poll_published(), 1u);
  ASSERT_TRUE(files_.exists(visible));
  EXPECT_EQ(read_file(files_, visible),
            "{\"table\":\"t\",\"split\":\"a\",\"offset\":1,\"reason\":\"row 2 of the split: column "
            "'ts' is the time attribute and is NULL\",\"raw\":\"KE5VTEwp\"}\n");
}

}  // namespace
}  // namespace tidemark
