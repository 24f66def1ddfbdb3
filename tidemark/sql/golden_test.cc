// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tidemark/sql/compile.h"
#include "tidemark/sql/test_connectors.h"

// Runs tests/sql/*.test. A file is a list of cases:
//
//   === name
//   SQL
//   ---
//   what compiling it says: the error's message, or each statement's plan or text
//
// The SQL of a case called "prelude" stands before every later case of its file, on one line, so
// that a case's own text begins at line 2. TIDEMARK_WRITE_GOLDEN=1 writes what is said now into the
// files, to be read in the diff.

namespace tidemark::sql {
namespace {

struct Case {
  std::string name;
  std::string sql;
  std::string expected;
};

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::vector<Case> read_cases(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::vector<Case> cases;
  std::string* part = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("=== ", 0) == 0) {
      cases.push_back({line.substr(4), {}, {}});
      part = &cases.back().sql;
    } else if (line == "---" && part != nullptr) {
      part = &cases.back().expected;
    } else if (part != nullptr) {
      *part += line + "\n";
    }
  }
  for (Case& test : cases) {
    test.sql = trimmed(test.sql);
    test.expected = trimmed(test.expected);
  }
  return cases;
}

void write_cases(const std::filesystem::path& path, const std::vector<Case>& cases) {
  std::ofstream out(path);
  for (const Case& test : cases) {
    out << "=== " << test.name << "\n" << test.sql << "\n";
    if (test.name != "prelude") out << "---\n" << test.expected << "\n";
    out << "\n";
  }
}

std::string on_one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text + "\n";
}

std::string outcome(const std::string& sql) {
  const ConnectorRegistry connectors = test_connectors();
  const auto compiled = compile(sql, "q.sql", connectors);
  if (!compiled.ok()) return compiled.error().message;
  std::string text;
  for (const CompiledStatement& statement : *compiled) {
    switch (statement.kind) {
      case CompiledStatement::Kind::kInsert:
      case CompiledStatement::Kind::kSelect: {
        const Status valid = validate(statement.graph);
        text += statement.name + "\n";
        text += valid.ok() ? explain(statement.graph) : "INVALID: " + valid.error().message;
        break;
      }
      case CompiledStatement::Kind::kExplain:
      case CompiledStatement::Kind::kShow: text += statement.text; break;
    }
    text = trimmed(text) + "\n";
  }
  return trimmed(text);
}

class GoldenTest : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(GoldenTest, SaysWhatTheFileSays) {
  std::vector<Case> cases = read_cases(GetParam());
  ASSERT_FALSE(cases.empty());
  std::string prelude;
  for (Case& test : cases) {
    if (test.name == "prelude") {
      prelude = on_one_line(test.sql);
      continue;
    }
    const std::string said = outcome(prelude + test.sql);
    if (std::getenv("TIDEMARK_WRITE_GOLDEN") != nullptr) {
      test.expected = said;
    } else {
      EXPECT_EQ(said, test.expected) << "case: " << test.name;
    }
  }
  if (std::getenv("TIDEMARK_WRITE_GOLDEN") != nullptr) write_cases(GetParam(), cases);
}

std::vector<std::filesystem::path> golden_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(TIDEMARK_SOURCE_DIR) / "tests" / "sql";
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".test") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenTest, testing::ValuesIn(golden_files()),
                         [](const auto& file) { return file.param.stem().string(); });

}  // namespace
}  // namespace tidemark::sql
