#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs examples/flights/hourly_delays.sql into build/demo, from the beginning each time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

job=examples/flights/hourly_delays.sql
rm -rf build/demo
mkdir -p build/demo
printf '\n$ build/release/tidemark run %s\n' "$job"
build/release/tidemark run "$job" --checkpoint-dir build/demo/checkpoints
printf '\nThe result is in build/demo/hourly_delays: %s rows. The job is %s.\n' \
  "$(find build/demo/hourly_delays -type f -name '[!.]*' -exec cat {} + | wc -l)" "$job"
