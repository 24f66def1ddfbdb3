// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "bench/window_loops.h"

namespace tidemark::bench {

/// Sessions of SUM(value) and COUNT(*) by a BIGINT key, written by hand for this query and this
/// stream: a column at a time, with the slots of 16 rows ahead on their way from memory. No NULL
/// values, no late rows, no snapshot; at most two sessions of a key live at once, which holds while
/// rows are less out of order than the gap is long. A slot holds its sessions; sessions end through
/// a calendar of milliseconds, in which each is noted once and again only when it has grown.
std::unique_ptr<WindowLoop> make_session_loop(Millis gap);

}  // namespace tidemark::bench
