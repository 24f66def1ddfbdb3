// SPDX-License-Identifier: Apache-2.0
//
// SUM and COUNT by key over windows of one hour that slide, on one core: what a row costs when it
// comes and what a window costs when it fires, for slides from a minute down to half a second,
// beside tumbling windows of the same operator and beside a table a window (naive bucketing), in
// which a row is added to every window that holds it. State is that of a full hour before anything
// is timed.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/measure.h"
#include "bench/window_engine.h"
#include "tidemark/state/key.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/window/slices.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kKeys = 10'000;
constexpr Millis kHour = 3'600'000;

/// Every window has its own entries in the same state backend that the engine uses.
class NaiveBuckets {
 public:
  explicit NaiveBuckets(const WindowDescription& window)
      : slices_(window),
        codec_({kKeyColumn}, {DataType::big_int().with_nullable(false)}),
        backend_(make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism)),
        table_(backend_->open_table({.name = "windows", .values = std::make_shared<Totals>()})) {}

  void process(const Batch& batch) {
    codec_.encode(batch, keys_);
    const EventTime* times = batch.event_times();
    const auto* values = batch.column(kValueColumn).values<std::int64_t>();
    std::map<EventTime, std::vector<RowIndex>> rows;
    for (RowIndex row = 0; row < batch.rows(); ++row)
      for (const TimeWindow& window : slices_.windows_of(times[row]))
        rows[window.end].push_back(row);
    for (const auto& [window_end, selected] : rows) {
      entries_.resize(selected.size());
      table_.find_or_insert(window_end, keys_, selected, entries_);
      for (std::size_t i = 0; i < selected.size(); ++i) {
        auto* totals = reinterpret_cast<std::int64_t*>(entries_[i]);
        totals[0] += values[selected[i]];
        ++totals[1];
      }
    }
  }

  void on_watermark(EventTime watermark) {
    std::vector<TableScan::Entry> fired(kDefaultBatchRows);
    for (const StateNamespace window_end : table_.namespaces()) {
      if (window_end > watermark) break;
      const auto scan = table_.scan(window_end);
      while (const std::size_t count = scan->next(fired))
        for (std::size_t i = 0; i < count; ++i) {
          const auto* totals = reinterpret_cast<const std::int64_t*>(fired[i].value);
          checksum_.add(checksum_of_key(static_cast<std::int64_t>(fired[i].fixed_key)),
                        slices_.window_start(window_end), totals[0], totals[1]);
        }
      table_.drop(window_end);
    }
  }
  std::uint64_t take_checksum() { return checksum_.take(); }

 private:
  struct Totals final : ValueOperations {
    std::size_t width() const override { return 16; }
    bool is_plain() const override { return true; }
    void destroy(std::byte*) const noexcept override {}
    void encode(const std::byte*, ByteWriter&) const override {}
    void decode(ByteReader&, std::byte*) const override {}
  };

  Slices slices_;
  KeyCodec codec_;
  std::unique_ptr<KeyedStateBackend> backend_;
  KeyedTable& table_;
  KeyBatch keys_;
  std::vector<std::byte*> entries_;
  ResultChecksum checksum_;
};

template <typename Windows>
std::uint64_t run_naive(Windows& windows, const KeyStream& stream) {
  for (std::size_t i = 0; i < stream.batches().size(); ++i) {
    windows.process(*stream.batches()[i]);
    windows.on_watermark(stream.watermarks()[i]);
  }
  return windows.take_checksum();
}

std::uint64_t run_engine(WindowEngine& engine, const KeyStream& stream) {
  for (std::size_t i = 0; i < stream.batches().size(); ++i) {
    engine.process(stream.batches()[i]);
    engine.on_watermark(stream.watermarks()[i]);
  }
  return engine.take_checksum();
}

