# SPDX-License-Identifier: Apache-2.0
"""The flights job from the command line: its numbers, kills, stops, resumes and refusals."""

import fcntl
import os
import random
import signal
import subprocess
import unittest

from harness import TidemarkTest, expected_flights, read_flights

ROWS, LATE = expected_flights()


class Flights(TidemarkTest):

    def test_the_oracle_has_the_published_numbers(self):
        self.assertEqual((len(ROWS), sum(row[3] for row in ROWS), LATE), (17372, 19876, 124))

    def test_gives_the_same_rows_at_parallelism_1_and_4(self):
        for parallelism in ("1", "4"):
            with self.subTest(parallelism=parallelism):
                self.setUp()
                out, _ = self.tidemark("run", self.flights_sql(), "--parallelism", parallelism)
                self.assertEqual(read_flights(self.path("out")), ROWS)
                self.assertRegex(out, r"rows read +20,000\n")
                self.assertRegex(out, r"rows out +17,372\n")
                self.assertRegex(out, r"late rows +124\n")

    def run_with_kills(self, seed, parallelism):
        """Kills the job again and again until a run ends by itself; returns the number of kills."""
        random_ = random.Random(seed)
        job = self.flights_sql(options="'scan.rows-per-second' = '15000'", interval="50 ms")
        kills = 0
        while True:
            process = self.start("run", job, "--parallelism", parallelism)
            try:
                # The longer a run may take, the further it gets: the test ends on any machine.
                process.communicate(timeout=random_.uniform(0.02, 0.35) + 0.02 * kills)
                self.assertEqual(process.returncode, 0)
                return kills
            except subprocess.TimeoutExpired:
                self.kill(process)
                kills += 1
                # What is visible at any moment is part of the result: nothing half-written.
                committed = read_flights(self.path("out"))
                self.assertEqual(len(set(row[:3] for row in committed)), len(committed))
                self.assertLessEqual(set(committed), set(ROWS))

    def test_survives_kills_at_any_moment(self):
        for seed, parallelism in ((1, "1"), (2, "4"), (3, "2")):
            with self.subTest(seed=seed, parallelism=parallelism):
                self.setUp()
                kills = self.run_with_kills(seed, parallelism)
                self.assertGreater(kills, 2)
                self.assertEqual(read_flights(self.path("out")), ROWS)
                out, _ = self.tidemark("run", "job.sql")
                self.assertIn("already finished", out)
                self.assertRegex(out, r"late rows +124\n")
                self.assertEqual(read_flights(self.path("out")), ROWS)

    def rocksdb(self, memory="1mb"):
        return ["-D", "state.backend.type=rocksdb", "-D", "state.backend.rocksdb.localdir=" + self.path("scratch"),
                "-D", "taskmanager.memory.managed.size=" + memory]

    def test_rocksdb_survives_kills_and_another_parallelism(self):
        job = self.flights_sql(options="'scan.rows-per-second' = '15000'", interval="50 ms")
        random_ = random.Random(4)
        for kills in range(40):
            process = self.start("run", job, "--parallelism", str(1 + kills % 3), *self.rocksdb())
            try:
                process.communicate(timeout=random_.uniform(0.1, 0.4) + 0.04 * kills)
                self.assertEqual(process.returncode, 0)
                break
            except subprocess.TimeoutExpired:
                self.kill(process)
        self.assertGreater(kills, 1)
        self.assertEqual(read_flights(self.path("out")), ROWS)
        self.assertEqual(os.listdir(self.path("scratch")), [], "scratch goes with the job, and after a crash")

    def test_a_checkpoint_of_rocksdb_names_the_backend_that_reads_it(self):
        job = self.flights_sql(options="'scan.rows-per-second' = '15000'", interval="50 ms")
        process = self.start("run", job, *self.rocksdb())
        try:
            process.communicate(timeout=0.8)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
        out, _ = process.communicate()
        self.assertRegex(out, r"checkpoints .*the last of [\d,]+ bytes, [\d,]+ of them new")
        out, err = self.tidemark("run", job, code=1)
        self.assertIn("state.backend.type to 'rocksdb'", out + err)
        self.tidemark("run", job, *self.rocksdb("64mb"))
        self.assertEqual(read_flights(self.path("out")), ROWS)

    def test_resumes_at_another_parallelism(self):
        job = self.flights_sql(options="'scan.rows-per-second' = '20000'", interval="50 ms")
        for parallelism in ("1", "3"):
            process = self.start("run", job, "--parallelism", parallelism)
            try:
                process.communicate(timeout=0.5)
            except subprocess.TimeoutExpired:
                self.kill(process)
        self.tidemark("run", job, "--parallelism", "4")
        self.assertEqual(read_flights(self.path("out")), ROWS)

    def test_stops_on_sigterm_and_goes_on(self):
        job = self.flights_sql(options="'scan.rows-per-second' = '10000'")
        process = self.start("run", job)
        try:
            process.communicate(timeout=0.7)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        self.assertIn("can be resumed", out)
        self.assertLess(len(read_flights(self.path("out"))), len(ROWS))
        out, _ = self.tidemark("run", job)
        self.assertIn("resumed from number", out)
        self.assertEqual(read_flights(self.path("out")), ROWS)

    def test_fresh_starts_over_on_purpose(self):
        job = self.flights_sql()
        self.tidemark("run", job)
        out, _ = self.tidemark("run", job, "--fresh")
        self.assertNotIn("already finished", out)
        # Committed files are the user's: they stay, beside those of the new run.
        self.assertEqual(read_flights(self.path("out")), sorted(ROWS + ROWS))

    def test_refuses_the_checkpoint_of_another_job(self):
        self.tidemark("run", self.flights_sql())
        with open(self.path("job.sql")) as file:
            other = file.read().replace("INTERVAL '1' HOUR", "INTERVAL '2' HOUR")
        self.write("other.sql", other)
        _, err = self.tidemark("run", "other.sql", code=2)
        self.assertIn("another job", err)
        self.assertIn("--fresh", err)
        self.assertEqual(read_flights(self.path("out")), ROWS)

    def test_refuses_a_damaged_checkpoint(self):
        self.tidemark("run", self.flights_sql())
        found = []
        for directory, _, names in os.walk(self.path(".tidemark")):
            found += [os.path.join(directory, name) for name in names if name == "_metadata"]
        self.assertTrue(found)
        for path in found:
            with open(path, "r+b") as file:
                file.truncate(os.path.getsize(path) // 2)
        _, err = self.tidemark("run", "job.sql", code=2)
        self.assertIn("_metadata", err)

    def test_refuses_to_run_twice_at_once(self):
        job = self.flights_sql(options="'scan.rows-per-second' = '1000'")
        process = self.start("run", job)
        try:
            self.wait_until_locked(process)
            _, err = self.tidemark("run", job, code=2)
            self.assertIn("another process is running this job", err)
        finally:
            self.kill(process)

    def wait_until_locked(self, process):
        """Returns once the running job holds the lock of its checkpoint directory."""
        path = self.path(".tidemark/checkpoints/hourly_delays/.lock")
        while process.poll() is None:
            if os.path.exists(path):
                with open(path) as file:
                    try:
                        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    except BlockingIOError:
                        return
        self.fail("the job ended before it was looked at")


if __name__ == "__main__":
    unittest.main(verbosity=2)
