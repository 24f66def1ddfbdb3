// SPDX-License-Identifier: Apache-2.0
#include "tidemark/operator/batch_source.h"

#include <algorithm>
#include <utility>

#include "tidemark/base/bytes.h"

namespace tidemark {
namespace {

class BatchReader final : public SplitReader {
 public:
  BatchReader(BatchPtr rows, std::uint64_t next) : rows_(std::move(rows)), next_(next) {
    if (next_ > rows_->rows())
      throw Failure(ErrorCode::kCheckpointMismatch,
                    "the checkpoint has read " + std::to_string(next_) +
                        " values, but the source has only " + std::to_string(rows_->rows()) +
                        ": run with the same values, or start fresh",
                    /*retryable=*/false);
  }

  ReadResult read(std::size_t rows_max) override {
    const std::size_t count = std::min<std::size_t>(rows_max, rows_->rows() - next_);
    ReadResult result;
    if (count > 0) result.batch = slice(rows_, next_, count);
    next_ += count;
    if (next_ == rows_->rows()) result.state = ReadResult::State::kFinished;
    return result;
  }

  std::string position() const override {
    ByteWriter out;
    out.put(next_);
    return out.take();
  }

 private:
  BatchPtr rows_;
  std::uint64_t next_;
};

class BatchSource final : public Source {
 public:
  explicit BatchSource(BatchPtr rows) : rows_(std::move(rows)) {}

  SchemaPtr schema() const override { return rows_->schema_ptr(); }
  bool bounded() const override { return true; }

  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override {
    return {{.id = "values", .payload = ""}};
  }

  std::unique_ptr<SplitReader> open(SourceContext&, const Split&,
                                    const std::optional<std::string>& position) const override {
    return std::make_unique<BatchReader>(rows_,
                                         position ? ByteReader(*position).get<std::uint64_t>() : 0);
  }

 private:
  BatchPtr rows_;
};

}  // namespace

SourcePtr make_batch_source(BatchPtr rows) {
  return std::make_shared<const BatchSource>(std::move(rows));
}

}  // namespace tidemark
