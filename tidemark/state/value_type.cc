// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/value_type.h"

#include <array>
#include <charconv>

namespace tidemark {
namespace {

using Kind = ValueType::Kind;

constexpr std::array<std::string_view, 12> kNumbers = {
    "BOOLEAN", "TINYINT",   "SMALLINT", "INT",   "BIGINT", "UTINYINT",
    "UINT",    "USMALLINT", "UBIGINT",  "FLOAT", "DOUBLE", "TIMESTAMP"};

/// A cursor over the text. Every method says whether it found what it looks for.
class Parser {
 public:
  explicit Parser(std::string_view text) : left_(text) {}

  bool type(ValueType& out) {
    const std::string_view name = word();
    if (name == "STRING") return out.kind = Kind::kString, true;
    if (name == "OPAQUE") return out.kind = Kind::kOpaque, true;
    for (const std::string_view number : kNumbers)
      if (name == number) return out.kind = Kind::kNumber, out.number = name, true;
    if (name == "BYTES") return out.kind = Kind::kBytes, bytes(out);
    if (name == "STRUCT") return out.kind = Kind::kStruct, fields(out);
    if (name == "PLAIN") return out.kind = Kind::kPlain, bytes(out) && fields(out);
    if (name == "PLAIN_OPTIONAL")
      return out.kind = Kind::kPlainOptional, bytes(out) && elements(out, 1);
    if (name == "LIST") return out.kind = Kind::kList, elements(out, 1);
    if (name == "OPTIONAL") return out.kind = Kind::kOptional, elements(out, 1);
    if (name == "MADE") return out.kind = Kind::kMade, elements(out, 1);
    if (name == "LIST_STATE") return out.kind = Kind::kListState, elements(out, 1);
    if (name == "MAP") return out.kind = Kind::kMap, elements(out, 2);
    return false;
  }
  bool at_end() const { return left_.empty(); }

 private:
  bool take(std::string_view expected) {
    if (!left_.starts_with(expected)) return false;
    left_.remove_prefix(expected.size());
    return true;
  }
  std::string_view until(std::string_view ends) {
    const std::size_t end = std::min(left_.find_first_of(ends), left_.size());
    const std::string_view found = left_.substr(0, end);
    left_.remove_prefix(end);
    return found;
  }
  std::string_view word() { return until("<>(), @"); }
  bool number(std::size_t& out) {
    const std::string_view digits = word();
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc() && end == digits.data() + digits.size();
  }
  bool bytes(ValueType& out) { return take("(") && number(out.bytes) && take(")"); }

  bool elements(ValueType& out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!take(i == 0 ? "<" : ", ")) return false;
      if (!type(out.of.emplace_back())) return false;
    }
    return take(">");
  }
  bool fields(ValueType& out) {
    if (!take("<")) return false;
    while (!take(">")) {
      if (!out.fields.empty() && !take(", ")) return false;
      ValueType::Field& field = out.fields.emplace_back();
      field.name = until(" ");
      if (field.name.empty() || !take(" ") || !type(field.type)) return false;
      if (out.kind == Kind::kPlain && !(take(" @") && number(field.offset))) return false;
      if (take(" DEFAULT ")) field.default_value = until(",>");
    }
    return true;
  }

  std::string_view left_;
};

std::string joined(const std::vector<ValueType>& types) {
  std::string text;
  for (const ValueType& type : types) text += (text.empty() ? "" : ", ") + to_string(type);
  return text;
}

// "fixed8: (k BIGINT) -> INT" in two at the arrow.
std::pair<std::string, std::string> split_schema(const std::string& schema) {
  const std::size_t arrow = schema.find(" -> ");
  if (arrow == std::string::npos) return {schema, ""};
  return {schema.substr(0, arrow), schema.substr(arrow + 4)};
}

}  // namespace

std::optional<ValueType> parse_value_type(std::string_view text) {
  Parser parser(text);
  ValueType type;
  if (!parser.type(type) || !parser.at_end()) return std::nullopt;
  return type;
}

std::string to_string(const ValueType& type) {
  switch (type.kind) {
    case Kind::kNumber: return type.number;
    case Kind::kString: return "STRING";
    case Kind::kOpaque: return "OPAQUE";
    case Kind::kBytes: return "BYTES(" + std::to_string(type.bytes) + ")";
    case Kind::kMade: return to_string(type.of[0]);
    case Kind::kList:
    case Kind::kListState: return "LIST<" + joined(type.of) + ">";
    case Kind::kOptional:
    case Kind::kPlainOptional: return "OPTIONAL<" + joined(type.of) + ">";
    case Kind::kMap: return "MAP<" + joined(type.of) + ">";
    case Kind::kStruct:
    case Kind::kPlain: break;
  }
  std::string text;
  for (const ValueType::Field& field : type.fields)
    text += (text.empty() ? "" : ", ") + field.name + " " + to_string(field.type);
  return "STRUCT<" + text + ">";
}

Result<std::optional<ValueConversion>> conversion_between(const std::string& stored,
                                                          const std::string& wanted) {
  if (stored == wanted) return std::optional<ValueConversion>();
  const auto [stored_key, stored_value] = split_schema(stored);
  const auto [wanted_key, wanted_value] = split_schema(wanted);
  const auto from = parse_value_type(stored_value);
  const auto to = parse_value_type(wanted_value);
  if (stored_key != wanted_key || !from || !to)
    return Error{ErrorCode::kCheckpointMismatch,
                 "the checkpoint holds " + stored + ", but the job needs " + wanted};
  const Status possible = check_conversion(*from, *to);
  if (!possible.ok()) return possible.error();
  return std::optional<ValueConversion>({*from, *to});
}

}  // namespace tidemark
