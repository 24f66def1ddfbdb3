// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/dead_letters.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "tidemark/base/bytes.h"
#include "tidemark/format/base64.h"

namespace tidemark {
namespace {

constexpr std::string_view kSuffix = ".jsonl";

// Table names are any text; a file's name is not.
std::string file_name_part(std::string_view table) {
  std::string part(table);
  for (char& c : part)
    if (c == '/' || c == '\0') c = '_';
  return part;
}

std::string prefix_of(const DeadLetterPlace& place) {
  return fmt::format("{}-{}-", file_name_part(place.table), place.job_id);
}

std::string path_in(const DeadLetterPlace& place, std::string_view name) {
  return fmt::format("{}/{}", place.directory, name);
}
std::string hidden_path(const DeadLetterPlace& place, std::string_view name) {
  return fmt::format("{}/.{}", place.directory, name);
}

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string to_json_line(const BadRecord& record) {
  std::string line = "{\"table\":";
  append_json_string(line, record.source);
  line += ",\"split\":";
  append_json_string(line, record.split);
  line += fmt::format(",\"offset\":{},\"reason\":", record.offset);
  append_json_string(line, record.reason);
  line += ",\"raw\":\"";
  append_base64(line, record.raw);
  line += "\"}\n";
  return line;
}

class DeadLetterCommitter final : public Committer {
 public:
  explicit DeadLetterCommitter(DeadLetterPlace place) : place_(std::move(place)) {}

  void commit(std::span<const std::string> committables) override {
    for (const std::string& name : committables) {
      const std::string hidden = hidden_path(place_, name);
      const std::string visible = path_in(place_, name);
      if (place_.files->exists(hidden)) {
        place_.files->rename(hidden, visible);
      } else if (!place_.files->exists(visible)) {
        throw Failure(
            ErrorCode::kIo,
            fmt::format("dead letters are lost: neither '{}' nor '{}' exists", hidden, visible),
            /*retryable=*/false);
      }
    }
    if (!committables.empty()) place_.files->sync_directory(place_.directory);
  }

  void abort_unknown() override {
    if (!place_.files->exists(place_.directory)) return;
    const std::string prefix = "." + prefix_of(place_);
    for (const FileInfo& file : place_.files->list(place_.directory))
      if (base_name(file.path).starts_with(prefix)) place_.files->remove(file.path);
  }

 private:
  DeadLetterPlace place_;
};

}  // namespace

void DeadLetterWriter::write(const BadRecord& record) {
  if (!file_) open_file();
  const std::string line = to_json_line(record);
  file_->append(as_byte_span(line));
}

void DeadLetterWriter::open_file() {
  const std::string prefix = fmt::format("{}{}-", prefix_of(place_), place_.subtask);
  if (next_number_ == 0) {
    create_directories_durably(*place_.files, place_.directory);
    next_number_ = 1;
    // Names are never used twice, not even by a subtask that had this number before a rescale.
    for (const FileInfo& file : place_.files->list(place_.directory)) {
      std::string_view name = base_name(file.path);
      if (!name.starts_with(prefix)) continue;
      name.remove_prefix(prefix.size());
      std::uint64_t number = 0;
      std::from_chars(name.data(), name.data() + name.size(), number);
      next_number_ = std::max(next_number_, number + 1);
    }
  }
  name_ = fmt::format("{}{}{}", prefix, next_number_++, kSuffix);
  file_ = place_.files->create(hidden_path(place_, name_));
}

std::vector<std::string> DeadLetterWriter::prepare() {
  if (!file_) return {};
  file_->sync();
  file_->close();
  file_.reset();
  place_.files->sync_directory(place_.directory);
  return {std::exchange(name_, {})};
}

std::unique_ptr<Committer> make_dead_letter_committer(DeadLetterPlace place) {
  return std::make_unique<DeadLetterCommitter>(std::move(place));
}

}  // namespace tidemark
