// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/session_firing.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

// Keys looked up at a time, as in the window operator.
constexpr std::size_t kLookUpRows = 512;

using Firing = SessionFiring::Firing;

// By time, then key group (the groups are ranges of hashes), then key.
void sort_firings(const KeyBatch& keys, std::vector<Firing>& firings) {
  const auto before = [&](const Firing& a, const Firing& b) {
    if (a.window.end != b.window.end) return a.window.end < b.window.end;
    if (a.hash != b.hash) return a.hash < b.hash;
    return key_before(keys, a.key, b.key);
  };
  std::sort(firings.begin(), firings.end(), before);
  // A session may have been found twice, by two rows or by two notes of the calendar.
  const auto same = [&](const Firing& a, const Firing& b) { return !before(a, b); };
  firings.erase(std::unique(firings.begin(), firings.end(), same), firings.end());
}

}  // namespace

SessionFiring::SessionFiring(Millis allowed_lateness, Millis page, KeyEncoding encoding,
                             KeyedTable& table, std::shared_ptr<const SessionValues> values,
                             WindowAggregator& aggregator)
    : allowed_lateness_(allowed_lateness),
      table_(table),
      values_(std::move(values)),
      aggregator_(aggregator),
      calendar_(encoding, page) {}

void SessionFiring::arm(SessionSpan& session, const KeyBatch& keys, std::size_t row) {
  if (session.to_fire()) return;
  session.armed = session.end;
  calendar_.add(session.end, keys, row);
}

void SessionFiring::restore(EventTime complete) {
  complete_ = complete;
  entries_.resize(kDefaultBatchRows);
  const std::unique_ptr<TableScan> scan = table_.scan(kSessionNamespace);
  while (const std::size_t count = scan->next(entries_)) {
    for (std::size_t i = 0; i < count; ++i) {
      const SessionSet sessions(*values_, const_cast<std::byte*>(entries_[i].value));  // read only
      for (const SessionRef& session : sessions.all())
        calendar_.add(session.span->armed, entries_[i]);
    }
  }
}

void SessionFiring::begin(EventTime complete) {
  TIDEMARK_CHECK(!active_, "one firing at a time");
  complete_ = std::max(complete_, complete);
  active_ = true;
}

Step SessionFiring::advance(Output& out) {
  for (;;) {
    while (next_firing_ < firings_.size()) {
      const std::size_t count = std::min(kDefaultBatchRows, firings_.size() - next_firing_);
      BatchPtr batch = fire(due_.keys, std::span(firings_).subspan(next_firing_, count));
      next_firing_ += count;
      if (batch == nullptr || batch->rows() == 0) continue;
      out.emit(std::move(batch));
      if (!out.ready()) return Step::kMore;
    }
    if (!refill()) break;
  }
  active_ = false;
  return Step::kDone;
}

// Looks at the sessions for which the first page that is due is noted.
bool SessionFiring::refill() {
  firings_.clear();
  next_firing_ = 0;
  if (!calendar_.take(complete_, due_)) return false;
  for (std::size_t at = 0; at < due_.times.size(); at += kLookUpRows)
    look_at(at, std::min(kLookUpRows, due_.times.size() - at));
  sort_firings(due_.keys, firings_);
  return true;
}

void SessionFiring::look_at(std::size_t first, std::size_t count) {
  rows_.resize(count);
  std::iota(rows_.begin(), rows_.end(), static_cast<RowIndex>(first));
  found_.resize(count);
  table_.find_or_insert(kSessionNamespace, due_.keys, rows_, found_);
  emptied_.clear();
  // Those that end later than this page are noted again, so that they fire in the order of ends.
  const EventTime fires_through = std::min(complete_, due_.page_last);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = first + i;
    const SessionSet sessions(*values_, found_[i]);
    if (const SessionRef session = sessions.to_fire_at(due_.times[row])) {
      if (session.span->end <= fires_through) {
        firings_.push_back({session.span->window(), due_.keys.hashes[row],
                            static_cast<std::uint32_t>(row), false});
      } else {
        session.span->armed = session.span->end;
        calendar_.add(session.span->end, due_.keys, row);
      }
    }
    if (const SessionRef session = sessions.to_forget_at(due_.times[row]))
      sessions.remove(session.span->start);
    if (sessions.empty()) emptied_.push_back(rows_[i]);
  }
  erase_emptied(due_.keys);
}

