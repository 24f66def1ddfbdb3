// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/datagen/datagen.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tidemark/base/bytes.h"
#include "tidemark/connector/datagen/column_generator.h"

// The rows of a source have numbers 0, 1, 2, ...; split i of n makes the rows i, i + n, i + 2n, ...
// A row depends on the seed and its number alone.
//   payload of a split:  u32 i, u32 n
//   position of a split: u8 version (1), u64 rows made, i64 base time

namespace tidemark {
namespace {

constexpr std::uint8_t kPositionVersion = 1;
constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();

struct Generator {
  SchemaPtr schema;
  std::vector<std::unique_ptr<ColumnGenerator>> columns;
  std::int64_t rows_per_second = 10'000;
  std::uint64_t rows_end = kNoEnd;
};

class DatagenReader final : public SplitReader {
 public:
  DatagenReader(const SourceContext& context, std::shared_ptr<const Generator> generator,
                const Split& split, const std::optional<std::string>& position)
      : context_(context), generator_(std::move(generator)), started_at_(context.clock->now()) {
    ByteReader payload(split.payload);
    index_ = payload.get<std::uint32_t>();
    splits_ = payload.get<std::uint32_t>();
    base_time_ = started_at_;
    if (position) restore(*position);
    rows_at_start_ = rows_;
    for (const Field& field : generator_->schema->fields) builders_.emplace_back(field.type);
  }

  ReadResult read(std::size_t rows_max) override {
    ReadResult result;
    const std::uint64_t left = rows_end() - rows_;
    const std::uint64_t due = std::min(left, rows_due());
    if (left > 0 && due == 0) {
      result.state = ReadResult::State::kWait;
      result.retry_at = next_due_at(left);
      return result;
    }
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(due, rows_max));
    if (count > 0) result.batch = make(count);
    rows_ += count;
    if (rows_ == rows_end()) result.state = ReadResult::State::kFinished;
    return result;
  }

  std::string position() const override {
    ByteWriter out;
    out.put(kPositionVersion);
    out.put(rows_);
    out.put(base_time_);
    return out.take();
  }

 private:
  void restore(const std::string& position) {
    ByteReader in(position);
    if (in.get<std::uint8_t>() != kPositionVersion)
      throw Failure(
          ErrorCode::kCheckpointDamaged,
          fmt::format("table '{}': the stored position is of an unknown version", context_.table),
          /*retryable=*/false);
    rows_ = std::min(in.get<std::uint64_t>(), rows_end());
    base_time_ = in.get<ProcessingTime>();
  }

  // How many rows this split has in all.
  std::uint64_t rows_end() const noexcept {
    const std::uint64_t all = generator_->rows_end;
    if (all == kNoEnd) return kNoEnd;
    return all / splits_ + (index_ < all % splits_ ? 1 : 0);
  }

  // Row r, counted over all splits since this attempt began, is due r / rows_per_second seconds
  // after it.
  std::uint64_t rows_due() const {
    const Millis elapsed = std::max<Millis>(0, context_.clock->now() - started_at_);
    const auto rate = static_cast<unsigned __int128>(generator_->rows_per_second);
    const auto last = static_cast<unsigned __int128>(elapsed) * rate / 1000;
    if (last < index_) return 0;
    const auto due = (last - index_) / splits_ + 1;
    const std::uint64_t made = rows_ - rows_at_start_;
    return due <= made ? 0 : static_cast<std::uint64_t>(due - made);
  }

  // When enough rows are due to make a batch worth it: those of 10 ms, or the next one.
  ProcessingTime next_due_at(std::uint64_t left) const {
    const std::uint64_t few = static_cast<std::uint64_t>(generator_->rows_per_second) / 100;
    const std::uint64_t wanted = std::clamp<std::uint64_t>(few / splits_, 1, left);
    const std::uint64_t made = rows_ - rows_at_start_;
    const auto row = static_cast<unsigned __int128>(made + wanted - 1) * splits_ + index_;
    const auto rate = static_cast<unsigned __int128>(generator_->rows_per_second);
    return saturating_add(started_at_, static_cast<Millis>((row * 1000 + rate - 1) / rate));
  }

  BatchPtr make(std::size_t count) {
    const GeneratedRows rows{rows_ * splits_ + index_, splits_, count, base_time_};
    std::vector<ColumnPtr> columns;
    columns.reserve(builders_.size());
    for (std::size_t i = 0; i < builders_.size(); ++i) {
      generator_->columns[i]->append(rows, context_.seed, builders_[i]);
      columns.push_back(builders_[i].finish());
    }
    return std::make_shared<const Batch>(generator_->schema, count, std::move(columns));
  }

  const SourceContext& context_;
  std::shared_ptr<const Generator> generator_;
  ProcessingTime started_at_;
  ProcessingTime base_time_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t splits_ = 1;
  std::uint64_t rows_ = 0;
  std::uint64_t rows_at_start_ = 0;
  std::vector<ColumnBuilder> builders_;
};

class DatagenSource final : public Source {
 public:
  explicit DatagenSource(std::shared_ptr<const Generator> generator)
      : generator_(std::move(generator)) {}

  SchemaPtr schema() const override { return generator_->schema; }
  bool bounded() const override { return generator_->rows_end != kNoEnd; }

  std::vector<Split> enumerate(SourceContext&, std::uint32_t parallelism) const override {
    std::vector<Split> splits;
    for (std::uint32_t i = 0; i < parallelism; ++i) {
      ByteWriter payload;
      payload.put(i);
      payload.put(parallelism);
      splits.push_back({.id = std::to_string(i), .payload = payload.take()});
    }
    return splits;
  }

  std::unique_ptr<SplitReader> open(SourceContext& context, const Split& split,
                                    const std::optional<std::string>& position) const override {
    return std::make_unique<DatagenReader>(context, generator_, split, position);
  }

 private:
  std::shared_ptr<const Generator> generator_;
};

Result<SourcePtr> make_source(const TableOptions& table) {
  OptionReader options(fmt::format("table '{}'", table.table), table.options);
  options.allow("connector");
  allow_engine_source_options(options);
  auto generator = std::make_shared<Generator>();
  generator->schema = table.schema;
  TIDEMARK_ASSIGN_OR_RETURN(
      generator->rows_per_second,
      options.integer("rows-per-second", generator->rows_per_second, 1, 1'000'000'000'000));
  options.allow("number-of-rows");
  if (options.has("number-of-rows")) {
    TIDEMARK_ASSIGN_OR_RETURN(const std::int64_t rows,
                              options.integer("number-of-rows", 0, 0, kMaxTime));
    generator->rows_end = static_cast<std::uint64_t>(rows);
  }
  for (const Field& field : table.schema->fields) {
    TIDEMARK_ASSIGN_OR_RETURN(auto column, make_column_generator(field, options));
    generator->rows_end = std::min(generator->rows_end, column->rows_max().value_or(kNoEnd));
    generator->columns.push_back(std::move(column));
  }
  TIDEMARK_TRY(options.finish());
  SourcePtr source = std::make_shared<DatagenSource>(std::move(generator));
  return source;
}

}  // namespace

Connector make_datagen_connector() {
  return {.name = "datagen", .make_source = &make_source, .make_sink = {}};
}

}  // namespace tidemark
