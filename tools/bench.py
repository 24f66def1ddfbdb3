#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmark programs and gathers what they report in build/bench/results.json.

  tools/bench.py [--quick] [--filter TEXT] [--rounds N] [program...]
"""

import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build" / "release" / "bench"
OUTPUT = ROOT / "build" / "bench"


def first_line(*command):
    try:
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True,
                              text=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "unknown"


def cpu_model():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def machine():
    return {
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": platform.platform(),
        "compiler": first_line("c++", "--version"),
        "revision": first_line("git", "describe", "--always", "--dirty"),
    }


def goals_of(results):
    return [(result, goal) for result in results for goal in result.get("goals", [])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--filter")
    parser.add_argument("--rounds")
    parser.add_argument("programs", nargs="*")
    arguments = parser.parse_args()

    programs = [PROGRAMS / name for name in arguments.programs] or sorted(PROGRAMS.glob("*_bench"))
    options = ["--quick"] if arguments.quick else []
    for name in ("filter", "rounds"):
        if getattr(arguments, name):
            options += [f"--{name}", getattr(arguments, name)]

    OUTPUT.mkdir(parents=True, exist_ok=True)
    lines = OUTPUT / "results.jsonl"
    lines.unlink(missing_ok=True)
    print("Rates are per second of processor time of one core; ratios are medians over interleaved rounds.")
    failed = [program.name for program in programs
              if subprocess.run([program, *options, "--json", lines], check=False).returncode]

    results = []
    if lines.exists():
        results = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
        lines.unlink()
    with open(OUTPUT / "results.json", "w", encoding="utf-8") as file:
        json.dump({"machine": machine(), "quick": arguments.quick, "results": results}, file, indent=1)
        file.write("\n")

    goals = goals_of(results)
    if goals and not arguments.quick:
        print(f"\ngoals: {sum(goal['met'] for _, goal in goals)} of {len(goals)} met")
        for result, goal in goals:
            if not goal["met"]:
                print(f"  missed: {result['bench']}: {result['race']}: {result['contender']} is at "
                      f"{result['speed_relative_to'][goal['of']]:.2f} of {goal['of']}, "
                      f"goal {goal['ratio']:.2f}")
    print(f"\nresults: {(OUTPUT / 'results.json').relative_to(ROOT)}")
    for name in failed:
        print(f"failed: {name}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
