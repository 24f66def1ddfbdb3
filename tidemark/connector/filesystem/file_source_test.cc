// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/connector/connector_testing.h"

namespace tidemark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SchemaPtr two_columns() {
  return make_schema({{"n", DataType::integer()}, {"s", DataType::string()}});
}

class FileSource : public testing::Test {
 protected:
  FileSource() {
    context_.files = files_.get();
    context_.clock = &clock_;
    context_.table = "t";
    context_.bad_records = &bad_;
  }
  SourcePtr source(const std::string& path, OptionMap options = {}) {
    options.emplace("connector", "filesystem");
    options.emplace("format", "csv");
    options.emplace("path", path);
    return source_of(two_columns(), std::move(options));
  }
  std::unique_ptr<SplitReader> open(const std::string& path,
                                    const std::optional<std::string>& position = std::nullopt,
                                    OptionMap options = {}) {
    source_ = source(path, std::move(options));
    return source_->open(context_, source_->enumerate(context_, 1).at(0), position);
  }

  TemporaryDirectory directory_;
  std::unique_ptr<FileSystem> files_ = make_local_file_system();
  ManualClock clock_;
  KeptBadRecords bad_;
  SourceContext context_;
  SourcePtr source_;
};

TEST_F(FileSource, ASplitForEachFileInOrder) {
  directory_.write("b.csv", "");
  directory_.write("a.csv", "");
  const SourcePtr csv = source(directory_.path());
  EXPECT_TRUE(csv->bounded());
  const auto splits = csv->enumerate(context_, 4);
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_EQ(splits[0].id, directory_.path("a.csv"));
  EXPECT_EQ(splits[1].id, directory_.path("b.csv"));
}

TEST_F(FileSource, ReadsToTheEnd) {
  const auto reader = open(directory_.write("a.csv", "1,x\n2,y\n3,z"));
  EXPECT_THAT(read_all(*reader), ElementsAre("1|x", "2|y", "3|z"));
  EXPECT_EQ(reader->bytes_read(), 11u);
  EXPECT_EQ(reader->bytes_total(), 11u);
}

TEST_F(FileSource, AnEmptyFileHasNoRows) {
  const auto reader = open(directory_.write("a.csv", ""));
  EXPECT_THAT(read_all(*reader), IsEmpty());
}

// The buffer is 256 KiB: records cross its end, and one is larger than it.
TEST_F(FileSource, RecordsOfAllSizesAcrossTheBuffer) {
  std::string text;
  std::vector<std::string> rows;
  for (int i = 0; i < 30'000; ++i) {
    const std::string s(static_cast<std::size_t>(i == 12'345 ? 700'000 : i % 50), 'x');
    text += std::to_string(i) + "," + s + "\n";
    rows.push_back(std::to_string(i) + "|" + s);
  }
  const std::string path = directory_.write("a.csv", text);
  for (const std::size_t rows_max : {7u, 1024u, 4096u})
    EXPECT_EQ(read_all(*open(path), rows_max), rows);
}

TEST_F(FileSource, GoesOnAtEveryPosition) {
  std::string text = "\xef\xbb\xbfn,s\n";
  std::vector<std::string> rows;
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(i) + (i % 3 == 0 ? ",\"a\nb\"\r\n" : ",c\n");
    rows.push_back(std::to_string(i) + (i % 3 == 0 ? "|a\nb" : "|c"));
  }
  const std::string path = directory_.write("a.csv", text);
  const OptionMap header = {{"csv.ignore-first-line", "true"}};
  for (std::size_t stop = 0; stop <= rows.size(); ++stop) {
    std::vector<std::string> got;
    auto reader = open(path, std::nullopt, header);
    for (std::size_t i = 0; i < stop; ++i) append_rows(*reader->read(1).batch, got);
    reader = open(path, reader->position(), header);
    for (std::string& row : read_all(*reader)) got.push_back(std::move(row));
    EXPECT_EQ(got, rows) << "stopped after " << stop;
  }
}

TEST_F(FileSource, BadRecordsAreNamedAndTheRestGoesOn) {
  const std::string path = directory_.write("a.csv", "1,x\nbad,y\n3,z\n4\n");
  const auto reader = open(path);
  EXPECT_THAT(read_all(*reader), ElementsAre("1|x", "3|z"));
  ASSERT_EQ(bad_.records.size(), 2u);
  EXPECT_EQ(bad_.records[0].source, "t");
  EXPECT_EQ(bad_.records[0].split, path);
  EXPECT_EQ(bad_.records[0].offset, 4u);
  EXPECT_EQ(bad_.records[0].raw, "bad,y\n");
  EXPECT_EQ(bad_.records[0].reason, "column 'n' (INT): 'bad' is not a number");
  EXPECT_EQ(bad_.records[1].offset, 14u);
}

