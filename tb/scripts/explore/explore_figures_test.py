#!/usr/bin/python3
"""What the figures of a study stand for: points whose runs left messages unfinished, units, derived figures."""
import csv
import os
import sys
import unittest

sys.dont_write_bytecode = True
from explore_test import Place, nine_nics  # noqa: E402
from lib.explore.outcome import reason_of  # noqa: E402
from lib.explore.table import lines_of  # noqa: E402
from lib.common.units import factor  # noqa: E402

LOSSY = """[study]
name = "lossy"
platform = "p.toml"
[[parameter]]
name = "x"
key = "x"
values = [0, 7, 44, 90]
[[parameter]]
name = "how"
key = "how"
values = ["lossy"]
[[objective]]
name = "time"
result = "RESULT"
direction = "min"
"""
COUNTS = 'incomplete = "counts"\n[[parameter]]'


class Unfinished(Place):
    def points(self, text):
        self.explore(self.study(text))
        return self.found("lossy")

    def test_a_run_that_left_messages_unfinished_is_not_feasible(self):
        # The median of those that ended is least where most is lost.
        found = self.points(LOSSY.replace("RESULT", "fct.p50"))
        self.assertEqual([p["feasible"] for p in found["points"]], [True, False, False, False])
        self.assertEqual(found["chosen"], 0)
        self.assertEqual(found["points"][3]["reason"], "the run ended with the verdict timeout, 90 unfinished")
        self.assertEqual([p["unfinished"] for p in found["points"]], [0, 7, 44, 90])
        self.assertEqual([p["lost"] for p in found["points"]], [1, 22, 133, 271])
        self.assertEqual([p["timeouts"] for p in found["points"]], [0, 14, 88, 180])
        rows = list(csv.DictReader(self.table("lossy")[1].decode().splitlines()))
        self.assertEqual([r["unfinished"] for r in rows], ["0", "7", "44", "90"])

    def test_a_study_may_count_it(self):
        found = self.points(LOSSY.replace("RESULT", "fct.p50").replace("[[parameter]]", COUNTS, 1))
        self.assertEqual([p["feasible"] for p in found["points"]], [True] * 4)
        self.assertEqual(found["chosen"], 3)

    def test_a_point_without_its_objective_is_not_feasible_and_says_why(self):
        found = self.points(LOSSY.replace("RESULT", "fct.p99").replace("[[parameter]]", COUNTS, 1))
        self.assertEqual([p["feasible"] for p in found["points"]], [True, False, False, False])
        self.assertEqual(found["points"][1]["reason"], "no time: 7 of 200 messages unfinished")

    def test_a_point_without_the_value_of_a_constraint_is_not_feasible_and_says_why(self):
        text = LOSSY.replace("RESULT", "fct.p50").replace("[[parameter]]", COUNTS, 1)
        bound = '[[constraint]]\nname = "tail"\nresult = "fct.p99"\nmost = 10\n'
        printed = self.explore(self.study(text + bound)).stdout
        found = self.found("lossy")
        self.assertEqual([p["feasible"] for p in found["points"]], [True, False, False, False])
        self.assertEqual(found["chosen"], 0)
        self.assertEqual([p["reason"] for p in found["points"]],
                         ["", *[f"no tail: {n} of 200 messages unfinished" for n in (7, 44, 90)]])
        self.assertIn("infeasible: 3 points, such as 1: no tail: 7 of 200 messages unfinished", printed)

    def test_a_derived_figure_without_a_value_says_why(self):
        text = LOSSY.replace("RESULT", "fct.p50").replace("[[parameter]]", COUNTS, 1) + """[[derived]]
name = "spread"
value = "p99 / p50"
of = { p99 = "fct.p99", p50 = "fct.p50" }
[[derived]]
name = "share"
value = "1 / (x - 44)"
[[derived]]
name = "bare"
value = "g + m"
of = { g = "none", m = "fct.no_such" }
"""
        printed = self.explore(self.study(text)).stdout
        points = self.found("lossy")["points"]
        self.assertEqual([p["feasible"] for p in points], [True] * 4)
        self.assertEqual([p["reason"] for p in points], [
            "no bare: no none, no fct.no_such",
            "no spread: fct.p99: 7 of 200 messages unfinished; no bare: no none, no fct.no_such",
            "no spread: fct.p99: 44 of 200 messages unfinished; no share: 1 / (x - 44) has no value; "
            "no bare: no none, no fct.no_such",
            "no spread: fct.p99: 90 of 200 messages unfinished; no bare: no none, no fct.no_such"])
        self.assertIn("done: 2 points, such as 1: no spread: fct.p99: 7 of 200 messages unfinished; no bare", printed)
        rows = list(csv.DictReader(self.table("lossy")[1].decode().splitlines()))
        self.assertEqual(rows[0]["reason"], points[0]["reason"])

    def test_the_printed_table_has_what_each_point_left(self):
        printed = self.explore(self.study(LOSSY.replace("RESULT", "fct.p50"))).stdout
        self.assertIn("unfinished  lost  timeouts", printed)
        self.assertIn("infeasible: 3 points, such as 1: the run ended with the verdict timeout, 7 unfinished", printed)

    def test_a_search_does_not_walk_towards_loss(self):
        text = LOSSY.replace("RESULT", "fct.p50").replace("values = [0, 7, 44, 90]", "from = 0\nto = 100\ninteger = true")
        text += "[method]\nkind = \"search\"\npoints = 12\nbatch = 4\nsampler = \"tpe\"\n"
        found = self.points(text)
        self.assertFalse(any(p["feasible"] for p in found["points"] if p["parameters"]["x"] > 0))

    @unittest.skipUnless("HORAE_PROGRAM" in os.environ, "HORAE_PROGRAM names no program")
    def test_of_queues_the_one_that_loses_nothing_is_chosen(self):
        (self.folder / "p.toml").write_text(PLATFORM, encoding="utf-8")
        lines = ["start_ns,source,destination,bytes"]
        lines += [f"{200 * i},h{i % 8},h8,{4096 if i % 3 else 20480}" for i in range(60)]
        (self.folder / "m.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        text = LOSSY.replace("RESULT", "fct.p99").replace(
            'key = "x"\nvalues = [0, 7, 44, 90]', 'key = "s.queue_limit"\nvalues = ["6 KB", "15 KB", "1 MB"]')
        text = text.replace('[[parameter]]\nname = "how"\nkey = "how"\nvalues = ["lossy"]\n', "")
        self.explore(self.study(text), more=("--program", os.environ["HORAE_PROGRAM"]))
        found = self.found("lossy")
        self.assertEqual([p["feasible"] for p in found["points"]], [False, False, True])
        self.assertEqual(found["chosen"], 2)


