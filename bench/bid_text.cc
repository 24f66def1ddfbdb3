// SPDX-License-Identifier: Apache-2.0
#include "bench/bid_text.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string_view>

#include "tidemark/base/random.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kReadablePastEnd = 64;

std::string make_time(std::size_t row) {
  const std::size_t millis = row / 8;  // eight bids a millisecond
  const std::size_t seconds = millis / 1'000;
  return fmt::format("2021-03-{:02} {:02}:{:02}:{:02}.{:03}", 4 + seconds / 86'400 % 20,
                     seconds / 3'600 % 24, seconds / 60 % 60, seconds % 60, millis % 1'000);
}

std::string make_path(Random& random) {
  std::string path;
  for (std::size_t i = 0; i < 14; ++i)
    path += i % 5 == 4 ? '/' : static_cast<char>('a' + random.below(26));
  return path;
}

std::size_t pad(std::string& text) {
  const std::size_t bytes = text.size();
  text.append(kReadablePastEnd, '\0');
  return bytes;
}

}  // namespace

BidText make_bid_text(std::size_t rows) {
  static constexpr std::array<std::string_view, 4> kChannels = {"Apple", "Google", "Facebook",
                                                                "Baidu"};
  Random random(17);
  BidText text;
  text.rows = rows;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::uint64_t auction = 1'000 + random.below(1'000'000);
    const std::uint64_t bidder = 1'000 + random.below(100'000);
    const std::uint64_t price = 1 + random.below(10'000'000);
    const std::string_view channel = kChannels[random.below(kChannels.size())];
    const std::string url =
        fmt::format("https://www.nexmark.com/{}/item.htm?query=1", make_path(random));
    const std::string time = make_time(row);
    fmt::format_to(std::back_inserter(text.csv), "{},{},{},{},{},{}\n", auction, bidder, price,
                   channel, url, time);
    fmt::format_to(std::back_inserter(text.json),
                   "{{\"auction\":{},\"bidder\":{},\"price\":{},\"channel\":\"{}\",\"url\":\"{}\","
                   "\"date_time\":\"{}\"}}\n",
                   auction, bidder, price, channel, url, time);
  }
  text.csv_bytes = pad(text.csv);
  text.json_bytes = pad(text.json);
  return text;
}

SchemaPtr bid_schema() {
  return make_schema({{"auction", DataType::big_int()},
                      {"bidder", DataType::big_int()},
                      {"price", DataType::big_int()},
                      {"channel", DataType::string()},
                      {"url", DataType::string()},
                      {"date_time", DataType::timestamp(3)}});
}

void BidColumns::clear() {
  for (auto* column : {&auction, &bidder, &price, &date_time}) column->clear();
  channel_offsets.assign(1, 0);
  url_offsets.assign(1, 0);
  channel_bytes.clear();
  url_bytes.clear();
}

void BidChecksum::add(const BidColumns& columns) {
  add_numbers(0, columns.auction.data(), columns.rows());
  add_numbers(1, columns.bidder.data(), columns.rows());
  add_numbers(2, columns.price.data(), columns.rows());
  add_strings(3, columns.channel_offsets.data(), columns.channel_bytes.data(), columns.rows());
  add_strings(4, columns.url_offsets.data(), columns.url_bytes.data(), columns.rows());
  add_numbers(5, columns.date_time.data(), columns.rows());
}

void BidChecksum::add(const std::vector<ColumnPtr>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = *columns[i];
    if (is_variable_width(column.kind()))
      add_strings(i, column.offsets(), column.bytes(), column.size());
    else
      add_numbers(i, column.values<std::int64_t>(), column.size());
  }
}

void BidChecksum::add_numbers(std::size_t column, const std::int64_t* values, std::size_t rows) {
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < rows; ++row) sum += static_cast<std::uint64_t>(values[row]);
  sum_ += sum * (column + 1);
}

// Lengths and last bytes tell strings apart well enough, and cost both sides next to nothing.
void BidChecksum::add_strings(std::size_t column, const std::int32_t* offsets, const char* bytes,
                              std::size_t rows) {
  std::uint64_t sum = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const auto last = static_cast<unsigned char>(bytes[offsets[row + 1] - 1]);
    sum += static_cast<std::uint64_t>(offsets[row + 1] - offsets[row]) + last;
  }
  sum_ += sum * (column + 1);
}

}  // namespace tidemark::bench
