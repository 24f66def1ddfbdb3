// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/datagen/column_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "tidemark/base/hash.h"
#include "tidemark/data/decimal.h"

namespace tidemark {
namespace {

constexpr std::int64_t kDefaultLength = 100;
constexpr std::int64_t kMillisPerDay = 86'400'000;

std::string option_of(const Field& field, std::string_view name) {
  return fmt::format("fields.{}.{}", field.name, name);
}

// A number in [low, low + span), where a span of 0 is all 2^64.
std::uint64_t uniform(std::uint64_t random, std::uint64_t span) noexcept {
  if (span == 0) return random;
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(random) * span) >> 64);
}

// Makes some values NULL, if asked to.
class NullRate {
 public:
  explicit NullRate(double rate)
      : threshold_(rate >= 1 ? std::numeric_limits<std::uint64_t>::max()
                             : static_cast<std::uint64_t>(rate * 0x1.0p64)) {}

  bool any() const noexcept { return threshold_ > 0; }
  bool is_null(std::uint64_t random) const noexcept { return random < threshold_; }

  void apply(const GeneratedRows& rows, const RowRandom& random, std::size_t first,
             ColumnBuilder& builder) const {
    if (!any()) return;
    for (std::size_t i = 0; i < rows.count; ++i)
      if (is_null(random.at(rows.first + i * rows.step))) builder.set_null(first + i);
  }

 private:
  std::uint64_t threshold_;
};

// What all kinds of random columns share. `Make` turns a random number and the rows into a value.
template <typename T, typename Make>
class RandomColumn final : public ColumnGenerator {
 public:
  RandomColumn(std::string name, double null_rate, Make make)
      : name_(std::move(name)), nulls_(null_rate), make_(std::move(make)) {}

  void append(const GeneratedRows& rows, std::uint64_t seed,
              ColumnBuilder& builder) const override {
    const RowRandom random(seed, name_, "value");
    const std::size_t first = builder.size();
    T* out = builder.extend<T>(rows.count);
    for (std::size_t i = 0; i < rows.count; ++i)
      out[i] = make_(random.at(rows.first + i * rows.step), rows);
    nulls_.apply(rows, RowRandom(seed, name_, "null"), first, builder);
  }

 private:
  std::string name_;
  NullRate nulls_;
  Make make_;
};

template <typename T, typename Make>
std::unique_ptr<ColumnGenerator> random_column(const Field& field, double null_rate, Make make) {
  return std::make_unique<RandomColumn<T, Make>>(field.name, null_rate, std::move(make));
}

// Strings of hexadecimal digits, as Flink's, and random bytes.
class RandomText final : public ColumnGenerator {
 public:
  RandomText(const Field& field, double null_rate, std::size_t length, bool variable)
      : name_(field.name),
        hexadecimal_(field.type.kind == TypeKind::kString),
        nulls_(null_rate),
        length_(length),
        variable_(variable) {}

  void append(const GeneratedRows& rows, std::uint64_t seed,
              ColumnBuilder& builder) const override {
    const RowRandom values(seed, name_, "value");
    const RowRandom nulls(seed, name_, "null");
    std::string text;
    for (std::size_t i = 0; i < rows.count; ++i) {
      const std::uint64_t row = rows.first + i * rows.step;
      if (nulls_.any() && nulls_.is_null(nulls.at(row))) {
        builder.append_null();
        continue;
      }
      fill(Random(values.at(row)), text);
      builder.append_string(text);
    }
  }

 private:
  void fill(Random random, std::string& text) const {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    text.resize(variable_ && length_ > 0 ? 1 + random.below(length_) : length_);
    const int bits = hexadecimal_ ? 4 : 8;
    const std::uint64_t mask = hexadecimal_ ? 15 : 255;
    std::uint64_t word = 0;
    int left = 0;
    for (char& c : text) {
      if (left == 0) {
        word = random.next();
        left = 64;
      }
      c = hexadecimal_ ? kDigits[word & mask] : static_cast<char>(word & mask);
      word >>= bits;
      left -= bits;
    }
  }

  std::string name_;
  bool hexadecimal_;
  NullRate nulls_;
  std::size_t length_;
  bool variable_;
};

class Sequence final : public ColumnGenerator {
 public:
  Sequence(DataType type, std::int64_t start, std::int64_t end)
      : type_(type), start_(start), end_(end) {}

  std::optional<std::uint64_t> rows_max() const override {
    // The whole range of BIGINT is one more than fits, which nobody lives to see.
    const std::uint64_t distance =
        static_cast<std::uint64_t>(end_) - static_cast<std::uint64_t>(start_);
    return distance == std::numeric_limits<std::uint64_t>::max() ? distance : distance + 1;
  }

