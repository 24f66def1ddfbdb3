# SPDX-License-Identifier: Apache-2.0
"""The files of a checkout, as the checks see them, and how a check reports."""

import pathlib
import subprocess
import sys

SKIPPED_DIRECTORIES = {".git", "build", "node_modules", "__pycache__", ".tidemark"}


class SourceTree:
    """All files under `root` that git tracks or would track; without git, all that are not built."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.paths = sorted(self._git_paths() or self._walked_paths())

    def _git_paths(self):
        command = ["git", "-C", str(self.root), "ls-files", "-z",
                   "--cached", "--others", "--exclude-standard"]
        try:
            output = subprocess.run(command, check=True, capture_output=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return []
        names = [name for name in output.decode().split("\0") if name]
        return [name for name in names if (self.root / name).is_file()]

    def _walked_paths(self):
        found = []
        for path in self.root.rglob("*"):
            relative = path.relative_to(self.root)
            if path.is_file() and not SKIPPED_DIRECTORIES.intersection(relative.parts):
                found.append(str(relative))
        return found

    def matching(self, *suffixes, under=""):
        return [p for p in self.paths if p.endswith(suffixes) and p.startswith(under)]

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")

    def lines(self, path):
        return self.text(path).splitlines()


def report(check, findings, warnings=()):
    """Prints what was found and returns the exit code."""
    for warning in warnings:
        print(f"{check}: warning: {warning}")
    for finding in findings:
        print(f"{check}: {finding}", file=sys.stderr)
    if findings:
        print(f"{check}: {len(findings)} finding(s)", file=sys.stderr)
        return 1
    print(f"{check}: ok")
    return 0
