// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/sink.h"

#include <algorithm>

#include "tidemark/base/bytes.h"

namespace tidemark::api_detail {

void CollectedBatches::commit(const std::string& id, BatchPtr batch) {
  const std::lock_guard lock(mutex_);
  if (committed_.insert(id).second) batches_.push_back(std::move(batch));
}

std::vector<BatchPtr> CollectedBatches::batches() const {
  const std::lock_guard lock(mutex_);
  return batches_;
}

namespace {

// Rows wait here for the barrier, then travel in the checkpoint as one committable: an id that no
// other has, and the batch. So a crash between the checkpoint and its commit loses and repeats
// none.
class CollectWriter final : public SinkWriter {
 public:
  explicit CollectWriter(const SinkContext& context)
      : prefix_(context.sink_uid + "-" + std::to_string(context.subtask) + "-") {}

  void write(const BatchPtr& batch) override { waiting_.push_back(batch); }

  std::vector<std::string> prepare(CheckpointId checkpoint) override {
    if (waiting_.empty()) return {};
    ByteWriter out;
    out.put_string(prefix_ + std::to_string(checkpoint) + "-" + std::to_string(sequence_++));
    std::string bytes;
    encode_batch(*concatenate(waiting_), bytes);
    out.put_raw(bytes);
    waiting_.clear();
    return {out.take()};
  }

  std::string state() const override {
    ByteWriter out;
    out.put(sequence_);
    return out.take();
  }
  void restore_state(std::span<const std::string> states) override {
    for (const std::string& state : states)
      sequence_ = std::max(sequence_, ByteReader(state).get<std::uint64_t>());
  }

 private:
  std::string prefix_;
  std::vector<BatchPtr> waiting_;
  std::uint64_t sequence_ = 0;  // keeps ids apart when a checkpoint number comes again
};

class CollectCommitter final : public Committer {
 public:
  explicit CollectCommitter(std::shared_ptr<CollectedBatches> into) : into_(std::move(into)) {}

  void commit(std::span<const std::string> committables) override {
    for (const std::string& committable : committables) {
      ByteReader in(committable);
      const std::string id(in.get_string());
      into_->commit(id, decode_batch(in.get_raw(in.remaining()), into_->schema()));
    }
  }
  void abort_unknown() override {}

 private:
  std::shared_ptr<CollectedBatches> into_;
};

class CollectSink final : public Sink {
 public:
  explicit CollectSink(std::shared_ptr<CollectedBatches> into) : into_(std::move(into)) {}

  std::unique_ptr<SinkWriter> open_writer(SinkContext& context) const override {
    return std::make_unique<CollectWriter>(context);
  }
  std::unique_ptr<Committer> open_committer(SinkContext&) const override {
    return std::make_unique<CollectCommitter>(into_);
  }
  bool takes_changes() const override { return true; }

 private:
  std::shared_ptr<CollectedBatches> into_;
};

class FunctionWriter final : public SinkWriter {
 public:
  explicit FunctionWriter(std::function<void(const Batch&)> write) : write_(std::move(write)) {}
  void write(const BatchPtr& batch) override { write_(*batch); }
  std::vector<std::string> prepare(CheckpointId) override { return {}; }

 private:
  std::function<void(const Batch&)> write_;
};

class FunctionSink final : public Sink {
 public:
  explicit FunctionSink(std::function<std::function<void(const Batch&)>()> make_write)
      : make_write_(std::move(make_write)) {}

  std::unique_ptr<SinkWriter> open_writer(SinkContext&) const override {
    return std::make_unique<FunctionWriter>(make_write_());
  }
  std::unique_ptr<Committer> open_committer(SinkContext&) const override { return nullptr; }

 private:
  std::function<std::function<void(const Batch&)>()> make_write_;
};

}  // namespace

SinkPtr make_collect_sink(std::shared_ptr<CollectedBatches> into) {
  return std::make_shared<const CollectSink>(std::move(into));
}

SinkPtr make_function_sink(std::function<std::function<void(const Batch&)>()> make_write) {
  return std::make_shared<const FunctionSink>(std::move(make_write));
}

}  // namespace tidemark::api_detail
