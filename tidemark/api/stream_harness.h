// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/api/graph_harness.h"
#include "tidemark/api/source.h"
#include "tidemark/api/stream.h"
#include "tidemark/base/bytes.h"
#include "tidemark/operator/watermark.h"

namespace tidemark {

struct StreamHarnessOptions {
  /// Subtasks of each operator with keyed input; all others run in one.
  std::uint32_t parallelism = 1;
  std::uint32_t max_parallelism = kDefaultMaxParallelism;
};

/// Tests a typed pipeline by the step: push an event, look what came out.
///   StreamHarness<Reading, Result> harness(
///       [](Stream<Reading> in) { return in.key_by(...).window(tumbling(10s)).sum(...); },
///       &Reading::time, bounded_out_of_orderness(3s));
///   harness.push({"sensor_1", 10, 1000});
///   EXPECT_EQ(harness.watermark(), -2000);
///   EXPECT_TRUE(harness.take().empty());
/// Everything runs on the test's thread, through the operators that a job would run. Sinks in the
/// pipeline (a Collected for side outputs) receive their rows before push() returns. Without a
/// strategy the test sends watermarks itself.
template <typename In, typename Out>
class StreamHarness {
 public:
  using Pipeline = std::function<Stream<Out>(Stream<In>)>;

  explicit StreamHarness(const Pipeline& pipeline, StreamHarnessOptions options = {})
      : StreamHarness(pipeline, nullptr, options) {}

  /// Events happen at `time` (as Environment::source takes it), and after each event the watermark
  /// is what `strategy` says: as a source does that emits on event.
  template <typename Time>
  StreamHarness(const Pipeline& pipeline, Time time, const WatermarkStrategy& strategy,
                StreamHarnessOptions options = {})
      : StreamHarness(pipeline, api_detail::make_time_extractor<In>(std::move(time)), options) {
    generator_ = strategy.make_generator();
  }

  /// One event, and then the watermark that follows it.
  void push(const In& event) {
    RecordWriter<In> writer;
    writer.append(event);
    push_batch(writer.finish());
  }
  /// One event of a harness without a strategy.
  void push(const In& event, EventTime time) {
    RecordWriter<In> writer;
    writer.append(event);
    graph_->push(writer.finish(make_time_column(&time, 1)));
  }
  /// Several events as one batch: the watermark rises after the last of them.
  void push_all(const std::vector<In>& events) {
    RecordWriter<In> writer;
    for (const In& event : events) writer.append(event);
    push_batch(writer.finish());
  }

  /// A watermark that is not above the last is left out.
  void advance_watermark(EventTime watermark) {
    if (watermark <= watermark_) return;
    watermark_ = watermark;
    graph_->advance_watermark(watermark);
  }
  void advance_processing_time(Millis by) { graph_->advance_processing_time(by); }
  /// The end of the input: every window that has rows fires.
  void finish() {
    watermark_ = kMaxTime;
    graph_->finish();
  }

  /// What came out since the last take. std::string_view members live as long as the harness.
  std::vector<Out> take() {
    std::vector<Out> rows;
    for (const BatchPtr& batch : graph_->take()) {
      for (Out& row : read_records<Out>(*batch)) rows.push_back(std::move(row));
      kept_.push_back(batch);
    }
    return rows;
  }

  /// The watermark that the pipeline's input has; kMinTime before the first.
  EventTime watermark() const noexcept { return watermark_; }
  /// The watermark of what comes out.
  EventTime output_watermark() const { return graph_->output_watermark(); }
  /// The highest event time pushed; kMinTime before the first event.
  EventTime max_event_time() const noexcept { return max_event_time_; }
  /// Rows that were too late for their window, dropped or in late_rows().
  std::uint64_t late_rows() const { return graph_->late_rows(); }
  /// The first of them, as text, with their times and the watermark.
  std::vector<std::string> late_sample() const { return graph_->late_sample(); }

  /// All state: of the operators, and where the input's watermark stands.
  std::string snapshot() {
    ByteWriter out;
    out.put(watermark_);
    out.put(max_event_time_);
    ByteWriter generator;
    if (generator_) generator_->snapshot(generator);
    out.put_string(generator.view());
    out.put_raw(graph_->snapshot());
    return out.take();
  }
  /// Makes this harness go on where the one that made the snapshot was, whatever the parallelism of
  /// either. Throws a Failure for a snapshot of another pipeline.
  void restore(std::string_view snapshot) {
    ByteReader in(snapshot);
    watermark_ = in.get<EventTime>();
    max_event_time_ = in.get<EventTime>();
    ByteReader generator(in.get_string());
    if (generator_) generator_->restore(generator);
    graph_->restore(in.get_raw(in.remaining()));
  }

 private:
  StreamHarness(const Pipeline& pipeline, api_detail::TimeExtractor extract,
                StreamHarnessOptions options)
      : extract_(std::move(extract)) {
    auto graph = std::make_shared<api_detail::StreamGraph>();
    api_detail::StreamNode source;
    source.kind = api_detail::StreamNode::Kind::kSource;
    source.name = "harness";
    source.output = schema_of<In>();
    const api_detail::StreamNodeId id = graph->add(std::move(source));
    const Stream<Out> out = pipeline(Stream<In>({graph, id}));
    graph_ = std::make_unique<api_detail::GraphHarness>(
        graph, id, out.handle(), options.parallelism, options.max_parallelism);
  }

  void push_batch(const BatchPtr& batch) {
    if (!extract_ || batch->rows() == 0) return graph_->push(batch);
    std::vector<EventTime> times(batch->rows());
    extract_(*batch, times);
    const auto timed =
        std::make_shared<const Batch>(batch->schema_ptr(), batch->rows(), batch->columns(),
                                      make_time_column(times.data(), times.size()));
    graph_->push(timed);
    generator_->observe(*timed, {});
    max_event_time_ = std::max(max_event_time_, *std::max_element(times.begin(), times.end()));
    advance_watermark(generator_->current());
  }

  api_detail::TimeExtractor extract_;
  std::unique_ptr<WatermarkGenerator> generator_;
  std::unique_ptr<api_detail::GraphHarness> graph_;
  std::vector<BatchPtr> kept_;
  EventTime watermark_ = kMinTime;
  EventTime max_event_time_ = kMinTime;
};

}  // namespace tidemark
