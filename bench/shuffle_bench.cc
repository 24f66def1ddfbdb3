// SPDX-License-Identifier: Apache-2.0
//
// The hash shuffle's kernel on one core: batches cut by the key groups of their rows, beside a loop
// by hand that orders the row numbers by target and gathers column by column into reused memory.
// Both hash with the engine's specified hash, so that both make the same parts.
#include <cstring>
#include <string>

#include "bench/measure.h"
#include "tidemark/base/hash.h"
#include "tidemark/base/random.h"
#include "tidemark/runtime/partitioner.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kNumbers = 3;
constexpr std::size_t kTextBytes = 20;

SchemaPtr shuffled_schema(bool text) {
  const DataType number = DataType::big_int().with_nullable(false);
  std::vector<Field> fields = {{"key", number}, {"value", number}, {"at", number}};
  if (text) fields.push_back({"text", DataType::string().with_nullable(false)});
  return make_schema(std::move(fields));
}

std::vector<BatchPtr> make_rows(std::size_t batches, std::size_t batch_rows, bool text) {
  Random random(5);
  const SchemaPtr schema = shuffled_schema(text);
  std::vector<BatchPtr> result;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    std::vector<ColumnPtr> columns;
    for (const Field& field : schema->fields) {
      ColumnBuilder builder(field.type);
      for (std::size_t row = 0; row < batch_rows; ++row) {
        if (field.type.kind == TypeKind::kString)
          builder.append_string(std::string(kTextBytes, static_cast<char>('a' + random.below(26))));
        else
          builder.append(static_cast<std::int64_t>(random.next()));
      }
      columns.push_back(builder.finish());
    }
    result.push_back(std::make_shared<const Batch>(schema, batch_rows, std::move(columns)));
  }
  return result;
}

// Of one part; depends on which rows are in which part.
std::uint64_t checksum_of(std::size_t target, const std::int64_t* numbers, std::size_t rows,
                          std::size_t text_bytes) {
  std::uint64_t sum = text_bytes;
  for (std::size_t row = 0; row < rows; ++row) sum += static_cast<std::uint64_t>(numbers[row]);
  return sum * (target + 1);
}

class HandShuffle {
 public:
  HandShuffle(std::size_t targets, std::size_t batch_rows)
      : targets_(targets),
        hashes_(batch_rows),
        target_of_row_(batch_rows),
        ordered_(batch_rows),
        begins_(targets + 1),
        numbers_(batch_rows * kNumbers),
        offsets_(batch_rows + 1),
        bytes_(batch_rows * kTextBytes) {}

  std::uint64_t run(const Batch& batch) {
    order(batch);
    for (std::size_t column = 0; column < kNumbers; ++column) {
      const auto* from = batch.column(column).values<std::int64_t>();
      std::int64_t* to = numbers_.data() + column * batch.rows();
      for (std::size_t i = 0; i < batch.rows(); ++i) to[i] = from[ordered_[i]];
    }
    if (batch.columns().size() > kNumbers) gather_text(batch.column(kNumbers), batch.rows());
    std::uint64_t checksum = 0;
    for (std::size_t target = 0, begin = 0; target < targets_; ++target) {
      const std::size_t end = begins_[target];
      const std::size_t text = batch.columns().size() > kNumbers
                                   ? static_cast<std::size_t>(offsets_[end] - offsets_[begin])
                                   : 0;
      checksum += checksum_of(target, numbers_.data() + batch.rows() + begin, end - begin, text);
      begin = end;
    }
    return checksum;
  }

 private:
  // Row numbers by target, by a counting sort; begins_[t] becomes the end of target t.
  void order(const Batch& batch) {
    stable_hash_u64(reinterpret_cast<const std::uint64_t*>(batch.column(0).bytes()), batch.rows(),
                    hashes_.data());
    std::fill(begins_.begin(), begins_.end(), 0);
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      const KeyGroup group = key_group_of(hashes_[row], kDefaultMaxParallelism);
      target_of_row_[row] = static_cast<std::uint16_t>(group * targets_ / kDefaultMaxParallelism);
      ++begins_[target_of_row_[row] + 1u];
    }
    for (std::size_t target = 0; target < targets_; ++target)
      begins_[target + 1] += begins_[target];
    for (std::size_t row = 0; row < batch.rows(); ++row)
      ordered_[begins_[target_of_row_[row]]++] = static_cast<RowIndex>(row);
  }

  void gather_text(const Column& text, std::size_t rows) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::string_view value = text.string(ordered_[i]);
      offsets_[i] = static_cast<std::int32_t>(at);
      std::memcpy(bytes_.data() + at, value.data(), value.size());
      at += value.size();
    }
    offsets_[rows] = static_cast<std::int32_t>(at);
  }

  std::size_t targets_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint16_t> target_of_row_;
  std::vector<RowIndex> ordered_;
  std::vector<std::size_t> begins_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::int32_t> offsets_;
  std::vector<char> bytes_;
};

std::uint64_t run_engine(KeyGroupPartitioner& partitioner, const BatchPtr& batch,
                         std::vector<BatchPtr>& parts) {
  partitioner.split(batch, parts);
  std::uint64_t checksum = 0;
  for (std::size_t target = 0; target < parts.size(); ++target) {
    if (!parts[target]) continue;
    const Batch& part = *parts[target];
    const std::size_t text =
        part.columns().size() > kNumbers
            ? static_cast<std::size_t>(part.column(kNumbers).offsets()[part.rows()])
            : 0;
    checksum += checksum_of(target, part.column(1).values<std::int64_t>(), part.rows(), text);
  }
  return checksum;
}

void race(Bench& bench, std::size_t targets, std::size_t batch_rows, bool text) {
  const std::string name = std::to_string(targets) + " targets, batches of " +
                           std::to_string(batch_rows) + (text ? ", with a string" : "");
  if (!bench.wants(name)) return;
  const std::size_t batches = bench.size(4'000'000, 20'000) / batch_rows;
  // Few enough to stay near the processor: the kernel is measured, not the memory.
  const std::vector<BatchPtr> input = make_rows(16, batch_rows, text);
  HandShuffle by_hand(targets, batch_rows);
  KeyGroupPartitioner partitioner({0}, {DataType::big_int().with_nullable(false)},
                                  static_cast<std::uint32_t>(targets), kDefaultMaxParallelism);
  std::vector<BatchPtr> parts;
  const auto all = [&](const auto& one) {
    std::uint64_t checksum = 0;
    for (std::size_t i = 0; i < batches; ++i) checksum += one(input[i % input.size()]);
    return checksum;
  };
  bench.run(
      {.name = name,
       .rows = batches * batch_rows,
       .contenders = {{"hand loop",
                       [&] { return all([&](const BatchPtr& b) { return by_hand.run(*b); }); }},
                      {"engine",
                       [&] {
                         return all(
                             [&](const BatchPtr& b) { return run_engine(partitioner, b, parts); });
                       }}},
       .goals = {{"engine", "hand loop", 0.8}}});
}

int run(int argc, char** argv) {
  Bench bench("shuffle", argc, argv);
  for (const bool text : {false, true}) {
    for (const std::size_t targets : {8, 64}) {
      for (const std::size_t batch_rows : {kDefaultBatchRows, kMaxBatchRows})
        race(bench, targets, batch_rows, text);
    }
  }
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
