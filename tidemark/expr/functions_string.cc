// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tidemark/expr/function.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/signature.h"
#include "tidemark/expr/utf8.h"

// Functions that make a string from a string. Positions and lengths count characters.

namespace tidemark {
namespace {

using View = std::string_view;
constexpr std::size_t kLongestText = 64u << 20;  // REPEAT and LPAD would otherwise fill the memory

template <typename Signature, typename F>
Function text_function(std::string name, std::string signature, std::string summary,
                       std::vector<Take> taken, F f) {
  return {.name = std::move(name),
          .signature = std::move(signature),
          .summary = std::move(summary),
          .resolve = takes(std::move(taken), DataType::string()),
          .make = row_kernel<Signature>(std::move(f))};
}

// CONCAT and ||: NULL when one argument is. CONCAT_WS leaves NULLs out.
class ConcatKernel final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    const std::vector<Values<View>> columns(call.arguments.begin(), call.arguments.end());
    ColumnBuilder builder(call.result);
    builder.reserve(call.rows);
    for (std::size_t i = 0; i < call.rows; ++i) {
      if (!call.validity.is_valid(i)) {
        builder.append_null();
        continue;
      }
      text_.clear();
      for (const auto& column : columns) text_ += column[i];
      builder.append_string(text_);
    }
    return builder.finish();
  }

 private:
  std::string text_;
};

class JoinKernel final : public Kernel {
 public:
  ColumnPtr run(Invocation& call) override {
    const std::vector<Values<View>> columns(call.arguments.begin(), call.arguments.end());
    ColumnBuilder builder(call.result);
    builder.reserve(call.rows);
    for (std::size_t i = 0; i < call.rows; ++i) {
      if (call.arguments[0].is_null(i)) {
        builder.append_null();
        continue;
      }
      text_.clear();
      bool first = true;
      for (std::size_t k = 1; k < columns.size(); ++k) {
        if (call.arguments[k].is_null(i)) continue;
        if (!first) text_ += columns[0][i];
        text_ += columns[k][i];
        first = false;
      }
      builder.append_string(text_);
    }
    return builder.finish();
  }
  bool strict() const override { return false; }

 private:
  std::string text_;
};

template <typename K>
KernelMaker simple_kernel() {
  return [](const CallSite&) -> Result<KernelPtr> { return KernelPtr(std::make_unique<K>()); };
}

// Flink: position 0 is 1, a negative one counts from the end; a start before the text is an empty
// result.
View substring(View text, std::int64_t start, std::int64_t length) {
  if (length <= 0) return {};
  const auto count = static_cast<std::int64_t>(is_ascii(text) ? text.size() : utf8_length(text));
  if (start > count) return {};
  std::int64_t first = start > 0 ? start - 1 : start < 0 ? count + start : 0;
  if (first < 0) return {};
  const std::int64_t take = std::min(length, count - first);
  if (static_cast<std::size_t>(count) == text.size())
    return text.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(take));
  const std::size_t begin = utf8_offset(text, static_cast<std::size_t>(first));
  const std::size_t bytes = utf8_offset(text.substr(begin), static_cast<std::size_t>(take));
  return text.substr(begin, bytes);
}

constexpr std::int64_t kToTheEnd = std::numeric_limits<std::int64_t>::max();

Function substring_function() {
  return {.name = "SUBSTRING",
          .signature = "SUBSTRING(text, start [, length])",
          .summary =
              "From character `start` (1 is the first, -1 the last) on, at most `length` of them.",
          .resolve = takes({Take::kString, Take::kInteger, Take::kInteger}, DataType::string(), 2),
          .make = [](const CallSite& site) -> Result<KernelPtr> {
            if (site.arguments.size() == 2)
              return make_row_kernel<Text(View, std::int64_t)>(
                  [](Row& row, View text, std::int64_t start) {
                    row.text += substring(text, start, kToTheEnd);
                    return Text{};
                  });
            return make_row_kernel<Text(View, std::int64_t, std::int64_t)>(
                [](Row& row, View text, std::int64_t start, std::int64_t length) {
                  if (length < 0) row.null();
                  row.text += substring(text, start, length);
                  return Text{};
                });
          }};
}

bool contains_character(View set, View character) {
  for (std::size_t i = 0; i < set.size();) {
    const std::size_t bytes = utf8_character_bytes(set, i);
    if (set.substr(i, bytes) == character) return true;
    i += bytes;
  }
  return false;
}

View trim_front(View text, View characters) {
  while (!text.empty()) {
    const std::size_t bytes = utf8_character_bytes(text, 0);
    if (!contains_character(characters, text.substr(0, bytes))) break;
    text.remove_prefix(bytes);
  }
  return text;
}

