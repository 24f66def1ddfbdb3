// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/ordered_page.h"

#include <algorithm>

namespace tidemark {

std::size_t OrderedPage::lower_bound(std::string_view wanted) const noexcept {
  std::size_t begin = 0;
  for (std::size_t count = size(); count > 0;) {
    const std::size_t half = count / 2;
    if (key(begin + half) < wanted) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return begin;
}

std::uint32_t OrderedPage::append(std::string_view key, std::string_view value,
                                  std::int64_t stamp) {
  const auto at = static_cast<std::uint32_t>(bytes_.size());
  const auto lengths =
      std::array{static_cast<std::uint32_t>(key.size()), static_cast<std::uint32_t>(value.size())};
  bytes_.append(reinterpret_cast<const char*>(&stamp), sizeof(stamp));
  bytes_.append(reinterpret_cast<const char*>(lengths.data()), sizeof(lengths));
  bytes_.append(key);
  bytes_.append(value);
  return at;
}

void OrderedPage::put(std::string_view key, std::string_view value, std::int64_t stamp) {
  const std::size_t i = lower_bound(key);
  if (!holds(i, key)) {
    at_.insert(at_.begin() + static_cast<std::ptrdiff_t>(i), append(key, value, stamp));
    return;
  }
  const std::int64_t renewed = std::max(stamp, this->stamp(i));
  if (field(i, kValueLength) == value.size()) {
    set_stamp(i, renewed);
    std::memcpy(bytes_.data() + at_[i] + kHeader + key.size(), value.data(), value.size());
    return;
  }
  garbage_ += entry_bytes(i);
  at_[i] = append(key, value, renewed);
  compact();
}

void OrderedPage::erase(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) garbage_ += entry_bytes(i);
  at_.erase(at_.begin() + static_cast<std::ptrdiff_t>(begin),
            at_.begin() + static_cast<std::ptrdiff_t>(end));
  compact();
}

void OrderedPage::prune(Millis ttl, std::int64_t now) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_expired(stamp(i), ttl, now)) {
      garbage_ += entry_bytes(i);
      continue;
    }
    if (stamp(i) == kMinTime) set_stamp(i, now);
    at_[kept++] = at_[i];
  }
  at_.resize(kept);
  compact();
}

void OrderedPage::split_to(OrderedPage& upper) {
  const std::size_t half = size() / 2;
  for (std::size_t i = half; i < size(); ++i)
    upper.at_.push_back(upper.append(key(i), value(i), stamp(i)));
  erase(half, size());
}

void OrderedPage::compact() {
  if (garbage_ <= bytes_.size() / 2) return;
  OrderedPage packed;
  for (std::size_t i = 0; i < size(); ++i)
    packed.at_.push_back(packed.append(key(i), value(i), stamp(i)));
  bytes_ = std::move(packed.bytes_);
  at_ = std::move(packed.at_);
  garbage_ = 0;
}

void OrderedPage::encode(ByteWriter& out) const {
  out.put(static_cast<std::uint32_t>(size()));
  for (std::size_t i = 0; i < size(); ++i) {
    out.put(stamp(i));
    out.put_string(key(i));
    out.put_string(value(i));
  }
  out.put(static_cast<std::uint32_t>(children_.size()));
  for (const Child& child : children_) {
    out.put_string(child.first);
    out.put(child.page);
  }
}

OrderedPage OrderedPage::decode(ByteReader& in) {
  OrderedPage page;
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) {
    const auto stamp = in.get<std::int64_t>();
    const std::string_view key = in.get_string();
    page.at_.push_back(page.append(key, in.get_string(), stamp));
  }
  for (auto left = in.get<std::uint32_t>(); left > 0; --left) {
    std::string first(in.get_string());
    page.children_.push_back({std::move(first), in.get<std::int64_t>()});
  }
  return page;
}

}  // namespace tidemark
