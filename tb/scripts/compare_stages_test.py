#!/usr/bin/python3
"""scripts/compare_stages: the hand-made report folder of tb/p4, as it is and changed."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts/compare_stages"
FOLDER = ROOT / "tb/p4/counted"


def compare(*folders):
    program = os.environ["HORAE_PROGRAM"]
    return subprocess.run([SCRIPT, "--program", program, *map(str, folders)], capture_output=True, text=True,
                          check=False)


class CompareStages(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.place.name)

    def tearDown(self):
        self.place.cleanup()

    def copy(self, name):
        return pathlib.Path(shutil.copytree(FOLDER, self.root / name))

    def test_a_folder_and_a_folder_of_folders(self):
        self.copy("one")
        self.copy("two")
        one = compare(self.root / "one")
        self.assertEqual(one.returncode, 0, one.stderr)
        self.assertIn("as the compiler: equal 1 of 1 (100 %), within one 1 of 1 (100 %)", one.stdout)
        both = compare(self.root)
        self.assertIn("equal 2 of 2 (100 %)", both.stdout)

    def test_a_difference_is_counted(self):
        report = self.copy("other") / "pipe/counted.bfa"
        text = report.read_text(encoding="utf-8")
        self.assertIn("size: 4096", text)
        report.write_text(text.replace("size: 4096", "size: 65536"), encoding="utf-8")
        out = compare(self.root / "other")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertNotIn("totals: equal 5 of 5", out.stdout)

    def test_what_is_no_report_is_refused(self):
        (self.root / "empty").mkdir()
        out = compare(self.root / "empty")
        self.assertEqual(out.returncode, 2)
        self.assertIn("no output folder of the P4 compiler", out.stderr)
        damaged = self.copy("damaged") / "manifest.json"
        damaged.write_text("{", encoding="utf-8")
        out = compare(damaged.parent)
        self.assertNotEqual(out.returncode, 0)
        self.assertEqual(out.stderr.count("\n"), 1, out.stderr)
        self.assertIn("manifest.json:1:2", out.stderr)

    def test_sources_beside_a_table_of_totals(self):
        table = self.root / "totals.csv"
        table.write_text("name,target,stages,SRAM,TCAM,source\n"
                         "sketch,tofino,1,1,0,somewhere 1234 sketch/sketch.p4\n"
                         "elsewhere,tofino,1,1,0,nowhere.p4\n", encoding="utf-8")
        out = compare("--totals", table, ROOT / "platforms/p4")
        self.assertEqual(out.returncode, 0, out.stderr)
        self.assertIn("1 of 2 totals", out.stdout)  # none in TCAM
        self.assertIn("for 1", out.stdout)  # more than one of SRAM
        self.assertIn("elsewhere: no source", out.stderr)
        self.assertEqual(compare("--totals", table, self.root).returncode, 2)


if __name__ == "__main__":
    unittest.main()
