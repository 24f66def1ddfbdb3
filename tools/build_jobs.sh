#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Prints how many compilers to run at once: one a processor, and never more than the memory holds at
# 1.5 GB each. Respects the limits of a container.
set -euo pipefail

kb_per_job=$((1536 * 1024))

memory_kb() {
  local kb limit
  kb="$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)"
  if limit="$(cat /sys/fs/cgroup/memory.max 2>/dev/null)" && [ "$limit" != max ]; then
    limit=$((limit / 1024))
    ((limit < kb)) && kb="$limit"
  fi
  printf '%s\n' "$kb"
}

jobs="$(nproc)"
by_memory=$(($(memory_kb) / kb_per_job))
((by_memory < jobs)) && jobs="$by_memory"
((jobs < 1)) && jobs=1
printf '%s\n' "$jobs"
