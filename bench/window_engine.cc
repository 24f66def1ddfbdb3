// SPDX-License-Identifier: Apache-2.0
#include "bench/window_engine.h"

#include <future>
#include <string>

#include "tidemark/expr/proto.h"
#include "tidemark/graph/job_graph.h"
#include "tidemark/runtime/job.h"
#include "tidemark/runtime/threaded_executor.h"
#include "tidemark/window/window_operator.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kTimeColumn = 2;

const std::vector<std::string> kFunctions = {"SUM", "COUNT"};

SchemaPtr result_schema(const Schema& input, const std::vector<std::string>& functions) {
  std::vector<Field> fields = {input.fields[kKeyColumn]};
  for (const std::string& function : functions)
    fields.push_back({function, DataType::big_int().with_nullable(function != "COUNT")});
  for (const char* name : {"window_start", "window_end", "window_time"})
    fields.push_back({name, DataType::timestamp(3).with_nullable(false)});
  return make_schema(std::move(fields));
}

std::vector<AggregateCall> aggregate_calls(const std::vector<std::string>& functions) {
  std::vector<AggregateCall> calls;
  for (const std::string& function : functions) {
    AggregateCall& call = calls.emplace_back();
    call.function = call.name = function;
    if (function != "COUNT") call.arguments = {kValueColumn};
  }
  return calls;
}

std::unique_ptr<Operator> make_engine_operator(const KeyStream& stream,
                                               const WindowDescription& windows, Millis session_gap,
                                               const std::vector<std::string>& functions) {
  WindowAggregateDescription description;
  description.input = stream.schema();
  description.output = result_schema(*stream.schema(), functions);
  description.window.window = windows;
  description.window.key_columns = {kKeyColumn};
  description.window.key_types = {stream.schema()->fields[kKeyColumn].type};
  description.aggregates = aggregate_calls(functions);
  description.session_gap = session_gap;
  return make_window_aggregate(std::move(description)).or_throw();
}

std::uint64_t checksum_at(const Column& keys, std::size_t row) {
  if (keys.is_null(row)) return kChecksumOfNull;
  return is_variable_width(keys.kind()) ? checksum_of_key(keys.string(row))
                                        : checksum_of_key(keys.value<std::int64_t>(row));
}

// Hands out the batches of a KeyStream as they lie in memory.
class StreamReader final : public SplitReader {
 public:
  explicit StreamReader(const KeyStream& stream) : stream_(stream) {}

  ReadResult read(std::size_t) override {
    ReadResult result;
    result.batch = stream_.batches()[next_++];
    if (next_ == stream_.batches().size()) result.state = ReadResult::State::kFinished;
    return result;
  }
  std::string position() const override { return std::to_string(next_); }

 private:
  const KeyStream& stream_;
  std::size_t next_ = 0;
};

class StreamSource final : public Source {
 public:
  explicit StreamSource(const KeyStream& stream) : stream_(stream) {}

  SchemaPtr schema() const override { return stream_.schema(); }
  bool bounded() const override { return true; }
  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override {
    return {{.id = "memory", .payload = {}}};
  }
  std::unique_ptr<SplitReader> open(SourceContext&, const Split&,
                                    const std::optional<std::string>&) const override {
    return std::make_unique<StreamReader>(stream_);
  }

 private:
  const KeyStream& stream_;
};

// Adds what it gets to a checksum that outlives the job.
class ChecksumSink final : public Sink {
 public:
  explicit ChecksumSink(ResultChecksum& checksum) : checksum_(checksum) {}

  std::unique_ptr<SinkWriter> open_writer(SinkContext&) const override {
    return std::make_unique<Writer>(checksum_);
  }
  std::unique_ptr<Committer> open_committer(SinkContext&) const override { return nullptr; }

 private:
  class Writer final : public SinkWriter {
   public:
    explicit Writer(ResultChecksum& checksum) : checksum_(checksum) {}
    void write(const BatchPtr& batch) override { add_results(*batch, checksum_); }
    std::vector<std::string> prepare(CheckpointId) override { return {}; }

   private:
    ResultChecksum& checksum_;
  };

  ResultChecksum& checksum_;
};

proto::Node& add_node(JobGraph& graph, const std::string& name, const Schema* output) {
  proto::Node& node = *graph.plan.add_nodes();
  node.set_id(static_cast<std::uint32_t>(graph.plan.nodes_size()));
  node.set_uid(name);
  node.set_name(name);
  if (output) to_proto(*output, node.mutable_output());
  return node;
}