BatchPtr SessionFiring::fire(const KeyBatch& keys, std::span<const Firing> firings) {
  selected_.clear();
  windows_.clear();
  for (const Firing& firing : firings) {
    selected_.push_back(firing.key);
    windows_.push_back(firing.window);
  }
  gather_keys(keys, selected_, keys_);
  rows_.resize(firings.size());
  std::iota(rows_.begin(), rows_.end(), RowIndex{0});
  found_.resize(firings.size());
  table_.find_or_insert(kSessionNamespace, keys_, rows_, found_);
  entries_.clear();
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const SessionRef session = SessionSet(*values_, found_[i]).ending_at(firings[i].window.end);
    TIDEMARK_CHECK(session && !session.span->fired(), "a session fires once");
    entries_.push_back(entry_of(keys_, i, session.accumulator));
  }
  BatchPtr batch = aggregator_.fire_each(windows_, entries_);
  settle(firings);
  return batch;
}

// Forgets the sessions that have fired, or keeps them for late rows.
void SessionFiring::settle(std::span<const Firing> firings) {
  emptied_.clear();
  for (std::size_t i = 0; i < firings.size(); ++i) {
    const SessionSet sessions(*values_, found_[i]);
    const SessionRef session = sessions.ending_at(firings[i].window.end);
    if (is_late(session.span->end)) {
      sessions.remove(session.span->start);
      if (sessions.empty()) emptied_.push_back(static_cast<RowIndex>(i));
    } else {
      session.span->armed = values_->forgotten_at(session.span->end);
      calendar_.add(session.span->armed, keys_, i);
    }
  }
  erase_emptied(keys_);
}

void SessionFiring::erase_emptied(const KeyBatch& keys) {
  if (!emptied_.empty()) table_.erase(kSessionNamespace, keys, emptied_);
}

std::vector<Firing> SessionFiring::ended(const KeyBatch& keys, Selection rows) {
  std::vector<Firing> firings;
  std::vector<const std::byte*> found(rows.size());
  table_.find(kSessionNamespace, keys, rows, found);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (found[i] == nullptr) continue;
    const SessionSet sessions(*values_, const_cast<std::byte*>(found[i]));  // read only
    for (const SessionRef& session : sessions.all())
      if (session.span->end <= complete_ && !session.span->fired())
        firings.push_back({session.span->window(), keys.hashes[rows[i]], rows[i], false});
  }
  sort_firings(keys, firings);
  return firings;
}

void SessionFiring::fire_now(const KeyBatch& keys, std::span<const Firing> firings, bool kinds,
                             Output& out) {
  while (!firings.empty()) {
    const auto some = firings.first(std::min(kDefaultBatchRows, firings.size()));
    firings = firings.subspan(some.size());
    BatchPtr batch = fire(keys, some);
    if (kinds) {
      std::vector<RowKind> said;
      for (const Firing& firing : some)
        said.push_back(firing.update ? RowKind::kUpdateAfter : RowKind::kInsert);
      batch = with_kinds(batch, said);
    }
    out.emit(std::move(batch));
  }
}

ColumnPtr make_kind_column(std::span<const RowKind> kinds) {
  ColumnBuilder builder(DataType::tiny_int().with_nullable(false));
  std::transform(kinds.begin(), kinds.end(), builder.extend<std::int8_t>(kinds.size()),
                 [](RowKind kind) { return static_cast<std::int8_t>(kind); });
  return builder.finish();
}

BatchPtr with_kinds(const BatchPtr& batch, std::span<const RowKind> kinds) {
  TIDEMARK_CHECK(batch->rows() == kinds.size(), "a kind for each row of a changelog");
  return std::make_shared<const Batch>(batch->schema_ptr(), batch->rows(), batch->columns(),
                                       batch->event_times_ptr(), make_kind_column(kinds));
}

}  // namespace tidemark
