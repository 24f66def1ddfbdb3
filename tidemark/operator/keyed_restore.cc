// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/keyed_restore.h"

#include "tidemark/base/error.h"

namespace tidemark {

void restore_keyed_state(KeyedStateBackend& backend, const SnapshotReader& reader,
                         const std::string& operator_uid) {
  try {
    backend.restore(reader);
  } catch (const IoFailure&) {
    throw;
  } catch (const Failure& failure) {
    throw Failure(failure.code(), "operator '" + operator_uid + "': " + failure.what(),
                  failure.retryable());
  }
}

}  // namespace tidemark
