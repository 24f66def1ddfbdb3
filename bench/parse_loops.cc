// SPDX-License-Identifier: Apache-2.0
#include "bench/parse_loops.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <stdexcept>

namespace tidemark::bench {
namespace {

constexpr std::size_t kBlockBytes = 64 * 1024;
constexpr std::size_t kFields = 6;

std::int64_t digits(const char* at, const char* end) {
  std::int64_t value = 0;
  for (; at != end; ++at) value = value * 10 + (*at - '0');
  return value;
}

// "2021-03-04 12:34:56.789". Consecutive rows mostly share their date.
class TimeParser {
 public:
  std::int64_t parse(const char* at) {
    if (std::memcmp(at, date_, sizeof date_) != 0) {
      std::memcpy(date_, at, sizeof date_);
      using namespace std::chrono;
      const year_month_day day{year(static_cast<int>(digits(at, at + 4))),
                               month(static_cast<unsigned>(digits(at + 5, at + 7))),
                               std::chrono::day(static_cast<unsigned>(digits(at + 8, at + 10)))};
      midnight_ = duration_cast<milliseconds>(sys_days(day).time_since_epoch()).count();
    }
    const std::int64_t seconds =
        digits(at + 11, at + 13) * 3'600 + digits(at + 14, at + 16) * 60 + digits(at + 17, at + 19);
    return midnight_ + seconds * 1'000 + digits(at + 20, at + 23);
  }

 private:
  char date_[10] = {};
  std::int64_t midnight_ = 0;
};

void append(std::string_view text, std::string& bytes, std::vector<std::int32_t>& offsets) {
  bytes.append(text);
  offsets.push_back(static_cast<std::int32_t>(bytes.size()));
}

// Offsets of ',' and '\n' in [begin, begin + bytes), which is readable for 64 bytes more, into
// `out`; returns how many.
std::size_t find_delimiters(const char* begin, std::size_t bytes, std::uint32_t* out) {
  std::uint32_t* to = out;
  for (std::size_t at = 0; at < bytes; at += 32) {
    std::uint32_t bits = 0;
#ifdef __AVX2__
    const __m256i text = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(begin + at));
    const __m256i found = _mm256_or_si256(_mm256_cmpeq_epi8(text, _mm256_set1_epi8(',')),
                                          _mm256_cmpeq_epi8(text, _mm256_set1_epi8('\n')));
    bits = static_cast<std::uint32_t>(_mm256_movemask_epi8(found));
#else
    for (std::size_t i = 0; i < 32; ++i)
      bits |= static_cast<std::uint32_t>(begin[at + i] == ',' || begin[at + i] == '\n') << i;
#endif
    for (; bits; bits &= bits - 1)
      *to++ = static_cast<std::uint32_t>(at) + static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  while (to != out && to[-1] >= bytes) --to;
  return static_cast<std::size_t>(to - out);
}

std::int64_t time_of(std::string_view text, TimeParser& times) {
  return times.parse(text.data());
}

}  // namespace

void parse_csv_by_hand(const BidText& text, std::size_t batch_rows, const BidConsumer& consume) {
  BidColumns out;
  out.clear();
  TimeParser times;
  std::vector<std::uint32_t> delimiters(kBlockBytes + 64);
  for (std::size_t at = 0; at < text.csv_bytes;) {
    const char* block = text.csv.data() + at;
    const std::size_t found =
        find_delimiters(block, std::min(kBlockBytes, text.csv_bytes - at), delimiters.data());
    std::size_t begin = 0;
    for (std::size_t i = 0; i + kFields <= found; i += kFields) {
      const std::uint32_t* end = &delimiters[i];
      out.auction.push_back(digits(block + begin, block + end[0]));
      out.bidder.push_back(digits(block + end[0] + 1, block + end[1]));
      out.price.push_back(digits(block + end[1] + 1, block + end[2]));
      append({block + end[2] + 1, block + end[3]}, out.channel_bytes, out.channel_offsets);
      append({block + end[3] + 1, block + end[4]}, out.url_bytes, out.url_offsets);
      out.date_time.push_back(times.parse(block + end[4] + 1));
      begin = end[5] + 1;
      if (out.rows() == batch_rows) {
        consume(out);
        out.clear();
      }
    }
    if (begin == 0) throw std::runtime_error("a record is longer than a block");
    at += begin;
  }
  consume(out);
}

void parse_json_by_hand(const BidText& text, std::size_t batch_rows, const BidConsumer& consume) {
  BidColumns out;
  out.clear();
  TimeParser times;
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document_stream stream =
      parser.iterate_many(text.json.data(), text.json_bytes, std::size_t{1} << 20);
  for (auto document : stream) {
    simdjson::ondemand::object bid = document.get_object();
    out.auction.push_back(bid.find_field("auction").get_int64());
    out.bidder.push_back(bid.find_field("bidder").get_int64());
    out.price.push_back(bid.find_field("price").get_int64());
    append(bid.find_field("channel").get_string(), out.channel_bytes, out.channel_offsets);
    append(bid.find_field("url").get_string(), out.url_bytes, out.url_offsets);
    out.date_time.push_back(time_of(bid.find_field("date_time").get_string(), times));
    if (out.rows() == batch_rows) {
      consume(out);
      out.clear();
    }
  }
  consume(out);
}

}  // namespace tidemark::bench
