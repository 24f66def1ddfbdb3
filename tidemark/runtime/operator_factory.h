// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/operator/operator.h"
#include "tidemark/runtime/blueprint.h"

namespace tidemark {

/// A new instance of the operator of `node`, which is no source and no sink. Errors name the node.
Result<std::unique_ptr<Operator>> make_operator(const JobBlueprint& blueprint, std::size_t node);

/// Whether that operator keeps keyed state.
bool is_keyed(const JobBlueprint& blueprint, std::size_t node);

}  // namespace tidemark
