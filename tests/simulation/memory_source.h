// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tests/simulation/scenario.h"
#include "tidemark/operator/connector.h"

namespace tidemark::simulation {

/// 'connector' = 'memory': the scenario's splits. A split's position is the number of its rows
/// read. Readers give batches of changing sizes, have nothing now and then, and touch the file
/// system, so that its faults reach the source. Records without a time are reported bad by the
/// reader when their number is even; odd ones go on with a NULL rowtime for the engine to find.
Connector make_memory_connector(std::shared_ptr<const Scenario> scenario);

}  // namespace tidemark::simulation
