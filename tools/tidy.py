#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the rules of CONTRIBUTING.md that a compiler does not know.

  tools/tidy.py [root]
"""

import fnmatch
import pathlib
import posixpath
import re
import sys

from source_tree import SourceTree, report

LINES_WARN = 600
LINES_FAIL = 900

CODE = (".h", ".cc", ".py", ".sh", ".proto")
TEXT = (*CODE, ".md", ".sql", ".cmake", ".txt", ".json")

# What reaches past the seams (clock, executor, files, transport, seeded randomness), and where not to.
# `scope` is a predicate over paths.
OWN_CODE = ("tidemark/", "tests/", "examples/")


def in_own_code(path):
    return path.startswith(OWN_CODE)


def in_engine(path):
    return path.startswith("tidemark/") and not re.search(r"_(test|testing|fixture)\.(h|cc)$", path)


BANNED = [
    ("clock", in_own_code,
     r"\b(system|steady|high_resolution)_clock\b|\bclock_gettime\s*\(|\bgettimeofday\s*\("),
    ("thread", in_own_code, r"\bstd::(thread|jthread|async)\b(?!::)|\bpthread_create\b"),
    ("sleep", in_own_code, r"\bsleep_(for|until)\b|\b(usleep|nanosleep)\s*\("),
    ("randomness", in_own_code, r"\brandom_device\b|\bmt19937|\bstd::rand\b|\bsrand\s*\("),
    ("file", in_engine,
     r"\bstd::[io]?fstream\b|\bfopen\s*\(|(?<![\w>.])::(open|openat|rename|unlink|mkdir)\s*\("
     r"|\bstd::filesystem::(?!path\b)\w+"),
    ("socket", in_engine, r"(?<![\w>.:])(::)?(socket|getaddrinfo)\s*\(|(?<![\w>])::(connect|bind|accept4?)\s*\("),
]

# (rule, file pattern, why it may). An entry that allows nothing is a finding.
ALLOWED = [
    ("clock", "tidemark/base/clock.cc", "implements the seam Clock"),
    ("thread", "tidemark/runtime/threaded_executor.cc", "implements the seam Executor"),
    ("thread", "tidemark/runtime/io_pool.*", "the threads of the seam Executor that may block"),
    ("thread", "tidemark/runtime/local_transport_test.cc", "tests a lock-free ring with two threads"),
    ("file", "tidemark/base/local_file_system.cc", "implements the seam FileSystem"),
    ("file", "tidemark/cli/directory_lock.cc", "locks a directory against a second process"),
]

FORBIDDEN_NAMES = re.compile(r"util|helper|common|misc|manager", re.IGNORECASE)
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
UNFINISHED_IN_CODE = re.compile(r"\b(for now|placeholder|simplified)\b", re.IGNORECASE)
MACHINE_PATH = re.compile(r"(?<![\w.~$}])/(home|root|work|workspace)/\w")
# They must name what they look for.
SELF = {"tools/tidy.py", "tools/tidy_test.py"}

COMMENTS_AND_STRINGS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^()\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def without_comments_and_strings(text):
    """The code alone, with its line numbers kept."""
    return COMMENTS_AND_STRINGS.sub(lambda match: "\n" * match.group().count("\n"), text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_length(tree):
    warnings, findings = [], []
    for path in tree.matching(*CODE):
        count = len(tree.lines(path))
        if count > LINES_FAIL:
            findings.append(f"{path}: {count} lines; no file has more than {LINES_FAIL}")
        elif count > LINES_WARN:
            warnings.append(f"{path}: {count} lines; does it hold one idea?")
    return findings, warnings


def check_banned(tree):
    findings, used = [], set()
    for path in tree.matching(".h", ".cc"):
        code = without_comments_and_strings(tree.text(path))
        for rule, in_scope, pattern in BANNED:
            if not in_scope(path):
                continue
            for match in re.finditer(pattern, code):
                allowed = [entry for entry in ALLOWED
                           if entry[0] == rule and fnmatch.fnmatch(path, entry[1])]
                used.update(allowed)
                if not allowed:
                    findings.append(f"{path}:{line_of(code, match.start())}: {match.group().strip()}"
                                    f" goes past the seam for {rule} (CONTRIBUTING.md, Seams)")
    return findings, used


def check_allowed(tree, used):
    return [f"tools/tidy.py: {pattern} is allowed {rule} but exists without need for it"
            for rule, pattern, why in ALLOWED
            if (rule, pattern, why) not in used and fnmatch.filter(tree.paths, pattern)]


def check_first_lines(tree):
    findings = []
    for path in tree.matching(*CODE):
        first = "\n".join(tree.lines(path)[:2])
        if "SPDX-License-Identifier: Apache-2.0" not in first:
            findings.append(f"{path}: does not begin with the SPDX-License-Identifier line")
    for path in tree.matching(".h"):
        if not re.search(r"^#pragma once$", tree.text(path), re.MULTILINE):
            findings.append(f"{path}: has no #pragma once")
    return findings


def check_words(tree):
    findings = []
    for path in tree.matching(*TEXT, "Makefile"):
        if path in SELF:
            continue
        for number, line in enumerate(tree.lines(path), 1):
            match = UNFINISHED.search(line)
            if not match and path.endswith(CODE):
                match = UNFINISHED_IN_CODE.search(line)
            if match:
                findings.append(f"{path}:{number}: '{match.group()}' marks unfinished work")
            if MACHINE_PATH.search(line):
                findings.append(f"{path}:{number}: names a path of somebody's machine")
    return findings


def check_names(tree):
    return [f"{path}: the name says nothing about what is in it"
            for path in tree.matching(*CODE) if FORBIDDEN_NAMES.search(posixpath.basename(path))]


def anchors_of(text):
    """The anchors that GitHub makes of a page's headings."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    anchors = set()
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*$", text, re.MULTILINE):
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        number, unique = 0, slug
        while unique in anchors:
            number += 1
            unique = f"{slug}-{number}"
        anchors.add(unique)
    return anchors


