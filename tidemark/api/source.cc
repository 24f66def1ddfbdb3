// SPDX-License-Identifier: Apache-2.0
#include "tidemark/api/source.h"

#include <algorithm>

#include "tidemark/base/bytes.h"

namespace tidemark::api_detail {
namespace {

std::string encode_position(std::uint64_t rows) {
  ByteWriter out;
  out.put(rows);
  return out.take();
}

std::uint64_t decode_position(const std::optional<std::string>& position) {
  return position ? ByteReader(*position).get<std::uint64_t>() : 0;
}

// Split s of n makes the rows s, s + n, s + 2n, ... Its position is how many of them were read.
class GeneratorReader final : public SplitReader {
 public:
  GeneratorReader(const GeneratorDescription& description, std::uint64_t split, std::uint64_t next)
      : description_(description), split_(split), next_(next) {
    if (description_.rows == kUnbounded) {
      total_ = kUnbounded;
    } else if (split < description_.rows) {
      total_ = (description_.rows - split - 1) / description_.splits + 1;
    }
  }

  ReadResult read(std::size_t rows_max) override {
    const std::size_t count = std::min<std::uint64_t>(rows_max, total_ - next_);
    ReadResult result;
    if (count > 0)
      result.batch =
          description_.make(split_ + next_ * description_.splits, count, description_.splits);
    next_ += count;
    if (next_ == total_) result.state = ReadResult::State::kFinished;
    return result;
  }
  std::string position() const override { return encode_position(next_); }

 private:
  const GeneratorDescription& description_;
  std::uint64_t split_;
  std::uint64_t next_;
  std::uint64_t total_ = 0;
};

class GeneratorSource final : public Source {
 public:
  explicit GeneratorSource(GeneratorDescription description)
      : description_(std::move(description)) {}

  SchemaPtr schema() const override { return description_.schema; }
  bool bounded() const override { return description_.rows != kUnbounded; }
  // Their number does not follow the parallelism: a rescaled job must find its splits again.
  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override {
    std::vector<Split> splits;
    for (std::uint64_t i = 0; i < description_.splits; ++i) {
      ByteWriter payload;
      payload.put(i);
      splits.push_back(
          {std::to_string(i) + " of " + std::to_string(description_.splits), payload.take()});
    }
    return splits;
  }
  std::unique_ptr<SplitReader> open(SourceContext&, const Split& split,
                                    const std::optional<std::string>& position) const override {
    const auto index = ByteReader(split.payload).get<std::uint64_t>();
    return std::make_unique<GeneratorReader>(description_, index, decode_position(position));
  }

 private:
  GeneratorDescription description_;
};

// Reorders columns and adds event times; everything else is the base's.
class AdaptedReader final : public SplitReader {
 public:
  AdaptedReader(std::unique_ptr<SplitReader> base, SchemaPtr schema,
                std::vector<std::uint32_t> columns, TimeExtractor extract)
      : base_(std::move(base)),
        schema_(std::move(schema)),
        columns_(std::move(columns)),
        extract_(std::move(extract)) {}

  ReadResult read(std::size_t rows_max) override {
    ReadResult result = base_->read(rows_max);
    if (result.batch) result.batch = adapt(*result.batch);
    return result;
  }
  std::string position() const override { return base_->position(); }
  std::uint64_t bytes_read() const override { return base_->bytes_read(); }
  std::uint64_t bytes_total() const override { return base_->bytes_total(); }

 private:
  BatchPtr adapt(const Batch& batch) {
    std::vector<ColumnPtr> columns;
    columns.reserve(columns_.size());
    for (const std::uint32_t column : columns_) columns.push_back(batch.column_ptr(column));
    auto adapted = std::make_shared<const Batch>(schema_, batch.rows(), std::move(columns),
                                                 batch.event_times_ptr(), batch.row_kinds_ptr());
    if (!extract_) return adapted;
    std::vector<EventTime> times(batch.rows());
    extract_(*adapted, times);
    return std::make_shared<const Batch>(schema_, batch.rows(), adapted->columns(),
                                         make_time_column(times.data(), times.size()),
                                         batch.row_kinds_ptr());
  }

  std::unique_ptr<SplitReader> base_;
  SchemaPtr schema_;
  std::vector<std::uint32_t> columns_;
  TimeExtractor extract_;
};

class AdaptedSource final : public Source {
 public:
  AdaptedSource(SourcePtr base, SchemaPtr schema, std::vector<std::uint32_t> columns,
                TimeExtractor extract)
      : base_(std::move(base)),
        schema_(std::move(schema)),
        columns_(std::move(columns)),
        extract_(std::move(extract)) {}

  SchemaPtr schema() const override { return schema_; }
  bool bounded() const override { return base_->bounded(); }
  std::vector<Split> enumerate(SourceContext& context, std::uint32_t parallelism) const override {
    return base_->enumerate(context, parallelism);
  }
  std::unique_ptr<SplitReader> open(SourceContext& context, const Split& split,
                                    const std::optional<std::string>& position) const override {
    return std::make_unique<AdaptedReader>(base_->open(context, split, position), schema_, columns_,
                                           extract_);
  }

 private:
  SourcePtr base_;
  SchemaPtr schema_;
  std::vector<std::uint32_t> columns_;
  TimeExtractor extract_;
};

}  // namespace

void throw_no_event_time() {
  throw Failure(ErrorCode::kInvalidRecord,
                "a row has NULL where its event time should be: give the source a function that "
                "knows a time for such rows, or assign timestamps after a filter",
                /*retryable=*/false);
}

SourcePtr make_generator_source(GeneratorDescription description) {
  return std::make_shared<const GeneratorSource>(std::move(description));
}

Result<SourcePtr> adapt_source(SourcePtr base, SchemaPtr wanted, TimeExtractor extract) {
  const SchemaPtr actual = base->schema();
  TIDEMARK_ASSIGN_OR_RETURN(std::vector<std::uint32_t> columns,
                            record_detail::match_columns(*wanted, *actual));
  if (*wanted == *actual && !extract) return base;
  return SourcePtr(std::make_shared<const AdaptedSource>(std::move(base), std::move(wanted),
                                                         std::move(columns), std::move(extract)));
}

}  // namespace tidemark::api_detail
