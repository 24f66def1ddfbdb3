// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/filesystem/path_pattern.h"

#include <fmt/format.h>

#include <algorithm>

namespace tidemark {
namespace {

// The end of the bracket expression that starts at pattern[at], or npos when it has none: then '['
// stands for itself.
std::size_t bracket_end(std::string_view pattern, std::size_t at) noexcept {
  std::size_t i = at + 1;
  if (i < pattern.size() && pattern[i] == '!') ++i;
  return pattern.find(']', i + 1);
}

bool bracket_matches(std::string_view set, char c) noexcept {
  const bool negated = set.starts_with('!');
  if (negated) set.remove_prefix(1);
  bool found = false;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found |= set[i] <= c && c <= set[i + 2];
      i += 2;
    } else {
      found |= set[i] == c;
    }
  }
  return found != negated;
}

std::string join(const std::string& directory, std::string_view name) {
  if (directory.empty()) return std::string(name);
  return directory.ends_with('/') ? directory + std::string(name)
                                  : directory + "/" + std::string(name);
}

// Follows the components of a pattern from `directory` down.
void expand(FileSystem& files, const std::string& directory, std::string_view rest,
            std::vector<FileInfo>& found) {
  const std::size_t slash = rest.find('/');
  const std::string_view component = rest.substr(0, slash);
  const bool last = slash == std::string_view::npos;
  const std::string_view after = last ? std::string_view() : rest.substr(slash + 1);
  if (!is_pattern(component)) {
    const std::string path = join(directory, component);
    if (!files.exists(path)) return;
    if (!last) return expand(files, path, after, found);
    found.push_back(files.info(path));
    return;
  }
  for (const FileInfo& entry : files.list(directory.empty() ? "." : directory)) {
    const std::string_view name = file_name(entry.path);
    if (is_hidden(name) && !is_hidden(component)) continue;
    if (!matches_pattern(component, name)) continue;
    if (last) {
      found.push_back(entry);
      found.back().path = join(directory, name);
    } else if (entry.is_directory) {
      expand(files, join(directory, name), after, found);
    }
  }
}

void append_files_in(FileSystem& files, const std::string& directory,
                     std::vector<FileInfo>& found) {
  for (FileInfo entry : files.list(directory)) {
    const std::string_view name = file_name(entry.path);
    if (entry.is_directory || is_hidden(name)) continue;
    entry.path = join(directory, name);
    found.push_back(std::move(entry));
  }
}

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) noexcept {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;  // the last '*', to try again with one more character
  std::size_t star_name = 0;
  while (n < name.size()) {
    const bool has = p < pattern.size();
    const std::size_t close =
        has && pattern[p] == '[' ? bracket_end(pattern, p) : std::string_view::npos;
    if (has && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (close != std::string_view::npos &&
               bracket_matches(pattern.substr(p + 1, close - p - 1), name[n])) {
      p = close + 1;
      ++n;
    } else if (has && close == std::string_view::npos &&
               (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool is_pattern(std::string_view path) noexcept {
  return path.find_first_of("*?[") != std::string_view::npos;
}

bool is_hidden(std::string_view name) noexcept {
  return name.starts_with('.') || name.starts_with('_');
}

std::string_view file_name(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

Result<std::string> local_path(const OptionReader& options, const std::string& text) {
  std::string path = text;
  const std::size_t scheme = text.find("://");
  if (text.starts_with("file:")) {
    path = text.substr(5);
    if (path.starts_with("//")) path = path.substr(2);
  } else if (scheme != std::string::npos) {
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("{}: option 'path' takes a local path or a file:// URI, got '{}'; mount "
                    "the '{}' store, or copy the files",
                    options.owner(), text, text.substr(0, scheme))};
  }
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path.empty()) return options.wrong("path", "the path of a file or directory", text);
  return path;
}

std::vector<FileInfo> find_files(FileSystem& files, const std::string& owner,
                                 const std::string& path) {
  std::vector<FileInfo> matches;
  // A name with a bracket that exists as it stands is no pattern.
  if (files.exists(path)) {
    matches.push_back(files.info(path));
  } else if (!is_pattern(path)) {
    throw Failure(ErrorCode::kNotFound, fmt::format("{}: path '{}' does not exist", owner, path),
                  /*retryable=*/false);
  } else {
    const bool absolute = path.starts_with('/');
    expand(files, absolute ? "/" : "", std::string_view(path).substr(absolute ? 1 : 0), matches);
    if (matches.empty())
      throw Failure(ErrorCode::kNotFound, fmt::format("{}: no file matches path '{}'", owner, path),
                    /*retryable=*/false);
  }
  std::vector<FileInfo> found;
  for (FileInfo& match : matches) {
    if (match.is_directory) {
      append_files_in(files, match.path, found);
    } else {
      found.push_back(std::move(match));
    }
  }
  std::sort(found.begin(), found.end(),
            [](const FileInfo& a, const FileInfo& b) { return a.path < b.path; });
  return found;
}

}  // namespace tidemark
