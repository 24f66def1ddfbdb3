// SPDX-License-Identifier: Apache-2.0
// A source of one's own. A source has splits, which readers read in order; a reader's position goes
// into checkpoints, so that a restored job goes on behind the last row that the checkpoint has
// seen. This one counts down from several numbers, a split each. Teaches operator/source.h.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tidemark/api/environment.h"

using namespace std::chrono_literals;
using namespace tidemark;

struct Tick {
  std::int64_t start = 0;
  std::int64_t left = 0;
};
BOOST_DESCRIBE_STRUCT(Tick, (), (start, left))

class CountdownReader final : public SplitReader {
 public:
  CountdownReader(std::int64_t start, std::int64_t left) : start_(start), left_(left) {}

  ReadResult read(std::size_t rows_max) override {
    RecordWriter<Tick> rows;
    while (left_ > 0 && rows.rows() < rows_max) rows.append({start_, left_--});
    ReadResult result;
    if (rows.rows() > 0) result.batch = rows.finish();
    if (left_ == 0) result.state = ReadResult::State::kFinished;
    return result;
  }

  // What comes next, after every row that read() has returned.
  std::string position() const override { return std::to_string(left_); }

 private:
  std::int64_t start_;
  std::int64_t left_;
};

class CountdownSource final : public Source {
 public:
  explicit CountdownSource(std::vector<std::int64_t> starts) : starts_(std::move(starts)) {}

  SchemaPtr schema() const override { return schema_of<Tick>(); }
  bool bounded() const override { return true; }

  // The same splits in the same order whenever it is asked: their ids are in checkpoints.
  std::vector<Split> enumerate(SourceContext&, std::uint32_t) const override {
    std::vector<Split> splits;
    for (const std::int64_t start : starts_)
      splits.push_back({"from-" + std::to_string(start), std::to_string(start)});
    return splits;
  }

  std::unique_ptr<SplitReader> open(SourceContext&, const Split& split,
                                    const std::optional<std::string>& position) const override {
    const std::int64_t start = std::stoll(split.payload);
    return std::make_unique<CountdownReader>(start, position ? std::stoll(*position) : start);
  }

 private:
  std::vector<std::int64_t> starts_;
};

int main() {
  const auto countdowns =
      std::make_shared<const CountdownSource>(std::vector<std::int64_t>{3, 1000, 50'000});

  Environment env("countdown");
  Collected<WindowResult<std::int64_t, std::int64_t>> sums;
  env.source(from_source<Tick>(countdowns, "countdown"), &Tick::left, bounded_out_of_orderness(0s))
      .key_by(&Tick::start)
      .window(tumbling(1h))
      .sum(&Tick::left)
      .sink_to(sums);

  const auto report = env.parallelism(2).run();
  if (!report.ok()) {
    fmt::print(stderr, "{}\n", report.error().message);
    return 1;
  }
  auto rows = sums.rows();
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  fmt::print("{} rows, {} of them late\n", report->rows_read, report->late_rows);
  for (const auto& row : rows) fmt::print("down from {}: {}\n", row.key, row.result);
  return 0;
}
