#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Counts the instructions a row of the window benchmark's contenders with callgrind. Unlike times they
# do not depend on what else the machine does, so two revisions can be compared.
#
#   tools/bench_instructions.sh [race]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

race="${1:-100000 keys, uniform, BIGINT NOT NULL}"
program=build/release/bench/window_bench
rows=20000000  # two rounds of ten million

if ! command -v valgrind >/dev/null; then
  echo "bench: valgrind is not installed (apt install valgrind): nothing is counted"
  exit 0
fi
mkdir -p build/bench
results=build/bench/instructions.json
separator=""
echo "instructions a row, $race"
{
  printf '{"race": "%s", "instructions_per_row": {' "$race"
  for contender in "row loop" "columnar loop" "engine"; do
    collected="$(valgrind --tool=callgrind --callgrind-out-file=build/bench/callgrind.out \
      --collect-atstart=no --toggle-collect='tidemark::bench::run_timed*' \
      "$program" --filter "=$race" --only "$contender" --rounds 1 2>&1 |
      awk '/Collected/ { print $4 }')"
    per_row="$(awk -v n="$collected" -v rows="$rows" 'BEGIN { printf "%.1f", n / rows }')"
    printf '  %-16s %8s\n' "$contender" "$per_row" >&2
    printf '%s"%s": %s' "$separator" "$contender" "$per_row"
    separator=", "
  done
  printf '}}\n'
} >"$results"
echo "results: $results; the engine's profile: callgrind_annotate build/bench/callgrind.out"
