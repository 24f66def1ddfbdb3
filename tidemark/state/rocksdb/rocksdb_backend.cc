// SPDX-License-Identifier: Apache-2.0
#include "tidemark/state/rocksdb/rocksdb_backend.h"

#include <algorithm>
#include <map>

#include "tidemark/base/check.h"
#include "tidemark/base/error.h"
#include "tidemark/state/rocksdb/cut_files.h"
#include "tidemark/state/rocksdb/database_key.h"
#include "tidemark/state/rocksdb/rocksdb_table.h"
#include "tidemark/state/rocksdb/stored_entries.h"
#include "tidemark/state/table_block.h"

namespace tidemark {

void RocksdbShared::settle() {
  const std::shared_ptr<FrozenState> settled = std::move(frozen);
  frozen = nullptr;
  for (const auto& [begin, end] : settled->take_removals()) database->remove_range(begin, end);
}

namespace {

// Records of a step that writes frozen slots: some milliseconds.
constexpr std::size_t kFewestRecords = 16;
constexpr std::size_t kMostRecords = 2048;
constexpr std::size_t kBytesARecord = 128;
// A step that reads the database back does several times the work a byte.
constexpr std::size_t kReadShare = 4;

// Frozen slots go to the database in steps; then a checkpoint is the database's files, and a
// savepoint is read back from it.
class RocksdbSnapshotPart final : public SnapshotPart {
 public:
  RocksdbSnapshotPart(std::shared_ptr<FrozenState> frozen, std::vector<StateDescriptor> states,
                      std::shared_ptr<KnownFiles> known, std::shared_ptr<CanonicalWriter> canonical)
      : frozen_(std::move(frozen)),
        states_(std::move(states)),
        known_(std::move(known)),
        canonical_(std::move(canonical)) {}
  ~RocksdbSnapshotPart() override {
    if (!attached_) frozen_->abandon();
  }

  bool step(SnapshotWriter& writer, std::size_t bytes_max) override {
    for (const StateDescriptor& state : states_) writer.declare(state);
    states_.clear();
    if (!frozen_->write_some(std::clamp(bytes_max / kBytesARecord, kFewestRecords, kMostRecords)))
      return false;
    if (canonical_ != nullptr)
      return canonical_->step(writer, std::max<std::size_t>(1, bytes_max / kReadShare));
    writer.attach(std::make_unique<CutFiles>(frozen_->cut(), known_));
    attached_ = true;
    return true;
  }

 private:
  std::shared_ptr<FrozenState> frozen_;
  std::vector<StateDescriptor> states_;  // not yet declared
  std::shared_ptr<KnownFiles> known_;
  std::shared_ptr<CanonicalWriter> canonical_;  // null: the files are the snapshot
  bool attached_ = false;
};

std::string counts_key(std::uint64_t table) {
  std::string key;
  append_big_endian(kOwnTable, key);
  append_big_endian(table, key);
  return key;
}

std::string encode_counts(const NamespaceCounts& counts) {
  ByteWriter out;
  for (const auto& [ns, entries] : counts) {
    out.put(ns);
    out.put(std::uint64_t{entries});
  }
  return out.take();
}

/// By table.
std::map<std::uint64_t, NamespaceCounts> read_counts(const Database& database) {
  std::map<std::uint64_t, NamespaceCounts> counts;
  std::string begin;
  append_big_endian(kOwnTable, begin);
  const auto range = database.range(begin, prefix_end(begin), /*same_namespace=*/false);
  for (; range->valid(); range->next()) {
    NamespaceCounts& table = counts[big_endian_at(range->key(), 8)];
    ByteReader in(range->value());
    while (!in.at_end()) {
      const auto ns = in.get<StateNamespace>();
      table[ns] = in.get<std::uint64_t>();
    }
  }
  return counts;
}

class RocksdbBackend final : public KeyedStateBackend {
 public:
  RocksdbBackend(KeyGroupRange range, std::uint32_t max_parallelism, RocksdbConfig config)
      : config_(std::move(config)),
        shared_(range, max_parallelism,
                config_.tier_bytes > 0 ? config_.tier_bytes : config_.memory_bytes / 2) {
    shared_.database = std::make_shared<Database>(config_, nullptr, shared_.expiry);
  }
  ~RocksdbBackend() override {
    if (shared_.frozen) shared_.frozen->abandon();
  }

  KeyedTable& open_table(const TableDescriptor& descriptor) override {
    for (const auto& open : tables_)
      TIDEMARK_CHECK(open->descriptor().name != descriptor.name, "a table is opened once");
    RocksdbTable& table =
        *tables_.emplace_back(std::make_unique<RocksdbTable>(descriptor, shared_));
    const auto stored = unopened_.find(table.id());
    if (stored != unopened_.end()) {
      table.add_stored(stored->second);
      unopened_.erase(stored);
    }
    return table;
  }

  void advance_time(const StateTime& time) override {
    for (const auto& table : tables_) {
      table->renew_read();
      table->unpin();
    }
    shared_.time.advance(time);
    shared_.begin_call();
    for (const auto& table : tables_) {
      table->remove_some_expired();
      table->tell_compactions();
    }
  }
  const StateTime& time() const override { return shared_.time; }

