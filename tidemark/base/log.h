// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace tidemark {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// Writes one line to standard error, with time and level. Thread-safe. Never called for each row.
void write_log(LogLevel level, std::string_view message);

/// Lines below `level` are dropped. The default is kWarning, so that a quiet job says nothing.
void set_log_level(LogLevel level);

template <typename... Arguments>
void log_info(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_log(LogLevel::kInfo, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <typename... Arguments>
void log_warning(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_log(LogLevel::kWarning, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <typename... Arguments>
void log_error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_log(LogLevel::kError, fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace tidemark
