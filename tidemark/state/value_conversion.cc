// SPDX-License-Identifier: Apache-2.0
// From the bytes of one type to those of another, by way of a value that knows neither.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "tidemark/base/bytes.h"
#include "tidemark/base/check.h"
#include "tidemark/state/value_type.h"

namespace tidemark {
namespace {

using Kind = ValueType::Kind;

struct NumberTraits {
  std::size_t bytes;
  bool is_signed;
  bool is_real;
};

NumberTraits traits_of(std::string_view name) {
  if (name == "FLOAT") return {4, true, true};
  if (name == "DOUBLE") return {8, true, true};
  if (name == "BOOLEAN") return {1, false, false};
  if (name == "TIMESTAMP") return {8, true, false};
  const bool is_signed = name.front() != 'U';
  if (!is_signed) name.remove_prefix(1);
  const std::size_t bytes = name == "TINYINT"    ? 1u
                            : name == "SMALLINT" ? 2u
                            : name == "INT"      ? 4u
                                                 : 8u;
  return {bytes, is_signed, false};
}

bool widens(const std::string& from, const std::string& to) {
  if (from == to) return true;
  const auto is_special = [](std::string_view name) {
    return name == "BOOLEAN" || name == "TIMESTAMP";
  };
  if (is_special(from) || is_special(to)) return false;
  const NumberTraits a = traits_of(from);
  const NumberTraits b = traits_of(to);
  if (a.is_real) return b.is_real && a.bytes < b.bytes;
  if (b.is_real) return a.bytes < b.bytes;  // 16 bits in a FLOAT, 32 in a DOUBLE
  if (a.is_signed && !b.is_signed) return false;
  return a.bytes < b.bytes;
}

bool is_struct(const ValueType& type) {
  return type.kind == Kind::kStruct || type.kind == Kind::kPlain;
}
bool is_optional(const ValueType& type) {
  return type.kind == Kind::kOptional || type.kind == Kind::kPlainOptional;
}
const ValueType& bare(const ValueType& type) {
  return type.kind == Kind::kMade ? type.of[0] : type;
}
const ValueType::Field* field_of(const ValueType& type, const std::string& name) {
  for (const ValueType::Field& field : type.fields)
    if (field.name == name) return &field;
  return nullptr;
}

/// A value of any type.
struct Value {
  std::int64_t integer = 0;
  double real = 0;
  bool there = true;  // an optional's
  std::string text;   // strings, bytes, keys of a map
  std::vector<Value> items;
};

// ---- Checking ----

Status check(const ValueType& from, const ValueType& to, const std::string& path) {
  const auto differ = [&] {
    return Error{ErrorCode::kCheckpointMismatch,
                 (path.empty() ? std::string("the value") : "field '" + path + "'") + " is " +
                     to_string(from) + " in the checkpoint, but " + to_string(to) + " in the job"};
  };
  if (from.kind == Kind::kMade || to.kind == Kind::kMade) return check(bare(from), bare(to), path);
  if (is_optional(to)) return check(is_optional(from) ? from.of[0] : from, to.of[0], path);
  if (is_struct(from) && is_struct(to)) {
    for (const ValueType::Field& field : to.fields) {
      const ValueType::Field* old = field_of(from, field.name);
      if (old == nullptr) continue;
      const std::string inner = path.empty() ? field.name : path + "." + field.name;
      const Status status = check(old->type, field.type, inner);
      if (!status.ok()) return status;
    }
    return {};
  }
  if (from.kind != to.kind) return differ();
  switch (from.kind) {
    case Kind::kNumber:
      if (widens(from.number, to.number)) return {};
      return differ();
    case Kind::kString: return {};
    case Kind::kList:
    case Kind::kListState: return check(from.of[0], to.of[0], path.empty() ? "[]" : path + "[]");
    case Kind::kBytes:
      if (from.bytes == to.bytes) return {};
      return differ();
    case Kind::kMap:
      if (to_string(from.of[0]) != to_string(to.of[0])) return differ();
      return check(from.of[1], to.of[1], path.empty() ? "[]" : path + "[]");
    default: return differ();
  }
}

// ---- Reading ----

Value read(const ValueType& type, ByteReader& in);

Value read_number(const ValueType& type, ByteReader& in) {
  const NumberTraits traits = traits_of(type.number);
  Value value;
  if (traits.is_real) {
    value.real = traits.bytes == 4 ? in.get<float>() : in.get<double>();
    return value;
  }
  std::uint64_t bits = 0;
  std::memcpy(&bits, in.get_raw(traits.bytes).data(), traits.bytes);
  const int unused = 64 - 8 * static_cast<int>(traits.bytes);
  value.integer = traits.is_signed ? static_cast<std::int64_t>(bits << unused) >> unused
                                   : static_cast<std::int64_t>(bits);
  return value;
}

std::size_t plain_bytes(const ValueType& type) {
  return type.kind == Kind::kNumber ? traits_of(type.number).bytes : type.bytes;
}

Value read_list(const ValueType& type, ByteReader& in) {
  Value value;
  for (auto left = in.get<std::uint32_t>(); left > 0; --left)
    value.items.push_back(read(type.of[0], in));
  return value;
}

Value read_optional(const ValueType& type, ByteReader& in) {
  Value value;
  if (type.kind == Kind::kOptional) {
    value.there = in.get<std::uint8_t>() != 0;
    if (value.there) value.items.push_back(read(type.of[0], in));
    return value;
  }
  ByteReader whole(in.get_raw(type.bytes));
  value.items.push_back(read(type.of[0], whole));
  value.there = whole.get<std::uint8_t>() != 0;
  if (!value.there) value.items.clear();
  return value;
}

Value read_plain(const ValueType& type, ByteReader& in) {
  const std::string_view whole = in.get_raw(type.bytes);
  Value value;
  for (const ValueType::Field& field : type.fields) {
    ByteReader at(whole.substr(std::min(field.offset, whole.size())));
    value.items.push_back(read(field.type, at));
  }
  return value;
}

const ValueType& stamp_list() {
  static const ValueType type = *parse_value_type("LIST<BIGINT>");
  return type;
}

Value read(const ValueType& type, ByteReader& in) {
  Value value;
  switch (type.kind) {
    case Kind::kNumber: return read_number(type, in);
    case Kind::kString: value.text = in.get_string(); return value;
    case Kind::kBytes: value.text = in.get_raw(type.bytes); return value;
    case Kind::kList: return read_list(type, in);
    case Kind::kOptional:
    case Kind::kPlainOptional: return read_optional(type, in);
    case Kind::kPlain: return read_plain(type, in);
    case Kind::kStruct:
      for (const ValueType::Field& field : type.fields) value.items.push_back(read(field.type, in));
      return value;
    case Kind::kMade: {
      in.get_raw(8);
      value = read(type.of[0], in);
      in.get_raw((8 - plain_bytes(type.of[0]) % 8) % 8);
      return value;
    }
    case Kind::kListState:
      value.items.push_back(read_list(type, in));
      value.items.push_back(read_list(stamp_list(), in));
      return value;
    default: break;
  }
  TIDEMARK_CHECK(false, "a type that can be converted");
  return value;
}

// ---- Converting ----

Value default_of(const ValueType::Field& field) {
  Value value;
  if (is_optional(field.type)) value.there = false;
  for (const ValueType::Field& inner : field.type.fields) value.items.push_back(default_of(inner));
  if (field.default_value.empty()) return value;
  const char* end = field.default_value.data() + field.default_value.size();
  std::from_chars(field.default_value.data(), end, value.integer);
  value.real = std::strtod(field.default_value.c_str(), nullptr);
  return value;
}

Value convert(Value value, const ValueType& from, const ValueType& to) {
  if (from.kind == Kind::kMade || to.kind == Kind::kMade)
    return convert(std::move(value), bare(from), bare(to));
  if (is_optional(to)) {
    if (!is_optional(from)) {
      Value made;
      made.items.push_back(convert(std::move(value), from, to.of[0]));
      return made;
    }
    for (Value& item : value.items) item = convert(std::move(item), from.of[0], to.of[0]);
    return value;
  }
  if (is_struct(to)) {
    Value made;
    for (const ValueType::Field& field : to.fields) {
      const ValueType::Field* old = field_of(from, field.name);
      made.items.push_back(
          old == nullptr
              ? default_of(field)
              : convert(std::move(value.items[static_cast<std::size_t>(old - &from.fields[0])]),
                        old->type, field.type));
    }
    return made;
  }
  if (to.kind == Kind::kNumber && traits_of(to.number).is_real && !traits_of(from.number).is_real)
    value.real = static_cast<double>(value.integer);
  std::vector<Value>* items = to.kind == Kind::kList        ? &value.items
                              : to.kind == Kind::kListState ? &value.items[0].items
                                                            : nullptr;
  for (std::size_t i = 0; items != nullptr && i < items->size(); ++i)
    (*items)[i] = convert(std::move((*items)[i]), from.of[0], to.of[0]);
  return value;
}

// ---- Writing ----

void write(const Value& value, const ValueType& type, ByteWriter& out);

void write_number(const Value& value, const ValueType& type, ByteWriter& out) {
  const NumberTraits traits = traits_of(type.number);
  if (traits.is_real) {
    if (traits.bytes == 4) return out.put(static_cast<float>(value.real));
    return out.put(value.real);
  }
  out.put_raw({reinterpret_cast<const char*>(&value.integer), traits.bytes});
}

void write_list(const std::vector<Value>& items, const ValueType& type, ByteWriter& out) {
  out.put(static_cast<std::uint32_t>(items.size()));
  for (const Value& item : items) write(item, type.of[0], out);
}

// Pads with zeros to `bytes` from `begin` on.
void pad(ByteWriter& out, std::size_t begin, std::size_t bytes) {
  while (out.size() < begin + bytes) out.put(std::uint8_t{0});
}

void write_optional(const Value& value, const ValueType& type, ByteWriter& out) {
  if (type.kind == Kind::kOptional) {
    out.put(static_cast<std::uint8_t>(value.there));
    if (value.there) write(value.items[0], type.of[0], out);
    return;
  }
  const std::size_t begin = out.size();
  if (value.there) write(value.items[0], type.of[0], out);
  pad(out, begin, plain_bytes(type.of[0]));
  out.put(static_cast<std::uint8_t>(value.there));
  pad(out, begin, type.bytes);
}

void write_plain(const Value& value, const ValueType& type, ByteWriter& out) {
  std::string whole(type.bytes, '\0');
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    ByteWriter field;
    write(value.items[i], type.fields[i].type, field);
    TIDEMARK_CHECK(type.fields[i].offset + field.size() <= whole.size(), "a field in its struct");
    std::memcpy(whole.data() + type.fields[i].offset, field.view().data(), field.size());
  }
  out.put_raw(whole);
}

void write(const Value& value, const ValueType& type, ByteWriter& out) {
  switch (type.kind) {
    case Kind::kNumber: return write_number(value, type, out);
    case Kind::kString: return out.put_string(value.text);
    case Kind::kBytes: return out.put_raw(value.text);
    case Kind::kList: return write_list(value.items, type, out);
    case Kind::kOptional:
    case Kind::kPlainOptional: return write_optional(value, type, out);
    case Kind::kPlain: return write_plain(value, type, out);
    case Kind::kStruct:
      for (std::size_t i = 0; i < type.fields.size(); ++i)
        write(value.items[i], type.fields[i].type, out);
      return;
    case Kind::kMade: {
      const std::size_t begin = out.size();
      out.put(std::uint64_t{1});
      write(value, type.of[0], out);
      return pad(out, begin, 8 + (plain_bytes(type.of[0]) + 7) / 8 * 8);
    }
    case Kind::kListState:
      write_list(value.items[0].items, type, out);
      return write_list(value.items[1].items, stamp_list(), out);
    default: TIDEMARK_CHECK(false, "a type that can be converted");
  }
}

// An ordered table's page: its values are converted one by one.
std::string convert_page(const ValueType& from, const ValueType& to, std::string_view stored) {
  ByteReader in(stored);
  ByteWriter out;
  const auto entries = in.get<std::uint32_t>();
  out.put(entries);
  for (std::uint32_t i = 0; i < entries; ++i) {
    out.put(in.get<std::int64_t>());
    out.put_string(in.get_string());
    out.put_string(convert_value(from.of[1], to.of[1], in.get_string()));
  }
  out.put_raw(in.get_raw(in.remaining()));
  return out.take();
}

}  // namespace

std::optional<std::size_t> plain_entry_bytes(const ValueType& type) {
  if (type.kind != Kind::kMade) return std::nullopt;
  return 8 + (plain_bytes(type.of[0]) + 7) / 8 * 8;
}

Status check_conversion(const ValueType& from, const ValueType& to) {
  return check(from, to, "");
}

std::string convert_value(const ValueType& from, const ValueType& to, std::string_view stored) {
  if (to.kind == Kind::kMap) return convert_page(from, to, stored);
  ByteReader in(stored);
  Value value = convert(read(from, in), from, to);
  if (!in.at_end())
    throw Failure(ErrorCode::kCheckpointDamaged, "a stored value is longer than its type",
                  /*retryable=*/false);
  ByteWriter out;
  write(value, to, out);
  return out.take();
}

}  // namespace tidemark
