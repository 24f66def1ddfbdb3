// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tidemark/data/number_text.h"
#include "tidemark/expr/function.h"
#include "tidemark/expr/row_kernel.h"
#include "tidemark/expr/signature.h"
#include "tidemark/expr/utf8.h"

// Functions that measure a string or look something up in it.

namespace tidemark {
namespace {

using View = std::string_view;

template <typename Signature, typename F>
Function search(std::string name, std::string signature, std::string summary,
                std::vector<Take> taken, DataType result, F f) {
  return {.name = std::move(name),
          .signature = std::move(signature),
          .summary = std::move(summary),
          .resolve = takes(std::move(taken), result),
          .make = row_kernel<Signature>(std::move(f))};
}

// 1 for the first character; 0 when it is not there from `start` on.
std::int32_t position(View needle, View text, std::int64_t start) {
  if (start <= 0) return 0;
  const std::size_t from = utf8_offset(text, static_cast<std::size_t>(start - 1));
  const std::size_t found = text.find(needle, from);
  if (found == View::npos) return 0;
  return static_cast<std::int32_t>(utf8_length(text.substr(0, found)) + 1);
}

Function position_function(std::string name, std::string signature) {
  return {.name = std::move(name),
          .signature = std::move(signature),
          .summary =
              "Where the text first contains `part` (from character `start` on); 1 is the first "
              "character, 0 nowhere.",
          .resolve = takes({Take::kString, Take::kString, Take::kInteger}, DataType::integer(), 2),
          .make = [](const CallSite& site) -> Result<KernelPtr> {
            if (site.arguments.size() == 2)
              return make_row_kernel<std::int32_t(View, View)>(
                  [](Row&, View part, View text) { return position(part, text, 1); });
            return make_row_kernel<std::int32_t(View, View, std::int64_t)>(
                [](Row&, View part, View text, std::int64_t start) {
                  return position(part, text, start);
                });
          }};
}

// Part `index` (from 0) between separators; false when there are fewer.
bool split_index(View text, View separator, std::int64_t index, View& part) {
  if (index < 0 || separator.empty()) return false;
  for (;;) {
    const std::size_t end = text.find(separator);
    if (index == 0) {
      part = text.substr(0, end);
      return true;
    }
    if (end == View::npos) return false;
    text.remove_prefix(end + separator.size());
    --index;
  }
}

bool is_letters(View text) {
  if (text.empty()) return false;
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    if (c < 0x80 && to_upper(c) == to_lower(c)) return false;
  }
  return true;
}

bool is_digits(View text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::uint8_t flag(bool value) {
  return value ? 1 : 0;
}

void add_tests(FunctionTable& table) {
  table.add(search<std::uint8_t(View)>(
      "IS_ALPHA", "IS_ALPHA(text)", "Whether it is letters and nothing else.", {Take::kString},
      DataType::boolean(), [](Row&, View text) { return flag(is_letters(text)); }));
  table.add(search<std::uint8_t(View)>(
      "IS_DIGIT", "IS_DIGIT(text)", "Whether it is digits and nothing else.", {Take::kString},
      DataType::boolean(), [](Row&, View text) { return flag(is_digits(text)); }));
  table.add(search<std::uint8_t(View)>(
      "IS_DECIMAL", "IS_DECIMAL(text)", "Whether it reads as a number.", {Take::kString},
      DataType::boolean(), [](Row&, View text) { return flag(parse_real(text).has_value()); }));
  table.add(search<std::uint8_t(View, View)>(
      "STARTSWITH", "STARTSWITH(text, start)", "Whether the text starts so.",
      {Take::kString, Take::kString}, DataType::boolean(),
      [](Row&, View text, View part) { return flag(text.starts_with(part)); }));
  table.add(search<std::uint8_t(View, View)>(
      "ENDSWITH", "ENDSWITH(text, end)", "Whether the text ends so.",
      {Take::kString, Take::kString}, DataType::boolean(),
      [](Row&, View text, View part) { return flag(text.ends_with(part)); }));
}

}  // namespace

void add_string_search_functions(FunctionTable& table) {
  table.add(search<std::int32_t(View)>(
      "CHAR_LENGTH", "CHAR_LENGTH(text)", "The number of characters.", {Take::kString},
      DataType::integer(),
      [](Row&, View text) { return static_cast<std::int32_t>(utf8_length(text)); }));
  table.alias("CHARACTER_LENGTH", "CHAR_LENGTH");
  table.alias("LENGTH", "CHAR_LENGTH");
  table.add(search<std::int32_t(View)>(
      "OCTET_LENGTH", "OCTET_LENGTH(text or bytes)", "The number of bytes.", {Take::kBytes},
      DataType::integer(), [](Row&, View text) { return static_cast<std::int32_t>(text.size()); }));
  table.add(position_function("POSITION", "POSITION(part IN text)"));
  table.add(position_function("LOCATE", "LOCATE(part, text [, start])"));
  table.add(search<std::int32_t(View, View)>(
      "INSTR", "INSTR(text, part)", "As POSITION, with the text first.",
      {Take::kString, Take::kString}, DataType::integer(),
      [](Row&, View text, View part) { return position(part, text, 1); }));
  table.add(search<Text(View, View, std::int64_t)>(
      "SPLIT_INDEX", "SPLIT_INDEX(text, separator, index)",
      "Part `index` (from 0) between the separators; NULL when there are fewer.",
      {Take::kString, Take::kString, Take::kInteger}, DataType::string(),
      [](Row& row, View text, View separator, std::int64_t index) {
        View part;
        if (!split_index(text, separator, index, part)) row.null();
        row.text += part;
        return Text{};
      }));
  table.add(search<std::int32_t(View)>(
      "ASCII", "ASCII(text)", "The number of the first character; 0 for an empty text.",
      {Take::kString}, DataType::integer(), [](Row&, View text) {
        return text.empty() ? 0
                            : static_cast<std::int32_t>(static_cast<unsigned char>(text.front()));
      }));
  table.add(search<Text(std::int64_t)>(
      "CHR", "CHR(number)", "The character of the number modulo 256 (Latin-1).", {Take::kInteger},
      DataType::string(), [](Row& row, std::int64_t number) {
        if (number >= 0) append_code_point(row.text, static_cast<char32_t>(number & 0xff));
        return Text{};
      }));
  add_tests(table);
}

}  // namespace tidemark
