// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/format.h"

#include <fmt/format.h>

#include "tidemark/expr/time_zone.h"
#include "tidemark/format/csv_decoder.h"
#include "tidemark/format/csv_encoder.h"
#include "tidemark/format/json_decoder.h"
#include "tidemark/format/json_encoder.h"

namespace tidemark {
namespace {

class CsvFormat final : public Format {
 public:
  CsvFormat(SchemaPtr schema, CsvOptions options, TimeZone zone)
      : schema_(std::move(schema)), options_(std::move(options)), zone_(std::move(zone)) {}

  std::unique_ptr<Decoder> make_decoder() const override {
    return std::make_unique<CsvDecoder>(schema_, options_, zone_);
  }
  std::unique_ptr<Encoder> make_encoder() const override {
    return std::make_unique<CsvEncoder>(options_);
  }

 private:
  SchemaPtr schema_;
  CsvOptions options_;
  TimeZone zone_;
};

class JsonFormat final : public Format {
 public:
  JsonFormat(SchemaPtr schema, JsonOptions options, TimeZone zone)
      : schema_(std::move(schema)), options_(options), zone_(std::move(zone)) {}

  std::unique_ptr<Decoder> make_decoder() const override {
    return make_json_decoder(schema_, options_, zone_);
  }
  std::unique_ptr<Encoder> make_encoder() const override {
    return std::make_unique<JsonEncoder>(schema_, options_);
  }

 private:
  SchemaPtr schema_;
  JsonOptions options_;
  TimeZone zone_;
};

Status check_schema(const Schema& schema, const std::string& format, const OptionReader& options) {
  if (schema.size() == 0)
    return Error{ErrorCode::kInvalidOption,
                 fmt::format("{}: format '{}' needs at least one column", options.owner(), format)};
  for (const Field& field : schema.fields) {
    const TypeKind kind = field.type.kind;
    if (kind == TypeKind::kNull || kind == TypeKind::kIntervalDay ||
        kind == TypeKind::kIntervalMonth)
      return Error{ErrorCode::kUnsupported,
                   fmt::format("{}: {} has a type that format '{}' cannot hold; cast it to STRING "
                               "or BIGINT",
                               options.owner(), describe(field), format)};
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Format>> make_format(SchemaPtr schema, OptionReader& options,
                                                  const std::string& time_zone) {
  TIDEMARK_TRY(options.required("format"));
  TIDEMARK_ASSIGN_OR_RETURN(const std::string name,
                            options.choice("format", {"csv", "json"}, "csv"));
  TIDEMARK_TRY(check_schema(*schema, name, options));
  TIDEMARK_ASSIGN_OR_RETURN(TimeZone zone, TimeZone::find(time_zone));
  std::shared_ptr<const Format> format;
  if (name == "csv") {
    TIDEMARK_ASSIGN_OR_RETURN(CsvOptions csv, read_csv_options(options));
    format = std::make_shared<CsvFormat>(std::move(schema), std::move(csv), std::move(zone));
  } else {
    TIDEMARK_ASSIGN_OR_RETURN(const JsonOptions json, read_json_options(options));
    format = std::make_shared<JsonFormat>(std::move(schema), json, std::move(zone));
  }
  return format;
}

}  // namespace tidemark
