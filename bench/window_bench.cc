// SPDX-License-Identifier: Apache-2.0
//
// Rows from memory, by key, 10 s tumbling windows of SUM and COUNT, results to a blackhole, on one
// core: the engine beside two loops written by hand for this query. Rows are up to 5 s out of
// order, and a watermark follows every 1,000 rows. State stays from round to round, so that all
// tables have their size; the first round, which is reported apart, is the one that grows them.
#include <string>

#include "bench/measure.h"
#include "bench/window_loops.h"
#include "tidemark/base/clock.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/window/window_operator.h"

namespace tidemark::bench {
namespace {

SchemaPtr result_schema(const Schema& input) {
  return make_schema({input.fields[kKeyColumn],
                      {"sum", DataType::big_int()},
                      {"count", DataType::big_int().with_nullable(false)},
                      {"window_start", DataType::timestamp(3).with_nullable(false)},
                      {"window_end", DataType::timestamp(3).with_nullable(false)},
                      {"window_time", DataType::timestamp(3).with_nullable(false)}});
}

std::unique_ptr<Operator> make_engine_operator(const KeyStream& stream) {
  WindowAggregateDescription description;
  description.input = stream.schema();
  description.output = result_schema(*stream.schema());
  description.window.window = {.size = kWindowSize, .slide = kWindowSize};
  description.window.key_columns = {kKeyColumn};
  description.window.key_types = {stream.schema()->fields[kKeyColumn].type};
  description.aggregates = {{.function = "SUM", .arguments = {kValueColumn}, .name = "sum"},
                            {.function = "COUNT", .name = "count"}};
  return make_window_aggregate(std::move(description)).or_throw();
}

// Where results end: their checksum, and nothing else.
class Blackhole final : public Output {
 public:
  void emit(BatchPtr batch) override {
    const auto* sums = batch->column(1).values<std::int64_t>();
    const auto* counts = batch->column(2).values<std::int64_t>();
    const auto* starts = batch->column(3).values<std::int64_t>();
    const Column& keys = batch->column(0);
    for (std::size_t row = 0; row < batch->rows(); ++row)
      checksum_.add(checksum_at(keys, row), starts[row], sums[row], counts[row]);
  }
  void emit_side(OutputIndex, BatchPtr) override {}
  void emit_watermark(EventTime) override {}
  bool ready() const override { return true; }

  std::uint64_t take_checksum() { return checksum_.take(); }

 private:
  static std::uint64_t checksum_at(const Column& keys, std::size_t row) {
    if (keys.is_null(row)) return kChecksumOfNull;
    return is_variable_width(keys.kind()) ? checksum_of_key(keys.string(row))
                                          : checksum_of_key(keys.value<std::int64_t>(row));
  }

  ResultChecksum checksum_;
};

// The window operator with its state, driven as a task drives it, on the caller's thread.
class Engine {
 public:
  explicit Engine(const KeyStream& stream)
      : state_(make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism)),
        operator_(make_engine_operator(stream)) {
    context_.uid = "window";
    context_.clock = &clock_;
    context_.keyed_state = state_.get();
    context_.metrics = &metrics_;
    operator_->open(context_);
  }

  std::uint64_t run(const KeyStream& stream) {
    for (std::size_t i = 0; i < stream.batches().size(); ++i) {
      finish(operator_->process(stream.batches()[i], 0, out_));
      finish(operator_->on_watermark(stream.watermarks()[i], out_));
    }
    TIDEMARK_CHECK(metrics_.late_dropped.get() == 0, "no row of a KeyStream is late");
    return out_.take_checksum();
  }

 private:
  void finish(Step step) {
    while (step == Step::kMore) step = operator_->resume(out_);
  }

  ManualClock clock_;
  OperatorMetrics metrics_;
  std::unique_ptr<KeyedStateBackend> state_;
  OperatorContext context_;
  Blackhole out_;
  std::unique_ptr<Operator> operator_;
};

std::uint64_t run_loop(WindowLoop& loop, const KeyStream& stream) {
  for (std::size_t i = 0; i < stream.batches().size(); ++i) {
    loop.process(*stream.batches()[i]);
    loop.on_watermark(stream.watermarks()[i]);
  }
  return loop.take_checksum();
}

std::string name_of(const KeyStreamOptions& options) {
  static const char* const kKinds[] = {"BIGINT NOT NULL", "BIGINT, 1 % NULL", "BIGINT, none NULL",
                                       "STRING of 16 bytes"};
  return std::to_string(options.keys) + " keys, " + (options.zipf ? "Zipf 1.1" : "uniform") + ", " +
         kKinds[static_cast<std::size_t>(options.kind)];
}

// P1 and P1s of the design: at few keys a part of the row loop, from 100,000 keys on of the
// columnar one.
std::vector<Goal> goals_of(const KeyStreamOptions& options) {
  const std::string engine = "engine";
  if (options.kind == KeyKind::kString) return {{engine, "columnar loop", 0.6}};
  if (options.keys < 100'000) return {{engine, "row loop", 0.5}};
  return {{engine, "row loop", 1.0}, {engine, "columnar loop", 0.6}};
}

void race(Bench& bench, const KeyStreamOptions& options) {
  const std::string name = name_of(options);
  if (!bench.wants(name)) return;
  KeyStream stream(options);
  const std::unique_ptr<WindowLoop> rows = make_row_loop(options.kind);
  const std::unique_ptr<WindowLoop> columns = make_columnar_loop(options.kind);
  Engine engine(stream);
  bool first = true;
  bench.run({.name = name,
             .rows = options.rows,
             .prepare =
                 [&] {
                   if (!first) stream.advance();
                   first = false;
                 },
             .contenders = {{"row loop", [&] { return run_loop(*rows, stream); }},
                            {"columnar loop", [&] { return run_loop(*columns, stream); }},
                            {"engine", [&] { return engine.run(stream); }}},
             .goals = goals_of(options)});
}

int run(int argc, char** argv) {
  Bench bench("window", argc, argv);
  const std::size_t rows = bench.size(10'000'000, 20'000);
  for (const KeyKind kind :
       {KeyKind::kFixed, KeyKind::kNullable, KeyKind::kNullableFull, KeyKind::kString}) {
    for (const std::size_t keys : {1'000, 100'000, 10'000'000}) {
      for (const bool zipf : {false, true})
        race(bench, {.rows = rows, .keys = keys, .zipf = zipf, .kind = kind});
    }
  }
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
