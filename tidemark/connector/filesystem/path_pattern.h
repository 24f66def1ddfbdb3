// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/file_system.h"
#include "tidemark/base/options.h"
#include "tidemark/base/result.h"

namespace tidemark {

/// Whether `name` matches a shell pattern: * and ? (never a '/'), [abc], [a-z], [!a-z].
bool matches_pattern(std::string_view pattern, std::string_view name) noexcept;

/// Whether a path has a character that makes it a pattern.
bool is_pattern(std::string_view path) noexcept;

/// Files and directories whose names start with '.' or '_' are hidden, as in Hadoop and Flink:
/// sinks write under such names until the data is complete.
bool is_hidden(std::string_view name) noexcept;

/// The part of a path after its last '/'.
std::string_view file_name(std::string_view path) noexcept;

/// The value of the option 'path': a path, or that of a 'file:' URI. An error for other schemes
/// ("s3://"). `options` only words it.
Result<std::string> local_path(const OptionReader& options, const std::string& text);

/// The files that `path` stands for, sorted: itself, the visible files in a directory (not in its
/// subdirectories), or what matches a pattern. Throws a Failure (kNotFound) that names `owner` and
/// the path when there is no such file or directory, or nothing matches.
std::vector<FileInfo> find_files(FileSystem& files, const std::string& owner,
                                 const std::string& path);

}  // namespace tidemark