View trim_back(View text, View characters) {
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && is_utf8_continuation(text[start])) --start;
    if (!contains_character(characters, text.substr(start))) break;
    text.remove_suffix(text.size() - start);
  }
  return text;
}

Function trim(std::string name, bool front, bool back, std::string summary) {
  const std::string signature = name + "(text [, characters])";
  const auto cut = [front, back](View text, View characters) {
    if (front) text = trim_front(text, characters);
    return back ? trim_back(text, characters) : text;
  };
  return {.name = std::move(name),
          .signature = signature,
          .summary = std::move(summary),
          .resolve = takes({Take::kString, Take::kString}, DataType::string(), 1),
          .make = [cut](const CallSite& site) -> Result<KernelPtr> {
            if (site.arguments.size() == 1)
              return make_row_kernel<Text(View)>([cut](Row& row, View text) {
                row.text += cut(text, " ");
                return Text{};
              });
            return make_row_kernel<Text(View, View)>([cut](Row& row, View text, View characters) {
              row.text += cut(text, characters);
              return Text{};
            });
          }};
}

void replace_all(std::string& out, View text, View from, View to) {
  if (from.empty()) {
    out += text;
    return;
  }
  std::size_t at = 0;
  for (;;) {
    const std::size_t found = text.find(from, at);
    out += text.substr(at, found - at);
    if (found == View::npos) return;
    out += to;
    at = found + from.size();
  }
}

void overlay(Row& row, View text, View with, std::int64_t start, std::int64_t length) {
  const auto count = static_cast<std::int64_t>(utf8_length(text));
  if (start <= 0 || start > count) {
    row.text += text;
    return;
  }
  const std::size_t begin = utf8_offset(text, static_cast<std::size_t>(start - 1));
  row.text += text.substr(0, begin);
  row.text += with;
  // Flink replaces up to the end when the length is negative.
  if (length < 0) return;
  const View rest = text.substr(begin);
  row.text += rest.substr(utf8_offset(rest, static_cast<std::size_t>(length)));
}

Function overlay_function() {
  return {.name = "OVERLAY",
          .signature = "OVERLAY(text, replacement, start [, length])",
          .summary =
              "The text with `length` characters (as many as the replacement has) from `start` on "
              "replaced.",
          .resolve = takes({Take::kString, Take::kString, Take::kInteger, Take::kInteger},
                           DataType::string(), 3),
          .make = [](const CallSite& site) -> Result<KernelPtr> {
            if (site.arguments.size() == 3)
              return make_row_kernel<Text(View, View, std::int64_t)>(
                  [](Row& row, View text, View with, std::int64_t start) {
                    overlay(row, text, with, start, static_cast<std::int64_t>(utf8_length(with)));
                    return Text{};
                  });
            return make_row_kernel<Text(View, View, std::int64_t, std::int64_t)>(
                [](Row& row, View text, View with, std::int64_t start, std::int64_t length) {
                  overlay(row, text, with, start, length);
                  return Text{};
                });
          }};
}

// Flink: NULL when the length is negative or the padding is needed and empty.
void pad(Row& row, View text, std::int64_t length, View padding, bool left) {
  const auto count = static_cast<std::int64_t>(utf8_length(text));
  if (length < 0 || (padding.empty() && length > count)) return row.null();
  if (length > static_cast<std::int64_t>(kLongestText)) return row.fail("result too long");
  if (length <= count) {
    row.text += text.substr(0, utf8_offset(text, static_cast<std::size_t>(length)));
    return;
  }
  if (!left) row.text += text;
  std::size_t at = 0;
  for (std::int64_t missing = length - count; missing > 0; --missing) {
    const std::size_t bytes = utf8_character_bytes(padding, at);
    row.text += padding.substr(at, bytes);
    at += bytes;
    if (at == padding.size()) at = 0;
  }
  if (left) row.text += text;
}

void repeat_text(Row& row, View text, std::int64_t times) {
  if (times <= 0 || text.empty()) return;
  if (static_cast<std::uint64_t>(times) > kLongestText / text.size())
    return row.fail("result too long");
  for (; times > 0; --times) row.text += text;
}

void reverse_text(std::string& out, View text) {
  for (std::size_t end = text.size(); end > 0;) {
    std::size_t start = end - 1;
    while (start > 0 && is_utf8_continuation(text[start])) --start;
    out += text.substr(start, end - start);
    end = start;
  }
}

bool is_word_character(char32_t c) {
  return (c >= '0' && c <= '9') || to_upper(c) != c || to_lower(c) != c || c >= 0x80;
}

void capitalize(std::string& out, View text) {
  bool first = true;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    append_code_point(out, first ? to_upper(c) : to_lower(c));
    first = !is_word_character(c);
  }
}

