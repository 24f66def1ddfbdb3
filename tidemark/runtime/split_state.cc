// SPDX-License-Identifier: Apache-2.0
#include "tidemark/runtime/split_state.h"

#include <algorithm>
#include <set>
#include <utility>

#include "tidemark/base/bytes.h"

namespace tidemark {

// An item: u8 format (1), id, payload, u8 has position, position, i64 watermark, u8 finished, u64
// rows read, u64 bytes read, watermark generator. Strings are a u32 length and bytes
// (base/bytes.h).
constexpr std::uint8_t kFormat = 1;

std::string encode(const SplitState& state) {
  ByteWriter out;
  out.put(kFormat);
  out.put_string(state.split.id);
  out.put_string(state.split.payload);
  out.put(static_cast<std::uint8_t>(state.position.has_value()));
  out.put_string(state.position.value_or(""));
  out.put(state.watermark);
  out.put(static_cast<std::uint8_t>(state.finished));
  out.put(state.rows_read);
  out.put(state.bytes_read);
  out.put_string(state.generator);
  return out.take();
}

SplitState decode_split_state(std::string_view item) {
  ByteReader in(item);
  if (in.get<std::uint8_t>() != kFormat)
    throw Failure(ErrorCode::kCheckpointDamaged, "a split's state has an unknown format",
                  /*retryable=*/false);
  SplitState state;
  state.split.id = in.get_string();
  state.split.payload = in.get_string();
  const bool has_position = in.get<std::uint8_t>() != 0;
  std::string position(in.get_string());
  if (has_position) state.position = std::move(position);
  state.watermark = in.get<EventTime>();
  state.finished = in.get<std::uint8_t>() != 0;
  state.rows_read = in.get<std::uint64_t>();
  state.bytes_read = in.get<std::uint64_t>();
  state.generator = in.get_string();
  return state;
}

std::vector<SplitState> merge_splits(std::vector<SplitState> restored, std::vector<Split> found) {
  // Subtasks hand in their splits in an order of their own; by id it is the same after every
  // restore.
  std::sort(restored.begin(), restored.end(),
            [](const SplitState& a, const SplitState& b) { return a.split.id < b.split.id; });
  std::set<std::string> known;
  for (const SplitState& state : restored) known.insert(state.split.id);
  for (Split& split : found) {
    if (!known.insert(split.id).second) continue;
    restored.push_back({.split = std::move(split)});
  }
  return restored;
}

std::vector<std::vector<SplitState>> assign_splits(std::vector<SplitState> splits,
                                                   std::uint32_t parallelism) {
  std::vector<std::vector<SplitState>> assigned(parallelism);
  std::size_t turn = 0;
  for (const bool finished : {false, true})
    for (SplitState& state : splits)
      if (state.finished == finished) assigned[turn++ % parallelism].push_back(std::move(state));
  return assigned;
}

}  // namespace tidemark
