// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tidemark/connector/builtin.h"
#include "tidemark/sim/simulated_file_system.h"

// The file sink under every single failure: the n-th file operation fails, or the power goes at it,
// for every n there is. The job starts again from its last complete checkpoint, with another number
// of subtasks, and in the end the visible files must hold each row once and the hidden ones must be
// gone.

namespace tidemark {
namespace {

constexpr std::uint64_t kRows = 120;
constexpr std::uint64_t kRowsPerBatch = 5;
constexpr std::uint64_t kBatchesPerCheckpoint = 4;
const char* const kDirectory = "/data/out";

SchemaPtr one_bigint() {
  return make_schema({{"n", DataType::big_int()}});
}

// What a complete checkpoint knows.
struct Checkpoint {
  CheckpointId id = 0;
  std::uint64_t next_row = 0;
  std::vector<std::string> committables;
  std::vector<std::string> states;
};

// A job of rows 0 .. kRows - 1 into one file sink. A checkpoint is complete, durably, the moment
// complete_ is set; everything else may be lost.
class Job {
 public:
  explicit Job(std::uint64_t seed) : files_(make_simulated_file_system(seed)) {
    std::ostringstream unused;
    TableOptions table;
    table.table = "t";
    table.schema = one_bigint();
    table.options = {{"connector", "filesystem"},
                     {"format", "csv"},
                     {"path", kDirectory},
                     {"sink.rolling-policy.file-size", "60 b"}};
    sink_ = make_builtin_connectors(unused).make_sink(table).or_throw();
  }

  SimulatedFileSystem& files() { return *files_; }
  /// Of run().
  std::uint64_t operations() const { return operations_; }

  // Runs attempts until one gets through; returns how many there were. Faults end with attempt
  // `faults_until`.
  int run(bool power_fails, int faults_until = 1) {
    for (int attempt = 1;; ++attempt) {
      if (attempt == faults_until + 20) {
        ADD_FAILURE() << "no attempt gets through";
        return attempt;
      }
      try {
        run_attempt(1 + static_cast<std::uint32_t>(attempt) % 3);
        operations_ = files_->operations();
        files_->set_faults({});  // what the test looks at afterwards must not fail
        return attempt;
      } catch (const IoFailure&) {
        if (power_fails) files_->crash();
        if (attempt >= faults_until) files_->set_faults({});
      }
    }
  }

