// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "tidemark/base/random.h"
#include "tidemark/state/memory_snapshot.h"
#include "tidemark/state/table_model.h"

namespace tidemark {
namespace {

constexpr Millis kMinute = 60'000;

std::unique_ptr<KeyedStateBackend> make_backend() {
  return make_hashmap_backend({0, kDefaultMaxParallelism}, kDefaultMaxParallelism);
}

TableDescriptor living(const TableKind& kind, const TimeToLive& ttl) {
  TableDescriptor descriptor = table_descriptor(kind);
  descriptor.ttl = ttl;
  return descriptor;
}

class HashmapExpiryTest : public ::testing::TestWithParam<TableKind> {
 protected:
  void put(std::uint64_t key, std::int64_t value, const EventTime* time = nullptr) {
    KeyBatch keys = key_batch(GetParam().encoding, {key});
    keys.times = time;
    std::byte* at = nullptr;
    table_->find_or_insert(0, keys, all_rows(keys), {&at, 1});
    write_value(GetParam(), at, value);
  }
  std::optional<std::int64_t> get(std::uint64_t key) {
    const KeyBatch keys = key_batch(GetParam().encoding, {key});
    const std::byte* at = nullptr;
    table_->find(0, keys, all_rows(keys), {&at, 1});
    if (at == nullptr) return std::nullopt;
    return read_value(GetParam(), at);
  }
  void open(const TimeToLive& ttl) { table_ = &backend_->open_table(living(GetParam(), ttl)); }
  void at(ProcessingTime now, EventTime watermark = kMinTime) {
    backend_->advance_time({.now = now, .watermark = watermark});
  }
  MemorySnapshot snapshot() {
    MemorySnapshot taken;
    taken.take(*backend_->snapshot(SnapshotKind::kSavepoint));
    return taken;
  }
  void restore(const MemorySnapshot& from, const TimeToLive& ttl, const StateTime& time) {
    backend_ = make_backend();
    open(ttl);
    backend_->advance_time(time);
    backend_->restore(MemorySnapshotReader(from));
  }

