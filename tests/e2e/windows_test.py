# SPDX-License-Identifier: Apache-2.0
"""Windows in SQL against an oracle that puts every row into every window that holds it."""

import collections
import csv
import glob
import random
import unittest

from harness import TidemarkTest, to_millis, to_text

MINUTE = 60_000
OPTIONS = "'scan.watermark.emit.strategy' = 'on-event'"
TABLE = """
SET 'table.local-time-zone' = '%s';
CREATE TABLE t (k STRING, j INT, v BIGINT, ts %s, WATERMARK FOR ts AS ts - INTERVAL '30' SECOND)
WITH ('connector' = 'filesystem', 'path' = 'in.csv', 'format' = 'csv', %s);
"""


def hop(size, slide, offset=0):
    def windows(time):
        start = (time - offset) // slide * slide + offset
        while start > time - size:
            yield start, start + size
            start -= slide
    return windows


def cumulate(size, step, offset=0):
    def windows(time):
        start = (time - offset) // size * size + offset
        for end in range(start + step, start + size + 1, step):
            if time < end:
                yield start, end
    return windows


class Windows(TidemarkTest):

    def setUp(self):
        super().setUp()
        draw = random.Random(7)
        self.rows = []
        time = to_millis("2024-05-01 10:00:00")
        for _ in range(400):
            time += draw.randrange(0, 20_000)
            self.rows.append((draw.choice("abc"), draw.randrange(3), draw.randrange(-50, 100),
                              time - draw.randrange(0, 90_000)))
        self.write_rows(self.rows)

    def write_rows(self, rows, suffix=""):
        self.write("in.csv", "".join("%s,%d,%d,%s%s\n" % (k, j, v, to_text(time), suffix)
                                     for k, j, v, time in rows))

    def groups(self, windows, key, late=lambda end, watermark: end <= watermark):
        """The values of each (start, end, key), and the number of late rows."""
        groups = collections.defaultdict(list)
        watermark = -10**18
        dropped = 0
        for row in self.rows:
            time = row[3]
            held = [w for w in windows(time) if not late(w[1], watermark)]
            dropped += 0 if held else 1
            for window in held:
                groups[window + (key(row),)].append(row)
            watermark = max(watermark, time - 30_000 + 1)
        return groups, dropped

    def run_select(self, query, zone="UTC", type_of_time="TIMESTAMP(3)"):
        """The rows of an INSERT INTO files of `query`, as the files have them, sorted."""
        names, select = query
        self.write("q.sql", TABLE % (zone, type_of_time, OPTIONS) + """
CREATE TABLE out_table (%s) WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'csv');
INSERT INTO out_table %s;
""" % (names, select))
        out, _ = self.tidemark("run", "q.sql")
        rows = []
        for path in glob.glob(self.path("out/*")):
            with open(path, newline="") as file:
                rows.extend(tuple(row) for row in csv.reader(file))
        return sorted(rows), out

    def check(self, windows, call):
        rows, summary = self.run_select(
            ("s TIMESTAMP(3), e TIMESTAMP(3), k STRING, c BIGINT, total BIGINT, most BIGINT",
             """SELECT window_start, window_end, k, COUNT(*), SUM(v), MAX(v)
                FROM TABLE(%s) GROUP BY window_start, window_end, k""" % call))
        groups, late = self.groups(windows, lambda row: row[0])
        self.assertEqual(rows, sorted(
            (to_text(s), to_text(e), k, str(len(held)), str(sum(r[2] for r in held)),
             str(max(r[2] for r in held))) for (s, e, k), held in groups.items()))
        self.assertIn("late rows    %d\n" % late, summary)

    def test_hop(self):
        self.check(hop(10 * MINUTE, 2 * MINUTE), """
HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '2' MINUTE, INTERVAL '10' MINUTE)""")

    def test_hop_with_an_offset_and_a_size_that_is_no_multiple(self):
        self.check(hop(7 * MINUTE, 3 * MINUTE, MINUTE), """
HOP(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SLIDE => INTERVAL '3' MINUTE,
    SIZE => INTERVAL '7' MINUTE, `OFFSET` => INTERVAL '4' MINUTE)""")

    def test_cumulate(self):
        self.check(cumulate(20 * MINUTE, 5 * MINUTE, 2 * MINUTE), """
CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '20' MINUTE, INTERVAL '2' MINUTE)
""")

    def test_an_aggregation_that_reads_its_window(self):
        rows, _ = self.run_select(
            ("s TIMESTAMP(3), e TIMESTAMP(3), k STRING, total BIGINT",
             """SELECT window_start, window_end, k, SUM(v)
                FROM HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '4' MINUTE, INTERVAL '10' MINUTE)
                WHERE ts < window_start + INTERVAL '3' MINUTE
                GROUP BY window_start, window_end, k"""))
        windows = hop(10 * MINUTE, 4 * MINUTE)
        groups, _ = self.groups(
            lambda time: [w for w in windows(time) if time < w[0] + 3 * MINUTE],
            lambda row: row[0])
        self.assertEqual(rows, sorted((to_text(s), to_text(e), k, str(sum(r[2] for r in held)))
                                      for (s, e, k), held in groups.items()))

    def test_an_aggregation_of_an_aggregation_in_the_same_windows(self):
        rows, _ = self.run_select(
            ("s TIMESTAMP(3), e TIMESTAMP(3), most BIGINT, ks BIGINT",
             """SELECT window_start, window_end, MAX(c), COUNT(*) FROM (
                  SELECT window_start, window_end, window_time, k, COUNT(*) AS c
                  FROM HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '4' MINUTE, INTERVAL '10' MINUTE)
                  GROUP BY window_start, window_end, window_time, k)
                GROUP BY window_start, window_end"""))
        groups, _ = self.groups(hop(10 * MINUTE, 4 * MINUTE), lambda row: row[0])
        of_window = collections.defaultdict(list)
        for (s, e, _), held in groups.items():
            of_window[(s, e)].append(len(held))
        self.assertEqual(rows, sorted((to_text(s), to_text(e), str(max(c)), str(len(c)))
                                      for (s, e), c in of_window.items()))

    def test_a_tumble_over_the_results_of_a_hop(self):
        rows, _ = self.run_select(
            ("s TIMESTAMP(3), total BIGINT",
             """SELECT window_start, SUM(c) FROM TUMBLE(TABLE (
                  SELECT window_time AS wt, COUNT(*) AS c
                  FROM HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)
                  GROUP BY window_start, window_end, window_time), DESCRIPTOR(wt),
                  INTERVAL '1' HOUR) GROUP BY window_start, window_end""".replace("TABLE (", "(")))
        groups, _ = self.groups(hop(10 * MINUTE, 5 * MINUTE), lambda row: None)
        hours = collections.Counter()
        for (_, e, _), held in groups.items():
            hours[(e - 1) // (60 * MINUTE) * 60 * MINUTE] += len(held)
        self.assertEqual(rows, sorted((to_text(s), str(n)) for s, n in hours.items()))

    def test_rows_of_a_hop(self):
        rows, _ = self.run_select(
            ("s TIMESTAMP(3), e TIMESTAMP(3), w TIMESTAMP(3), v BIGINT",
             """SELECT window_start, window_end, window_time, v
                FROM HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)"""))
        self.assertEqual(rows, sorted(
            (to_text(s), to_text(e), to_text(e - 1), str(row[2])) for row in self.rows
            for s, e in hop(10 * MINUTE, 5 * MINUTE)(row[3])))

    def test_grouping_sets(self):
        rows, _ = self.run_select(
            ("s TIMESTAMP(3), k STRING, j INT, g BIGINT, total BIGINT, js BIGINT",
             """SELECT window_start, k, j, GROUPING_ID(k, j), SUM(v), SUM(j)
                FROM HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)
                GROUP BY window_start, window_end, ROLLUP (k, j) HAVING SUM(v) > 0"""))
        expected = []
        for bits, key in ((0, lambda r: (r[0], str(r[1]))), (1, lambda r: (r[0], "")),
                          (3, lambda r: ("", ""))):
            groups, _ = self.groups(hop(10 * MINUTE, 5 * MINUTE), key)
            for (s, _, k), held in groups.items():
                total = sum(r[2] for r in held)
                if total > 0:
                    expected.append((to_text(s),) + k + (str(bits), str(total),
                                                         str(sum(r[1] for r in held))))
        self.assertEqual(rows, sorted(expected))

    # A day in Los Angeles with its hours: 2021-03-14 has 23, 2021-11-07 has 25, one of them twice.
    def test_windows_by_a_clock_that_is_moved(self):
        for day, hours in (("2021-03-14", 23), ("2021-11-07", 25)):
            midnight = to_millis(day + (" 08:00:00" if hours == 23 else " 07:00:00"))
            self.rows = [("a", 0, 1, midnight + i * 30 * MINUTE) for i in range(-4, hours * 2 + 4)]
            self.write_rows(self.rows, "Z")
            ends = {}
            for call in ("HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOUR)",
                         "CUMULATE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '1' DAY)"):
                self.write("q.sql", TABLE % ("America/Los_Angeles", "TIMESTAMP_LTZ(3)", OPTIONS) + """
SELECT CAST(window_end AS STRING) AS e, COUNT(*) AS c FROM %s GROUP BY window_start, window_end;
""" % call)
                out, err = self.tidemark("run", "q.sql")
                self.assertIn("late rows    0\n", err)
                counts = dict(tuple(c.strip() for c in line.strip("|").split("|"))
                              for line in out.splitlines() if line.startswith("| 2"))
                ends[call[0]] = counts
            noon = ends["H"][day + " 12:00:00.000"]
            self.assertEqual(noon, "4")
            night = {e: int(c) for e, c in ends["H"].items() if e.startswith(day + " 0")}
            if hours == 23:
                # There is no hour from 2 to 3: windows that touch it hold half.
                self.assertEqual(night[day + " 03:00:00.000"], 2)
                self.assertEqual(night[day + " 04:00:00.000"], 2)
            else:
                self.assertEqual(night[day + " 02:00:00.000"], 6)
                self.assertEqual(night[day + " 03:00:00.000"], 6)
            last = "2021-03-15" if hours == 23 else "2021-11-08"
            self.assertEqual(ends["C"][last + " 00:00:00.000"], str(hours * 2))

    def folded(self, out, columns):
        """What a table holds to which the printed changes are applied."""
        held = collections.Counter()
        for line in out.splitlines():
            kind, row = line[:2], line[3:-1]
            if kind not in ("+I", "-U", "+U"):
                continue
            held[row] += -1 if kind == "-U" else 1
            self.assertGreaterEqual(held[row], 0, "a row is taken back that was never said")
        rows = [tuple(row.split(", ")) for row, n in held.items() for _ in range(n)]
        self.assertTrue(all(len(row) == columns for row in rows))
        return sorted(rows)

    def test_late_and_early_results_are_taken_back(self):
        windows = hop(10 * MINUTE, 5 * MINUTE)
        groups, dropped = self.groups(windows, lambda row: row[0],
                                      lambda end, watermark: end + 20 * MINUTE <= watermark)
        self.assertEqual(dropped, 0)
        expected = sorted((to_text(e), k, str(len(held)), str(sum(r[2] for r in held)))
                          for (s, e, k), held in groups.items())
        for options in (("allow-lateness' = '20 min",),
                        ("allow-lateness' = '20 min", "early-fire.enabled' = 'true",
                         "early-fire.delay' = '0 s"),
                        ("allow-lateness' = '20 min", "late-fire.enabled' = 'true",
                         "late-fire.delay' = '5 min")):
            self.write("q.sql", "".join("SET 'table.exec.emit.%s';\n" % o for o in options)
                       + TABLE % ("UTC", "TIMESTAMP(3)", OPTIONS) + """
CREATE TABLE shown (e STRING, k STRING, c BIGINT, total BIGINT) WITH ('connector' = 'print');
INSERT INTO shown SELECT CAST(window_end AS STRING), k, COUNT(*), SUM(v)
FROM HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '10' MINUTE)
GROUP BY window_start, window_end, k;
""")
            out, _ = self.tidemark("run", "q.sql", "--fresh")
            self.assertEqual(self.folded(out, 4), expected, options)
            self.assertIn("-U[", out)

    def test_a_sink_that_takes_no_changes_is_refused_by_name(self):
        self.write("q.sql", "SET 'table.exec.emit.allow-lateness' = '20 min';\n"
                   + TABLE % ("UTC", "TIMESTAMP(3)", OPTIONS) + """
CREATE TABLE files (k STRING, c BIGINT)
WITH ('connector' = 'filesystem', 'path' = 'out', 'format' = 'csv');
INSERT INTO files SELECT k, COUNT(*) FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE)
GROUP BY window_start, window_end, k;
""")
        _, err = self.tidemark("run", "q.sql", code=2)
        self.assertIn("'files' (connector 'filesystem') takes new rows only", err)

    def test_the_summary_shows_late_rows(self):
        self.rows = [("a", 1, 5, to_millis("2024-05-01 10:00:00")),
                     ("b", 1, 6, to_millis("2024-05-01 12:00:00")),
                     ("late", 1, 7, to_millis("2024-05-01 10:00:01"))]
        self.write_rows(self.rows)
        _, summary = self.run_select(("c BIGINT", """
SELECT COUNT(*) FROM TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTE)
GROUP BY window_start, window_end, k"""))
        self.assertIn("late rows    1\n", summary)
        self.assertRegex(summary, "such as .*k=late.*; its time is 2024-05-01 10:00:01.000, the "
                                  "watermark was 2024-05-01 11:59:30.001")


if __name__ == "__main__":
    unittest.main()