// A minute by the second: 60 windows a row, which is as far as the naive way can be waited for.
void race_naive(Bench& bench) {
  const std::string name = "1 min / 1 s, 10000 keys";
  if (!bench.wants(name)) return;
  const WindowDescription windows{.size = 60'000, .slide = 1'000};
  KeyStream stream({.rows = bench.size(1'000'000, 10'000), .keys = kKeys, .rows_per_milli = 10});
  WindowEngine engine(stream, windows, {"SUM", "COUNT"});
  WindowEngine merging(stream, windows, {"SUM", "COUNT", "MAX"});
  NaiveBuckets naive(windows);
  bool first = true;
  bench.run(
      {.name = name,
       .rows = stream.options().rows,
       .prepare =
           [&] {
             if (!first) stream.advance();
             first = false;
           },
       .contenders = {{"a table a window", [&] { return run_naive(naive, stream); }},
                      {"engine, slices in and out", [&] { return run_engine(engine, stream); }},
                      {"engine, two stacks", [&] { return run_engine(merging, stream); }}},
       .goals = {{"engine, slices in and out", "a table a window", 10},
                 {"engine, two stacks", "a table a window", 5}}});
}

struct Cost {
  double row_ns = 0;     // of all
  double update_ns = 0;  // of a row that comes
  double firing_ms = 0;  // of a window that fires
};

/// The cost of a round of the stream, after as many rounds as fill the windows.
Cost measure(WindowEngine& engine, KeyStream& stream, Millis slide, std::size_t rounds_before) {
  for (std::size_t round = 0; round < rounds_before; ++round) {
    run_engine(engine, stream);
    stream.advance();
  }
  std::int64_t updates = 0;
  std::int64_t firings = 0;
  std::size_t windows = 0;
  std::int64_t last = cpu_time_ns(CpuTime::kThread);
  EventTime watermark = stream.watermarks().front();
  for (std::size_t i = 0; i < stream.batches().size(); ++i) {
    engine.process(stream.batches()[i]);
    const std::int64_t updated = cpu_time_ns(CpuTime::kThread);
    engine.on_watermark(stream.watermarks()[i]);
    const std::int64_t fired = cpu_time_ns(CpuTime::kThread);
    updates += updated - last;
    firings += fired - updated;
    last = fired;
    windows += static_cast<std::size_t>(stream.watermarks()[i] / slide - watermark / slide);
    watermark = stream.watermarks()[i];
  }
  const auto rows = static_cast<double>(stream.options().rows);
  return {static_cast<double>(updates + firings) / rows, static_cast<double>(updates) / rows,
          windows == 0 ? 0.0 : static_cast<double>(firings) / 1e6 / static_cast<double>(windows)};
}

void report(Bench& bench, const std::string& name, const Cost& cost) {
  bench.report(name, "rate", 1e3 / cost.row_ns, "M rows/s");
  bench.report(name, "update", cost.update_ns, "ns/row");
  bench.report(name, "firing", cost.firing_ms, "ms/window");
}

// 100,000 rows and 10,000 results a slide, as many as the tumbling windows of 10 s beside have.
void against_tumbling(Bench& bench, const std::vector<std::string>& functions,
                      const std::string& how) {
  const std::string name = "1 h / 10 s, 10000 keys, " + how;
  if (!bench.wants(name)) return;
  const KeyStreamOptions options{
      .rows = bench.size(5'000'000, 20'000), .keys = kKeys, .rows_per_milli = 10};
  const std::size_t filling =
      bench.quick() ? 1 : static_cast<std::size_t>(kHour) * 10 / options.rows + 1;
  std::vector<double> ratios;
  for (int round = 0; round < (bench.quick() ? 1 : 3); ++round) {
    KeyStream stream(options);
    WindowEngine tumbling(stream, {.size = 10'000, .slide = 10'000}, functions);
    const Cost beside = measure(tumbling, stream, 10'000, 1);
    KeyStream again(options);
    WindowEngine sliding(again, {.size = kHour, .slide = 10'000}, functions);
    const Cost cost = measure(sliding, again, 10'000, filling);
    ratios.push_back(beside.row_ns / cost.row_ns);
    if (round > 0) continue;
    report(bench, "tumbling 10 s, " + how, beside);
    report(bench, name, cost);
  }
  std::sort(ratios.begin(), ratios.end());
  bench.report(name, "of the tumbling rate (goal 0.8)", ratios[ratios.size() / 2], "");
}

void sweep(Bench& bench) {
  std::vector<double> updates;
  for (const Millis slide : {60'000, 30'000, 10'000, 5'000, 2'000, 1'000, 500}) {
    const std::string name = "1 h / " + std::to_string(slide) + " ms, 4 rows/ms";
    if (!bench.wants(name)) continue;
    KeyStream stream({.rows = bench.size(2'000'000, 10'000), .keys = kKeys, .rows_per_milli = 4});
    WindowEngine engine(stream, {.size = kHour, .slide = slide}, {"SUM", "COUNT"});
    const std::size_t filling = bench.quick() ? 1 : 8;
    const Cost cost = measure(engine, stream, slide, filling);
    report(bench, name, cost);
    updates.push_back(cost.update_ns);
  }
  if (updates.empty()) return;
  const auto [least, most] = std::minmax_element(updates.begin(), updates.end());
  bench.report("slides of 60 s to 0.5 s", "dearest row over cheapest (goal 1.1)", *most / *least,
               "");
}

int run(int argc, char** argv) {
  Bench bench("sliding", argc, argv);
  race_naive(bench);
  against_tumbling(bench, {"SUM", "COUNT"}, "slices in and out");
  against_tumbling(bench, {"SUM", "COUNT", "MAX"}, "two stacks");
  sweep(bench);
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
