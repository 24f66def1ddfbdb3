#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that check_layers.py finds what it is there for."""

import pathlib
import tempfile
import unittest

import check_layers

SOUND = {
    "tidemark/base/CMakeLists.txt":
        "tidemark_library(base SOURCES clock.cc)\n"
        "tidemark_test(base_test\n  SOURCES clock_test.cc  # beside the code\n  DEPENDS base)\n",
    "tidemark/base/clock.h": "#pragma once\n",
    "tidemark/base/clock.cc": '#include "tidemark/base/clock.h"\n',
    "tidemark/base/clock_test.cc": '#include "tidemark/base/clock.h"\n',
    "tidemark/data/CMakeLists.txt": "tidemark_library(data SOURCES nested/batch.cc)\n",
    "tidemark/data/nested/batch.cc":
        '#include <vector>\n\n#include "tidemark/base/clock.h"\n',
}


def findings(changes=None):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**SOUND, **(changes or {})}.items():
            file = pathlib.Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return check_layers.findings_in(root)


class CheckLayersTest(unittest.TestCase):
    def assert_finds(self, changes, *words):
        found = findings(changes)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_sound_tree_has_no_findings(self):
        self.assertEqual(findings(), [])

    def test_an_include_of_a_layer_below(self):
        self.assert_finds(
            {"tidemark/data/CMakeLists.txt": "tidemark_library(data SOURCES b.cc nested/batch.cc)\n",
             "tidemark/data/b.h": "",
             "tidemark/data/b.cc": '#include "tidemark/data/b.h"\n',
             "tidemark/base/clock.cc":
                 '#include "tidemark/base/clock.h"\n#include "tidemark/data/b.h"\n'},
            "tidemark/base/clock.cc", "base includes tidemark/data/b.h")

    def test_an_unknown_folder(self):
        self.assert_finds(
            {"tidemark/misc/CMakeLists.txt": "tidemark_library(misc SOURCES a.cc)\n",
             "tidemark/misc/a.cc": ""}, "misc", "not in the list")

    def test_an_include_of_another_form(self):
        self.assert_finds({"tidemark/base/clock_test.cc": '#include "clock.h"\n'}, '"clock.h"')

    def test_a_source_that_is_not_listed(self):
        self.assert_finds({"tidemark/data/lost.cc": ""}, "tidemark/data/lost.cc", "no CMakeLists")

    def test_a_source_that_is_listed_in_a_comment_only(self):
        self.assert_finds(
            {"tidemark/data/CMakeLists.txt":
                 "tidemark_library(data SOURCES nested/batch.cc)\n"
                 "# tidemark_library(data SOURCES lost.cc)\n",
             "tidemark/data/lost.cc": ""}, "tidemark/data/lost.cc")

    def test_a_test_that_never_runs(self):
        self.assert_finds(
            {"tidemark/data/CMakeLists.txt":
                 "tidemark_library(data SOURCES nested/batch.cc batch_test.cc)\n",
             "tidemark/data/batch_test.cc": ""}, "batch_test.cc", "never runs")

    def test_a_script_that_never_runs(self):
        self.assert_finds({"tests/e2e/CMakeLists.txt": "foreach(name other)\nendforeach()\n",
                           "tests/e2e/lost_test.py": ""}, "lost_test.py", "never runs")

    def test_a_dead_header(self):
        self.assert_finds({"tidemark/data/dead.h": ""}, "tidemark/data/dead.h", "no source")

    def test_headers_that_include_only_each_other_are_dead(self):
        found = findings({"tidemark/data/a.h": '#include "tidemark/data/b.h"\n',
                          "tidemark/data/b.h": '#include "tidemark/data/a.h"\n'})
        self.assertEqual(len(found), 2, found)


if __name__ == "__main__":
    unittest.main()
