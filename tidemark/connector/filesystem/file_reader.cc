// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/filesystem/file_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tidemark/base/bytes.h"
#include "tidemark/base/check.h"

// A position in bytes, little-endian:
//   0  u8   version, 1
//   1  u64  offset of the next record
//   9  u64  rows read before it
//   17 u8   1: the offset is within a line that is too long and is being dropped

namespace tidemark {
namespace {

constexpr std::uint8_t kPositionVersion = 1;
constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::size_t kPadding = 64;
constexpr std::size_t kRawBytesMax = 64 * 1024;
// One read() takes about this much, so that a file of bad records does not hold up its task.
constexpr std::size_t kReadBytesMax = 1 << 20;

}  // namespace

FileReader::FileReader(const SourceContext& context, SchemaPtr schema, const Format& format,
                       std::string path, const std::optional<std::string>& position)
    : context_(context),
      schema_(std::move(schema)),
      path_(std::move(path)),
      decoder_(format.make_decoder()),
      file_(context.files->open(path_)),
      buffer_(kBufferBytes + kPadding) {
  for (const Field& field : schema_->fields) columns_.emplace_back(field.type);
  if (position) restore(*position);
}

void FileReader::restore(const std::string& position) {
  ByteReader in(position);
  if (in.get<std::uint8_t>() != kPositionVersion)
    throw Failure(ErrorCode::kCheckpointDamaged,
                  fmt::format("table '{}': the stored position in '{}' is of an unknown version",
                              context_.table, path_),
                  /*retryable=*/false);
  buffer_offset_ = in.get<std::uint64_t>();
  rows_ = in.get<std::uint64_t>();
  skipping_line_ = in.get<std::uint8_t>() != 0;
  if (buffer_offset_ > file_->size())
    throw Failure(
        ErrorCode::kCheckpointMismatch,
        fmt::format("table '{}': file '{}' has {} bytes, but {} of it were read before the "
                    "checkpoint; it was truncated or replaced since",
                    context_.table, path_, file_->size(), buffer_offset_),
        /*retryable=*/false);
}

std::string FileReader::position() const {
  ByteWriter out;
  out.put(kPositionVersion);
  out.put(offset());
  out.put(rows_);
  out.put(static_cast<std::uint8_t>(skipping_line_));
  return out.take();
}

std::uint64_t FileReader::bytes_total() const {
  return std::max(file_->size(), offset());
}

ReadResult FileReader::read(std::size_t rows_max) {
  for (ColumnBuilder& column : columns_) column.reserve(rows_max);
  std::size_t rows = 0;
  std::size_t records = 0;
  const std::uint64_t bytes_end = offset() + kReadBytesMax;
  while (records < rows_max && offset() < bytes_end) {
    if (begin_ == end_ && at_file_end_) break;
    if (skipping_line_ && !skip_line()) {
      fill();
      continue;
    }
    const Decoder::Consumed consumed = decoder_->decode(unread(), offset() == 0, at_file_end_,
                                                        rows_max - records, columns_, errors_);
    TIDEMARK_CHECK(consumed.bytes > 0 || !at_file_end_, "a decoder takes the last record");
    rows += consumed.rows;
    records += consumed.rows + errors_.size();
    report(errors_);
    errors_.clear();
    begin_ += consumed.bytes;
    skipping_line_ = consumed.inside_record;
    if (consumed.bytes == 0 || (begin_ == end_ && !at_file_end_)) fill();
  }
  rows_ += rows;
  ReadResult result;
  if (begin_ == end_ && at_file_end_) result.state = ReadResult::State::kFinished;
  if (rows == 0) return result;
  std::vector<ColumnPtr> columns;
  columns.reserve(columns_.size());
  for (ColumnBuilder& column : columns_) columns.push_back(column.finish());
  result.batch = std::make_shared<const Batch>(schema_, rows, std::move(columns));
  return result;
}

// Reads more behind what is unread, in a larger buffer when it is full.
void FileReader::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    buffer_offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
  }
  if (at_file_end_) return;
  if (end_ + kPadding == buffer_.size()) buffer_.resize(2 * end_ + kPadding);
  const std::size_t wanted = buffer_.size() - kPadding - end_;
  const std::size_t got = file_->read_at(buffer_offset_ + end_, {buffer_.data() + end_, wanted});
  end_ += got;
  at_file_end_ = got < wanted;
  std::memset(buffer_.data() + end_, 0, kPadding);
}

// Drops what is read of a line that is too long; true when its end was there.
bool FileReader::skip_line() {
  const std::size_t line_feed = unread().find('\n');
  if (line_feed == std::string_view::npos) {
    begin_ = end_;
    if (at_file_end_) skipping_line_ = false;
    return false;
  }
  begin_ += line_feed + 1;
  skipping_line_ = false;
  return true;
}

void FileReader::report(const std::vector<FormatError>& errors) {
  for (const FormatError& error : errors) {
    BadRecord record;
    record.source = context_.table;
    record.split = path_;
    record.offset = offset() + error.offset;
    record.raw = std::string(unread().substr(error.offset, std::min(error.length, kRawBytesMax)));
    record.reason = error.reason;
    context_.bad_records->reject(std::move(record));
  }
}

}  // namespace tidemark
