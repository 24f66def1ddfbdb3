// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/options.h"
#include "tidemark/base/result.h"
#include "tidemark/graph/job_graph.pb.h"
#include "tidemark/operator/connector.h"
#include "tidemark/sql/binder_insert.h"
#include "tidemark/sql/relation.h"
#include "tidemark/sql/source_text.h"

namespace tidemark::sql {

/// Lays relations out as the operators of one job. Projections and filters that follow each other
/// become one calc; a table that several queries read is one source.
class Planner {
 public:
  /// All outlive the planner. `options` are those of SET.
  Planner(const SourceText& source, const OptionMap& options, const ConnectorRegistry& connectors)
      : source_(source), options_(options), connectors_(connectors) {}

  Status add_insert(const BoundInsert& insert);
  /// The result goes to the table kResultTable.
  Status add_select(const RelationPtr& query);
  /// The graph of everything added.
  Result<proto::JobGraph> finish(std::string name);

 private:
  /// Rows of a node on their way: a calc that is not yet an operator.
  struct Stream {
    std::size_t node = 0;
    std::vector<ExpressionPtr> columns;  // over the node's output
    std::vector<std::string> names;
    ExpressionPtr filter;  // null: every row
  };
  struct NodeFacts {
    std::vector<Field> output;
    std::uint32_t parallelism = 0;  // 0: the job's default
    bool gives_changes = false;     // its rows update or take back earlier ones
  };

  Result<Stream> plan(const RelationPtr& relation);
  Result<Stream> plan_scan(const Relation& relation);
  Result<Stream> plan_project(const Relation& relation);
  Result<Stream> plan_filter(const Relation& relation);
  // planner_window.cc
  Result<Stream> plan_window(const Relation& relation);
  Result<Stream> plan_aggregate(const Relation& relation);
  /// The rows that an aggregation takes, before they are cut into windows: its input planned
  /// without the window columns of a HOP, CUMULATE or SESSION that it reads for its windows alone.
  Result<Stream> plan_without_windows(const RelationPtr& relation);
  /// The columns of an aggregation's input: its keys, and how far its others have moved.
  struct AggregateColumns {
    std::vector<std::size_t> keys;
    std::size_t shift = 0;
  };
  AggregateColumns aggregate_columns(const Relation& relation) const;
  /// `attached`: the input's last columns are window_start and window_time of windows that its rows
  /// are in already.
  Result<Stream> add_aggregate(const Relation& relation, std::size_t input, std::size_t time_column,
                               bool attached);
  Status set_emission(const Relation& relation, proto::WindowAggregateSpec& spec) const;
  std::size_t add_expand(const Relation& relation, std::size_t input);
  void hash_connect(std::size_t from, std::size_t to, const std::vector<std::size_t>& keys);
  Result<Stream> plan_union(const Relation& relation);
  Stream plan_values(const Relation& relation);

  /// The stream as the output of one node: its own, or a new calc's.
  std::size_t materialize(const Stream& stream, const std::string& owner);
  /// Materializes a stream whose columns `users` should not compute again.
  void settle(Stream& stream, const std::vector<ExpressionPtr>& users, const std::string& owner);
  Stream whole_output(std::size_t node) const;
  void plan_sink(std::size_t input, const std::string& table, const std::vector<Field>& schema,
                 const OptionMap& options, const std::vector<std::size_t>& primary_key);

  proto::Node& add_node(std::string name, std::string uid, std::vector<Field> output,
                        std::uint32_t parallelism);
  void connect(std::size_t from, std::size_t to, std::uint32_t input = 0);
  std::string unique_uid(const std::string& kind, const std::string& owner);
  Result<std::uint32_t> parallelism_option(const Table& table, std::string_view option) const;
  TableOptions table_options(const Table& table) const;
  Error option_error(const Table& table, const Error& error) const;

  const SourceText& source_;
  const OptionMap& options_;
  const ConnectorRegistry& connectors_;
  proto::JobGraph graph_;
  std::vector<NodeFacts> facts_;
  std::map<const Relation*, Stream> planned_;
  std::vector<RelationPtr> kept_;  // what the keys of `planned_` point to
  std::map<std::string, std::size_t> uids_;
  /// The call of a window function that is planned as its input.
  const Relation* window_left_out_ = nullptr;
  std::string owner_;
};

}  // namespace tidemark::sql
