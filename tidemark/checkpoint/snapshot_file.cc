// SPDX-License-Identifier: Apache-2.0
#include "tidemark/checkpoint/snapshot_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tidemark/base/bytes.h"
#include "tidemark/base/check.h"
#include "tidemark/base/hash.h"

namespace tidemark {
namespace {

constexpr std::string_view kMagic = "TMSTATE\n";
constexpr std::string_view kEndMagic = "TMSTEND\n";
constexpr std::uint32_t kVersion = 1;
constexpr std::uint64_t kHeaderBytes = 16;
constexpr std::uint64_t kFooterBytes = 32;
constexpr std::size_t kFlushBytes = 256 * 1024;

void encode(const SnapshotIndex& index, ByteWriter& out) {
  out.put(static_cast<std::uint32_t>(index.states.size()));
  for (const auto& [descriptor, blocks] : index.states) {
    out.put_string(descriptor.name);
    out.put(static_cast<std::uint8_t>(descriptor.keyed));
    out.put(static_cast<std::uint8_t>(descriptor.redistribution));
    out.put_string(descriptor.schema);
    out.put(descriptor.version);
    out.put(static_cast<std::uint64_t>(blocks.size()));
    for (const SnapshotBlock& block : blocks) {
      out.put(block.group);
      out.put(block.offset);
      out.put(block.length);
      out.put(block.checksum);
    }
  }
}

SnapshotIndex decode_index(ByteReader& in) {
  SnapshotIndex index;
  for (auto states = in.get<std::uint32_t>(); states > 0; --states) {
    SnapshotIndex::State& state = index.states.emplace_back();
    state.descriptor.name = in.get_string();
    state.descriptor.keyed = in.get<std::uint8_t>() != 0;
    state.descriptor.redistribution = static_cast<Redistribution>(in.get<std::uint8_t>());
    state.descriptor.schema = in.get_string();
    state.descriptor.version = in.get<std::uint32_t>();
    for (auto blocks = in.get<std::uint64_t>(); blocks > 0; --blocks) {
      SnapshotBlock block;
      block.group = in.get<KeyGroup>();
      block.offset = in.get<std::uint64_t>();
      block.length = in.get<std::uint64_t>();
      block.checksum = in.get<std::uint64_t>();
      state.blocks.push_back(block);
    }
  }
  return index;
}

class Writer final : public SnapshotFileWriter {
 public:
  Writer(std::unique_ptr<WritableFile> file, SnapshotFile result,
         std::unique_ptr<SnapshotFileStore> store)
      : file_(std::move(file)), result_(std::move(result)), store_(std::move(store)) {
    buffer_.put_raw(kMagic);
    buffer_.put(kVersion);
    buffer_.put(std::uint32_t{0});
  }

  void declare(const StateDescriptor& state) override {
    TIDEMARK_CHECK(index_.find(state.name) == nullptr, "a state is declared twice");
    index_.states.push_back({state, {}});
    last_ = index_.states.size() - 1;
  }

  void write_keyed(std::string_view state, KeyGroup group, std::string_view entries) override {
    write_block(state, /*keyed=*/true, group, entries);
  }
  void write_operator(std::string_view state, std::string_view item) override {
    write_block(state, /*keyed=*/false, 0, item);
  }

  void attach(std::unique_ptr<SnapshotFiles> files) override {
    TIDEMARK_CHECK(store_ != nullptr && attached_ == nullptr, "a checkpoint takes files, once");
    attached_ = std::move(files);
  }

  SnapshotFile finish() override {
    if (attached_ != nullptr) write_attached();
    const std::uint64_t index_offset = offset();
    ByteWriter tail;
    encode(index_, tail);
    tail.put(index_offset);
    tail.put(index_offset + tail.size() - sizeof(std::uint64_t) + kFooterBytes);
    const std::uint64_t checksum = stable_hash(tail.view());
    tail.put(checksum);
    tail.put_raw(kEndMagic);
    buffer_.put_raw(tail.view());
    flush();
    file_->sync();
    file_->close();
    result_.file.set_bytes(flushed_);
    result_.file.set_checksum(checksum);
    for (const auto& state : index_.states) result_.states.push_back(state.descriptor);
    return std::move(result_);
  }

 private:
  /// Notes how much is stored rather than shared.
  class CountingStore final : public SnapshotFileStore {
   public:
    explicit CountingStore(SnapshotFileStore& store) : store_(store) {}
    StoredFile store(const std::string& name, const Source& source) override {
      StoredFile stored = store_.store(name, source);
      bytes_ += stored.bytes;
      return stored;
    }
    bool holds(const StoredFile& file) override { return store_.holds(file); }
    std::uint64_t bytes() const { return bytes_; }

   private:
    SnapshotFileStore& store_;
    std::uint64_t bytes_ = 0;
  };

  void write_attached() {
    CountingStore store(*store_);
    result_.file.set_form(std::string(attached_->form()));
    for (const StoredFile& file : attached_->write(store)) {
      proto::SharedFile* shared = result_.file.add_shared();
      shared->set_name(file.name);
      shared->set_path(file.path);
      shared->set_bytes(file.bytes);
      shared->set_checksum(file.checksum);
    }
    result_.file.set_stored_bytes(store.bytes());
    attached_.reset();
  }

  std::uint64_t offset() const { return flushed_ + buffer_.size(); }

