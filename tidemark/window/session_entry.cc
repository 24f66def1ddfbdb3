// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/session_entry.h"

#include <cstring>
#include <iterator>
#include <utility>

#include "tidemark/base/check.h"

namespace tidemark {
namespace {

// An entry: the newest session's span, a pointer to the older sessions, the newest's accumulator.
constexpr std::size_t kOlderOffset = sizeof(SessionSpan);
constexpr std::size_t kAccumulatorOffset = kOlderOffset + sizeof(void*);

}  // namespace

SessionValues::SessionValues(std::shared_ptr<const ValueOperations> accumulator, Millis kept)
    : accumulator_(std::move(accumulator)), kept_(kept) {}

std::size_t SessionValues::width() const {
  return kAccumulatorOffset + accumulator_->width();
}

void SessionValues::destroy(std::byte* value) const noexcept {
  const SessionSet sessions(*this, value);
  if (sessions.empty()) return;
  const std::unique_ptr<SessionSet::OlderSessions> older(std::exchange(sessions.older(), nullptr));
  if (!accumulator_->is_plain()) {
    accumulator_->destroy(sessions.newest_accumulator());
    if (older)
      for (auto& [start, session] : *older) accumulator_->destroy(session.accumulator.get());
  }
  sessions.newest() = {};
}

void SessionValues::encode(const std::byte* value, ByteWriter& out) const {
  const SessionSet sessions(*this, const_cast<std::byte*>(value));  // read only
  const std::vector<SessionRef> all = sessions.all();
  out.put(static_cast<std::uint32_t>(all.size()));
  for (const SessionRef& session : all) {
    out.put(session.span->start);
    out.put(session.span->end);
    out.put(session.span->armed);
    encode_accumulator(session.accumulator, out);
  }
}

void SessionValues::decode(ByteReader& in, std::byte* value) const {
  const SessionSet sessions(*this, value);
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) {
    SessionSpan span;
    span.start = in.get<EventTime>();
    span.end = in.get<EventTime>();
    span.armed = in.get<EventTime>();
    // The job may allow another lateness than the one that wrote this.
    if (span.fired()) span.armed = forgotten_at(span.end);
    if (!span.live() || (!sessions.empty() && span.start <= sessions.newest().end))
      throw Failure(ErrorCode::kCheckpointDamaged, "the stored sessions of a key overlap",
                    /*retryable=*/false);
    decode_accumulator(in, sessions.add(span).accumulator);
  }
}

void SessionValues::encode_accumulator(const std::byte* accumulator, ByteWriter& out) const {
  if (accumulator_->is_plain()) {
    out.put_raw({reinterpret_cast<const char*>(accumulator), accumulator_->width()});
  } else {
    accumulator_->encode(accumulator, out);
  }
}

void SessionValues::decode_accumulator(ByteReader& in, std::byte* accumulator) const {
  if (accumulator_->is_plain()) {
    const std::string_view bytes = in.get_raw(accumulator_->width());
    std::memcpy(accumulator, bytes.data(), bytes.size());
  } else {
    accumulator_->decode(in, accumulator);
  }
}

SessionSpan& SessionSet::newest() const noexcept {
  return *reinterpret_cast<SessionSpan*>(entry_);
}

std::byte* SessionSet::newest_accumulator() const noexcept {
  return entry_ + kAccumulatorOffset;
}

SessionSet::OlderSessions*& SessionSet::older() const noexcept {
  return *reinterpret_cast<OlderSessions**>(entry_ + kOlderOffset);
}

std::vector<SessionRef> SessionSet::touching(TimeWindow window) const {
  std::vector<SessionRef> found;
  if (OlderSessions* sessions = older()) {
    // They do not touch each other, so their ends are in the order of their starts.
    auto first = sessions->upper_bound(window.end);
    const auto last = first;
    while (first != sessions->begin() && std::prev(first)->second.span.end >= window.start) --first;
    for (auto at = first; at != last; ++at)
      found.push_back({&at->second.span, at->second.accumulator.get()});
  }
  if (newest().live() && newest().touches(window))
    found.push_back({&newest(), newest_accumulator()});
  return found;
}

