// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/compile.h"

#include <gtest/gtest.h>

#include "tidemark/sql/test_connectors.h"

namespace tidemark::sql {
namespace {

constexpr std::string_view kFlights = R"(
CREATE TABLE flights (
  observed_at TIMESTAMP(3), scheduled_at TIMESTAMP(3), origin STRING, destination STRING,
  delay_minutes INT, distance_miles INT,
  WATERMARK FOR scheduled_at AS scheduled_at - INTERVAL '120' MINUTE
) WITH ('connector' = 'filesystem', 'path' = 'flights.csv', 'format' = 'csv',
        'scan.watermark.emit.strategy' = 'on-event');
CREATE TABLE hourly_delays (
  window_start TIMESTAMP(3), window_end TIMESTAMP(3), origin STRING, flights BIGINT,
  max_delay INT, average_delay DOUBLE
) WITH ('connector' = 'filesystem', 'path' = 'out');
)";

constexpr std::string_view kInsert = R"(
INSERT INTO hourly_delays
SELECT window_start, window_end, origin, COUNT(*), MAX(delay_minutes),
       AVG(CAST(delay_minutes AS DOUBLE))
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(scheduled_at), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, origin;
)";

std::vector<CompiledStatement> compiled(const std::string& text) {
  auto statements = compile(text, "q.sql", test_connectors());
  EXPECT_TRUE(statements.ok()) << statements.error().message;
  return statements.ok() ? std::move(*statements) : std::vector<CompiledStatement>();
}

std::vector<std::string> uids(const proto::JobGraph& graph) {
  std::vector<std::string> result;
  for (const proto::Node& node : graph.nodes()) result.push_back(node.uid());
  return result;
}

TEST(CompileTest, FlightsJob) {
  const auto statements = compiled(std::string(kFlights) + std::string(kInsert));
  ASSERT_EQ(statements.size(), 1u);
  EXPECT_EQ(statements[0].kind, CompiledStatement::Kind::kInsert);
  const proto::JobGraph& graph = statements[0].graph;
  ASSERT_TRUE(validate(graph).ok()) << validate(graph).error().message;
  ASSERT_EQ(uids(graph), (std::vector<std::string>{"source-flights", "calc-hourly_delays",
                                                   "window-hourly_delays-1", "calc-hourly_delays-2",
                                                   "sink-hourly_delays"}));

  const proto::SourceSpec& source = graph.nodes(0).source();
  EXPECT_EQ(source.rowtime(), 1u);
  EXPECT_TRUE(source.watermark().emit_on_event());
  EXPECT_EQ(source.watermark().strategy(), proto::WatermarkSpec::EXPRESSION);
  EXPECT_EQ(source.options().at("format"), "csv");

  const proto::WindowAggregateSpec& window = graph.nodes(2).window_aggregate();
  EXPECT_EQ(window.window().size_millis(), 3'600'000);
  EXPECT_EQ(window.window().slide_millis(), 3'600'000);
  EXPECT_EQ(window.window().offset_millis(), 0);
  EXPECT_EQ(window.keys_size(), 1);
  EXPECT_EQ(window.aggregates_size(), 3);
  EXPECT_EQ(graph.nodes(2).output().fields_size(), 7);

  const proto::Edge& edge = graph.edges(1);
  EXPECT_EQ(edge.partitioning(), proto::Edge::HASH);
  ASSERT_EQ(edge.key_columns_size(), 1);
  EXPECT_EQ(edge.key_columns(0), window.keys(0));
  EXPECT_EQ(graph.edges(0).partitioning(), proto::Edge::FORWARD);
}

TEST(CompileTest, UidsOutliveUnrelatedStatements) {
  const auto alone = compiled(std::string(kFlights) + std::string(kInsert));
  const auto among = compiled(
      std::string(kFlights) + "CREATE TABLE other (a STRING) WITH ('connector' = 'print');\n" +
      "INSERT INTO other SELECT origin FROM flights WHERE delay_minutes > 1;" +
      std::string(kInsert));
  ASSERT_EQ(among.size(), 2u);
  EXPECT_EQ(uids(alone[0].graph), uids(among[1].graph));
  EXPECT_EQ(fingerprint(alone[0].graph), fingerprint(among[1].graph));

  const auto set = compiled(
      std::string(kFlights) + "CREATE TABLE other (a STRING) WITH ('connector' = 'print');\n" +
      "EXECUTE STATEMENT SET BEGIN INSERT INTO other SELECT origin FROM flights;" +
      std::string(kInsert) + "END;");
  ASSERT_EQ(set.size(), 1u);
  for (const std::string& uid : uids(alone[0].graph)) {
    const auto all = uids(set[0].graph);
    EXPECT_NE(std::find(all.begin(), all.end(), uid), all.end()) << uid;
  }
}

