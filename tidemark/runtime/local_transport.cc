// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "tidemark/base/check.h"
#include "tidemark/runtime/transport.h"

namespace tidemark {
namespace {

// Control elements that fit when batches have used up everything else.
constexpr std::uint64_t kControlReserve = 16;

// One ring. `tail` and `sent_batches` are written by the sender only, `head` and `taken_batches` by
// the receiver only. Every wake decision is a store of one's own position followed by a load of the
// other's, both sequentially consistent: of two sides that race, at least one sees the other's
// store, so either the element (the credit) is seen or the wake is sent.
struct Ring {
  explicit Ring(ChannelOptions channel_options)
      : options(std::move(channel_options)),
        slots(std::bit_ceil(2 * options.batches_max + 2 * kControlReserve)) {}

  std::uint64_t capacity() const noexcept { return slots.size(); }
  Element& slot(std::uint64_t position) noexcept { return slots[position & (slots.size() - 1)]; }
  bool credit(std::uint64_t batches_in_flight, std::uint64_t elements) const noexcept {
    return batches_in_flight < options.batches_max && elements + kControlReserve < capacity();
  }

  ChannelOptions options;
  std::vector<Element> slots;
  alignas(64) std::atomic<std::uint64_t> tail{0};
  std::atomic<std::uint64_t> sent_batches{0};
  alignas(64) std::atomic<std::uint64_t> head{0};
  std::atomic<std::uint64_t> taken_batches{0};
};

class RingSender final : public ChannelSender {
 public:
  explicit RingSender(std::shared_ptr<Ring> ring) : ring_(std::move(ring)) {}

  bool has_credit() const override {
    return ring_->credit(ring_->sent_batches.load(std::memory_order_relaxed) -
                             ring_->taken_batches.load(std::memory_order_seq_cst),
                         in_flight());
  }
  bool has_control_room() const override { return in_flight() < ring_->capacity(); }

  void send(Element element) override {
    Ring& ring = *ring_;
    const std::uint64_t tail = ring.tail.load(std::memory_order_relaxed);
    TIDEMARK_CHECK(in_flight() < ring.capacity(), "a send into a channel without room");
    if (std::holds_alternative<BatchPtr>(element))
      ring.sent_batches.store(ring.sent_batches.load(std::memory_order_relaxed) + 1,
                              std::memory_order_seq_cst);
    ring.slot(tail) = std::move(element);
    ring.tail.store(tail + 1, std::memory_order_seq_cst);
    const bool was_empty = ring.head.load(std::memory_order_seq_cst) == tail;
    if (was_empty && ring.options.wake_receiver) ring.options.wake_receiver();
  }

 private:
  std::uint64_t in_flight() const {
    return ring_->tail.load(std::memory_order_relaxed) -
           ring_->head.load(std::memory_order_seq_cst);
  }

  std::shared_ptr<Ring> ring_;
};

class RingReceiver final : public ChannelReceiver {
 public:
  explicit RingReceiver(std::shared_ptr<Ring> ring) : ring_(std::move(ring)) {}

  std::optional<Element> receive() override {
    Ring& ring = *ring_;
    const std::uint64_t head = ring.head.load(std::memory_order_relaxed);
    if (ring.tail.load(std::memory_order_seq_cst) == head) return std::nullopt;
    Element element = std::move(ring.slot(head));
    ring.slot(head) = EndOfInput{};
    const std::uint64_t taken = ring.taken_batches.load(std::memory_order_relaxed);
    const std::uint64_t batch = std::holds_alternative<BatchPtr>(element) ? 1 : 0;
    ring.taken_batches.store(taken + batch, std::memory_order_seq_cst);
    ring.head.store(head + 1, std::memory_order_seq_cst);
    if (gave_room(taken, batch, head)) ring.options.wake_sender();
    return element;
  }

  std::size_t queued() const override {
    return ring_->tail.load(std::memory_order_acquire) -
           ring_->head.load(std::memory_order_relaxed);
  }

 private:
  bool gave_room(std::uint64_t taken, std::uint64_t batch, std::uint64_t head) const {
    const Ring& ring = *ring_;
    if (!ring.options.wake_sender) return false;
    const std::uint64_t sent = ring.sent_batches.load(std::memory_order_seq_cst);
    const std::uint64_t tail = ring.tail.load(std::memory_order_seq_cst);
    const bool full_before = !ring.credit(sent - taken, tail - head);
    return full_before &&
           (ring.credit(sent - taken - batch, tail - head - 1) || tail - head >= ring.capacity());
  }

  std::shared_ptr<Ring> ring_;
};

class LocalTransport final : public Transport {
 public:
  Channel open_channel(ChannelOptions options) override {
    TIDEMARK_CHECK(options.batches_max > 0, "a channel needs credit for one batch at least");
    auto ring = std::make_shared<Ring>(std::move(options));
    return {std::make_unique<RingSender>(ring), std::make_unique<RingReceiver>(ring)};
  }
};

}  // namespace

std::unique_ptr<Transport> make_local_transport() {
  return std::make_unique<LocalTransport>();
}

}  // namespace tidemark
