// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tidemark/graph/job_graph.h"
#include "tidemark/graph/sample_graph.h"

namespace tidemark {
namespace {

using ::testing::HasSubstr;

TEST(Validate, AcceptsAGraph) {
  const Status status = validate(sample::flights());
  EXPECT_TRUE(status.ok()) << status.error().message;
}

struct Case {
  const char* message;
  std::function<void(proto::JobGraph&)> change;
};

TEST(Validate, NamesWhatIsWrong) {
  const Case cases[] = {
      {"it has no nodes", [](auto& g) { g.Clear(); }},
      {"max parallelism 32769 is above 32768", [](auto& g) { g.set_max_parallelism(32'769); }},
      {"two nodes have the id 1", [](auto& g) { g.mutable_nodes(1)->set_id(1); }},
      {"node 2 'Calc' has no uid", [](auto& g) { g.mutable_nodes(1)->clear_uid(); }},
      {"nodes 1 and 2 have the same uid 'flights-1'",
       [](auto& g) { g.mutable_nodes(1)->set_uid("flights-1"); }},
      {"node 2 'Calc' says nothing of what it does",
       [](auto& g) { g.mutable_nodes(1)->clear_spec(); }},
      {"node 2 'Calc' has parallelism 9, above the max parallelism 8",
       [](auto& g) {
         g.set_max_parallelism(8);
         g.mutable_nodes(1)->set_parallelism(9);
       }},
      {"from node 2 to node 9, but there is no node 9",
       [](auto& g) { g.mutable_edges(1)->set_to(9); }},
      {"comes before", [](auto& g) { g.mutable_nodes()->SwapElements(1, 2); }},
      {"node 1 'Source flights' takes no input, but has one",
       [](auto& g) {
         g.mutable_nodes()->SwapElements(0, 1);
         g.mutable_edges(0)->set_from(2);
         g.mutable_edges(0)->set_to(1);
       }},
      {"node 3 'Window' has no output 1", [](auto& g) { g.mutable_edges(2)->set_from_output(1); }},
      {"node 3 'Window': a key of its input is column 7 of 3",
       [](auto& g) { g.mutable_edges(1)->set_key_columns(0, 7); }},
      {"node 3 'Window' needs its input partitioned by its keys",
       [](auto& g) { g.mutable_edges(1)->set_key_columns(0, 2); }},
      {"has keys, but is not partitioned by hash",
       [](auto& g) { g.mutable_edges(1)->set_partitioning(proto::Edge::FORWARD); }},
      {"the window's time 'delay_minutes' is not a TIMESTAMP",
       [](auto& g) { g.mutable_nodes(2)->mutable_window_aggregate()->set_time_column(0); }},
      {"node 3 'Window': the window size is 0 ms",
       [](auto& g) {
         g.mutable_nodes(2)->mutable_window_aggregate()->mutable_window()->set_size_millis(0);
       }},
      {"less than the slide",
       [](auto& g) {
         g.mutable_nodes(2)->mutable_window_aggregate()->mutable_window()->set_offset_millis(
             -3'600'000);
       }},
      {"a multiple of it",
       [](auto& g) {
         auto* window = g.mutable_nodes(2)->mutable_window_aggregate()->mutable_window();
         window->set_kind(proto::WindowSpec::CUMULATING);
         window->set_slide_millis(7'000);
       }},
      {"a session gap of 0 ms",
       [](auto& g) {
         g.mutable_nodes(2)->mutable_window_aggregate()->mutable_window()->set_kind(
             proto::WindowSpec::SESSION);
       }},
      {"an expansion takes columns and literals",
       [](auto& g) {
         auto* expand = g.mutable_nodes(1)->mutable_expand()->add_projections();
         for (int i = 0; i < 3; ++i) expand->add_columns()->set_kind(proto::Expression::CALL);
       }},
      {"2 expressions for 3 columns",
       [](auto& g) {
         auto* expand = g.mutable_nodes(1)->mutable_expand()->add_projections();
         for (int i = 0; i < 2; ++i) expand->add_columns();
       }},
      {"an expansion to no rows", [](auto& g) { g.mutable_nodes(1)->mutable_expand(); }},
      {"3 columns come out of 3 and 3 window columns",
       [](auto& g) {
         auto* table = g.mutable_nodes(1)->mutable_window_table();
         table->mutable_window()->set_size_millis(10);
         table->mutable_window()->set_slide_millis(5);
       }},
      {"an aggregate's argument is column 5 of 3",
       [](auto& g) {
         g.mutable_nodes(2)->mutable_window_aggregate()->mutable_aggregates(1)->set_arguments(0, 5);
       }},
      {"7 columns come out of",
       [](auto& g) {
         sample::add_field(g.mutable_nodes(2)->mutable_output(), "x", proto::DataType::INT);
       }},
      {"node 2 'Calc': an expression reads column 5 of 3",
       [](auto& g) { g.mutable_nodes(1)->mutable_calc()->mutable_projection(0)->set_column(5); }},
      {"reads column 'origin' as another type",
       [](auto& g) { g.mutable_nodes(1)->mutable_calc()->mutable_projection(0)->set_column(1); }},
      {"2 expressions for 3 columns",
       [](auto& g) { g.mutable_nodes(1)->mutable_calc()->mutable_projection()->RemoveLast(); }},
      {"column 1 'flights' of the input is BIGINT, but 'flights' wants STRING",
       [](auto& g) {
         g.mutable_nodes(3)
             ->mutable_sink()
             ->mutable_schema()
             ->mutable_fields(1)
             ->mutable_type()
             ->set_kind(proto::DataType::STRING);
       }},
      {"the input has 6 columns, but 5 are wanted",
       [](auto& g) {
         g.mutable_nodes(3)->mutable_sink()->mutable_schema()->mutable_fields()->RemoveLast();
       }},
      {"nobody takes the rows of node 3 'Window'",
       [](auto& g) {
         g.mutable_edges()->RemoveLast();
         g.mutable_nodes()->RemoveLast();
       }},
      {"node 4 'Sink hourly' has no input",
       [](auto& g) {
         g.mutable_edges()->RemoveLast();
         g.mutable_nodes()->SwapElements(2, 3);
         g.mutable_nodes()->RemoveLast();
         g.mutable_edges()->RemoveLast();
         g.mutable_nodes(1)->mutable_native();
         g.mutable_nodes(1)->clear_output();
       }},
      {"takes one input, but has 2",
       [](auto& g) {
         *g.add_edges() = g.edges(2);
         g.mutable_edges(3)->set_to_input(1);
       }},
      {"has an input 2, but not all before it",
       [](auto& g) {
         *g.add_edges() = g.edges(2);
         g.mutable_edges(3)->set_to_input(2);
       }},
      {"a watermark without a rowtime",
       [](auto& g) { g.mutable_nodes(0)->mutable_source()->clear_rowtime(); }},
      {"the rowtime 'origin' is not a TIMESTAMP",
       [](auto& g) { g.mutable_nodes(0)->mutable_source()->set_rowtime(1); }},
      {"columns come out of 3 physical and 0 computed ones",
       [](auto& g) { g.mutable_nodes(0)->mutable_output()->mutable_fields()->RemoveLast(); }},
  };
  for (const Case& one : cases) {
    proto::JobGraph graph = sample::flights();
    one.change(graph);
    const Status status = validate(graph);
    ASSERT_FALSE(status.ok()) << "accepted: " << one.message;
    EXPECT_THAT(status.error().message, HasSubstr(one.message));
    EXPECT_THAT(status.error().message, HasSubstr("invalid job graph: "));
  }
}

TEST(Validate, WindowsMayHaveALateOutput) {
  proto::JobGraph graph = sample::flights();
  graph.mutable_nodes(2)->mutable_window_aggregate()->set_emit_late_side_output(true);
  proto::Node* late = sample::add_node(&graph, 5, "late-5", "Late");
  late->mutable_native()->set_factory("collect");
  sample::add_edge(&graph, 3, 5)->set_from_output(1);
  EXPECT_TRUE(validate(graph).ok());
}

}  // namespace
}  // namespace tidemark
