// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidemark/base/file_system.h"
#include "tidemark/base/result.h"
#include "tidemark/checkpoint/storage.h"

// A snapshot file: one subtask's state of one operator. All numbers are little-endian, checksums
// are XXH3 64 with seed 0, strings a 32-bit length and their bytes.
//
//   offset      bytes  what
//   0           8      magic "TMSTATE\n"
//   8           4      format version, 1
//   12          4      zero
//   16          ...    blocks, one after the other: the states' own bytes and nothing else
//   i           ...    index (below)
//   size - 32   8      i, the offset of the index
//   size - 24   8      size of the file
//   size - 16   8      checksum of the index followed by the 16 bytes before this field
//   size - 8    8      magic "TMSTEND\n"
//
// The index:
//
//   4   number of states, then for each:
//       string  name
//       1       keyed: 0 or 1
//       1       redistribution (state/snapshot.h)
//       string  schema
//       4       version
//       8       number of blocks, then for each, in the order in which they were written:
//               4  key group; 0 for operator state, of which each block is one item
//               8  offset of the block
//               8  length of the block
//               8  checksum of the block
//
// So the footer's checksum covers the index, the index covers every block, and `_metadata` repeats
// the footer's checksum: a file of another run in the same place does not pass for this one.

namespace tidemark {

struct SnapshotBlock {
  KeyGroup group = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t checksum = 0;
};

struct SnapshotIndex {
  struct State {
    StateDescriptor descriptor;
    std::vector<SnapshotBlock> blocks;
  };
  std::vector<State> states;

  const State* find(std::string_view state) const;
};

/// Creates the file; its directory must exist. `relative_path` is what SubtaskFile::path will say.
/// `store` keeps the files that are attached; null: none may be.
std::unique_ptr<SnapshotFileWriter> make_snapshot_file_writer(
    FileSystem& files, const std::string& path, std::string operator_uid, std::uint32_t subtask,
    std::string relative_path, std::unique_ptr<SnapshotFileStore> store);

/// An open snapshot file whose index has been read and checked.
class SnapshotFileReader {
 public:
  /// Errors (kCheckpointDamaged) name the file and what is wrong. Throws IoFailure when the file
  /// exists and cannot be read.
  static Result<SnapshotFileReader> open(FileSystem& files, const std::string& path,
                                         const proto::SubtaskFile& expected);

  const SnapshotIndex& index() const noexcept { return index_; }
  /// The block's bytes. Throws a Failure (kCheckpointDamaged) when they are not what was written.
  std::string read(const SnapshotBlock& block) const;

 private:
  SnapshotFileReader(std::string path, std::unique_ptr<ReadableFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}
  Status read_index(const proto::SubtaskFile& expected);

  std::string path_;
  std::unique_ptr<ReadableFile> file_;
  SnapshotIndex index_;
};

}  // namespace tidemark
