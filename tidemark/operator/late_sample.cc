// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/late_sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "tidemark/data/calendar.h"
#include "tidemark/data/value.h"

namespace tidemark {
namespace {

constexpr std::size_t kShownColumns = 20;
constexpr std::size_t kShownBytes = 60;

std::string row_text(const Batch& batch, std::size_t row) {
  std::string text;
  for (std::size_t i = 0; i < batch.columns().size(); ++i) {
    if (i > 0) text += ", ";
    if (i == kShownColumns) return text + "...";
    std::string value = to_string(value_at(batch.column(i), row));
    if (value.size() > kShownBytes) value = value.substr(0, kShownBytes) + "...";
    text += batch.schema().fields[i].name + "=" + value;
  }
  return text;
}

}  // namespace

void LateSample::add(const Batch& batch, std::span<const RowIndex> rows, EventTime watermark) {
  const std::lock_guard lock(mutex_);
  const std::size_t count = std::min(rows.size(), kRows - rows_.size());
  for (const RowIndex row : rows.first(count))
    rows_.push_back(fmt::format("{}; its time is {}, the watermark was {}", row_text(batch, row),
                                event_time_to_string(batch.event_times()[row]),
                                event_time_to_string(watermark)));
}

std::vector<std::string> LateSample::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

}  // namespace tidemark