  // The numbers in all visible files, sorted.
  std::vector<std::uint64_t> visible_rows() {
    std::vector<std::uint64_t> rows;
    for (const FileInfo& file : files_->list(kDirectory)) {
      if (file.path.find("/.") != std::string::npos) continue;
      std::istringstream text(read_file(*files_, file.path));
      for (std::uint64_t n = 0; text >> n;) rows.push_back(n);
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  std::vector<std::string> hidden_files() {
    std::vector<std::string> hidden;
    for (const FileInfo& file : files_->list(kDirectory))
      if (file.path.find("/.") != std::string::npos) hidden.push_back(file.path);
    return hidden;
  }

 private:
  struct Subtask {
    SinkContext context;
    std::unique_ptr<SinkWriter> writer;
    std::unique_ptr<Committer> committer;
  };

  // As the runtime does it: the restored committables of all, then the cleaning up, then rows.
  void run_attempt(std::uint32_t parallelism) {
    std::vector<Subtask> subtasks(parallelism);
    for (std::uint32_t i = 0; i < parallelism; ++i) {
      SinkContext& context = subtasks[i].context;
      context.files = files_.get();
      context.clock = &clock_;
      context.table = "t";
      context.job_id = "job";
      context.sink_uid = "sink";
      context.subtask = i;
      context.parallelism = parallelism;
      subtasks[i].committer = sink_->open_committer(context);
    }
    subtasks[0].committer->commit(complete_.committables);
    for (Subtask& subtask : subtasks) subtask.committer->abort_unknown();
    for (Subtask& subtask : subtasks) {
      subtask.writer = sink_->open_writer(subtask.context);
      subtask.writer->restore_state(complete_.states);
    }
    std::uint64_t batches = 0;
    for (std::uint64_t row = complete_.next_row; row < kRows; row += kRowsPerBatch) {
      subtasks[batches % parallelism].writer->write(batch(row));
      if (++batches % kBatchesPerCheckpoint == 0) take_checkpoint(subtasks, row + kRowsPerBatch);
    }
    take_checkpoint(subtasks, kRows);
  }

  void take_checkpoint(std::vector<Subtask>& subtasks, std::uint64_t next_row) {
    Checkpoint checkpoint{.id = complete_.id + 1, .next_row = next_row};
    std::vector<std::vector<std::string>> prepared;
    for (Subtask& subtask : subtasks) {
      prepared.push_back(subtask.writer->prepare(checkpoint.id));
      checkpoint.states.push_back(subtask.writer->state());
      for (const std::string& committable : prepared.back())
        checkpoint.committables.push_back(committable);
    }
    complete_ = checkpoint;
    for (std::size_t i = 0; i < subtasks.size(); ++i) subtasks[i].committer->commit(prepared[i]);
  }

  static BatchPtr batch(std::uint64_t first) {
    ColumnBuilder builder(DataType::big_int());
    for (std::uint64_t i = 0; i < kRowsPerBatch; ++i)
      builder.append(static_cast<std::int64_t>(first + i));
    return std::make_shared<const Batch>(one_bigint(), kRowsPerBatch,
                                         std::vector<ColumnPtr>{builder.finish()});
  }

  std::unique_ptr<SimulatedFileSystem> files_;
  ManualClock clock_;
  SinkPtr sink_;
  Checkpoint complete_;
  std::uint64_t operations_ = 0;
};

std::vector<std::uint64_t> all_rows() {
  std::vector<std::uint64_t> rows;
  for (std::uint64_t i = 0; i < kRows; ++i) rows.push_back(i);
  return rows;
}

std::uint64_t operations_of_an_undisturbed_run() {
  Job job(1);
  EXPECT_EQ(job.run(false), 1);
  EXPECT_EQ(job.visible_rows(), all_rows());
  EXPECT_TRUE(job.hidden_files().empty());
  return job.operations();
}

TEST(FileSinkFaults, EachOperationFailsOnce) {
  const std::uint64_t operations = operations_of_an_undisturbed_run();
  ASSERT_GT(operations, 50u);
  for (std::uint64_t n = 1; n <= operations; ++n) {
    Job job(n);
    job.files().set_faults({.fail_nth_file_operation = n});
    job.run(false);
    ASSERT_EQ(job.visible_rows(), all_rows()) << "operation " << n;
    ASSERT_TRUE(job.hidden_files().empty()) << "operation " << n << ": " << job.hidden_files()[0];
  }
}

TEST(FileSinkFaults, ThePowerGoesAtEachOperation) {
  const std::uint64_t operations = operations_of_an_undisturbed_run();
  for (std::uint64_t n = 1; n <= operations; ++n)
    for (const bool keeps_some : {false, true})
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        Job job(n * 1000 + seed);
        job.files().set_faults(
            {.halt_at_nth_file_operation = n, .crash_keeps_some_unsynced = keeps_some});
        job.run(true);
        ASSERT_EQ(job.visible_rows(), all_rows()) << "operation " << n << ", seed " << seed;
        ASSERT_TRUE(job.hidden_files().empty()) << "operation " << n << ", seed " << seed;
      }
}

TEST(FileSinkFaults, ThePowerGoesAfterTheLastCommit) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Job job(seed);
    job.run(false);
    job.files().crash();
    ASSERT_EQ(job.visible_rows(), all_rows()) << "seed " << seed;
  }
}

TEST(FileSinkFaults, OperationsFailAtRandom) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Job job(seed);
    job.files().set_faults({.file_failure_one_in = 40});
    job.run(seed % 2 == 0, 10);
    ASSERT_EQ(job.visible_rows(), all_rows()) << "seed " << seed;
    ASSERT_TRUE(job.hidden_files().empty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tidemark
