#!/usr/bin/python3
"""Parts of scripts/validate recovery that need no run: what becomes of the observations, and when a value counts as found."""
import copy
import csv
import pathlib
import random
import sys
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "scripts"))

from lib.validate import recovery  # noqa: E402

PUBLISHED = {
    "condition": [{"id": "nocc.all", "title": "all", "set": ["a=1"]}],
    "observation": [
        {"id": "nocc.tx", "condition": "nocc.all", "quantity": "tx_share", "value": 0.5, "rounding": 0.005, "tolerance": 0.05,
         "source": "a paper"},
        {"id": "dcqcn.tx", "condition": "nocc.all", "quantity": "tx_rate", "value": 46.6, "rounding": 0.05, "tolerance": 5.0,
         "source": "a paper"}]}
DRAWN = {"nocc.tx": "0.61253", "dcqcn.tx": "12.038", "values": "lock=276 ns; nic.mtu=1KiB; readings=rate=l1 ratio=unique"}


def unknown(name, kind="parameter", **accepted):
    return {"name": name, "kind": kind, "accepted": accepted, "values": ["1KiB", "2KiB"]}


class Data(unittest.TestCase):
    def test_what_was_drawn_is_rounded_as_published_and_keeps_the_tolerances(self):
        made = copy.deepcopy(PUBLISHED)
        recovery.synthetic(DRAWN)(made)
        self.assertAlmostEqual(made["observation"][0]["value"], 0.61)
        self.assertAlmostEqual(made["observation"][1]["value"], 12.0)
        self.assertEqual([o["tolerance"] for o in made["observation"]], [0.05, 5.0])
        self.assertNotIn("paper", str(made))

    def test_a_measurement_told_afterwards_is_a_condition_with_its_change(self):
        made = copy.deepcopy(PUBLISHED)
        recovery.synthetic(DRAWN, "qps_8", {"qps_8.tx_share": "0.71", "qps_8.goodput_ratio": "0.9"})(made)
        self.assertEqual(made["condition"][1]["set"], ["a=1", "traffic[0].qps=8"])
        told = {o["id"]: (o["value"], o["tolerance"]) for o in made["observation"][2:]}
        self.assertEqual(told, {"qps_8.tx_share": (0.71, 0.05), "qps_8.goodput_ratio": (0.9, 0.02)})

    def test_anything_agrees_with_what_only_draws(self):
        made = copy.deepcopy(PUBLISHED)
        recovery.anything_goes(made)
        self.assertGreater(made["observation"][0]["tolerance"], 1000)


class Found(unittest.TestCase):
    TRUTH = recovery.values_of(DRAWN)

    def covered(self, *unknowns):
        return recovery.covered(unknowns, self.TRUTH, {"parameter"})

    def test_a_value_is_in_its_range_or_not(self):
        self.assertEqual(self.TRUTH["readings"], "rate=l1 ratio=unique")
        self.assertEqual(self.covered(unknown("lock", low="0.2 us", high="300 ns")), (1, 1))
        self.assertEqual(self.covered(unknown("lock", low="280 ns", high="1 us")), (0, 1))
        # Values are printed with four digits.
        self.assertEqual(self.covered(unknown("lock", low="276.1 ns", high="1 us")), (1, 1))
        self.assertEqual(self.covered(unknown("nic.mtu", shares=[0.11, 0.89])), (1, 1))
        self.assertEqual(self.covered(unknown("nic.mtu", shares=[0.0, 1.0])), (0, 1))
        self.assertEqual(self.covered(unknown("nic.mtu", shares=[0.1, 0.9])), (0, 1))  # the other value alone holds 90 %

    def test_the_smallest_set_holds_90_percent_and_no_smaller_one_does(self):
        for shares, wanted in (([0.5, 0.3, 0.15, 0.05], {0, 1, 2}), ([0.05, 0.95], {1}), ([0.1, 0.8, 0.1], {0, 1, 2}),
                               ([1.0, 0.0], {0}), ([0.25] * 4, {0, 1, 2, 3}), ([0.0, 0.0], set())):
            with self.subTest(shares):
                self.assertEqual(recovery.smallest(shares), wanted)
        # For values that are drawn with their shares it holds 90 % and more, and less without its least one.
        rng = random.Random(7)
        for _ in range(200):
            raw = [rng.random() ** 3 for _ in range(rng.randint(2, 7))]
            shares = [r / sum(raw) for r in raw]
            kept = recovery.smallest(shares)
            self.assertGreaterEqual(sum(shares[i] for i in kept), 0.9 - 1e-6)
            self.assertLess(sum(shares[i] for i in kept) - min(shares[i] for i in kept), 0.9)

    def test_what_was_not_asked_for_does_not_count(self):
        self.assertEqual(self.covered(unknown("lock", kind="nuisance", low="1 s", high="2 s"), unknown("other", low="1", high="2"),
                                      {"name": "lock", "kind": "parameter"}), (0, 0))


