// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "tidemark/operator/connector.h"

namespace tidemark {

/// 'connector' = 'print': a sink that writes its rows to `standard_output`, or to `standard_error`
/// with 'standard-error' = 'true'. Both must outlive the connector's sinks; the sinks of all tables
/// and subtasks take turns, a batch at a time.
Connector make_print_connector(std::ostream& standard_output, std::ostream& standard_error);

}  // namespace tidemark
