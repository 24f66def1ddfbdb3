// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/graph/job_graph.h"
#include "tidemark/graph/sample_graph.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

TEST(Explain, PrintsTheTreeFromTheSinks) {
  EXPECT_EQ(
      explain(sample::flights()),
      "Sink hourly: write hourly (filesystem, out) (origin STRING, flights BIGINT, worst INT, "
      "window_start TIMESTAMP(3), window_end TIMESTAMP(3), window_time TIMESTAMP(3))\n"
      "└─ Window: TUMBLE(1 h) on at, keys [origin], aggregates [COUNT(*) AS flights, "
      "MAX(delay_minutes) AS worst]\n"
      "   └─ [hash origin] Calc: select [delay AS delay_minutes, origin, at]\n"
      "      └─ Source flights: read flights (filesystem, flights.csv, csv) (at TIMESTAMP(3), "
      "origin "
      "STRING, delay INT), rowtime at, watermark max - 2 h\n");
}

TEST(Explain, PrintsFiltersWindowsAndParallelism) {
  proto::JobGraph graph = sample::flights();
  proto::WindowAggregateSpec* spec = graph.mutable_nodes(2)->mutable_window_aggregate();
  spec->mutable_window()->set_offset_millis(900'000);
  spec->mutable_window()->set_size_millis(5'400'000);
  spec->set_allowed_lateness_millis(1'500);
  spec->mutable_aggregates(1)->set_distinct(true);
  spec->mutable_aggregates(1)->set_filter(1);
  graph.mutable_nodes(2)->set_parallelism(4);
  EXPECT_THAT(
      explain(graph),
      HasSubstr("Window: HOP(1 h, 90 min, offset 15 min) on at, keys [origin], aggregates "
                "[COUNT(*) AS flights, MAX(DISTINCT delay_minutes) FILTER (WHERE origin) AS "
                "worst], lateness 1500 ms, parallelism 4\n"));
}

TEST(Explain, PrintsASharedPartOnce) {
  proto::JobGraph graph = sample::flights();
  proto::Node* second = sample::add_node(&graph, 5, "late-5", "Sink late");
  second->mutable_sink()->set_table("late");
  sample::add_edge(&graph, 3, 5)->set_from_output(1);
  const std::string text = explain(graph);
  EXPECT_THAT(text, HasSubstr("\nSink late: write late ()\n"
                              "└─ [output 1] Window (as above)\n"));
  EXPECT_EQ(text.find("TUMBLE"), text.rfind("TUMBLE"));
}

TEST(Explain, DrawsSeveralInputs) {
  proto::JobGraph graph;
  for (std::uint32_t id : {1u, 2u}) {
    proto::Node* values = sample::add_node(&graph, id, "v" + std::to_string(id), "");
    values->mutable_values()->add_rows();
    sample::add_edge(&graph, id, 3)->set_partitioning(proto::Edge::REBALANCE);
  }
  sample::add_node(&graph, 3, "union", "")->mutable_union_();
  EXPECT_EQ(explain(graph),
            "union: union all\n"
            "├─ [rebalance] v1: 1 row\n"
            "└─ [rebalance] v2: 1 row\n");
}

TEST(Explain, SurvivesAGraphThatIsWrong) {
  proto::JobGraph graph = sample::flights();
  graph.mutable_nodes(2)->mutable_window_aggregate()->set_time_column(99);
  graph.mutable_nodes(2)->mutable_window_aggregate()->add_keys(77);
  EXPECT_THAT(explain(graph), HasSubstr("on #99, keys [origin, #77]"));
}

}  // namespace
}  // namespace tidemark
