// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/operator/connector.h"

namespace tidemark {

/// 'connector' = 'filesystem': files as a bounded source, and a directory of part files as a sink
/// that publishes each row exactly once. docs/connectors.md lists the options.
Connector make_filesystem_connector();

}  // namespace tidemark
