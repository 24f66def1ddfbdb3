// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tidemark/base/random.h"
#include "tidemark/sql/compile.h"
#include "tidemark/sql/test_connectors.h"

// Whatever the text, the compiler answers with a result or an error that points into it. The texts
// are valid files, cut, spliced and garbled at random from a fixed seed.

namespace tidemark::sql {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The golden files hold SQL of every kind, and expected text that is as good as any noise.
std::vector<std::string> seed_texts() {
  std::vector<std::string> texts;
  const std::filesystem::path root(TIDEMARK_SOURCE_DIR);
  for (const auto& entry : std::filesystem::directory_iterator(root / "tests" / "sql")) {
    std::string text = read_file(entry.path());
    // Without the headings whole files parse as scripts.
    std::string script;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.rfind("===", 0) != 0 && line.rfind("---", 0) != 0) script += line + "\n";
    texts.push_back(std::move(script));
  }
  texts.push_back(read_file(root / "examples" / "flights" / "hourly_delays.sql"));
  std::sort(texts.begin(), texts.end());
  return texts;
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, const std::vector<std::string>& texts)
      : random_(seed), texts_(texts) {}

  std::string next() {
    const std::string& text = texts_[below(texts_.size())];
    std::string mutant = piece(text, 400);
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes; ++i) change(mutant);
    return mutant;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_.below(limit); }

  std::string piece(const std::string& text, std::size_t length) {
    const std::size_t begin = below(text.size());
    return text.substr(begin, 1 + below(length));
  }

  void change(std::string& text) {
    static constexpr std::array<const char*, 40> kTokens = {
        "(",          ")",
        ",",          ";",
        "'",          "`",
        "\"",         "--",
        "/*",         "*/",
        ".",          "*",
        "=>",         "<>",
        "SELECT",     "FROM",
        "WHERE",      "GROUP BY",
        "CASE",       "END",
        "WHEN",       "NOT",
        "IN",         "BETWEEN",
        "AND",        "NULL",
        "INTERVAL",   "TUMBLE",
        "TABLE",      "VALUES",
        "COUNT(*)",   "UNION ALL",
        "WITH",       "AS",
        "1e999",      "X'0",
        "\xff",       "\xef\xbb\xbf",
        "DESCRIPTOR", "12345678901234567890123"};
    const std::size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0: text.erase(at, 1 + below(12)); break;
      case 1: text.insert(at, kTokens[below(kTokens.size())]); break;
      case 2: text.resize(at); break;
      case 3: text.insert(at, piece(texts_[below(texts_.size())], 60)); break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      default: text.insert(at, text.substr(below(text.size() + 1), below(40))); break;
    }
  }

  Random random_;
  const std::vector<std::string>& texts_;
};

constexpr std::string_view kPrelude =
    "CREATE TABLE t (i INT, b BIGINT, s STRING, d DECIMAL(10, 2), k STRING, v INT, ts "
    "TIMESTAMP(3), "
    "flag BOOLEAN, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'datagen');\n";

TEST(RobustnessTest, MutantsGiveAResultOrAnErrorThatPointsIntoTheText) {
  const std::vector<std::string> texts = seed_texts();
  const ConnectorRegistry connectors = test_connectors();
  Mutator mutator(20010101, texts);
  int compiled_count = 0;
  for (int i = 0; i < 6000; ++i) {
    const std::string text = std::string(kPrelude) + mutator.next();
    const auto compiled = compile(text, "q.sql", connectors);
    if (compiled.ok()) {
      ++compiled_count;
      continue;
    }
    ASSERT_EQ(compiled.error().message.rfind("q.sql:", 0), 0u) << "the text was:\n"
                                                               << text << "\nthe error:\n"
                                                               << compiled.error().message;
    ASSERT_NE(compiled.error().message.find('^'), std::string::npos) << text;
  }
  EXPECT_GT(compiled_count, 0);
}

TEST(RobustnessTest, EveryTruncationOfAJobGivesAResultOrAnError) {
  const std::string job =
      read_file(std::filesystem::path(TIDEMARK_SOURCE_DIR) / "examples/flights/hourly_delays.sql");
  ASSERT_FALSE(job.empty());
  const ConnectorRegistry connectors = test_connectors();
  for (std::size_t length = 0; length <= job.size(); ++length) {
    const auto compiled = compile(job.substr(0, length), "q.sql", connectors);
    if (compiled.ok()) continue;
    ASSERT_EQ(compiled.error().message.rfind("q.sql:", 0), 0u);
  }
}

}  // namespace
}  // namespace tidemark::sql
