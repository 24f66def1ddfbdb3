// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/filesystem/path_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/connector/connector_testing.h"
#include "tidemark/connector/filesystem/part_name.h"

namespace tidemark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MatchesPattern, Cases) {
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("*.csv", "a.csv"));
  EXPECT_FALSE(matches_pattern("*.csv", "a.csv2"));
  EXPECT_TRUE(matches_pattern("a*b*c", "aXbYbZc"));
  EXPECT_FALSE(matches_pattern("a*b*c", "aXbYbZ"));
  EXPECT_TRUE(matches_pattern("?.csv", "x.csv"));
  EXPECT_FALSE(matches_pattern("?.csv", "xy.csv"));
  EXPECT_TRUE(matches_pattern("[a-c][!0-9]", "bx"));
  EXPECT_FALSE(matches_pattern("[a-c][!0-9]", "b7"));
  EXPECT_FALSE(matches_pattern("[a-c]", "d"));
  EXPECT_TRUE(matches_pattern("[]]", "]"));
  EXPECT_TRUE(matches_pattern("[x", "[x"));
  EXPECT_TRUE(matches_pattern("[a-]", "-"));
}

TEST(LocalPath, TakesFileUrisOnly) {
  const OptionMap options;
  const OptionReader reader("table 't'", options);
  EXPECT_EQ(*local_path(reader, "file:///data/x/"), "/data/x");
  EXPECT_EQ(*local_path(reader, "file:/data/x"), "/data/x");
  EXPECT_EQ(*local_path(reader, "data//"), "data");
  EXPECT_EQ(*local_path(reader, "/"), "/");
  EXPECT_THAT(local_path(reader, "s3://bucket/x").error().message,
              HasSubstr("table 't': option 'path' takes a local path"));
  EXPECT_FALSE(local_path(reader, "").ok());
}

class FindFiles : public testing::Test {
 protected:
  std::vector<std::string> find(const std::string& path) {
    std::vector<std::string> found;
    for (const FileInfo& file : find_files(*files_, "table 't'", directory_.path(path)))
      found.push_back(file.path.substr(directory_.path().size() + 1));
    return found;
  }
  std::string error(const std::string& path) {
    try {
      find(path);
    } catch (const Failure& failure) {
      EXPECT_FALSE(failure.retryable());
      return failure.what();
    }
    return "";
  }

  TemporaryDirectory directory_;
  std::unique_ptr<FileSystem> files_ = make_local_file_system();
};

TEST_F(FindFiles, AFileADirectoryOrAPattern) {
  for (const char* name : {"d/b.csv", "d/a.csv", "d/c.json", "d/.hidden.csv", "d/_temporary.csv",
                           "d/sub/x.csv", "e/a.csv", "d/[1].csv"})
    directory_.write(name, "x");
  EXPECT_THAT(find("d/a.csv"), ElementsAre("d/a.csv"));
  EXPECT_THAT(find("d"), ElementsAre("d/[1].csv", "d/a.csv", "d/b.csv", "d/c.json"));
  EXPECT_THAT(find("d/*.csv"), ElementsAre("d/[1].csv", "d/a.csv", "d/b.csv"));
  EXPECT_THAT(find("?/a.csv"), ElementsAre("d/a.csv", "e/a.csv"));
  EXPECT_THAT(find("*/*/x.csv"), ElementsAre("d/sub/x.csv"));
  EXPECT_THAT(find("[de]"), ElementsAre("d/[1].csv", "d/a.csv", "d/b.csv", "d/c.json", "e/a.csv"));
  EXPECT_THAT(find("d/[1].csv"), ElementsAre("d/[1].csv")) << "a name that exists is no pattern";
  EXPECT_THAT(find("d/.h*"), ElementsAre("d/.hidden.csv"));
}

TEST_F(FindFiles, SayWhatIsMissing) {
  EXPECT_EQ(error("nowhere.csv"),
            "table 't': path '" + directory_.path("nowhere.csv") + "' does not exist");
  EXPECT_EQ(error("*.csv"), "table 't': no file matches path '" + directory_.path("*.csv") + "'");
  EXPECT_EQ(error("nowhere/*.csv"),
            "table 't': no file matches path '" + directory_.path("nowhere/*.csv") + "'");
}

TEST(PartNames, ReadBackTheirOwnOnly) {
  const PartNames names("job 1/x", "sink", "csv");
  const std::string name = names.final_name(3, 17);
  EXPECT_THAT(name, testing::MatchesRegex("part-job_1_x-[0-9a-f]+-3-17.csv"));
  const auto visible = names.parse(name);
  ASSERT_TRUE(visible.has_value());
  EXPECT_EQ(visible->subtask, 3u);
  EXPECT_EQ(visible->number, 17u);
  EXPECT_FALSE(visible->hidden);
  const auto hidden = names.parse(PartNames::hidden_name(name));
  ASSERT_TRUE(hidden.has_value());
  EXPECT_TRUE(hidden->hidden);
  EXPECT_FALSE(PartNames("job 1/x", "other", "csv").parse(name).has_value());
  EXPECT_FALSE(PartNames("job 1_x", "sink", "csv").parse(name).has_value());
  for (const char* other : {"part-x", ".part-x.inprogress", "", ".", "data.csv", ".inprogress"})
    EXPECT_FALSE(names.parse(other).has_value()) << other;
}

}  // namespace
}  // namespace tidemark
