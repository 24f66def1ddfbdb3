// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/source_head.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/bytes.h"
#include "tidemark/base/check.h"
#include "tidemark/operator/snapshot_parts.h"

namespace tidemark {

struct SourceHead::OpenSplit {
  SplitState state;
  std::unique_ptr<SplitReader> reader;  // opened at the first read
  std::unique_ptr<WatermarkGenerator> generator;
  bool waiting = false;
  ProcessingTime retry_at = kMinTime;
  /// Since when its reader has had nothing. Absent: it had, or was not asked yet.
  std::optional<ProcessingTime> silent_since;
  bool idle = false;
  std::uint64_t counted_bytes = 0;
  std::uint64_t counted_total = 0;
};

namespace {

std::unique_ptr<DeadLetterWriter> make_writer(const std::optional<DeadLetterPlace>& place) {
  return place ? std::make_unique<DeadLetterWriter>(*place) : nullptr;
}

}  // namespace

SourceHead::SourceHead(SourceHeadDescription description, SourceContext context,
                       OperatorMetrics& metrics, SourceProgress& progress,
                       std::vector<SplitState> splits, BlockingContext blocking)
    : description_(std::move(description)),
      clock_(*context.clock),
      metrics_(metrics),
      progress_(progress),
      bad_records_(description_.record_errors, metrics, make_writer(description_.dead_letters)),
      context_(context),
      rows_(SourceRows::make(description_.rows, clock_, bad_records_).or_throw()),
      combiner_(splits.size()) {
  context_.bad_records = &bad_records_;
  for (SplitState& state : splits) {
    if (!state.finished) ++unfinished_;
    splits_.emplace_back();
    splits_.back().state = std::move(state);
  }
  if (description_.dead_letters) {
    auto handle = std::make_shared<CommitterHandle>();
    handle->committer = make_dead_letter_committer(*description_.dead_letters);
    dead_letters_ = std::make_unique<PublishQueue>(std::move(handle), std::move(blocking));
  }
}

SourceHead::~SourceHead() = default;

void SourceHead::open(StreamOutput& out) {
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    const SplitState& state = splits_[i].state;
    if (state.finished) {
      combiner_.on_end(i);
      progress_.bytes_read.add(state.bytes_read);
      progress_.bytes_total.add(state.bytes_read);
    } else if (state.watermark > kMinTime) {
      combiner_.on_watermark(i, state.watermark);
    }
  }
  // The end of all splits is announced by step().
  if (unfinished_ > 0) send_progress(out);
}

void SourceHead::begin_poll() {
  for (OpenSplit& split : splits_)
    if (split.waiting && split.retry_at == kMaxTime) split.waiting = false;
}

SourceHead::Result SourceHead::step(StreamOutput& out) {
  if (cursor_) return send_pieces(out) ? Result::kWorked : Result::kBlocked;
  if (ended_) return Result::kEnded;
  const ProcessingTime now = clock_.now();
  next_time_ = kMaxTime;
  const std::optional<std::size_t> index = next_readable(now);
  if (!index) return wait_or_end(out);
  return read_split(*index, now, out);
}

std::optional<std::size_t> SourceHead::next_readable(ProcessingTime now) {
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    const std::size_t index = turn_;
    turn_ = turn_ + 1 == splits_.size() ? 0 : turn_ + 1;
    OpenSplit& split = splits_[index];
    if (split.state.finished) continue;
    if (!split.waiting || split.retry_at <= now) return index;
    next_time_ = std::min(next_time_, split.retry_at);
  }
  return std::nullopt;
}

