#!/usr/bin/python3 -B
"""The example of models/facade: a testbench in SystemVerilog that asks the library, and what the library shows."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FACADE = pathlib.Path(__file__).resolve().parents[2] / "models/facade"
VERILATOR, LIBRARY = sys.argv[1:3]


def run(*command, cwd=None):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, cwd=cwd,
                          env={**os.environ, "OBJCACHE": os.environ.get("OBJCACHE", "ccache")})


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        # The command of the page; optimizing would take longer than the run.
        made = run(VERILATOR, "--binary", "--top-module", "reorder_window_tb", FACADE / "sv/horae_pkg.sv",
                   FACADE / "example/reorder_window.sv", FACADE / "example/reorder_window_tb.sv",
                   "-LDFLAGS", f"{LIBRARY} -Wl,-rpath,{os.path.dirname(LIBRARY)}",
                   "-MAKEFLAGS", "OPT_FAST=-O0 OPT_GLOBAL=-O0 OPT_SLOW=-O0", cwd=cls.folder.name)
        assert made.returncode == 0, made.stdout + made.stderr
        assert "%Warning" not in made.stderr, made.stderr
        cls.testbench = pathlib.Path(cls.folder.name) / "obj_dir/Vreorder_window_tb"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def simulate(self, *plusargs):
        return run(self.testbench, *plusargs, cwd=self.folder.name)

    def test_the_block_is_the_model(self):
        done = self.simulate()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = [line for line in done.stdout.splitlines() if "answered alike" in line]
        self.assertEqual(len(said), 1)
        self.assertTrue(said[0].startswith("20000 packets"), said[0])
        cases = [int(word) for word in said[0].replace(",", " ").split() if word.isdigit()][1:]
        self.assertEqual(len(cases), 4)
        self.assertGreater(min(cases), 200, said[0])
        self.assertEqual(sum(cases), 20000)

    def test_another_model_is_told_apart(self):
        done = self.simulate("+settings=engine=static bits=15")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("reorder_window says", done.stdout + done.stderr)

    def test_settings_are_refused_in_the_models_words(self):
        done = self.simulate("+settings=engine=statik")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("did you mean 'static'?", done.stdout + done.stderr)

    def test_the_library_shows_nothing_else(self):
        names = [line.split()[-1] for line in run("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines()]
        self.assertIn("horae_ordering_packet", names)
        self.assertEqual([name for name in names if not name.startswith("horae_")], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
