// SPDX-License-Identifier: Apache-2.0
// What happens to rows that come too late. A window fires when the watermark reaches its end; with
// allowed_lateness it stays for a while and fires again with a corrected result; after that a row
// is late, and late_rows() keeps it instead of dropping it. Teaches lateness and side outputs.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tidemark/api/environment.h"

using namespace std::chrono_literals;
using namespace tidemark;

struct Payment {
  std::string account;
  std::int64_t cents = 0;
  std::int64_t at = 0;  // milliseconds
};
BOOST_DESCRIBE_STRUCT(Payment, (), (account, cents, at))

using Total = WindowResult<std::string, std::int64_t>;

int main() {
  const std::vector<Payment> payments = {
      {"ann", 500, 1'000},  {"ann", 250, 8'000},
      {"ann", 100, 13'000},  // the watermark passes 10 s: [0 s, 10 s) fires with 750
      {"ann", 40, 9'000},    // within the allowed 5 s: it fires again with 790
      {"ann", 300, 19'000},  // the watermark passes 15 s: [0 s, 10 s) is gone
      {"ann", 7, 2'000},     // late
  };

  // On event: the watermark rises after each row, as the comments above say. By default it rises
  // after each batch, which costs less.
  WatermarkStrategy strategy = bounded_out_of_orderness(2s);
  strategy.emission = WatermarkEmission::kPerEvent;

  Environment env("late-side-output");
  Collected<Total> totals;
  Collected<Payment> late;
  const auto windows = env.source(from_values(payments), &Payment::at, strategy)
                           .key_by(&Payment::account)
                           .window(tumbling(10s))
                           .allowed_lateness(5s)
                           .sum(&Payment::cents);
  windows.sink_to(totals);
  windows.late_rows().sink_to(late);

  const auto report = env.run();
  if (!report.ok()) {
    fmt::print(stderr, "{}\n", report.error().message);
    return 1;
  }
  for (const auto& [account, window, cents] : totals.rows())
    fmt::print("{} [{} s, {} s): {} cents\n", account, window.start / 1000, window.end / 1000,
               cents);
  for (const Payment& payment : late.rows())
    fmt::print("late: {} cents of {} at {} s\n", payment.cents, payment.account, payment.at / 1000);
  fmt::print("{} late of {} rows\n", report->late_rows, report->rows_read);
  return 0;
}
