// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/print/print.h"

#include <fmt/format.h>

#include <mutex>

#include "tidemark/base/error.h"
#include "tidemark/connector/print/row_text.h"

namespace tidemark {
namespace {

// The streams, which subtasks on other threads write to as well.
struct Streams {
  std::mutex mutex;
  std::ostream& output;
  std::ostream& error;
};

class PrintWriter final : public SinkWriter {
 public:
  PrintWriter(std::shared_ptr<Streams> streams, bool to_error, std::string prefix)
      : streams_(std::move(streams)), to_error_(to_error), prefix_(std::move(prefix)) {}

  void write(const BatchPtr& batch) override {
    text_.clear();
    for (std::size_t row = 0; row < batch->rows(); ++row) {
      text_ += prefix_;
      append_row_text(text_, *batch, row);
      text_ += '\n';
    }
    const std::lock_guard lock(streams_->mutex);
    std::ostream& stream = to_error_ ? streams_->error : streams_->output;
    stream << text_ << std::flush;
    // A full disk or a reader that went away: rows must not get lost in silence.
    if (!stream)
      throw Failure(
          ErrorCode::kIo,
          to_error_ ? "cannot write to the standard error" : "cannot write to the standard output",
          /*retryable=*/false);
  }
  std::vector<std::string> prepare(CheckpointId) override { return {}; }

 private:
  std::shared_ptr<Streams> streams_;
  bool to_error_;
  std::string prefix_;
  std::string text_;
};

class PrintSink final : public Sink {
 public:
  PrintSink(std::shared_ptr<Streams> streams, bool to_error, std::string identifier)
      : streams_(std::move(streams)), to_error_(to_error), identifier_(std::move(identifier)) {}

  std::unique_ptr<SinkWriter> open_writer(SinkContext& context) const override {
    std::string prefix = identifier_;
    if (context.parallelism > 1) {
      if (!prefix.empty()) prefix += ':';
      prefix += std::to_string(context.subtask + 1);
    }
    if (!prefix.empty()) prefix += "> ";
    return std::make_unique<PrintWriter>(streams_, to_error_, std::move(prefix));
  }
  std::unique_ptr<Committer> open_committer(SinkContext&) const override { return nullptr; }
  bool takes_changes() const override { return true; }

 private:
  std::shared_ptr<Streams> streams_;
  bool to_error_;
  std::string identifier_;
};

Result<SinkPtr> make_sink(const TableOptions& table, const std::shared_ptr<Streams>& streams) {
  OptionReader options(fmt::format("table '{}'", table.table), table.options);
  options.allow("connector");
  options.allow("sink.parallelism");
  std::string identifier = options.optional("print-identifier", "");
  TIDEMARK_ASSIGN_OR_RETURN(const bool to_error, options.boolean("standard-error", false));
  TIDEMARK_TRY(options.finish());
  SinkPtr sink = std::make_shared<PrintSink>(streams, to_error, std::move(identifier));
  return sink;
}

}  // namespace

Connector make_print_connector(std::ostream& standard_output, std::ostream& standard_error) {
  const std::shared_ptr<Streams> streams(new Streams{{}, standard_output, standard_error});
  return {.name = "print", .make_source = {}, .make_sink = [streams](const TableOptions& table) {
            return make_sink(table, streams);
          }};
}

}  // namespace tidemark
