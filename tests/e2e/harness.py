# SPDX-License-Identifier: Apache-2.0
"""Runs the tidemark binary on copies of the repository's SQL files, and knows what the flights job
must give: computed here from the CSV alone, by the rules of docs/semantics.md."""

import csv
import datetime
import glob
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

SOURCE = os.environ["TIDEMARK_SOURCE_DIR"]
BINARY = os.environ["TIDEMARK_BINARY"]
FLIGHTS_CSV = os.path.join(SOURCE, "examples/flights/flights_2001.csv")
FLIGHTS_SQL = os.path.join(SOURCE, "examples/flights/hourly_delays.sql")
HOUR = 3_600_000
EPOCH = datetime.datetime(1970, 1, 1)


def to_millis(text):
    return round((datetime.datetime.fromisoformat(text) - EPOCH).total_seconds() * 1000)


def to_text(millis):
    stamp = EPOCH + datetime.timedelta(milliseconds=millis)
    return stamp.strftime("%Y-%m-%d %H:%M:%S.") + "%03d" % (millis % 1000)


def expected_flights(lateness_minutes=120):
    """(rows as (start, end, origin, count, max, average), late rows) of the flights job."""
    watermark = None
    windows = {}
    late = 0
    with open(FLIGHTS_CSV, newline="") as file:
        for _, scheduled, origin, _, delay, _ in csv.reader(file):
            time = to_millis(scheduled)
            start = time // HOUR * HOUR
            if watermark is not None and start + HOUR <= watermark:
                late += 1
            else:
                windows.setdefault((start, origin), []).append(int(delay))
            promise = time - lateness_minutes * 60_000 + 1
            watermark = promise if watermark is None else max(watermark, promise)
    rows = sorted(
        (to_text(start), to_text(start + HOUR), origin, len(delays), max(delays),
         sum(delays) / len(delays))
        for (start, origin), delays in windows.items())
    return rows, late


def read_flights(directory):
    """The committed rows, sorted; hidden files are not committed."""
    rows = []
    for path in glob.glob(os.path.join(directory, "*")):
        with open(path, newline="") as file:
            for start, end, origin, count, largest, average in csv.reader(file):
                rows.append((start, end, origin, int(count), int(largest), float(average)))
    return sorted(rows)


class TidemarkTest(unittest.TestCase):
    """Gives each test a directory of its own, in which tidemark runs."""

    maxDiff = 2000

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="tidemark-e2e-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return name

    def flights_sql(self, name="job.sql", options="", interval="100 ms"):
        """A copy of the flights job that writes to 'out' in the test's directory."""
        with open(FLIGHTS_SQL) as file:
            text = file.read()
        text = text.replace("'examples/flights/flights_2001.csv'", "'%s'" % FLIGHTS_CSV)
        text = text.replace("'build/demo/hourly_delays'", "'out'")
        text = text.replace("'1 s'", "'%s'" % interval)
        marker = "'scan.watermark.emit.strategy' = 'on-event'"
        assert marker in text and FLIGHTS_CSV in text and "'out'" in text
        if options:
            text = text.replace(marker, marker + ",\n  " + options)
        return self.write(name, text)

    def start(self, *arguments):
        return subprocess.Popen([BINARY, *arguments], cwd=self.directory, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def tidemark(self, *arguments, code=0, timeout=240):
        """Runs to the end, checks the exit code, returns (stdout, stderr)."""
        done = subprocess.run([BINARY, *arguments], cwd=self.directory, text=True,
                              capture_output=True, timeout=timeout)
        self.assertEqual(done.returncode, code,
                         "stdout:\n%s\nstderr:\n%s" % (done.stdout, done.stderr))
        return done.stdout, done.stderr

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        process.communicate()
