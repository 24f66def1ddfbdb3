// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tidemark/graph/job_graph.h"
#include "tidemark/graph/sample_graph.h"

namespace tidemark {
namespace {

using Change = std::function<void(proto::JobGraph&)>;

std::uint64_t after(const Change& change) {
  proto::JobGraph graph = sample::flights();
  change(graph);
  return fingerprint(graph);
}

proto::SourceSpec* source(proto::JobGraph& graph) {
  return graph.mutable_nodes(0)->mutable_source();
}
proto::WindowAggregateSpec* window(proto::JobGraph& graph) {
  return graph.mutable_nodes(2)->mutable_window_aggregate();
}

TEST(Fingerprint, IsTheSameForEver) {
  // A change of this number makes every checkpoint unusable.
  EXPECT_EQ(fingerprint(sample::flights()), 0xdcff31e37c9c80fcull);
}

TEST(Fingerprint, DoesNotSeeWhatMayChange) {
  const Change changes[] = {
      [](auto& g) { g.set_name("other"); },
      [](auto& g) { (*g.mutable_options())["parallelism.default"] = "8"; },
      [](auto& g) { g.mutable_nodes(2)->set_parallelism(4); },
      [](auto& g) { g.mutable_nodes(2)->set_name("renamed"); },
      [](auto& g) { (*source(g)->mutable_options())["scan.rows-per-second"] = "100"; },
      [](auto& g) { (*source(g)->mutable_options())["csv.ignore-parse-errors"] = "true"; },
      [](auto& g) { source(g)->mutable_watermark()->set_emit_on_event(true); },
      [](auto& g) { source(g)->mutable_watermark()->set_idle_after_millis(5); },
      [](auto& g) { (*g.mutable_nodes(3)->mutable_sink()->mutable_options())["sink.x"] = "1"; },
      [](auto& g) {  // other ids
        g.mutable_nodes(3)->set_id(40);
        g.mutable_edges(2)->set_to(40);
      },
      [](auto& g) { g.mutable_edges()->SwapElements(0, 2); },
      [](auto& g) { g.mutable_edges(0)->set_partitioning(proto::Edge::REBALANCE); },
  };
  const std::uint64_t original = fingerprint(sample::flights());
  for (std::size_t i = 0; i < std::size(changes); ++i)
    EXPECT_EQ(after(changes[i]), original) << "change " << i;
}

TEST(Fingerprint, SeesWhatMattersToStateAndOutput) {
  const Change changes[] = {
      [](auto& g) { g.mutable_nodes(2)->set_uid("window-9"); },
      [](auto& g) { window(g)->mutable_window()->set_size_millis(60'000); },
      [](auto& g) { window(g)->mutable_window()->set_offset_millis(1); },
      [](auto& g) { window(g)->mutable_aggregates(1)->set_function("MIN"); },
      [](auto& g) { window(g)->mutable_aggregates()->SwapElements(0, 1); },
      [](auto& g) { window(g)->set_allowed_lateness_millis(1); },
      [](auto& g) { window(g)->mutable_aggregates(0)->set_filter(0); },
      [](auto& g) { source(g)->mutable_watermark()->set_bound_millis(1); },
      [](auto& g) { source(g)->clear_rowtime(); },
      [](auto& g) { (*source(g)->mutable_options())["path"] = "other.csv"; },
      [](auto& g) { (*source(g)->mutable_options())["format"] = "json"; },
      [](auto& g) { (*source(g)->mutable_options())["connector"] = "datagen"; },
      [](auto& g) { g.mutable_nodes(1)->mutable_calc()->mutable_projection(0)->set_column(0); },
      [](auto& g) {
        g.mutable_nodes(1)->mutable_output()->mutable_fields(0)->mutable_type()->set_kind(
            proto::DataType::BIGINT);
      },
      [](auto& g) { g.mutable_edges(1)->set_key_columns(0, 2); },
      [](auto& g) { g.mutable_edges(0)->set_partitioning(proto::Edge::BROADCAST); },
      [](auto& g) { g.mutable_edges(2)->set_from(2); },
      [](auto& g) { g.mutable_edges(2)->set_from_output(1); },
      [](auto& g) { g.mutable_nodes(2)->mutable_native()->set_factory("f"); },
  };
  std::set<std::uint64_t> seen{fingerprint(sample::flights())};
  for (std::size_t i = 0; i < std::size(changes); ++i)
    EXPECT_TRUE(seen.insert(after(changes[i])).second) << "change " << i;
}

TEST(Fingerprint, OfANodeChangesWithItsOwnSpecAlone) {
  const proto::JobGraph before = sample::flights();
  proto::JobGraph now = before;
  window(now)->mutable_window()->set_size_millis(60'000);
  for (int i = 0; i < before.nodes_size(); ++i)
    EXPECT_EQ(fingerprint(before, before.nodes(i)) == fingerprint(now, now.nodes(i)), i != 2) << i;
}

}  // namespace
}  // namespace tidemark
