#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Configures build/<preset>. A build directory that was made by another checkout (the tree was moved,
# copied or mounted elsewhere) is configured afresh instead of failing.
#
#   tools/configure.sh <preset> [cmake arguments]
set -euo pipefail

preset="$1"
shift
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
build="$root/build/$preset"
cd "$root"

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }

if [ -f "$build/CMakeCache.txt" ]; then
  if [ "$(cached CMAKE_HOME_DIRECTORY)" != "$root" ] ||
    [ "$(cached CMAKE_CACHEFILE_DIR)" != "$build" ]; then
    printf 'configure: %s was made for %s; starting it afresh\n' \
      "$build" "$(cached CMAKE_HOME_DIRECTORY)"
    # Absolute paths are in the cache, in Ninja's log and in the lists of the tests.
    rm -rf "$build"
  fi
fi

# Quiet when all is well, everything when it is not.
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" "$@" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
grep -E '^(CMake Warning|-- Tidemark)' "$log" || true
printf 'configure: build/%s is ready\n' "$preset"
