// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "tidemark/expr/expression.h"

namespace tidemark {

/// The type in which two expressions are compared: their common type, and a STRING beside another
/// type is read as that type ('2001-01-01' against a DATE). nullopt when they cannot be.
std::optional<DataType> comparison_type(const Expression& a, const Expression& b);

}  // namespace tidemark
