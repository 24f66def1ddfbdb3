// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/print/print.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tidemark/connector/connector_testing.h"
#include "tidemark/connector/print/row_text.h"

namespace tidemark {
namespace {

std::string text_of(const DataType& type, const Value& value) {
  const SchemaPtr schema = make_schema({{"x", type}});
  ColumnBuilder builder(type);
  append_value(builder, value);
  std::string out;
  append_row_text(out, Batch(schema, 1, {builder.finish()}), 0);
  return out.substr(3, out.size() - 4);
}

std::string integer_text(const DataType& type, __int128 value) {
  return text_of(type, Value::of_integer(type, value));
}

// What java.lang and java.time print for these.
TEST(RowText, Values) {
  EXPECT_EQ(integer_text(DataType::big_int(), -5), "-5");
  EXPECT_EQ(integer_text(DataType::boolean(), 1), "true");
  EXPECT_EQ(integer_text(DataType::decimal(5, 2), 1250), "12.50");
  EXPECT_EQ(text_of(DataType::float64(), Value::of_real(DataType::float64(), 2)), "2.0");
  EXPECT_EQ(text_of(DataType::string(), Value::of_text(DataType::string(), "a, b")), "a, b");
  EXPECT_EQ(text_of(DataType::bytes(), Value::of_text(DataType::bytes(), "a\xff")), "[97, -1]");
  EXPECT_EQ(text_of(DataType::integer(), Value::null(DataType::integer())), "null");
  EXPECT_EQ(integer_text(DataType::date(), 0), "1970-01-01");
  EXPECT_EQ(integer_text(DataType::time(3), 3'600'000), "01:00");
  EXPECT_EQ(integer_text(DataType::time(3), 3'601'020), "01:00:01.020");
  EXPECT_EQ(integer_text(DataType::timestamp(3), 978'312'240'000), "2001-01-01T01:24");
  EXPECT_EQ(integer_text(DataType::timestamp(3), 978'312'240'500), "2001-01-01T01:24:00.500");
  EXPECT_EQ(integer_text(DataType::timestamp(6), -1), "1969-12-31T23:59:59.999999");
  EXPECT_EQ(integer_text(DataType::timestamp_ltz(3), 978'312'240'000), "2001-01-01T01:24:00Z");
}

std::string printed(OptionMap options, std::uint32_t subtask, std::uint32_t parallelism,
                    bool to_error = false) {
  std::ostringstream output;
  std::ostringstream error;
  const Connector connector = make_print_connector(output, error);
  const SchemaPtr schema = make_schema({{"s", DataType::string()}});
  const SinkPtr sink = *connector.make_sink(table_of(schema, std::move(options)));
  SinkContext context;
  context.subtask = subtask;
  context.parallelism = parallelism;
  ColumnBuilder kinds(DataType::tiny_int());
  for (const RowKind kind :
       {RowKind::kInsert, RowKind::kUpdateBefore, RowKind::kUpdateAfter, RowKind::kDelete})
    kinds.append(static_cast<std::int8_t>(kind));
  const BatchPtr plain = strings_batch(schema, {"a", "b", "c", "d"});
  sink->open_writer(context)->write(
      std::make_shared<const Batch>(schema, 4, plain->columns(), nullptr, kinds.finish()));
  EXPECT_EQ((to_error ? output : error).str(), "");
  return (to_error ? error : output).str();
}

TEST(Print, PrefixesAsFlinkWritesThem) {
  EXPECT_EQ(printed({}, 0, 1), "+I[a]\n-U[b]\n+U[c]\n-D[d]\n");
  EXPECT_EQ(printed({{"print-identifier", "x"}}, 0, 1), "x> +I[a]\nx> -U[b]\nx> +U[c]\nx> -D[d]\n");
  EXPECT_EQ(printed({}, 1, 2), "2> +I[a]\n2> -U[b]\n2> +U[c]\n2> -D[d]\n");
  EXPECT_EQ(printed({{"print-identifier", "x"}, {"standard-error", "true"}}, 0, 2, true),
            "x:1> +I[a]\nx:1> -U[b]\nx:1> +U[c]\nx:1> -D[d]\n");
}

}  // namespace
}  // namespace tidemark
