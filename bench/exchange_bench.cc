// SPDX-License-Identifier: Apache-2.0
//
// Batches from one thread to another: two tasks on the threaded executor with a channel of the
// local transport between them, beside two threads by hand with a ring of pointers to reused
// batches. The sender fills three columns of 8 bytes, the receiver reads them all. Processor time
// of both threads.
#include <array>
#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "bench/measure.h"
#include "tidemark/base/executor.h"
#include "tidemark/runtime/threaded_executor.h"
#include "tidemark/runtime/transport.h"

namespace tidemark::bench {
namespace {

constexpr std::size_t kColumns = 3;
constexpr std::size_t kDepth = 8;  // batches between the two

void fill(std::int64_t* column, std::size_t rows, std::uint64_t seed) {
  for (std::size_t row = 0; row < rows; ++row)
    column[row] = static_cast<std::int64_t>((seed + row) * 0x9e3779b97f4a7c15ull);
}

std::uint64_t sum(const std::int64_t* column, std::size_t rows) {
  std::uint64_t total = 0;
  for (std::size_t row = 0; row < rows; ++row) total += static_cast<std::uint64_t>(column[row]);
  return total;
}

struct Load {
  std::size_t batches;
  std::size_t batch_rows;
};

// Waits for a change of `value` from `seen`: a short spin, then asleep.
void await(const std::atomic<std::size_t>& value, std::size_t seen) {
  for (int spin = 0; spin < 200; ++spin) {
    if (value.load(std::memory_order_acquire) != seen) return;
    std::this_thread::yield();
  }
  value.wait(seen, std::memory_order_acquire);
}

std::uint64_t exchange_by_hand(Load load) {
  struct Slot {
    std::array<std::vector<std::int64_t>, kColumns> columns;
  };
  std::array<Slot, kDepth> ring;
  for (Slot& slot : ring)
    for (auto& column : slot.columns) column.resize(load.batch_rows);
  alignas(64) std::atomic<std::size_t> sent{0};
  alignas(64) std::atomic<std::size_t> taken{0};

  std::thread sender([&] {
    for (std::size_t i = 0; i < load.batches; ++i) {
      for (std::size_t seen; i - (seen = taken.load(std::memory_order_acquire)) == kDepth;)
        await(taken, seen);
      for (std::size_t c = 0; c < kColumns; ++c)
        fill(ring[i % kDepth].columns[c].data(), load.batch_rows, i + c);
      sent.store(i + 1, std::memory_order_release);
      sent.notify_one();
    }
  });
  std::uint64_t checksum = 0;
  for (std::size_t i = 0; i < load.batches; ++i) {
    while (sent.load(std::memory_order_acquire) == i) await(sent, i);
    for (const auto& column : ring[i % kDepth].columns)
      checksum += sum(column.data(), load.batch_rows);
    taken.store(i + 1, std::memory_order_release);
    taken.notify_one();
  }
  sender.join();
  return checksum;
}

class SendingTask final : public Pollable {
 public:
  SendingTask(Load load, std::unique_ptr<ChannelSender> sender)
      : load_(load), sender_(std::move(sender)) {
    const DataType number = DataType::big_int().with_nullable(false);
    schema_ = make_schema({{"a", number}, {"b", number}, {"c", number}});
    for (const Field& field : schema_->fields) builders_.emplace_back(field.type);
  }

  PollState poll(const PollBudget& budget) override {
    for (std::size_t i = 0; i < budget.batches_max; ++i) {
      if (sent_ == load_.batches) {
        sender_->send(EndOfInput{});
        return PollState::kFinished;
      }
      if (!sender_->has_credit()) return PollState::kWaitCredit;
      sender_->send(make_batch());
      ++sent_;
    }
    return PollState::kReady;
  }
  void on_failure(std::exception_ptr) noexcept override { std::terminate(); }

 private:
  BatchPtr make_batch() {
    std::vector<ColumnPtr> columns;
    columns.reserve(kColumns);
    for (std::size_t c = 0; c < kColumns; ++c) {
      fill(builders_[c].extend<std::int64_t>(load_.batch_rows), load_.batch_rows, sent_ + c);
      columns.push_back(builders_[c].finish());
    }
    return std::make_shared<const Batch>(schema_, load_.batch_rows, std::move(columns));
  }

  Load load_;
  std::unique_ptr<ChannelSender> sender_;
  SchemaPtr schema_;
  std::vector<ColumnBuilder> builders_;
  std::size_t sent_ = 0;
};

class ReceivingTask final : public Pollable {
 public:
  ReceivingTask(std::unique_ptr<ChannelReceiver> receiver, std::promise<std::uint64_t>& result)
      : receiver_(std::move(receiver)), result_(result) {}

  PollState poll(const PollBudget& budget) override {
    for (std::size_t i = 0; i < budget.batches_max; ++i) {
      const std::optional<Element> element = receiver_->receive();
      if (!element) return PollState::kWaitInput;
      if (std::holds_alternative<EndOfInput>(*element)) {
        result_.set_value(checksum_);
        return PollState::kFinished;
      }
      const BatchPtr& batch = std::get<BatchPtr>(*element);
      for (const ColumnPtr& column : batch->columns())
        checksum_ += sum(column->values<std::int64_t>(), batch->rows());
    }
    return PollState::kReady;
  }
  void on_failure(std::exception_ptr) noexcept override { std::terminate(); }

 private:
  std::unique_ptr<ChannelReceiver> receiver_;
  std::promise<std::uint64_t>& result_;
  std::uint64_t checksum_ = 0;
};

std::uint64_t exchange_by_engine(Executor& executor, Load load) {
  // The ids are known only once the tasks are spawned, which may already wake each other.
  struct Ids {
    std::atomic<TaskId> sender{0}, receiver{0};
    std::atomic<bool> known{false};
  };
  auto ids = std::make_shared<Ids>();
  const std::unique_ptr<Transport> transport = make_local_transport();
  Channel channel = transport->open_channel({.batches_max = kDepth,
                                             .wake_receiver =
                                                 [ids, &executor] {
                                                   ids->known.wait(false);
                                                   executor.wake(ids->receiver);
                                                 },
                                             .wake_sender =
                                                 [ids, &executor] {
                                                   ids->known.wait(false);
                                                   executor.wake(ids->sender);
                                                 }});
  std::promise<std::uint64_t> result;
  std::future<std::uint64_t> checksum = result.get_future();
  ids->receiver =
      executor.spawn(std::make_shared<ReceivingTask>(std::move(channel.receiver), result), 1);
  ids->sender = executor.spawn(std::make_shared<SendingTask>(load, std::move(channel.sender)), 0);
  ids->known = true;
  ids->known.notify_all();
  return checksum.get();
}

int run(int argc, char** argv) {
  Bench bench("exchange", argc, argv);
  const SystemClock clock;
  const std::unique_ptr<Executor> executor =
      make_threaded_executor(clock, {.cores = 2, .io_threads = 1});
  for (const std::size_t batch_rows : {kDefaultBatchRows, kMaxBatchRows}) {
    const std::string name = "two threads, batches of " + std::to_string(batch_rows);
    if (!bench.wants(name)) continue;
    const Load load{bench.size(20'000'000, 100'000) / batch_rows, batch_rows};
    bench.run(
        {.name = name,
         .rows = load.batches * load.batch_rows,
         .contenders = {{"hand loop", [&] { return exchange_by_hand(load); }, CpuTime::kProcess},
                        {"engine", [&] { return exchange_by_engine(*executor, load); },
                         CpuTime::kProcess}},
         .goals = {{"engine", "hand loop", 0.5}}});
  }
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
