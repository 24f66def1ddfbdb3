// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/session_entry.h"

#include <gmock/gmock.h>

#include <cstring>
#include <string>
#include <vector>

#include "tidemark/base/error.h"

namespace tidemark {
namespace {

using ::testing::ElementsAre;

// An accumulator that owns memory: what it holds is counted.
class TextOperations final : public ValueOperations {
 public:
  explicit TextOperations(int& alive) : alive_(alive) {}

  static std::string*& at(std::byte* value) { return *reinterpret_cast<std::string**>(value); }
  void set(std::byte* value, const std::string& text) const {
    at(value) = new std::string(text);
    ++alive_;
  }

  std::size_t width() const override { return sizeof(std::string*); }
  bool is_plain() const override { return false; }
  void destroy(std::byte* value) const noexcept override {
    if (at(value) == nullptr) return;
    delete std::exchange(at(value), nullptr);
    --alive_;
  }
  void encode(const std::byte* value, ByteWriter& out) const override {
    out.put_string(*at(const_cast<std::byte*>(value)));
  }
  void decode(ByteReader& in, std::byte* value) const override {
    set(value, std::string(in.get_string()));
  }

 private:
  int& alive_;
};

class SessionEntryTest : public ::testing::Test {
 protected:
  SessionRef add(EventTime start, EventTime end, const std::string& text) {
    const SessionRef session = set().add({start, end, end});
    operations_->set(session.accumulator, text);
    return session;
  }
  SessionSet set() { return {values_, entry_.data()}; }
  static std::string text_of(const SessionRef& session) {
    return std::to_string(session.span->start) + ":" + std::to_string(session.span->end) + "=" +
           *TextOperations::at(session.accumulator);
  }
  static std::vector<std::string> texts(const std::vector<SessionRef>& sessions) {
    std::vector<std::string> result;
    for (const SessionRef& session : sessions) result.push_back(text_of(session));
    return result;
  }

  int alive_ = 0;
  std::shared_ptr<TextOperations> operations_ = std::make_shared<TextOperations>(alive_);
  SessionValues values_{operations_, 5};
  std::vector<std::byte> entry_ = std::vector<std::byte>(values_.width());
};

TEST_F(SessionEntryTest, KeepsSessionsInTheOrderOfTime) {
  EXPECT_TRUE(set().empty());
  add(20, 30, "b");
  EXPECT_TRUE(set().only_one());
  add(60, 70, "d");
  add(0, 10, "a");
  add(40, 50, "c");
  EXPECT_THAT(texts(set().all()), ElementsAre("0:10=a", "20:30=b", "40:50=c", "60:70=d"));
  EXPECT_EQ(set().newest().start, 60);
  EXPECT_EQ(text_of(set().ending_at(30)), "20:30=b");
  EXPECT_FALSE(set().ending_at(31));
  values_.destroy(entry_.data());
  EXPECT_EQ(alive_, 0);
  EXPECT_TRUE(set().empty());
}

TEST_F(SessionEntryTest, FindsWhatAWindowTouches) {
  for (const EventTime start : {0, 20, 40}) add(start, start + 10, "s");
  EXPECT_EQ(set().touching({11, 19}).size(), 0u);
  EXPECT_EQ(set().touching({10, 19}).size(), 1u) << "an end is touched";
  EXPECT_EQ(set().touching({11, 20}).size(), 1u) << "a start is touched";
  EXPECT_EQ(set().touching({10, 20}).size(), 2u);
  EXPECT_EQ(set().touching({22, 25}).size(), 1u);
  EXPECT_EQ(set().touching({-5, 100}).size(), 3u);
  EXPECT_EQ(set().touching({51, 60}).size(), 0u);
  values_.destroy(entry_.data());
}

TEST_F(SessionEntryTest, RemovesAnyOfThem) {
  for (const EventTime start : {0, 20, 40}) add(start, start + 10, std::to_string(start));
  set().remove(40);
  EXPECT_EQ(text_of(set().ending_at(30)), "20:30=20");
  EXPECT_EQ(set().newest().start, 20) << "the next newest moves up";
  set().remove(0);
  EXPECT_TRUE(set().only_one());
  set().remove(20);
  EXPECT_TRUE(set().empty());
  EXPECT_EQ(alive_, 0);
}

TEST_F(SessionEntryTest, RespansTheNewestAndOthers) {
  add(20, 30, "a");
  add(50, 60, "b");
  set().respan(set().ending_at(30), {10, 35, 30});
  set().respan(set().ending_at(60), {45, 61, 60});
  EXPECT_THAT(texts(set().all()), ElementsAre("10:35=a", "45:61=b"));
  set().remove(10);
  EXPECT_TRUE(set().only_one());
  values_.destroy(entry_.data());
}

TEST_F(SessionEntryTest, FindsWhatIsDue) {
  add(0, 10, "fired");
  set().newest().armed = values_.forgotten_at(10);
  add(12, 20, "grown");
  set().newest().armed = 15;
  add(30, 40, "newest");
  EXPECT_EQ(values_.forgotten_at(10), 15);
  EXPECT_EQ(text_of(set().to_fire_at(15)), "12:20=grown");
  EXPECT_EQ(text_of(set().to_forget_at(15)), "0:10=fired");
  EXPECT_EQ(text_of(set().to_fire_at(40)), "30:40=newest");
  EXPECT_FALSE(set().to_fire_at(20)) << "armed for an earlier time";
  EXPECT_FALSE(set().to_forget_at(25)) << "has not fired";
  values_.destroy(entry_.data());
}

TEST_F(SessionEntryTest, TravelsInSnapshots) {
  add(0, 10, "fired");
  set().newest().armed = values_.forgotten_at(10);
  add(20, 30, "older");
  add(40, 50, "newest");
  ByteWriter out;
  values_.encode(entry_.data(), out);
  values_.destroy(entry_.data());
  // A job that keeps sessions longer.
  const SessionValues longer(operations_, 100);
  ByteReader in(out.view());
  longer.decode(in, entry_.data());
  EXPECT_TRUE(in.at_end());
  EXPECT_THAT(texts(set().all()), ElementsAre("0:10=fired", "20:30=older", "40:50=newest"));
  EXPECT_EQ(set().ending_at(10).span->armed, 110);
  EXPECT_EQ(set().ending_at(30).span->armed, 30);
  longer.destroy(entry_.data());
  EXPECT_EQ(alive_, 0);
}

TEST_F(SessionEntryTest, RefusesDamagedSessions) {
  for (const SessionSpan second : {SessionSpan{5, 20, 20}, SessionSpan{30, 30, 30}}) {
    ByteWriter out;
    out.put(std::uint32_t{2});
    for (const SessionSpan span : {SessionSpan{0, 10, 10}, second}) {
      out.put(span.start);
      out.put(span.end);
      out.put(span.armed);
      out.put_string("text");
    }
    ByteReader in(out.view());
    EXPECT_THROW(values_.decode(in, entry_.data()), Failure);
    values_.destroy(entry_.data());
  }
}

}  // namespace
}  // namespace tidemark
