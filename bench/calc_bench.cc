// SPDX-License-Identifier: Apache-2.0
//
// SELECT a, b * 2 + d, c FROM rows WHERE b > 500 AND d < 900, on one core: the calc operator with
// its expressions (which check every addition and multiplication for overflow) beside a loop by
// hand.
#include "bench/measure.h"
#include "tidemark/base/random.h"
#include "tidemark/operator/calc.h"
#include "tidemark/operator/metrics.h"

namespace tidemark::bench {
namespace {

constexpr std::int64_t kLeastB = 500;
constexpr std::int64_t kMostD = 900;

DataType number() {
  return DataType::big_int().with_nullable(false);
}

SchemaPtr input_schema() {
  return make_schema({{"a", number()},
                      {"b", number()},
                      {"c", DataType::float64().with_nullable(false)},
                      {"d", number()}});
}

std::vector<BatchPtr> make_rows(std::size_t rows) {
  Random random(3);
  std::vector<BatchPtr> batches;
  const SchemaPtr schema = input_schema();
  for (std::size_t row = 0; row < rows; row += kDefaultBatchRows) {
    const std::size_t count = std::min(kDefaultBatchRows, rows - row);
    ColumnBuilder a(number()), b(number()), c(schema->fields[2].type), d(number());
    for (std::size_t i = 0; i < count; ++i) {
      a.append(static_cast<std::int64_t>(random.below(1'000'000)));
      b.append(static_cast<std::int64_t>(random.below(1'000)));
      c.append(random.unit());
      d.append(static_cast<std::int64_t>(random.below(1'000)));
    }
    batches.push_back(std::make_shared<const Batch>(
        schema, count, std::vector{a.finish(), b.finish(), c.finish(), d.finish()}));
  }
  return batches;
}

class Checksum {
 public:
  void add(const std::int64_t* a, const std::int64_t* e, const double* c, std::size_t rows) {
    std::uint64_t sum = rows;
    double reals = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      sum += static_cast<std::uint64_t>(a[row] + 3 * e[row]);
      reals += c[row];
    }
    sum_ += sum + static_cast<std::uint64_t>(reals * 1e6);
  }
  std::uint64_t take() { return std::exchange(sum_, 0); }

 private:
  std::uint64_t sum_ = 0;
};

// Selects, then gathers and computes the selected rows, a batch at a time.
std::uint64_t run_by_hand(const std::vector<BatchPtr>& batches) {
  Checksum checksum;
  std::vector<RowIndex> rows(kDefaultBatchRows);
  std::vector<std::int64_t> a_out(kDefaultBatchRows), e_out(kDefaultBatchRows);
  std::vector<double> c_out(kDefaultBatchRows);
  for (const BatchPtr& batch : batches) {
    const auto* a = batch->column(0).values<std::int64_t>();
    const auto* b = batch->column(1).values<std::int64_t>();
    const auto* c = batch->column(2).values<double>();
    const auto* d = batch->column(3).values<std::int64_t>();
    std::size_t count = 0;
    for (std::size_t row = 0; row < batch->rows(); ++row) {
      rows[count] = static_cast<RowIndex>(row);
      count += b[row] > kLeastB && d[row] < kMostD;
    }
    for (std::size_t i = 0; i < count; ++i) {
      a_out[i] = a[rows[i]];
      e_out[i] = b[rows[i]] * 2 + d[rows[i]];
      c_out[i] = c[rows[i]];
    }
    checksum.add(a_out.data(), e_out.data(), c_out.data(), count);
  }
  return checksum.take();
}

ExpressionPtr literal(std::int64_t value) {
  return literal_expression(Value::of_integer(number(), value));
}
ExpressionPtr call(std::string_view name, ExpressionPtr left, ExpressionPtr right) {
  return call_expression(name, {std::move(left), std::move(right)}).or_throw();
}

std::unique_ptr<Operator> make_calc() {
  const ExpressionPtr a = column_expression(0, number());
  const ExpressionPtr b = column_expression(1, number());
  const ExpressionPtr c = column_expression(2, DataType::float64().with_nullable(false));
  const ExpressionPtr d = column_expression(3, number());
  CalcDescription description;
  description.input = input_schema();
  description.filter =
      and_expression({call(">", b, literal(kLeastB)), call("<", d, literal(kMostD))}).or_throw();
  description.projection = {a, call("+", call("*", b, literal(2)), d), c};
  description.output = make_schema({{"a", description.projection[0]->type},
                                    {"e", description.projection[1]->type},
                                    {"c", description.projection[2]->type}});
  return make_calc_operator(std::move(description)).or_throw();
}

class CalcEngine final : private Output {
 public:
  CalcEngine() : operator_(make_calc()) {
    context_.uid = "calc";
    context_.clock = &clock_;
    context_.metrics = &metrics_;
    operator_->open(context_);
  }

  std::uint64_t run(const std::vector<BatchPtr>& batches) {
    for (const BatchPtr& batch : batches) {
      Step step = operator_->process(batch, 0, *this);
      while (step == Step::kMore) step = operator_->resume(*this);
    }
    return checksum_.take();
  }

 private:
  void emit(BatchPtr batch) override {
    checksum_.add(batch->column(0).values<std::int64_t>(), batch->column(1).values<std::int64_t>(),
                  batch->column(2).values<double>(), batch->rows());
  }
  void emit_side(OutputIndex, BatchPtr) override {}
  void emit_watermark(EventTime) override {}
  bool ready() const override { return true; }

  ManualClock clock_;
  OperatorMetrics metrics_;
  OperatorContext context_;
  Checksum checksum_;
  std::unique_ptr<Operator> operator_;
};

int run(int argc, char** argv) {
  Bench bench("calc", argc, argv);
  const std::string name = "WHERE and projection, 44 % of the rows pass";
  if (!bench.wants(name)) return 0;
  const std::vector<BatchPtr> batches = make_rows(bench.size(4'000'000, 20'000));
  std::size_t rows = 0;
  for (const BatchPtr& batch : batches) rows += batch->rows();
  CalcEngine engine;
  bench.run({.name = name,
             .rows = rows,
             .contenders = {{"hand loop", [&] { return run_by_hand(batches); }},
                            {"engine", [&] { return engine.run(batches); }}}});
  return bench.finish();
}

}  // namespace
}  // namespace tidemark::bench

int main(int argc, char** argv) {
  return tidemark::bench::run(argc, argv);
}
