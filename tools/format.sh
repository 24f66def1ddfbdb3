#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Formats the tracked C++ files, or with --check says which ones are not formatted.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
reference=14
formatter="$(command -v "clang-format-$reference" || command -v clang-format)" || {
  echo "format: clang-format is not installed; make deps installs it" >&2
  exit 1
}
if ! "$formatter" --version | grep -q "version $reference\."; then
  echo "format: $("$formatter" --version); the reference is version $reference, others differ in details"
fi
mapfile -d '' -t files < <(git ls-files -z -- '*.h' '*.cc')
if [ "${1:-}" = --check ]; then
  "$formatter" --dry-run -Werror "${files[@]}"
  echo "format: ${#files[@]} files are formatted"
else
  "$formatter" -i "${files[@]}"
  echo "format: ${#files[@]} files"
fi
