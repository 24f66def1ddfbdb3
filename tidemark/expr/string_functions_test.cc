// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tidemark/data/number_text.h"
#include "tidemark/expr/expr_test_support.h"
#include "tidemark/expr/utf8.h"

namespace tidemark::test {
namespace {

TEST(StringFunctions, Concatenation) {
  EXPECT_EQ(apply("||", {text("a"), text("b")}), "ab");
  EXPECT_EQ(apply("||", {text("a"), integer(1)}), "a1");
  EXPECT_EQ(apply("CONCAT", {text("a"), text(""), text("c")}), "ac");
  EXPECT_EQ(apply("CONCAT", {text("a"), null(DataType::string())}), "NULL");
  EXPECT_EQ(apply("CONCAT_WS", {text("-"), text("a"), text("b"), integer(3)}), "a-b-3");
  const auto with_null = call(
      "CONCAT_WS", {lit(text(",")), lit(text("a")), lit(null(DataType::string())), lit(text("c"))});
  EXPECT_EQ(constant(with_null), "a,c");
}

TEST(StringFunctions, Case) {
  EXPECT_EQ(apply("UPPER", {text("straße äöü é 1a")}), "STRAßE ÄÖÜ É 1A");
  EXPECT_EQ(apply("LOWER", {text("ÄÖÜ ÀΣЖ")}), "äöü àσж");
  EXPECT_EQ(apply("INITCAP", {text("hELLO wORLD-foo bar")}), "Hello World-Foo Bar");
}

TEST(StringFunctions, SubstringCountsCharacters) {
  EXPECT_EQ(apply("SUBSTRING", {text("héllo"), integer(2), integer(3)}), "éll");
  EXPECT_EQ(apply("SUBSTR", {text("hello"), integer(4)}), "lo");
  EXPECT_EQ(apply("SUBSTRING", {text("hello"), integer(-3), integer(2)}), "ll");
  EXPECT_EQ(apply("SUBSTRING", {text("hello"), integer(0), integer(2)}), "he");
  EXPECT_EQ(apply("SUBSTRING", {text("hello"), integer(9)}), "");
  EXPECT_EQ(apply("SUBSTRING", {text("hello"), integer(-9), integer(2)}), "");
  EXPECT_EQ(apply("SUBSTRING", {text("hello"), integer(2), integer(2'000'000'000)}), "ello");
  EXPECT_EQ(apply("SUBSTRING", {text("hello"), integer(2), integer(-1)}), "NULL");
  EXPECT_EQ(apply("LEFT", {text("héllo"), integer(2)}), "hé");
  EXPECT_EQ(apply("LEFT", {text("hello"), integer(-2)}), "");
  EXPECT_EQ(apply("RIGHT", {text("hellö"), integer(2)}), "lö");
  EXPECT_EQ(apply("RIGHT", {text("ab"), integer(5)}), "ab");
}

TEST(StringFunctions, Trimming) {
  EXPECT_EQ(apply("TRIM", {text("  a b ")}), "a b");
  EXPECT_EQ(apply("LTRIM", {text("  a ")}), "a ");
  EXPECT_EQ(apply("RTRIM", {text("  a ")}), "  a");
  EXPECT_EQ(apply("TRIM", {text("xyaxy"), text("yx")}), "a");
  EXPECT_EQ(apply("BTRIM", {text("ééaé"), text("é")}), "a");
  EXPECT_EQ(apply("TRIM", {text("xx"), text("x")}), "");
}

TEST(StringFunctions, Measures) {
  EXPECT_EQ(apply("CHAR_LENGTH", {text("héllo")}), "5");
  EXPECT_EQ(apply("CHARACTER_LENGTH", {text("日本")}), "2");
  EXPECT_EQ(apply("OCTET_LENGTH", {text("日本")}), "6");
  EXPECT_EQ(apply("ASCII", {text("A")}), "65");
  EXPECT_EQ(apply("ASCII", {text("")}), "0");
  EXPECT_EQ(apply("CHR", {integer(97)}), "a");
  EXPECT_EQ(apply("CHR", {integer(353)}), "a");
}

TEST(StringFunctions, Search) {
  EXPECT_EQ(apply("POSITION", {text("lo"), text("héllo")}), "4");
  EXPECT_EQ(apply("POSITION", {text("x"), text("hello")}), "0");
  EXPECT_EQ(apply("LOCATE", {text("l"), text("hello"), integer(4)}), "4");
  EXPECT_EQ(apply("INSTR", {text("hello"), text("l")}), "3");
  EXPECT_EQ(apply("SPLIT_INDEX", {text("a,b,,d"), text(","), integer(1)}), "b");
  EXPECT_EQ(apply("SPLIT_INDEX", {text("a,b,,d"), text(","), integer(2)}), "");
  EXPECT_EQ(apply("SPLIT_INDEX", {text("a,b,,d"), text(","), integer(4)}), "NULL");
  EXPECT_EQ(apply("SPLIT_INDEX", {text("a"), text(","), integer(-1)}), "NULL");
  EXPECT_EQ(apply("STARTSWITH", {text("hello"), text("he")}), "TRUE");
  EXPECT_EQ(apply("ENDSWITH", {text("hello"), text("he")}), "FALSE");
}

TEST(StringFunctions, Building) {
  EXPECT_EQ(apply("REPLACE", {text("aXbXc"), text("X"), text("--")}), "a--b--c");
  EXPECT_EQ(apply("REPLACE", {text("abc"), text(""), text("x")}), "abc");
  EXPECT_EQ(apply("OVERLAY", {text("xxxxxtest"), text("xxxx"), integer(6)}), "xxxxxxxxx");
  EXPECT_EQ(apply("OVERLAY", {text("xxxxxtest"), text("xxxx"), integer(6), integer(2)}),
            "xxxxxxxxxst");
  EXPECT_EQ(apply("LPAD", {text("hi"), integer(5), text("?!")}), "?!?hi");
  EXPECT_EQ(apply("LPAD", {text("hello"), integer(2), text("?")}), "he");
  EXPECT_EQ(apply("RPAD", {text("hé"), integer(4), text("é")}), "hééé");
  EXPECT_EQ(apply("RPAD", {text("hi"), integer(-1), text("x")}), "NULL");
  EXPECT_EQ(apply("RPAD", {text("hi"), integer(5), text("")}), "NULL");
  EXPECT_EQ(apply("REPEAT", {text("ab"), integer(3)}), "ababab");
  EXPECT_EQ(apply("REPEAT", {text("ab"), integer(-3)}), "");
  EXPECT_EQ(apply("REPEAT", {text("abcdefgh"), big(1LL << 62)}),
            "error: result too long in REPEAT('abcdefgh', 4611686018427387904)");
  EXPECT_EQ(apply("REVERSE", {text("hé日")}), "日éh");
}

TEST(StringFunctions, Tests) {
  EXPECT_EQ(apply("IS_ALPHA", {text("abcÄ")}), "TRUE");
  EXPECT_EQ(apply("IS_ALPHA", {text("ab1")}), "FALSE");
  EXPECT_EQ(apply("IS_DIGIT", {text("0123")}), "TRUE");
  EXPECT_EQ(apply("IS_DIGIT", {text("")}), "FALSE");
  EXPECT_EQ(apply("IS_DECIMAL", {text("-1.5e3")}), "TRUE");
  EXPECT_EQ(apply("IS_DECIMAL", {text("1x")}), "FALSE");
}

std::string like(std::string value, std::string pattern) {
  return apply("LIKE", {text(std::move(value)), text(std::move(pattern))});
}

TEST(PatternFunctions, Like) {
  EXPECT_EQ(like("abc", "abc"), "TRUE");
  EXPECT_EQ(like("abc", "a%"), "TRUE");
  EXPECT_EQ(like("abc", "%c"), "TRUE");
  EXPECT_EQ(like("abc", "%b%"), "TRUE");
  EXPECT_EQ(like("abc", "b%"), "FALSE");
  EXPECT_EQ(like("abc", "a_c"), "TRUE");
  EXPECT_EQ(like("aéc", "a_c"), "TRUE");
  EXPECT_EQ(like("ac", "a_c"), "FALSE");
  EXPECT_EQ(like("", "%"), "TRUE");
  EXPECT_EQ(like("", ""), "TRUE");
  EXPECT_EQ(like("a", ""), "FALSE");
  EXPECT_EQ(like("aXbXc", "a%b%c"), "TRUE");
  EXPECT_EQ(like("ab", "a%ab"), "FALSE") << "the pieces may not overlap";
  EXPECT_EQ(like("abab", "%ab"), "TRUE");
  EXPECT_EQ(like("abcabd", "%ab_"), "TRUE");
  EXPECT_EQ(like("xaybzc", "%a_b%c"), "TRUE");
  EXPECT_EQ(like("a\nb", "a%b"), "TRUE");
  EXPECT_EQ(like("abc", "%%c%%"), "TRUE");
}

TEST(PatternFunctions, LikeEscape) {
  EXPECT_EQ(apply("LIKE", {text("50%"), text("50!%"), text("!")}), "TRUE");
  EXPECT_EQ(apply("LIKE", {text("50x"), text("50!%"), text("!")}), "FALSE");
  EXPECT_EQ(apply("LIKE", {text("a_b"), text("a#_b"), text("#")}), "TRUE");
  EXPECT_EQ(apply("LIKE", {text("!"), text("!!"), text("!")}), "TRUE");
  const auto bad = make_evaluator(call("LIKE", {lit(text("a")), lit(text("!a")), lit(text("!"))}));
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().message.find("escape"), std::string::npos);
}

// The same language by the textbook's recursion.
bool slow_like(std::string_view value, std::string_view pattern) {
  if (pattern.empty()) return value.empty();
  if (pattern[0] == '%')
    return slow_like(value, pattern.substr(1)) ||
           (!value.empty() && slow_like(value.substr(1), pattern));
  return !value.empty() && (pattern[0] == '_' || pattern[0] == value[0]) &&
         slow_like(value.substr(1), pattern.substr(1));
}

TEST(PatternFunctions, LikeAgreesWithTheTextbook) {
  std::uint64_t seed = 1;
  const auto next = [&seed](std::uint64_t bound) {
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (seed >> 33) % bound;
  };
  for (int i = 0; i < 5'000; ++i) {
    std::string value;
    std::string pattern;
    for (std::uint64_t k = next(7); k > 0; --k) value += "ab"[next(2)];
    for (std::uint64_t k = next(6); k > 0; --k) pattern += "ab%_"[next(4)];
    const std::string expected = slow_like(value, pattern) ? "TRUE" : "FALSE";
    ASSERT_EQ(constant(call("LIKE", {lit(text(value)), lit(text(pattern))})), expected)
        << value << " LIKE " << pattern;
  }
}

TEST(PatternFunctions, RegularExpressions) {
  EXPECT_EQ(apply("REGEXP", {text("foobar"), text("o+b")}), "TRUE");
  EXPECT_EQ(apply("REGEXP", {text("foobar"), text("^b")}), "FALSE");
  EXPECT_EQ(apply("REGEXP_REPLACE", {text("foobar"), text("oo|ar"), text("")}), "fb");
  EXPECT_EQ(apply("REGEXP_REPLACE", {text("a-b"), text("(\\w)-(\\w)"), text("$2\\$$1")}), "b$a");
  EXPECT_EQ(apply("REGEXP_REPLACE", {text("a"), text("a"), text("$3")}).substr(0, 6), "error:");
  EXPECT_EQ(apply("REGEXP_EXTRACT", {text("foothebar"), text("foo(.*?)(bar)"), integer(2)}), "bar");
  EXPECT_EQ(apply("REGEXP_EXTRACT", {text("foothebar"), text("th.")}), "the");
  EXPECT_EQ(apply("REGEXP_EXTRACT", {text("foo"), text("x"), integer(0)}), "NULL");
  EXPECT_EQ(apply("REGEXP_EXTRACT", {text("foo"), text("f(x)?"), integer(1)}), "NULL");
  EXPECT_EQ(apply("REGEXP_EXTRACT", {text("foo"), text("f"), integer(7)}), "NULL");
  EXPECT_EQ(apply("SIMILAR TO", {text("abc.d"), text("(a|b)%.[c-e]")}), "TRUE");
  EXPECT_EQ(apply("SIMILAR TO", {text("abcxd"), text("(a|b)%.[c-e]")}), "FALSE");
}

TEST(PatternFunctions, APatternInAColumnThatIsNoneIsAnErrorOfItsRow) {
  const auto batch = batch_of({{text("("), text("a"), text("(")}});
  EvaluationContext context;
  const auto rows = rows_of(call("REGEXP", {lit(text("abc")), col(batch, 0)}), batch, context);
  EXPECT_EQ(rows, (std::vector<std::string>{"NULL", "TRUE", "NULL"}));
  EXPECT_EQ(context.errors.size(), 2u);
}

TEST(EncodingFunctions, KnownVectors) {
  EXPECT_EQ(apply("HEX", {text("hello")}), "68656C6C6F");
  EXPECT_EQ(apply("HEX", {integer(255)}), "FF");
  EXPECT_EQ(apply("HEX", {integer(0)}), "0");
  EXPECT_EQ(apply("HEX", {big(-1)}), "FFFFFFFFFFFFFFFF");
  EXPECT_EQ(apply("TO_BASE64", {text("hello")}), "aGVsbG8=");
  EXPECT_EQ(apply("TO_BASE64", {text("hell")}), "aGVsbA==");
  EXPECT_EQ(apply("TO_BASE64", {text("hel")}), "aGVs");
  EXPECT_EQ(apply("FROM_BASE64", {text("aGVsbG8=")}), "hello");
  EXPECT_EQ(apply("FROM_BASE64", {text("aGVsbG8")}), "hello");
  EXPECT_EQ(apply("FROM_BASE64", {text("a!")}), "NULL");
  EXPECT_EQ(apply("MD5", {text("hello")}), "5d41402abc4b2a76b9719d911017c592");
  EXPECT_EQ(apply("SHA1", {text("")}), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(apply("SHA256", {text("abc")}),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Utf8, ValidatesAndCounts) {
  EXPECT_TRUE(is_utf8("aé日😀"));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_FALSE(is_utf8("\xc3"));
  EXPECT_FALSE(is_utf8("\xc0\x80")) << "an overlong form";
  EXPECT_FALSE(is_utf8("\xed\xa0\x80")) << "a surrogate";
  EXPECT_EQ(utf8_length("aé日😀"), 4u);
  std::string round_trip;
  const std::string_view all = "aé日😀";
  for (std::size_t at = 0; at < all.size();)
    append_code_point(round_trip, next_code_point(all, at));
  EXPECT_EQ(round_trip, all);
}

TEST(NumberText, PrintsAsJava) {
  const auto print = [](double value) {
    std::string out;
    append_real(out, value);
    return out;
  };
  EXPECT_EQ(print(0), "0.0");
  EXPECT_EQ(print(-0.0), "-0.0");
  EXPECT_EQ(print(1), "1.0");
  EXPECT_EQ(print(-12.5), "-12.5");
  EXPECT_EQ(print(0.001), "0.001");
  EXPECT_EQ(print(0.00012), "1.2E-4");
  EXPECT_EQ(print(9999999), "9999999.0");
  EXPECT_EQ(print(1e7), "1.0E7");
  EXPECT_EQ(print(1.2345678e10), "1.2345678E10");
  EXPECT_EQ(print(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(print(1e300), "1.0E300");
  EXPECT_EQ(print(std::numeric_limits<double>::infinity()), "Infinity");
  EXPECT_EQ(print(std::numeric_limits<double>::quiet_NaN()), "NaN");
  std::string narrow;
  append_real(narrow, 0.1f);
  EXPECT_EQ(narrow, "0.1");
}

TEST(NumberText, Reads) {
  EXPECT_EQ(parse_integer("12"), 12);
  EXPECT_EQ(parse_integer("+12"), 12);
  EXPECT_EQ(parse_integer("-12.9"), -12);
  EXPECT_EQ(parse_integer("12."), 12);
  for (const char* text : {"", "+", "+-1", "12x", "12.x", "9223372036854775808", "1e3", ".5"})
    EXPECT_EQ(parse_integer(text), std::nullopt) << text;
  EXPECT_EQ(parse_real("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_real("1e-400"), 0.0);
  EXPECT_EQ(parse_real("+1.5"), 1.5);
  EXPECT_EQ(parse_real("1.5x"), std::nullopt);
  EXPECT_EQ(parse_real(""), std::nullopt);
  EXPECT_EQ(parse_boolean("YES"), true);
  EXPECT_EQ(parse_boolean("0"), false);
  EXPECT_EQ(parse_boolean("2"), std::nullopt);
}

}  // namespace
}  // namespace tidemark::test
