// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/connector/connector_testing.h"
#include "tidemark/connector/filesystem/file_writer.h"
#include "tidemark/connector/filesystem/path_pattern.h"

namespace tidemark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Strings = std::vector<std::string>;

SchemaPtr one_string() {
  return make_schema({{"s", DataType::string()}});
}

class FileSink : public testing::Test {
 protected:
  SinkContext context(std::uint32_t subtask = 0, std::uint32_t parallelism = 1,
                      const std::string& uid = "sink") {
    SinkContext result;
    result.files = files_.get();
    result.clock = &clock_;
    result.table = "t";
    result.job_id = "job";
    result.sink_uid = uid;
    result.subtask = subtask;
    result.parallelism = parallelism;
    return result;
  }
  SinkPtr sink(OptionMap options = {}) {
    options.emplace("connector", "filesystem");
    options.emplace("format", "csv");
    options.emplace("path", directory_.path("out"));
    return sink_of(one_string(), std::move(options));
  }
  BatchPtr rows(const Strings& values) { return strings_batch(one_string(), values); }

  Strings names(bool hidden) {
    Strings found;
    for (const FileInfo& file : files_->list(directory_.path("out")))
      if (is_hidden(file_name(file.path)) == hidden) found.emplace_back(file_name(file.path));
    return found;
  }
  // The lines of all visible files, sorted.
  Strings lines() {
    Strings all;
    for (const std::string& name : names(false)) {
      std::istringstream text(directory_.read("out/" + name));
      for (std::string line; std::getline(text, line);) all.push_back(line);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  TemporaryDirectory directory_;
  std::unique_ptr<FileSystem> files_ = make_local_file_system();
  ManualClock clock_;
};

TEST_F(FileSink, NothingIsVisibleBeforeItsCheckpointIsComplete) {
  SinkContext here = context();
  const auto writer = sink()->open_writer(here);
  const auto committer = sink()->open_committer(here);
  writer->write(rows({"a", "b"}));
  EXPECT_THAT(names(false), IsEmpty());
  const Strings first = writer->prepare(1);
  EXPECT_THAT(names(false), IsEmpty());
  EXPECT_EQ(names(true).size(), 1u);
  writer->write(rows({"c"}));
  committer->commit(first);
  EXPECT_EQ(lines(), (Strings{"a", "b"}));
  committer->commit(writer->prepare(2));
  EXPECT_EQ(lines(), (Strings{"a", "b", "c"}));
  EXPECT_THAT(names(true), IsEmpty());
}

TEST_F(FileSink, ACheckpointWithoutRowsMakesNoFile) {
  SinkContext here = context();
  const auto writer = sink()->open_writer(here);
  EXPECT_THAT(writer->prepare(1), IsEmpty());
  writer->write(rows({}));
  EXPECT_THAT(writer->prepare(2), IsEmpty());
  EXPECT_THAT(names(true), IsEmpty());
}

TEST_F(FileSink, CommittingAgainDoesNothing) {
  SinkContext here = context();
  const auto writer = sink()->open_writer(here);
  writer->write(rows({"a"}));
  const Strings committables = writer->prepare(1);
  for (int i = 0; i < 3; ++i) sink()->open_committer(here)->commit(committables);
  EXPECT_EQ(lines(), Strings{"a"});
}

// --- Part numbers and unfinished parts ---

TEST_F(FileSink, B41aAPartNumberIsNotUsedAgainAfterAQuietPeriod) {
  SinkContext here = context();
  auto writer = sink()->open_writer(here);
  const auto committer = sink()->open_committer(here);
  for (int i = 0; i < 10; ++i) writer->write(rows({"r" + std::to_string(i)}));
  committer->commit(writer->prepare(1));
  CheckpointId checkpoint = 1;
  for (int quiet = 0; quiet < 60; ++quiet) {
    clock_.advance(60'000);
    committer->commit(writer->prepare(++checkpoint));
  }
  // A reader may have moved the first file away, and the job may have been restarted.
  const Strings before = names(false);
  ASSERT_EQ(before.size(), 1u);
  const std::string state = writer->state();
  files_->rename(directory_.path("out/" + before[0]), directory_.path("moved"));
  writer = sink()->open_writer(here);
  writer->restore_state(std::vector<std::string>{state});
  writer->write(rows({"late"}));
  committer->commit(writer->prepare(++checkpoint));
  ASSERT_EQ(names(false).size(), 1u);
  EXPECT_NE(names(false)[0], before[0]);
  files_->rename(directory_.path("moved"), directory_.path("out/" + before[0]));
  EXPECT_EQ(lines().size(), 11u);
}

TEST_F(FileSink, B41bRowsAfterTheCheckpointAreNeverShown) {
  SinkContext here = context();
  auto writer = sink()->open_writer(here);
  writer->write(rows({"a", "b"}));
  const Strings committables = writer->prepare(1);
  const std::string state = writer->state();
  writer->write(rows({"c", "d"}));
  writer.reset();  // the crash
  const auto committer = sink()->open_committer(here);
  committer->commit(committables);
  committer->abort_unknown();
  writer = sink()->open_writer(here);
  writer->restore_state(std::vector<std::string>{state});
  EXPECT_EQ(lines(), (Strings{"a", "b"}));
  EXPECT_THAT(names(true), IsEmpty());
  writer->write(rows({"c", "d"}));
  committer->commit(writer->prepare(2));
  EXPECT_EQ(lines(), (Strings{"a", "b", "c", "d"}));
}

TEST_F(FileSink, B41cAPartOpenForLongNeedsNoOldCheckpoint) {
  SinkContext here = context();
  auto writer = sink()->open_writer(here);
  std::string state;
  Strings newest;
  for (CheckpointId checkpoint = 1; checkpoint <= 5; ++checkpoint) {
    writer->write(rows({"r" + std::to_string(checkpoint)}));
    newest = writer->prepare(checkpoint);
    state = writer->state();
    if (checkpoint < 5) sink()->open_committer(here)->commit(newest);
  }
  writer.reset();
  // All that a restart knows is the newest checkpoint.
  sink()->open_committer(here)->commit(newest);
  sink()->open_committer(here)->abort_unknown();
  EXPECT_EQ(lines(), (Strings{"r1", "r2", "r3", "r4", "r5"}));
}

TEST_F(FileSink, ARestoreOfAnOlderCheckpointOverwritesNothing) {
  SinkContext here = context();
  auto writer = sink()->open_writer(here);
  const auto committer = sink()->open_committer(here);
  const std::string state = writer->state();
  writer->write(rows({"a"}));
  committer->commit(writer->prepare(1));
  writer = sink()->open_writer(here);
  writer->restore_state(std::vector<std::string>{state});
  writer->write(rows({"b"}));
  committer->commit(writer->prepare(1));
  EXPECT_EQ(lines(), (Strings{"a", "b"}));
}

TEST_F(FileSink, AFileInTheWayOrLostIsAFailureThatNamesIt) {
  SinkContext here = context();
  const auto writer = sink()->open_writer(here);
  const auto committer = sink()->open_committer(here);
  const auto failure_of = [&](const Strings& committables) -> std::string {
    try {
      committer->commit(committables);
    } catch (const Failure& failure) {
      return failure.what();
    }
    return "none";
  };
  writer->write(rows({"a"}));
  const Strings first = writer->prepare(1);
  const std::string hidden = names(true).at(0);
  const std::string visible = hidden.substr(1, hidden.rfind('.') - 1);
  directory_.write("out/" + visible, "somebody else's");
  EXPECT_THAT(failure_of(first), HasSubstr("there is another file"));
  EXPECT_EQ(directory_.read("out/" + visible), "somebody else's");
  files_->remove(directory_.path("out/" + visible));
  files_->remove(directory_.path("out/" + hidden));
  EXPECT_THAT(failure_of(first), HasSubstr(visible));
  EXPECT_THAT(failure_of(first), HasSubstr("exists"));
  directory_.write("out/" + hidden, "abc");
  EXPECT_THAT(failure_of(first), HasSubstr("has 3 bytes, the checkpoint says 2"));
}

TEST_F(FileSink, CleansUpItsOwnHiddenFilesOnly) {
  std::filesystem::create_directories(directory_.path("out"));
  const PartNames mine("job", "sink", "csv");
  const PartNames other_sink("job", "sink2", "csv");
  const PartNames other_job("job2", "sink", "csv");
  for (const PartNames& names : {mine, other_sink, other_job})
    for (std::uint32_t subtask = 0; subtask < 5; ++subtask) {
      directory_.write("out/" + PartNames::hidden_name(names.final_name(subtask, 1)), "x");
      directory_.write("out/" + names.final_name(subtask, 2), "x");
    }
  directory_.write("out/.other.inprogress", "x");
  // From five subtasks to two: between them they clean up after all five.
  SinkContext zero = context(0, 2);
  SinkContext one = context(1, 2);
  sink()->open_committer(zero)->abort_unknown();
  EXPECT_EQ(names(true).size(), 13u);
  sink()->open_committer(one)->abort_unknown();
  EXPECT_EQ(names(true).size(), 11u);
  EXPECT_EQ(names(false).size(), 15u);
}

TEST_F(FileSink, PartsRollBySizeAndAge) {
  SinkContext here = context();
  const auto writer = sink({{"sink.rolling-policy.file-size", "10 b"},
                            {"sink.rolling-policy.rollover-interval", "1 min"}})
                          ->open_writer(here);
  writer->write(rows({"0123456789"}));
  writer->write(rows({"a"}));
  writer->write(rows({"b"}));
  clock_.advance(60'000);
  writer->write(rows({"c"}));
  const Strings committables = writer->prepare(1);
  EXPECT_EQ(committables.size(), 3u);
  sink()->open_committer(here)->commit(committables);
  EXPECT_EQ(lines(), (Strings{"0123456789", "a", "b", "c"}));
  EXPECT_EQ(names(false).size(), 3u);
}

TEST_F(FileSink, TwoSinksAndManySubtasksShareADirectory) {
  Strings expected;
  for (const char* uid : {"one", "two"})
    for (std::uint32_t subtask = 0; subtask < 3; ++subtask) {
      SinkContext here = context(subtask, 3, uid);
      const auto writer = sink()->open_writer(here);
      const std::string row = std::string(uid) + std::to_string(subtask);
      writer->write(rows({row}));
      sink()->open_committer(here)->commit(writer->prepare(1));
      expected.push_back(row);
    }
  EXPECT_EQ(lines(), expected);
}

TEST_F(FileSink, RefusesChangesAndBadPaths) {
  SinkContext here = context();
  const auto writer = sink()->open_writer(here);
  ColumnBuilder kinds(DataType::tiny_int());
  kinds.append(static_cast<std::int8_t>(RowKind::kDelete));
  const BatchPtr plain = rows({"a"});
  EXPECT_THROW(writer->write(std::make_shared<const Batch>(one_string(), 1, plain->columns(),
                                                           nullptr, kinds.finish())),
               Failure);
  directory_.write("file", "x");
  EXPECT_THROW(sink({{"path", directory_.path("file")}})->open_writer(here), Failure);
  EXPECT_THAT(
      sink_error(one_string(), {{"connector", "filesystem"}, {"format", "csv"}, {"path", "a*"}}),
      HasSubstr("takes a directory"));
}

}  // namespace
}  // namespace tidemark
