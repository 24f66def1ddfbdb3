// SPDX-License-Identifier: Apache-2.0
//
// What a snapshot of keyed state in memory costs: how long rows wait when it is made, how fast they
// are processed until it is written, and how long a restore takes. Updates go through the state's
// own interface, so this is the state alone: no window, no task.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "bench/key_stream.h"
#include "bench/measure.h"
#include "tidemark/base/executor.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/state/memory_snapshot.h"

namespace tidemark::bench {
namespace {

constexpr StateNamespace kNamespace = 0;
// As a task does it: a step of 1 MiB after each poll, which takes up to 16 batches.
constexpr std::size_t kStepBytes = std::size_t{1} << 20;
constexpr std::size_t kBatchesAStep = PollBudget{}.batches_max;

struct Totals {
  std::int64_t sum;
  std::int64_t count;
};

class TotalsOperations final : public ValueOperations {
 public:
  std::size_t width() const override { return sizeof(Totals); }
  bool is_plain() const override { return true; }
  void destroy(std::byte*) const noexcept override {}
  void encode(const std::byte*, ByteWriter&) const override {}
  void decode(ByteReader&, std::byte*) const override {}
};

// A table of totals by key, updated by the batch.
class TotalsTable {
 public:
  TotalsTable()
      : backend_(make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism)),
        table_(&backend_->open_table({.name = "totals",
                                      .key_encoding = KeyEncoding::kFixed8,
                                      .values = std::make_shared<TotalsOperations>(),
                                      .schema = "SUM, COUNT"})),
        codec_({kKeyColumn}, {DataType::big_int().with_nullable(false)}) {}

  void update(const Batch& batch) {
    codec_.encode(batch, keys_);
    rows_.resize(batch.rows());
    std::iota(rows_.begin(), rows_.end(), RowIndex{0});
    entries_.resize(batch.rows());
    table_->find_or_insert(kNamespace, keys_, rows_, entries_);
    const auto* values = batch.column(kValueColumn).values<std::int64_t>();
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      auto* totals = reinterpret_cast<Totals*>(entries_[row]);
      totals->sum += values[row];
      ++totals->count;
    }
  }

  std::uint64_t checksum() {
    std::uint64_t sum = 0;
    std::vector<TableScan::Entry> entries(1'024);
    const std::unique_ptr<TableScan> scan = table_->scan(kNamespace);
    while (const std::size_t found = scan->next(entries)) {
      for (std::size_t i = 0; i < found; ++i) {
        Totals totals;
        std::memcpy(&totals, entries[i].value, sizeof totals);
        sum += mix(entries[i].fixed_key) * static_cast<std::uint64_t>(totals.sum + totals.count);
      }
    }
    return sum;
  }

  KeyedStateBackend& backend() { return *backend_; }
  std::size_t entries() const { return table_->entries(); }

 private:
  std::unique_ptr<KeyedStateBackend> backend_;
  KeyedTable* table_;
  KeyCodec codec_;
  KeyBatch keys_;
  std::vector<RowIndex> rows_;
  std::vector<std::byte*> entries_;
};

// Takes what is written as a file's buffer does, without keeping it.
class BufferWriter final : public SnapshotWriter {
 public:
  void declare(const StateDescriptor&) override {}
  void write_keyed(std::string_view, KeyGroup, std::string_view entries) override {
    buffer_.assign(entries);
  }
  void write_operator(std::string_view, std::string_view) override {}
  void attach(std::unique_ptr<SnapshotFiles>) override {}

 private:
  std::string buffer_;
};

double milliseconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

// Processor time of each batch, in nanoseconds.
class BatchTimes {
 public:
  template <typename Work>
  void time(std::size_t rows, const Work& work) {
    const std::int64_t begin = cpu_time_ns(CpuTime::kThread);
    work();
    ns_.push_back(cpu_time_ns(CpuTime::kThread) - begin);
    rows_ += rows;
  }
  void add(const BatchTimes& more) {
    ns_.insert(ns_.end(), more.ns_.begin(), more.ns_.end());
    rows_ += more.rows_;
  }
  double rows_per_second() const {
    return static_cast<double>(rows_) * 1e9 /
           static_cast<double>(std::accumulate(ns_.begin(), ns_.end(), std::int64_t{1}));
  }
  double percentile_ms(double fraction) {
    std::sort(ns_.begin(), ns_.end());
    return milliseconds(
        ns_[static_cast<std::size_t>(static_cast<double>(ns_.size() - 1) * fraction)]);
  }
  std::size_t batches() const { return ns_.size(); }