  void append(const GeneratedRows& rows, std::uint64_t, ColumnBuilder& builder) const override {
    switch (type_.kind) {
      case TypeKind::kTinyInt: return append_as<std::int8_t>(rows, builder);
      case TypeKind::kSmallInt: return append_as<std::int16_t>(rows, builder);
      case TypeKind::kInt: return append_as<std::int32_t>(rows, builder);
      case TypeKind::kBigInt: return append_as<std::int64_t>(rows, builder);
      case TypeKind::kFloat: return append_as<float>(rows, builder);
      case TypeKind::kDouble: return append_as<double>(rows, builder);
      case TypeKind::kDecimal: return append_as<Int128>(rows, builder);
      default: return append_text(rows, builder);
    }
  }

 private:
  std::int64_t value(const GeneratedRows& rows, std::size_t i) const noexcept {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(start_) + rows.first +
                                     i * rows.step);
  }
  template <typename T>
  void append_as(const GeneratedRows& rows, ColumnBuilder& builder) const {
    const T factor = std::is_same_v<T, Int128> ? static_cast<T>(power_of_ten(type_.scale)) : T{1};
    T* out = builder.extend<T>(rows.count);
    for (std::size_t i = 0; i < rows.count; ++i)
      out[i] = static_cast<T>(static_cast<T>(value(rows, i)) * factor);
  }
  void append_text(const GeneratedRows& rows, ColumnBuilder& builder) const {
    for (std::size_t i = 0; i < rows.count; ++i)
      builder.append_string(std::to_string(value(rows, i)));
  }

  DataType type_;
  std::int64_t start_;
  std::int64_t end_;
};

struct Range {
  std::int64_t low;
  std::int64_t high;
};

Range range_of_type(TypeKind kind) {
  const auto of = [](auto zero) {
    using T = decltype(zero);
    return Range{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  };
  switch (kind) {
    case TypeKind::kTinyInt: return of(std::int8_t{});
    case TypeKind::kSmallInt: return of(std::int16_t{});
    case TypeKind::kInt: return of(std::int32_t{});
    default: return of(std::int64_t{});
  }
}

using Made = Result<std::unique_ptr<ColumnGenerator>>;

Error wrong_order(const Field& field, const OptionReader& options) {
  return options.wrong(option_of(field, "max"), "a number not below that of 'min'",
                       "one that is below");
}

template <typename T>
Made make_random_integer(const Field& field, OptionReader& options, double null_rate) {
  const Range range = range_of_type(field.type.kind);
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::int64_t low,
      options.integer(option_of(field, "min"), range.low, range.low, range.high));
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::int64_t high,
      options.integer(option_of(field, "max"), range.high, range.low, range.high));
  if (high < low) return wrong_order(field, options);
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
  return random_column<T>(
      field, null_rate, [low, span](std::uint64_t random, const GeneratedRows&) {
        return static_cast<T>(static_cast<std::uint64_t>(low) + uniform(random, span));
      });
}

template <typename T>
Made make_random_real(const Field& field, OptionReader& options, double null_rate) {
  const double largest = std::numeric_limits<T>::max();
  TIDEMARK_ASSIGN_OR_RETURN(const double low,
                            options.real(option_of(field, "min"), 0, -largest, largest));
  TIDEMARK_ASSIGN_OR_RETURN(const double high,
                            options.real(option_of(field, "max"), largest, -largest, largest));
  if (high < low) return wrong_order(field, options);
  return random_column<T>(field, null_rate,
                          [low, high](std::uint64_t random, const GeneratedRows&) {
                            const double unit = static_cast<double>(random >> 11) * 0x1.0p-53;
                            return static_cast<T>(low * (1 - unit) + high * unit);
                          });
}

Made make_random_decimal(const Field& field, OptionReader& options, double null_rate) {
  const DataType type = field.type;
  const auto read = [&](std::string_view name, Int128 default_value) -> Result<Int128> {
    const std::string option = option_of(field, name);
    const std::string text = options.optional(option, "");
    if (text.empty()) return default_value;
    const auto value = parse_decimal(text, type.precision, type.scale);
    if (!value) return options.wrong(option, "a value of " + to_string(type), text);
    return *value;
  };
  TIDEMARK_ASSIGN_OR_RETURN(const Int128 low, read("min", 0));
  TIDEMARK_ASSIGN_OR_RETURN(const Int128 high, read("max", power_of_ten(type.precision) - 1));
  if (high < low) return wrong_order(field, options);
  const auto span = static_cast<unsigned __int128>(high - low) + 1;
  return random_column<Int128>(
      field, null_rate, [low, span](std::uint64_t random, const GeneratedRows&) {
        // The remainder favours the lower values: of 38 digits by a third or more, of 30 by one in
        // 10^8.
        Random more(random);
        const auto wide = static_cast<unsigned __int128>(more.next()) << 64 | more.next();
        return low + static_cast<Int128>(wide % span);
      });
}

Made make_random_text(const Field& field, OptionReader& options, double null_rate) {
  const std::int64_t declared = field.type.length;
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::int64_t length,
      options.integer(option_of(field, "length"), declared > 0 ? declared : kDefaultLength, 0,
                      declared > 0 ? declared : 1'000'000));
  TIDEMARK_ASSIGN_OR_RETURN(const bool variable,
                            options.boolean(option_of(field, "var-len"), false));
  return std::unique_ptr<ColumnGenerator>(
      std::make_unique<RandomText>(field, null_rate, static_cast<std::size_t>(length), variable));
}

