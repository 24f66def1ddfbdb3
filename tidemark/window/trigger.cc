// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/trigger.h"

#include <algorithm>

namespace tidemark {
namespace {

void encode_times(const std::vector<std::int64_t>& times, ByteWriter& out) {
  out.put(static_cast<std::uint32_t>(times.size()));
  for (const std::int64_t time : times) out.put(time);
}

std::vector<std::int64_t> decode_times(ByteReader& in) {
  std::vector<std::int64_t> times;
  for (auto left = in.get<std::uint32_t>(); left > 0; --left)
    times.push_back(in.get<std::int64_t>());
  return times;
}

}  // namespace

void WindowTimers::encode(ByteWriter& out) const {
  encode_times(event, out);
  encode_times(processing, out);
}

WindowTimers WindowTimers::decode(ByteReader& in) {
  WindowTimers timers;
  timers.event = decode_times(in);
  timers.processing = decode_times(in);
  return timers;
}

bool add_time(std::vector<std::int64_t>& times, std::int64_t time) {
  const auto at = std::lower_bound(times.begin(), times.end(), time);
  if (at != times.end() && *at == time) return false;
  times.insert(at, time);
  return true;
}

bool remove_time(std::vector<std::int64_t>& times, std::int64_t time) {
  const auto at = std::lower_bound(times.begin(), times.end(), time);
  if (at == times.end() || *at != time) return false;
  times.erase(at);
  return true;
}

void TriggerContext::register_event_timer(EventTime time) {
  if (add_time(timers_.event, time))
    clocks_.event->add(saturating_add(time, 1), *clocks_.keys, clocks_.row);
}

void TriggerContext::register_processing_timer(ProcessingTime time) {
  if (add_time(timers_.processing, time))
    clocks_.processing->add(saturating_add(time, 1), *clocks_.keys, clocks_.row);
}

}  // namespace tidemark
