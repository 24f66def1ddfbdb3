// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/key_calendar.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tidemark/base/random.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

KeyBatch fixed_keys(const std::vector<std::uint64_t>& keys) {
  KeyBatch batch;
  clear_keys(KeyEncoding::kFixed8, batch);
  for (const std::uint64_t key : keys) append_key({key, {}, nullptr}, batch);
  hash_keys(batch);
  return batch;
}

std::vector<std::pair<EventTime, std::uint64_t>> take(KeyCalendar& calendar, EventTime limit) {
  KeyCalendar::Due due;
  std::vector<std::pair<EventTime, std::uint64_t>> taken;
  if (calendar.take(limit, due))
    for (std::size_t i = 0; i < due.times.size(); ++i)
      taken.emplace_back(due.times[i], due.keys.fixed[i]);
  std::sort(taken.begin(), taken.end());
  return taken;
}

TEST(KeyCalendarTest, GivesPageByPageWhatIsDue) {
  KeyCalendar calendar(KeyEncoding::kFixed8, 10);
  const KeyBatch keys = fixed_keys({7, 8, 9});
  EXPECT_EQ(calendar.next(), kMaxTime);
  calendar.add(15, keys, 0);
  calendar.add(12, keys, 1);
  calendar.add(-3, keys, 2);
  calendar.add(27, keys, 2);
  EXPECT_EQ(calendar.next(), -3);
  EXPECT_THAT(take(calendar, -4), ElementsAre());
  EXPECT_THAT(take(calendar, 13), ElementsAre(Pair(-3, 9)));
  EXPECT_THAT(take(calendar, 13), ElementsAre(Pair(12, 8)));
  EXPECT_THAT(take(calendar, 13), ElementsAre());
  calendar.add(13, keys, 2);
  EXPECT_THAT(take(calendar, kMaxTime), ElementsAre(Pair(13, 9), Pair(15, 7)));
  EXPECT_THAT(take(calendar, kMaxTime), ElementsAre(Pair(27, 9)));
  EXPECT_TRUE(calendar.empty());
}

TEST(KeyCalendarTest, TimesAtBothEndsOfTime) {
  KeyCalendar calendar(KeyEncoding::kFixed8, 1000);
  const KeyBatch keys = fixed_keys({1});
  calendar.add(kMaxTime, keys, 0);
  calendar.add(kMinTime + 1, keys, 0);
  EXPECT_THAT(take(calendar, 0), ElementsAre(Pair(kMinTime + 1, 1)));
  EXPECT_THAT(take(calendar, kMaxTime - 1), ElementsAre());
  EXPECT_THAT(take(calendar, kMaxTime), ElementsAre(Pair(kMaxTime, 1)));
}

// Keys of every encoding, against a sorted map.
TEST(KeyCalendarTest, GivesBackEveryKeyOnce) {
  const std::vector<std::vector<DataType>> shapes = {{DataType::big_int().with_nullable(false)},
                                                     {DataType::big_int()},
                                                     {DataType::string().with_nullable(false)}};
  for (const std::vector<DataType>& types : shapes) {
    Random random(11);
    const KeyEncoding encoding = key_encoding_of(types);
    KeyCalendar calendar(encoding, 8);
    std::multimap<EventTime, std::string> model;
    EventTime now = 0;
    for (int round = 0; round < 200; ++round) {
      KeyBatch keys;
      clear_keys(encoding, keys);
      std::vector<std::string> texts;
      for (std::size_t i = 0; i < 5; ++i) {
        std::string text(16, static_cast<char>('a' + random.below(20)));
        if (encoding == KeyEncoding::kVariable) text.resize(random.below(40), 'x');
        std::uint64_t word = random.below(1000);
        if (encoding == KeyEncoding::kFixed8) text = std::to_string(word);
        append_key({word, text, nullptr}, keys);
        texts.push_back(text);
      }
      hash_keys(keys);
      for (std::size_t i = 0; i < 5; ++i) {
        const EventTime time = now + static_cast<EventTime>(random.below(60));
        if (random.one_in(2)) {
          calendar.add(time, keys, i);
        } else {
          calendar.add(time, entry_of(keys, i));
        }
        model.emplace(time, texts[i]);
      }
      now += static_cast<EventTime>(random.below(9));
      KeyCalendar::Due due;
      std::multimap<EventTime, std::string> taken;
      EventTime last = kMinTime;
      while (calendar.take(now, due)) {
        ASSERT_EQ(due.times.size(), due.keys.size());
        for (std::size_t i = 0; i < due.times.size(); ++i) {
          EXPECT_GT(due.times[i], last);
          EXPECT_LE(due.times[i], due.page_last);
          const KeyedEntry entry = entry_of(due.keys, i);
          taken.emplace(due.times[i], encoding == KeyEncoding::kFixed8
                                          ? std::to_string(entry.fixed_key)
                                          : std::string(entry.variable_key));
        }
        last = std::min(now, due.page_last);
      }
      std::multimap<EventTime, std::string> expected(model.begin(), model.upper_bound(now));
      model.erase(model.begin(), model.upper_bound(now));
      const auto sorted = [](const std::multimap<EventTime, std::string>& map) {
        std::vector<std::pair<EventTime, std::string>> list(map.begin(), map.end());
        std::sort(list.begin(), list.end());
        return list;
      };
      ASSERT_EQ(sorted(taken), sorted(expected));
    }
  }
}

TEST(KeyCalendarTest, GatheredKeysAreThoseOfTheRows) {
  KeyBatch keys;
  clear_keys(KeyEncoding::kVariable, keys);
  for (const char* text : {"one", "", "three"}) append_key({0, text, nullptr}, keys);
  hash_keys(keys);
  KeyBatch some;
  gather_keys(keys, std::vector<std::uint32_t>{2, 0, 1}, some);
  ASSERT_EQ(some.size(), 3u);
  EXPECT_EQ(some.variable(0), "three");
  EXPECT_EQ(some.variable(2), "");
  EXPECT_THAT(some.hashes, ElementsAre(keys.hashes[2], keys.hashes[0], keys.hashes[1]));
  EXPECT_GE(some.bytes.size(), 8u + 64u);
  EXPECT_TRUE(key_before(keys, 0, 2));
  EXPECT_FALSE(key_before(keys, 2, 2));
}

}  // namespace
}  // namespace tidemark
