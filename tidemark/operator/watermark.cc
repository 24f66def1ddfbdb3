// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/watermark.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/base/error.h"

namespace tidemark {
namespace {

const EventTime* event_times_of(const Batch& batch) {
  const EventTime* times = batch.event_times();
  if (times == nullptr && batch.rows() > 0)
    throw Failure(ErrorCode::kInvalidRecord,
                  "a watermark was asked of rows without event times; name their time column with "
                  "WATERMARK FOR or a timestamp assigner",
                  /*retryable=*/false);
  return times;
}

// A row that carries no time, or the end of time, says nothing about the rows to come.
constexpr EventTime usable_time(EventTime time) noexcept {
  return time == kMaxTime ? kMinTime : time;
}

class BoundedGenerator final : public WatermarkGenerator {
 public:
  explicit BoundedGenerator(Millis bound) : bound_(bound) {}

  void observe(const Batch& batch, std::span<EventTime> watermarks) override {
    const EventTime* times = event_times_of(batch);
    if (watermarks.empty()) {
      for (std::size_t i = 0; i < batch.rows(); ++i) max_ = std::max(max_, usable_time(times[i]));
      return;
    }
    TIDEMARK_DCHECK(watermarks.size() >= batch.rows(), "a watermark for each row");
    for (std::size_t i = 0; i < batch.rows(); ++i) {
      max_ = std::max(max_, usable_time(times[i]));
      watermarks[i] = current();
    }
  }
  EventTime current() const override { return saturating_sub(max_, bound_); }

  void snapshot(ByteWriter& out) const override { out.put(max_); }
  void restore(ByteReader& in) override { max_ = in.get<EventTime>(); }

 private:
  Millis bound_;
  EventTime max_ = kMinTime;
};

}  // namespace

WatermarkStrategy bounded_out_of_orderness(Millis bound) {
  TIDEMARK_CHECK(bound >= 0, "a bound on disorder of 0 ms or more");
  return {.make_generator = [bound] { return std::make_unique<BoundedGenerator>(bound); }};
}

WatermarkStrategy monotonous_timestamps() {
  return bounded_out_of_orderness(0);
}

WatermarkStrategy custom_watermarks(
    std::function<std::unique_ptr<WatermarkGenerator>()> make_generator) {
  return {.make_generator = std::move(make_generator)};
}

WatermarkCombiner::WatermarkCombiner(std::size_t inputs) : inputs_(inputs), idle_(inputs == 0) {}

std::size_t WatermarkCombiner::add_input() {
  inputs_.emplace_back();
  idle_ = false;
  return inputs_.size() - 1;
}

bool WatermarkCombiner::on_watermark(std::size_t input, EventTime watermark) {
  Input& in = inputs_[input];
  in.watermark = std::max(in.watermark, watermark);
  in.active = true;
  return recompute();
}

bool WatermarkCombiner::on_status(std::size_t input, bool active) {
  inputs_[input].active = active;
  return recompute();
}

bool WatermarkCombiner::recompute() {
  EventTime slowest_active = kMaxTime;
  EventTime fastest_idle = kMinTime;
  bool some_active = false;
  bool some_idle = false;
  for (const Input& input : inputs_) {
    if (input.ended()) continue;
    if (input.active) {
      some_active = true;
      slowest_active = std::min(slowest_active, input.watermark);
    } else {
      some_idle = true;
      fastest_idle = std::max(fastest_idle, input.watermark);
    }
  }
  const bool idle = !some_active && some_idle;
  const EventTime promise = idle ? fastest_idle : slowest_active;
  const EventTime combined = std::max(combined_, promise);
  const bool changed = combined != combined_ || idle != idle_;
  combined_ = combined;
  idle_ = idle;
  return changed;
}

}  // namespace tidemark
