// SPDX-License-Identifier: Apache-2.0
#include "tidemark/cli/table_printer.h"

#include <gtest/gtest.h>

#include <sstream>

namespace tidemark {
namespace {

const SchemaPtr kSchema = make_schema({{"name", DataType::string()}, {"n", DataType::integer()}});

BatchPtr rows_of(std::vector<std::pair<std::string, int>> rows) {
  ColumnBuilder name(kSchema->fields[0].type);
  ColumnBuilder n(kSchema->fields[1].type);
  for (const auto& [text, number] : rows) {
    name.append_string(text);
    n.append<std::int32_t>(number);
  }
  return std::make_shared<const Batch>(kSchema, rows.size(),
                                       std::vector<ColumnPtr>{name.finish(), n.finish()});
}

TEST(TablePrinter, GrowsWithoutMovingWhatItPrinted) {
  std::ostringstream out;
  TablePrinter table(out, kSchema);
  table.print(*rows_of({{"añb", 1}}));
  table.print(*rows_of({{"a name that is longer", 123456789}}));
  table.finish();
  EXPECT_EQ(out.str(),
            "+-------+----------+\n"
            "| name  |        n |\n"
            "+-------+----------+\n"
            "| añb   |        1 |\n"
            "| a na… | 123456789 |\n"
            "+-------+----------+\n"
            "2 rows\n");
}

TEST(TablePrinter, ShowsItsHeaderWithoutRows) {
  std::ostringstream out;
  TablePrinter(out, kSchema).finish();
  EXPECT_NE(out.str().find("name"), std::string::npos);
  EXPECT_NE(out.str().find("0 rows"), std::string::npos);
}

TEST(TablePrinter, KeepsControlCharactersOffTheTerminal) {
  std::ostringstream out;
  TablePrinter table(out, kSchema);
  table.print(*rows_of({{"a\n\x1b[31mb", 1}}));
  EXPECT_EQ(out.str().find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tidemark