TEST_F(FileSource, OffsetsAreThoseOfTheFileAfterARestore) {
  const std::string path = directory_.write("a.csv", "1,x\n2,y\nbad,z\n");
  auto reader = open(path);
  reader->read(1);
  reader = open(path, reader->position());
  EXPECT_THAT(read_all(*reader), ElementsAre("2|y"));
  ASSERT_EQ(bad_.records.size(), 1u);
  EXPECT_EQ(bad_.records[0].offset, 8u);
}

TEST_F(FileSource, AnEndlessLineIsOneBadRecordInLittleMemory) {
  const std::string text = "1,x\n2," + std::string(3'000'000, 'y') + "\n3,z\n";
  const std::string path = directory_.write("a.csv", text);
  auto reader = open(path);
  std::vector<std::string> rows;
  // The position within the line that is being dropped can be saved, too.
  for (int reads = 0;; ++reads) {
    ASSERT_LT(reads, 100);
    const ReadResult result = reader->read(1024);
    if (result.batch) append_rows(*result.batch, rows);
    if (result.state == ReadResult::State::kFinished) break;
    reader = open(path, reader->position());
  }
  EXPECT_THAT(rows, ElementsAre("1|x", "3|z"));
  ASSERT_EQ(bad_.records.size(), 1u);
  EXPECT_EQ(bad_.records[0].offset, 4u);
  EXPECT_EQ(bad_.records[0].raw.size(), 64u * 1024);
  EXPECT_THAT(bad_.records[0].reason, HasSubstr("longer than 1048576 bytes"));
}

TEST_F(FileSource, OneReadOfBadRecordsIsBounded) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "bad,x\n";
  const auto reader = open(directory_.write("a.csv", text));
  const ReadResult result = reader->read(100);
  EXPECT_EQ(result.batch, nullptr);
  EXPECT_EQ(result.state, ReadResult::State::kMore);
  EXPECT_EQ(bad_.records.size(), 100u);
}

TEST_F(FileSource, AFileThatShrankIsRefused) {
  const std::string path = directory_.write("a.csv", "1,x\n2,y\n");
  const auto reader = open(path);
  read_all(*reader);
  const std::string position = reader->position();
  directory_.write("a.csv", "1,x\n");
  try {
    open(path, position);
    FAIL() << "the file is shorter than what was read";
  } catch (const Failure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("has 4 bytes, but 8 of it were read"));
    EXPECT_EQ(failure.code(), ErrorCode::kCheckpointMismatch);
  }
}

TEST_F(FileSource, JsonLinesToo) {
  const std::string path = directory_.write("a.json", "{\"n\":1,\"s\":\"x\"}\n{\"n\":2\n{\"n\":3}");
  const auto reader = open(path, std::nullopt, {{"format", "json"}});
  EXPECT_THAT(read_all(*reader), ElementsAre("1|x", "3|NULL"));
  EXPECT_EQ(bad_.records.size(), 1u);
}

TEST_F(FileSource, MissingAndCompressedFilesAreNamed) {
  EXPECT_THROW(source(directory_.path("nowhere"))->enumerate(context_, 1), Failure);
  EXPECT_THAT(source_error(two_columns(),
                           {{"connector", "filesystem"}, {"format", "csv"}, {"path", "x.csv.gz"}}),
              HasSubstr("file 'x.csv.gz' is compressed"));
  directory_.write("a.csv.gz", "x");
  EXPECT_THROW(source(directory_.path())->enumerate(context_, 1), Failure);
}

TEST_F(FileSource, APathRegexPicksFiles) {
  for (const char* name : {"a1.csv", "a2.csv", "b.csv"}) directory_.write(name, "");
  const auto splits = source(directory_.path(), {{"source.path.regex-pattern", ".*/a[0-9]\\.csv"}})
                          ->enumerate(context_, 1);
  EXPECT_EQ(splits.size(), 2u);
  EXPECT_THAT(source_error(two_columns(), {{"connector", "filesystem"},
                                           {"format", "csv"},
                                           {"path", "x"},
                                           {"source.path.regex-pattern", "("}}),
              HasSubstr("takes a regular expression"));
}

TEST_F(FileSource, WhatIsNotSupportedIsRefused) {
  const OptionMap base = {{"connector", "filesystem"}, {"format", "csv"}, {"path", "x"}};
  for (const char* option : {"source.monitor-interval", "auto-compaction"}) {
    OptionMap options = base;
    options.emplace(option, "1 s");
    EXPECT_THAT(source_error(two_columns(), options), HasSubstr(option));
  }
}

}  // namespace
}  // namespace tidemark
