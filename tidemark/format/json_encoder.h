// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tidemark/format/format.h"
#include "tidemark/format/json_options.h"
#include "tidemark/format/text_output.h"

namespace tidemark {

/// Writes one JSON object a line, its fields in the order of the columns.
class JsonEncoder final : public Encoder {
 public:
  JsonEncoder(const SchemaPtr& schema, const JsonOptions& options);

  void encode(const Batch& batch, std::string& out) override;
  std::string_view extension() const override { return "json"; }

 private:
  void append_value(const Column& column, std::size_t row, std::string& out) const;

  JsonOptions options_;
  TextStyle style_;
  std::vector<std::string> keys_;  // "\"name\":"
};

/// Appends text as a JSON string with its quotes.
void append_json_string(std::string& out, std::string_view text);

}  // namespace tidemark