  std::unique_ptr<KeyedStateBackend> backend_ = make_backend();
  KeyedTable* table_ = nullptr;
};

TEST_P(HashmapExpiryTest, LivesUntilItsTimeToLiveIsOver) {
  open({.ttl = 1000});
  at(5000);
  put(1, 7);
  at(5999);
  EXPECT_EQ(get(1), 7);
  at(6000);
  EXPECT_EQ(get(1), std::nullopt);
  EXPECT_EQ(table_->entries(), 0u) << "what is met and expired is removed";
}

TEST_P(HashmapExpiryTest, WritingFindsANewEntryInThePlaceOfAnExpiredOne) {
  open({.ttl = 1000});
  at(5000);
  put(1, 7);
  at(6000);
  const KeyBatch keys = key_batch(GetParam().encoding, {1, 1});
  std::vector<std::byte*> values(2);
  table_->find_or_insert(0, keys, all_rows(keys), values);
  EXPECT_EQ(read_value(GetParam(), values[0]), 0);
  EXPECT_EQ(values[0], values[1]);
  write_value(GetParam(), values[0], 8);
  at(6999);
  EXPECT_EQ(get(1), 8);
}

TEST_P(HashmapExpiryTest, OnlyWritesRenewUnlessReadsAreToo) {
  open({.ttl = 1000});
  at(0);
  put(1, 7);
  at(900);
  EXPECT_EQ(get(1), 7);
  at(1000);
  EXPECT_EQ(get(1), std::nullopt);

  backend_ = make_backend();
  open({.ttl = 1000, .update = TimeToLive::Update::kOnReadAndWrite});
  at(0);
  put(1, 7);
  at(900);
  EXPECT_EQ(get(1), 7);
  at(1899);
  EXPECT_EQ(get(1), 7);
  at(2899);
  EXPECT_EQ(get(1), std::nullopt);
}

TEST_P(HashmapExpiryTest, LookingAheadForWritingKeepsTheStamp) {
  open({.ttl = 1000});
  at(0);
  put(1, 7);
  at(900);
  const KeyBatch keys = key_batch(GetParam().encoding, {1});
  std::byte* value = nullptr;
  table_->find_or_insert(0, keys, all_rows(keys), {&value, 1}, Touch::kKeep);
  EXPECT_EQ(stamp_of(value), 0);
  renew(value, 900);
  at(1899);
  EXPECT_EQ(get(1), 7);
}

TEST_P(HashmapExpiryTest, AnExpiredEntryShowsUntilItIsCleanedWhereThatIsAskedFor) {
  open({.ttl = 1000, .visibility = TimeToLive::Visibility::kExpiredIfNotCleaned});
  at(0);
  put(1, 7);
  // The hand of the clock has moved past the entry's slot, or not yet: both are right.
  backend_->advance_time({.now = 500});
  EXPECT_EQ(get(1), 7);
  for (int i = 0; i < 4; ++i) at(2000);
  EXPECT_EQ(get(1), std::nullopt) << "cleaned in the background";
}

TEST_P(HashmapExpiryTest, EventTimeIsTheWatermarkAndTheRowsTime) {
  open({.ttl = 1000, .clock = TimeToLive::Clock::kEventTime});
  const EventTime time = 5000;
  put(1, 7, &time);
  at(1'000'000, 5999);
  EXPECT_EQ(get(1), 7);
  const EventTime late = 10;  // a late row touches now, not in the past
  put(2, 8, &late);
  at(1'000'000, 6000);
  EXPECT_EQ(get(1), std::nullopt);
  EXPECT_EQ(get(2), 8);
  at(1'000'000, 6999);
  EXPECT_EQ(get(2), std::nullopt);
}

TEST_P(HashmapExpiryTest, ALifeThatBeganBeforeTheWatermarkIsKnownBeginsWithIt) {
  open({.ttl = 1000, .clock = TimeToLive::Clock::kEventTime});
  put(1, 7);
  at(0, 1'700'000'000'000);
  EXPECT_EQ(get(1), 7);
  at(0, 1'700'000'000'999);
  EXPECT_EQ(get(1), 7);
  at(0, 1'700'000'001'000);
  EXPECT_EQ(get(1), std::nullopt);
}

// B28: 12:00 written, 12:01 saved, 12:12 restored.
TEST_P(HashmapExpiryTest, B28WallClockGoesOnWhileTheJobIsDown) {
  open({.ttl = 10 * kMinute});
  at(0);
  put(1, 7);
  at(1 * kMinute);
  const MemorySnapshot saved = snapshot();
  restore(saved, {.ttl = 10 * kMinute}, {.now = 12 * kMinute});
  EXPECT_EQ(get(1), std::nullopt);
  EXPECT_EQ(table_->entries(), 0u);
}

TEST_P(HashmapExpiryTest, B28EventTimeStandsStillWhileTheJobIsDown) {
  const TimeToLive ttl{.ttl = 10 * kMinute, .clock = TimeToLive::Clock::kEventTime};
  open(ttl);
  at(0, 0);
  put(1, 7);
  at(1 * kMinute, 1 * kMinute);
  const MemorySnapshot saved = snapshot();
  restore(saved, ttl, {.now = 12 * kMinute});
  EXPECT_EQ(get(1), 7);
  at(12 * kMinute, 2 * kMinute);
  EXPECT_EQ(get(1), 7);
  at(12 * kMinute, 10 * kMinute);
  EXPECT_EQ(get(1), std::nullopt);
}

TEST_P(HashmapExpiryTest, B28ALongerTimeToLiveCountsFromTheLastWrite) {
  open({.ttl = 10 * kMinute});
  at(0);
  put(1, 7);
  at(1 * kMinute);
  const MemorySnapshot saved = snapshot();
  restore(saved, {.ttl = 30 * kMinute}, {.now = 12 * kMinute});
  EXPECT_EQ(get(1), 7);
  at(30 * kMinute - 1);
  EXPECT_EQ(get(1), 7);
  at(30 * kMinute);
  EXPECT_EQ(get(1), std::nullopt);
}

TEST_P(HashmapExpiryTest, B28EntriesNeverReadAgainAreGoneAfterACycle) {
  open({.ttl = 1 * kMinute});
  std::vector<std::uint64_t> numbers(30'000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  const KeyBatch keys = key_batch(GetParam().encoding, numbers);
  std::vector<std::byte*> values(keys.size());
  at(0);
  table_->find_or_insert(0, keys, all_rows(keys), values);
  for (std::size_t i = 0; i < values.size(); ++i) write_value(GetParam(), values[i], 1);
  const std::size_t full = table_->memory_bytes();
  for (ProcessingTime now = 0; now <= 5 * kMinute; now += 1000) at(now);
  EXPECT_EQ(table_->entries(), 0u);
  EXPECT_TRUE(table_->namespaces().empty());
  EXPECT_LT(table_->memory_bytes(), full / 5);
  const MemorySnapshot taken = snapshot();
  EXPECT_TRUE(taken.find("counts")->blocks.empty());
}

TEST_P(HashmapExpiryTest, ASnapshotLeavesOutWhatHadExpired) {
  open({.ttl = 1000});
  at(0);
  put(1, 7);
  at(500);
  put(2, 8);
  // One call of advance_time may or may not have removed the first.
  at(1000);
  const MemorySnapshot taken = snapshot();
  restore(taken, {.ttl = 1'000'000}, {.now = 1000});
  EXPECT_EQ(get(1), std::nullopt);
  EXPECT_EQ(get(2), 8);
}

TEST_P(HashmapExpiryTest, ATimeToLiveMayBeAddedAndTakenAway) {
  backend_ = make_backend();
  open({});
  put(1, 7);
  const MemorySnapshot without = snapshot();
  restore(without, {.ttl = 1000}, {.now = 5000});
  EXPECT_EQ(get(1), 7);
  at(5999);
  EXPECT_EQ(get(1), 7);
  const MemorySnapshot with = snapshot();
  restore(with, {}, {.now = 1'000'000});
  EXPECT_EQ(get(1), 7);
  restore(with, {.ttl = 1000}, {.now = 6000});
  EXPECT_EQ(get(1), std::nullopt);
  restore(with, {.ttl = 1000, .clock = TimeToLive::Clock::kEventTime}, {.now = 6000});
  EXPECT_EQ(get(1), 7) << "stamps of the other clock say nothing";
}

// Random touches, clocks and snapshots against a map that keeps a stamp a key.
TEST_P(HashmapExpiryTest, IsAsAMapWithStampsWhateverTheOrder) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const TimeToLive ttl{.ttl = 50};
    backend_ = make_backend();
    open(ttl);
    std::map<std::uint64_t, std::pair<std::int64_t, std::int64_t>> model;  // value, stamp
    std::int64_t now = 0;
    at(now);
    std::unique_ptr<SnapshotPart> part;
    MemorySnapshot taken;
    std::map<std::uint64_t, std::int64_t> frozen;
    for (int step = 0; step < 400; ++step) {
      const std::uint64_t key = random.below(40);
      std::erase_if(
          model, [&](const auto& entry) { return is_expired(entry.second.second, ttl.ttl, now); });
      switch (random.below(6)) {
        case 0:
        case 1:
          put(key, step);
          model[key] = {step, now};
          break;
        case 2:
          now += static_cast<std::int64_t>(random.below(20));
          at(now);
          break;
        case 3: {
          const KeyBatch keys = key_batch(GetParam().encoding, {key});
          table_->erase(0, keys, all_rows(keys));
          model.erase(key);
          break;
        }
        case 4: {
          const auto found = model.find(key);
          ASSERT_EQ(get(key),
                    found == model.end() ? std::nullopt : std::optional(found->second.first));
          break;
        }
        case 5:
          if (part != nullptr) {
            if (!part->step(taken, 200)) break;
            part.reset();
            auto other = make_backend();
            KeyedTable& table = other->open_table(living(GetParam(), {.ttl = 1'000'000}));
            other->advance_time({.now = now});
            other->restore(MemorySnapshotReader(taken));
            ASSERT_EQ(table.entries(), frozen.size());
            for (const auto& [ns_key, value] : contents_of(table, GetParam())) {
              bool known = false;
              for (const auto& [number, expected] : frozen)
                known |=
                    key_text(GetParam().encoding, number) == ns_key.second && value == expected;
              ASSERT_TRUE(known);
            }
          } else {
            taken = MemorySnapshot();
            frozen.clear();
            for (const auto& [number, entry] : model) frozen[number] = entry.first;
            part = backend_->snapshot(SnapshotKind::kSavepoint);
          }
          break;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, HashmapExpiryTest, ::testing::ValuesIn(kTableKinds),
                         [](const auto& chosen) { return kind_name(chosen.param); });

}  // namespace
}  // namespace tidemark