class Table(unittest.TestCase):
    def test_counts_are_of_all_questions(self):
        result = {"truth": "H1", "tx": 0.5, "standing": "consistent", "closest": 0.6, "parameters": (2, 2), "all": (9, 10),
                  "excluded": 10, "impossible": 2, "alike": [], "not_found": ["H2", "H6"]}
        text = "\n".join(recovery.table([result, {**result, "standing": "excluded", "parameters": (1, 2), "alike": ["H7"],
                                                  "told": "qps_8", "after": "consistent", "left": []}]))
        self.assertIn("consistent in 1 of 2", text)
        self.assertIn("90 % ranges: 3 of 4; all of them in 1 of 2 questions", text)
        self.assertIn("| H7 | qps_8 | consistent; none |", text)
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual({line.count("|") for line in rows}, {12})
        self.assertIn("| 10 and 2 impossible | H2, H6 | none |", text)


def search(question, hypothesis, asked, standing, closest=3.0):
    return {"question": question, "hypothesis": hypothesis, "asked": str(asked), "standing": standing, "closest": str(closest)}


class Searches(unittest.TestCase):
    def test_a_line_for_each_that_is_possible(self):
        found = {"hypotheses": [
            {"id": "H1", "points": 180, "standing": "not found", "closest": {"tolerances": 2.28},
             "own_data": {"asked": 32, "found_at_least": 3, "found_at_most": 9}},
            {"id": "H2", "points": 128, "standing": "consistent", "closest": {"tolerances": 0.5}},
            {"id": "H3", "points": 32, "standing": "impossible", "closest": {"tolerances": 9}}]}
        self.assertEqual([tuple(map(str, r.values())) for r in recovery.search_rows("H2", 192, found)],
                         [("H2", "H1", "192", "180", "not found", "2.280", "32", "3"),
                          ("H2", "H2", "192", "128", "consistent", "0.500", "", "")])

    def test_a_verdict_is_turned_if_one_search_excludes_what_another_finds_or_what_made_the_data(self):
        rows = [search("A", "B", 100, "excluded"), search("A", "B", 200, "excluded"),  # stays
                search("A", "C", 100, "not found"), search("A", "C", 200, "excluded"),  # a longer search says more
                search("A", "D", 100, "not found"), search("A", "D", 200, "consistent"),
                search("B", "C", 200, "consistent"),  # another question
                search("A", "A", 100, "not found")]
        self.assertEqual(recovery.turned(rows), [])
        self.assertEqual(recovery.turned(rows + [search("A", "B", 400, "consistent")]), [("A", "B")])
        self.assertEqual(recovery.turned(rows + [search("A", "A", 400, "excluded")]), [("A", "A")])

    def test_a_search_of_more_points_comes_as_near(self):
        nested = [{**search("A", "B", asked, "not found", closest), "points": "9"} for asked, closest in ((400, 2), (1000, 1.5), (160, 2))]
        self.assertEqual(recovery.turned(nested), [])
        self.assertEqual(recovery.turned([*nested, {**search("A", "B", 2000, "not found", 1.6), "points": "9"}]), [("A", "B")])
        # Without a count of points it is not known.
        self.assertEqual(recovery.turned([*nested, search("A", "B", 2000, "not found", 1.6)]), [])

    def test_the_table_is_of_points(self):
        rows = [search("A", "A", 100, "not found", 1.5), search("B", "B", 100, "consistent", 0.5), search("C", "C", 100, "consistent", 0.7),
                search("A", "B", 100, "excluded"), search("published", "B", 100, "excluded"), search("A", "A", 20, "not found", 4)]
        self.assertEqual(list(recovery.by_points(rows))[2:], ["| 20 | 1 | 4.00 | 4.00 | 0 |", "| 100 | 3 | 0.70 | 1.50 | 2 |"])

    def test_no_search_that_was_made_turns_another(self):
        with open(HERE.parents[1] / "validate" / "searches.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(recovery.turned(rows), [])
        self.assertEqual({r["question"] for r in rows}, {recovery.PUBLISHED, *recovery.TRUTHS})
        for r in rows:
            own, found = (int(r[k] or 0) for k in ("own_data", "own_found"))
            with self.subTest(r):
                self.assertEqual(r["standing"] == "consistent", float(r["closest"]) <= 1)
                self.assertEqual(r["standing"] == "excluded", float(r["closest"]) > 2 and own >= 20 and 20 * found >= 19 * own)
        shown = {(r["asked"], r["standing"]) for r in rows if r["question"] == recovery.PUBLISHED and r["hypothesis"] == "H5'.from_nack"}
        self.assertEqual(shown, {("160", "not found"), ("1000", "consistent")})
        # The page has the table.
        page = (HERE.parents[2] / "platforms/evaluations/cx7_spray.md").read_text(encoding="utf-8")
        for line in recovery.by_points(rows):
            self.assertIn(line, page)


if __name__ == "__main__":
    unittest.main()
