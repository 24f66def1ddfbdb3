// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tidemark/data/batch.h"

namespace tidemark {

// What an operator of windows asks of its rows. `uid` names it in messages.

/// Throws a Failure when a row updates or deletes another.
void refuse_changes(const Batch& batch, const std::string& uid);
/// The rows' event times. Throws a Failure when a row has none.
const EventTime* event_times_of(const Batch& batch, const std::string& uid);

}  // namespace tidemark
