#!/usr/bin/python3
"""tb/tools/bench: its arithmetic, its table, and what a user meets. Nothing is measured but by fake programs."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BENCH = ROOT / "tb/tools/bench"
sys.path[:0] = [str(ROOT / "tb/tools"), str(ROOT / "scripts")]

from benchmarks import commits, measure, table  # noqa: E402
from benchmarks.loads import CHECKED, LOADS, find  # noqa: E402
from lib.common.complaint import Complaint  # noqa: E402

# A horae whose packet-hops are a thousand for each unit of length.
PROGRAM = """#!/usr/bin/python3
import json, sys
lengths = [w.split("=")[1].split() for w in sys.argv if w.startswith(("sim.duration=", "traffic[0].message="))]
print(json.dumps({"packet_hops": 1000 * int(lengths[0][0])}))
"""
# A valgrind for which a run costs a million, and each packet-hop COST.
VALGRIND = """#!/usr/bin/python3
import json, os, subprocess, sys
words = [w for w in sys.argv[1:] if not w.startswith(("--tool", "--callgrind", "--child"))]
out = subprocess.run(words, capture_output=True, text=True).stdout
print(out)
print("==1== Collected :", 1000000 + int(float(os.environ["COST"]) * json.loads(out)["packet_hops"]), file=sys.stderr)
"""


def line(load, instructions, commit="abc", kind="bench", **more):
    return table.Line(commit, "2026-01-01", kind, load, instructions, **more)


class Arithmetic(unittest.TestCase):
    def test_start_up_cancels(self):
        self.assertEqual(measure.per_unit([(1_000_000 + 450 * 100, 100), (1_000_000 + 450 * 300, 300)]), 450)
        with self.assertRaisesRegex(Complaint, "the same 7 packet-hops"):
            measure.per_unit([(1, 7), (2, 7)])

    def test_the_empty_run_is_taken_away(self):
        self.assertAlmostEqual(measure.rate(8_000_000, 5.0, 1.0), 2_000_000)

    def test_growth(self):
        self.assertAlmostEqual(table.growth(105, 100), 0.05)
        self.assertAlmostEqual(table.growth(90, 100), -0.1)
        self.assertIsNone(table.growth(None, 100))
        self.assertIsNone(table.growth(100, None))

    def test_more_than_five_per_cent_is_a_regression(self):
        recorded = {"a": line("a", 100.0), "b": line("b", 100.0), "c": line("c", 100.0)}
        self.assertEqual(table.regressions({"a": line("a", 104.9), "b": line("b", 60.0)}, recorded), [])
        (found,) = table.regressions({"a": line("a", 100.0), "c": line("c", 105.2)}, recorded)
        self.assertEqual(found, "c: 105.2 instructions per packet-hop, 5.2 % more than the 100.0 recorded at abc; "
                                "at most 5 %")

    def test_a_load_without_a_line_is_said(self):
        (found,) = table.regressions({"a": line("a", 1.0)}, {})
        self.assertIn("no recorded line", found)


class Table(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name) / "speed.csv"

    def tearDown(self):
        self.folder.cleanup()

    def test_what_is_appended_is_read(self):
        first = line("fabric", 446.2, hops_per_cpu_s=14400000.0, empty_cpu_s=0.125, peak_rss_mib=20.5)
        table.append([first], self.path)
        table.append([line("nic", 908.0, commit="def+", kind="check")], self.path)
        self.assertEqual(table.read(self.path), [first, line("nic", 908.0, commit="def+", kind="check")])

    def test_the_last_line_of_a_load_counts(self):
        lines = [line("a", 3.0), line("b", 4.0), line("a", 2.0, commit="new"), line("a", 1.0, kind="check")]
        self.assertEqual(table.latest(lines), {"a": lines[2], "b": lines[1]})
        self.assertEqual(table.latest(lines, "check"), {"a": lines[3]})

    def test_lines_of_a_commit(self):
        lines = [line("a", 3.0), line("b", 4.0, commit="abc+"), line("c", 5.0, commit="abd")]
        self.assertEqual(table.of_commit(lines, "abc123"), {"a": lines[0]})  # abc+ had changes

    def test_a_broken_table_is_one_line(self):
        self.path.write_text(",".join(table.FIELDS) + "\nabc,2026-01-01,bench,a,many,,,\n")
        with self.assertRaisesRegex(Complaint, r"^speed.csv:2: 'many' is no number$"):
            table.read(self.path)
        self.path.write_text(",".join(table.FIELDS) + "\nabc,2026-01-01,bench\n")
        with self.assertRaisesRegex(Complaint, r"^speed.csv:2: "):
            table.read(self.path)
        self.path.write_text("a,b\n")
        with self.assertRaisesRegex(Complaint, "columns"):
            table.read(self.path)

    def test_what_is_printed(self):
        full = line("nic", 908.4, hops_per_cpu_s=7480000.0, empty_cpu_s=0.05, peak_rss_mib=30.4)
        head, first, second = table.text([full, line("themis", None)], {"nic": "256 NICs"}).splitlines()
        self.assertEqual(head.split(), "load instr/hop hops/s (CPU) ns/hop start-up s peak MiB what".split())
        self.assertEqual(first.split(), "nic 908 7.48e+06 134 0.05 30 256 NICs".split())
        self.assertEqual(second.split(), "themis - - - - -".split())
        both = table.comparison({"nic": full}, {"nic": line("nic", 1000.0)}).splitlines()
        self.assertIn("1000.0 -> 908.4   -9.2 %", both[1])

    def test_the_one_of_the_project_has_what_check_needs(self):
        recorded = table.latest(table.read(), "check")
        for load in CHECKED:
            self.assertGreater(recorded[load.name].instructions, 100)


class Loads(unittest.TestCase):
    def test_platforms_are_there(self):
        for load in (*LOADS.values(), *CHECKED):
            self.assertTrue((ROOT / "platforms" / load.platform).is_file(), load.platform)
            self.assertLess(load.counted[0], load.counted[1])

    def test_lengths(self):
        load = LOADS["race_128"]
        self.assertIn("traffic[0].message=8192 KiB", load.command("horae", load.timed))
        self.assertIn("sim.duration=1 us", load.command("horae", load.empty))
        self.assertIn("sim.duration=60 us", LOADS["fabric"].command("horae", 60))

    def test_names(self):
        self.assertEqual(list(find(["nic", "replay"])), ["nic", "replay"])
        self.assertEqual(list(find([]))[-5:], ["replay", "p4", "p4_passes", "p4_bytecode", "p4_compiled"])
        self.assertEqual(list(find(["reps"])), ["reps_128", "reps_1024"])
        with self.assertRaisesRegex(Complaint, "^unknown load 'fabrik', did you mean 'fabric'"):
            find(["fabrik"])


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        for name, text in (("horae", PROGRAM), ("valgrind", VALGRIND)):
            path = pathlib.Path(self.folder.name) / name
            path.write_text(text)
            path.chmod(0o755)
        self.program = pathlib.Path(self.folder.name) / "horae"

    def tearDown(self):
        self.folder.cleanup()

    def bench(self, *words, cost=1.0):
        env = dict(os.environ, PATH=f"{self.folder.name}:{os.environ['PATH']}", COST=str(cost))
        return subprocess.run([BENCH, *words], capture_output=True, text=True, env=env, check=False)

    def test_bad_arguments_are_one_line(self):
        for words in (["--wrong"], ["fabrik"], ["--repeats", "0"], ["--repeats", "x"], ["--check", "nic"],
                      ["--record", "--check"], ["--program", "/nowhere"], ["--program", "/tmp"],
                      ["--no-times", "--no-instructions"], ["--record", "--no-times"],
                      ["--record", "--program", str(self.program)],
                      ["--against", "nowhere", "--program", str(self.program)]):
            run = self.bench(*words)
            self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), words)
            self.assertTrue(run.stderr.startswith("bench: "), run.stderr)

    def test_it_counts(self):
        run = self.bench("nic", "--no-times", "--program", str(self.program), cost=77)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stdout.splitlines()[1].split()[:2], ["nic", "77"])

    def test_check_fails_on_more_instructions(self):
        lowest = min(line.instructions for line in table.latest(table.read(), "check").values())
        self.assertEqual(self.bench("--check", "--program", str(self.program), cost=lowest).returncode, 0)
        run = self.bench("--check", "--program", str(self.program), cost=1.06 * lowest)
        self.assertEqual(run.returncode, 1)
        self.assertIn("6.0 % more", run.stderr)

    def test_a_program_that_fails_is_one_line(self):
        self.program.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
        run = self.bench("nic", "--no-instructions", "--program", str(self.program))
        self.assertEqual((run.returncode, run.stderr), (2, "bench: horae failed: broken\n"))

    def test_peak_memory_is_the_programs_own(self):
        self.program.write_text("#!/bin/sh\necho '{}'\n")
        ballast = bytearray(200 << 20)
        ballast[::4096] = b"x" * len(ballast[::4096])
        self.assertLess(measure.use([self.program]).peak_rss_mib, 100)
        self.assertEqual(len(ballast), 200 << 20)

    def test_the_table_needs_no_program(self):
        run = self.bench("--table", "fabric")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("instr/hop", run.stdout)

    def test_commits(self):
        self.assertEqual(len(commits.commit_of("HEAD")), 40)
        with self.assertRaisesRegex(Complaint, "^'no such' is no commit of this repository$"):
            commits.commit_of("no such")


if __name__ == "__main__":
    unittest.main()
