#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows that tidy.py finds what it is there for, and nothing else."""

import pathlib
import tempfile
import unittest

import tidy

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"

SOUND = {
    "tidemark/base/clock.cc": SPDX + "auto t = std::chrono::system_clock::now();\n",
    "tidemark/base/clock.h": SPDX + "#pragma once\n// Not system_clock::now().\n",
    "tidemark/base/local_file_system.cc": SPDX + "int f = ::open(path, 0);\n",
    "tidemark/data/batch.cc": SPDX + 'auto s = "std::thread";\nfiles.open(path);\nfs->open(path);\n',
    "bench/window_bench.cc": SPDX + "auto t = std::chrono::steady_clock::now();\n",
    "tests/flights_test.cc": SPDX + 'run("examples/flights/hourly.sql");\n',
    "examples/flights/hourly.sql": "-- reads flights.csv\n",
    "examples/flights/flights.csv": "1,2\n",
    "docs/guide.md": "# A guide: first steps\n\n[self](#a-guide-first-steps) [x](../README.md)\n",
    "README.md": "[guide](docs/guide.md#a-guide-first-steps) [docs](docs) [w](https://x.y/z)\n"
                 "`[not](a link)`\n",
}


def findings(changes=None):
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**SOUND, **(changes or {})}.items():
            file = pathlib.Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        return tidy.findings_in(root)


class TidyTest(unittest.TestCase):
    def assert_finds(self, changes, *words):
        found, _ = findings(changes)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_sound_tree_has_no_findings(self):
        self.assertEqual(findings(), ([], []))

    def test_length(self):
        long = SPDX + "int a;\n" * tidy.LINES_FAIL
        self.assert_finds({"tidemark/base/long.cc": long}, "long.cc", "901 lines")
        found, warnings = findings({"tidemark/base/long.cc": SPDX + "int a;\n" * tidy.LINES_WARN})
        self.assertEqual((len(found), len(warnings)), (0, 1))

    def test_each_banned_call(self):
        for line, rule in [
                ("auto t = std::chrono::steady_clock::now();", "clock"),
                ("std::thread t(f);", "thread"),
                ("std::jthread t(f);", "thread"),
                ("std::this_thread::sleep_for(1s);", "sleep"),
                ("std::random_device d;", "randomness"),
                ("std::ofstream out(path);", "file"),
                ("std::ifstream in(path);", "file"),
                ("FILE* f = fopen(path, \"r\");", "file"),
                ("int f = ::open(path, 0);", "file"),
                ("std::filesystem::remove(path);", "file"),
                ("int s = socket(AF_INET, 0, 0);", "socket"),
                ("int s = ::socket(AF_INET, 0, 0);", "socket")]:
            with self.subTest(line):
                self.assert_finds({"tidemark/data/x.cc": SPDX + "\n" + line + "\n"},
                                  "tidemark/data/x.cc:3:", rule)

    def test_tests_may_use_files_but_not_clocks(self):
        self.assertEqual(
            findings({"tests/x_test.cc": SPDX + "std::ofstream out(path);\n"})[0], [])
        self.assert_finds({"tests/x_test.cc": SPDX + "sleep_for(1s);\n"}, "sleep")

    def test_an_allowance_without_need(self):
        self.assert_finds({"tidemark/base/clock.cc": SPDX}, "tidemark/base/clock.cc", "without need")

    def test_first_lines(self):
        self.assert_finds({"tidemark/data/x.cc": "int a;\n"}, "SPDX")
        self.assert_finds({"tidemark/data/x.h": SPDX + "int a;\n"}, "#pragma once")

    def test_unfinished_work(self):
        for word in ("TODO", "FIXME", "for now", "placeholder"):
            with self.subTest(word):
                self.assert_finds({"tidemark/data/x.cc": f"{SPDX}// {word}: mend\n"}, word)
        self.assert_finds({"docs/x.md": "TODO\n"}, "docs/x.md:1")

    def test_paths_of_a_machine(self):
        self.assert_finds({"docs/x.md": "see /home/anna/notes\n"}, "docs/x.md:1", "machine")

    def test_names(self):
        for name in ("string_util.cc", "test_helper.cc", "common.cc"):
            with self.subTest(name):
                self.assert_finds({f"tidemark/data/{name}": SPDX}, name)

    def test_links(self):
        self.assert_finds({"docs/x.md": "[y](nowhere.md)\n"}, "nowhere.md")
        self.assert_finds({"docs/x.md": "[y](guide.md#nothing)\n"}, "guide.md#nothing")

    def test_examples_that_no_test_runs(self):
        self.assert_finds({"examples/sensors/lost.sql": "SELECT 1;\n"}, "lost.sql", "no test")
        self.assert_finds({"examples/sensors/lost.csv": "1\n"}, "lost.csv", "nothing reads")


if __name__ == "__main__":
    unittest.main()
