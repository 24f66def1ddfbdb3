// SPDX-License-Identifier: Apache-2.0
#include "bench/window_loops.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <vector>

#include "bench/huge_array.h"
#include "bench/measure.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kPrefetchSlot = 16;
constexpr std::size_t kPrefetchKey = 8;
constexpr std::size_t kFirstSlots = 4'096;

struct Totals {
  std::int64_t sum = 0;
  std::int64_t count = 0;  // 0: the slot is empty

  void add(std::int64_t value) {
    sum += value;
    ++count;
  }
};

// Keys of 8 bytes, in slots of 24.
class FixedTable {
 public:
  struct Slot {
    std::int64_t key;
    Totals totals;
  };
  using Key = std::int64_t;

  static std::uint64_t hash(Key key) { return mix(static_cast<std::uint64_t>(key)); }
  static Key key_at(const Column& keys, std::size_t row) { return keys.value<std::int64_t>(row); }

  // Makes room for `more` keys: at most half of the slots are taken.
  void reserve(std::size_t more) {
    if ((used_ + more) * 2 <= slots_.size()) return;
    std::size_t count = std::max(kFirstSlots, slots_.size());
    while ((used_ + more) * 2 > count) count *= 2;
    HugeArray<Slot> old(count);
    std::swap(old, slots_);
    for (Slot& slot : old.all()) {
      if (slot.totals.count) *probe(slot.key, hash(slot.key)) = slot;
    }
  }
  void prefetch_slot(std::uint64_t hash) { __builtin_prefetch(&slots_[hash & mask()], 1); }
  void prefetch_key(std::uint64_t) {}

  Totals& find_or_insert(Key key, std::uint64_t hash) {
    Slot* slot = probe(key, hash);
    if (!slot->totals.count) {
      slot->key = key;
      ++used_;
    }
    return slot->totals;
  }

  template <typename Visit>
  void drain(const Visit& visit) {
    for (Slot& slot : slots_.all()) {
      if (slot.totals.count) visit(checksum_of_key(slot.key), slot.totals);
    }
    slots_.clear();
    used_ = 0;
  }

 private:
  std::size_t mask() const { return slots_.size() - 1; }
  Slot* probe(Key key, std::uint64_t hash) {
    std::size_t at = hash & mask();
    while (slots_[at].totals.count && slots_[at].key != key) at = (at + 1) & mask();
    return &slots_[at];
  }

  HugeArray<Slot> slots_;
  std::size_t used_ = 0;
};

// Keys of bytes: their hash in the slot, the bytes in an arena of the window.
class StringTable {
 public:
  struct Slot {
    std::uint64_t hash;
    std::uint32_t offset;
    std::uint32_t length;
    Totals totals;
  };
  using Key = std::string_view;

  static std::uint64_t hash(Key key) { return XXH3_64bits(key.data(), key.size()); }
  static Key key_at(const Column& keys, std::size_t row) { return keys.string(row); }

  void reserve(std::size_t more) {
    if ((used_ + more) * 2 <= slots_.size()) return;
    std::size_t count = std::max(kFirstSlots, slots_.size());
    while ((used_ + more) * 2 > count) count *= 2;
    HugeArray<Slot> old(count);
    std::swap(old, slots_);
    for (Slot& slot : old.all()) {
      if (!slot.totals.count) continue;
      std::size_t at = slot.hash & mask();
      while (slots_[at].totals.count) at = (at + 1) & mask();
      slots_[at] = slot;
    }
  }
  void prefetch_slot(std::uint64_t hash) { __builtin_prefetch(&slots_[hash & mask()], 1); }
  void prefetch_key(std::uint64_t hash) {
    __builtin_prefetch(arena_.data() + slots_[hash & mask()].offset);
  }

