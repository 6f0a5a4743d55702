#!/usr/bin/python3
"""scripts/plot_curve and scripts/plot_pcie say in one line what cannot be read or written."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
CURVE = {"axes": [{"key": "r.width"}, {"key": "r.pieces"}], "most": "r.entries", "file": "d.toml",
         "points": [{"at": {"r.width": width, "r.pieces": pieces}, "value": 4096, "binding": "map_ram"}
                    for width in ("16", "32") for pieces in (1, 2)]}
PCIE = "gen lanes mps mrrs size ...\n  5 16 256 512 64 100.0 99.5 - 90.0 90.5 91\n  5 16 256 512 128 150.0 150.5 - 120.0 120.5 -\n"


class Refuses(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="horae_plots."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "curve.json").write_text(json.dumps(CURVE), encoding="utf-8")
        for name, change in (("words", {"at": {"r.width": "port", "r.pieces": 1}}), ("zeros", {"value": 0})):
            points = [{**point, **change} for point in CURVE["points"]]
            (self.folder / name).write_text(json.dumps({**CURVE, "points": points}), encoding="utf-8")
        (self.folder / "single").write_text(json.dumps({**CURVE, "axes": []}), encoding="utf-8")
        (self.folder / "pcie.txt").write_text(PCIE, encoding="utf-8")
        (self.folder / "nothing").write_text("{}", encoding="utf-8")

    def test_what_is_wrong_is_one_line(self):
        for script, words, line in (
                ("plot_curve", ["curve.json", "--x", "r.width", "-o", "nowhere/x.svg"], "nowhere/x.svg: No such file or directory"),
                ("plot_curve", ["curve.json", "--x", "r.width", "-o", "x.gif"], "-o x.gif: expected a name ending in .svg or .png"),
                ("plot_curve", ["curve.json", "--x", "width", "-o", "x.svg"], "--x width: expected one of r.width, r.pieces"),
                ("plot_curve", ["nothing", "--x", "r.width", "-o", "x.svg"], "nothing: no curve ('axes')"),
                ("plot_curve", ["words", "--x", "r.width", "-o", "x.svg"], "--x r.width: 'port' is no number above 0; expected another axis"),
                ("plot_curve", ["zeros", "--x", "r.width", "-o", "x.svg"], "zeros: nothing fits at any point; there is nothing to draw"),
                ("plot_curve", ["single", "--x", "r.width", "-o", "x.svg"],
                 "single: a single limit, no curve; expected one of horae size --most KEY --over KEY=A,B"),
                ("plot_pcie", ["pcie.txt", "-o", "nowhere/x.svg"], "nowhere/x.svg: No such file or directory"),
                ("plot_pcie", ["pcie.txt", "-o", "x.gif"], "-o x.gif: expected a name ending in .svg or .png"),
                ("plot_pcie", ["none.txt", "-o", "x.svg"], "none.txt: No such file or directory"),
                ("plot_pcie", ["nothing", "-o", "x.svg"], "nothing: no row of the table")):
            with self.subTest(line):
                ended = subprocess.run([SCRIPTS / script, *words], cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertEqual((ended.returncode, ended.stderr), (2, f"{script}: {line}\n"))


if __name__ == "__main__":
    unittest.main()
