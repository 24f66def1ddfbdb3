// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "tidemark/expr/function.h"

// Prints docs/functions.md.
int main() {
  const std::string page = tidemark::function_reference();
  return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}