SourceHead::Result SourceHead::read_split(std::size_t index, ProcessingTime now,
                                          StreamOutput& out) {
  std::size_t rows_max = description_.batch_rows;
  if (description_.limiter) {
    const RateLimiter::Grant grant = description_.limiter->take(rows_max, clock_.monotonic_ns());
    if (grant.rows == 0) {
      turn_ = index;  // this split is still the next
      next_time_ = saturating_add(now, grant.wait);
      return Result::kWaiting;
    }
    rows_max = grant.rows;
  }
  OpenSplit& split = splits_[index];
  if (!split.reader)
    split.reader = description_.source->open(context_, split.state.split, split.state.position);
  ReadResult read = split.reader->read(rows_max);
  const std::size_t rows = read.batch ? read.batch->rows() : 0;
  TIDEMARK_DCHECK(rows <= rows_max, "a reader gives at most what it was asked for");
  if (description_.limiter && rows < rows_max) description_.limiter->give_back(rows_max - rows);
  update_bytes(split);
  split.waiting = read.state == ReadResult::State::kWait;
  split.retry_at = read.retry_at;
  if (rows > 0) {
    split.silent_since.reset();
    metrics_.records_in.add(rows);
    send_rows(index, read.batch, out);
  } else if (split.waiting) {
    note_silence(index, now);
  }
  if (read.state == ReadResult::State::kFinished) {
    split.state.finished = true;
    if (!cursor_) finish_split(index, out);
  }
  mark_idle_splits(out);
  return Result::kWorked;
}

void SourceHead::send_rows(std::size_t index, const BatchPtr& rows, StreamOutput& out) {
  OpenSplit& split = splits_[index];
  if (split.idle) {
    split.idle = false;
    combiner_.on_status(index, true);
    send_progress(out);
  }
  const BatchPtr batch =
      rows_->prepare(rows, {split.state.split.id, split.state.rows_read}, combiner_.watermark());
  split.state.rows_read += rows->rows();
  if (!batch) return;
  if (!description_.watermark) return out.emit(batch);
  if (!split.generator) open_generator(split);
  if (description_.watermark->emission == WatermarkEmission::kPerEvent) {
    watermarks_.resize(batch->rows());
    split.generator->observe(*batch, watermarks_);
    cursor_ = Cursor{.split = index, .batch = batch};
    send_pieces(out);
    return;
  }
  split.generator->observe(*batch, {});
  out.emit(batch);
  split.state.watermark = std::max(split.state.watermark, split.generator->current());
  combiner_.on_watermark(index, split.state.watermark);
  send_progress(out);
}

void SourceHead::open_generator(OpenSplit& split) {
  split.generator = description_.watermark->make_generator();
  if (split.state.generator.empty()) return;
  ByteReader in(split.state.generator);
  split.generator->restore(in);
}

// Cuts the batch after each row that raises the combined watermark. False: the output is full.
bool SourceHead::send_pieces(StreamOutput& out) {
  Cursor& cursor = *cursor_;
  OpenSplit& split = splits_[cursor.split];
  const std::size_t rows = cursor.batch->rows();
  for (std::size_t row = cursor.begin; row < rows; ++row) {
    if (watermarks_[row] <= split.state.watermark) continue;
    split.state.watermark = watermarks_[row];
    if (!combiner_.on_watermark(cursor.split, watermarks_[row])) continue;
    out.emit(slice(cursor.batch, cursor.begin, row + 1 - cursor.begin));
    cursor.begin = row + 1;
    send_progress(out);
    if (!out.ready()) return false;
  }
  if (cursor.begin < rows) out.emit(slice(cursor.batch, cursor.begin, rows - cursor.begin));
  const std::size_t index = cursor.split;
  cursor_.reset();
  if (splits_[index].state.finished) finish_split(index, out);
  return true;
}

void SourceHead::finish_split(std::size_t index, StreamOutput& out) {
  OpenSplit& split = splits_[index];
  split.state.position = split.reader->position();
  split.state.bytes_read = split.reader->bytes_read();
  split.reader.reset();
  split.waiting = false;
  --unfinished_;
  combiner_.on_end(index);
  // The last end is announced by wait_or_end(), after which nothing else is sent.
  if (unfinished_ > 0) send_progress(out);
}

void SourceHead::note_silence(std::size_t index, ProcessingTime now) {
  OpenSplit& split = splits_[index];
  if (!split.silent_since) split.silent_since = now;
}

