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

    def test_a_source_has_the_programs_price_and_lines(self):
        source, options = "platforms/p4/sketch/sketch.p4", ("--target", "tofino2")
        theirs = json.loads(program("size", source, *options, "--json"))["pipelines"][0]
        pipeline = horae.size(ROOT / source, options=options).pipeline
        self.assertEqual(pipeline.stages, theirs["stages_used"])
        for item in theirs["objects"]:
            self.assertEqual(pipeline.objects.loc[item["name"], "sram"], item["sram"])
            self.assertEqual(pipeline.objects.loc[item["name"], "place"].split(":")[-2:], item["place"].split(":")[-2:])

    def test_a_damaged_source_is_bad_input(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.p4"
            file.write_text("#include <tna.p4>\nheader {", encoding="utf-8")
            with self.assertRaisesRegex(horae.BadInput, "mine.p4:2:8"):
                horae.size(file)

    def test_what_does_not_fit_says_what_would(self):
        with self.assertRaises(horae.DoesNotFit) as caught:
            horae.size(ROOT / "platforms/themis_tor.toml", {"tor.program.qps_per_nic": 20000})
        self.assertRegex(str(caught.exception), "need [0-9]+, have [0-9]+")
        self.assertFalse(caught.exception.result.fits)
        self.assertTrue(caught.exception.result.remedies)


def drawn_design(random, name, objects):
    """A design of so many random objects that wait for earlier ones."""
    tables, names = {}, []
    for i in range(objects):
        kind = random.choice(["register", "register", "exact", "ternary", "condition", "action", "hash", "counter"])
        item = {"name": f"{kind}_{i}", "gress": random.choice(["ingress", "egress"])}
        earlier = [n for n, gress in names if gress == item["gress"]]
        if earlier:
            item[random.choice(["after", "after_action", "after_control"])] = random.sample(earlier, min(len(earlier), random.randint(0, 2)))
        item |= {
            "register": lambda: {"width": random.choice([1, 8, 16, 32]), "entries": random.randint(1, 60000),
                                 "pair": random.random() < 0.2, "index": random.choice(["field", "hash"])},
            "exact": lambda: {"key_bits": random.randint(1, 200), "entries": random.randint(1, 30000), "data_bits": random.randint(0, 64),
                              "actions": random.randint(1, 4)},
            "ternary": lambda: {"key_bits": random.randint(1, 120), "entries": random.randint(1, 3000)},
            "condition": lambda: {"kind": random.choice(["eq", "ne"]), "bits": random.randint(1, 16)},
            "action": dict,
            "hash": lambda: {"input_bits": random.randint(8, 104), "output_bits": random.randint(1, 32)},
            "counter": lambda: {"entries": random.randint(1, 9000)},
        }[kind]()
        tables.setdefault(kind, []).append(item)
        names.append((item["name"], item["gress"]))
    return {"name": name, "chip": random.choice(["tofino1", "tofino2"])} | tables


class Price(unittest.TestCase):
    def same_as_the_program(self, design):
        """A dict, and the file that has its tables in its order."""
        from horae.budget import toml_document  # pylint: disable=import-outside-toplevel
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "design.toml"
            file.write_text(toml_document(design), encoding="utf-8")
            theirs = json.loads(program("size", "--objects", str(file), "--json", "--no-remedies"))
        prices = horae.price(design, check=False)
        prices = prices if isinstance(prices, list) else [prices]
        self.assertEqual(len(prices), len(theirs["pipelines"]))
        for ours, pipeline in zip(prices, theirs["pipelines"]):
            self.assertEqual({**ours.summary, "accounts": {}}, pipeline)
            self.assertEqual((ours.name, ours.stages), (pipeline["name"], pipeline["stages_used"]))
        self.assertEqual([r for p in prices for r in p.refused], theirs["refused"])
        return prices

    def test_random_designs_cost_what_the_program_says(self):
        import random  # pylint: disable=import-outside-toplevel
        draw = random.Random(21)
        designs = {"design": [drawn_design(draw, f"d{i}", draw.randint(1, 24)) for i in range(60)]}
        prices = self.same_as_the_program(designs)
        self.assertGreater(sum(p.fits for p in prices), 5)
        self.assertGreater(sum(not p.fits for p in prices), 5)

    def test_shipped_designs_cost_what_the_program_says(self):
        import tomllib  # pylint: disable=import-outside-toplevel
        for file in [*(ROOT / "platforms/objects").glob("*.toml"), *(ROOT / "tb/validate/compiler").glob("*.toml")]:
            with self.subTest(file.name):
                self.same_as_the_program(tomllib.loads(file.read_text(encoding="utf-8")))

    def test_what_is_refused_is_an_exception_with_the_line(self):
        count = {"name": "count", "entries": 1024}
        self.assertEqual(horae.price({"register": [count]}).stages, 1)
        for design, line in [
                ({"register": [{**count, "widht": 8}]}, "design.register[0].widht: .*did you mean 'width'"),
                ({"register": [{**count, "width": 300}]}, "design.register[0].width: .*128"),
                ({"register": [{**count, "width": None}]}, "design.register[0].width: .*NoneType.*; expected"),
                ({"register": [{**count, "width": 1 << 70}]}, "design.register[0].width: an integer beyond 64 bits"),
                ({"chip": "tofino9", "register": [count]}, "tofino9"), ({3: 4}, "design: the key 3")]:
            with self.subTest(line):
                with self.assertRaisesRegex(horae.BadInput, line.replace("[", "\\[").replace("]", "\\]")) as caught:
                    horae.price(design)
                self.assertNotIn("\n", str(caught.exception))
        with self.assertRaisesRegex(horae.DoesNotFit, "count: .*need [0-9]+, have [0-9]+") as caught:
            horae.price({"register": [{**count, "entries": 10**9}]})
        self.assertFalse(caught.exception.result.fits)


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
        # Figures in the text.
        self.assertEqual(names["budget"].pipeline.stages, 10)
        for axis in (0, 1):
            self.assertTrue((names["curves"].diff(axis=axis).fillna(0) <= 0).all().all())


if __name__ == "__main__":
    unittest.main()
