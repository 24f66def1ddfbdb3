// SPDX-License-Identifier: Apache-2.0
#pragma once

// Assertions about this program, not about its input. A failed TIDEMARK_CHECK prints the condition
// and its place and stops the process: a wrong result would be worse, and recovery starts again
// from the last completed checkpoint. TIDEMARK_DCHECK costs nothing in release builds.

namespace tidemark {

[[noreturn]] void check_failed(const char* condition, const char* explanation, const char* file,
                               int line) noexcept;

}  // namespace tidemark

#define TIDEMARK_CHECK(condition, explanation)                               \
  do {                                                                       \
    if (!(condition)) [[unlikely]]                                           \
      ::tidemark::check_failed(#condition, explanation, __FILE__, __LINE__); \
  } while (false)

#ifdef NDEBUG
#define TIDEMARK_DCHECK(condition, explanation) \
  do {                                          \
  } while (false)
#else
#define TIDEMARK_DCHECK(condition, explanation) TIDEMARK_CHECK(condition, explanation)
#endif
