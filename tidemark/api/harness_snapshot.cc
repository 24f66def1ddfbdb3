// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/harness_snapshot.h"

#include "tidemark/base/bytes.h"
#include "tidemark/base/check.h"

namespace tidemark::api_detail {

void HarnessSnapshot::declare(const StateDescriptor& state) {
  TIDEMARK_CHECK(states_.find(state.name) == states_.end(), "a state is declared once");
  states_[state.name].descriptor = state;
}

void HarnessSnapshot::write_keyed(std::string_view name, KeyGroup group, std::string_view entries) {
  State& target = state(name);
  TIDEMARK_CHECK(target.descriptor.keyed, "keyed entries belong to a keyed state");
  target.blocks.emplace_back(group, entries);
}

void HarnessSnapshot::write_operator(std::string_view name, std::string_view item) {
  State& target = state(name);
  TIDEMARK_CHECK(!target.descriptor.keyed, "items belong to an operator state");
  target.items.emplace_back(item);
}

void HarnessSnapshot::attach(std::unique_ptr<SnapshotFiles>) {
  TIDEMARK_CHECK(false, "the harness keeps keyed state in memory, which writes no files");
}

HarnessSnapshot::State& HarnessSnapshot::state(std::string_view name) {
  const auto found = states_.find(name);
  TIDEMARK_CHECK(found != states_.end(), "a state is declared before it is written");
  return found->second;
}

std::string HarnessSnapshot::encode() const {
  ByteWriter out;
  out.put(static_cast<std::uint32_t>(states_.size()));
  for (const auto& [name, state] : states_) {
    out.put_string(name);
    out.put(static_cast<std::uint8_t>(state.descriptor.keyed));
    out.put(static_cast<std::uint8_t>(state.descriptor.redistribution));
    out.put_string(state.descriptor.schema);
    out.put(state.descriptor.version);
    out.put(static_cast<std::uint32_t>(state.blocks.size()));
    for (const auto& [group, entries] : state.blocks) {
      out.put(group);
      out.put_string(entries);
    }
    out.put(static_cast<std::uint32_t>(state.items.size()));
    for (const std::string& item : state.items) out.put_string(item);
  }
  return out.take();
}

HarnessSnapshot HarnessSnapshot::decode(std::string_view bytes) {
  ByteReader in(bytes);
  HarnessSnapshot snapshot;
  for (auto states = in.get<std::uint32_t>(); states > 0; --states) {
    StateDescriptor descriptor;
    descriptor.name = in.get_string();
    descriptor.keyed = in.get<std::uint8_t>() != 0;
    descriptor.redistribution = static_cast<Redistribution>(in.get<std::uint8_t>());
    descriptor.schema = in.get_string();
    descriptor.version = in.get<std::uint32_t>();
    State& state = snapshot.states_[descriptor.name];
    state.descriptor = std::move(descriptor);
    for (auto blocks = in.get<std::uint32_t>(); blocks > 0; --blocks) {
      const auto group = in.get<KeyGroup>();
      state.blocks.emplace_back(group, in.get_string());
    }
    for (auto items = in.get<std::uint32_t>(); items > 0; --items)
      state.items.emplace_back(in.get_string());
  }
  return snapshot;
}

HarnessSnapshotReader::HarnessSnapshotReader(std::span<const std::string> snapshots,
                                             std::uint32_t subtask, std::uint32_t parallelism,
                                             KeyGroupRange range)
    : subtask_(subtask), parallelism_(parallelism), range_(range) {
  for (const std::string& bytes : snapshots) snapshots_.push_back(HarnessSnapshot::decode(bytes));
}

const StateDescriptor* HarnessSnapshotReader::find(std::string_view state) const {
  for (const HarnessSnapshot& snapshot : snapshots_) {
    const auto found = snapshot.states().find(state);
    if (found != snapshot.states().end()) return &found->second.descriptor;
  }
  return nullptr;
}

void HarnessSnapshotReader::read_keyed(
    std::string_view state, const std::function<void(KeyGroup, std::string_view)>& block) const {
  for (const HarnessSnapshot& snapshot : snapshots_) {
    const auto found = snapshot.states().find(state);
    if (found == snapshot.states().end()) continue;
    for (const auto& [group, entries] : found->second.blocks)
      if (range_.contains(group)) block(group, entries);
  }
}

std::vector<std::string> HarnessSnapshotReader::read_operator(std::string_view state) const {
  std::vector<std::string> items;
  const StateDescriptor* descriptor = find(state);
  if (descriptor == nullptr) return items;
  std::size_t next = 0;
  for (const HarnessSnapshot& snapshot : snapshots_) {
    const auto found = snapshot.states().find(state);
    if (found == snapshot.states().end()) continue;
    for (const std::string& item : found->second.items) {
      const bool mine =
          descriptor->redistribution != Redistribution::kSplit || next++ % parallelism_ == subtask_;
      if (mine) items.push_back(item);
    }
    if (descriptor->redistribution == Redistribution::kBroadcast) break;
  }
  return items;
}

void HarnessSnapshotReader::read_file(const StoredFile&,
                                      const std::function<void(std::string_view)>&) const {
  TIDEMARK_CHECK(false, "a snapshot of the harness holds no files");
}

}  // namespace tidemark::api_detail
