// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <memory>

#include "tidemark/expr/function.h"
#include "tidemark/expr/like_pattern.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/signature.h"

// LIKE and regular expressions. RE2's syntax is Java's without back references and look-around, and
// it takes linear time whatever the pattern.

namespace tidemark {
namespace {

using View = std::string_view;

std::unique_ptr<re2::RE2> compile_pattern(View pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  return std::make_unique<re2::RE2>(re2::StringPiece(pattern.data(), pattern.size()), options);
}

// Compiles a pattern when it changes from one row to the next: once for a literal.
class PatternCache {
 public:
  PatternCache() = default;
  PatternCache(const PatternCache&) {}  // each kernel compiles its own
  // nullptr, and the row fails, when the pattern does not compile.
  const re2::RE2* get(Row& row, View pattern) {
    if (compiled_ == nullptr || pattern != pattern_) {
      pattern_ = pattern;
      compiled_ = compile_pattern(pattern);
    }
    if (compiled_->ok()) return compiled_.get();
    row.fail("not a regular expression");
    return nullptr;
  }

 private:
  std::string pattern_;
  std::unique_ptr<re2::RE2> compiled_;
};

// A literal pattern that does not compile is refused with the job.
Status check_pattern(const CallSite& site, std::size_t argument) {
  const std::string* pattern = site.text(argument);
  if (pattern == nullptr) return {};
  const auto compiled = compile_pattern(*pattern);
  if (compiled->ok()) return {};
  return Error{ErrorCode::kInvalidSql,
               fmt::format("'{}' is not a regular expression: {}", *pattern, compiled->error())};
}

re2::StringPiece piece(View text) {
  return {text.data(), text.size()};
}

void regexp_replace(Row& row, const re2::RE2& pattern, View text, View with) {
  std::string rewrite;
  // Java's group references $1 are \1 in RE2.
  for (std::size_t i = 0; i < with.size(); ++i) {
    const char c = with[i];
    if (c == '\\' && i + 1 < with.size()) {
      if (with[++i] == '\\') rewrite += '\\';
      rewrite += with[i];
    } else if (c == '$' && i + 1 < with.size() && with[i + 1] >= '0' && with[i + 1] <= '9') {
      rewrite += '\\';
    } else {
      rewrite += c;
    }
  }
  std::string reason;
  if (!pattern.CheckRewriteString(rewrite, &reason)) return row.fail("no such group");
  row.text = text;
  re2::RE2::GlobalReplace(&row.text, pattern, rewrite);
}

void regexp_extract(Row& row, const re2::RE2& pattern, View text, std::int64_t group) {
  constexpr int kMaxGroups = 100;
  if (group < 0 || group > pattern.NumberOfCapturingGroups() || group >= kMaxGroups)
    return row.null();
  re2::StringPiece groups[kMaxGroups];
  const int count = static_cast<int>(group) + 1;
  if (!pattern.Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, groups, count))
    return row.null();
  const re2::StringPiece& found = groups[group];
  if (found.data() == nullptr) return row.null();
  row.text.append(found.data(), found.size());
}

Result<KernelPtr> make_regexp(const CallSite& site) {
  TIDEMARK_TRY(check_pattern(site, 1));
  return make_row_kernel<std::uint8_t(View, View)>(
      [cache = PatternCache()](Row& row, View text, View pattern) mutable {
        const re2::RE2* compiled = cache.get(row, pattern);
        const bool found = compiled != nullptr && re2::RE2::PartialMatch(piece(text), *compiled);
        return static_cast<std::uint8_t>(found ? 1 : 0);
      });
}

// The whole text must match.
Result<KernelPtr> make_similar(const CallSite& site) {
  const std::string* literal = site.text(1);
  if (literal != nullptr) {
    const auto compiled = compile_pattern(similar_to_regexp(*literal));
    if (!compiled->ok())
      return Error{ErrorCode::kInvalidSql, fmt::format("'{}' is not a pattern of SIMILAR TO: {}",
                                                       *literal, compiled->error())};
  }
  return make_row_kernel<std::uint8_t(View, View)>(
      [cache = PatternCache()](Row& row, View text, View pattern) mutable {
        const re2::RE2* compiled = cache.get(row, similar_to_regexp(pattern));
        const bool found = compiled != nullptr && re2::RE2::FullMatch(piece(text), *compiled);
        return static_cast<std::uint8_t>(found ? 1 : 0);
      });
}

Result<KernelPtr> make_replace(const CallSite& site) {
  TIDEMARK_TRY(check_pattern(site, 1));
  return make_row_kernel<Text(View, View, View)>(
      [cache = PatternCache()](Row& row, View text, View pattern, View with) mutable {
        if (const re2::RE2* compiled = cache.get(row, pattern))
          regexp_replace(row, *compiled, text, with);
        return Text{};
      });
}

Result<KernelPtr> make_extract(const CallSite& site) {
  TIDEMARK_TRY(check_pattern(site, 1));
  if (site.arguments.size() == 2)
    return make_row_kernel<Text(View, View)>(
        [cache = PatternCache()](Row& row, View text, View pattern) mutable {
          if (const re2::RE2* compiled = cache.get(row, pattern))
            regexp_extract(row, *compiled, text, 0);
          return Text{};
        });
  return make_row_kernel<Text(View, View, std::int64_t)>(
      [cache = PatternCache()](Row& row, View text, View pattern, std::int64_t group) mutable {
        if (const re2::RE2* compiled = cache.get(row, pattern))
          regexp_extract(row, *compiled, text, group);
        return Text{};
      });
}

}  // namespace

void add_pattern_functions(FunctionTable& table) {
  const std::vector<Take> two = {Take::kString, Take::kString};
  table.topic("Patterns");
  table.add(
      {.name = "LIKE",
       .signature = "text LIKE pattern [ESCAPE character]",
       .summary = "Whether the whole text matches: % is any text, _ any character.",
       .resolve = takes({Take::kString, Take::kString, Take::kString}, DataType::boolean(), 2),
       .make = make_like_kernel});
  table.add({.name = "SIMILAR TO",
             .signature = "text SIMILAR TO pattern",
             .summary = "Whether the whole text matches a pattern of %, _ and | * + ? ( ) [ ] { }.",
             .resolve = takes(two, DataType::boolean()),
             .make = make_similar});
  table.add({.name = "REGEXP",
             .signature = "REGEXP(text, pattern)",
             .summary = "Whether the regular expression matches somewhere.",
             .resolve = takes(two, DataType::boolean()),
             .make = make_regexp});
  table.add({.name = "REGEXP_REPLACE",
             .signature = "REGEXP_REPLACE(text, pattern, replacement)",
             .summary = "Every match replaced; $1 stands for the first group.",
             .resolve = takes({Take::kString, Take::kString, Take::kString}, DataType::string()),
             .make = make_replace});
  table.add(
      {.name = "REGEXP_EXTRACT",
       .signature = "REGEXP_EXTRACT(text, pattern [, group])",
       .summary = "What the first match, or a group (0 is all) of it, is; NULL without a match.",
       .resolve = takes({Take::kString, Take::kString, Take::kInteger}, DataType::string(), 2,
                        false, ResultNulls::kAlways),
       .make = make_extract});
}

}  // namespace tidemark