  Totals& find_or_insert(Key key, std::uint64_t hash) {
    std::size_t at = hash & mask();
    while (slots_[at].totals.count && !(slots_[at].hash == hash && same(slots_[at], key)))
      at = (at + 1) & mask();
    Slot& slot = slots_[at];
    if (!slot.totals.count) {
      slot.hash = hash;
      slot.offset = append(key);
      slot.length = static_cast<std::uint32_t>(key.size());
      ++used_;
    }
    return slot.totals;
  }

  template <typename Visit>
  void drain(const Visit& visit) {
    for (Slot& slot : slots_.all()) {
      if (slot.totals.count)
        visit(checksum_of_key(Key(arena_.data() + slot.offset, slot.length)), slot.totals);
    }
    slots_.clear();
    used_ = 0;
    arena_used_ = 0;
  }

 private:
  std::size_t mask() const { return slots_.size() - 1; }
  bool same(const Slot& slot, Key key) {
    return slot.length == key.size() &&
           std::memcmp(arena_.data() + slot.offset, key.data(), key.size()) == 0;
  }
  std::uint32_t append(Key key) {
    if (arena_used_ + key.size() > arena_.size()) {
      HugeArray<char> larger(std::max<std::size_t>(1 << 20, arena_.size() * 2));
      if (arena_used_) std::memcpy(larger.data(), arena_.data(), arena_used_);
      arena_ = std::move(larger);
    }
    std::memcpy(arena_.data() + arena_used_, key.data(), key.size());
    const auto offset = static_cast<std::uint32_t>(arena_used_);
    arena_used_ += key.size();
    return offset;
  }

  HugeArray<Slot> slots_;
  HugeArray<char> arena_;
  std::size_t used_ = 0;
  std::size_t arena_used_ = 0;
};

template <typename Table>
struct Window {
  Table table;
  Totals of_null;
};

// The open windows in a ring, and the checksum of those that fired. 5 s of disorder never leave
// more than two windows of 10 s open.
template <typename Table>
class Windows {
 public:
  Window<Table>& at(std::int64_t number) {
    Place& place = open_[static_cast<std::size_t>(number) % kPlaces];
    if (!place.window) {
      place = {number, take_free()};
    }
    TIDEMARK_CHECK(place.number == number, "more windows are open than the ring holds");
    return *place.window;
  }

  void fire(EventTime watermark) {
    while (next_ * kWindowSize + kWindowSize <= watermark) {
      Place& place = open_[static_cast<std::size_t>(next_) % kPlaces];
      if (place.window) {
        emit(next_ * kWindowSize, *place.window);
        free_.push_back(std::move(place.window));
      }
      ++next_;
    }
  }

  ResultChecksum& checksum() { return checksum_; }

 private:
  static constexpr std::size_t kPlaces = 4;
  struct Place {
    std::int64_t number = 0;
    std::unique_ptr<Window<Table>> window;
  };

  std::unique_ptr<Window<Table>> take_free() {
    if (free_.empty()) return std::make_unique<Window<Table>>();
    std::unique_ptr<Window<Table>> window = std::move(free_.back());
    free_.pop_back();
    return window;
  }

  void emit(EventTime start, Window<Table>& window) {
    const auto visit = [&](std::uint64_t key, const Totals& totals) {
      checksum_.add(key, start, totals.sum, totals.count);
    };
    window.table.drain(visit);
    if (window.of_null.count) visit(kChecksumOfNull, window.of_null);
    window.of_null = {};
  }

  std::array<Place, kPlaces> open_;
  std::vector<std::unique_ptr<Window<Table>>> free_;
  std::int64_t next_ = -1;  // the oldest window that has not fired
  ResultChecksum checksum_;
};

