// SPDX-License-Identifier: Apache-2.0
//
// Deduplication: distinct ids with one repetition in ten, within one time to live. The operator
// over the table in memory, beside a hash set; and the filter that stands before a table on disk:
// what it costs, what memory a key takes, and how many of the ids that were never seen it lets
// through to the table.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <unordered_set>
#include <vector>

#include "bench/measure.h"
#include "tidemark/base/random.h"
#include "tidemark/data/record.h"
#include "tidemark/operator/deduplicate.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/state/aging_filter.h"

namespace tidemark::bench {
namespace {

constexpr Millis kDay = 86'400'000;
constexpr std::size_t kBatch = 1'000;

class FirstRows final : public Output {
 public:
  void emit(BatchPtr batch) override {
    const auto* ids = batch->column(0).values<std::int64_t>();
    for (std::size_t i = 0; i < batch->rows(); ++i) sum += mix(static_cast<std::uint64_t>(ids[i]));
  }
  void emit_side(OutputIndex, BatchPtr) override {}
  void emit_watermark(EventTime) override {}
  bool ready() const override { return true; }
  std::uint64_t sum = 0;
};

std::vector<std::int64_t> make_ids(std::size_t rows) {
  Random random(5);
  std::vector<std::int64_t> ids;
  ids.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const bool repeats = i > 0 && random.one_in(10);
    ids.push_back(repeats ? ids[random.below(i)] : static_cast<std::int64_t>(random.next()));
  }
  return ids;
}

std::uint64_t run_set(const std::vector<std::int64_t>& ids) {
  std::unordered_set<std::int64_t> seen;
  std::uint64_t sum = 0;
  for (const std::int64_t id : ids)
    if (seen.insert(id).second) sum += mix(static_cast<std::uint64_t>(id));
  return sum;
}

std::uint64_t run_operator(const std::vector<BatchPtr>& batches) {
  const auto backend = make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism);
  OperatorMetrics metrics;
  OperatorContext context{.keyed_state = backend.get(), .metrics = &metrics};
  const auto operation =
      make_deduplicate_operator({.key_columns = {0},
                                 .key_types = {schema_of<std::int64_t>()->fields[0].type},
                                 .key_schema = "(id BIGINT NOT NULL)",
                                 .ttl = kDay});
  operation->open(context);
  FirstRows out;
  ProcessingTime now = 0;
  for (const BatchPtr& batch : batches) {
    backend->advance_time({.now = now++});
    operation->process(batch, 0, out);
  }
  return out.sum;
}

// The share of ids never seen that the filter does not know to be so.
double measure_filter(Bench& bench, std::size_t keys) {
  AgingFilter filter({.ttl = kDay, .false_positive_rate = 0.01, .expected_keys = keys});
  const std::int64_t begin = cpu_time_ns(CpuTime::kThread);
  std::size_t passed = 0;
  for (std::size_t i = 0; i < keys; ++i) {
    const std::uint64_t hash = mix(i + 1);
    filter.prefetch(mix(i + 17));
    passed += filter.may_contain(hash) ? 1 : 0;
    filter.add(hash, static_cast<std::int64_t>(i * (kDay - 1) / keys));
  }
  const double seconds = static_cast<double>(cpu_time_ns(CpuTime::kThread) - begin) / 1e9;
  const double share = static_cast<double>(passed) / static_cast<double>(keys);
  bench.report("filter", "asked and added", static_cast<double>(keys) / seconds / 1e6, "M rows/s");
  bench.report("filter", "bytes a key",
               static_cast<double>(filter.memory_bytes()) / static_cast<double>(keys), "");
  bench.report("filter", "let through of those never seen (goal 0.01)", share, "");
  return share;
}

int run(int argc, char** argv) {
  Bench bench("deduplicate_bench", argc, argv);
  if (bench.wants("deduplication")) {
    const std::vector<std::int64_t> ids = make_ids(bench.size(20'000'000, 20'000));
    std::vector<BatchPtr> batches;
    for (std::size_t begin = 0; begin < ids.size(); begin += kBatch) {
      RecordWriter<std::int64_t> writer;
      for (std::size_t i = begin; i < std::min(ids.size(), begin + kBatch); ++i)
        writer.append(ids[i]);
      batches.push_back(writer.finish());
    }
    bench.run({.name = "deduplication",
               .rows = ids.size(),
               .contenders = {{"unordered_set", [&] { return run_set(ids); }},
                              {"tidemark", [&] { return run_operator(batches); }}},
               .goals = {{"tidemark", "unordered_set", 2}}});
  }
  if (bench.wants("filter") && measure_filter(bench, bench.size(100'000'000, 100'000)) > 0.012) {
    std::printf("deduplicate: the filter lets through more than it should\n");
    return 1;
  }
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
