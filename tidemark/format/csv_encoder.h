// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tidemark/format/csv_options.h"
#include "tidemark/format/format.h"
#include "tidemark/format/text_output.h"

namespace tidemark {

/// Writes CSV that CsvDecoder with the same options reads as the same rows; quotes only where it
/// must.
class CsvEncoder final : public Encoder {
 public:
  explicit CsvEncoder(const CsvOptions& options);

  /// Throws a Failure for a string that cannot be written without quotes when they are disabled.
  void encode(const Batch& batch, std::string& out) override;
  std::string_view extension() const override { return "csv"; }

 private:
  void append_field(const Column& column, std::size_t row, bool first, std::string& out);
  void append_string(std::string_view text, bool first, std::string& out) const;
  void append_quoted(std::string_view text, std::string& out) const;
  void append_escaped(std::string_view text, bool first, std::string& out) const;
  bool needs_quotes(std::string_view text, bool first) const;

  CsvOptions options_;
  TextStyle style_;
  std::string null_text_;
  bool special_[256] = {};  // characters that may not stand in a plain field
};

}  // namespace tidemark
