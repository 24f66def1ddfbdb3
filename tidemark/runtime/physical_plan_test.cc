// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/physical_plan.h"

#include <gtest/gtest.h>

#include "tidemark/graph/sample_graph.h"

namespace tidemark {
namespace {

PhysicalPlan plan(const proto::JobGraph& graph, std::uint32_t parallelism) {
  auto made = make_physical_plan(graph, parallelism, 128);
  EXPECT_TRUE(made.ok()) << made.error().message;
  return std::move(*made);
}

TEST(PhysicalPlans, OneSubtaskNeedsOneTask) {
  const proto::JobGraph graph = sample::flights();
  const PhysicalPlan made = plan(graph, 1);
  ASSERT_EQ(made.chains.size(), 1u);
  EXPECT_EQ(made.chains[0].nodes, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_EQ(made.chains[0].name, "Source flights -> Calc -> Window -> Sink hourly");
  EXPECT_TRUE(made.edges.empty());
}

TEST(PhysicalPlans, AKeyedEdgeDividesChains) {
  const proto::JobGraph graph = sample::flights();
  const PhysicalPlan made = plan(graph, 4);
  ASSERT_EQ(made.chains.size(), 2u);
  EXPECT_EQ(made.chains[0].nodes, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(made.chains[1].nodes, (std::vector<std::size_t>{2, 3}));
  ASSERT_EQ(made.edges.size(), 1u);
  EXPECT_EQ(made.edges[0].distribution, Distribution::kKeyGroup);
  EXPECT_EQ(made.edges[0].key_columns, std::vector<std::size_t>{1});
  EXPECT_EQ(made.edges[0].key_types[0].kind, TypeKind::kString);
}

TEST(PhysicalPlans, AnotherParallelismMakesAForwardEdgeARebalance) {
  proto::JobGraph graph = sample::flights();
  (*graph.mutable_nodes(0)->mutable_source()->mutable_options())["scan.parallelism"] = "2";
  const PhysicalPlan made = plan(graph, 4);
  ASSERT_EQ(made.chains.size(), 3u);
  EXPECT_EQ(made.chains[0].parallelism, 2u);
  EXPECT_EQ(made.edges[0].distribution, Distribution::kRebalance);
}

TEST(PhysicalPlans, TasksAreNumberedChainAfterChain) {
  proto::JobGraph graph = sample::flights();
  (*graph.mutable_nodes(0)->mutable_source()->mutable_options())["scan.parallelism"] = "2";
  const PhysicalPlan made = plan(graph, 4);
  EXPECT_EQ(made.task(0, 1), 1u);
  EXPECT_EQ(made.task(1, 0), 2u);
  EXPECT_EQ(made.task(2, 3), 9u);
  EXPECT_EQ(made.tasks(), 10u);
}

TEST(PhysicalPlans, TwoConsumersDivideChains) {
  proto::JobGraph graph = sample::flights();
  *graph.add_nodes() = graph.nodes(3);
  graph.mutable_nodes(4)->set_id(5);
  graph.mutable_nodes(4)->set_uid("second");
  sample::add_edge(&graph, 3, 5);
  const PhysicalPlan made = plan(graph, 1);
  EXPECT_EQ(made.chains.size(), 3u);
  EXPECT_EQ(made.edges.size(), 2u);
}

TEST(PhysicalPlans, MoreSubtasksThanKeyGroupsAreRefused) {
  const proto::JobGraph graph = sample::flights();
  const auto made = make_physical_plan(graph, 129, 128);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("pipeline.max-parallelism"), std::string::npos);
}

}  // namespace
}  // namespace tidemark
