// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/metadata_file.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "tidemark/base/bytes.h"
#include "tidemark/base/hash.h"

namespace tidemark {
namespace {

constexpr std::string_view kMagic = "TMCHECK\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHeaderBytes = 32;

std::string serialise(const proto::CheckpointMetadata& metadata) {
  std::string message;
  google::protobuf::io::StringOutputStream stream(&message);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  metadata.SerializeToCodedStream(&out);
  out.Trim();
  return message;
}

}  // namespace

std::string encode_metadata(const proto::CheckpointMetadata& metadata) {
  const std::string message = serialise(metadata);
  ByteWriter out;
  out.put_raw(kMagic);
  out.put(kVersion);
  out.put(std::uint32_t{0});
  out.put(static_cast<std::uint64_t>(message.size()));
  out.put(stable_hash(message));
  out.put_raw(message);
  return out.take();
}

Error damaged_metadata(const std::string& path, std::string_view what) {
  return {ErrorCode::kCheckpointDamaged,
          fmt::format("checkpoint metadata '{}' {}. The job does not start without it: restore the "
                      "file from a copy, remove its directory to go on from the checkpoint before, "
                      "or start over with --fresh",
                      path, what)};
}

Result<proto::CheckpointMetadata> decode_metadata(const std::string& path, std::string_view bytes) {
  const std::string_view magic = bytes.substr(0, kMagic.size());
  if (magic != kMagic.substr(0, magic.size()))
    return damaged_metadata(path, "was not written by Tidemark, or its beginning is damaged");
  if (bytes.size() < kHeaderBytes)
    return damaged_metadata(path, fmt::format("is truncated: it is {} bytes long", bytes.size()));
  ByteReader header(bytes.substr(kMagic.size(), kHeaderBytes - kMagic.size()));
  if (const auto version = header.get<std::uint32_t>(); version != kVersion)
    return damaged_metadata(
        path, fmt::format("has format version {}, this program reads {}", version, kVersion));
  if (header.get<std::uint32_t>() != 0)
    return damaged_metadata(path, "is damaged: its header is not as written");
  const auto length = header.get<std::uint64_t>();
  const std::string_view message = bytes.substr(kHeaderBytes);
  if (message.size() < length)
    return damaged_metadata(
        path, fmt::format("is truncated: {} of {} bytes are there", message.size(), length));
  if (message.size() > length)
    return damaged_metadata(
        path, fmt::format("is damaged: {} bytes follow its end", message.size() - length));
  if (stable_hash(message) != header.get<std::uint64_t>())
    return damaged_metadata(path, "is damaged: its checksum is wrong");
  proto::CheckpointMetadata metadata;
  if (!metadata.ParseFromArray(message.data(), static_cast<int>(message.size())))
    return damaged_metadata(path, "is damaged: it is not a checkpoint's metadata");
  return metadata;
}

}  // namespace tidemark