  void write_block(std::string_view name, bool keyed, KeyGroup group, std::string_view bytes) {
    SnapshotIndex::State& state = state_named(name);
    TIDEMARK_CHECK(state.descriptor.keyed == keyed,
                   "a state is written in another way than declared");
    state.blocks.push_back({group, offset(), bytes.size(), stable_hash(bytes)});
    buffer_.put_raw(bytes);
    if (buffer_.size() >= kFlushBytes) flush();
  }

  /// Blocks of a state come one after the other, mostly.
  SnapshotIndex::State& state_named(std::string_view name) {
    if (last_ >= index_.states.size() || index_.states[last_].descriptor.name != name) {
      const auto state = std::find_if(index_.states.begin(), index_.states.end(),
                                      [&](const auto& s) { return s.descriptor.name == name; });
      TIDEMARK_CHECK(state != index_.states.end(), "a state is written before it is declared");
      last_ = static_cast<std::size_t>(state - index_.states.begin());
    }
    return index_.states[last_];
  }

  void flush() {
    file_->append(as_byte_span(buffer_.view()));
    flushed_ += buffer_.size();
    buffer_.clear();
  }

  std::unique_ptr<WritableFile> file_;
  SnapshotFile result_;
  std::unique_ptr<SnapshotFileStore> store_;
  std::unique_ptr<SnapshotFiles> attached_;
  SnapshotIndex index_;
  std::size_t last_ = 0;
  ByteWriter buffer_;
  std::uint64_t flushed_ = 0;
};

Error damaged(const std::string& path, std::string_view what) {
  return {ErrorCode::kCheckpointDamaged,
          fmt::format("checkpoint file '{}' is damaged: {}. Restore it from a copy, or start from "
                      "another checkpoint",
                      path, what)};
}

/// Fewer bytes than asked for when the file ends before.
std::string read_range(const ReadableFile& file, std::uint64_t offset, std::uint64_t length) {
  std::string bytes(length, '\0');
  const std::size_t count =
      file.read_at(offset, {reinterpret_cast<std::byte*>(bytes.data()), bytes.size()});
  bytes.resize(count);
  return bytes;
}

}  // namespace

const SnapshotIndex::State* SnapshotIndex::find(std::string_view state) const {
  for (const State& candidate : states)
    if (candidate.descriptor.name == state) return &candidate;
  return nullptr;
}

std::unique_ptr<SnapshotFileWriter> make_snapshot_file_writer(
    FileSystem& files, const std::string& path, std::string operator_uid, std::uint32_t subtask,
    std::string relative_path, std::unique_ptr<SnapshotFileStore> store) {
  SnapshotFile result;
  result.operator_uid = std::move(operator_uid);
  result.subtask = subtask;
  result.file.set_subtask(subtask);
  result.file.set_path(std::move(relative_path));
  return std::make_unique<Writer>(files.create(path), std::move(result), std::move(store));
}

Result<SnapshotFileReader> SnapshotFileReader::open(FileSystem& files, const std::string& path,
                                                    const proto::SubtaskFile& expected) {
  if (!files.exists(path)) return damaged(path, "it does not exist");
  SnapshotFileReader reader(path, files.open(path));
  TIDEMARK_TRY(reader.read_index(expected));
  return reader;
}

Status SnapshotFileReader::read_index(const proto::SubtaskFile& expected) {
  const std::uint64_t size = file_->size();
  if (size != expected.bytes())
    return damaged(
        path_, fmt::format("it is {} bytes long, its checkpoint says {}", size, expected.bytes()));
  if (size < kHeaderBytes + kFooterBytes) return damaged(path_, "it is too short");

  const std::string header = read_range(*file_, 0, kHeaderBytes);
  if (!header.starts_with(kMagic)) return damaged(path_, "it is not a snapshot file of Tidemark");
  ByteReader fields(std::string_view(header).substr(kMagic.size()));
  if (const auto version = fields.get<std::uint32_t>(); version != kVersion)
    return damaged(
        path_, fmt::format("its format version is {}, this program reads {}", version, kVersion));
  if (fields.get<std::uint32_t>() != 0) return damaged(path_, "its header is not as written");

  const std::string footer = read_range(*file_, size - kFooterBytes, kFooterBytes);
  if (!footer.ends_with(kEndMagic)) return damaged(path_, "its end is missing");
  ByteReader end(footer);
  const auto index_offset = end.get<std::uint64_t>();
  const auto recorded_size = end.get<std::uint64_t>();
  const auto checksum = end.get<std::uint64_t>();
  if (recorded_size != size || index_offset < kHeaderBytes || index_offset > size - kFooterBytes)
    return damaged(path_, "its footer is not as written");

  const std::string tail = read_range(*file_, index_offset, size - index_offset - 16);
  if (stable_hash(tail) != checksum) return damaged(path_, "the checksum of its index is wrong");
  if (checksum != expected.checksum())
    return damaged(path_, "it is whole, but not the file that its checkpoint was made with");
  ByteReader in(std::string_view(tail).substr(0, tail.size() - 16));
  index_ = decode_index(in);
  return {};
}

std::string SnapshotFileReader::read(const SnapshotBlock& block) const {
  std::string bytes = read_range(*file_, block.offset, block.length);
  if (bytes.size() != block.length || stable_hash(bytes) != block.checksum)
    throw Failure(damaged(path_, fmt::format("the checksum of the {} bytes at offset {} is wrong",
                                             block.length, block.offset)));
  return bytes;
}

}  // namespace tidemark