 private:
  std::vector<std::int64_t> ns_;
  std::size_t rows_ = 0;
};

struct Measured {
  BatchTimes without;
  BatchTimes during;
  std::vector<double> pauses_ms;
};

// Fills the table so that every key is in it, whatever the stream draws.
void fill(TotalsTable& table, std::size_t keys) {
  KeyStreamOptions options{.rows = keys * 3, .keys = keys, .batch_rows = kDefaultBatchRows};
  const KeyStream stream(options);
  for (const BatchPtr& batch : stream.batches()) table.update(*batch);
}

// One snapshot with rows between its steps, after as many rows without one. Returns whether what
// was written is the state of the moment at which it was made.
bool measure_round(TotalsTable& table, const KeyStream& stream, Measured& measured, Bench& bench,
                   const std::string& race, bool last) {
  for (const BatchPtr& batch : stream.batches())
    measured.without.time(batch->rows(), [&] { table.update(*batch); });

  const std::uint64_t expected = table.checksum();
  MemorySnapshot kept;
  BufferWriter dropped;
  SnapshotWriter& writer = last ? static_cast<SnapshotWriter&>(kept) : dropped;
  const std::int64_t begin = cpu_time_ns(CpuTime::kThread);
  std::unique_ptr<SnapshotPart> part = table.backend().snapshot(SnapshotKind::kCheckpoint);
  measured.pauses_ms.push_back(milliseconds(cpu_time_ns(CpuTime::kThread) - begin));
  std::size_t batches = 0;
  BatchTimes times;
  for (bool done = false; !done; ++batches) {
    const Batch& batch = *stream.batches()[batches % stream.batches().size()];
    times.time(batch.rows(), [&] {
      table.update(batch);
      if (batches % kBatchesAStep == 0) done = part->step(writer, kStepBytes);
    });
  }
  part.reset();
  if (!last) {
    measured.during.add(times);
    return true;
  }

  TotalsTable restored;
  const std::int64_t restore_begin = cpu_time_ns(CpuTime::kThread);
  restored.backend().restore(MemorySnapshotReader(kept));
  bench.report(race, "restore", milliseconds(cpu_time_ns(CpuTime::kThread) - restore_begin), "ms");
  bench.report(race, "entries", static_cast<double>(restored.entries()), "");
  bench.report(race, "batches until it was written", static_cast<double>(batches), "");
  return restored.checksum() == expected;
}

int run(int argc, char** argv) {
  Bench bench("snapshot", argc, argv);
  bool sound = true;
  for (const bool zipf : {false, true}) {
    const std::size_t keys = bench.size(10'000'000, 20'000);
    const std::string race =
        std::to_string(keys) + " keys, updates " + (zipf ? "Zipf 1.1" : "uniform");
    if (!bench.wants(race)) continue;
    std::printf("\nsnapshot: %s\n", race.c_str());
    TotalsTable table;
    fill(table, keys);
    const KeyStream stream({.rows = bench.size(4'000'000, 40'000),
                            .keys = keys,
                            .zipf = zipf,
                            .batch_rows = kDefaultBatchRows});
    Measured measured;
    const std::size_t rounds = bench.size(5, 2);
    for (std::size_t round = 0; round < rounds; ++round)
      sound &= measure_round(table, stream, measured, bench, race, round + 1 == rounds);

    std::sort(measured.pauses_ms.begin(), measured.pauses_ms.end());
    const double without = measured.without.rows_per_second();
    const double during = measured.during.rows_per_second();
    bench.report(race, "synchronous pause, median",
                 measured.pauses_ms[measured.pauses_ms.size() / 2], "ms");
    bench.report(race, "synchronous pause, longest", measured.pauses_ms.back(), "ms");
    bench.report(race, "updates without a snapshot", without / 1e6, "M rows/s");
    bench.report(race, "updates while one is written", during / 1e6, "M rows/s");
    bench.report(race, "while / without (goal 0.5)", during / without, "");
    for (const auto& [name, fraction] : {std::pair{"p50", 0.5}, {"p99", 0.99}, {"max", 1.0}}) {
      bench.report(race, std::string("a batch of 1,024 rows without, ") + name,
                   measured.without.percentile_ms(fraction), "ms");
      bench.report(race, std::string("a batch, or one and a step, ") + name,
                   measured.during.percentile_ms(fraction), "ms");
    }
  }
  if (!sound) std::printf("snapshot: what was written is not the state of its moment\n");
  return sound ? bench.finish() : 1;
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