TEST(CompileTest, OptionsReachTheJob) {
  const auto statements = compiled(
      "SET 'pipeline.name' = 'delays'; SET 'pipeline.max-parallelism' = '128';"
      "SET 'execution.checkpointing.interval' = '1 s';" +
      std::string(kFlights) + std::string(kInsert));
  ASSERT_EQ(statements.size(), 1u);
  EXPECT_EQ(statements[0].name, "delays");
  EXPECT_EQ(statements[0].graph.name(), "delays");
  EXPECT_EQ(statements[0].graph.max_parallelism(), 128u);
  EXPECT_EQ(statements[0].graph.options().at("execution.checkpointing.interval"), "1 s");
}

TEST(CompileTest, ASelectWritesTheResultTable) {
  const auto statements =
      compiled(std::string(kFlights) + "SELECT origin AS `from`, delay_minutes FROM flights;");
  ASSERT_EQ(statements.size(), 1u);
  EXPECT_EQ(statements[0].kind, CompiledStatement::Kind::kSelect);
  const proto::JobGraph& graph = statements[0].graph;
  const proto::SinkSpec& sink = graph.nodes(graph.nodes_size() - 1).sink();
  EXPECT_EQ(sink.table(), kResultTable);
  EXPECT_EQ(sink.options().at("connector"), kResultConnector);
  EXPECT_EQ(sink.schema().fields(0).name(), "from");
}

TEST(CompileTest, ErrorsSayWhatKindTheyAre) {
  const auto code = [](const std::string& text) {
    const auto result = compile(text, "q.sql", test_connectors());
    EXPECT_FALSE(result.ok()) << text;
    return result.ok() ? ErrorCode::kIo : result.error().code;
  };
  EXPECT_EQ(code("SELEC 1"), ErrorCode::kInvalidSql);
  EXPECT_EQ(code("SELECT a FROM t"), ErrorCode::kInvalidSql);
  EXPECT_EQ(code("SELECT 1 ORDER BY 1"), ErrorCode::kUnsupported);
  EXPECT_EQ(code("CREATE TABLE t (a INT) WITH ('connector' = 'nothing'); SELECT a FROM t"),
            ErrorCode::kInvalidOption);
  EXPECT_EQ(code("SET 'table.local-time-zone' = 'Mars/Olympus'"), ErrorCode::kInvalidOption);
}

TEST(CompileTest, ALongChainOfQueriesIsRefused) {
  std::string text = "WITH q0 AS (SELECT 1 AS a)";
  for (int i = 1; i < 3000; ++i)
    text += ", q" + std::to_string(i) + " AS (SELECT a + RAND() AS a FROM q" +
            std::to_string(i - 1) + ")";
  const auto result = compile(text + " SELECT a FROM q2999", "q.sql", test_connectors());
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("a chain of more than 1000 steps"), std::string::npos)
      << result.error().message.substr(0, 300);
}

TEST(CompileTest, ADeepChainOfQueriesIsPlanned) {
  std::string text = std::string(kFlights) + "WITH q0 AS (SELECT delay_minutes AS a FROM flights)";
  for (int i = 1; i < 300; ++i)
    text += ", q" + std::to_string(i) + " AS (SELECT a + a AS a FROM q" + std::to_string(i - 1) +
            " WHERE a <> " + std::to_string(i) + ")";
  const auto statements = compiled(text + " SELECT a FROM q299;");
  ASSERT_EQ(statements.size(), 1u);
  EXPECT_TRUE(validate(statements[0].graph).ok());
}

TEST(CompileTest, AnEmptyFileHasNoStatements) {
  EXPECT_TRUE(compiled("").empty());
  EXPECT_TRUE(compiled("-- nothing\n;;").empty());
}

}  // namespace
}  // namespace tidemark::sql
