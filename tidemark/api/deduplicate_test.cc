// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/deduplicate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tidemark/api/stream_harness.h"
#include "tidemark/base/random.h"
#include "tidemark/state/blind_insert.h"

namespace tidemark {
namespace {

using namespace std::chrono_literals;

struct Click {
  std::int64_t id = 0;
  std::string page;

  friend bool operator==(const Click&, const Click&) = default;
};
BOOST_DESCRIBE_STRUCT(Click, (), (id, page))

TEST(DeduplicateTest, KeepsTheFirstOfEachKeyForItsTime) {
  StreamHarness<Click, Click> harness([](Stream<Click> in) {
    return in.key_by([](const Click& click) { return click.id % 10; }).deduplicate(1s);
  });
  harness.push_all({{1, "a"}, {2, "b"}, {11, "c"}, {1, "d"}});
  EXPECT_EQ(harness.take(), (std::vector<Click>{{1, "a"}, {2, "b"}}));
  harness.advance_processing_time(999);
  harness.push({1, "e"});
  EXPECT_TRUE(harness.take().empty()) << "a repeated row does not prolong the time";
  harness.advance_processing_time(1);
  harness.push({1, "f"});
  EXPECT_EQ(harness.take(), (std::vector<Click>{{1, "f"}}));
}

TEST(DeduplicateTest, IsAsAMapOfTimesOverRestoresAtAnyParallelism) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto make = [&] {
      return std::make_unique<StreamHarness<Click, Click>>(
          [](Stream<Click> in) {
            return in.key_by(&Click::id)
                .deduplicate(100ms, {.clock = TimeToLive::Clock::kEventTime});
          },
          StreamHarnessOptions{.parallelism = static_cast<std::uint32_t>(1 + random.below(3))});
    };
    auto harness = make();
    std::map<std::int64_t, EventTime> seen;
    EventTime now = 1;
    harness->advance_watermark(now);
    for (int step = 0; step < 2'000; ++step) {
      now += static_cast<EventTime>(random.below(3));
      harness->advance_watermark(now);
      const Click click{static_cast<std::int64_t>(random.below(50)), std::to_string(step)};
      harness->push(click, now);
      const auto found = seen.find(click.id);
      const bool first = found == seen.end() || found->second + 100 <= now;
      if (first) seen[click.id] = now;
      ASSERT_EQ(harness->take().size(), first ? 1u : 0u);
      if (!random.one_in(200)) continue;
      const std::string snapshot = harness->snapshot();
      harness = make();
      harness->restore(snapshot);
      harness->advance_watermark(now);
    }
  }
}

// ---- With a table that is to be asked as little as may be ----

/// A table behind which reads are counted; what is inserted blindly must not be there.
class CountingTable final : public KeyedTable, public BlindInsert {
 public:
  explicit CountingTable(KeyedTable& table) : table_(table) {}

  void find_or_insert(StateNamespace ns, const KeyBatch& keys, Selection rows,
                      std::span<std::byte*> values, Touch touch) override {
    looked_up += rows.size();
    table_.find_or_insert(ns, keys, rows, values, touch);
  }
  void insert_absent(StateNamespace ns, const KeyBatch& keys, Selection rows,
                     std::span<std::byte*> values) override {
    std::vector<const std::byte*> found(rows.size());
    table_.find(ns, keys, rows, found);
    for (const std::byte* value : found)
      EXPECT_EQ(value, nullptr) << "the filter said never of a key that there is";
    table_.find_or_insert(ns, keys, rows, values, Touch::kKeep);
  }
  void find(StateNamespace ns, const KeyBatch& keys, Selection rows,
            std::span<const std::byte*> values) override {
    table_.find(ns, keys, rows, values);
  }
  void erase(StateNamespace ns, const KeyBatch& keys, Selection rows) override {
    table_.erase(ns, keys, rows);
  }
  std::unique_ptr<TableScan> scan(StateNamespace ns) override { return table_.scan(ns); }
  void drop(StateNamespace ns) override { table_.drop(ns); }
  std::vector<StateNamespace> namespaces() const override { return table_.namespaces(); }
  std::size_t entries() const override { return table_.entries(); }
  std::size_t memory_bytes() const override { return table_.memory_bytes(); }

  std::size_t looked_up = 0;

 private:
  KeyedTable& table_;
};

class CountingBackend final : public KeyedStateBackend {
 public:
  KeyedTable& open_table(const TableDescriptor& table) override {
    return table_.emplace(backend_->open_table(table));
  }
  void advance_time(const StateTime& time) override { backend_->advance_time(time); }
  const StateTime& time() const override { return backend_->time(); }
  std::unique_ptr<SnapshotPart> snapshot(SnapshotKind kind) override {
    return backend_->snapshot(kind);
  }
  void restore(const SnapshotReader& reader) override { backend_->restore(reader); }
  KeyGroupRange key_groups() const override { return backend_->key_groups(); }
  std::size_t memory_bytes() const override { return backend_->memory_bytes(); }
  CountingTable& table() { return *table_; }

 private:
  std::unique_ptr<KeyedStateBackend> backend_ =
      make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism);
  std::optional<CountingTable> table_;
};

class Rows final : public Output {
 public:
  void emit(BatchPtr batch) override { count += batch->rows(); }
  void emit_side(OutputIndex, BatchPtr) override {}
  void emit_watermark(EventTime) override {}
  bool ready() const override { return true; }
  std::size_t count = 0;
};

// Ids over ten times to live, one in ten a repetition: every answer is right, and few reach the
// table that need not.
TEST(DeduplicateTest, TheFilterIsNeverWrongAndSparesTheTable) {
  CountingBackend backend;
  OperatorContext context{.keyed_state = &backend};
  const auto operation =
      make_deduplicate_operator({.key_columns = {0},
                                 .key_types = {schema_of<Click>()->fields[0].type},
                                 .key_schema = "(id BIGINT)",
                                 .ttl = 1'000,
                                 .false_positive_rate = 0.01,
                                 .expected_keys = 1'000});
  operation->open(context);
  Random random(1);
  Rows out;
  std::map<std::int64_t, ProcessingTime> seen;
  std::size_t expected = 0;
  std::size_t repetitions = 0;
  std::vector<std::int64_t> ids;
  for (ProcessingTime now = 0; now < 10'000; now += 10) {
    backend.advance_time({.now = now});
    RecordWriter<Click> writer;
    for (int i = 0; i < 100; ++i) {
      const bool repeats = !ids.empty() && random.one_in(10);
      const std::int64_t id =
          repeats ? ids[ids.size() - 1 - random.below(std::min<std::size_t>(ids.size(), 5'000))]
                  : static_cast<std::int64_t>(random.next());
      ids.push_back(id);
      writer.append({id, ""});
      const auto found = seen.find(id);
      if (found != seen.end() && found->second + 1'000 > now) {
        ++repetitions;
      } else {
        seen[id] = now;
        ++expected;
      }
    }
    operation->process(writer.finish(), 0, out);
    ASSERT_EQ(out.count, expected) << "at " << now;
  }
  const DeduplicateCounts& counts = operation->counts();
  EXPECT_EQ(counts.asked, 100'000u);
  EXPECT_LT(counts.false_positives, counts.asked / 80);
  EXPECT_EQ(backend.table().looked_up, counts.asked - counts.never_seen);
  EXPECT_LT(backend.table().looked_up, repetitions + counts.asked / 80);
}

}  // namespace
}  // namespace tidemark
