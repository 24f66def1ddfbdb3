// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/filesystem/part_name.h"

#include <fmt/format.h>

#include <charconv>

#include "tidemark/base/hash.h"

namespace tidemark {
namespace {

constexpr std::string_view kHiddenSuffix = ".inprogress";

// A job id may be anything; a file name may not.
std::string plain_characters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    out += plain ? c : '_';
  }
  return out;
}

template <typename T>
bool take_number(std::string_view& text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

PartNames::PartNames(std::string_view job_id, std::string_view sink_uid, std::string_view extension)
    : extension_(extension) {
  const std::string both = fmt::format("{}/{}", job_id, sink_uid);
  prefix_ = fmt::format("part-{}-{:08x}-", plain_characters(job_id),
                        static_cast<std::uint32_t>(stable_hash(both)));
}

std::string PartNames::final_name(std::uint32_t subtask, std::uint64_t number) const {
  return fmt::format("{}{}-{}.{}", prefix_, subtask, number, extension_);
}

std::string PartNames::hidden_name(std::string_view final_name) {
  return fmt::format(".{}{}", final_name, kHiddenSuffix);
}

std::optional<PartNames::Part> PartNames::parse(std::string_view name) const {
  Part part{};
  part.hidden = name.starts_with('.');
  if (part.hidden) {
    if (!name.ends_with(kHiddenSuffix)) return std::nullopt;
    name = name.substr(1, name.size() - 1 - kHiddenSuffix.size());
  }
  if (!name.starts_with(prefix_)) return std::nullopt;
  name.remove_prefix(prefix_.size());
  if (!take_number(name, part.subtask) || !name.starts_with('-')) return std::nullopt;
  name.remove_prefix(1);
  if (!take_number(name, part.number) || !name.starts_with('.')) return std::nullopt;
  return part;
}

}  // namespace tidemark
