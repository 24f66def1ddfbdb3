// SPDX-License-Identifier: Apache-2.0
#include "tidemark/data/batch.h"

#include <gtest/gtest.h>

#include "tidemark/base/error.h"
#include "tidemark/data/arrow.h"
#include "tidemark/data/value.h"

namespace tidemark {
namespace {

BatchPtr sample(bool with_kinds) {
  const SchemaPtr schema = make_schema({{"id", DataType::big_int().with_nullable(false)},
                                        {"name", DataType::string()},
                                        {"ok", DataType::boolean()}});
  ColumnBuilder id(schema->fields[0].type);
  ColumnBuilder name(schema->fields[1].type);
  ColumnBuilder ok(schema->fields[2].type);
  ColumnBuilder times(DataType::big_int().with_nullable(false));
  ColumnBuilder kinds(DataType::tiny_int().with_nullable(false));
  for (int i = 0; i < 10; ++i) {
    id.append<std::int64_t>(i);
    if (i % 3 == 0)
      name.append_null();
    else
      name.append_string("name-" + std::to_string(i));
    ok.append(static_cast<std::uint8_t>(i % 2));
    times.append<std::int64_t>(1000 * i);
    kinds.append(static_cast<std::int8_t>(i % 4));
  }
  return std::make_shared<const Batch>(
      schema, 10, std::vector<ColumnPtr>{id.finish(), name.finish(), ok.finish()}, times.finish(),
      with_kinds ? kinds.finish() : nullptr);
}

TEST(BatchCodec, RoundTrips) {
  for (const bool with_kinds : {false, true}) {
    const BatchPtr batch = sample(with_kinds);
    std::string bytes;
    encode_batch(*batch, bytes);
    const BatchPtr decoded = decode_batch(bytes, batch->schema_ptr());
    EXPECT_EQ(to_rows(*decoded), to_rows(*batch));
    EXPECT_EQ(decoded->event_times()[9], 9000);
    EXPECT_EQ(decoded->row_kinds() != nullptr, with_kinds);
  }
}

TEST(BatchCodec, RefusesEveryTruncation) {
  const BatchPtr batch = sample(true);
  std::string bytes;
  encode_batch(*batch, bytes);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(decode_batch(std::string_view(bytes).substr(0, length), batch->schema_ptr()),
                 Failure);
}

TEST(BatchCodec, NeverReadsOutsideForAnyFlippedByte) {
  const BatchPtr batch = sample(true);
  std::string bytes;
  encode_batch(*batch, bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0xff);
    try {
      to_rows(*decode_batch(damaged, batch->schema_ptr()));
    } catch (const Failure&) {
    }
  }
}

TEST(Batch, ConcatenatesInsertsWithAChangelog) {
  const BatchPtr parts[] = {sample(false), sample(true)};
  const BatchPtr both = concatenate(parts);
  ASSERT_EQ(both->rows(), 20u);
  EXPECT_EQ(both->row_kinds()[3], 0);
  EXPECT_EQ(both->row_kinds()[13], 3);
}

TEST(Arrow, ExportsLayoutAndOwnership) {
  BatchPtr batch = sample(false);
  const std::weak_ptr<const Batch> watch = batch;
  ArrowSchema schema;
  ArrowArray array;
  export_to_arrow(batch->schema(), &schema);
  export_to_arrow(batch, &array);
  batch.reset();
  EXPECT_FALSE(watch.expired());

  EXPECT_STREQ(schema.format, "+s");
  ASSERT_EQ(schema.n_children, 3);
  EXPECT_STREQ(schema.children[0]->format, "l");
  EXPECT_EQ(schema.children[0]->flags, 0);
  EXPECT_STREQ(schema.children[1]->format, "u");
  EXPECT_STREQ(schema.children[1]->name, "name");
  EXPECT_EQ(schema.children[1]->flags, ARROW_FLAG_NULLABLE);
  EXPECT_STREQ(schema.children[2]->format, "b");

  EXPECT_EQ(array.length, 10);
  EXPECT_EQ(static_cast<const std::int64_t*>(array.children[0]->buffers[1])[7], 7);
  EXPECT_EQ(array.children[0]->buffers[0], nullptr);
  EXPECT_EQ(array.children[1]->null_count, 4);
  EXPECT_EQ(static_cast<const std::uint8_t*>(array.children[1]->buffers[0])[0], 0b10110110);
  const auto* offsets = static_cast<const std::int32_t*>(array.children[1]->buffers[1]);
  const auto* bytes = static_cast<const char*>(array.children[1]->buffers[2]);
  EXPECT_EQ(std::string(bytes + offsets[1], bytes + offsets[2]), "name-1");
  EXPECT_EQ(static_cast<const std::uint8_t*>(array.children[2]->buffers[1])[0], 0b10101010);

  schema.release(&schema);
  array.release(&array);
  EXPECT_EQ(schema.release, nullptr);
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace tidemark
