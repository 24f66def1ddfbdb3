// SPDX-License-Identifier: Apache-2.0
//
// Rows from memory, by key, sessions of SUM and COUNT, results to a blackhole, on one core: the
// engine beside a loop written by hand for this query. A key has a row every 100 ms on average, the
// gap is 300 ms, so a session has 20 rows; rows are up to 50 ms out of order, and a watermark
// follows every 1,000 rows. State stays from round to round.
#include <memory>
#include <string>

#include "bench/measure.h"
#include "bench/session_loop.h"
#include "bench/window_engine.h"

namespace tidemark::bench {
namespace {

constexpr Millis kGap = 300;
constexpr std::size_t kRowEveryMillis = 100;
constexpr Millis kDisorder = 50;

template <typename Contender, typename Process>
std::uint64_t run_through(Contender& contender, const KeyStream& stream, const Process& process) {
  for (std::size_t i = 0; i < stream.batches().size(); ++i) {
    process(stream.batches()[i]);
    contender.on_watermark(stream.watermarks()[i]);
  }
  return contender.take_checksum();
}

void race(Bench& bench, std::size_t rows, std::size_t keys) {
  const std::string name = "sessions, " + std::to_string(keys) + " keys";
  if (!bench.wants(name)) return;
  KeyStream stream({.rows = rows,
                    .keys = keys,
                    .disorder = kDisorder,
                    .rows_per_milli = keys / kRowEveryMillis});
  const std::unique_ptr<WindowLoop> loop = make_session_loop(kGap);
  WindowEngine engine(stream, kGap);
  bool first = true;
  bench.run({.name = name,
             .rows = rows,
             .prepare =
                 [&] {
                   if (!first) stream.advance();
                   first = false;
                 },
             .contenders = {{"columnar loop",
                             [&] {
                               return run_through(*loop, stream, [&](const BatchPtr& batch) {
                                 loop->process(*batch);
                               });
                             }},
                            {"engine",
                             [&] {
                               return run_through(engine, stream, [&](const BatchPtr& batch) {
                                 engine.process(batch);
                               });
                             }}},
             .goals = {{"engine", "columnar loop", 0.5}}});
}

int run(int argc, char** argv) {
  Bench bench("session", argc, argv);
  const std::size_t rows = bench.size(10'000'000, 20'000);
  for (const std::size_t keys : {1'000, 100'000, 1'000'000}) race(bench, rows, keys);
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
