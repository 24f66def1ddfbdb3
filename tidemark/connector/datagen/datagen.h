// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/operator/connector.h"

namespace tidemark {

/// 'connector' = 'datagen': rows from a seed, for tests and trials. docs/connectors.md lists the
/// options.
Connector make_datagen_connector();

}  // namespace tidemark
