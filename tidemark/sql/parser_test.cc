// SPDX-License-Identifier: Apache-2.0
#include "tidemark/sql/parser.h"

#include <gtest/gtest.h>

#include "tidemark/sql/keywords.h"

namespace tidemark::sql {
namespace {

/// The tree as nested lists: (+ a (* b 2)).
std::string print(const ast::Expr& expression) {
  std::string text;
  const auto list = [&](std::string head) {
    text = "(" + head;
    for (const ast::ExprPtr& argument : expression.arguments) text += " " + print(*argument);
    if (expression.filter) text += " FILTER " + print(*expression.filter);
    return text + ")";
  };
  switch (expression.kind) {
    case ast::Expr::Kind::kLiteral:
      return expression.literal.type.kind == TypeKind::kString ? "'" + expression.literal.text + "'"
                                                               : to_string(expression.literal);
    case ast::Expr::Kind::kColumn:
    case ast::Expr::Kind::kStar:
      for (const ast::Name& name : expression.path) text += (text.empty() ? "" : ".") + name.text;
      if (expression.kind == ast::Expr::Kind::kStar) text += text.empty() ? "*" : ".*";
      return text;
    case ast::Expr::Kind::kCall:
      return list(expression.function.text + (expression.distinct ? " DISTINCT" : ""));
    case ast::Expr::Kind::kCase: return list(expression.has_operand ? "CASE-OF" : "CASE");
    case ast::Expr::Kind::kCast:
      return list((expression.try_cast ? "TRY_CAST " : "CAST ") + to_string(expression.type));
    case ast::Expr::Kind::kBetween:
      return list(std::string(expression.negated ? "NOT-" : "") + "BETWEEN" +
                  (expression.symmetric ? "-SYMMETRIC" : ""));
    case ast::Expr::Kind::kIn: return list(expression.negated ? "NOT-IN" : "IN");
  }
  return {};
}

/// The first item of SELECT `expression`, printed; or the error's first line.
std::string parsed(const std::string& expression) {
  const std::string text = "SELECT " + expression;
  const SourceText source(text, "q");
  const auto statements = parse(source);
  if (!statements.ok())
    return statements.error().message.substr(0, statements.error().message.find('\n'));
  const auto& query = *std::get<ast::SelectStatement>(statements->front().body).query;
  return print(*std::get<ast::Select>(query.body).items.front().expression);
}

TEST(ParserTest, OperatorsBindAsInCalcite) {
  EXPECT_EQ(parsed("a + b * 2 - c"), "(- (+ a (* b 2)) c)");
  EXPECT_EQ(parsed("a - b - c"), "(- (- a b) c)");
  EXPECT_EQ(parsed("a = b AND NOT c <> d OR e"), "(OR (AND (= a b) (NOT (<> c d))) e)");
  EXPECT_EQ(parsed("a = b IS NULL"), "(IS NULL (= a b))");
  EXPECT_EQ(parsed("NOT a IS NULL"), "(NOT (IS NULL a))");
  EXPECT_EQ(parsed("a || b || 'x'"), "(|| (|| a b) 'x')");
  EXPECT_EQ(parsed("-a * b"), "(* (- a) b)");
  EXPECT_EQ(parsed("- 5"), "-5");
  EXPECT_EQ(parsed("a -5"), "(- a 5)");
  EXPECT_EQ(parsed("(a + b) * c % 2"), "(% (* (+ a b) c) 2)");
}

TEST(ParserTest, ChainsOfAndAndOrAreOneNode) {
  EXPECT_EQ(parsed("a AND b AND c"), "(AND a b c)");
  EXPECT_EQ(parsed("a OR b AND c OR d"), "(OR a (AND b c) d)");
}

TEST(ParserTest, Predicates) {
  EXPECT_EQ(parsed("a BETWEEN 1 AND 2 AND b"), "(AND (BETWEEN a 1 2) b)");
  EXPECT_EQ(parsed("a NOT BETWEEN SYMMETRIC 1 + 1 AND 2"), "(NOT-BETWEEN-SYMMETRIC a (+ 1 1) 2)");
  EXPECT_EQ(parsed("a IN (1, 2) = TRUE"), "(= (IN a 1 2) TRUE)");
  EXPECT_EQ(parsed("a NOT IN ('x')"), "(NOT-IN a 'x')");
  EXPECT_EQ(parsed("a LIKE 'x%' ESCAPE '!'"), "(LIKE a 'x%' '!')");
  EXPECT_EQ(parsed("a NOT LIKE 'x%' OR b"), "(OR (NOT (LIKE a 'x%')) b)");
  EXPECT_EQ(parsed("a SIMILAR TO 'x+'"), "(SIMILAR TO a 'x+')");
  EXPECT_EQ(parsed("a IS NOT DISTINCT FROM b"), "(IS NOT DISTINCT FROM a b)");
  EXPECT_EQ(parsed("a IS NOT TRUE AND b IS UNKNOWN"), "(AND (IS NOT TRUE a) (IS UNKNOWN b))");
}

TEST(ParserTest, FunctionsWithKeywords) {
  EXPECT_EQ(parsed("EXTRACT(HOUR FROM ts)"), "(EXTRACT 'HOUR' ts)");
  EXPECT_EQ(parsed("TRIM(BOTH 'x' FROM a)"), "(BTRIM a 'x')");
  EXPECT_EQ(parsed("TRIM(LEADING FROM a)"), "(LTRIM a)");
  EXPECT_EQ(parsed("TRIM(TRAILING 'x' FROM a)"), "(RTRIM a 'x')");
  EXPECT_EQ(parsed("TRIM('x' FROM a)"), "(BTRIM a 'x')");
  EXPECT_EQ(parsed("trim(a)"), "(BTRIM a)");
  EXPECT_EQ(parsed("SUBSTRING(a FROM 2 FOR 3)"), "(SUBSTRING a 2 3)");
  EXPECT_EQ(parsed("SUBSTRING(a, 2)"), "(SUBSTRING a 2)");
  EXPECT_EQ(parsed("POSITION('a' || 'b' IN c)"), "(POSITION (|| 'a' 'b') c)");
  EXPECT_EQ(parsed("OVERLAY(a PLACING b FROM 1 FOR 2)"), "(OVERLAY a b 1 2)");
  EXPECT_EQ(parsed("FLOOR(ts TO DAY)"), "(FLOOR ts 'DAY')");
  EXPECT_EQ(parsed("CEILING(x)"), "(CEIL x)");
  EXPECT_EQ(parsed("TIMESTAMPDIFF(MINUTE, a, b)"), "(TIMESTAMPDIFF 'MINUTE' a b)");
  EXPECT_EQ(parsed("CURRENT_TIMESTAMP"), "(CURRENT_TIMESTAMP)");
  EXPECT_EQ(parsed("YEAR(ts)"), "(YEAR ts)");
  EXPECT_EQ(parsed("LEFT(a, 2)"), "(LEFT a 2)");
}

TEST(ParserTest, Aggregates) {
  EXPECT_EQ(parsed("count(*)"), "(COUNT *)");
  EXPECT_EQ(parsed("COUNT(DISTINCT a) FILTER (WHERE b > 1)"), "(COUNT DISTINCT a FILTER (> b 1))");
}

TEST(ParserTest, CaseAndCast) {
  EXPECT_EQ(parsed("CASE WHEN a THEN 1 ELSE 2 END"), "(CASE a 1 2)");
  EXPECT_EQ(parsed("CASE a WHEN 1 THEN 'x' END"), "(CASE-OF a 1 'x' NULL)");
  EXPECT_EQ(parsed("CAST(a AS DECIMAL(10, 2))"), "(CAST DECIMAL(10, 2) a)");
  EXPECT_EQ(parsed("TRY_CAST(a AS TIMESTAMP(3) WITH LOCAL TIME ZONE)"),
            "(TRY_CAST TIMESTAMP_LTZ(3) a)");
  EXPECT_EQ(parsed("CAST(a AS DOUBLE PRECISION)"), "(CAST DOUBLE a)");
}

TEST(ParserTest, NamesAreAsWritten) {
  EXPECT_EQ(parsed("productId"), "productId");
  EXPECT_EQ(parsed("`end`"), "end");
  EXPECT_EQ(parsed("t.`a``b`"), "t.a`b");
  EXPECT_EQ(parsed("größe"), "größe");
}

TEST(ParserTest, ReservedWordsNeedBackquotes) {
  for (const std::string word :
       {"end", "value", "timestamp", "day", "count", "user", "year", "table", "order", "offset",
        "date", "time", "hour", "start", "result", "sum", "position", "row", "percent"}) {
    const std::string text = "CREATE TABLE t (" + word + " INT)";
    const SourceText source(text, "q");
    const auto statements = parse(source);
    ASSERT_FALSE(statements.ok()) << word;
    EXPECT_NE(
        statements.error().message.find("the reserved word '" + word +
                                        "'; as a name it is written in backquotes: `" + word + "`"),
        std::string::npos)
        << statements.error().message;
  }
}

TEST(ParserTest, WordsThatFlinkDoesNotReserveAreNames) {
  for (const std::string word :
       {"name",        "key",      "type",  "data",   "size",  "source", "state", "version",
        "origin",      "id",       "level", "length", "zone",  "ts",     "map",   "week",
        "partitioned", "metadata", "first", "last",   "hours", "days",   "a"}) {
    const std::string text = "CREATE TABLE t (" + word + " INT)";
    EXPECT_TRUE(parse(SourceText(text, "q")).ok()) << word;
    EXPECT_FALSE(is_reserved(to_upper(word)));
  }
}

TEST(ParserTest, StatementsAreSeparatedBySemicolons) {
  const std::string text =
      "-- a comment; with a semicolon\n"
      "SET 'a' = 'b;c'; /* ; */ ; RESET; SET parallelism.default = 4;;\n"
      "SHOW TABLES";
  const auto statements = parse(SourceText(text, "q"));
  ASSERT_TRUE(statements.ok()) << statements.error().message;
  ASSERT_EQ(statements->size(), 4u);
  EXPECT_EQ(std::get<ast::Set>((*statements)[0].body).option->value.text, "b;c");
  EXPECT_EQ(std::get<ast::Set>((*statements)[2].body).option->key.text, "parallelism.default");
  EXPECT_EQ(std::get<ast::Set>((*statements)[2].body).option->value.text, "4");
}

TEST(ParserTest, BareSettingsEndAtBlanks) {
  const std::string text = "SET execution.checkpointing.interval = 10s; SET a.b-c = -1.5;";
  const auto statements = parse(SourceText(text, "q"));
  ASSERT_TRUE(statements.ok()) << statements.error().message;
  EXPECT_EQ(std::get<ast::Set>((*statements)[0].body).option->value.text, "10s");
  EXPECT_EQ(std::get<ast::Set>((*statements)[1].body).option->key.text, "a.b-c");
  EXPECT_EQ(std::get<ast::Set>((*statements)[1].body).option->value.text, "-1.5");
}

TEST(ParserTest, NestingIsBounded) {
  const std::string deep(5000, '(');
  EXPECT_EQ(parsed(deep + "1"), "q:1:207: this is nested more than 200 levels deep");
  std::string chain = "a";
  for (int i = 0; i < 300; ++i) chain += " + a";
  EXPECT_NE(parsed(chain).find("nested more than 200 levels deep"), std::string::npos);
  std::string query = "SELECT * FROM ";
  for (int i = 0; i < 1000; ++i) query += "(SELECT * FROM ";
  const auto nested = parse(SourceText(query, "q"));
  ASSERT_FALSE(nested.ok());
  EXPECT_NE(nested.error().message.find("nested more than"), std::string::npos);
}

TEST(ParserTest, LongChainsOfAlternativesAreNotDeep) {
  std::string chain = "a = 0";
  for (int i = 0; i < 3000; ++i) chain += " OR a = " + std::to_string(i);
  EXPECT_EQ(parsed(chain).substr(0, 16), "(OR (= a 0) (= a");
}

TEST(ParserTest, CaretsCountCharacters) {
  const std::string text = "SELECT 'größe',\n\tà + FROM t";
  const auto statements = parse(SourceText(text, "dir/q.sql"));
  ASSERT_FALSE(statements.ok());
  EXPECT_EQ(statements.error().message,
            "dir/q.sql:2:6: expected an expression, found 'FROM'\n"
            "  2 | \tà + FROM t\n"
            "    | \t    ^~~~");
}

TEST(ParserTest, LongLinesAreCutAroundTheCaret) {
  const std::string text = "SELECT " + std::string(500, 'a') + ", FROM t, " + std::string(500, 'b');
  const auto statements = parse(SourceText(text, "q"));
  ASSERT_FALSE(statements.ok());
  const std::string& message = statements.error().message;
  EXPECT_EQ(message.substr(0, message.find('\n')), "q:1:510: expected an expression, found 'FROM'");
  EXPECT_LT(message.size(), 400u);
  const std::size_t caret_line = message.rfind('\n');
  const std::size_t text_line = message.rfind('\n', caret_line - 1);
  const std::size_t caret = message.find('^', caret_line) - caret_line;
  EXPECT_EQ(message.substr(text_line + caret, 4), "FROM");
}

}  // namespace
}  // namespace tidemark::sql
