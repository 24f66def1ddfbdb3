// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/api/state_value.h"
#include "tidemark/api/value_schema.h"
#include "tidemark/state/time_to_live.h"

namespace tidemark::api_detail {

/// The value of a ListState: the elements, and under a time to live a stamp each.
template <typename T>
struct ListValue {
  std::vector<T> items;
  std::vector<std::int64_t> stamps;

  /// Whether a reader must call tend() first.
  bool needs_care(const TimeToLive& ttl, std::int64_t now) const {
    if (stamps.size() != items.size()) return true;
    if (ttl.update == TimeToLive::Update::kOnReadAndWrite) return true;
    return std::any_of(stamps.begin(), stamps.end(), [&](std::int64_t stamp) {
      return stamp == kMinTime ? now != kMinTime : is_expired(stamp, ttl.ttl, now);
    });
  }
  /// Removes what has expired, begins the life of what has no stamp, and renews the rest where
  /// reading does.
  void tend(const TimeToLive& ttl, std::int64_t now) {
    stamps.resize(items.size(), kMinTime);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (is_expired(stamps[i], ttl.ttl, now)) continue;
      const bool renews =
          stamps[i] == kMinTime || ttl.update == TimeToLive::Update::kOnReadAndWrite;
      stamps[kept] = renews ? std::max(stamps[i], now) : stamps[i];
      if (kept != i) items[kept] = std::move(items[i]);
      ++kept;
    }
    items.resize(kept);
    stamps.resize(kept);
  }

  static std::string value_type() { return "LIST_STATE<" + type_text<T>() + ">"; }
  // The elements, then as many stamps, or none.
  void encode(ByteWriter& out) const {
    encode_value(items, out);
    encode_value(stamps, out);
  }
  static ListValue decode(ByteReader& in) {
    ListValue list;
    list.items = decode_value<std::vector<T>>(in);
    list.stamps = decode_value<std::vector<std::int64_t>>(in);
    return list;
  }
};

}  // namespace tidemark::api_detail
