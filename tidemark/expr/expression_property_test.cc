// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "tidemark/base/random.h"
#include "tidemark/expr/expr_test_support.h"

// Random trees over random rows, evaluated in batches of 1, 7 and 1000 rows, against an interpreter
// of one row at a time that shares nothing with the evaluator.

namespace tidemark::test {
namespace {

constexpr std::size_t kNumbers = 3;  // columns 0..2 are INT, 3 and 4 BOOLEAN
constexpr std::size_t kRows = 1000;

// NULL, a value, or an error (which absorbs whatever is made of it).
struct Cell {
  bool error = false;
  std::optional<std::int64_t> value;

  static Cell of(std::int64_t v) { return {.value = v}; }
  static Cell null() { return {}; }
  static Cell failed() { return {.error = true}; }
};

using OneRow = std::vector<std::optional<std::int64_t>>;

Cell int_cell(__int128 value) {
  if (value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max())
    return Cell::failed();
  return Cell::of(static_cast<std::int64_t>(value));
}

class Oracle {
 public:
  explicit Oracle(const OneRow& row) : row_(row) {}

  Cell run(const Expression& e) {
    switch (e.kind) {
      case Expression::Kind::kColumn: return Cell{.value = row_[e.column]};
      case Expression::Kind::kLiteral:
        if (e.literal.is_null) return Cell::null();
        return Cell::of(static_cast<std::int64_t>(e.literal.integer));
      case Expression::Kind::kCase: return run_case(e);
      case Expression::Kind::kAnd: return connective(e, 0);
      case Expression::Kind::kOr: return connective(e, 1);
      case Expression::Kind::kCoalesce: return coalesce(e);
      default: return run_call(e);
    }
  }

 private:
  Cell run_case(const Expression& e) {
    for (std::size_t i = 0; i + 1 < e.arguments.size(); i += 2) {
      const Cell condition = run(*e.arguments[i]);
      if (condition.error) return condition;
      if (condition.value == 1) return run(*e.arguments[i + 1]);
    }
    return run(*e.arguments.back());
  }

  Cell connective(const Expression& e, std::int64_t decisive) {
    bool null = false;
    bool error = false;
    for (const ExpressionPtr& argument : e.arguments) {
      const Cell cell = run(*argument);
      error = error || cell.error;
      if (cell.value == decisive) return error ? Cell::failed() : cell;
      null = null || !cell.value;
    }
    if (error) return Cell::failed();
    return null ? Cell::null() : Cell::of(1 - decisive);
  }

  Cell coalesce(const Expression& e) {
    bool error = false;
    for (const ExpressionPtr& argument : e.arguments) {
      const Cell cell = run(*argument);
      error = error || cell.error;
      if (cell.value) return error ? Cell::failed() : cell;
    }
    return error ? Cell::failed() : Cell::null();
  }

  Cell run_call(const Expression& e) {
    std::vector<Cell> cells;
    for (const ExpressionPtr& argument : e.arguments) cells.push_back(run(*argument));
    for (const Cell& cell : cells)
      if (cell.error) return cell;
    const std::string& f = e.function;
    if (f == "IS NULL") return Cell::of(cells[0].value ? 0 : 1);
    if (f == "IS TRUE") return Cell::of(cells[0].value == 1 ? 1 : 0);
    if (f == "IN") return in(cells);
    for (const Cell& cell : cells)
      if (!cell.value) return Cell::null();
    const std::int64_t a = *cells[0].value;
    if (f == "NOT") return Cell::of(1 - a);
    if (f == "ABS") return int_cell(a < 0 ? -a : a);
    if (cells.size() == 1) return int_cell(-__int128{a});
    const std::int64_t b = *cells[1].value;
    if (f == "+") return int_cell(__int128{a} + b);
    if (f == "-") return int_cell(__int128{a} - b);
    if (f == "*") return int_cell(__int128{a} * b);
    if (f == "/") return b == 0 ? Cell::failed() : int_cell(a / b);
    if (f == "%") return b == 0 ? Cell::failed() : int_cell(a % b);
    if (f == "=") return Cell::of(a == b);
    if (f == "<>") return Cell::of(a != b);
    if (f == "<") return Cell::of(a < b);
    if (f == "GREATEST") return Cell::of(std::max(a, b));
    ADD_FAILURE() << "the oracle does not know " << f;
    return Cell::null();
  }

  static Cell in(const std::vector<Cell>& cells) {
    if (!cells[0].value) return Cell::null();
    bool null = false;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (cells[i].value == cells[0].value) return Cell::of(1);
      null = null || !cells[i].value;
    }
    return null ? Cell::null() : Cell::of(0);
  }

  const OneRow& row_;
};

class TreeMaker {
 public:
  explicit TreeMaker(std::uint64_t seed) : random_(seed) {}

  ExpressionPtr number(int depth) {
    if (depth == 0) return number_leaf();
    const auto sub = [&] { return number(depth - 1); };
    switch (random_.below(10)) {
      case 0: return call("+", {sub(), sub()});
      case 1: return call("-", {sub(), sub()});
      case 2: return call("*", {sub(), sub()});
      case 3: return call("/", {sub(), sub()});
      case 4: return call("%", {sub(), sub()});
      case 5: return call(random_.one_in(2) ? "ABS" : "-", {sub()});
      case 6: return call("COALESCE", {sub(), sub(), sub()});
      case 7: return call("GREATEST", {sub(), sub()});
      case 8: return call("IF", {truth(depth - 1), sub(), sub()});
      default: return *case_expression({truth(depth - 1), sub(), truth(depth - 1), sub(), sub()});
    }
  }

