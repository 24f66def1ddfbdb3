// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/format/format.h"
#include "tidemark/operator/source.h"

namespace tidemark {

/// Reads one file as records of a format. Memory: a buffer of at least 256 KiB that grows with the
/// longest record, up to the format's bound on records.
class FileReader final : public SplitReader {
 public:
  /// Throws a Failure when the file ends before `position`.
  FileReader(const SourceContext& context, SchemaPtr schema, const Format& format, std::string path,
             const std::optional<std::string>& position);

  ReadResult read(std::size_t rows_max) override;
  std::string position() const override;
  std::uint64_t bytes_read() const override { return offset(); }
  std::uint64_t bytes_total() const override;

 private:
  std::uint64_t offset() const noexcept { return buffer_offset_ + begin_; }
  std::string_view unread() const noexcept { return {buffer_.as<char>() + begin_, end_ - begin_}; }
  void restore(const std::string& position);
  void fill();
  bool skip_line();
  void report(const std::vector<FormatError>& errors);

  const SourceContext& context_;
  SchemaPtr schema_;
  std::string path_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<ReadableFile> file_;
  std::vector<ColumnBuilder> columns_;
  std::vector<FormatError> errors_;
  Buffer buffer_;
  std::uint64_t buffer_offset_ = 0;  // of the buffer's first byte within the file
  std::size_t begin_ = 0;            // unread bytes are [begin_, end_) of the buffer
  std::size_t end_ = 0;
  std::uint64_t rows_ = 0;
  bool at_file_end_ = false;
  bool skipping_line_ = false;  // the rest of a line that was too long
};

}  // namespace tidemark
