// SPDX-License-Identifier: Apache-2.0
//
// Keyed state larger than memory: the rocksdb backend beside the hashmap backend where the keys in
// use fit into its tier, and beside a Get and a Put a row on a RocksDB of the same settings where
// they do not. Processor time counts, of all threads: compactions are part of the price.
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>

#include "bench/key_stream.h"
#include "bench/measure.h"
#include "tidemark/state/memory_snapshot.h"
#include "tidemark/state/rocksdb/database.h"
#include "tidemark/state/rocksdb/rocksdb_backend.h"

namespace tidemark::bench {
namespace {

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

const char* scratch() {
  return "/tmp/tidemark-state-bench";
}

/// Totals by key in a backend, updated by the batch.
class TotalsTable {
 public:
  explicit TotalsTable(std::unique_ptr<KeyedStateBackend> backend)
      : backend_(std::move(backend)),
        table_(&backend_->open_table({.name = "totals",
                                      .key_encoding = KeyEncoding::kFixed8,
                                      .values = std::make_shared<TotalsOperations>(),
                                      .schema = "SUM, COUNT"})),
        codec_({kKeyColumn}, {DataType::big_int().with_nullable(false)}) {}

  std::uint64_t update(const KeyStream& stream) {
    std::uint64_t checksum = 0;
    for (const BatchPtr& batch : stream.batches()) checksum += update(*batch);
    return checksum;
  }

  std::uint64_t update(const Batch& batch) {
    codec_.encode(batch, keys_);
    rows_.resize(batch.rows());
    std::iota(rows_.begin(), rows_.end(), RowIndex{0});
    entries_.resize(batch.rows());
    table_->find_or_insert(0, keys_, rows_, entries_);
    const auto* values = batch.column(kValueColumn).values<std::int64_t>();
    std::uint64_t checksum = 0;
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      auto* totals = reinterpret_cast<Totals*>(entries_[row]);
      totals->sum += values[row];
      ++totals->count;
      checksum += static_cast<std::uint64_t>(totals->sum);
    }
    return checksum;
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

/// The same by a Get and a Put a row.
class PlainRocksdb {
 public:
  explicit PlainRocksdb(std::size_t memory_bytes)
      : database_({.directories = {scratch()}, .memory_bytes = memory_bytes, .tier_bytes = 1}) {}

  std::uint64_t update(const KeyStream& stream) {
    std::uint64_t checksum = 0;
    for (const BatchPtr& batch : stream.batches()) {
      const auto* keys = batch->column(kKeyColumn).values<std::int64_t>();
      const auto* values = batch->column(kValueColumn).values<std::int64_t>();
      for (std::size_t row = 0; row < batch->rows(); ++row)
        checksum += static_cast<std::uint64_t>(update(keys[row], values[row]));
    }
    return checksum;
  }

 private:
  std::int64_t update(std::int64_t key, std::int64_t value) {
    Totals totals{};
    key_ = std::string(16, '\1');
    key_.append(reinterpret_cast<const char*>(&key), sizeof(key));
    slices_.assign(1, key_);
    database_.read(slices_, [&](std::size_t, std::string_view stored) {
      std::memcpy(&totals, stored.data(), sizeof(totals));
    });
    totals.sum += value;
    ++totals.count;
    batch_.Put(key_, {reinterpret_cast<const char*>(&totals), sizeof(totals)});
    database_.write(batch_);
    return totals.sum;
  }

