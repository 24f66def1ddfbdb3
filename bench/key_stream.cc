// SPDX-License-Identifier: Apache-2.0
#include "bench/key_stream.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/measure.h"

namespace tidemark::bench {
namespace {

constexpr double kZipfExponent = 1.1;
// Odd, so that it maps ranks to distinct keys that are spread over all 64 bits.
constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15ull;

// log1p(x) / x and expm1(x) / x, also near 0.
double log1p_over(double x) {
  return std::abs(x) > 1e-8 ? std::log1p(x) / x : 1 - x * (0.5 - x / 3);
}
double expm1_over(double x) {
  return std::abs(x) > 1e-8 ? std::expm1(x) / x : 1 + x * (0.5 + x / 6);
}

void append_key(std::uint64_t rank, KeyKind kind, Random& random, ColumnBuilder& out) {
  const std::uint64_t key = rank * kSpread;
  if (kind == KeyKind::kString) {
    static constexpr char kDigits[] = "0123456789abcdef";
    char text[16];
    for (std::size_t i = 0; i < sizeof text; ++i) text[i] = kDigits[(key >> (4 * i)) & 15];
    out.append_string({text, sizeof text});
  } else if (kind == KeyKind::kNullable && random.one_in(100)) {
    out.append_null();
  } else {
    out.append(static_cast<std::int64_t>(key));
  }
}

DataType key_type(KeyKind kind) {
  switch (kind) {
    case KeyKind::kFixed: return DataType::big_int().with_nullable(false);
    case KeyKind::kString: return DataType::string().with_nullable(false);
    case KeyKind::kNullable:
    case KeyKind::kNullableFull: break;
  }
  return DataType::big_int();
}

}  // namespace

Zipf::Zipf(std::uint64_t n, double s)
    : n_(static_cast<double>(n)), s_(s), h_x1_(0), h_n_(0), threshold_(0) {
  h_x1_ = h_integral(1.5) - 1;
  h_n_ = h_integral(n_ + 0.5);
  threshold_ = 2 - h_integral_inverse(h_integral(2.5) - h(2));
}

std::uint64_t Zipf::draw(Random& random) {
  while (true) {
    const double u = h_n_ + random.unit() * (h_x1_ - h_n_);
    const double x = h_integral_inverse(u);
    const double k = std::clamp(std::floor(x + 0.5), 1.0, n_);
    if (k - x <= threshold_ || u >= h_integral(k + 0.5) - h(k))
      return static_cast<std::uint64_t>(k);
  }
}

double Zipf::h_integral(double x) const {
  const double log_x = std::log(x);
  return expm1_over((1 - s_) * log_x) * log_x;
}

double Zipf::h(double x) const {
  return std::exp(-s_ * std::log(x));
}

double Zipf::h_integral_inverse(double x) const {
  const double t = std::max(x * (1 - s_), -1.0);
  return std::exp(log1p_over(t) * x);
}

KeyStream::KeyStream(const KeyStreamOptions& options) : options_(options) {
  schema_ = make_schema({{"key", key_type(options.kind)},
                         {"value", DataType::big_int().with_nullable(false)},
                         {"ts", DataType::timestamp(3).with_nullable(false)}});
  make_keys_and_values();
  make_times();
}

void KeyStream::make_keys_and_values() {
  Random random(options_.keys * 2 + (options_.zipf ? 1 : 0));
  Zipf zipf(options_.keys, kZipfExponent);
  ColumnBuilder keys(schema_->fields[kKeyColumn].type);
  ColumnBuilder values(schema_->fields[kValueColumn].type);
  for (std::size_t row = 0; row < options_.rows; ++row) {
    const std::uint64_t rank = options_.zipf ? zipf.draw(random) : random.below(options_.keys) + 1;
    append_key(rank, options_.kind, random, keys);
    values.append(static_cast<std::int64_t>(random.below(1'000)));
    if (keys.size() == options_.batch_rows || row + 1 == options_.rows) {
      keys_.push_back(keys.finish());
      values_.push_back(values.finish());
    }
  }
}

void KeyStream::make_times() {
  Random random(7);
  batches_.clear();
  watermarks_.clear();
  const std::size_t length = options_.rows / options_.rows_per_milli;
  const auto begin = static_cast<EventTime>(length * round_);
  std::size_t row = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    const std::size_t rows = keys_[i]->size();
    ColumnBuilder times(schema_->fields[2].type);
    for (EventTime& time : std::span(times.extend<EventTime>(rows), rows)) {
      const auto behind = static_cast<Millis>(random.below(options_.disorder));
      time = begin + static_cast<EventTime>(row++ / options_.rows_per_milli) - behind;
      highest_ = std::max(highest_, time);
    }
    const ColumnPtr column = times.finish();
    batches_.push_back(std::make_shared<const Batch>(
        schema_, rows, std::vector<ColumnPtr>{keys_[i], values_[i], column}, column));
    watermarks_.push_back(highest_ - options_.disorder);
  }
}

void KeyStream::advance() {
  ++round_;
  make_times();
}

}  // namespace tidemark::bench
