# SPDX-License-Identifier: Apache-2.0
"""Savepoints from the command line: taken while a job runs and when it stops, begun with, refused."""

import glob
import os
import signal
import subprocess
import time
import unittest

from harness import TidemarkTest, expected_flights, read_flights

ROWS, _ = expected_flights()


class Savepoints(TidemarkTest):

    def start_throttled(self, *arguments, rows_per_second=8000, interval="1 h"):
        job = self.flights_sql(options="'scan.rows-per-second' = '%d'" % rows_per_second,
                               interval=interval)
        process = self.start("run", job, "--savepoint-dir", "savepoints", *arguments)
        # Rows have come out: the job is on its way, and far from its end.
        self.await_file("out/.*")
        return process

    def await_file(self, pattern):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            found = glob.glob(self.path(pattern))
            if found:
                return found[0]
            time.sleep(0.02)
        self.fail("nothing made %s" % pattern)

    def await_savepoint(self):
        return os.path.dirname(self.await_file("savepoints/savepoint-*/_metadata"))

    def test_a_savepoint_of_a_running_job_is_enough_to_go_on_from(self):
        for parallelism in ("1", "3"):
            with self.subTest(parallelism=parallelism):
                self.setUp()
                process = self.start_throttled("--parallelism", parallelism)
                process.send_signal(signal.SIGUSR1)
                savepoint = self.await_savepoint()
                self.kill(process)
                self.assertEqual(read_flights(self.path("out")), [], "a savepoint publishes nothing")
                out, _ = self.tidemark("run", "job.sql", "--parallelism", "2", "--checkpoint-dir",
                                       "other", "--from-savepoint", savepoint)
                self.assertIn("began with savepoint %s" % savepoint, out)
                self.assertRegex(out, r"rows read +20,000\n")
                self.assertRegex(out, r"late rows +124\n")
                self.assertEqual(read_flights(self.path("out")), ROWS)

    def test_the_job_goes_on_after_its_savepoint(self):
        process = self.start_throttled(rows_per_second=15000, interval="50 ms")
        process.send_signal(signal.SIGUSR1)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertRegex(out, r"savepoint +savepoints/savepoint-[0-9a-f]{6}-[0-9a-f]{12}\n")
        self.assertEqual(read_flights(self.path("out")), ROWS)

    def test_a_stop_takes_a_savepoint_of_the_same_position(self):
        process = self.start_throttled()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("can be resumed", out)
        self.assertGreater(len(read_flights(self.path("out"))), 0)
        savepoint = self.await_savepoint()
        # In another directory: the stopped job itself could resume from its last checkpoint.
        self.tidemark("run", "job.sql", "--checkpoint-dir", "other", "-s", savepoint)
        self.assertEqual(read_flights(self.path("out")), ROWS)

    def test_a_checkpoint_of_the_job_is_newer_than_the_savepoint_it_began_with(self):
        process = self.start_throttled()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        savepoint = self.await_savepoint()
        began = self.start("run", "job.sql", "--checkpoint-dir", "other", "-s", savepoint,
                           "-D", "execution.checkpointing.interval=50 ms")
        self.await_file("other/*/chk-*/_metadata")
        self.kill(began)
        out, _ = self.tidemark("run", "job.sql", "--checkpoint-dir", "other", "-s", savepoint)
        self.assertIn("resumed from number", out)
        self.assertEqual(read_flights(self.path("out")), ROWS)

    def test_state_of_an_operator_that_is_gone_is_refused_unless_allowed(self):
        process = self.start_throttled()
        process.send_signal(signal.SIGUSR1)
        savepoint = self.await_savepoint()
        self.kill(process)
        with open(self.path("job.sql")) as file:
            text = file.read()
        self.write("other.sql", text.replace("hourly_delays", "renamed"))
        arguments = ("run", "other.sql", "--checkpoint-dir", "other", "-s", savepoint)
        _, err = self.tidemark(*arguments, code=2)
        self.assertIn("holds state of operator 'window-hourly_delays", err)
        self.assertIn("--allow-dropped-state", err)
        out, _ = self.tidemark(*arguments, "--allow-dropped-state")
        self.assertRegex(out, r"rows read +20,000\n")
        self.assertLess(len(read_flights(self.path("out"))), len(ROWS))

    def test_other_windows_are_refused_by_operator_and_state(self):
        process = self.start_throttled()
        process.send_signal(signal.SIGUSR1)
        savepoint = self.await_savepoint()
        self.kill(process)
        with open(self.path("job.sql")) as file:
            text = file.read()
        self.write("other.sql", text.replace("INTERVAL '1' HOUR", "INTERVAL '2' HOUR"))
        _, err = self.tidemark("run", "other.sql", "--checkpoint-dir", "other", "-s", savepoint,
                               code=1)
        self.assertIn("window-slices", err + _)

    def test_what_is_no_savepoint_is_refused(self):
        job = self.flights_sql()
        _, err = self.tidemark("run", job, "-s", "nowhere", code=2)
        self.assertIn("'nowhere' is no savepoint", err)
        with open(self.path(job)) as file:
            text = file.read()
        self.write("two.sql", text + text[text.index("INSERT INTO"):])
        _, err = self.tidemark("run", "two.sql", "-s", "nowhere", code=2)
        self.assertIn("two.sql has 2 INSERT statements", err)

    def test_state_ls_lists_what_a_savepoint_holds(self):
        process = self.start_throttled()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        savepoint = self.await_savepoint()
        out, _ = self.tidemark("state", "ls", savepoint)
        self.assertIn("of job hourly_delays, complete at", out)
        self.assertRegex(out, r"window-slices +keyed")
        self.assertNotIn("entries", out)
        out, _ = self.tidemark("state", "ls", "--verify", savepoint)
        self.assertRegex(out, r"[1-9][0-9,]* entr(y|ies) in [1-9][0-9,]* key group")
        out, _ = self.tidemark("state", "show", savepoint, "--where",
                               "key LIKE 'S%' AND value_bytes > 3")
        shown = [line.split("|")[1].strip() for line in out.splitlines() if line.startswith("| S")]
        self.assertGreater(len(shown), 0)
        self.assertIn("%d row" % len(shown), out)
        self.assertNotIn("| L", out)
        out, _ = self.tidemark("state", "show", savepoint, "--limit", "1")
        self.assertIn("There are more: --limit is 1", out)
        _, err = self.tidemark("state", "show", savepoint, "--where", "keyy = 1", code=2)
        self.assertIn("did you mean 'key'?", err)
        _, err = self.tidemark("state", "show", savepoint, "--state", "x", code=2)
        self.assertIn("--operator window-hourly_delays-1 --state window-slices", err)
        _, err = self.tidemark("state", "ls", "nowhere", code=2)
        self.assertIn("holds no checkpoint or savepoint", err)

    def test_a_savepoint_without_a_directory_is_refused_in_words(self):
        job = self.flights_sql(options="'scan.rows-per-second' = '10000'")
        process = self.start("run", job)
        self.await_file("out/.*")
        process.send_signal(signal.SIGUSR1)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("--savepoint-dir", err)


if __name__ == "__main__":
    unittest.main()
