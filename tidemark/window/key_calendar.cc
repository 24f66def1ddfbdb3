// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/key_calendar.h"

#include <algorithm>
#include <cstring>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

// KeyBatch::bytes is this much longer than its keys.
constexpr std::size_t kSlack = 64;

std::string_view fixed_bytes(const std::uint64_t* words) {
  return {reinterpret_cast<const char*>(words), 16};
}

}  // namespace

void gather_keys(const KeyBatch& from, std::span<const std::uint32_t> rows, KeyBatch& to) {
  clear_keys(from.encoding, to);
  if (from.encoding == KeyEncoding::kVariable) to.offsets.push_back(0);
  const std::size_t words = key_words(from.encoding);
  for (const std::uint32_t row : rows) {
    to.hashes.push_back(from.hashes[row]);
    for (std::size_t word = 0; word < words; ++word)
      to.fixed.push_back(from.fixed[words * row + word]);
    if (words > 0) continue;
    to.bytes.append(from.variable(row));
    to.offsets.push_back(static_cast<std::uint32_t>(to.bytes.size()));
  }
  if (words == 0) to.bytes.resize(to.bytes.size() + kSlack);
}

KeyedEntry entry_of(const KeyBatch& keys, std::size_t i, const std::byte* value) {
  switch (keys.encoding) {
    case KeyEncoding::kFixed8: return {keys.fixed[i], {}, value};
    case KeyEncoding::kFixed16: return {0, fixed_bytes(&keys.fixed[2 * i]), value};
    case KeyEncoding::kVariable: break;
  }
  return {0, keys.variable(i), value};
}

bool key_before(const KeyBatch& keys, std::size_t a, std::size_t b) {
  const KeyedEntry left = entry_of(keys, a);
  const KeyedEntry right = entry_of(keys, b);
  if (left.fixed_key != right.fixed_key) return left.fixed_key < right.fixed_key;
  return left.variable_key < right.variable_key;
}

KeyCalendar::KeyCalendar(KeyEncoding encoding, Millis page)
    : encoding_(encoding), page_length_(std::max<Millis>(page, 1)) {}

void KeyCalendar::note(Page& page, EventTime time) const {
  const std::size_t words = key_words(encoding_);
  const std::size_t keys = words > 0 ? page.fixed.size() / words : page.ends.size();
  TIDEMARK_CHECK(keys <= UINT32_MAX, "fewer than 2^32 keys on a page of the calendar");
  page.notes.push_back({time, static_cast<std::uint32_t>(keys - 1)});
  std::push_heap(page.notes.begin(), page.notes.end(), later);
}

void KeyCalendar::add(EventTime time, const KeyBatch& keys, std::size_t row) {
  const std::int64_t number = floor_div(time, page_length_);
  if (last_ == nullptr || number != last_page_) {
    last_ = &pages_[number];
    last_page_ = number;
  }
  Page& page = *last_;
  const std::size_t words = key_words(encoding_);
  for (std::size_t word = 0; word < words; ++word)
    page.fixed.push_back(keys.fixed[words * row + word]);
  if (words == 0) {
    page.bytes.append(keys.variable(row));
    page.ends.push_back(page.bytes.size());
  }
  note(page, time);
}

void KeyCalendar::add(EventTime time, const KeyedEntry& entry) {
  Page& page = pages_[floor_div(time, page_length_)];
  switch (encoding_) {
    case KeyEncoding::kFixed8: page.fixed.push_back(entry.fixed_key); break;
    case KeyEncoding::kFixed16:
      page.fixed.resize(page.fixed.size() + 2);
      std::memcpy(&page.fixed[page.fixed.size() - 2], entry.variable_key.data(), 16);
      break;
    case KeyEncoding::kVariable:
      page.bytes.append(entry.variable_key);
      page.ends.push_back(page.bytes.size());
      break;
  }
  note(page, time);
}

EventTime KeyCalendar::next() const noexcept {
  return pages_.empty() ? kMaxTime : pages_.begin()->second.notes.front().time;
}

bool KeyCalendar::take(EventTime limit, Due& due) {
  due.times.clear();
  clear_keys(encoding_, due.keys);
  if (pages_.empty() || next() > limit) return false;
  const auto first = pages_.begin();
  Page& page = first->second;
  TIDEMARK_CHECK(page.bytes.size() < UINT32_MAX, "keys of less than 4 GiB on a page");
  const auto width = static_cast<__int128>(page_length_);
  const __int128 last = (static_cast<__int128>(first->first) + 1) * width - 1;
  due.page_last = last > kMaxTime ? kMaxTime : static_cast<EventTime>(last);
  if (due.page_last <= limit) {
    for (const Note& note : page.notes) append(page, note, due);
    page.notes.clear();
  }
  while (!page.notes.empty() && page.notes.front().time <= limit) {
    append(page, page.notes.front(), due);
    std::pop_heap(page.notes.begin(), page.notes.end(), later);
    page.notes.pop_back();
  }
  if (page.notes.empty()) {
    if (last_ == &page) last_ = nullptr;
    pages_.erase(first);
  }
  hash_keys(due.keys);
  return true;
}

void KeyCalendar::append(const Page& page, const Note& note, Due& due) const {
  due.times.push_back(note.time);
  KeyedEntry entry;
  switch (encoding_) {
    case KeyEncoding::kFixed8: entry.fixed_key = page.fixed[note.key]; break;
    case KeyEncoding::kFixed16: entry.variable_key = fixed_bytes(&page.fixed[2 * note.key]); break;
    case KeyEncoding::kVariable: {
      const std::uint64_t begin = note.key == 0 ? 0 : page.ends[note.key - 1];
      entry.variable_key = std::string_view(page.bytes).substr(begin, page.ends[note.key] - begin);
      break;
    }
  }
  append_key(entry, due.keys);
}

}  // namespace tidemark