void SourceHead::mark_idle_splits(StreamOutput& out) {
  if (!description_.watermark || description_.watermark->idle_after <= 0) return;
  const Millis idle_after = description_.watermark->idle_after;
  const ProcessingTime now = clock_.now();
  bool changed = false;
  for (std::size_t i = 0; i < splits_.size(); ++i) {
    OpenSplit& split = splits_[i];
    if (split.state.finished || split.idle || !split.silent_since) continue;
    if (saturating_sub(now, *split.silent_since) < idle_after) continue;
    split.idle = true;
    changed |= combiner_.on_status(i, false);
  }
  if (changed) send_progress(out);
}

void SourceHead::send_progress(StreamOutput& out) {
  if (sent_idle_ && !combiner_.idle()) {
    sent_idle_ = false;
    out.emit_status(true);
  }
  if (combiner_.watermark() > sent_watermark_) {
    sent_watermark_ = combiner_.watermark();
    out.emit_watermark(sent_watermark_);
  }
  if (!sent_idle_ && combiner_.idle()) {
    sent_idle_ = true;
    out.emit_status(false);
  }
}

void SourceHead::update_bytes(OpenSplit& split) {
  const std::uint64_t bytes = split.reader->bytes_read();
  const std::uint64_t total = split.reader->bytes_total();
  if (bytes > split.counted_bytes) {
    metrics_.bytes_in.add(bytes - split.counted_bytes);
    progress_.bytes_read.add(bytes - split.counted_bytes);
    split.counted_bytes = bytes;
  }
  if (total > split.counted_total) {
    progress_.bytes_total.add(total - split.counted_total);
    split.counted_total = total;
  }
}

SourceHead::Result SourceHead::wait_or_end(StreamOutput& out) {
  if (unfinished_ == 0 && (description_.source->bounded() || !splits_.empty())) {
    ended_ = true;
    if (sent_idle_) out.emit_status(true);
    out.emit_watermark(kMaxTime);
    return Result::kEnded;
  }
  if (splits_.empty() && !sent_idle_) {
    sent_idle_ = true;
    out.emit_status(false);
  }
  mark_idle_splits(out);
  if (description_.watermark && description_.watermark->idle_after > 0) {
    for (const OpenSplit& split : splits_)
      if (!split.state.finished && !split.idle && split.silent_since)
        next_time_ = std::min(
            next_time_, saturating_add(*split.silent_since, description_.watermark->idle_after));
  }
  return Result::kWaiting;
}

void SourceHead::add_blocked_time(Millis millis) {
  for (OpenSplit& split : splits_)
    if (split.silent_since) *split.silent_since += millis;
}

std::unique_ptr<SnapshotPart> SourceHead::snapshot(CheckpointId checkpoint) {
  TIDEMARK_CHECK(at_boundary(), "a source is snapshotted between batches");
  std::vector<std::string> items;
  items.reserve(splits_.size());
  for (OpenSplit& split : splits_) {
    if (split.reader) {
      split.state.position = split.reader->position();
      split.state.bytes_read = split.reader->bytes_read();
    }
    if (split.generator) {
      ByteWriter generator;
      split.generator->snapshot(generator);
      split.state.generator = generator.take();
    }
    items.push_back(encode(split.state));
  }
  ByteWriter enumeration;
  enumeration.put(description_.enumerated_for);
  std::vector<std::unique_ptr<SnapshotPart>> parts;
  parts.push_back(make_operator_state_part(
      {.name = std::string(kSplitsState), .schema = "(split, position, watermark)"},
      std::move(items)));
  parts.push_back(make_operator_state_part({.name = std::string(kEnumerationState),
                                            .redistribution = Redistribution::kUnion,
                                            .schema = "parallelism"},
                                           {enumeration.take()}));
  if (dead_letters_) {
    dead_letters_->add(checkpoint, bad_records_.dead_letters()->prepare());
    parts.push_back(make_operator_state_part(
        {.name = std::string(kDeadLetterState), .schema = "(checkpoint, file)"},
        dead_letters_->encode_unpublished()));
  }
  return join_parts(std::move(parts));
}

void SourceHead::on_checkpoint_complete(CheckpointId checkpoint) {
  if (dead_letters_) dead_letters_->complete(checkpoint);
}

CheckpointId SourceHead::poll_published() {
  return dead_letters_ ? dead_letters_->poll() : std::numeric_limits<CheckpointId>::max();
}

}  // namespace tidemark