# Eight senders to one receiver; small queues lose packets, and a timeout is longer than the run.
PLATFORM = nine_nics("m.csv", "1 ms")


class Units(Place):
    GAIN = """[study]
name = "gains"
platform = "p.toml"
[[parameter]]
name = "x"
key = "x"
values = [40]
[[objective]]
name = "gain"
result = "gain"
direction = "max"
unit = "UNIT"
"""

    def test_a_figure_is_in_the_unit_of_the_study(self):
        for unit, value in (("Gbps", 40), ("Mbps", 40_000), ("Tbps", 0.04), ("Gbps of payload", 40)):
            self.explore(self.study(self.GAIN.replace("UNIT", unit)))
            self.assertAlmostEqual(self.found("gains")["points"][0]["values"]["gain"], value, msg=unit)

    def test_a_unit_of_something_else_is_refused(self):
        for unit in ("KB", "us", "packets"):
            ended = self.explore(self.study(self.GAIN.replace("UNIT", unit)), code=2)
            self.assertRegex(ended.stderr, rf"s.toml:10:1: unit: found \"{unit}\", but 'gain' is in Gbps\n$")

    def test_units_that_compare_are_converted_and_no_others(self):
        for found, wanted, times in (("ratio", "%", 100), ("%", "share", 0.01), ("Mpps", "pps", 1e6), ("us", "ns", 1000),
                                     ("ms", "s", 0.001), ("KiB", "B", 1024), ("MB", "KB", 1000), ("bytes", "B", 1),
                                     ("packets", "blocks", 1), ("us", "", 1), ("Mpps", "Gbps", None),
                                     ("packets", "%", None), ("%", "x", None), ("ratio", "x", 1), ("us, mean", "ns", 1000),
                                     ("share of line rate", "% of line rate", 100), ("Mpps", "packets", None), ("bytes", "Gbps", None)):
            times_found = factor(found, wanted)
            if times is None:
                self.assertIsNone(times_found, (found, wanted))
            else:
                self.assertAlmostEqual(times_found / times, 1, msg=(found, wanted))

    def test_the_unit_of_a_derived_figure_is_that_of_the_objective(self):
        text = self.GAIN.replace('result = "gain"', 'result = "derived.half"').replace(
            "[[objective]]", '[[derived]]\nname = "half"\nvalue = "g / 2"\nof = { g = "gain" }\nunit = "Gbps"\n[[objective]]')
        self.explore(self.study(text.replace("UNIT", "Mbps")))
        self.assertEqual(self.found("gains")["points"][0]["values"]["gain"], 20_000)
        ended = self.explore(self.study(text.replace("UNIT", "us")), code=2)
        self.assertRegex(ended.stderr, r"unit: found \"us\", but 'derived.half' is in Gbps\n$")

    def test_a_derived_figure_that_nothing_names_is_shown(self):
        text = self.GAIN.replace("UNIT", "Gbps").replace("[[objective]]", """[[derived]]
name = "half"
value = "g / 2"
of = { g = "gain" }
unit = "Gbps"
[[derived]]
name = "missing"
value = "g / 2"
of = { g = "none" }
[[objective]]""")
        self.explore(self.study(text))
        values = self.found("gains")["points"][0]["values"]
        self.assertEqual(values["half"], 20)
        self.assertIsNone(values["missing"])


