// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/result.h"
#include "tidemark/state/key_group.h"

namespace tidemark {

/// A completed or pending checkpoint's number: 1, 2, 3, ... within a job.
using CheckpointId = std::uint64_t;

/// What a snapshot is for.
enum class SnapshotKind : std::uint8_t {
  kCheckpoint,  // recovery: may share files with earlier checkpoints
  kSavepoint,   // the user's: complete in itself, readable by every backend
};

/// How the items of an operator state are handed out when a job is restored (Flink's operator
/// state).
enum class Redistribution : std::uint8_t {
  kSplit,      // round robin over the subtasks
  kUnion,      // every subtask gets all items
  kBroadcast,  // every subtask gets the items of one
};

/// What a state is, stored beside it so that a restore can be checked before it starts.
struct StateDescriptor {
  std::string name;  // unique within the operator
  bool keyed = false;
  Redistribution redistribution = Redistribution::kSplit;  // operator state only
  std::string schema;         // of key and value in words, "(origin STRING) -> SUM(BIGINT), COUNT"
  std::uint32_t version = 1;  // of the value's encoding
};

/// Receives one subtask's snapshot. Implemented by checkpoint/; called on the task's thread.
class SnapshotWriter {
 public:
  virtual ~SnapshotWriter() = default;

  /// Announces a state; its blocks follow, before or between those of other states.
  virtual void declare(const StateDescriptor& state) = 0;
  /// Some entries of one key group, in an encoding of the state's own. May be called many times a
  /// group, in any order. Entries with more than one block must not depend on the blocks' order.
  virtual void write_keyed(std::string_view state, KeyGroup group, std::string_view entries) = 0;
  /// One item of an operator state.
  virtual void write_operator(std::string_view state, std::string_view item) = 0;
};

/// The part of a snapshot that goes on while rows are processed again. The synchronous part was its
/// making. The task steps it between batches, on its own thread, until it is done.
class SnapshotPart {
 public:
  virtual ~SnapshotPart() = default;

  /// Writes about `bytes_max` bytes; true when nothing is left. Rows that the operator processed
  /// after the snapshot was made never show in it.
  virtual bool step(SnapshotWriter& writer, std::size_t bytes_max) = 0;
};

/// What a restored subtask reads: already cut to its key groups and its share of operator state.
class SnapshotReader {
 public:
  virtual ~SnapshotReader() = default;

  /// nullptr when the checkpoint has no such state.
  virtual const StateDescriptor* find(std::string_view state) const = 0;
  virtual void read_keyed(std::string_view state,
                          const std::function<void(KeyGroup, std::string_view)>& block) const = 0;
  virtual std::vector<std::string> read_operator(std::string_view state) const = 0;
};

}  // namespace tidemark
