#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the layers: a folder of tidemark/ includes only folders above it in LAYERS.

Also finds what the build would miss in silence: sources that no CMakeLists.txt lists, tests that are
in no tidemark_test(), and headers that no listed source includes.

  tools/check_layers.py [root]
"""

import pathlib
import posixpath
import re
import sys

from source_tree import SourceTree, report

# From the ground up. The order of the list is the rule.
LAYERS = ["base", "data", "expr", "state", "format", "operator", "window", "join", "graph",
          "checkpoint", "runtime", "connector", "api", "sql", "cluster", "sim", "server", "cli"]

# Folders beside tidemark/, and the ones of these that they may include from.
OUTER = {"tests": {"tests"}, "bench": {"bench"}, "examples": {"examples"}}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
COMMAND = re.compile(r"([A-Za-z_]\w*)\s*\(([^()]*)\)")


def layer_of(path):
    """The layer of tidemark/<layer>/..., else None."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "tidemark" else None


def included(tree, path):
    return INCLUDE.findall(tree.text(path))


def check_directions(tree):
    rank = {layer: i for i, layer in enumerate(LAYERS)}
    findings = []
    for path in tree.matching(".h", ".cc", under="tidemark/"):
        layer = layer_of(path)
        if layer not in rank:
            findings.append(f"{path}: the folder {layer} is not in the list of layers")
            continue
        for name in included(tree, path):
            other = layer_of(name)
            if other is None:
                findings.append(f'{path}: "{name}" is not of the form "tidemark/folder/file.h"')
            elif other not in rank:
                findings.append(f'{path}: "{name}" is in no known layer')
            elif rank[other] > rank[layer]:
                findings.append(f"{path}: {layer} includes {name}, but {other} is below {layer}")
    for folder, allowed in OUTER.items():
        for path in tree.matching(".h", ".cc", under=folder + "/"):
            for name in included(tree, path):
                if layer_of(name) is None and name.split("/")[0] not in allowed:
                    findings.append(f'{path}: "{name}" is neither "tidemark/..." nor "{folder}/..."')
    return findings


def listed_sources(tree):
    """Sources named in CMakeLists.txt files: path -> the commands that name it."""
    listed = {}
    for path in tree.paths:
        if posixpath.basename(path) != "CMakeLists.txt":
            continue
        text = re.sub(r"#.*", "", tree.text(path))
        for command, arguments in COMMAND.findall(text):
            for argument in re.findall(r'[^\s"]+', arguments):
                if argument.endswith((".cc", ".h", ".proto")):
                    argument = re.sub(r"^\$\{CMAKE_CURRENT_SOURCE_DIR\}/", "", argument)
                    source = posixpath.normpath(posixpath.join(posixpath.dirname(path), argument))
                    listed.setdefault(source, set()).add(command.lower())
    return listed


def check_listed(tree, listed):
    findings = []
    for path in tree.matching(".cc", ".proto"):
        if path.split("/")[0] not in {"tidemark", *OUTER}:
            continue
        commands = listed.get(path, set())
        if not commands:
            findings.append(f"{path}: no CMakeLists.txt lists it")
        elif path.endswith("_test.cc") and "tidemark_test" not in commands:
            findings.append(f"{path}: listed, but in no tidemark_test(), so it never runs")
    for path in tree.matching("_test.py"):
        stem = posixpath.basename(path)[:-len("_test.py")]
        build_file = posixpath.join(posixpath.dirname(path), "CMakeLists.txt")
        if build_file not in tree.paths or not re.search(rf"\b{stem}\b", tree.text(build_file)):
            findings.append(f"{path}: {build_file} does not name it, so it never runs")
    return findings


def check_headers(tree, listed):
    """Every header must be reached from a source that is built."""
    headers = {p for p in tree.matching(".h") if p.split("/")[0] in {"tidemark", *OUTER}}
    waiting = [path for path in tree.matching(".cc") if path in listed]
    reached = {path for path in headers if path in listed}
    waiting += reached
    while waiting:
        for name in included(tree, waiting.pop()):
            if name in headers and name not in reached:
                reached.add(name)
                waiting.append(name)
    return [f"{path}: no source that is built includes it" for path in sorted(headers - reached)]


def findings_in(root):
    tree = SourceTree(root)
    listed = listed_sources(tree)
    return check_directions(tree) + check_listed(tree, listed) + check_headers(tree, listed)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    return report("layers", findings_in(root))


if __name__ == "__main__":
    sys.exit(main())
