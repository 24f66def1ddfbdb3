// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/operator_states.h"

#include "tidemark/operator/operator.h"

namespace tidemark::api_detail {

std::vector<std::unique_ptr<SnapshotPart>> operator_state_parts(
    const std::vector<OperatorStateHandle*>& states, std::uint32_t subtask) {
  std::vector<std::unique_ptr<SnapshotPart>> parts;
  for (const OperatorStateHandle* state : states) {
    const bool writes = !state->is_shared() || subtask == 0;
    parts.push_back(make_operator_state_part(
        state->describe(), writes ? state->encode() : std::vector<std::string>()));
  }
  return parts;
}

void restore_operator_states(const std::vector<OperatorStateHandle*>& states,
                             const SnapshotReader& reader, const std::string& operator_uid) {
  for (OperatorStateHandle* state : states) {
    const StateDescriptor wanted = state->describe();
    const StateDescriptor* stored = reader.find(wanted.name);
    if (stored == nullptr) continue;
    if (stored->keyed || stored->schema != wanted.schema ||
        stored->redistribution != wanted.redistribution)
      throw Failure(ErrorCode::kCheckpointMismatch,
                    "operator '" + operator_uid + "': state '" + wanted.name +
                        "' in the checkpoint holds " + stored->schema + ", but the job needs " +
                        wanted.schema,
                    /*retryable=*/false);
    state->decode(reader.read_operator(wanted.name));
  }
}

}  // namespace tidemark::api_detail
