// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tidemark/base/bytes.h"
#include "tidemark/connector/builtin.h"
#include "tidemark/data/value.h"

// What the tests of the connectors share: a directory of their own, readers run to their end.

namespace tidemark {

/// A directory on the local disk that lives as long as a test.
class TemporaryDirectory {
 public:
  TemporaryDirectory()
      : path_(testing::TempDir() + "tidemark-" +
              testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

/// Keeps bad records.
class KeptBadRecords final : public BadRecordHandler {
 public:
  void reject(BadRecord record) override { records.push_back(std::move(record)); }
  std::vector<BadRecord> records;
};

inline ConnectorRegistry builtin_connectors() {
  static std::ostringstream unused;
  return make_builtin_connectors(unused);
}

inline TableOptions table_of(SchemaPtr schema, OptionMap options) {
  TableOptions table;
  table.table = "t";
  table.schema = std::move(schema);
  table.options = std::move(options);
  return table;
}

inline SourcePtr source_of(SchemaPtr schema, OptionMap options) {
  auto source = builtin_connectors().make_source(table_of(std::move(schema), std::move(options)));
  EXPECT_TRUE(source.ok()) << (source.ok() ? "" : source.error().message);
  return *source;
}

inline std::string source_error(SchemaPtr schema, OptionMap options) {
  auto source = builtin_connectors().make_source(table_of(std::move(schema), std::move(options)));
  return source.ok() ? "" : source.error().message;
}

inline SinkPtr sink_of(SchemaPtr schema, OptionMap options) {
  auto sink = builtin_connectors().make_sink(table_of(std::move(schema), std::move(options)));
  EXPECT_TRUE(sink.ok()) << (sink.ok() ? "" : sink.error().message);
  return *sink;
}

inline std::string sink_error(SchemaPtr schema, OptionMap options) {
  auto sink = builtin_connectors().make_sink(table_of(std::move(schema), std::move(options)));
  return sink.ok() ? "" : sink.error().message;
}

/// Rows as text: "1|a|NULL".
inline void append_rows(const Batch& batch, std::vector<std::string>& rows) {
  for (const auto& row : to_rows(batch)) {
    std::string text;
    for (std::size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "|" : "") + to_string(row[i]);
    rows.push_back(std::move(text));
  }
}

/// Everything that a reader gives until it is finished or has to wait.
inline std::vector<std::string> read_all(SplitReader& reader, std::size_t rows_max = 1024) {
  std::vector<std::string> rows;
  for (;;) {
    const ReadResult result = reader.read(rows_max);
    if (result.batch) append_rows(*result.batch, rows);
    if (result.state != ReadResult::State::kMore) return rows;
  }
}

inline BatchPtr strings_batch(const SchemaPtr& schema, const std::vector<std::string>& values) {
  ColumnBuilder builder(DataType::string());
  for (const std::string& value : values) builder.append_string(value);
  return std::make_shared<const Batch>(schema, values.size(),
                                       std::vector<ColumnPtr>{builder.finish()});
}

}  // namespace tidemark
