// SPDX-License-Identifier: Apache-2.0
// The first job: a stream of lines is split into words, which are counted in windows of 10 s by the
// time of their line. Teaches Environment, flat_map, key_by, a window, and a sink.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tidemark/api/environment.h"

using namespace std::chrono_literals;
using namespace tidemark;

// A row is a struct whose members are named once more. Views point into the engine's batches, so
// reading a row copies no text.
struct Line {
  std::int64_t at = 0;  // milliseconds
  std::string_view text;
};
BOOST_DESCRIBE_STRUCT(Line, (), (at, text))

struct Word {
  std::string_view text;
};
BOOST_DESCRIBE_STRUCT(Word, (), (text))

using WordCount = WindowResult<std::string_view, std::int64_t>;

void split(const Line& line, Collector<Word>& words) {
  std::string_view rest = line.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end > 0) words.emit({rest.substr(0, end)});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

int main() {
  const std::vector<Line> lines = {
      {1'000, "to be or not to be"}, {4'000, "that is the question"},
      {12'000, "to die to sleep"},   {9'000, "to be late by three seconds is fine"},
      {21'000, "no more"},
  };

  Environment env("word-count");
  Collected<WordCount> counts;
  env.source(from_values(lines), &Line::at, bounded_out_of_orderness(5s))
      .flat_map<Word>(split)
      .key_by(&Word::text)
      .window(tumbling(10s))
      .count()
      .sink_to(counts);

  const auto report = env.parallelism(2).run();
  if (!report.ok()) {
    fmt::print(stderr, "{}\n", report.error().message);
    return 1;
  }

  // Two subtasks finish in any order, so the program sorts what it shows.
  std::vector<WordCount> rows = counts.rows();
  std::erase_if(rows, [](const WordCount& row) { return row.result < 2; });
  std::sort(rows.begin(), rows.end(), [](const WordCount& a, const WordCount& b) {
    return std::tie(a.window.start, a.key) < std::tie(b.window.start, b.key);
  });
  fmt::print("{} lines; words that came more than once in 10 s:\n", report->rows_read);
  for (const auto& [word, window, count] : rows)
    fmt::print("  [{:>2} s, {:>2} s)  {:<4} {}\n", window.start / 1000, window.end / 1000, word,
               count);
  return 0;
}
