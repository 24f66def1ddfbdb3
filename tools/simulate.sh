#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs whole jobs on the simulator, one for each seed, under kills and failing disks. Prints the seeds
# that fail, and how to replay one.
#
#   tools/simulate.sh [seeds [first seed]]
set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
campaign="$root/build/release/tests/simulation/campaign"
if ! "$campaign" --seeds="${1:-1000}" --first-seed="${2:-0}"; then
  echo "replay one, with every step: $campaign --seeds=1 --first-seed=<seed> --log" >&2
  exit 1
fi