std::vector<SessionRef> SessionSet::all() const {
  return touching({kMinTime, kMaxTime});
}

SessionRef SessionSet::ending_at(EventTime end) const {
  if (empty()) return {};
  if (newest().end == end) return {&newest(), newest_accumulator()};
  OlderSessions* sessions = older();
  if (sessions == nullptr) return {};
  const auto after = sessions->lower_bound(end);
  if (after == sessions->begin()) return {};
  Older& found = std::prev(after)->second;
  return found.span.end == end ? SessionRef{&found.span, found.accumulator.get()} : SessionRef{};
}

// A session that has not fired is armed within its span.
SessionRef SessionSet::to_fire_at(EventTime time) const {
  const auto armed = [time](const SessionSpan& span) {
    return span.armed == time && span.to_fire();
  };
  if (empty()) return {};
  if (armed(newest())) return {&newest(), newest_accumulator()};
  OlderSessions* sessions = older();
  if (sessions == nullptr) return {};
  const auto after = sessions->lower_bound(time);
  if (after == sessions->begin()) return {};
  Older& found = std::prev(after)->second;
  return armed(found.span) ? SessionRef{&found.span, found.accumulator.get()} : SessionRef{};
}

SessionRef SessionSet::to_forget_at(EventTime time) const {
  const SessionRef found = ending_at(saturating_sub(time, values_.forgotten_at(0)));
  return found && found.span->fired() ? found : SessionRef{};
}

std::unique_ptr<std::byte[]> SessionSet::make_accumulator() const {
  return std::make_unique<std::byte[]>(values_.accumulator().width());
}

SessionRef SessionSet::add(SessionSpan span) const {
  if (!empty() && span.start < newest().start) {
    if (older() == nullptr) older() = new OlderSessions;
    const auto [at, added] = older()->emplace(span.start, Older{span, make_accumulator()});
    TIDEMARK_CHECK(added, "sessions of a key do not touch");
    return {&at->second.span, at->second.accumulator.get()};
  }
  if (!empty()) move_newest_aside();
  newest() = span;
  return {&newest(), newest_accumulator()};
}

// Accumulators may be moved by memcpy, as entries are.
void SessionSet::move_newest_aside() const {
  if (older() == nullptr) older() = new OlderSessions;
  Older aside{newest(), make_accumulator()};
  const std::size_t width = values_.accumulator().width();
  std::memcpy(aside.accumulator.get(), newest_accumulator(), width);
  std::memset(newest_accumulator(), 0, width);
  older()->emplace(newest().start, std::move(aside));
}

void SessionSet::promote_older() const {
  newest() = {};
  std::memset(newest_accumulator(), 0, values_.accumulator().width());
  OlderSessions* sessions = older();
  if (sessions == nullptr) return;
  const auto last = std::prev(sessions->end());
  newest() = last->second.span;
  std::memcpy(newest_accumulator(), last->second.accumulator.get(), values_.accumulator().width());
  sessions->erase(last);
  if (!sessions->empty()) return;
  delete sessions;
  older() = nullptr;
}

SessionRef SessionSet::respan(SessionRef session, SessionSpan span) const {
  if (session.span == &newest()) {
    newest() = span;
    return session;
  }
  const EventTime start = session.span->start;
  *session.span = span;
  if (start == span.start) return session;
  auto node = older()->extract(start);
  node.key() = span.start;
  older()->insert(std::move(node));
  return session;
}

void SessionSet::remove(EventTime start) const {
  if (newest().start == start) {
    if (!values_.accumulator().is_plain()) values_.accumulator().destroy(newest_accumulator());
    promote_older();
    return;
  }
  OlderSessions* sessions = older();
  const auto found = sessions->find(start);
  TIDEMARK_CHECK(found != sessions->end(), "a session that is there");
  if (!values_.accumulator().is_plain())
    values_.accumulator().destroy(found->second.accumulator.get());
  sessions->erase(found);
  if (!sessions->empty()) return;
  delete sessions;
  older() = nullptr;
}

}  // namespace tidemark