proto::Edge& add_edge(JobGraph& graph, const proto::Node& from, const proto::Node& to) {
  proto::Edge& edge = *graph.plan.add_edges();
  edge.set_from(from.id());
  edge.set_to(to.id());
  return edge;
}

void describe_window(const Schema& input, proto::WindowAggregateSpec& spec) {
  spec.set_time_column(kTimeColumn);
  to_proto(input.fields[kTimeColumn].type, spec.mutable_time_type());
  spec.mutable_window()->set_size_millis(kWindowSize);
  spec.mutable_window()->set_slide_millis(kWindowSize);
  spec.add_keys(kKeyColumn);
  for (const AggregateCall& call : aggregate_calls(kFunctions))
    to_proto(call, spec.add_aggregates());
}

JobGraph make_graph(const KeyStream& stream, ResultChecksum& checksum) {
  const SchemaPtr results = result_schema(*stream.schema(), kFunctions);
  JobGraph graph;
  graph.plan.set_name("benchmark");
  graph.plan.mutable_nodes()->Reserve(3);  // keeps the references below
  proto::Node& source = add_node(graph, "source", stream.schema().get());
  source.mutable_native()->set_factory("source");
  proto::Node& window = add_node(graph, "window", results.get());
  describe_window(*stream.schema(), *window.mutable_window_aggregate());
  proto::Node& sink = add_node(graph, "sink", nullptr);
  sink.mutable_native()->set_factory("sink");
  proto::Edge& by_key = add_edge(graph, source, window);
  by_key.set_partitioning(proto::Edge::HASH);
  by_key.add_key_columns(kKeyColumn);
  add_edge(graph, window, sink);

  NativeFactory& from = graph.native["source"];
  from.source = std::make_shared<StreamSource>(stream);
  from.watermark = bounded_out_of_orderness(stream.options().disorder);
  graph.native["sink"].sink = std::make_shared<ChecksumSink>(checksum);
  return graph;
}

}  // namespace

void add_results(const Batch& batch, ResultChecksum& checksum) {
  const auto* sums = batch.column(1).values<std::int64_t>();
  const auto* counts = batch.column(2).values<std::int64_t>();
  const auto* starts = batch.column(batch.columns().size() - 3).values<std::int64_t>();
  const Column& keys = batch.column(0);
  for (std::size_t row = 0; row < batch.rows(); ++row)
    checksum.add(checksum_at(keys, row), starts[row], sums[row], counts[row]);
}

WindowEngine::WindowEngine(const KeyStream& stream, Millis session_gap)
    : WindowEngine(stream, {.size = kWindowSize, .slide = kWindowSize}, session_gap, kFunctions) {}

WindowEngine::WindowEngine(const KeyStream& stream, const WindowDescription& windows,
                           const std::vector<std::string>& functions)
    : WindowEngine(stream, windows, 0, functions) {}

WindowEngine::WindowEngine(const KeyStream& stream, const WindowDescription& windows,
                           Millis session_gap, const std::vector<std::string>& functions)
    : state_(make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism)),
      operator_(make_engine_operator(stream, windows, session_gap, functions)) {
  context_.uid = "window";
  context_.clock = &clock_;
  context_.keyed_state = state_.get();
  context_.metrics = &metrics_;
  operator_->open(context_);
}

std::uint64_t WindowEngine::take_checksum() {
  TIDEMARK_CHECK(metrics_.late_dropped.get() == 0, "no row of a KeyStream is late");
  return checksum_.take();
}

std::uint64_t run_window_job(const KeyStream& stream) {
  ResultChecksum checksum;
  SystemClock clock;
  const std::unique_ptr<FileSystem> files = make_local_file_system();
  const std::unique_ptr<Transport> transport = make_local_transport();
  const ConnectorRegistry connectors;
  const std::unique_ptr<Executor> executor =
      make_threaded_executor(clock, {.cores = 1, .io_threads = 1});
  const Environs environs{&clock, executor.get(), transport.get(), files.get(), &connectors};
  std::promise<void> ended;
  const std::unique_ptr<Job> job =
      start_job(make_graph(stream, checksum), {}, environs, [&] { ended.set_value(); }).or_throw();
  ended.get_future().wait();
  const JobReport report = job->report();
  TIDEMARK_CHECK(report.state == JobState::kFinished && report.late_rows == 0,
                 report.failure.c_str());
  return checksum.take();
}

}  // namespace tidemark::bench
