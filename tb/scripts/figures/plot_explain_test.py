#!/usr/bin/python3
"""Pictures of an explanation by scripts/plot, the same bytes each time, and one line for a folder without an explanation."""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts" / "plot"
sys.path.insert(0, str(SCRIPT.parent))

from lib.common import installation  # noqa: E402, F401: finds the packages
from lib.plot.agreement import COLOURS  # noqa: E402


def hypothesis(name, closest, share, standing="excluded"):
    return {"id": name, "standing": "consistent" if share else standing,
            "closest": {"tolerances": closest},
            "evidence": {"share": share, "error": 2 * share, "at_most": 0.01}}


def prediction(name, x):
    return {"hypothesis": name, "points": 9, "tx_share": {"low": x, "median": x, "high": x + 0.1}}


def experiment(name, title, gain, predictions):
    return {"id": name, "title": title, "gain_nats": gain, "most_nats": 0.69, "by_chance_nats": 0.1,
            "predictions": predictions}


INFERRED = {"infer": {
    "ranked": ["H-near", "H-lost", "H-far", "H-impossible"],
    "hypotheses": [hypothesis("H-near", 0.5, 1e-4), hypothesis("H-lost", 2.5, 0.0, "not found"), hypothesis("H-far", 3.0, 0.0),
                   {"id": "H-impossible", "standing": "impossible"}],
    "experiments": [
        experiment("a", "twice the queue pairs", 0.6,
                   [prediction("H-near", 0.2), prediction("H-far", 0.8)]),
        experiment("b", "longer cables", 0.2,
                   [prediction("H-near", 0.4), prediction("H-far", 0.4)])]}}
# Figures of the closest points.
CLOSEST = {
    "survivors": ["H-near"],
    "curves": [{"id": "c", "title": "a curve", "x_title": "share", "quantities": ["tx_share"],
                "points": [{"x": 0.25, "published": {"tx_share": 0.5}}, {"x": 1, "published": {}}],
                "lines": [{"hypothesis": "H-near", "values": [{"tx_share": 0.5}, {"tx_share": None}]}]}]}
IDLE = {"all passed": {"retransmit": 0.5}, "none passed": {"retransmit": 0.0}}


def plot(folder):
    return subprocess.run([str(SCRIPT), str(folder)], capture_output=True, text=True, check=False)


class Pictures(unittest.TestCase):
    def drawn(self, summary):
        """Name and SVG of each picture of a summary."""
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "summary.json").write_text(json.dumps(summary), encoding="utf-8")
            done = plot(folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            plots = pathlib.Path(folder, "plots")
            for svg in plots.glob("*.svg"):
                self.assertGreater(svg.with_suffix(".png").stat().st_size, 5000)
            return {p.stem: p.read_text(encoding="utf-8") for p in plots.glob("*.svg")}

    def test_an_answer_without_curves_has_three_pictures(self):
        drawn = self.drawn(INFERRED)
        self.assertEqual(set(drawn), {"agreement", "gains", "predictions"})
        for text in ("H-near", "H-far"):
            self.assertIn(f"<!-- {text} -->", drawn["agreement"])
            self.assertIn(f"<!-- {text} -->", drawn["predictions"])
        self.assertNotIn("H-impossible", drawn["agreement"])
        # Each standing has its own colour, in the picture and in its legend.
        for standing, colour in COLOURS.items():
            self.assertIn(f"<!-- {standing} -->", drawn["agreement"])
            self.assertGreaterEqual(drawn["agreement"].count(f"fill: {colour}"), 2, standing)
        # Each picture has its axes, and the most telling experiment comes first.
        self.assertIn("<!-- tx_share -->", drawn["predictions"])
        self.assertLess(drawn["predictions"].index("twice the queue pairs"),
                        drawn["predictions"].index("longer cables"))
        self.assertIn("longer cables", drawn["gains"])
        self.assertEqual(drawn, self.drawn(INFERRED))

    def test_where_nothing_agrees_there_is_nothing_to_measure(self):
        summary = copy.deepcopy(INFERRED)
        summary["infer"]["experiments"] = []
        self.assertEqual(set(self.drawn(summary)), {"agreement"})

    def test_closest_points_have_curves_and_idle_time(self):
        summary = copy.deepcopy(INFERRED)
        summary["infer"] |= CLOSEST
        summary["infer"]["hypotheses"][0]["idle"] = IDLE
        drawn = self.drawn(summary)
        self.assertEqual(set(drawn), {"agreement", "gains", "predictions", "curves", "idle"})
        self.assertIn("<!-- 1/4 -->", drawn["curves"])
        self.assertIn("<!-- retransmit -->", drawn["idle"])
        # Where nobody is idle there is nothing to draw.
        self.assertIn("<!-- all passed -->", drawn["idle"])
        self.assertNotIn("none passed", drawn["idle"])
        self.assertNotIn("H-far", drawn["idle"])

    def test_a_folder_without_an_explanation_is_one_line(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "summary.json").write_text('{"results": {}}', encoding="utf-8")
            done = plot(folder)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn("nothing that can be drawn", done.stderr)
            self.assertFalse(pathlib.Path(folder, "plots").exists())


if __name__ == "__main__":
    unittest.main()
