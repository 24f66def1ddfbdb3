// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tidemark/expr/kernel.h"

namespace tidemark {

/// x IN (literals): short lists are compared with one by one, long ones are a hash set that is
/// built when the first batch comes. All arguments have one type.
Result<KernelPtr> make_in_kernel(const CallSite& site);

}  // namespace tidemark
