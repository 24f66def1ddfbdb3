// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tidemark/base/check.h"
#include "tidemark/base/error.h"
#include "tidemark/state/hashmap/hashmap_table.h"
#include "tidemark/state/hashmap/snapshot_session.h"
#include "tidemark/state/keyed_state.h"
#include "tidemark/state/table_block.h"

namespace tidemark {
namespace {

class HashmapSnapshotPart final : public SnapshotPart {
 public:
  explicit HashmapSnapshotPart(std::shared_ptr<SnapshotSession> session)
      : session_(std::move(session)) {}
  ~HashmapSnapshotPart() override { session_->close(); }

  bool step(SnapshotWriter& writer, std::size_t bytes_max) override {
    return session_->step(writer, bytes_max);
  }

 private:
  std::shared_ptr<SnapshotSession> session_;
};

[[noreturn]] void refuse(const OwnForm& form) {
  throw Failure(ErrorCode::kCheckpointMismatch,
                "the checkpoint holds keyed state in the form of the state backend '" + form.form +
                    "', which 'hashmap' cannot read; set state.backend.type to '" + form.form +
                    "', or restore from a savepoint",
                /*retryable=*/false);
}

class HashmapBackend final : public KeyedStateBackend {
 public:
  HashmapBackend(KeyGroupRange range, std::uint32_t max_parallelism)
      : shared_{.range = range, .max_parallelism = max_parallelism} {}
  ~HashmapBackend() override {
    if (shared_.session) shared_.session->close();
  }

  KeyedTable& open_table(const TableDescriptor& table) override {
    for (const auto& open : tables_)
      TIDEMARK_CHECK(open->descriptor().name != table.name, "a table is opened once");
    tables_.push_back(std::make_unique<HashmapTable>(table, shared_));
    return *tables_.back();
  }

  std::unique_ptr<SnapshotPart> snapshot(SnapshotKind) override {
    TIDEMARK_CHECK(shared_.open_session() == nullptr, "one snapshot is open at a time");
    shared_.session = std::make_shared<SnapshotSession>(++shared_.epoch, shared_.time);
    for (const auto& table : tables_) table->join(*shared_.session);
    return std::make_unique<HashmapSnapshotPart>(shared_.session);
  }

  void restore(const SnapshotReader& reader) override {
    if (const std::vector<OwnForm> forms = reader.own_forms(); !forms.empty()) refuse(forms[0]);
    for (const auto& table : tables_) {
      const std::string& name = table->descriptor().name;
      const StateDescriptor* stored = reader.find(name);
      if (stored == nullptr) continue;
      const TableRestore how(*stored, table->descriptor());
      // Blocks come in the order of hashes, and so do slots: a table that grew while it is loaded
      // would have all its entries in one long run at its front, and every look-up would walk along
      // it.
      EntryCounts counts;
      reader.read_keyed(
          name, [&](KeyGroup, std::string_view block) { table->count_block(block, counts); });
      for (const auto& [ns, entries] : counts) table->reserve(ns, entries);
      reader.read_keyed(name, [&](KeyGroup group, std::string_view block) {
        table->load_block(group, block, how);
      });
    }
  }

  void advance_time(const StateTime& time) override {
    shared_.time.advance(time);
    for (const auto& table : tables_) table->remove_some_expired();
  }
  const StateTime& time() const override { return shared_.time; }

  KeyGroupRange key_groups() const override { return shared_.range; }

  std::size_t memory_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& table : tables_) bytes += table->memory_bytes();
    if (shared_.open_session() != nullptr) bytes += shared_.session->memory_bytes();
    return bytes;
  }

 private:
  HashmapShared shared_;
  std::vector<std::unique_ptr<HashmapTable>> tables_;
};

}  // namespace

std::unique_ptr<KeyedStateBackend> make_hashmap_backend(KeyGroupRange range,
                                                        std::uint32_t max_parallelism) {
  return std::make_unique<HashmapBackend>(range, max_parallelism);
}

}  // namespace tidemark
