// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/state_command.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>

#include "tidemark/checkpoint/inventory.h"
#include "tidemark/cli/report.h"
#include "tidemark/cli/run_command.h"
#include "tidemark/data/calendar.h"

namespace tidemark {
namespace {

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", with_thousands(bytes));
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB"};
  double amount = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; amount >= 1000 && unit + 1 < std::size(kUnits); ++unit) amount /= 1000;
  return fmt::format("{:.1f} {}", amount, kUnits[unit]);
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", with_thousands(count), count == 1 ? one : many);
}

std::string kind_of(const StateDescriptor& state) {
  if (state.keyed) return "keyed";
  switch (state.redistribution) {
    case Redistribution::kSplit: return "list";
    case Redistribution::kUnion: return "union list";
    case Redistribution::kBroadcast: return "broadcast";
  }
  return "";
}

std::string content_of(const StateInventory& state) {
  if (!state.state.keyed) return counted(state.items, "item", "items");
  std::string text = counted(state.key_groups, "key group", "key groups");
  if (state.entries) text = counted(*state.entries, "entry", "entries") + " in " + text;
  return text;
}

void print_states(const std::vector<StateInventory>& states, std::ostream& out) {
  std::string shown;
  for (const StateInventory& state : states) {
    if (state.operator_uid != shown)
      out << fmt::format("  operator {} ({}), parallelism {}\n", state.operator_uid,
                         state.operator_name, state.parallelism);
    shown = state.operator_uid;
    out << fmt::format("    {:<20} {:<10} {:>9}  {}\n", state.state.name, kind_of(state.state),
                       bytes_text(state.bytes), content_of(state));
    out << fmt::format("      {}\n", state.state.schema);
  }
}

Status print_checkpoint(FileSystem& files, const std::string& path, Verification verification,
                        std::ostream& out) {
  CheckpointStorage storage(files, path, CheckpointStorage::Layout::kSavepoint);
  TIDEMARK_ASSIGN_OR_RETURN(const std::optional<proto::CheckpointMetadata> metadata,
                            storage.load_latest());
  TIDEMARK_ASSIGN_OR_RETURN(const std::vector<StateInventory> states,
                            take_inventory(storage, *metadata, verification));
  const std::uint64_t bytes =
      std::accumulate(states.begin(), states.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const auto& state) { return sum + state.bytes; });
  out << path << '\n'
      << fmt::format("  number {} of job {}{}, complete at {}, {} of state, max parallelism {}\n",
                     metadata->checkpoint_id(), metadata->job_name(),
                     metadata->job_finished() ? ", which has finished" : "",
                     event_time_to_string(metadata->completed_at()), bytes_text(bytes),
                     metadata->max_parallelism());
  print_states(states, out);
  return {};
}

}  // namespace

int list_state(const StateListCommand& command, std::ostream& out, std::ostream& err) {
  const auto files = make_local_file_system();
  const std::vector<std::string> found = find_checkpoints(*files, command.path);
  if (found.empty()) {
    err << fmt::format(
        "'{}' holds no checkpoint or savepoint: no directory there has a file _metadata\n",
        command.path);
    return kExitUserError;
  }
  const Verification verification = command.verify ? Verification::kBlocks : Verification::kIndexes;
  int code = kExitOk;
  for (const std::string& path : found) {
    const Status status = print_checkpoint(*files, path, verification, out);
    if (status.ok()) continue;
    err << status.error().message << '\n';
    code = kExitUserError;
  }
  return code;
}

}  // namespace tidemark
