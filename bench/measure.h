// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tidemark::bench {

/// Whose processor time counts: that of the calling thread, or of every thread of the program (for
/// a contender that brings its own).
enum class CpuTime : std::uint8_t { kThread, kProcess };

std::int64_t cpu_time_ns(CpuTime whose);

/// One way of doing a race's work.
struct Contender {
  std::string name;
  /// Does the work of a round and returns a checksum of its result. Only this is timed.
  std::function<std::uint64_t()> run;
  CpuTime clock = CpuTime::kThread;
};

std::uint64_t run_timed(const Contender& contender);

/// "`contender` reaches at least `ratio` of the speed of `other`."
struct Goal {
  std::string contender;
  std::string other;
  double ratio;
};

/// The same work done by several contenders in one process, interleaved round by round, so that
/// whatever else the machine does meets all of them alike. Their checksums must agree.
struct Race {
  std::string name;
  std::size_t rows = 0;           // of one round
  std::size_t bytes = 0;          // of one round's input, where MB/s says something; otherwise 0
  std::function<void()> prepare;  // before each round, not timed
  std::vector<Contender> contenders;
  std::vector<Goal> goals;
};

/// One benchmark program: its options, its races and single figures, and where they are reported.
///
///   --quick         tiny inputs, one round: shows that everything runs and the results agree
///   --filter TEXT   only the races whose names contain TEXT; =TEXT: the one of that name
///   --rounds N      rounds after the first, which warms up (default 7)
///   --only NAME     only the contenders whose names contain NAME (for a profiler)
///   --json FILE     appends a JSON object a line
class Bench {
 public:
  Bench(std::string name, int argc, char** argv);

  bool quick() const noexcept { return quick_; }
  /// `full`, or `tiny` with --quick.
  std::size_t size(std::size_t full, std::size_t tiny) const noexcept {
    return quick_ ? tiny : full;
  }
  /// Whether the filter lets a race of this name run. Ask before making its input.
  bool wants(std::string_view race) const;

  void run(const Race& race);
  /// A figure that is no race.
  void report(const std::string& race, const std::string& metric, double value,
              const std::string& unit);

  /// The exit code: 1 when checksums did not agree.
  int finish();

 private:
  struct Outcome;
  void print(const Race& race, const std::vector<Outcome>& outcomes);
  void append_json(const std::string& line);

  std::string name_;
  bool quick_ = false;
  std::size_t rounds_ = 7;
  std::string filter_;
  std::string only_;
  std::string json_path_;
  bool failed_ = false;
};

/// Mixes what a contender emits into its checksum, whatever the order.
inline std::uint64_t mix(std::uint64_t x) noexcept {
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  return x ^ (x >> 32);
}

}  // namespace tidemark::bench
