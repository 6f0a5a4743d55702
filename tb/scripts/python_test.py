#!/usr/bin/python3 -B
"""The package scripts/python/horae says what the program says; the notebook runs."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
sys.path.insert(0, str(ROOT / "scripts/python"))
os.environ["HORAE"] = os.environ["HORAE_PROGRAM"]
os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
try:
    import horae
except ModuleNotFoundError:
    sys.exit(SKIPPED)  # without pandas


def program(*arguments):
    return subprocess.run([os.environ["HORAE"], *arguments], capture_output=True, text=True, check=False, cwd=ROOT).stdout


class Size(unittest.TestCase):
    def test_every_value_is_the_programs(self):
        theirs = json.loads(program("size", "platforms/themis_tor.toml", "--json", "--set", "tor.program.window=256"))
        budget = horae.size(ROOT / "platforms/themis_tor.toml", {"tor.program.window": 256})
        pipeline = budget.pipeline
        self.assertEqual(pipeline.stages, theirs["pipelines"][0]["stages_used"])
        self.assertTrue(budget.fits)
        for resource, values in theirs["pipelines"][0]["resources"].items():
            for column, value in values.items():
                self.assertEqual(pipeline.resources.loc[resource, column], value)
        for item in theirs["pipelines"][0]["objects"]:
            self.assertEqual(pipeline.objects.loc[item["name"], "sram"], item["sram"])

    def test_a_design_as_a_dict(self):
        registers = [{"name": "a", "entries": 1024, "width": 32}, {"name": "b", "entries": 4096, "width": 16}]
        budget = horae.size({"design": [{"name": "two", "chip": "tofino2", "register": registers}]})
        self.assertEqual(list(budget.pipelines["two"].objects.index), ["a", "b"])

    def test_what_does_not_fit_says_what_would(self):
        with self.assertRaises(horae.DoesNotFit) as caught:
            horae.size(ROOT / "platforms/themis_tor.toml", {"tor.program.qps_per_nic": 20000})
        self.assertRegex(str(caught.exception), "need [0-9]+, have [0-9]+")
        self.assertFalse(caught.exception.result.fits)
        self.assertTrue(caught.exception.result.remedies)


class Runs(unittest.TestCase):
    platform = ROOT / "platforms/flow_list.toml"

    def test_every_result_is_the_programs(self):
        theirs = json.loads(program("run", "platforms/flow_list.toml", "--json", "--set", "switch.latency=800ns"))["results"]
        run = horae.run(self.platform, {"switch.latency": "800ns"})
        self.assertEqual(run.verdict, "complete")
        for name, result in theirs.items():
            self.assertEqual(run[name], result["value"])
            self.assertEqual(run.results.loc[name, "unit"], result["unit"])
        self.assertEqual(len(run.flows), 12)
        self.assertIsNone(run.series)

    def test_what_is_refused_is_an_exception_with_the_line(self):
        with self.assertRaises(horae.BadInput) as caught:
            horae.run(self.platform, {"switch.latensy": "800ns"})
        self.assertIn("did you mean 'latency'?", str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_a_folder_is_read_back(self):
        with tempfile.TemporaryDirectory() as folder:
            run = horae.run(self.platform, {"sim.sample": "1us"}, out=f"{folder}/kept")
            again = horae.read(f"{folder}/kept")
        self.assertTrue(run.results.equals(again.results))
        self.assertFalse(again.series.empty)


class Studies(unittest.TestCase):
    def test_points_are_a_frame(self):
        with tempfile.TemporaryDirectory() as folder:
            study = pathlib.Path(folder) / "two.toml"
            study.write_text(f'[study]\nname = "two"\ndescription = "two"\nplatform = "{ROOT}/platforms/flow_list.toml"\n'
                             '[[parameter]]\nname = "latency"\nkey = "switch.latency"\ndoc = "of switches"\n'
                             'values = ["400 ns", "800 ns"]\n'
                             '[[objective]]\nname = "fct"\nresult = "fct.p50"\ndirection = "min"\nunit = "us"\n')
            points = horae.explore(study, out=folder)
            self.assertEqual(len(points), 2)
            study.write_text("[study]\n")
            with self.assertRaises(horae.BadInput):
                horae.explore(study, out=folder)


class Notebook(unittest.TestCase):
    def test_its_cells_run(self):
        import matplotlib
        matplotlib.use("Agg")
        file = ROOT / "scripts/python/themis.ipynb"
        names = {"__name__": "notebook"}
        here = os.getcwd()
        os.chdir(file.parent)
        try:
            for number, cell in enumerate(json.loads(file.read_text())["cells"]):
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)  # pylint: disable=exec-used
        finally:
            os.chdir(here)
        # What the text says of the figures it shows.
        self.assertEqual(names["budget"].pipeline.stages, 10)
        for axis in (0, 1):
            self.assertTrue((names["curves"].diff(axis=axis).fillna(0) <= 0).all().all())


if __name__ == "__main__":
    unittest.main()
