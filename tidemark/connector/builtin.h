// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "tidemark/operator/connector.h"

namespace tidemark {

/// The connectors that come with the engine: filesystem, datagen, print, blackhole. `print_to`
/// receives what `print` prints; it must outlive the registry.
ConnectorRegistry make_builtin_connectors(std::ostream& print_to);

}  // namespace tidemark
