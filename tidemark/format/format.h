// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/options.h"
#include "tidemark/base/result.h"
#include "tidemark/data/batch.h"

namespace tidemark {

/// A record that did not parse; `offset` and `length`, in bytes, are within the input of decode().
struct FormatError {
  std::size_t offset;
  std::size_t length;
  std::string reason;  // "column 'delay' (INT): 'abc' is not a number"
};

/// Turns a stream of bytes into rows. Keeps no state between calls, so a bad record cannot hurt
/// the next, and a reader may start at any record boundary. One thread.
class Decoder {
 public:
  virtual ~Decoder() = default;

  struct Consumed {
    std::size_t bytes = 0;  // records up to here are in the builders or in `errors`
    std::size_t rows = 0;
    // The last record is too long and goes on behind `input`: the caller drops everything up to and
    // with the next line feed before it calls again. All of `input` is consumed then.
    bool inside_record = false;
  };
  /// Decodes whole records from the front of `input` and appends at most `rows_max` rows to the
  /// builders, one a column of the schema. A record that is not complete stays unconsumed, unless
  /// `at_end`, when it is the last one and may lack its line end. `at_start` says that `input` is
  /// the front of the file (byte-order mark, header). `input` must be readable for 64 bytes past
  /// its end. Stops after `rows_max` errors, too. What a call makes of a record does not depend on
  /// how much follows it in `input`.
  virtual Consumed decode(std::string_view input, bool at_start, bool at_end, std::size_t rows_max,
                          std::span<ColumnBuilder> columns, std::vector<FormatError>& errors) = 0;

  /// A record that is longer is a bad one: what bounds memory when a quote is never closed.
  virtual std::size_t record_bytes_max() const = 0;
};

/// Turns rows into bytes. One thread.
class Encoder {
 public:
  virtual ~Encoder() = default;

  /// Appends all rows, each with its line end.
  virtual void encode(const Batch& batch, std::string& out) = 0;
  /// File name extension: "csv".
  virtual std::string_view extension() const = 0;
};

/// Makes decoders and encoders for a schema. Immutable.
class Format {
 public:
  virtual ~Format() = default;

  virtual std::unique_ptr<Decoder> make_decoder() const = 0;
  virtual std::unique_ptr<Encoder> make_encoder() const = 0;
};

/// 'format' = 'csv' | 'json', with the options of that name ("csv.field-delimiter") read from
/// `options`. `time_zone` is that of TIMESTAMP_LTZ text.
Result<std::shared_ptr<const Format>> make_format(SchemaPtr schema, OptionReader& options,
                                                  const std::string& time_zone);

}  // namespace tidemark
