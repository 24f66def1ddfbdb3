// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tidemark/base/clock.h"
#include "tidemark/base/file_system.h"
#include "tidemark/data/batch.h"
#include "tidemark/state/snapshot.h"

namespace tidemark {

/// What a sink may use. Outlives it.
struct SinkContext {
  FileSystem* files = nullptr;
  const Clock* clock = nullptr;
  std::string table;
  std::string job_id;    // of this run of the job: kept over restores, new with --fresh
  std::string sink_uid;  // stable, unique in the job
  std::uint32_t subtask = 0;
  std::uint32_t parallelism = 1;
};

/// Writes one subtask's rows. Phase one of two: prepare() makes everything written so far durable
/// but not visible. Thread: the task's.
class SinkWriter {
 public:
  virtual ~SinkWriter() = default;

  virtual void write(const BatchPtr& batch) = 0;
  /// What must be published once checkpoint `checkpoint` is complete, in the connector's encoding;
  /// goes into that checkpoint. Called at each barrier and once at the end of input.
  virtual std::vector<std::string> prepare(CheckpointId checkpoint) = 0;
  /// The writer's own state besides its committables (a part counter), restored by restore_state on
  /// the same or another number of subtasks: it gets the states of all writers.
  virtual std::string state() const { return {}; }
  virtual void restore_state(std::span<const std::string> states) { static_cast<void>(states); }
};

/// Phase two: publishes committables. Thread: the task's that ends the job's sink subtask, or an
/// I/O thread. Idempotent: a committable may come again after any crash.
class Committer {
 public:
  virtual ~Committer() = default;

  virtual void commit(std::span<const std::string> committables) = 0;
  /// After a restore and the commits that it implies, before the first write: removes what earlier
  /// attempts of this job left unpublished and the restored checkpoint does not know. Called on
  /// every subtask's committer, and on none before the restored committables of all subtasks are
  /// committed: after a rescale a committable may be published by another subtask than the one that
  /// cleans up.
  virtual void abort_unknown() = 0;
};

/// A configured sink. Immutable, shared by all subtasks.
class Sink {
 public:
  virtual ~Sink() = default;

  virtual std::unique_ptr<SinkWriter> open_writer(SinkContext& context) const = 0;
  /// Whether its writers take rows that update or take back earlier ones (Batch::row_kinds). A job
  /// whose rows do is refused before it starts where this is false.
  virtual bool takes_changes() const { return false; }
  /// nullptr for a sink whose write() is final (print, blackhole): it is at-least-once by nature.
  virtual std::unique_ptr<Committer> open_committer(SinkContext& context) const = 0;
};

using SinkPtr = std::shared_ptr<const Sink>;

}  // namespace tidemark
