// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/blackhole/blackhole.h"

#include <fmt/format.h>

namespace tidemark {
namespace {

class BlackholeWriter final : public SinkWriter {
 public:
  void write(const BatchPtr&) override {}
  std::vector<std::string> prepare(CheckpointId) override { return {}; }
};

class BlackholeSink final : public Sink {
 public:
  std::unique_ptr<SinkWriter> open_writer(SinkContext&) const override {
    return std::make_unique<BlackholeWriter>();
  }
  std::unique_ptr<Committer> open_committer(SinkContext&) const override { return nullptr; }
  bool takes_changes() const override { return true; }
};

Result<SinkPtr> make_sink(const TableOptions& table) {
  OptionReader options(fmt::format("table '{}'", table.table), table.options);
  options.allow("connector");
  options.allow("sink.parallelism");
  TIDEMARK_TRY(options.finish());
  SinkPtr sink = std::make_shared<BlackholeSink>();
  return sink;
}

}  // namespace

Connector make_blackhole_connector() {
  return {.name = "blackhole", .make_source = {}, .make_sink = &make_sink};
}

}  // namespace tidemark
