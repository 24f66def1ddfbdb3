#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs the tests of build/<preset> with ctest and ends with the line
# "<n> passed, <n> failed, <n> skipped". Exit code: ctest's.
#
#   tools/run_tests.sh <preset> [ctest arguments]
set -uo pipefail

preset="$1"
shift
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
report="$root/build/$preset/test-report.xml"
cd "$root"
rm -f "$report"

ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error --progress \
  --output-junit "$report" "$@"
status=$?

python3 - "$report" <<'PYTHON'
import sys
import xml.etree.ElementTree as xml

try:
    suite = xml.parse(sys.argv[1]).getroot()
except (OSError, xml.ParseError) as error:
    print(f"no test report: {error}")
    print("0 passed, 1 failed, 0 skipped")
    sys.exit()
total, failed, skipped = (int(suite.get(n, 0)) for n in ("tests", "failures", "skipped"))
skipped += int(suite.get("disabled", 0))
for case in suite.iter("testcase"):
    if case.get("status") == "fail":
        print(f"failed: {case.get('name')}")
print(f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped")
PYTHON
exit "$status"
