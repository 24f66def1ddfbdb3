// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tidemark/base/random.h"
#include "tidemark/format/format_testing.h"

// Random and mutated text, in random pieces: never a crash, and always the same rows and errors
// however the bytes arrive and however many rows are asked for at a time. And what is written reads
// back.

namespace tidemark {
namespace {

std::string random_bytes(Random& random, std::size_t size, std::string_view alphabet) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i)
    text += random.one_in(20) ? static_cast<char>(random.next())
                              : alphabet[random.below(alphabet.size())];
  return text;
}

std::string mutate(Random& random, std::string text, std::string_view alphabet) {
  for (std::uint64_t i = random.below(6); i > 0 && !text.empty(); --i) {
    const std::size_t at = random.below(text.size());
    switch (random.below(4)) {
      case 0: text[at] = alphabet[random.below(alphabet.size())]; break;
      case 1: text.erase(at, 1 + random.below(5)); break;
      case 2: text.insert(at, 1, alphabet[random.below(alphabet.size())]); break;
      default: text.insert(at, text.substr(random.below(text.size()), random.below(30)));
    }
  }
  return text;
}

std::vector<std::size_t> random_cuts(Random& random, std::size_t size) {
  std::vector<std::size_t> cuts;
  for (std::uint64_t i = random.below(8); i > 0; --i) cuts.push_back(random.below(size + 1));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

SchemaPtr mixed_schema() {
  return make_schema({{"id", DataType::integer()},
                      {"s", DataType::string()},
                      {"d", DataType::float64()},
                      {"t", DataType::timestamp(3)}});
}

void check_pieces(Random& random, const Format& format, const SchemaPtr& schema,
                  const std::string& text, std::uint64_t seed) {
  const Decoded whole = decode(format, schema, text);
  for (int i = 0; i < 4; ++i)
    ASSERT_EQ(decode(format, schema, text, random_cuts(random, text.size()), 1 + random.below(9)),
              whole)
        << "seed " << seed << ", text: " << text;
}

TEST(FormatFuzz, CsvDoesNotDependOnPieces) {
  const SchemaPtr schema = mixed_schema();
  const std::string good =
      "1,abc,1.5,2001-01-01 00:00:00\n2,\"x,\"\"y\"\"\nz\",-2e5,2001-01-01T00:00:01.5\r\n"
      "3,,,\n-4,plain,7,2002-02-02 12:00:00\n5,e,0,2002-02-02 12:00:00\n";
  const std::vector<OptionMap> options = {
      {},
      {{"csv.max-record-bytes", "24"}},
      {{"csv.escape-character", "\\"}, {"csv.allow-comments", "true"}},
      {{"csv.ignore-parse-errors", "true"}, {"csv.null-literal", "1"}},
      {{"csv.disable-quote-character", "true"}},
      {{"csv.ignore-first-line", "true"}, {"csv.max-record-bytes", "9"}}};
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    OptionMap chosen = options[seed % options.size()];
    chosen.emplace("format", "csv");
    const auto format = format_of(schema, chosen);
    const std::string alphabet = ",,,\n\n\"\"\r12a#\\-. :";
    const std::string text = random.one_in(3)
                                 ? random_bytes(random, random.below(200), alphabet)
                                 : mutate(random, good + (random.one_in(2) ? good : ""), alphabet);
    check_pieces(random, *format, schema, text, seed);
    if (HasFatalFailure()) return;
  }
}

TEST(FormatFuzz, JsonDoesNotDependOnPieces) {
  const SchemaPtr schema = mixed_schema();
  const std::string line = "{\"id\":1,\"s\":\"abc\",\"d\":1.5,\"t\":\"2001-01-01 00:00:00\"}\n";
  const std::string good = line + line + "{\"s\":\"\\u00e9\\n\",\"x\":[1,{}],\"id\":2}\r\n\n" +
                           line + "{\"s\":{\"a\":[1,2]},\"d\":null}\n" + line;
  const std::vector<OptionMap> options = {{},
                                          {{"json.max-record-bytes", "40"}},
                                          {{"json.ignore-parse-errors", "true"}},
                                          {{"json.fail-on-missing-field", "true"}}};
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Random random(seed);
    OptionMap chosen = options[seed % options.size()];
    chosen.emplace("format", "json");
    const auto format = format_of(schema, chosen);
    const std::string alphabet = "{}[]:,\"\"\\\n 01e.-ntidsu";
    const std::string text = random.one_in(3) ? random_bytes(random, random.below(200), alphabet)
                                              : mutate(random, good, alphabet);
    check_pieces(random, *format, schema, text, seed);
    if (HasFatalFailure()) return;
  }
}

// --- Round trips ---

