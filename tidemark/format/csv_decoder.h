// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/format/csv_columns.h"
#include "tidemark/format/csv_index.h"
#include "tidemark/format/csv_options.h"
#include "tidemark/format/csv_record.h"
#include "tidemark/format/format.h"

namespace tidemark {

/// Reads CSV on two paths with one result. Where a stretch of records has no quotes and the right
/// number of fields, it is indexed with vector instructions and parsed a column at a time; any
/// record of which that is not true goes through CsvRecordSplitter alone.
class CsvDecoder final : public Decoder {
 public:
  CsvDecoder(SchemaPtr schema, const CsvOptions& options, TimeZone zone);

  Consumed decode(std::string_view input, bool at_start, bool at_end, std::size_t rows_max,
                  std::span<ColumnBuilder> columns, std::vector<FormatError>& errors) override;
  std::size_t record_bytes_max() const override { return options_.record_bytes_max; }

 private:
  struct Call;

  bool skip_front(Call& call);
  void suspect_header(FormatError& error, std::size_t front, std::string_view input) const;
  bool decode_stretch(Call& call);
  bool decode_record(Call& call);
  bool skip_comment(Call& call, std::string_view rest);
  bool reject_line(Call& call, std::size_t from, std::string reason);
  void append_record(Call& call);
  std::string append_fields(Call& call);
  std::size_t count_plain_rows(const char* text, std::size_t rows_max) const;
  std::string describe_column(std::size_t column) const;

  SchemaPtr schema_;
  CsvOptions options_;
  CsvColumns columns_;
  CsvIndex index_;
  CsvRecordSplitter splitter_;
  bool plain_possible_;
  bool has_strings_;
  // How far to index at once: small after a record that was not plain, since the index beyond it is
  // thrown away. Changes the speed only.
  std::size_t block_bytes_;
};

}  // namespace tidemark
