// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/testing.h"

#include <algorithm>
#include <limits>

#include "tidemark/api/harness_snapshot.h"
#include "tidemark/base/check.h"
#include "tidemark/operator/keyed_restore.h"

namespace tidemark {

class OperatorHarness::RecordingOutput final : public Output {
 public:
  explicit RecordingOutput(bool refuse_every_other) : refuse_every_other_(refuse_every_other) {}

  void emit(BatchPtr batch) override { emit_side(kMainOutput, std::move(batch)); }
  void emit_side(OutputIndex side, BatchPtr batch) override {
    if (batch->rows() > 0) elements.push_back({side, std::move(batch), kMinTime});
  }
  void emit_watermark(EventTime watermark) override {
    if (watermark <= watermark_) return;
    watermark_ = watermark;
    elements.push_back({kMainOutput, nullptr, watermark});
  }
  bool ready() const override {
    if (!refuse_every_other_) return true;
    refused_ = !refused_;
    return !refused_;
  }
  EventTime watermark() const noexcept { return watermark_; }

  std::vector<HarnessElement> elements;

 private:
  bool refuse_every_other_;
  mutable bool refused_ = false;
  EventTime watermark_ = kMinTime;
};

struct OperatorHarness::Parts {
  Parts(const Factory& make, HarnessOptions chosen)
      : options(std::move(chosen)),
        range(range_of(options.subtask, options.parallelism, options.max_parallelism)),
        clock(options.now),
        output(options.refuse_every_other) {
    if (options.keyed_state) backend = make_hashmap_backend(range, options.max_parallelism);
    context.uid = options.uid;
    context.subtask = options.subtask;
    context.parallelism = options.parallelism;
    context.max_parallelism = options.max_parallelism;
    context.clock = &clock;
    context.keyed_state = backend.get();
    context.metrics = &metrics;
    context.seed = options.subtask;
    op = make();
    op->open(context);
  }

  void tell_time(EventTime watermark = kMinTime) {
    if (backend) backend->advance_time({.now = clock.now(), .watermark = watermark});
  }

  HarnessOptions options;
  KeyGroupRange range;
  ManualClock clock;
  OperatorMetrics metrics;
  std::unique_ptr<KeyedStateBackend> backend;
  OperatorContext context;
  std::unique_ptr<Operator> op;  // after what its context points to
  RecordingOutput output;

  // The snapshot that is being written.
  CheckpointId checkpoint = 0;
  std::vector<std::unique_ptr<SnapshotPart>> parts;
  api_detail::HarnessSnapshot written;
};

OperatorHarness::OperatorHarness(const Factory& make, HarnessOptions options)
    : parts_(std::make_unique<Parts>(make, std::move(options))) {}

OperatorHarness::OperatorHarness(const Factory& make, HarnessOptions options,
                                 std::span<const std::string> snapshots)
    : OperatorHarness(make, std::move(options)) {
  const api_detail::HarnessSnapshotReader reader(snapshots, parts_->options.subtask,
                                                 parts_->options.parallelism, parts_->range);
  parts_->tell_time();
  if (parts_->backend) restore_keyed_state(*parts_->backend, reader, parts_->options.uid);
  parts_->op->restore(reader);
}

OperatorHarness::~OperatorHarness() = default;
OperatorHarness::OperatorHarness(OperatorHarness&&) noexcept = default;
OperatorHarness& OperatorHarness::operator=(OperatorHarness&&) noexcept = default;

void OperatorHarness::run(Step step) {
  while (step == Step::kMore) step = parts_->op->resume(parts_->output);
  for (HarnessElement& element : parts_->output.elements) elements_.push_back(std::move(element));
  parts_->output.elements.clear();
  output_watermark_ = parts_->output.watermark();
}

void OperatorHarness::push(const BatchPtr& batch, std::size_t input) {
  if (batch->rows() == 0) return;
  parts_->metrics.records_in.add(batch->rows());
  parts_->tell_time();
  run(parts_->op->process(batch, input, parts_->output));
}

void OperatorHarness::advance_watermark(EventTime watermark) {
  if (watermark <= input_watermark_) return;
  input_watermark_ = watermark;
  parts_->tell_time(watermark);
  run(parts_->op->on_watermark(watermark, parts_->output));
}

void OperatorHarness::advance_processing_time(Millis by) {
  const ProcessingTime end = saturating_add(parts_->clock.now(), by);
  for (;;) {
    const ProcessingTime due = parts_->op->next_processing_time();
    if (due > end) break;
    parts_->clock.advance(std::max<Millis>(0, due - parts_->clock.now()));
    parts_->tell_time();
    run(parts_->op->on_processing_time(parts_->clock.now(), parts_->output));
    TIDEMARK_CHECK(parts_->op->next_processing_time() > due,
                   "an operator asks for a later time once the one it asked for has come");
  }
  parts_->clock.advance(end - parts_->clock.now());
}

void OperatorHarness::finish() {
  advance_watermark(kMaxTime);
  run(parts_->op->finish(parts_->output));
  parts_->op->close();
}

std::string OperatorHarness::snapshot() {
  std::string bytes;
  begin_snapshot();
  while (!write_snapshot_part(std::numeric_limits<std::size_t>::max(), bytes)) continue;
  return bytes;
}

void OperatorHarness::begin_snapshot() {
  TIDEMARK_CHECK(parts_->parts.empty(), "one snapshot is written at a time");
  parts_->written = {};
  ++parts_->checkpoint;
  parts_->tell_time();
  if (parts_->backend) parts_->parts.push_back(parts_->backend->snapshot(SnapshotKind::kSavepoint));
  parts_->parts.push_back(parts_->op->snapshot(parts_->checkpoint));
  std::erase(parts_->parts, nullptr);
}

bool OperatorHarness::write_snapshot_part(std::size_t bytes_max, std::string& bytes) {
  auto& parts = parts_->parts;
  if (!parts.empty() && parts.front()->step(parts_->written, bytes_max)) parts.erase(parts.begin());
  if (!parts.empty()) return false;
  bytes = parts_->written.encode();
  return true;
}

std::vector<BatchPtr> OperatorHarness::take_output(OutputIndex output) {
  std::vector<BatchPtr> batches;
  for (HarnessElement& element : take_elements())
    if (element.batch && element.output == output) batches.push_back(std::move(element.batch));
  return batches;
}

const OperatorMetrics& OperatorHarness::metrics() const noexcept {
  return parts_->metrics;
}

std::vector<std::string> OperatorHarness::late_sample() const {
  return parts_->metrics.late_sample.rows();
}

std::uint64_t OperatorHarness::late_rows() const noexcept {
  return parts_->metrics.late_dropped.get() + parts_->metrics.late_side_output.get();
}

ProcessingTime OperatorHarness::now() const {
  return parts_->clock.now();
}

}  // namespace tidemark
