#!/usr/bin/python3
"""scripts/plot says in one line what cannot be read or written."""
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
        (self.folder / "explained").write_text('{"infer": {}}', encoding="utf-8")

    def test_what_is_wrong_is_one_line(self):
        for words, line in (
                (["curve.json", "--x", "r.width", "-o", "nowhere/x.svg"], "nowhere/x.svg: No such file or directory"),
                (["curve.json", "--x", "r.width", "-o", "x.gif"], "-o x.gif: expected a name ending in .svg or .png"),
                (["curve.json", "--x", "width", "-o", "x.svg"], "--x width: expected one of r.width, r.pieces"),
                (["words", "--x", "r.width", "-o", "x.svg"], "--x r.width: 'port' is no number above 0; expected another axis"),
                (["zeros", "--x", "r.width", "-o", "x.svg"], "zeros: nothing fits at any point; there is nothing to draw"),
                (["single", "--x", "r.width", "-o", "x.svg"],
                 "single: a single limit, no curve; expected one of horae size --most KEY --over KEY=A,B"),
                (["pcie.txt", "-o", "nowhere/x.svg"], "nowhere/x.svg: No such file or directory"),
                (["pcie.txt", "-o", "x.gif"], "-o x.gif: expected a name ending in .svg or .png"),
                (["none.txt", "-o", "x.svg"], "none.txt: No such file or directory"),
                (["curve.json"], "curve.json: a curve; expected --x with one of r.width, r.pieces"),
                (["curve.json", "--chip", "tofino2"], "curve.json: a curve, which has no option --chip"),
                (["pcie.txt", "--x", "size"], "pcie.txt: a table of PCIe, which has no option --x"),
                (["d.toml", "--y", "bits"], "d.toml: a platform or a P4 source, which has no option --y"),
                (["explained", "-o", "x.svg"], "explained: an explanation, which has no option -o"),
                (["nothing", "-o", "x.svg"],
                 "nothing: nothing that can be drawn; expected an explanation, a curve or a ledger (summary.json, or their folder), "
                 "a platform, a P4 source, or the table of scripts/validate pcie")):
            with self.subTest(line):
                ended = subprocess.run([SCRIPTS / "plot", *words], cwd=self.folder, capture_output=True, text=True, check=False)
                self.assertEqual((ended.returncode, ended.stderr), (2, f"plot: {line}\n"))


if __name__ == "__main__":
    unittest.main()
