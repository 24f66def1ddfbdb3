// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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

/// A file of a backend's own form, kept beside the checkpoints and shared by all that need it.
struct StoredFile {
  std::string name;  // the backend's; unique within its snapshot
  std::string path;  // where it is kept; unique for ever
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // XXH3 64 of its bytes, seed 0
};

/// Keeps the files of a snapshot. Thread: an I/O thread; calls may block, and throw IoFailure.
class SnapshotFileStore {
 public:
  virtual ~SnapshotFileStore() = default;

  /// Fills its argument with the next bytes; returns fewer than it holds only at the end.
  using Source = std::function<std::size_t(std::span<std::byte>)>;
  virtual StoredFile store(const std::string& name, const Source& source) = 0;
  /// Whether a complete checkpoint that is retained has this file, so that the next may share it.
  virtual bool holds(const StoredFile& file) = 0;
};

/// What of a snapshot is a backend's own files: the last part of its making, which may block.
class SnapshotFiles {
 public:
  /// Destroyed without write(): the snapshot was given up. Any thread.
  virtual ~SnapshotFiles() = default;

  /// The name of the form, for the backend that restores it.
  virtual std::string_view form() const = 0;
  /// Hands over what the store does not hold yet; returns all that the snapshot consists of. Once,
  /// on an I/O thread, while the task goes on.
  virtual std::vector<StoredFile> write(SnapshotFileStore& store) = 0;
};

/// What one earlier subtask left in a backend's own form.
struct OwnForm {
  std::string form;
  KeyGroupRange groups;  // that the subtask owned; some of them are the reader's
  std::vector<StoredFile> files;
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
  /// Adds files that are written when the task is done with its part. At most once a snapshot.
  virtual void attach(std::unique_ptr<SnapshotFiles> files) = 0;
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

  /// What earlier subtasks with key groups of this one left in a form of their backend's own.
  virtual std::vector<OwnForm> own_forms() const = 0;
  /// Hands over a file's bytes, piece by piece. Throws a Failure (kCheckpointDamaged) that names
  /// the file when, at its end, they are not what was stored.
  virtual void read_file(const StoredFile& file,
                         const std::function<void(std::string_view)>& piece) const = 0;
};

}  // namespace tidemark
