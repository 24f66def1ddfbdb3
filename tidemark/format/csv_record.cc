// SPDX-License-Identifier: Apache-2.0
#include "tidemark/format/csv_record.h"

#include <cstring>

namespace tidemark {
namespace {

char unescape(char c) noexcept {
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case '0': return '\0';
    default: return c;
  }
}

}  // namespace

CsvRecordSplitter::CsvRecordSplitter(const CsvOptions& options)
    : delimiter_(options.delimiter),
      quote_(options.quote.value_or('\0')),
      escape_(options.escape.value_or('\0')),
      has_quote_(options.quote.has_value()),
      has_escape_(options.escape.has_value()) {}

CsvRecordSplitter::Outcome CsvRecordSplitter::split(std::string_view input, bool at_end) {
  spans_.clear();
  unescaped_.resize(0);
  std::size_t at = 0;
  for (bad_field_ = 0;; ++bad_field_) {
    const std::size_t field_begin = at;
    const bool quoted = has_quote_ && at < input.size() && input[at] == quote_;
    switch (quoted ? scan_quoted(input, at_end, at) : scan_plain(input, at)) {
      case FieldEnd::kDelimiter: continue;
      case FieldEnd::kInput:
        if (!at_end) return Outcome::kIncomplete;
        [[fallthrough]];
      case FieldEnd::kLine:
        size_ = at;
        resolve(input);
        return Outcome::kRecord;
      case FieldEnd::kUnclosed: size_ = field_begin; return Outcome::kUnclosed;
      case FieldEnd::kBadQuote: size_ = field_begin; return Outcome::kBadQuote;
    }
  }
}

// A field without quotes: it ends at the next delimiter or line end, and a quote within it is text.
CsvRecordSplitter::FieldEnd CsvRecordSplitter::scan_plain(std::string_view input, std::size_t& at) {
  const std::size_t begin = at;
  std::size_t copied = begin;  // up to here the field is in unescaped_, if it has escapes
  const std::size_t unescaped_begin = unescaped_.size();
  bool unescaped = false;
  FieldEnd end = FieldEnd::kInput;
  for (; at < input.size(); ++at) {
    const char c = input[at];
    if (c == delimiter_ || c == '\n') {
      end = c == '\n' ? FieldEnd::kLine : FieldEnd::kDelimiter;
      break;
    }
    if (!is_escape(c)) continue;
    if (at + 1 == input.size()) continue;  // nothing to escape: it stands for itself
    append_unescaped(input.substr(copied, at - copied));
    const char meant = unescape(input[at + 1]);
    append_unescaped({&meant, 1});
    unescaped = true;
    copied = ++at + 1;
  }
  std::size_t text_end = at;
  if (end != FieldEnd::kDelimiter && text_end > copied && input[text_end - 1] == '\r') --text_end;
  if (at < input.size()) ++at;
  if (unescaped) append_unescaped(input.substr(copied, text_end - copied));
  spans_.push_back({begin, text_end, false, unescaped, unescaped_begin, unescaped_.size()});
  return end;
}

CsvRecordSplitter::FieldEnd CsvRecordSplitter::scan_quoted(std::string_view input, bool at_end,
                                                           std::size_t& at) {
  const std::size_t begin = ++at;
  std::size_t copied = begin;
  const std::size_t unescaped_begin = unescaped_.size();
  bool unescaped = false;
  for (;; ++at) {
    if (has_escape_) {
      while (at < input.size() && input[at] != quote_ && input[at] != escape_) ++at;
    } else {
      const void* found = std::memchr(input.data() + at, quote_, input.size() - at);
      at = found ? static_cast<std::size_t>(static_cast<const char*>(found) - input.data())
                 : input.size();
    }
    if (at >= input.size()) return FieldEnd::kUnclosed;
    const bool escaped = is_escape(input[at]);
    const bool last = at + 1 == input.size();
    if (escaped && last) return FieldEnd::kUnclosed;
    if (!escaped && (last || input[at + 1] != quote_)) break;
    append_unescaped(input.substr(copied, at - copied));
    const char meant = escaped ? unescape(input[at + 1]) : quote_;
    append_unescaped({&meant, 1});
    unescaped = true;
    copied = ++at + 1;
  }
  if (unescaped) append_unescaped(input.substr(copied, at - copied));
  spans_.push_back({begin, at, true, unescaped, unescaped_begin, unescaped_.size()});
  ++at;
  return after_quote(input, at_end, at);
}

CsvRecordSplitter::FieldEnd CsvRecordSplitter::after_quote(std::string_view input, bool at_end,
                                                           std::size_t& at) const {
  // The last byte of an input that goes on may be the first half of a doubled quote or of CR LF.
  if (at == input.size()) return at_end ? FieldEnd::kInput : FieldEnd::kUnclosed;
  const char next = input[at];
  if (next == delimiter_ || next == '\n') {
    ++at;
    return next == '\n' ? FieldEnd::kLine : FieldEnd::kDelimiter;
  }
  if (next != '\r') return FieldEnd::kBadQuote;
  if (at + 1 == input.size()) {
    if (!at_end) return FieldEnd::kUnclosed;
    ++at;
    return FieldEnd::kInput;
  }
  if (input[at + 1] != '\n') return FieldEnd::kBadQuote;
  at += 2;
  return FieldEnd::kLine;
}

void CsvRecordSplitter::append_unescaped(std::string_view bytes) {
  unescaped_.append(bytes.data(), bytes.size());
}

void CsvRecordSplitter::resolve(std::string_view input) {
  fields_.clear();
  const auto* unescaped = unescaped_.as<char>();
  for (const Span& span : spans_) {
    const std::string_view raw = input.substr(span.begin, span.end - span.begin);
    const std::string_view text = span.unescaped
                                      ? std::string_view(unescaped + span.unescaped_begin,
                                                         span.unescaped_end - span.unescaped_begin)
                                      : raw;
    fields_.push_back({text, raw, span.quoted});
  }
}

}  // namespace tidemark
