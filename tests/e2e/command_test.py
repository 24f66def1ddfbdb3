# SPDX-License-Identifier: Apache-2.0
"""What the command says: results of queries, plans, and what bad input gets."""

import glob
import os
import subprocess
import unittest

from harness import BINARY, FLIGHTS_CSV, SOURCE, TidemarkTest

TABLE = """
CREATE TABLE flights (
  observed_at TIMESTAMP(3), scheduled_at TIMESTAMP(3), origin STRING, destination STRING,
  delay_minutes INT, distance_miles INT,
  WATERMARK FOR scheduled_at AS scheduled_at - INTERVAL '120' MINUTE
) WITH ('connector' = 'filesystem', 'path' = '%s', 'format' = 'csv');
""" % FLIGHTS_CSV


class Command(TidemarkTest):

    def test_a_select_prints_a_table(self):
        self.write("q.sql", TABLE + """
SELECT origin, destination, delay_minutes FROM flights WHERE delay_minutes > 470;
""")
        out, err = self.tidemark("run", "q.sql")
        lines = out.splitlines()
        self.assertRegex(lines[1], r"^\| origin +\| destination +\| delay_minutes \|$")
        with open(FLIGHTS_CSV) as file:
            expected = [line.split(",") for line in file if int(line.split(",")[4]) > 470]
        cells = [tuple(c.strip() for c in line.strip("|").split("|")) for line in lines[3:-2]]
        self.assertEqual(sorted(cells), sorted((r[2], r[3], r[4]) for r in expected))
        self.assertTrue(lines[-1].startswith("%d row" % len(expected)))
        self.assertIn("rows read", err)

    def test_the_readme_shows_what_happens(self):
        with open(os.path.join(SOURCE, "README.md")) as file:
            readme = file.read()
        with open(os.path.join(SOURCE, "examples/flights/worst_hours.sql")) as file:
            self.assertIn("```sql\n" + file.read() + "```", readme)
        done = subprocess.run([BINARY, "run", "examples/flights/worst_hours.sql"], cwd=SOURCE,
                              text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("worst_hours.sql\n" + done.stdout + "```", readme)

    def test_verbose_says_what_the_engine_does(self):
        _, err = self.tidemark("run", self.flights_sql(), "--verbose")
        self.assertIn("from the beginning", err)
        self.assertIn("checkpoint 1 is complete", err)

    def test_a_select_over_windows_shows_closed_windows(self):
        self.write("q.sql", TABLE + """
SELECT window_start, COUNT(*) AS flights
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(scheduled_at), INTERVAL '30' DAY))
GROUP BY window_start, window_end;
""")
        out, _ = self.tidemark("run", "q.sql")
        rows = [line for line in out.splitlines() if line.startswith("| 2")]
        counts = [int(row.strip("|").split("|")[1]) for row in rows]
        self.assertEqual(sum(counts), 20000)

    def test_explain_prints_a_tree(self):
        self.write("q.sql", TABLE + """
EXPLAIN SELECT window_start, origin, COUNT(*) AS flights
FROM TABLE(TUMBLE(TABLE flights, DESCRIPTOR(scheduled_at), INTERVAL '1' HOUR))
WHERE delay_minutes > 0 GROUP BY window_start, window_end, origin;
""")
        out, _ = self.tidemark("run", "q.sql")
        for word in ("flights", "origin", "COUNT", "delay_minutes"):
            self.assertIn(word, out)
        other, _ = self.tidemark("explain", self.flights_sql())
        self.assertIn("hourly_delays", other)

    def test_a_wrong_name_gets_place_and_nearest(self):
        self.write("q.sql", "-- a comment\nSELECT orgin FROM t;\n")
        _, err = self.tidemark("run", "q.sql", code=2)
        self.assertTrue(err.startswith("q.sql:2:"), err)
        self.write("q.sql", TABLE + "SELECT orgin FROM flights;\n")
        _, err = self.tidemark("run", "q.sql", code=2)
        self.assertIn("^", err)
        self.assertIn("origin", err)

    def test_a_wrong_option_gets_what_it_takes(self):
        self.write("q.sql", TABLE.replace("'format'", "'formt'") + "SELECT * FROM flights;\n")
        _, err = self.tidemark("run", "q.sql", code=2)
        self.assertIn("format", err)
        self.write("q.sql", TABLE + "SELECT * FROM flights;\n")
        _, err = self.tidemark("run", "q.sql", "-D", "parallelism.default=lots", code=2)
        self.assertIn("parallelism.default", err)
        self.assertIn("lots", err)

    def test_a_wrong_command_gets_the_nearest(self):
        _, err = self.tidemark("rum", "q.sql", code=2)
        self.assertIn("no command 'rum'", err)
        self.assertIn("did you mean 'run'?", err)
        _, err = self.tidemark(code=2)
        self.assertIn("explain", err)

    def test_the_engines_own_names_are_not_shown(self):
        self.write("q.sql", "CREATE TABLE t (a INT) WITH ('connector'='kafka'); SELECT * FROM t;")
        _, err = self.tidemark("run", "q.sql", code=2)
        self.assertIn("'filesystem'", err)
        self.assertNotIn("__", err)
        self.write("q.sql", "EXPLAIN SELECT 1;")
        out, _ = self.tidemark("run", "q.sql")
        self.assertNotIn("__", out)

    def test_null_for_a_column_that_is_not_null_is_an_error_by_either_policy(self):
        self.write("in.csv", "0\n")
        table = """
CREATE TABLE t (x INT %s) WITH ('connector'='filesystem', 'path'='in.csv', 'format'='csv');
CREATE TABLE o (y INT NOT NULL) WITH ('connector'='blackhole');
INSERT INTO o SELECT %s FROM t;
"""
        for nullable, value in (("", "NULLIF(x, 0)"), ("NOT NULL", "1 / x")):
            self.write("q.sql", table % (nullable, value))
            out, _ = self.tidemark("run", "q.sql", "-D", "tidemark.record-errors=null", code=1)
            self.assertIn("NULL in 'y' of 'o', which is NOT NULL", out)
            self.assertNotIn("__", out)
        self.write("q.sql", table % ("", "NULLIF(x, 0)"))
        out, err = self.tidemark("run", "q.sql", "--fresh", code=1)
        self.assertIn("NULL in 'y' of 'o', which is NOT NULL; the row is (x=0)", out)
        self.assertNotIn("warning", err)  # what ends the job is said once

    def test_constant_rows_may_ask_for_the_time(self):
        self.write("q.sql", "SELECT NOW() > TIMESTAMP '2020-01-01 00:00:00' AS a, "
                            "UNIX_TIMESTAMP() > 0 AS b;")
        out, _ = self.tidemark("run", "q.sql")
        self.assertRegex(out, r"\| TRUE +\| TRUE +\|")
        self.write("q.sql", "SELECT a, b FROM (VALUES (UUID(), UUID())) AS v (a, b);")
        out, _ = self.tidemark("run", "q.sql")
        cells = out.splitlines()[3].strip("|").split("|")
        self.assertNotEqual(cells[0].strip(), cells[1].strip())

    def test_a_missing_file_is_named(self):
        _, err = self.tidemark("run", "nowhere.sql", code=2)
        self.assertIn("nowhere.sql", err)
        self.write("q.sql", TABLE.replace(FLIGHTS_CSV, "/nowhere.csv") + "SELECT * FROM flights;")
        _, err = self.tidemark("run", "q.sql", code=2)
        self.assertIn("/nowhere.csv", err)

    def test_a_poisoned_record_fails_with_its_place_and_is_not_retried(self):
        self.write("in.csv", "1,2\nx,3\n4,5\n")
        self.write("q.sql", """
CREATE TABLE t (a INT, b INT) WITH ('connector'='filesystem', 'path'='in.csv', 'format'='csv');
CREATE TABLE o (a INT, b INT) WITH ('connector'='filesystem', 'path'='o', 'format'='csv');
INSERT INTO o SELECT * FROM t;
""")
        out, _ = self.tidemark("run", "q.sql", code=1)
        self.assertIn("in.csv", out)
        self.assertRegex(out, r"\b4\b")
        self.assertIn("'x'", out)

    def test_an_expression_that_cannot_be_evaluated_fails_or_gives_null(self):
        self.write("in.csv", "0\n1\n5\n")
        self.write("q.sql", """
CREATE TABLE t (x INT) WITH ('connector'='filesystem', 'path'='in.csv', 'format'='csv');
SELECT x, 10 / x AS y FROM t;
""")
        _, err = self.tidemark("run", "q.sql", code=1)
        self.assertIn("division by zero", err)
        out, _ = self.tidemark("run", "q.sql", "-D", "tidemark.record-errors=null")
        cells = sorted(tuple(c.strip() for c in line.strip("|").split("|"))
                       for line in out.splitlines()[3:-2])
        self.assertEqual(cells, [("0", "NULL"), ("1", "10"), ("5", "2")])

    def test_print_and_datagen(self):
        self.write("q.sql", """
CREATE TABLE n (id BIGINT) WITH ('connector'='datagen', 'fields.id.kind'='sequence',
  'fields.id.start'='1', 'fields.id.end'='5');
CREATE TABLE p (id BIGINT, twice BIGINT) WITH ('connector'='print');
INSERT INTO p SELECT id, id * 2 FROM n;
""")
        out, _ = self.tidemark("run", "q.sql", "--parallelism", "1")
        for i in range(1, 6):
            self.assertIn("+I[%d, %d]" % (i, 2 * i), out)
        self.assertNotIn("First rows", out)  # they are on the screen already
        out, _ = self.tidemark("run", "q.sql")
        self.assertIn("had already finished; --fresh runs it again", out)

    def test_a_uuid_never_comes_again(self):
        self.write("q.sql", """
SET 'execution.checkpointing.interval' = '20 ms';
CREATE TABLE n (id BIGINT) WITH ('connector'='datagen', 'rows-per-second'='4000',
  'fields.id.kind'='sequence', 'fields.id.start'='1', 'fields.id.end'='4000');
CREATE TABLE o (id BIGINT, u STRING) WITH ('connector'='filesystem', 'path'='o', 'format'='csv');
INSERT INTO o SELECT id, UUID() FROM n;
""")
        process = self.start("run", "q.sql")
        while not glob.glob(self.path("o/*")) and process.poll() is None:
            pass
        self.kill(process)
        out, _ = self.tidemark("run", "q.sql")
        self.assertIn("resumed from number", out)
        rows = []
        for path in glob.glob(self.path("o/*")):
            with open(path) as file:
                rows += file.read().split()
        self.assertEqual(len(rows), 4000)
        self.assertEqual(len({row.split(",")[1] for row in rows}), 4000)

    def test_first_rows_have_the_names_of_their_table(self):
        self.write("q.sql", """
CREATE TABLE o (mine INT) WITH ('connector'='blackhole');
INSERT INTO o SELECT * FROM (VALUES (1)) AS v (theirs);
INSERT INTO o VALUES (2);
""")
        out, _ = self.tidemark("run", "q.sql")
        self.assertRegex(out, r"\| +mine \|")
        self.assertNotIn("theirs", out)
        self.assertIn("Job insert-into_o finished", out)
        self.assertIn("Job insert-into_o-2 finished", out)

    def test_reads_standard_input_and_says_when_there_is_nothing_to_run(self):
        done = subprocess.run([BINARY, "run", "-"], input="SELECT 1 + 1 AS two;", text=True,
                              capture_output=True, cwd=self.directory, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("two", done.stdout)
        self.write("q.sql", "-- nothing\n")
        _, err = self.tidemark("run", "q.sql", code=2)
        self.assertIn("nothing to run", err)

    def test_a_directory_that_cannot_be_written_is_an_error_in_words(self):
        self.write("blocked", "a file, not a directory")
        job = self.flights_sql()
        _, err = self.tidemark("run", job, "--checkpoint-dir", "blocked/here", code=2)
        self.assertIn("blocked", err)

    def test_a_sink_below_a_file_fails_and_is_not_retried(self):
        self.write("blocked", "a file, not a directory")
        self.write("q.sql", """
CREATE TABLE o (id INT) WITH ('connector'='filesystem', 'path'='blocked/o', 'format'='csv');
INSERT INTO o VALUES (1);
""")
        out, _ = self.tidemark("run", "q.sql", code=1)
        self.assertIn("cannot create directory 'blocked/o'", out)
        self.assertNotIn("restarts", out)

    def test_output_that_cannot_be_written_is_no_success(self):
        for sql in ("SELECT 1;", "EXPLAIN SELECT 1;", """
CREATE TABLE p (id INT) WITH ('connector'='print');
INSERT INTO p VALUES (1);
"""):
            self.write("q.sql", sql)
            with open("/dev/full", "w") as full:
                done = subprocess.run([BINARY, "run", "q.sql"], cwd=self.directory, stdout=full,
                                      stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 1, sql + done.stderr)
            self.assertIn("cannot write to the standard output", done.stderr)

    def test_checkpoints_are_taken_at_the_interval(self):
        self.write("q.sql", """
SET 'execution.checkpointing.interval' = '50 ms';
CREATE TABLE n (id BIGINT) WITH ('connector'='datagen', 'number-of-rows'='2000',
  'rows-per-second'='2000', 'fields.id.kind'='sequence', 'fields.id.start'='1',
  'fields.id.end'='2000');
CREATE TABLE b (id BIGINT) WITH ('connector'='blackhole');
INSERT INTO b SELECT * FROM n;
""")
        for _ in range(5):
            out, _ = self.tidemark("run", "q.sql", "--fresh")
            taken = [int(line.split()[1].rstrip(",")) for line in out.splitlines() if "checkpoints" in line]
            self.assertGreater(taken[0], 1, out)


class Identifiers(TidemarkTest):
    """Names are written, folded, quoted and resolved alike in every layer."""

    def rows(self, sql, code=0):
        self.write("q.sql", sql)
        out, err = self.tidemark("run", "q.sql", code=code)
        if code:
            return err
        return sorted(tuple(c.strip() for c in line.strip("|").split("|"))
                      for line in out.splitlines()[3:-2])

    def test_quoted_names_work_everywhere(self):
        self.write("in.json", '{"productId":1,"end":"x"}\n')
        table = """
CREATE TABLE t (productId INT, `end` STRING)
WITH ('connector'='filesystem', 'path'='in.json', 'format'='json');
CREATE VIEW v AS SELECT * FROM t;
"""
        self.assertEqual(self.rows(table + "SELECT `productId`, `end` FROM t;"), [("1", "x")])
        self.assertEqual(self.rows(table + "SELECT productId, v.`end` FROM v;"), [("1", "x")])
        err = self.rows(table + "SELECT productid FROM v;", code=2)
        self.assertIn("productId", err)

    def grouped(self, select, group):
        self.write("in.csv", "1,2,2024-01-01 00:00:01\n3,4,2024-01-01 00:00:02\n"
                             "1,5,2024-01-01 00:00:03\n")
        return self.rows("""
CREATE TABLE t (a INT, b INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector'='filesystem', 'path'='in.csv', 'format'='csv');
SELECT %s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY))
GROUP BY window_start, window_end, %s;
""" % (select, group))

    def test_every_form_of_group_by_means_the_same(self):
        for group in ("x", "1", "3 * a"):
            with self.subTest(group=group):
                self.assertEqual(self.grouped("3 * a AS x, SUM(b) AS s", group),
                                 [("3", "7"), ("9", "4")])

    def test_a_column_wins_over_an_alias(self):
        # Grouped by the column a, not by the expression that is called a.
        self.assertEqual(self.grouped("SUM(b) AS a, COUNT(*) AS n", "a"), [("4", "1"), ("7", "2")])

    def test_ambiguity_and_column_lists(self):
        err = self.rows("WITH q AS (SELECT 1 AS c, 2 AS c) SELECT c FROM q;", code=2)
        self.assertIn("c", err)
        self.assertIn("q.sql:1:", err)
        self.assertEqual(self.rows("WITH q AS (SELECT 1) SELECT x FROM q AS t(x);"), [("1",)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
