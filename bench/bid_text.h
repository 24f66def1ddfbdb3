// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/data/batch.h"

namespace tidemark::bench {

/// Auction bids as text, in the manner of the Nexmark benchmark: three numbers, two strings and a
/// time.
struct BidText {
  std::size_t rows = 0;
  std::string csv;  // with 64 readable bytes past csv_bytes, as decoders ask for
  std::size_t csv_bytes = 0;
  std::string json;  // an object a line, likewise
  std::size_t json_bytes = 0;
};

BidText make_bid_text(std::size_t rows);
/// (auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, date_time
/// TIMESTAMP(3)).
SchemaPtr bid_schema();

/// Columns that a hand-written loop parses into: reused from batch to batch.
struct BidColumns {
  std::vector<std::int64_t> auction, bidder, price, date_time;
  std::vector<std::int32_t> channel_offsets, url_offsets;
  std::string channel_bytes, url_bytes;

  std::size_t rows() const noexcept { return date_time.size(); }
  void clear();
};

/// What both sides compute over the columns of each batch, to show that they parsed the same.
class BidChecksum {
 public:
  void add(const BidColumns& columns);
  void add(const std::vector<ColumnPtr>& columns);
  std::uint64_t take() noexcept { return std::exchange(sum_, 0); }

 private:
  void add_numbers(std::size_t column, const std::int64_t* values, std::size_t rows);
  void add_strings(std::size_t column, const std::int32_t* offsets, const char* bytes,
                   std::size_t rows);

  std::uint64_t sum_ = 0;
};

}  // namespace tidemark::bench