class Lines(unittest.TestCase):
    """Of what is printed, by itself."""

    def test_columns_are_as_wide_as_their_widest_text(self):
        self.assertEqual(lines_of([["point", "a"], ["0", "12.5"], ["13", ""]], 0),
                         ["point     a", "-----------", "    0  12.5", "   13"])
        self.assertEqual(lines_of([["a", "b"], ["long", "1"]], 1), ["a     b", "-------", "long  1"])

    def test_why_a_point_was_refused_is_what_its_summary_says(self):
        refused = {"exit": 3, "signal": None, "stderr": "horae: refused\n"}
        summary = {"refused": [{"object": "tor", "why": "map_ram needs 9"}],
                   "nics": [{"profile": "n", "fits": False, "on_chip_bytes": 9, "capacity_bytes": 8}]}
        self.assertEqual(reason_of(refused, summary), "tor: map_ram needs 9")
        summary["refused"][0]["object"] = ""
        self.assertEqual(reason_of(refused, summary), "map_ram needs 9")
        del summary["refused"]
        self.assertEqual(reason_of(refused, summary), "n: 9 B must be on a chip of 8 B")
        summary["nics"][0]["fits"] = True
        self.assertIn("refused", reason_of(refused, summary))
        self.assertIn("refused", reason_of(refused, None))
        self.assertEqual(reason_of({"exit": 2, "signal": None, "stderr": " \n"}, summary), "exit code 2")
        self.assertEqual(reason_of({"exit": None, "signal": 9, "stderr": ""}, None), "killed by SIGKILL (out of memory?)")
        self.assertEqual(reason_of({"exit": None, "signal": 11, "stderr": ""}, None), "killed by SIGSEGV")


if __name__ == "__main__":
    unittest.main()
