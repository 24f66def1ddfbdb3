// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/session_windows.h"

namespace tidemark::api_detail {

void check_sessions(StreamGraph& graph, const SessionOperatorDescription& description) {
  SessionDescription session = description.session;
  if (description.gap_of) session.gap = 1;  // checked for each row
  const Status status = validate(session);
  if (!status.ok()) return graph.fail(status.error().message);
  if (description.time == WindowTime::kProcessingTime && session.allowed_lateness > 0)
    graph.fail("sessions of processing time have no late rows: take allowed_lateness() away");
}

}  // namespace tidemark::api_detail