std::string random_text(Random& random) {
  static constexpr std::string_view kPieces[] = {
      "a",  "Z",        ",", "\"",   "\n", "\r",   "\\",   "#",
      "\t", "\xc3\xa9", " ", "null", "'",  "\x01", "\x7f", "\xf0\x9f\x98\x80",
      "0",  "n"};
  std::string text;
  for (std::uint64_t i = random.below(6); i > 0; --i)
    text += kPieces[random.below(std::size(kPieces))];
  return text;
}

Value random_value(Random& random, const DataType& type) {
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return Value::of_integer(type, low + static_cast<std::int64_t>(
                                             random.below(static_cast<std::uint64_t>(high - low))));
  };
  switch (type.kind) {
    case TypeKind::kBoolean: return number(0, 2);
    case TypeKind::kTinyInt: return number(-128, 128);
    case TypeKind::kSmallInt: return number(-32768, 32768);
    case TypeKind::kInt: return Value::of_integer(type, static_cast<std::int32_t>(random.next()));
    case TypeKind::kBigInt:
      return Value::of_integer(type, static_cast<std::int64_t>(random.next()));
    case TypeKind::kFloat: return Value::of_real(type, static_cast<float>(random.unit() * 1e9));
    case TypeKind::kDouble: return Value::of_real(type, random.unit() * 1e-9);
    case TypeKind::kDecimal:
      return Value::of_integer(type, static_cast<__int128>(random.next()) * 1'000'000'007);
    case TypeKind::kString: return Value::of_text(type, random_text(random));
    // Without quotes no bytes at all cannot be told from NULL: CsvEncoder refuses them.
    case TypeKind::kBytes: return Value::of_text(type, random_text(random) + "x");
    case TypeKind::kDate: return number(-100'000, 100'000);
    case TypeKind::kTime: return number(0, 86'400'000);
    default: return number(-1'000'000'000'000, 4'000'000'000'000);
  }
}

SchemaPtr all_types() {
  return make_schema({{"s", DataType::string()},
                      {"b", DataType::boolean()},
                      {"i1", DataType::tiny_int()},
                      {"i2", DataType::small_int()},
                      {"i4", DataType::integer()},
                      {"i8", DataType::big_int()},
                      {"f4", DataType::float32()},
                      {"f8", DataType::float64()},
                      {"m", DataType::decimal(38, 12)},
                      {"x", DataType::bytes()},
                      {"d", DataType::date()},
                      {"c", DataType::time(3)},
                      {"t", DataType::timestamp(3)},
                      {"l", DataType::timestamp_ltz(6)}});
}

void check_round_trip(OptionMap options, bool string_nulls) {
  const SchemaPtr schema = all_types();
  const auto format = format_of(schema, std::move(options));
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    std::vector<std::vector<Value>> rows(1 + random.below(5));
    for (auto& row : rows)
      for (const Field& field : schema->fields) {
        const bool may_be_null = string_nulls || field.type.kind != TypeKind::kString;
        row.push_back(may_be_null && random.one_in(5) ? Value::null(field.type)
                                                      : random_value(random, field.type));
      }
    const BatchPtr batch = batch_of(schema, rows);
    const std::string text = encode(*format, *batch);
    const Decoded got = decode(*format, schema, text, random_cuts(random, text.size()));
    ASSERT_EQ(got.errors, std::vector<std::string>()) << text;
    ASSERT_EQ(got.rows, rows_as_text(*batch)) << text;
  }
}

TEST(FormatRoundTrip, Csv) {
  // Without a NULL literal a NULL string reads back as '', which is Flink's rule.
  check_round_trip({{"format", "csv"}}, false);
  check_round_trip({{"format", "csv"}, {"csv.null-literal", "null"}}, true);
  check_round_trip({{"format", "csv"}, {"csv.null-literal", ""}}, true);
  check_round_trip({{"format", "csv"}, {"csv.null-literal", "0"}, {"csv.field-delimiter", "-"}},
                   true);
  check_round_trip({{"format", "csv"},
                    {"csv.null-literal", "\\N"},
                    {"csv.escape-character", "\\"},
                    {"csv.field-delimiter", ":"},
                    {"csv.quote-character", "'"},
                    {"csv.allow-comments", "true"}},
                   true);
  check_round_trip({{"format", "csv"},
                    {"csv.escape-character", "\\"},
                    {"csv.disable-quote-character", "true"},
                    {"csv.allow-comments", "true"},
                    {"csv.null-literal", "<NULL>"}},
                   true);
}

TEST(FormatRoundTrip, Json) {
  check_round_trip({{"format", "json"}}, true);
  check_round_trip({{"format", "json"},
                    {"json.timestamp-format.standard", "ISO-8601"},
                    {"json.encode.ignore-null-fields", "true"},
                    {"json.encode.decimal-as-plain-number", "true"}},
                   true);
}

}  // namespace
}  // namespace tidemark
