// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/base/result.h"
#include "tidemark/sql/ast.h"
#include "tidemark/sql/catalog.h"

namespace tidemark::sql {

/// Binds a CREATE TABLE: types, computed columns, watermark, key, and the options that the engine
/// itself reads. The connector's options are checked where the table is used. `statement` outlives
/// the catalog.
Result<Table> define_table(const SourceText& source, const Catalog& catalog,
                           const ast::CreateTable& statement);

}  // namespace tidemark::sql
