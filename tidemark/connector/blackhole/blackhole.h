// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/operator/connector.h"

namespace tidemark {

/// 'connector' = 'blackhole': a sink that forgets its rows.
Connector make_blackhole_connector();

}  // namespace tidemark