Made make_random_timestamp(const Field& field, OptionReader& options, double null_rate) {
  TIDEMARK_ASSIGN_OR_RETURN(const Millis max_past,
                            options.duration(option_of(field, "max-past"), 0));
  const std::int64_t units_per_milli = timestamp_units_per_second(field.type.precision) / 1000;
  return random_column<std::int64_t>(
      field, null_rate,
      [max_past, units_per_milli](std::uint64_t random, const GeneratedRows& rows) {
        const auto past =
            static_cast<Millis>(uniform(random, static_cast<std::uint64_t>(max_past) + 1));
        return (rows.base_time - past) * units_per_milli;
      });
}

Made make_random(const Field& field, OptionReader& options) {
  TIDEMARK_ASSIGN_OR_RETURN(const double rate,
                            options.real(option_of(field, "null-rate"), 0, 0, 1));
  if (rate > 0 && !field.type.nullable)
    return options.wrong(option_of(field, "null-rate"), "0, because the column is NOT NULL",
                         std::to_string(rate));
  switch (field.type.kind) {
    case TypeKind::kBoolean:
      return random_column<std::uint8_t>(field, rate,
                                         [](std::uint64_t random, const GeneratedRows&) {
                                           return static_cast<std::uint8_t>(random >> 63);
                                         });
    case TypeKind::kTinyInt: return make_random_integer<std::int8_t>(field, options, rate);
    case TypeKind::kSmallInt: return make_random_integer<std::int16_t>(field, options, rate);
    case TypeKind::kInt: return make_random_integer<std::int32_t>(field, options, rate);
    case TypeKind::kBigInt: return make_random_integer<std::int64_t>(field, options, rate);
    case TypeKind::kFloat: return make_random_real<float>(field, options, rate);
    case TypeKind::kDouble: return make_random_real<double>(field, options, rate);
    case TypeKind::kDecimal: return make_random_decimal(field, options, rate);
    case TypeKind::kString:
    case TypeKind::kBytes: return make_random_text(field, options, rate);
    case TypeKind::kTimestamp:
    case TypeKind::kTimestampLtz: return make_random_timestamp(field, options, rate);
    case TypeKind::kDate:
      return random_column<std::int32_t>(field, rate, [](std::uint64_t, const GeneratedRows& rows) {
        return static_cast<std::int32_t>(floor_div(rows.base_time, kMillisPerDay));
      });
    case TypeKind::kTime:
      return random_column<std::int32_t>(field, rate, [](std::uint64_t, const GeneratedRows& rows) {
        return static_cast<std::int32_t>(floor_mod(rows.base_time, kMillisPerDay));
      });
    default: break;
  }
  return Error{ErrorCode::kUnsupported,
               fmt::format("{}: column '{}' has type {}, which datagen cannot make",
                           options.owner(), field.name, to_string(field.type))};
}

Made make_sequence(const Field& field, OptionReader& options) {
  const TypeKind kind = field.type.kind;
  if (!is_numeric(kind) && kind != TypeKind::kString)
    return options.wrong(option_of(field, "kind"),
                         fmt::format("'random' for a column of type {}", to_string(field.type)),
                         "sequence");
  const Range range = range_of_type(kind);
  for (const std::string_view name : {"start", "end"})
    TIDEMARK_TRY(options.required(option_of(field, name)));
  TIDEMARK_ASSIGN_OR_RETURN(const std::int64_t start,
                            options.integer(option_of(field, "start"), 0, range.low, range.high));
  TIDEMARK_ASSIGN_OR_RETURN(const std::int64_t end,
                            options.integer(option_of(field, "end"), 0, range.low, range.high));
  if (end < start)
    return options.wrong(option_of(field, "end"), "a number not below that of 'start'",
                         std::to_string(end));
  if (kind == TypeKind::kDecimal) {
    const int whole_digits = field.type.precision - field.type.scale;
    if (!fits_precision(start, whole_digits) || !fits_precision(end, whole_digits))
      return options.wrong(option_of(field, "end"), "a value of " + to_string(field.type),
                           std::to_string(end));
  }
  return std::unique_ptr<ColumnGenerator>(std::make_unique<Sequence>(field.type, start, end));
}

}  // namespace

RowRandom::RowRandom(std::uint64_t seed, std::string_view column, std::string_view use)
    : state_(stable_hash(fmt::format("{}/{}/{}", seed, use, column))) {}

Made make_column_generator(const Field& field, OptionReader& options) {
  TIDEMARK_ASSIGN_OR_RETURN(
      const std::string kind,
      options.choice(option_of(field, "kind"), {"random", "sequence"}, "random"));
  return kind == "random" ? make_random(field, options) : make_sequence(field, options);
}

}  // namespace tidemark