void add_case_functions(FunctionTable& table) {
  table.add(text_function<Text(View)>("UPPER", "UPPER(text)", "In upper case.", {Take::kString},
                                      [](Row& row, View text) {
                                        append_upper(row.text, text);
                                        return Text{};
                                      }));
  table.add(text_function<Text(View)>("LOWER", "LOWER(text)", "In lower case.", {Take::kString},
                                      [](Row& row, View text) {
                                        append_lower(row.text, text);
                                        return Text{};
                                      }));
  table.add(text_function<Text(View)>("INITCAP", "INITCAP(text)",
                                      "Each word with its first letter in upper case.",
                                      {Take::kString}, [](Row& row, View text) {
                                        capitalize(row.text, text);
                                        return Text{};
                                      }));
}

void add_cutting_functions(FunctionTable& table) {
  table.add(substring_function());
  table.alias("SUBSTR", "SUBSTRING");
  table.add(text_function<Text(View, std::int64_t)>(
      "LEFT", "LEFT(text, count)", "The first characters.", {Take::kString, Take::kInteger},
      [](Row& row, View text, std::int64_t count) {
        row.text += substring(text, 1, count);
        return Text{};
      }));
  table.add(text_function<Text(View, std::int64_t)>(
      "RIGHT", "RIGHT(text, count)", "The last characters.", {Take::kString, Take::kInteger},
      [](Row& row, View text, std::int64_t count) {
        const auto all = static_cast<std::int64_t>(utf8_length(text));
        row.text += count >= all ? text : count <= 0 ? View() : substring(text, -count, count);
        return Text{};
      }));
  table.add(
      trim("TRIM", true, true,
           "Without the characters (spaces) at both ends. TRIM(LEADING 'x' FROM text) is LTRIM."));
  table.alias("BTRIM", "TRIM");
  table.add(trim("LTRIM", true, false, "Without those at the start."));
  table.add(trim("RTRIM", false, true, "Without those at the end."));
}

void add_building_functions(FunctionTable& table) {
  table.add(text_function<Text(View, View, View)>(
      "REPLACE", "REPLACE(text, from, to)", "Every `from` in the text replaced.",
      {Take::kString, Take::kString, Take::kString}, [](Row& row, View text, View from, View to) {
        replace_all(row.text, text, from, to);
        return Text{};
      }));
  table.add(overlay_function());
  const std::vector<Take> padding = {Take::kString, Take::kInteger, Take::kString};
  table.add(text_function<Text(View, std::int64_t, View)>(
      "LPAD", "LPAD(text, length, padding)", "Filled at the start, or cut, to `length` characters.",
      padding, [](Row& row, View text, std::int64_t length, View fill) {
        pad(row, text, length, fill, true);
        return Text{};
      }));
  table.add(text_function<Text(View, std::int64_t, View)>(
      "RPAD", "RPAD(text, length, padding)", "Filled at the end, or cut, to `length` characters.",
      padding, [](Row& row, View text, std::int64_t length, View fill) {
        pad(row, text, length, fill, false);
        return Text{};
      }));
  table.add(text_function<Text(View, std::int64_t)>(
      "REPEAT", "REPEAT(text, times)", "The text so many times.", {Take::kString, Take::kInteger},
      [](Row& row, View text, std::int64_t times) {
        repeat_text(row, text, times);
        return Text{};
      }));
  table.add(text_function<Text(View)>("REVERSE", "REVERSE(text)", "The characters backwards.",
                                      {Take::kString}, [](Row& row, View text) {
                                        reverse_text(row.text, text);
                                        return Text{};
                                      }));
}

}  // namespace

void add_string_functions(FunctionTable& table) {
  table.topic("Strings");
  table.add({.name = "||",
             .signature = "a || b",
             .summary = "One after the other. Other types are cast to STRING.",
             .resolve = takes({Take::kText, Take::kText}, DataType::string()),
             .make = simple_kernel<ConcatKernel>()});
  table.add({.name = "CONCAT",
             .signature = "CONCAT(a, b, ...)",
             .summary = "One after the other; NULL when one is NULL.",
             .resolve = takes({Take::kText}, DataType::string(), 1, true),
             .make = simple_kernel<ConcatKernel>()});
  table.add({.name = "CONCAT_WS",
             .signature = "CONCAT_WS(separator, a, b, ...)",
             .summary = "The arguments that are not NULL, with the separator between them.",
             .resolve = takes({Take::kString, Take::kText}, DataType::string(), 1, true),
             .make = simple_kernel<JoinKernel>()});
  add_case_functions(table);
  add_cutting_functions(table);
  add_building_functions(table);
}

}  // namespace tidemark
