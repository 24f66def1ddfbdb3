// SPDX-License-Identifier: Apache-2.0
#include "tidemark/expr/proto.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tidemark/base/random.h"
#include "tidemark/expr/expr_test_support.h"

namespace tidemark::test {
namespace {

// Random well-typed trees over INT, STRING and BOOLEAN.
class TreeMaker {
 public:
  explicit TreeMaker(std::uint64_t seed) : random_(seed) {}

  ExpressionPtr number(int depth) {
    if (depth == 0) return leaf(DataType::integer(), integer(static_cast<int>(random_.below(100))));
    switch (random_.below(6)) {
      case 0: return call("+", {number(depth - 1), number(depth - 1)});
      case 1: return call("CHAR_LENGTH", {string(depth - 1)});
      case 2: return cast(string(depth - 1), DataType::integer(), random_.one_in(2));
      case 3: return call("IF", {truth(depth - 1), number(depth - 1), number(depth - 1)});
      case 4: return call("COALESCE", {number(depth - 1), number(depth - 1)});
      default: return call("-", {number(depth - 1)});
    }
  }
  ExpressionPtr string(int depth) {
    if (depth == 0) return leaf(DataType::string(), text(std::string(random_.below(9), 'x')));
    if (random_.one_in(2)) return call("UPPER", {string(depth - 1)});
    return call("||", {string(depth - 1), number(depth - 1)});
  }
  ExpressionPtr truth(int depth) {
    if (depth == 0) return leaf(DataType::boolean(), boolean(random_.one_in(2)));
    switch (random_.below(4)) {
      case 0: return call(">", {number(depth - 1), number(depth - 1)});
      case 1: return *and_expression({truth(depth - 1), truth(depth - 1)});
      case 2: return *or_expression({truth(depth - 1), call("IS NULL", {string(depth - 1)})});
      default: return call("NOT", {truth(depth - 1)});
    }
  }

 private:
  ExpressionPtr leaf(DataType type, Value value) {
    if (random_.one_in(3)) return column_expression(random_.below(5), type);
    return lit(random_.one_in(8) ? null(type) : std::move(value));
  }
  Random random_;
};

TEST(ExpressionProto, RandomTreesComeBackTheSame) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const ExpressionPtr tree = TreeMaker(seed).truth(4);
    proto::Expression message;
    to_proto(*tree, &message);
    proto::Expression parsed;
    ASSERT_TRUE(parsed.ParseFromString(message.SerializeAsString()));
    const auto back = from_proto(parsed);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_TRUE(same_expression(*tree, **back)) << "seed=" << seed;
  }
}

TEST(ExpressionProto, ValuesOfEveryType) {
  const std::string nines(38, '9');
  const std::vector<Value> values = {boolean(true),
                                     tiny(-1),
                                     big(std::numeric_limits<std::int64_t>::min()),
                                     real(-0.5),
                                     decimal("-" + nines, 38, 0),
                                     decimal("-1.5", 38, 10),
                                     text("héllo"),
                                     Value::of_text(DataType::bytes(), std::string("\0\xff", 2)),
                                     date("1969-01-01"),
                                     timestamp("2001-01-01 00:00:00.123456789", 9),
                                     days(-3),
                                     null(DataType::time(3))};
  for (const Value& value : values) {
    proto::Value message;
    to_proto(value, &message);
    const auto back = from_proto(message);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, value);
    EXPECT_EQ(back->type, value.type);
  }
}

TEST(ExpressionProto, SchemasAndAggregates) {
  DataType limited = DataType::string().with_nullable(false);
  limited.length = 7;
  const Schema schema{{{"a", limited}, {"b", DataType::timestamp_ltz(3)}}};
  proto::Schema message;
  to_proto(schema, &message);
  EXPECT_EQ(**from_proto(message), schema);

  const AggregateCall call{
      .function = "SUM", .distinct = true, .arguments = {3, 4}, .filter = 0, .name = "total"};
  proto::AggregateCall stored;
  to_proto(call, &stored);
  const AggregateCall back = from_proto(stored);
  EXPECT_EQ(back.function, "SUM");
  EXPECT_TRUE(back.distinct);
  EXPECT_EQ(back.arguments, call.arguments);
  EXPECT_EQ(back.filter, std::optional<std::size_t>(0));
  EXPECT_EQ(back.name, "total");
}

TEST(ExpressionProto, DamagedMessagesAreRefused) {
  proto::DataType type;
  type.set_kind(proto::DataType::DECIMAL);
  type.set_precision(99);
  ASSERT_FALSE(from_proto(type).ok());
  EXPECT_NE(from_proto(type).error().message.find("99"), std::string::npos);
  type.set_precision(0);
  EXPECT_FALSE(from_proto(type).ok());

  proto::Expression message;
  to_proto(*call("UPPER", {lit(text("a"))}), &message);
  message.set_function("UPER");
  EXPECT_FALSE(from_proto(message).ok());
  message.set_function("SUBSTRING");
  EXPECT_FALSE(from_proto(message).ok()) << "SUBSTRING takes more";
  message.set_function("ASCII");
  EXPECT_FALSE(from_proto(message).ok()) << "ASCII gives an INT";
  message.set_kind(proto::Expression::CASE);
  EXPECT_FALSE(from_proto(message).ok()) << "a CASE of one argument";

  proto::Expression deep;
  proto::Expression* at = &deep;
  for (int i = 0; i < 600; ++i) {
    at->set_kind(proto::Expression::AND);
    at->mutable_type()->set_kind(proto::DataType::BOOLEAN);
    at = at->add_arguments();
  }
  EXPECT_FALSE(from_proto(deep).ok());
}

}  // namespace
}  // namespace tidemark::test
