// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/compatibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/graph/sample_graph.h"

namespace tidemark {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CompatibilityTest : public ::testing::Test {
 protected:
  CompatibilityTest() {
    identify_job(graph_, &metadata_);
    metadata_.set_max_parallelism(128);
    metadata_.add_operators()->set_uid("window-3");
  }

  std::string check(std::uint32_t max_parallelism = 128) {
    const Status status = check_compatible("/ckpt/chk-3", metadata_, graph_, max_parallelism,
                                           {"flights-1", "window-3", "hourly-4"});
    if (status.ok()) return "";
    EXPECT_EQ(status.error().code, ErrorCode::kCheckpointMismatch);
    EXPECT_THAT(status.error().message, HasSubstr("'/ckpt/chk-3'"));
    return status.error().message;
  }

  proto::JobGraph graph_ = sample::flights();
  proto::CheckpointMetadata metadata_;
};

TEST_F(CompatibilityTest, AcceptsTheSameJob) {
  EXPECT_EQ(check(), "");
  graph_.mutable_nodes(2)->set_parallelism(4);
  (*graph_.mutable_nodes(0)->mutable_source()->mutable_options())["scan.rows-per-second"] = "10";
  EXPECT_EQ(check(), "");
}

TEST_F(CompatibilityTest, NamesTheOperatorThatChangedAndBothSides) {
  graph_.mutable_nodes(2)->mutable_window_aggregate()->mutable_window()->set_size_millis(7'200'000);
  graph_.mutable_nodes(2)->mutable_window_aggregate()->mutable_window()->set_slide_millis(
      7'200'000);
  EXPECT_THAT(check(), AllOf(HasSubstr("operator 'window-3' was TUMBLE(1 h) on at"),
                             HasSubstr("and is now TUMBLE(2 h) on at"),
                             HasSubstr("only connector, format and path count")));
}

TEST_F(CompatibilityTest, NamesTheOperatorThatIsNew) {
  sample::add_node(&graph_, 9, "extra-9", "")->mutable_values();
  EXPECT_THAT(check(),
              HasSubstr("operator 'extra-9' of this job, 0 rows, is not in the checkpoint"));
}

TEST_F(CompatibilityTest, NamesTheOperatorThatIsGone) {
  graph_.mutable_nodes()->RemoveLast();
  graph_.mutable_edges()->RemoveLast();
  EXPECT_THAT(check(), AllOf(HasSubstr("operator 'hourly-4' of the checkpoint, write hourly"),
                             HasSubstr("is not in this job")));
}

TEST_F(CompatibilityTest, SaysWhatItKnowsWithoutNodes) {
  metadata_.clear_nodes();
  graph_.mutable_nodes(2)->mutable_window_aggregate()->mutable_window()->set_size_millis(1);
  EXPECT_THAT(check(), HasSubstr("it was made by job 'flights' with fingerprint "));
}

TEST_F(CompatibilityTest, NamesBothMaxParallelisms) {
  EXPECT_THAT(check(4096), AllOf(HasSubstr("max parallelism 128, this job has 4096"),
                                 HasSubstr("pipeline.max-parallelism to 128")));
}

TEST_F(CompatibilityTest, StateThatNobodyClaimsIsRefused) {
  proto::OperatorMetadata* op = metadata_.add_operators();
  op->set_uid("calc-2");
  op->set_name("Calc");
  EXPECT_THAT(check(), AllOf(HasSubstr("state of operator 'calc-2' (Calc)"),
                             HasSubstr("flights-1, hourly-4, window-3")));
}

}  // namespace
}  // namespace tidemark