  Database database_;
  rocksdb::WriteBatch batch_;
  std::string key_;
  std::vector<rocksdb::Slice> slices_;
};

constexpr std::size_t kSlotBytes = 32 * 10 / 6;  // of an entry, at the load of a full tier

std::unique_ptr<KeyedStateBackend> make_tiered(std::size_t tier_entries, std::size_t rest) {
  const std::size_t tier = tier_entries * kSlotBytes + (1 << 16);
  return make_rocksdb_backend(
      {0, kDefaultMaxParallelism}, kDefaultMaxParallelism,
      {.directories = {scratch()}, .memory_bytes = tier + rest, .tier_bytes = tier});
}

std::unique_ptr<KeyedStateBackend> make_hashmap() {
  return make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism);
}

KeyStream make_stream(std::size_t rows, std::size_t keys, bool zipf) {
  return KeyStream({.rows = rows, .keys = keys, .zipf = zipf, .batch_rows = kDefaultBatchRows});
}

/// All keys are in the state; those in use fit into the tier.
void race_hot_set(Bench& bench, std::size_t keys) {
  const std::string name = "state of " + std::to_string(keys) + " keys, a tenth in use";
  if (!bench.wants(name)) return;
  const KeyStream all = make_stream(keys * 3, keys, false);
  const KeyStream hot = make_stream(bench.size(4'000'000, 40'000), keys / 10, false);
  TotalsTable hashmap(make_hashmap());
  TotalsTable tiered(make_tiered(keys / 4, std::size_t{256} << 20));
  for (TotalsTable* table : {&hashmap, &tiered}) {
    table->update(all);
    table->update(hot);
  }
  bench.run({.name = name,
             .rows = hot.options().rows,
             .contenders = {{"hashmap", [&] { return hashmap.update(hot); }, CpuTime::kProcess},
                            {"rocksdb", [&] { return tiered.update(hot); }, CpuTime::kProcess}},
             .goals = {{"rocksdb", "hashmap", 0.5}}});
}

/// More keys than the tier holds, beside plain RocksDB.
void race_misses(Bench& bench, std::size_t keys, bool zipf) {
  const std::size_t tier_entries = zipf ? keys * 2 / 100 : keys / 10;
  const std::string name = "state of " + std::to_string(keys) + " keys, " +
                           (zipf ? "Zipf 1.1, tier of 2 %" : "uniform, tier of 10 %");
  if (!bench.wants(name)) return;
  constexpr std::size_t kRest = std::size_t{256} << 20;
  const KeyStream all = make_stream(keys, keys, false);
  const KeyStream some = make_stream(bench.size(400'000, 4'000), keys, zipf);
  TotalsTable tiered(make_tiered(tier_entries, kRest));
  PlainRocksdb plain(kRest + tier_entries * kSlotBytes);
  tiered.update(all);
  plain.update(all);
  tiered.update(some);
  plain.update(some);
  bench.run({.name = name,
             .rows = some.options().rows,
             .contenders = {{"Get + Put", [&] { return plain.update(some); }, CpuTime::kProcess},
                            {"rocksdb", [&] { return tiered.update(some); }, CpuTime::kProcess}},
             .goals = {{"rocksdb", "Get + Put", zipf ? 5.0 : 1.0}}});
}

/// Keeps nothing, as a disk that is infinitely fast.
class NullStore final : public SnapshotFileStore {
 public:
  StoredFile store(const std::string& name, const Source& source) override {
    StoredFile file{name, std::to_string(++files_)};
    for (std::size_t count = piece_.size(); count == piece_.size(); file.bytes += count)
      count = source(piece_);
    bytes_ += file.bytes;
    return file;
  }
  bool holds(const StoredFile&) override { return true; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<std::byte> piece_ = std::vector<std::byte>(std::size_t{256} << 10);
  std::size_t files_ = 0;
  std::size_t bytes_ = 0;
};

class FilesOfASnapshot final : public SnapshotWriter {
 public:
  void declare(const StateDescriptor&) override {}
  void write_keyed(std::string_view, KeyGroup, std::string_view) override {}
  void write_operator(std::string_view, std::string_view) override {}
  void attach(std::unique_ptr<SnapshotFiles> files) override { files_ = std::move(files); }
  std::unique_ptr<SnapshotFiles> files_;
};

double milliseconds(std::int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

/// Checkpoints with rows between their steps: the longest a batch and a step take together, and
/// what is stored.
void measure_checkpoints(Bench& bench, std::size_t keys) {
  const std::string race = "checkpoints of " + std::to_string(keys) + " keys";
  if (!bench.wants(race)) return;
  std::printf("\n%s\n", race.c_str());
  const KeyStream all = make_stream(keys * 3, keys, false);
  const KeyStream some = make_stream(bench.size(1'000'000, 10'000), keys, /*zipf=*/true);
  TotalsTable table(make_tiered(keys / 10, std::size_t{256} << 20));
  table.update(all);
  NullStore store;
  for (int number = 1; number <= 4; ++number) {
    const std::size_t before = store.bytes();
    std::vector<double> times;
    FilesOfASnapshot writer;
    const auto part = table.backend().snapshot(SnapshotKind::kCheckpoint);
    std::size_t batch = 0;
    for (bool done = false; !done; ++batch) {
      const std::int64_t begin = cpu_time_ns(CpuTime::kThread);
      table.update(*some.batches()[batch % some.batches().size()]);
      done = part->step(writer, std::size_t{1} << 20);
      times.push_back(milliseconds(cpu_time_ns(CpuTime::kThread) - begin));
    }
    const std::int64_t begin = cpu_time_ns(CpuTime::kThread);
    const std::vector<StoredFile> files = writer.files_->write(store);
    const double io = milliseconds(cpu_time_ns(CpuTime::kThread) - begin);
    std::size_t full = 0;
    for (const StoredFile& file : files) full += file.bytes;
    std::sort(times.begin(), times.end());
    const std::string at = "checkpoint " + std::to_string(number) + ": ";
    bench.report(race, at + "all files", static_cast<double>(full) / 1e6, "MB");
    bench.report(race, at + "new files", static_cast<double>(store.bytes() - before) / 1e6, "MB");
    bench.report(race, at + "a batch and a step, p50", times[times.size() / 2], "ms");
    bench.report(race, at + "a batch and a step, longest", times.back(), "ms");
    bench.report(race, at + "flush and files, on an I/O thread", io, "ms");
    table.update(some);
  }
}

int run(int argc, char** argv) {
  Bench bench("state", argc, argv);
  const std::size_t keys = bench.size(10'000'000, 20'000);
  race_hot_set(bench, keys);
  race_misses(bench, keys, /*zipf=*/true);
  race_misses(bench, keys, /*zipf=*/false);
  measure_checkpoints(bench, keys);
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
