// SPDX-License-Identifier: Apache-2.0
#include "tidemark/window/local_time.h"

#include <utility>

#include "tidemark/expr/time_zone.h"

namespace tidemark {
namespace {

class ZoneClock final : public WindowClock {
 public:
  explicit ZoneClock(TimeZone zone) : zone_(std::move(zone)) {}

  std::string_view zone() const override { return zone_.name(); }

  void to_local(std::span<const EventTime> instants, std::span<EventTime> local) const override {
    zone_.to_local(instants, local.data());
  }

  EventTime complete_through(EventTime instant) const override {
    const EventTime local = zone_.to_local(instant);
    if (local == kMinTime || local == kMaxTime) return local;
    const EventTime complete_at = saturating_add(last_instant_before(local), 1);
    if (complete_at <= instant) return local;
    // The clocks will be set back and show this time again: what they are set back to is as far as
    // windows are complete. They change once between now and then.
    const EventTime shift = local - instant;
    EventTime before = instant;
    EventTime after = complete_at;
    while (after - before > 1) {
      const EventTime middle = before + (after - before) / 2;
      (zone_.to_local(middle) - middle == shift ? before : after) = middle;
    }
    return zone_.to_local(after);
  }

  EventTime last_instant_before(EventTime local) const override {
    if (local == kMinTime || local == kMaxTime) return local == kMaxTime ? kMaxTime - 1 : local;
    const EventTime last_shown = local - 1;
    const EventTime instant = zone_.window_end_to_instant(last_shown);
    if (zone_.to_local(instant) == last_shown) return instant;
    // The clocks skip this time. What stands for it lies in the first second after the gap, and
    // clocks change at whole seconds.
    return instant - floor_mod(instant, 1000) - 1;
  }

 private:
  TimeZone zone_;
};

}  // namespace

Result<std::shared_ptr<const WindowClock>> make_zone_clock(std::string_view zone) {
  TIDEMARK_ASSIGN_OR_RETURN(TimeZone found, TimeZone::find(zone));
  if (found.name() == "UTC") return std::shared_ptr<const WindowClock>();
  return std::shared_ptr<const WindowClock>(std::make_shared<const ZoneClock>(std::move(found)));
}

}  // namespace tidemark
