// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/state_check.h"

#include <fmt/format.h>

#include "tidemark/operator/declares_states.h"
#include "tidemark/runtime/operator_factory.h"
#include "tidemark/state/table_block.h"

namespace tidemark {
namespace {

Status check_tables(const proto::OperatorMetadata& stored, DeclaresStates& wanted) {
  for (const TableDescriptor& table : wanted.keyed_tables()) {
    for (const proto::StateMetadata& state : stored.states()) {
      if (state.name() != table.name) continue;
      try {
        const TableRestore possible({.name = state.name(),
                                     .keyed = state.keyed(),
                                     .schema = state.schema(),
                                     .version = state.version()},
                                    table);
      } catch (const Failure& failure) {
        return Error{failure.code(),
                     fmt::format("operator '{}': {}", stored.uid(), failure.what())};
      }
    }
  }
  return {};
}

}  // namespace

Status check_states(const JobBlueprint& blueprint, const proto::CheckpointMetadata& metadata) {
  for (std::size_t node = 0; node < blueprint.plan.nodes.size(); ++node) {
    if (!blueprint.plan.nodes[node].node->has_native()) continue;
    if (blueprint.sources.contains(node) || blueprint.sinks.contains(node)) continue;
    for (const proto::OperatorMetadata& stored : metadata.operators()) {
      if (stored.uid() != blueprint.uid(node)) continue;
      TIDEMARK_ASSIGN_OR_RETURN(const std::unique_ptr<Operator> made,
                                make_operator(blueprint, node));
      auto* declares = dynamic_cast<DeclaresStates*>(made.get());
      if (declares != nullptr) TIDEMARK_TRY(check_tables(stored, *declares));
    }
  }
  return {};
}

}  // namespace tidemark
