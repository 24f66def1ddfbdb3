// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/process_core.h"

#include <utility>

#include "tidemark/base/bytes.h"
#include "tidemark/base/check.h"
#include "tidemark/operator/snapshot_parts.h"
#include "tidemark/state/table_block.h"

namespace tidemark::api_detail {
namespace {

constexpr const char* kEventTimers = "event-time timers";
constexpr const char* kProcessingTimers = "processing-time timers";
const std::string kWatermarkState = "watermark";
// Timers handed out at once: a batch of look-ups, and little to hand back when one adds another.
constexpr std::size_t kTimersABatch = 1024;

}  // namespace

std::string key_schema_text(const Schema& schema) {
  std::string text;
  for (const Field& field : schema.fields)
    text += (text.empty() ? "" : ", ") + field.name + " " + to_string(field.type);
  return "(" + text + ")";
}

ProcessCore::ProcessCore(std::vector<KeyColumns> inputs, SchemaPtr key_schema)
    : inputs_(std::move(inputs)), key_schema_(std::move(key_schema)) {
  for (const KeyColumns& input : inputs_) {
    codecs_.emplace_back();
    if (!input.columns.empty()) codecs_.back().emplace(input.columns, input.types);
  }
  TIDEMARK_CHECK(codecs_.front().has_value(), "the first input has a key");
}

void ProcessCore::open(OperatorContext& context, std::span<KeyedStateHandle* const> states) {
  TIDEMARK_CHECK(context.keyed_state != nullptr, "a keyed operator has keyed state");
  context_ = &context;
  const KeyEncoding encoding = codecs_.front()->encoding();
  const KeyGroupRange range = context.keyed_state->key_groups();
  event_.emplace(kEventTimers, encoding, range, context.max_parallelism);
  processing_.emplace(kProcessingTimers, encoding, range, context.max_parallelism);
  StateEnvironment environment = this->environment();
  environment.backend = context.keyed_state;
  environment.operator_uid = context.uid;
  environment.row = &row_;
  states_.assign(states.begin(), states.end());
  for (KeyedStateHandle* state : states_) state->open(environment);
}

StateEnvironment ProcessCore::environment() const {
  return {.key_encoding = codecs_.front()->encoding(), .key_schema = key_schema_text(*key_schema_)};
}

std::vector<TableDescriptor> ProcessCore::keyed_tables(
    std::span<KeyedStateHandle* const> states) const {
  std::vector<TableDescriptor> tables;
  for (const KeyedStateHandle* state : states)
    for (TableDescriptor& table : state->describe(environment()))
      tables.push_back(std::move(table));
  return tables;
}

void ProcessCore::attach(const KeyBatch& keys) {
  keys_ = &keys;
  row_ = 0;
  key_batch_ = nullptr;
  for (KeyedStateHandle* state : states_) state->attach(keys);
}

void ProcessCore::begin_rows(const BatchPtr& batch, std::size_t input) {
  batch_ = batch;
  input_ = input;
  times_ = batch->event_times();
  row_ = 0;
  if (!codecs_[input]) return;
  codecs_[input]->encode(*batch, encoded_);
  encoded_.times = times_;
  attach(encoded_);
}

void ProcessCore::end_rows() {
  if (keys_ != nullptr)
    for (KeyedStateHandle* state : states_) state->detach();
  keys_ = nullptr;
  times_ = nullptr;
  batch_ = nullptr;
  key_batch_ = nullptr;
}

bool ProcessCore::begin_timers(TimerClock clock, std::int64_t until) {
  clock_ = clock;
  firing_ = &queue(clock);
  due_ = &firing_->due(until, kTimersABatch);
  if (due_->size() == 0) return false;
  const bool event = clock == TimerClock::kEventTime;
  watermarks_.assign(event ? 0 : due_->size(), watermark_);
  times_ = event ? due_->times.data() : watermarks_.data();
  due_->keys.times = event ? times_ : nullptr;
  attach(due_->keys);
  return true;
}

void ProcessCore::end_timers(std::size_t fired) {
  firing_->consume(fired);
  end_rows();
  due_ = nullptr;
}

const EventTime* ProcessCore::timer_times() {
  return clock_ == TimerClock::kProcessingTime && watermark_ == kMinTime ? nullptr : times_;
}

const Batch& ProcessCore::key_batch() {
  if (key_batch_ != nullptr) return *key_batch_;
  std::vector<ColumnPtr> columns;
  if (due_ == nullptr) {
    for (const std::size_t column : inputs_[input_].columns)
      columns.push_back(batch_->columns()[column]);
  } else {
    std::vector<KeyedEntry> entries(keys_->size());
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = key_at(*keys_, i);
    std::vector<ColumnBuilder> builders;
    for (const DataType& type : codecs_.front()->types()) builders.emplace_back(type);
    codecs_.front()->decode(entries, builders);
    for (ColumnBuilder& builder : builders) columns.push_back(builder.finish());
  }
  key_batch_ = std::make_shared<const Batch>(key_schema_, keys_->size(), std::move(columns));
  return *key_batch_;
}

std::unique_ptr<SnapshotPart> ProcessCore::snapshot() {
  ByteWriter watermark;
  watermark.put(watermark_);
  std::vector<std::unique_ptr<SnapshotPart>> parts;
  parts.push_back(event_->snapshot());
  parts.push_back(processing_->snapshot());
  parts.push_back(make_operator_state_part(
      {.name = kWatermarkState, .redistribution = Redistribution::kUnion, .schema = "BIGINT"},
      {watermark.take()}));
  return join_parts(std::move(parts));
}

// What was late, or had expired, before a failure is so after it. Every subtask gets the watermarks
// of all: what the slowest has not been promised may still come.
void ProcessCore::restore(const SnapshotReader& reader) {
  event_->restore(reader);
  processing_->restore(reader);
  EventTime slowest = kMaxTime;
  const std::vector<std::string> items = reader.read_operator(kWatermarkState);
  for (const std::string& item : items) {
    ByteReader in(item);
    slowest = std::min(slowest, in.get<EventTime>());
  }
  if (!items.empty()) watermark_ = std::max(watermark_, slowest);
  context_->keyed_state->advance_time({.now = now(), .watermark = watermark_});
}

std::size_t ProcessCore::memory_bytes() const {
  return event_->memory_bytes() + processing_->memory_bytes();
}

}  // namespace tidemark::api_detail
