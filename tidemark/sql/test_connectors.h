// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/operator/connector.h"

namespace tidemark::sql {

/// Connectors for tests of the compiler, which makes sources and sinks only to check their options:
/// "filesystem" reads and writes, "datagen" reads, "print" writes. None can be run.
ConnectorRegistry test_connectors();

}  // namespace tidemark::sql
