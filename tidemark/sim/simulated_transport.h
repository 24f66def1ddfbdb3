// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tidemark/runtime/transport.h"
#include "tidemark/sim/world.h"

namespace tidemark::sim {

struct SimulatedChannel;

/// Channels whose elements and credits arrive some steps late, in order. See Simulator.
class SimulatedTransport final : public Transport {
 public:
  explicit SimulatedTransport(World& world) : world_(world) {}

  Channel open_channel(ChannelOptions options) override;
  std::string describe_waiting() const;
  void drop_all() { channels_.clear(); }

 private:
  World& world_;
  std::vector<std::weak_ptr<SimulatedChannel>> channels_;
};

}  // namespace tidemark::sim
