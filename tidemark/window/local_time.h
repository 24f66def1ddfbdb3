// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "tidemark/base/result.h"
#include "tidemark/window/window_clock.h"

namespace tidemark {

/// Windows over TIMESTAMP_LTZ: cut by the clocks of a zone. nullptr for UTC, whose clocks show
/// event time itself. An error names the nearest zone.
Result<std::shared_ptr<const WindowClock>> make_zone_clock(std::string_view zone);

}  // namespace tidemark
