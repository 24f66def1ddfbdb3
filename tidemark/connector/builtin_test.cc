// SPDX-License-Identifier: Apache-2.0
#include "tidemark/connector/builtin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/connector/connector_testing.h"

namespace tidemark {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

SchemaPtr one_int() {
  return make_schema({{"n", DataType::integer()}});
}

TEST(BuiltinConnectors, AreAllThere) {
  EXPECT_THAT(builtin_connectors().names(),
              ElementsAre("blackhole", "datagen", "filesystem", "print"));
}

TEST(BuiltinConnectors, KnowWhatTheyAre) {
  EXPECT_THAT(sink_error(one_int(), {{"connector", "datagen"}}), HasSubstr("not written to"));
  EXPECT_THAT(source_error(one_int(), {{"connector", "print"}}), HasSubstr("not read from"));
  EXPECT_THAT(source_error(one_int(), {{"connector", "blackhole"}}), HasSubstr("not read from"));
}

TEST(BuiltinConnectors, RefuseUnknownOptionsWithTheNearestName) {
  EXPECT_THAT(sink_error(one_int(), {{"connector", "print"}, {"print-identifer", "x"}}),
              HasSubstr("did you mean 'print-identifier'?"));
  EXPECT_THAT(sink_error(one_int(), {{"connector", "blackhole"}, {"x", "y"}}),
              HasSubstr("table 't': unknown option 'x'"));
  EXPECT_THAT(source_error(one_int(), {{"connector", "datagen"}, {"fields.n.mim", "1"}}),
              HasSubstr("did you mean 'fields.n.min'?"));
  EXPECT_THAT(
      source_error(one_int(), {{"connector", "filesystem"}, {"pth", "x"}, {"format", "csv"}}),
      HasSubstr("option 'path' is required"));
  EXPECT_THAT(source_error(one_int(), {{"connector", "filesystem"},
                                       {"path", "x"},
                                       {"format", "csv"},
                                       {"csv.field-delimeter", ";"}}),
              HasSubstr("did you mean 'csv.field-delimiter'?"));
}

TEST(BuiltinConnectors, LetTheEnginesOptionsPass) {
  EXPECT_EQ(source_error(one_int(), {{"connector", "datagen"}, {"scan.parallelism", "2"}}), "");
  EXPECT_EQ(sink_error(one_int(), {{"connector", "blackhole"}, {"sink.parallelism", "2"}}), "");
}

TEST(Blackhole, Forgets) {
  const SinkPtr sink = sink_of(one_int(), {{"connector", "blackhole"}});
  SinkContext context;
  const auto writer = sink->open_writer(context);
  ColumnBuilder builder(DataType::integer());
  builder.append(std::int32_t{1});
  writer->write(
      std::make_shared<const Batch>(one_int(), 1, std::vector<ColumnPtr>{builder.finish()}));
  EXPECT_TRUE(writer->prepare(1).empty());
  EXPECT_EQ(sink->open_committer(context), nullptr);
}

}  // namespace
}  // namespace tidemark