template <typename Table>
class RowLoop final : public WindowLoop {
 public:
  void process(const Batch& batch) override {
    const Column& keys = batch.column(kKeyColumn);
    const auto* values = batch.column(kValueColumn).values<std::int64_t>();
    const EventTime* times = batch.event_times();
    for (std::size_t row = 0; row < batch.rows(); ++row) {
      Window<Table>& window = windows_.at(floor_div(times[row], kWindowSize));
      if (keys.is_null(row)) {
        window.of_null.add(values[row]);
        continue;
      }
      window.table.reserve(1);
      const auto key = Table::key_at(keys, row);
      window.table.find_or_insert(key, Table::hash(key)).add(values[row]);
    }
  }
  void on_watermark(EventTime watermark) override { windows_.fire(watermark); }
  std::uint64_t take_checksum() override { return windows_.checksum().take(); }

 private:
  Windows<Table> windows_;
};

template <typename Table>
class ColumnarLoop final : public WindowLoop {
 public:
  void process(const Batch& batch) override {
    const Column& keys = batch.column(kKeyColumn);
    const std::span<const EventTime> times(batch.event_times(), batch.rows());
    hashes_.resize(batch.rows());
    for (std::size_t row = 0; row < batch.rows(); ++row)
      hashes_[row] = Table::hash(Table::key_at(keys, row));
    const auto [low, high] = minmax(times);
    rows_.resize(batch.rows() + kPrefetchSlot);
    for (std::int64_t number = low; number <= high; ++number) {
      const std::size_t count = select(times, number);
      // Past the end, the last row is prefetched again.
      std::fill_n(rows_.begin() + static_cast<std::ptrdiff_t>(count), kPrefetchSlot,
                  static_cast<RowIndex>(batch.rows() - 1));
      if (keys.has_nulls())
        update<true>(batch, windows_.at(number), count);
      else
        update<false>(batch, windows_.at(number), count);
    }
  }
  void on_watermark(EventTime watermark) override { windows_.fire(watermark); }
  std::uint64_t take_checksum() override { return windows_.checksum().take(); }

 private:
  static std::pair<std::int64_t, std::int64_t> minmax(std::span<const EventTime> times) {
    EventTime low = times[0], high = times[0];
    for (const EventTime time : times) {
      low = time < low ? time : low;
      high = time > high ? time : high;
    }
    return {floor_div(low, kWindowSize), floor_div(high, kWindowSize)};
  }

  // The rows of one window into rows_; returns how many.
  std::size_t select(std::span<const EventTime> times, std::int64_t number) {
    const EventTime start = number * kWindowSize;
    std::size_t count = 0;
    for (std::size_t row = 0; row < times.size(); ++row) {
      rows_[count] = static_cast<RowIndex>(row);
      count +=
          static_cast<std::uint64_t>(times[row] - start) < static_cast<std::uint64_t>(kWindowSize);
    }
    return count;
  }

  template <bool kNulls>
  void update(const Batch& batch, Window<Table>& window, std::size_t count) {
    const Column& keys = batch.column(kKeyColumn);
    const auto* values = batch.column(kValueColumn).values<std::int64_t>();
    Table& table = window.table;
    table.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      table.prefetch_slot(hashes_[rows_[i + kPrefetchSlot]]);
      table.prefetch_key(hashes_[rows_[i + kPrefetchKey]]);
      const std::size_t row = rows_[i];
      if (kNulls && keys.is_null(row))
        window.of_null.add(values[row]);
      else
        table.find_or_insert(Table::key_at(keys, row), hashes_[row]).add(values[row]);
    }
  }

  Windows<Table> windows_;
  std::vector<std::uint64_t> hashes_;
  std::vector<RowIndex> rows_;
};

}  // namespace

std::unique_ptr<WindowLoop> make_row_loop(KeyKind kind) {
  if (kind == KeyKind::kString) return std::make_unique<RowLoop<StringTable>>();
  return std::make_unique<RowLoop<FixedTable>>();
}

std::unique_ptr<WindowLoop> make_columnar_loop(KeyKind kind) {
  if (kind == KeyKind::kString) return std::make_unique<ColumnarLoop<StringTable>>();
  return std::make_unique<ColumnarLoop<FixedTable>>();
}

}  // namespace tidemark::bench