  ExpressionPtr truth(int depth) {
    if (depth == 0) return column_expression(kNumbers + random_.below(2), DataType::boolean());
    const auto sub = [&] { return truth(depth - 1); };
    switch (random_.below(8)) {
      case 0: return *and_expression({sub(), sub(), sub()});
      case 1: return *or_expression({sub(), sub(), sub()});
      case 2: return call("NOT", {sub()});
      case 3: return call("IS NULL", {number(depth - 1)});
      case 4: return call("IS TRUE", {sub()});
      case 5: return call("=", {number(depth - 1), number(depth - 1)});
      case 6: return call("<", {number(depth - 1), number(depth - 1)});
      default:
        return call("IN", {number(depth - 1), lit(integer(0)), lit(integer(1)),
                           lit(random_.one_in(3) ? null(DataType::integer()) : integer(7))});
    }
  }

 private:
  ExpressionPtr number_leaf() {
    if (random_.one_in(4)) {
      constexpr std::int64_t kOdd[] = {0, 1, -1, 7, 2147483647, -2147483648LL};
      return lit(random_.one_in(9) ? null(DataType::integer()) : integer(kOdd[random_.below(6)]));
    }
    return column_expression(random_.below(kNumbers), DataType::integer());
  }
  Random random_;
};

std::vector<OneRow> random_rows(std::uint64_t seed) {
  Random random(seed);
  std::vector<OneRow> rows(kRows);
  for (OneRow& row : rows) {
    for (std::size_t i = 0; i < kNumbers; ++i) {
      const auto small = static_cast<std::int64_t>(random.below(11)) - 5;
      const auto wide = static_cast<std::int64_t>(static_cast<std::int32_t>(random.next()));
      row.push_back(random.one_in(5) ? std::nullopt
                                     : std::optional(random.one_in(6) ? wide : small));
    }
    for (int i = 0; i < 2; ++i)
      row.push_back(random.one_in(4) ? std::nullopt
                                     : std::optional<std::int64_t>(random.one_in(2) ? 1 : 0));
  }
  return rows;
}

BatchPtr to_batch(const std::vector<OneRow>& rows) {
  std::vector<std::vector<Value>> columns(kNumbers + 2);
  for (const OneRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const DataType type = i < kNumbers ? DataType::integer() : DataType::boolean();
      columns[i].push_back(row[i] ? Value::of_integer(type, *row[i]) : Value::null(type));
    }
  }
  return batch_of(columns);
}

void check_batch(Evaluator& evaluator, const Expression& tree, const BatchPtr& batch,
                 std::span<const Cell> cells) {
  EvaluationContext context;
  const ColumnPtr column = evaluator.evaluate(*batch, context);
  std::map<RowIndex, std::string> errors;
  for (const RowError& error : context.errors) errors[error.row] = error.message;
  ASSERT_EQ(errors.size(), context.errors.size()) << "at most one error a row";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& expected = cells[i];
    const bool failed = errors.count(static_cast<RowIndex>(i)) > 0;
    const Value value = value_at(*column, i);
    const std::optional<std::int64_t> got =
        value.is_null ? std::nullopt : std::optional(static_cast<std::int64_t>(value.integer));
    if (failed == expected.error && got == (failed ? std::nullopt : expected.value)) continue;
    FAIL() << to_string(tree, batch->schema()) << ", row " << i << ": got " << to_string(value)
           << (failed ? " (error)" : "");
  }
}

void check_tree(const ExpressionPtr& tree, const std::vector<OneRow>& rows, const BatchPtr& whole) {
  std::vector<Cell> cells;
  for (const OneRow& row : rows) cells.push_back(Oracle(row).run(*tree));
  auto made = make_evaluator(tree);
  if (!made.ok()) {
    // Refused for a constant part that every row evaluates: so every row must fail.
    for (const Cell& cell : cells) ASSERT_TRUE(cell.error);
    return;
  }
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, kRows}) {
    const std::size_t limit = size == 1 ? 40 : size == 7 ? 280 : kRows;
    for (std::size_t begin = 0; begin < limit; begin += size) {
      const std::size_t count = std::min(size, kRows - begin);
      const BatchPtr part = slice(whole, begin, count);
      check_batch(**made, *tree, part, {cells.data() + begin, count});
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(ExpressionProperty, VectorsAgreeWithTheRowByRowOracle) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE("seed=" + std::to_string(seed));
    const std::vector<OneRow> rows = random_rows(seed / 10);
    const BatchPtr whole = to_batch(rows);
    TreeMaker maker(seed);
    check_tree(maker.number(3), rows, whole);
    check_tree(maker.truth(3), rows, whole);
    if (HasFatalFailure()) return;
  }
}

TEST(ExpressionProperty, SelectIsTheRowsWhereTheValueIsTrue) {
  for (std::uint64_t seed = 500; seed < 520; ++seed) {
    const std::vector<OneRow> rows = random_rows(seed);
    const BatchPtr whole = to_batch(rows);
    const ExpressionPtr tree = TreeMaker(seed).truth(3);
    auto made = make_evaluator(tree);
    if (!made.ok()) continue;
    EvaluationContext context;
    std::vector<RowIndex> selected;
    (*made)->select(*whole, context, selected);
    std::vector<RowIndex> expected;
    for (std::size_t i = 0; i < kRows; ++i) {
      const Cell cell = Oracle(rows[i]).run(*tree);
      if (!cell.error && cell.value == 1) expected.push_back(static_cast<RowIndex>(i));
    }
    ASSERT_EQ(selected, expected) << "seed=" << seed;
  }
}

}  // namespace
}  // namespace tidemark::test