def check_links(tree):
    findings = []
    directories = {posixpath.dirname(path) for path in tree.paths}
    directories |= {str(parent) for path in tree.paths for parent in pathlib.PurePath(path).parents}
    for path in tree.matching(".md"):
        text = re.sub(r"^```.*?^```", "", tree.text(path), flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"`[^`\n]*`", "", text)
        for target in re.findall(r"\]\(\s*<?([^)\s>]+)", text):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            name, _, anchor = target.partition("#")
            to = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else path
            if to not in tree.paths and to not in directories:
                findings.append(f"{path}: the link {target} leads nowhere")
            elif anchor and to.endswith(".md") and anchor not in anchors_of(tree.text(to)):
                findings.append(f"{path}: the link {target} leads to no heading of {to}")
    return findings


def check_examples(tree):
    """A job of examples/ is named by a test, its data by the job or a test."""
    tests = [tree.text(path) for path in tree.matching(".cc", ".py", ".sh", "CMakeLists.txt",
                                                       under="tests/")]
    tests += [tree.text(path) for path in tree.matching("CMakeLists.txt", under="examples/")
              if "add_test" in tree.text(path)]
    jobs = tree.matching(".sql", ".cc", under="examples/")
    findings = []
    for path in jobs:
        names = {path, path[len("examples/"):], posixpath.splitext(posixpath.basename(path))[0]}
        if not any(re.search(r"\b%s\b" % re.escape(name), text) for name in names for text in tests):
            findings.append(f"{path}: no test runs it")
    readers = tests + [tree.text(path) for path in jobs]
    for path in tree.matching("", under="examples/"):
        if path in jobs or path.endswith((".md", "CMakeLists.txt", ".h")):
            continue
        if not any(posixpath.basename(path) in text for text in readers):
            findings.append(f"{path}: nothing reads it")
    return findings


def findings_in(root):
    tree = SourceTree(root)
    findings, warnings = check_length(tree)
    banned, used = check_banned(tree)
    findings += banned + check_allowed(tree, used)
    for check in (check_first_lines, check_words, check_names, check_links, check_examples):
        findings += check(tree)
    return findings, warnings


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    return report("tidy", *findings_in(root))


if __name__ == "__main__":
    sys.exit(main())
