// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tidemark/base/result.h"
#include "tidemark/sql/binder_query.h"

namespace tidemark::sql {

/// An INSERT whose input has exactly the target's physical columns.
struct BoundInsert {
  std::shared_ptr<const Table> target;
  RelationPtr input;
};

/// Casts where Flink casts by itself, fills columns that are not named with NULL, and guards NOT
/// NULL columns against NULL.
Result<BoundInsert> bind_insert(const SourceText& source, const Catalog& catalog,
                                QueryBinder& queries, const ast::Insert& insert);

}  // namespace tidemark::sql
