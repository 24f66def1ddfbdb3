// SPDX-License-Identifier: Apache-2.0
//
// Rows from memory, by key, 10 s tumbling windows of SUM and COUNT, results to a blackhole, on one
// core: the engine beside two loops written by hand for this query. Rows are up to 5 s out of
// order, and a watermark follows every 1,000 rows. State stays from round to round, so that all
// tables have their size; the first round, which is reported apart, is the one that grows them.
#include <string>

#include "bench/measure.h"
#include "bench/window_engine.h"
#include "bench/window_loops.h"

namespace tidemark::bench {
namespace {

std::uint64_t run_loop(WindowLoop& loop, const KeyStream& stream) {
  for (std::size_t i = 0; i < stream.batches().size(); ++i) {
    loop.process(*stream.batches()[i]);
    loop.on_watermark(stream.watermarks()[i]);
  }
  return loop.take_checksum();
}

std::uint64_t run_engine(WindowEngine& engine, const KeyStream& stream) {
  for (std::size_t i = 0; i < stream.batches().size(); ++i) {
    engine.process(stream.batches()[i]);
    engine.on_watermark(stream.watermarks()[i]);
  }
  return engine.take_checksum();
}

std::string name_of(const KeyStreamOptions& options) {
  static const char* const kKinds[] = {"BIGINT NOT NULL", "BIGINT, 1 % NULL", "BIGINT, none NULL",
                                       "STRING of 16 bytes"};
  return std::to_string(options.keys) + " keys, " + (options.zipf ? "Zipf 1.1" : "uniform") + ", " +
         kKinds[static_cast<std::size_t>(options.kind)];
}

// At few keys a part of the row loop, from 100,000 keys on of the columnar one.
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
  WindowEngine engine(stream);
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
                            {"engine", [&] { return run_engine(engine, stream); }}},
             .goals = goals_of(options)});
}

// From an empty table to the last result, so with the growth of tables, which few keys keep small.
void race_whole_job(Bench& bench, const KeyStreamOptions& options) {
  const std::string name = "whole job, " + name_of(options);
  if (!bench.wants(name)) return;
  const KeyStream stream(options);
  const EventTime end = stream.watermarks().back() + 2 * kWindowSize;
  bench.run({.name = name,
             .rows = options.rows,
             .contenders = {{"columnar loop",
                             [&] {
                               const auto loop = make_columnar_loop(options.kind);
                               const std::uint64_t closed = run_loop(*loop, stream);
                               loop->on_watermark(end);
                               return closed + loop->take_checksum();
                             }},
                            {"engine, operator alone",
                             [&] {
                               WindowEngine engine(stream);
                               const std::uint64_t closed = run_engine(engine, stream);
                               engine.on_watermark(end);
                               return closed + engine.take_checksum();
                             }},
                            {"engine, job on the runtime", [&] { return run_window_job(stream); },
                             CpuTime::kProcess}},
             .goals = {{"engine, job on the runtime", "columnar loop", 0.6}}});
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
  for (const std::size_t keys : {1'000, 100'000})
    race_whole_job(bench, {.rows = rows, .keys = keys});
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
