// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tidemark/base/result.h"
#include "tidemark/data/batch.h"
#include "tidemark/state/key.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// The key columns of a stored table, as its schema text says: "fixed16: (BIGINT, INT) -> ...".
/// Columns without a name are called key, or key1, key2, ... Written as a SQL column list. Empty
/// when the text is not of that form.
std::string key_columns_of(const StateDescriptor& state);

/// Reads a stored table as rows: the key's columns, then `namespace` (BIGINT: for windows the end
/// of a slice, in milliseconds), `value_bytes` (INT) and `value` (STRING: the first bytes in
/// hexadecimal). One thread.
class StateRows {
 public:
  /// Columns after the key's, and their SQL.
  static constexpr std::size_t kValueColumns = 3;
  static constexpr std::string_view kValueColumnList =
      "`namespace` BIGINT NOT NULL, value_bytes INT NOT NULL, `value` STRING NOT NULL";

  /// `schema` begins with the key's columns.
  StateRows(const StateDescriptor& state, SchemaPtr schema);

  /// Calls `use` with batches until it returns false. Throws a Failure (kCheckpointDamaged).
  void read(const SnapshotReader& reader, const std::function<bool(const BatchPtr&)>& use);

 private:
  BatchPtr make_batch();

  std::string name_;
  SchemaPtr schema_;
  KeyCodec codec_;
  std::vector<std::string> keys_;  // kVariable and kFixed16, owned
  std::vector<KeyedEntry> entries_;
  std::vector<StateNamespace> namespaces_;
  std::vector<std::string> values_;
  std::vector<std::int32_t> value_bytes_;
};

}  // namespace tidemark
