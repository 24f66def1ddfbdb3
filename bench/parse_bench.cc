// SPDX-License-Identifier: Apache-2.0
//
// Text to columns, on one core: the decoders that the filesystem connector uses, beside loops
// written by hand for the one schema.
#include "bench/measure.h"
#include "bench/parse_loops.h"
#include "tidemark/format/format.h"

namespace tidemark::bench {
namespace {

std::shared_ptr<const Format> format_named(const std::string& name) {
  const OptionMap options = {{"format", name}};
  OptionReader reader("the benchmark", options);
  return make_format(bid_schema(), reader, "UTC").or_throw();
}

// Decodes `text` to its end, in batches; returns their checksum.
std::uint64_t decode(const Format& format, std::string_view text) {
  const std::unique_ptr<Decoder> decoder = format.make_decoder();
  std::vector<ColumnBuilder> builders;
  for (const Field& field : bid_schema()->fields) builders.emplace_back(field.type);
  std::vector<FormatError> errors;
  BidChecksum checksum;
  bool at_start = true;
  while (!text.empty()) {
    const Decoder::Consumed consumed =
        decoder->decode(text, at_start, true, kDefaultBatchRows, builders, errors);
    TIDEMARK_CHECK(errors.empty() && consumed.bytes > 0, "the text is sound");
    text.remove_prefix(consumed.bytes);
    at_start = false;
    std::vector<ColumnPtr> columns;
    for (ColumnBuilder& builder : builders) columns.push_back(builder.finish());
    checksum.add(columns);
  }
  return checksum.take();
}

Contender by_hand(const BidText& text, decltype(parse_csv_by_hand)* parse) {
  return {"hand loop", [&text, parse] {
            BidChecksum checksum;
            parse(text, kDefaultBatchRows,
                  [&](const BidColumns& columns) { checksum.add(columns); });
            return checksum.take();
          }};
}

Contender by_engine(const std::string& format, std::string_view text) {
  return {"engine", [format = format_named(format), text] { return decode(*format, text); }};
}

int run(int argc, char** argv) {
  Bench bench("parse", argc, argv);
  const BidText text = make_bid_text(bench.size(1'000'000, 3'000));
  if (bench.wants("csv"))
    bench.run({"csv, 6 fields",
               text.rows,
               text.csv_bytes,
               {},
               {by_hand(text, parse_csv_by_hand),
                by_engine("csv", std::string_view(text.csv).substr(0, text.csv_bytes))},
               {{"engine", "hand loop", 0.7}}});
  if (bench.wants("json"))
    bench.run({"json, 6 fields",
               text.rows,
               text.json_bytes,
               {},
               {by_hand(text, parse_json_by_hand),
                by_engine("json", std::string_view(text.json).substr(0, text.json_bytes))},
               {{"engine", "hand loop", 0.8}}});
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
