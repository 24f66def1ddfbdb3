// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tidemark/base/result.h"
#include "tidemark/checkpoint/checkpoint.pb.h"

// `_metadata`: a header, and a CheckpointMetadata in protobuf's encoding. Little-endian.
//
//   offset  bytes  what
//   0       8      magic "TMCHECK\n"
//   8       4      format version, 1
//   12      4      zero
//   16      8      length of the message
//   24      8      XXH3 64 of the message
//   32      ...    the message, and nothing behind it

namespace tidemark {

/// Equal messages give equal bytes.
std::string encode_metadata(const proto::CheckpointMetadata& metadata);

/// Errors (kCheckpointDamaged) name `path` and what is wrong.
Result<proto::CheckpointMetadata> decode_metadata(const std::string& path, std::string_view bytes);

/// "checkpoint metadata '<path>' <what>. How to go on."
Error damaged_metadata(const std::string& path, std::string_view what);

}  // namespace tidemark
