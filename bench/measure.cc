// SPDX-License-Identifier: Apache-2.0
#include "bench/measure.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tidemark::bench {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

[[noreturn]] void usage(const std::string& name) {
  fmt::print(stderr,
             "usage: {} [--quick] [--filter TEXT] [--only NAME] [--rounds N] [--json FILE]\n",
             name);
  std::exit(2);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::int64_t cpu_time_ns(CpuTime whose) {
  timespec time{};
  clock_gettime(whose == CpuTime::kThread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID,
                &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Apart, so that a profiler can count this and nothing else (tools/bench_instructions.sh).
__attribute__((noinline)) std::uint64_t run_timed(const Contender& contender) {
  return contender.run();
}

struct Bench::Outcome {
  const Contender* contender;
  std::int64_t first_ns = 0;
  std::vector<std::int64_t> ns;
  std::uint64_t checksum = 0;

  double median_ns() const { return median({ns.begin(), ns.end()}); }
  /// How many times faster than `other`: the median of the rounds' own ratios.
  double speed_relative_to(const Outcome& other) const {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < ns.size(); ++i)
      ratios.push_back(static_cast<double>(other.ns[i]) / static_cast<double>(ns[i]));
    return median(ratios);
  }
};

Bench::Bench(std::string name, int argc, char** argv) : name_(std::move(name)) {
  const auto value = [&](int& i) -> std::string {
    if (++i == argc) usage(name_);
    return argv[i];
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--quick")
      quick_ = true;
    else if (option == "--filter")
      filter_ = value(i);
    else if (option == "--only")
      only_ = value(i);
    else if (option == "--rounds")
      rounds_ = std::strtoul(value(i).c_str(), nullptr, 10);
    else if (option == "--json")
      json_path_ = value(i);
    else
      usage(name_);
  }
  if (quick_) rounds_ = 1;
  if (rounds_ == 0) usage(name_);
}

bool Bench::wants(std::string_view race) const {
  if (filter_.starts_with('=')) return race == std::string_view(filter_).substr(1);
  return race.find(filter_) != std::string_view::npos;
}

void Bench::run(const Race& race) {
  std::vector<Outcome> outcomes;
  for (const Contender& contender : race.contenders) {
    if (contender.name.find(only_) != std::string::npos) outcomes.push_back({&contender, 0, {}, 0});
  }
  for (std::size_t round = 0; round <= rounds_; ++round) {
    if (race.prepare) race.prepare();
    for (std::size_t turn = 0; turn < outcomes.size(); ++turn) {
      Outcome& outcome = outcomes[(round + turn) % outcomes.size()];
      const std::int64_t begin = cpu_time_ns(outcome.contender->clock);
      outcome.checksum = run_timed(*outcome.contender);
      const std::int64_t ns = cpu_time_ns(outcome.contender->clock) - begin;
      if (round == 0)
        outcome.first_ns = ns;
      else
        outcome.ns.push_back(std::max<std::int64_t>(ns, 1));
    }
    for (const Outcome& outcome : outcomes) {
      if (outcome.checksum == outcomes.front().checksum) continue;
      fmt::print("{}: {}: round {}: {} and {} do not agree\n", name_, race.name, round,
                 outcomes.front().contender->name, outcome.contender->name);
      failed_ = true;
    }
  }
  print(race, outcomes);
}

void Bench::print(const Race& race, const std::vector<Outcome>& outcomes) {
  fmt::print("\n{}: {}\n", name_, race.name);
  for (const Outcome& outcome : outcomes) {
    const double seconds = outcome.median_ns() / 1e9;
    const double rows = static_cast<double>(race.rows) / seconds;
    std::string line =
        fmt::format("  {:<34} {:8.2f} M rows/s {:7.1f} ns/row", outcome.contender->name, rows / 1e6,
                    outcome.median_ns() / static_cast<double>(race.rows));
    std::string json = fmt::format(
        "{{\"bench\": {}, \"race\": {}, \"contender\": {}, \"rows_per_cpu_second\": {:.0f}, "
        "\"first_round_rows_per_cpu_second\": {:.0f}, \"rounds\": {}",
        quoted(name_), quoted(race.name), quoted(outcome.contender->name), rows,
        static_cast<double>(race.rows) * 1e9 / static_cast<double>(outcome.first_ns),
        outcome.ns.size());
    if (race.bytes) {
      const double megabytes = static_cast<double>(race.bytes) / 1e6 / seconds;
      line += fmt::format(" {:8.0f} MB/s", megabytes);
      json += fmt::format(", \"megabytes_per_cpu_second\": {:.1f}", megabytes);
    }
    json += ", \"speed_relative_to\": {";
    std::string separator;
    for (const Outcome& other : outcomes) {
      if (&other == &outcome) break;
      const double ratio = outcome.speed_relative_to(other);
      line += fmt::format("  {:.2f} of {}", ratio, other.contender->name);
      json += fmt::format("{}{}: {:.3f}", separator, quoted(other.contender->name), ratio);
      separator = ", ";
    }
    json += "}, \"goals\": [";
    separator.clear();
    for (const Goal& goal : race.goals) {
      if (goal.contender != outcome.contender->name) continue;
      for (const Outcome& other : outcomes) {
        if (goal.other != other.contender->name) continue;
        const bool met = outcome.speed_relative_to(other) >= goal.ratio;
        line += fmt::format("\n      goal: {:.2f} of {}: {}", goal.ratio, goal.other,
                            quick_ ? "not measured"
                            : met  ? "met"
                                   : "MISSED");
        json += fmt::format("{}{{\"of\": {}, \"ratio\": {:.2f}, \"met\": {}}}", separator,
                            quoted(goal.other), goal.ratio, met);
        separator = ", ";
      }
    }
    fmt::print("{}\n", line);
    append_json(json + "]}");
  }
  std::fflush(stdout);
}

void Bench::report(const std::string& race, const std::string& metric, double value,
                   const std::string& unit) {
  fmt::print("  {:<34} {:8.3f} {}\n", metric, value, unit);
  append_json(fmt::format(
      "{{\"bench\": {}, \"race\": {}, \"metric\": {}, \"value\": {:.4f}, \"unit\": {}}}",
      quoted(name_), quoted(race), quoted(metric), value, quoted(unit)));
}

void Bench::append_json(const std::string& line) {
  if (json_path_.empty()) return;
  std::FILE* file = std::fopen(json_path_.c_str(), "a");
  if (!file) {
    fmt::print(stderr, "{}: cannot write {}\n", name_, json_path_);
    std::exit(1);
  }
  fmt::print(file, "{}\n", line);
  std::fclose(file);
}

int Bench::finish() {
  return failed_ ? 1 : 0;
}

}  // namespace tidemark::bench
