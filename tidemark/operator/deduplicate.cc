// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/deduplicate.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "tidemark/base/check.h"
#include "tidemark/operator/metrics.h"
#include "tidemark/state/aging_filter.h"
#include "tidemark/state/blind_insert.h"
#include "tidemark/state/table_block.h"

namespace tidemark {
namespace {

constexpr StateNamespace kNamespace = 0;
constexpr std::size_t kPrefetchDistance = 16;

/// One word: 1 in every entry, so that a new one is known by its 0.
class SeenOperations final : public ValueOperations {
 public:
  std::size_t width() const override { return sizeof(std::uint64_t); }
  bool is_plain() const override { return true; }
  void destroy(std::byte*) const noexcept override {}
  void encode(const std::byte*, ByteWriter&) const override {}
  void decode(ByteReader&, std::byte*) const override {}
};

class Deduplicate final : public DeduplicateOperator {
 public:
  explicit Deduplicate(DeduplicateDescription description)
      : description_(std::move(description)),
        codec_(description_.key_columns, description_.key_types) {
    TIDEMARK_CHECK(description_.ttl > 0, "deduplication has a time to live");
  }

  void open(OperatorContext& context) override {
    backend_ = context.keyed_state;
    metrics_ = context.metrics;
    TIDEMARK_CHECK(backend_ != nullptr, "a keyed operator has keyed state");
    table_ = &backend_->open_table({.name = "seen",
                                    .key_encoding = codec_.encoding(),
                                    .values = std::make_shared<const SeenOperations>(),
                                    .schema = description_.key_schema + " -> UBIGINT",
                                    .ttl = {.ttl = description_.ttl, .clock = description_.clock}});
    blind_ = dynamic_cast<BlindInsert*>(table_);
    if (blind_ == nullptr) return;
    filter_.emplace(AgingFilter::Options{.ttl = description_.ttl,
                                         .false_positive_rate = description_.false_positive_rate,
                                         .expected_keys = description_.expected_keys});
  }

  // The filter is made again from the entries.
  void restore(const SnapshotReader&) override {
    if (!filter_) return;
    std::vector<TableScan::Entry> entries(kDefaultBatchRows);
    KeyBatch keys;
    const std::unique_ptr<TableScan> scan = table_->scan(kNamespace);
    while (const std::size_t count = scan->next(entries)) {
      clear_keys(codec_.encoding(), keys);
      for (std::size_t i = 0; i < count; ++i) append_key(entries[i], keys);
      hash_keys(keys);
      for (std::size_t i = 0; i < count; ++i) remember(keys.hashes[i], stamp_of(entries[i].value));
    }
  }

  Step process(const BatchPtr& batch, std::size_t, Output& out) override {
    codec_.encode(*batch, keys_);
    keys_.times = batch->event_times();
    values_.resize(batch->rows());
    if (filter_) {
      find_with_filter();
    } else {
      rows_.resize(batch->rows());
      std::iota(rows_.begin(), rows_.end(), RowIndex{0});
      table_->find_or_insert(kNamespace, keys_, rows_, values_, Touch::kKeep);
      first_.clear();
      for (const RowIndex row : rows_)
        if (is_first(values_[row])) first_.push_back(row);
    }
    emit_first(batch, out);
    return Step::kDone;
  }

  const DeduplicateCounts& counts() const noexcept override { return counts_; }

 private:
  static bool is_first(std::byte* value) noexcept {
    std::uint64_t seen = 0;
    std::memcpy(&seen, value, sizeof(seen));
    const std::uint64_t one = 1;
    std::memcpy(value, &one, sizeof(one));
    return seen == 0;
  }

  // Rows with equal keys get the same answer, so they stay together and in order.
  void find_with_filter() {
    const StateTime& time = backend_->time();
    filter_->advance(time.of(description_.clock));
    never_.clear();
    maybe_.clear();
    const std::size_t rows = keys_.size();
    for (std::size_t row = 0; row < rows; ++row) {
      if (row + kPrefetchDistance < rows) filter_->prefetch(keys_.hashes[row + kPrefetchDistance]);
      (has_unstamped_ || filter_->may_contain(keys_.hashes[row]) ? maybe_ : never_)
          .push_back(static_cast<RowIndex>(row));
    }
    counts_.asked += rows;
    counts_.never_seen += never_.size();
    first_.clear();
    blind_->insert_absent(kNamespace, keys_, never_, values_);
    take_first(never_);
    const std::size_t known = first_.size();
    table_->find_or_insert(kNamespace, keys_, maybe_, values_, Touch::kKeep);
    take_first(maybe_);
    counts_.false_positives += first_.size() - known;
    std::inplace_merge(first_.begin(), first_.begin() + static_cast<std::ptrdiff_t>(known),
                       first_.end());
  }

  void take_first(const std::vector<RowIndex>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!is_first(values_[i])) continue;
      first_.push_back(rows[i]);
      remember(keys_.hashes[rows[i]], stamp_of(values_[i]));
    }
  }

  // An entry made before its clock was known lives longer than its stamp says, and the filter would
  // forget it too early.
  void remember(std::uint64_t hash, std::int64_t stamp) {
    has_unstamped_ |= stamp == kMinTime;
    filter_->add(hash, stamp);
  }

  void emit_first(const BatchPtr& batch, Output& out) {
    if (metrics_ != nullptr) metrics_->filtered.add(batch->rows() - first_.size());
    if (first_.size() == batch->rows()) {
      out.emit(batch);
    } else if (!first_.empty()) {
      out.emit(gather(*batch, first_));
    }
  }

  DeduplicateDescription description_;
  KeyCodec codec_;
  KeyedStateBackend* backend_ = nullptr;
  OperatorMetrics* metrics_ = nullptr;
  KeyedTable* table_ = nullptr;
  BlindInsert* blind_ = nullptr;
  std::optional<AgingFilter> filter_;
  bool has_unstamped_ = false;
  DeduplicateCounts counts_;
  KeyBatch keys_;
  std::vector<RowIndex> rows_;
  std::vector<RowIndex> never_;
  std::vector<RowIndex> maybe_;
  std::vector<RowIndex> first_;
  std::vector<std::byte*> values_;
};

}  // namespace

std::unique_ptr<DeduplicateOperator> make_deduplicate_operator(DeduplicateDescription description) {
  return std::make_unique<Deduplicate>(std::move(description));
}

}  // namespace tidemark