  std::unique_ptr<SnapshotPart> snapshot(SnapshotKind kind) override {
    for (const auto& table : tables_) table->renew_read();
    if (shared_.frozen != nullptr) {
      // Whoever still stores the last one's files has lost the race against this barrier.
      shared_.frozen->abandon();
      shared_.settle();
    }
    auto frozen = std::make_shared<FrozenState>(shared_.database, ++shared_.epoch);
    std::vector<StateDescriptor> states;
    std::vector<const RocksdbTable*> tables;
    for (const auto& table : tables_) {
      table->freeze(*frozen);
      states.push_back(describe_table(table->descriptor()));
      tables.push_back(table.get());
    }
    std::shared_ptr<CanonicalWriter> canonical;
    if (kind == SnapshotKind::kSavepoint || !config_.incremental) {
      canonical = std::make_shared<CanonicalWriter>(std::move(tables), shared_);
      frozen->when_written([canonical, cut = frozen->cut()] {
        canonical->begin();
        cut->give_up();  // it needs no links
      });
    } else {
      frozen->set_counts(counts());
    }
    shared_.frozen = frozen;
    return std::make_unique<RocksdbSnapshotPart>(std::move(frozen), std::move(states), known_,
                                                 std::move(canonical));
  }

  void restore(const SnapshotReader& reader) override {
    for (const auto& table : tables_)  // refuses before anything is read
      if (const StateDescriptor* stored = reader.find(table->descriptor().name))
        TableRestore(*stored, table->descriptor());
    const std::vector<OwnForm> forms = reader.own_forms();
    for (const OwnForm& form : forms) require_form(form);
    if (forms.size() == 1 && forms[0].groups == shared_.range && are_unchanged(reader)) {
      adopt(reader, forms[0]);
      return;
    }
    for (const OwnForm& form : forms) copy_from(reader, form);
    for (const auto& table : tables_) {
      const StateDescriptor* stored = reader.find(table->descriptor().name);
      if (stored == nullptr) continue;
      StoredEntryLoader loader(*table, shared_, *stored);
      reader.read_keyed(stored->name, [&](KeyGroup group, std::string_view block) {
        loader.load_block(group, block);
      });
      loader.finish();
    }
  }

  KeyGroupRange key_groups() const override { return shared_.range; }

  std::size_t memory_bytes() const override {
    std::size_t bytes = shared_.database->memory_bytes();
    for (const auto& table : tables_) bytes += table->memory_bytes();
    return bytes;
  }

 private:
  static void require_form(const OwnForm& form) {
    if (form.form == kRocksdbForm) return;
    throw Failure(ErrorCode::kCheckpointMismatch,
                  "the checkpoint holds keyed state in the form of the state backend '" +
                      form.form +
                      "', which 'rocksdb' cannot read; restore with that backend, or "
                      "from a savepoint",
                  /*retryable=*/false);
  }

  /// Whether no value is converted on its way.
  bool are_unchanged(const SnapshotReader& reader) const {
    return std::all_of(tables_.begin(), tables_.end(), [&](const auto& table) {
      const StateDescriptor wanted = describe_table(table->descriptor());
      const StateDescriptor* stored = reader.find(wanted.name);
      return stored == nullptr ||
             (stored->version == wanted.version && stored->schema == wanted.schema);
    });
  }

  std::vector<std::pair<std::string, std::string>> counts() const {
    std::vector<std::pair<std::string, std::string>> counts;
    for (const auto& table : tables_)
      counts.emplace_back(counts_key(table->id()), encode_counts(table->counts()));
    for (const auto& [table, namespaces] : unopened_)
      counts.emplace_back(counts_key(table), encode_counts(namespaces));
    return counts;
  }

  /// The same subtask as before: its database goes on as it was.
  void adopt(const SnapshotReader& reader, const OwnForm& form) {
    shared_.database = nullptr;
    shared_.database = std::make_shared<Database>(config_, fill_from(reader, form), shared_.expiry);
    known_->replace(form.files);
    unopened_ = read_counts(*shared_.database);
    for (const auto& table : tables_) {
      const auto stored = unopened_.find(table->id());
      if (stored == unopened_.end()) continue;
      table->add_stored(stored->second);
      unopened_.erase(stored);
    }
  }

  /// Copies the entries of this subtask's key groups.
  void copy_from(const SnapshotReader& reader, const OwnForm& form) {
    const Database source(config_, fill_from(reader, form));
    const std::map<std::uint64_t, NamespaceCounts> stored = read_counts(source);
    for (const auto& table : tables_) {
      const auto counts = stored.find(table->id());
      const StateDescriptor* state = reader.find(table->descriptor().name);
      if (counts == stored.end() || state == nullptr) continue;
      StoredEntryLoader loader(*table, shared_, *state);
      for (const auto& [ns, entries] : counts->second) copy_namespace(source, *table, ns, loader);
      loader.finish();
    }
  }

  void copy_namespace(const Database& source, const RocksdbTable& table, StateNamespace ns,
                      StoredEntryLoader& loader) {
    const std::string prefix = namespace_prefix(table.id(), ns);
    std::string begin = prefix;
    append_big_endian(first_hash_of(shared_.range.begin, shared_.max_parallelism), begin);
    std::string end = prefix_end(prefix);
    if (shared_.range.end < shared_.max_parallelism) {
      end = prefix;
      append_big_endian(first_hash_of(shared_.range.end, shared_.max_parallelism), end);
    }
    for (const auto range = source.range(begin, end, /*same_namespace=*/true); range->valid();
         range->next()) {
      const DatabaseKey key(range->key());
      loader.load(ns, key.hash, key.key, range->value());
    }
  }

  RocksdbConfig config_;
  RocksdbShared shared_;
  std::shared_ptr<KnownFiles> known_ = std::make_shared<KnownFiles>();
  std::map<std::uint64_t, NamespaceCounts> unopened_;  // restored, of tables not opened yet
  std::vector<std::unique_ptr<RocksdbTable>> tables_;
};

}  // namespace

std::unique_ptr<KeyedStateBackend> make_rocksdb_backend(KeyGroupRange range,
                                                        std::uint32_t max_parallelism,
                                                        RocksdbConfig config) {
  return std::make_unique<RocksdbBackend>(range, max_parallelism, std::move(config));
}

}  // namespace tidemark
