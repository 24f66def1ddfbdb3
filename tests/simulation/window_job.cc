// SPDX-License-Identifier: Apache-2.0
#include "tests/simulation/window_job.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "tidemark/expr/expression.h"
#include "tidemark/expr/proto.h"

namespace tidemark::simulation {
namespace {

proto::Node* add_node(JobGraph& graph, std::uint32_t id, const std::string& uid) {
  proto::Node* node = graph.plan.add_nodes();
  node->set_id(id);
  node->set_uid(uid);
  node->set_name(uid);
  return node;
}

proto::Edge* add_edge(JobGraph& graph, std::uint32_t from, std::uint32_t to) {
  proto::Edge* edge = graph.plan.add_edges();
  edge->set_from(from);
  edge->set_to(to);
  return edge;
}

Schema input_schema(const Scenario& scenario) {
  return {{{"k", scenario.numeric_keys ? DataType::big_int() : DataType::string()},
           {"v", DataType::big_int()},
           {"at", DataType::timestamp(3)}}};
}

Schema result_schema(const Scenario& scenario) {
  Schema schema{{input_schema(scenario).fields[0]}};
  for (const char* name : {"rows_in", "total", "least", "most"})
    schema.fields.push_back({name, DataType::big_int()});
  for (const char* name : {"window_start", "window_end", "window_time"})
    schema.fields.push_back({name, DataType::timestamp(3)});
  return schema;
}

void add_source(JobGraph& graph, const Scenario& scenario) {
  proto::Node* node = add_node(graph, 1, "events");
  to_proto(input_schema(scenario), node->mutable_output());
  proto::SourceSpec* spec = node->mutable_source();
  spec->set_table("events");
  to_proto(input_schema(scenario), spec->mutable_physical());
  (*spec->mutable_options())["connector"] = "memory";
  (*spec->mutable_options())["scan.record-errors"] = "skip";
  spec->set_rowtime(2);
  proto::WatermarkSpec* watermark = spec->mutable_watermark();
  watermark->set_strategy(proto::WatermarkSpec::BOUNDED_OUT_OF_ORDERNESS);
  watermark->set_bound_millis(scenario.bound);
  // Which rows are late is then the same whatever the batches are.
  watermark->set_emit_on_event(scenario.late_rows);
}

void add_filter(JobGraph& graph, const Scenario& scenario) {
  proto::Node* node = add_node(graph, 2, "filter");
  to_proto(input_schema(scenario), node->mutable_output());
  const ExpressionPtr filter =
      call_expression(
          "<>",
          {column_expression(1, DataType::big_int()),
           literal_expression(Value::of_integer(DataType::big_int(), scenario.filtered_value))})
          .or_throw();
  to_proto(*filter, node->mutable_calc()->mutable_filter());
  node->mutable_calc()->set_project_all(true);
  add_edge(graph, 1, 2);
}

void add_window(JobGraph& graph, const Scenario& scenario) {
  proto::Node* node = add_node(graph, 3, "window");
  to_proto(result_schema(scenario), node->mutable_output());
  proto::WindowAggregateSpec* spec = node->mutable_window_aggregate();
  spec->set_time_column(2);
  to_proto(DataType::timestamp(3), spec->mutable_time_type());
  spec->mutable_window()->set_size_millis(scenario.window);
  spec->mutable_window()->set_slide_millis(scenario.window);
  spec->mutable_window()->set_offset_millis(scenario.offset);
  spec->add_keys(0);
  const std::pair<const char*, const char*> calls[] = {
      {"COUNT", "rows_in"}, {"SUM", "total"}, {"MIN", "least"}, {"MAX", "most"}};
  for (const auto& [function, name] : calls) {
    proto::AggregateCall* call = spec->add_aggregates();
    call->set_function(function);
    call->set_name(name);
    if (std::string_view(function) != "COUNT") call->add_arguments(1);
  }
  proto::Edge* edge = add_edge(graph, 2, 3);
  edge->set_partitioning(proto::Edge::HASH);
  edge->add_key_columns(0);
}

void add_sink(JobGraph& graph, const Scenario& scenario) {
  proto::Node* node = add_node(graph, 4, "out");
  proto::SinkSpec* spec = node->mutable_sink();
  spec->set_table("out");
  to_proto(result_schema(scenario), spec->mutable_schema());
  (*spec->mutable_options())["connector"] = "filesystem";
  (*spec->mutable_options())["path"] = kOutputDirectory;
  (*spec->mutable_options())["format"] = "csv";
  add_edge(graph, 3, 4);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1)
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

std::optional<EventTime> parse_time(const std::string& text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millis = 0;
  const int fields = std::sscanf(text.c_str(), "%d-%d-%d%*1[ T]%d:%d:%d.%3d", &year, &month, &day,
                                 &hour, &minute, &second, &millis);
  if (fields < 6) return std::nullopt;
  // Fractions are printed without trailing zeros.
  if (const auto dot = text.find('.'); dot != std::string::npos)
    for (std::size_t digits = text.size() - dot - 1; digits < 3; ++digits) millis *= 10;
  const std::chrono::sys_days date{std::chrono::year{year} / month / day};
  return date.time_since_epoch().count() * 86'400'000LL +
         ((hour * 60LL + minute) * 60 + second) * 1'000 + millis;
}

Status add_row(const std::string& line, const std::string& path, Results* results) {
  const auto wrong = [&](std::string_view what) {
    return Error{ErrorCode::kInvalidRecord, fmt::format("row '{}' of {} {}", line, path, what)};
  };
  const std::vector<std::string> fields = split(line, ',');
  if (fields.size() != 8) return wrong("has not 8 columns");
  const std::optional<EventTime> start = parse_time(fields[5]);
  const std::optional<EventTime> end = parse_time(fields[6]);
  if (!start || !end || *end <= *start) return wrong("has no window");
  WindowResult result;
  std::int64_t* numbers[] = {&result.count, &result.sum, &result.least, &result.most};
  for (std::size_t i = 0; i < 4; ++i)
    if (std::sscanf(fields[i + 1].c_str(), "%ld", numbers[i]) != 1) return wrong("has no numbers");
  if (!results->emplace(std::pair(fields[0], *start), result).second) return wrong("comes twice");
  return {};
}

bool is_hidden(const std::string& path) {
  const char first = path[path.find_last_of('/') + 1];
  return first == '.' || first == '_';
}

std::vector<FileInfo> list_output(FileSystem& files) {
  return files.exists(kOutputDirectory) ? files.list(kOutputDirectory) : std::vector<FileInfo>();
}

}  // namespace

JobGraph make_window_job(const Scenario& scenario) {
  JobGraph graph;
  graph.plan.set_name("simulated");
  add_source(graph, scenario);
  add_filter(graph, scenario);
  add_window(graph, scenario);
  add_sink(graph, scenario);
  return graph;
}

Result<Results> read_output(FileSystem& files) {
  Results results;
  for (const FileInfo& file : list_output(files)) {
    if (is_hidden(file.path)) continue;
    const std::string contents = read_file(files, file.path);
    if (!contents.empty() && contents.back() != '\n')
      return Error{ErrorCode::kInvalidRecord, fmt::format("{} ends in half a row", file.path)};
    std::vector<std::string> lines = split(contents, '\n');
    lines.pop_back();
    for (const std::string& line : lines) TIDEMARK_TRY(add_row(line, file.path, &results));
  }
  return results;
}

std::vector<std::string> hidden_files(FileSystem& files) {
  std::vector<std::string> names;
  for (const FileInfo& file : list_output(files))
    if (is_hidden(file.path)) names.push_back(file.path);
  return names;
}

}  // namespace tidemark::simulation
