// SPDX-License-Identifier: Apache-2.0
#include "tidemark/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tidemark {

void check_failed(const char* condition, const char* explanation, const char* file,
                  int line) noexcept {
  std::fprintf(stderr, "%s:%d: check failed: %s (%s)\n", file, line, condition, explanation);
  std::abort();
}

}  // namespace tidemark
