// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/expr/kernel.h"

namespace tidemark {

/// Arithmetic on two DECIMAL arguments; a result beyond its precision is an error of the row.
Result<KernelPtr> make_decimal_kernel(char operation, const CallSite& site);

}  // namespace tidemark
