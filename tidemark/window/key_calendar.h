// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tidemark/base/time.h"
#include "tidemark/state/key.h"

namespace tidemark {

/// Copies keys and hashes of `rows`, which may be in any order, into `to`.
void gather_keys(const KeyBatch& from, std::span<const std::uint32_t> rows, KeyBatch& to);
/// The i-th key as an entry that points into `keys`.
KeyedEntry entry_of(const KeyBatch& keys, std::size_t i, const std::byte* value = nullptr);
/// Whether key `a` stands before `b` of equal hash.
bool key_before(const KeyBatch& keys, std::size_t a, std::size_t b);

/// When to look at which key: a calendar whose pages are `page` milliseconds long. Adding costs a
/// place on a page, and only the page that is due is put in order. Holds no state of its own: it is
/// made again from the keyed state that it serves. One thread.
class KeyCalendar {
 public:
  KeyCalendar(KeyEncoding encoding, Millis page);

  /// Notes the key of `row`. The same key and time may be noted again.
  void add(EventTime time, const KeyBatch& keys, std::size_t row);
  void add(EventTime time, const KeyedEntry& entry);

  bool empty() const noexcept { return pages_.empty(); }
  /// The earliest time noted; kMaxTime when there is none.
  EventTime next() const noexcept;

  /// What is due, in no order, with the hashes of its keys.
  struct Due {
    std::vector<EventTime> times;
    KeyBatch keys;
    EventTime page_last = kMinTime;  // the last time of the page
  };
  /// Takes what is noted for `limit` and earlier off the first page. False when there is nothing.
  bool take(EventTime limit, Due& due);

 private:
  struct Note {
    EventTime time;
    std::uint32_t key;
  };
  struct Page {
    std::vector<Note> notes;  // a heap, the earliest in front
    std::vector<std::uint64_t> fixed;
    std::string bytes;
    std::vector<std::uint64_t> ends;  // of variable keys in `bytes`
  };
  static bool later(const Note& a, const Note& b) noexcept { return a.time > b.time; }
  void note(Page& page, EventTime time) const;
  void append(const Page& page, const Note& note, Due& due) const;

  KeyEncoding encoding_;
  Millis page_length_;
  std::map<std::int64_t, Page> pages_;
  std::int64_t last_page_ = 0;  // where the last note went: often the next one's
  Page* last_ = nullptr;
};

}  // namespace tidemark
