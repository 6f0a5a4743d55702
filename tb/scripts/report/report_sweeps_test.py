#!/usr/bin/python3
"""What scripts/report says of sweeps and of the messages of their points."""
import unittest

from by_hand import FLOWS, InFolder, heads, lines, result, run, texts
from lib.report import compare_view, sweep_view


class Sweeps(InFolder):
    SUMMARY = {"platform": "p", "verdict": "complete", "results": {}, "packets": {},
               "config": {"sweep": {"title": "A sweep", "label_title": "passed",
                                    "column": [{"title": "rate", "metric": "senders.rate"}],
                                    "point": [{"label": "1/2", "set": ["a=1", "b=2"]}]}},
               "validation": [{"id": "v", "metric": "senders.rate", "point": "1/2", "published": 7, "measured": 6},
                              {"metric": "other", "point": "all", "published": 1}],
               "rows": {"sweep": [{"passed": "all", "rate": 5.0, "none": 0, "verdict": "complete", "text": "x"},
                                  {"passed": "1/2", "rate": 400.0, "none": 0, "verdict": "timeout", "text": "y"}]}}

    def view(self, **more):
        return sweep_view.view(result("sweep", {**self.SUMMARY, **more}, folder=self.folder))

    def test_points_curves_and_published_marks(self):
        page = self.view()
        table, figure = page.blocks[:2]
        self.assertEqual((table.caption, table.note), ("A sweep", "Zero in every point: none."))
        self.assertEqual(texts(table), [["all", "5", "0", "complete", "x"], ["1/2", "400", "0", "timeout", "y"]])
        self.assertEqual(lines(figure), [("ours", ["all", "1/2"], [5, 400]), ("published", ["1/2"], [7])])
        self.assertEqual((figure.title, figure.note, figure.spec["y"]["scale"], figure.spec["x"]["scale"],
                          figure.spec["legend"]),
                         ("Rate", "senders.rate", "log", "category", True))
        self.assertNotIn("zero", figure.spec["y"])
        self.assertEqual(figure.spec["series"][1]["mark"], "published")
        fold = next(b for b in page.blocks if b.block == "fold" and b.title == "What each point sets")
        self.assertEqual((heads(fold.blocks[0]), texts(fold.blocks[0])), (["passed", "overrides"], [["1/2", "a=1 b=2"]]))

    def test_what_is_not_complete_is_said(self):
        page = self.view()
        self.assertEqual((page.state, page.verdict), ("warn", "1 of 2 points not complete"))
        self.assertEqual(page.warnings,
                         ["point 1/2: timeout",
                          "2 of 2 points have no folder in points/: their flows and series are not shown"])
        self.assertEqual(page.key_figures, [("rate", "5 \u2026 400")])
        self.assertTrue(page.answer.startswith("2 points over passed: 2 published numbers"))
        rows = [{**r, "verdict": "complete", "rate": 5} for r in self.SUMMARY["rows"]["sweep"]]
        good = self.view(rows={"sweep": rows}, validation=[])
        self.assertEqual((good.state, good.verdict, good.answer, good.key_figures),
                         ("good", "complete", "2 points over passed.", [("rate", "5")]))
        self.assertTrue(good.blocks[1].spec["y"]["zero"])
        self.assertFalse(good.blocks[1].spec["legend"])
        self.assertEqual(self.view(rows={"sweep": [{**rows[0], "verdict": "stuck"}]}).state, "bad")
        wide = self.view(rows={"sweep": [{"p": "x", **{f"c{i}": i + 1 for i in range(9)}}]})
        self.assertEqual([k for k, _ in wide.key_figures], [f"c{i}" for i in range(8)])


class PointsOfASweep(InFolder):
    def test_their_messages_and_results_are_beside_each_other(self):
        points = []
        for name, shift in (("1", 0), ("2", 10)):
            (self.folder / name).mkdir()
            self.write(f"{name}/flows.csv", FLOWS + "".join(f"{i},a,b,{5 + i + shift},2,1000,1,,\n" for i in range(3)))
            points.append(result("run", run(), name, self.folder / name))
        found = result("sweep", Sweeps.SUMMARY)
        found.points = points
        page = sweep_view.view(found)
        self.assertEqual(page.warnings, ["point 1/2: timeout"])
        figure = next(b for b in page.blocks if b.block == "figure" and b.title == "Distribution of completion time")
        self.assertEqual(lines(figure), [("passed 1", [5, 6, 7], [0.333333, 0.666667, 1]),
                                         ("passed 2", [15, 16, 17], [0.333333, 0.666667, 1])])
        fold = next(b for b in page.blocks if b.block == "fold" and b.title == "All results of every point")
        self.assertEqual(heads(fold.blocks[0]), ["result", "unit", "passed 1", "passed 2", "second / first"])
        self.assertEqual([b for b in page.blocks if b.block == "text"], [])
        self.write("2/series.csv", "")
        found.points = [result("run", run(), n, self.folder / n) for n in ("1", "2")]
        self.assertEqual([b.style for b in sweep_view.view(found).blocks if b.block == "text"], ["note"])

    def test_several_runs_share_a_distribution(self):
        runs = []
        for name in ("1", "2"):
            (self.folder / name).mkdir()
            self.write(f"{name}/flows.csv", FLOWS + "0,a,b,5,2,1000,1,,\n")
            runs.append(result("run", run(), name, self.folder / name))
        found = compare_view.runs(runs)
        self.assertEqual([b.block for b in found], ["heading", "figure", "figure", "table", "table"])
        self.assertEqual([n for n, _, _ in lines(found[1])], ["1", "2"])
        (self.folder / "2/flows.csv").unlink()
        self.assertEqual([b.block for b in compare_view.runs([result("run", run(), n, self.folder / n) for n in ("1", "2")])],
                         ["heading", "table"])


if __name__ == "__main__":
    unittest.main()
