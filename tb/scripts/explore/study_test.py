#!/usr/bin/python3
"""Reading a study: what each key becomes, its bounds, and the one line that refuses what is not so, with its place; settling its points."""
import json
import pathlib
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from lib.common.complaint import Complaint  # noqa: E402
from lib.explore.outcome import Point, Reader  # noqa: E402
from lib.explore.study import read_study  # noqa: E402

HEAD = '[study]\nname = "s"\nplatform = "p.toml"\n'
PARAMETER = '[[parameter]]\nname = "x"\nkey = "x"\nvalues = [1, 2]\n'
OBJECTIVE = '[[objective]]\nresult = "gain"\ndirection = "max"\n'


class InFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        (self.folder / "p.toml").write_text("a = 1\n")

    def read(self, more="", parameter=PARAMETER, head=HEAD, objective=OBJECTIVE):
        (self.folder / "s.toml").write_text(head + parameter + objective + more, encoding="utf-8")
        return read_study(self.folder / "s.toml")

    def refused(self, line, *told, **more):
        with self.assertRaises(Complaint) as found:
            self.read(*told, **more)
        self.assertIn(line, str(found.exception).replace(str(self.folder), "F"))


class Parameters(InFolder):
    def of(self, text, more=""):
        return self.read(more, parameter=f'[[parameter]]\nname = "x"\n{text}\n').parameters[0]

    def no(self, line, text):
        self.refused(line, parameter=f'[[parameter]]\nname = "x"\n{text}\n')

    def test_values_and_what_they_set(self):
        p = self.of('keys = ["a", "b"]\nunit = "us"\ndoc = "d"\nvalues = [1, 2.5, "w", true]\naverage = true')
        self.assertEqual([(c.value, c.sets) for c in p.choices],
                         [(v, [("a", t), ("b", t)]) for v, t in ((1, "1 us"), (2.5, "2.5 us"), ("w", "w"), (True, "true"))])
        self.assertEqual((p.keys, p.unit, p.doc, p.average, p.commands, p.known), (["a", "b"], "us", "d", True, None,
            p.choices))
        (self.folder / "q.toml").write_text("")
        p = self.of('values = [{ label = "l", set = ["a=1"] }, { label = 3, platform = "q.toml" }, { label = "none", set = [] }]')
        self.assertEqual([(c.value, c.sets, c.labelled, c.file and c.file.name) for c in p.choices],
                         [("l", [("a", "1")], True, None), (3, [], True, "q.toml"), ("none", [], True, None)])

    def test_values_that_are_none(self):
        for line, text in (("F/s.toml:6:1: values: found an empty list, expected one value or more", "values = []"),
                           ("values: 1.0 is there twice", 'key = "a"\nvalues = [1, 1.0]'),
                           ("values: found nan, expected a finite number", 'key = "a"\nvalues = [nan]'),
                           ("expected texts, numbers, true, false or", 'key = "a"\nvalues = [[1]]'),
                           ("values: 'l' sets nothing", 'values = [{ label = "l" }]'),
                           ('platform = "none.toml": no file F/none.toml',
                            'values = [{ label = "l", platform = "none.toml" }]'),
                           ("[[parameter]] 'x' has no 'key'", "values = [1]"), ("[[parameter]] 'x' has no 'key'",
                               'values = [1, { label = "l", set = [] }]'),
                               ("count: found beside 'values'", 'key = "a"\nvalues = [1]\ncount = 3'),
                           ("from: found beside 'values'", 'key = "a"\nvalues = [1]\nfrom = 3'),
                           ("F/s.toml:7:1: unknown key 'valeus'", 'key = "a"\nvaleus = [1]\nvalues = [1]')):
            with self.subTest(line):
                self.no(line, text)
        self.assertEqual([c.value for c in self.of('key = "a"\nvalues = [1, true]').choices], [1, True])

    def test_ranges(self):
        p = self.of('key = "a"\nfrom = 1\nto = 9', '[method]\nkind = "latin"\npoints = 2\n')
        self.assertEqual((p.choices, p.low, p.high, p.log, p.integer), (None, 1, 9, False, False))
        self.assertEqual([c.value for c in self.of('key = "a"\nunit = "us"\nfrom = 1\nto = 2\nstep = 0.5').choices],
                         [1, 1.5, 2])
        self.assertEqual([(c.value, c.sets)
                          for c in self.of('key = "a"\nunit = "us"\nfrom = 1\nto = 100\ncount = 3\nscale = "log"\ninteger = true').choices], [(1, [("a", "1 us")]), (10, [("a", "10 us")]), (100, [("a", "100 us")])])
        for line, text in (("to: found 1, expected more than from = 1", "from = 1\nto = 1"),
                           ('from: found 0, expected more than 0 with scale = "log"', 'from = 0\nto = 1\nscale = "log"'),
                           ("step: expected neither 'count' nor scale", "from = 0\nto = 4\nstep = 1\ncount = 2"),
                           ("step: expected neither 'count' nor scale", 'from = 1\nto = 4\nstep = 1\nscale = "log"'),
                           ("to: found 4.5, expected a whole number", "from = 1\nto = 4.5\ninteger = true\ncount = 2"),
                           ("step: found 0.5, expected a whole number", "from = 1\nto = 4\nstep = 0.5\ninteger = true"),
                           ("step: found 0, expected more than 0", "from = 1\nto = 4\nstep = 0"),
                           ("step: 4000001 values", "from = 0\nto = 4\nstep = 0.000001"),
                           ("count: 1000001 values", "from = 0\nto = 4\ncount = 1000001"),
                           ("count", "from = 0\nto = 4\ncount = 1")):
            with self.subTest(line):
                self.no(line, 'key = "a"\n' + text)

    def test_names(self):
        self.refused("F/s.toml:5:1: name: found \"1x\"", parameter='[[parameter]]\nname = "1x"\nkey = "a"\nvalues = [1]\n')
        self.refused("two parameters are called 'x'", parameter=PARAMETER * 2)
        self.refused('commands: found "siz"', parameter=PARAMETER + 'commands = ["siz"]\n')
        told = self.read(parameter=PARAMETER + 'commands = ["size"]\n',
                         head='[study]\nname = "s"\nplatform = "p.toml"\nrun = ["run", "size"]\n')
        self.assertEqual((told.parameters[0].commands, [c.kind for c in told.commands]), ([1], ["run", "size"]))


class Methods(InFolder):
    def method(self, text, **more):
        return self.read(f"[method]\n{text}\n", **more).method

    def test_each_kind(self):
        m = self.method("seed = 0")
        self.assertEqual((m.kind, m.seed, m.points, m.sampler, m.batch), ("grid", 0, 0, None, 0))
        self.assertEqual(self.read().method.seed, 1)
        m = self.method('kind = "search"\npoints = 5')
        self.assertEqual((m.points, m.sampler, m.batch, m.seed), (5, "nsga2", 12, 1))
        m = self.method('kind = "search"\npoints = 1\nbatch = 2\nsampler = "tpe"')
        self.assertEqual((m.points, m.sampler, m.batch), (1, "tpe", 2))
        m = self.method('kind = "latin"\npoints = 3')
        self.assertEqual((m.points, m.sampler, m.batch), (3, None, 0))

    def test_what_does_not_go_together(self):
        for line, text in (("seed", "seed = -1"), ("batch", 'kind = "search"\npoints = 5\nbatch = 1'),
                           ("F/s.toml:12:1: points: a grid has none", "points = 5"),
                           ("sampler: a grid has none", 'sampler = "tpe"'), ("points", 'kind = "latin"'),
                           ("points", 'kind = "latin"\npoints = 0'),
                           ("sampler: expected with kind = \"search\" only", 'kind = "latin"\npoints = 2\nsampler = "tpe"'),
                           ("batch: expected with kind = \"search\" only", 'kind = "latin"\npoints = 2\nbatch = 3')):
            with self.subTest(line):
                self.refused(line, f"[method]\n{text}\n")
        self.refused("F/s.toml:4:1: parameter 'x' has no 'step' or 'count': a grid needs its values",
                     parameter='[[parameter]]\nname = "x"\nkey = "a"\nfrom = 1\nto = 2\n')


class Figures(InFolder):
    def test_objectives_constraints_and_what_is_looked_at(self):
        told = self.read('[[constraint]]\nresult = "p99"\nunit = "us"\nleast = 1\nmost = 5\n[[constraint]]\nfits = true\n[[derived]]\nname = "d"\nvalue = "x * g"\nof = { g = "gain" }\nunit = "x"\n')
        self.assertEqual([(o.name, o.result, o.direction, o.optional) for o in told.objectives],
                         [("gain", "gain", "max", False)])
        self.assertEqual([(c.name, c.least, c.most, c.fits, c.unit) for c in told.constraints],
                         [("p99", 1, 5, False, "us"), ("fits", None, None, True, "")])
        self.assertEqual([(f.name, f.result, f.optional, f.unit) for f in told.shown], [("d", "derived.d", True, "x")])
        self.assertEqual([f.name for f in told.figures], ["gain", "p99", "fits", "d"])

    def test_what_is_refused(self):
        for line, text in (("[[constraint]] 'p99' has neither 'least' nor 'most'", '[[constraint]]\nresult = "p99"\n'),
                           ("fits: expected no 'result', 'least' or 'most' beside it",
                            '[[constraint]]\nfits = true\nleast = 1\n'),
                           ("fits: expected no 'result'", '[[constraint]]\nfits = true\nresult = "a"\n'),
                           ("two figures are called 'gain'", '[[constraint]]\nresult = "gain"\nleast = 1\n'),
                           ("two derived figures are called 'd'", '[[derived]]\nname = "d"\nvalue = "x"\n' * 2),
                           ("of: 'x' is a parameter already", '[[derived]]\nname = "d"\nvalue = "x"\nof = { x = "gain" }\n'),
                           ("of: 'g': found 3, expected a result in quotes",
                            '[[derived]]\nname = "d"\nvalue = "x"\nof = { g = 3 }\n'),
                           ("value: unknown name 'y'", '[[derived]]\nname = "d"\nvalue = "y"\n'),
                           ("result: no derived figure 'e'", '[[constraint]]\nresult = "derived.e"\nleast = 1\n'),
                           ('objective: expected with rule = "best" only', '[choose]\nobjective = "gain"\n'),
                           ("at: unknown parameter 'y'",
                            '[[published]]\nid = "i"\nat = { y = 1 }\nfigure = "gain"\nvalue = 1\nsource = "s"\n'),
                           ("at: unknown parameter 'y'", '[[grid]]\nat = { y = 1 }\n'),
                           ("at: 'x' has no value 7", '[[grid]]\nat = { x = 7 }\n'),
                           ("over: 'x' is in 'at' too", '[[grid]]\nat = { x = 1 }\nover = ["x"]\n'),
                           ("over: unknown parameter 'y'", '[[grid]]\nover = ["y"]\n'),
                           ('[[grid]]: expected with [method] kind = "grid" only',
                            '[[grid]]\nover = ["x"]\n[method]\nkind = "latin"\npoints = 2\n')):
            with self.subTest(line):
                self.refused(line, text)

    def test_the_choice(self):
        told = self.read()
        self.assertEqual((told.choose, told.choose_objective), ("knee", None))
        told = self.read('[choose]\nrule = "best"\n')
        self.assertEqual((told.choose, told.choose_objective), ("best", "gain"))
        told = self.read('[[objective]]\nname = "c"\nresult = "cost"\ndirection = "min"\n[choose]\nrule = "best"\nobjective = "c"\n')
        self.assertEqual((told.choose_objective, [o.direction for o in told.objectives]), ("c", ["max", "min"]))
        told = self.read('[[published]]\nid = "i"\nat = { x = 1 }\nfigure = "gain"\nvalue = 2.5\nsource = "s"\n[[grid]]\nname = "G"\nat = { x = [1, 2] }\n')
        self.assertEqual([(p.id, p.at, p.figure, p.value, p.kind) for p in told.published],
                         [("i", {"x": 1}, "gain", 2.5, "predicted")])
        self.assertEqual([(g.name, g.at, g.over) for g in told.grids], [("G", {"x": [1, 2]}, [])])


class Commands(InFolder):
    def test_files_and_kinds(self):
        for line, head in (("expected one of platform = \"FILE\" and objects = \"FILE\"", '[study]\nname = "s"\n'),
                           ("expected one of platform", '[study]\nname = "s"\nplatform = "p.toml"\nobjects = "p.toml"\n'),
                           ('objects: an objects file is for "size", found "run"', '[study]\nname = "s"\nobjects = "p.toml"\n'),
                           ('platform = "q.toml": no file F/q.toml', '[study]\nname = "s"\nplatform = "q.toml"\n'),
                           ("run: found \"runn\"", '[study]\nname = "s"\nplatform = "p.toml"\nrun = "runn"\n'),
                           ("run: found an empty list", '[study]\nname = "s"\nplatform = "p.toml"\nrun = []\n')):
            with self.subTest(line):
                self.refused(line, head=head)
        told = self.read(head='[study]\nname = "s"\nobjects = "p.toml"\nrun = "size"\n')
        self.assertEqual([(c.kind, c.objects, c.point, c.sets, c.file.name, c.shown) for c in told.commands],
                         [("size", True, None, [], "p.toml", "p.toml")])

    def test_a_platform_with_a_sweep_is_run_once(self):
        (self.folder / "p.toml").write_text("[sweep]\ntitle = 'x'\n")
        self.assertEqual(self.read().commands[0].sets, [("sweep.point", "[]"), ("sweep.published", "[]")])
        told = self.read(head=HEAD + 'point = "1"\n')
        self.assertEqual((told.commands[0].sets, told.commands[0].point), ([], "1"))
        self.assertEqual(self.read(head=HEAD + 'run = "size"\n').commands[0].sets, [])


class Settles(InFolder):
    """What becomes of a point, of outcomes and summaries made by hand."""

    def settle(self, outcomes, summaries, more="", point=None):
        told = self.read(more)
        for key, summary in summaries.items():
            place = self.folder / key / "result"
            place.mkdir(parents=True, exist_ok=True)
            (place / "summary.json").write_text(json.dumps(summary))
        store = types.SimpleNamespace(outcome=lambda key: outcomes.get(key), place=lambda key: self.folder / key)
        runs = [types.SimpleNamespace(key=k, kind=kind) for k, kind in (("a", "run"), ("b", "size"))]
        point = point or Point(0, {"x": 2}, runs)
        Reader(told, store).settle(point)
        return point

    GOOD = {"exit": 0, "signal": None, "stderr": ""}

    def test_done_pending_refused_and_failed(self):
        gain = {"results": {"gain": {"value": 5}}}
        done = self.settle({"a": self.GOOD, "b": self.GOOD}, {"a": gain})
        self.assertEqual((done.status, done.reason, done.values, done.feasible, len(done.made), done.lacks),
                         ("done", "", {"gain": 5}, True, 2, None))
        done.status = "done"
        again = self.settle({"a": self.GOOD}, {"a": gain}, point=done)  # one of them was forgotten
        self.assertEqual((again.status, again.feasible, len(again.made)), ("pending", False, 1))
        refused = self.settle({"a": {"exit": 2, "signal": None, "stderr": "horae: why"}}, {"a": gain})
        self.assertEqual((refused.status, refused.reason, refused.values), ("refused", "why", {"gain": 5}))
        failed = self.settle({"a": {"exit": 1, "signal": None, "stderr": "horae: why"}}, {"a": {"results": {}}})
        self.assertEqual((failed.status, failed.values, failed.feasible), ("failed", {"gain": None}, False))
        told = Point(0, {"x": 2}, [], refused="no such")
        self.assertEqual((self.settle({}, {}, point=told).status, told.reason), ("refused", "no such"))

    def test_what_a_run_that_did_not_complete_is_worth(self):
        left = {"results": {"gain": {"value": 5}}, "verdict": "timeout", "packets": {"dropped": {}}}
        point = self.settle({"a": self.GOOD, "b": self.GOOD}, {"a": left})
        self.assertEqual((point.status, point.feasible, point.lacks),
                         ("done", False, "the run ended with the verdict timeout, 0 unfinished"))
        none = {"results": {"gain": {"value": None, "none": "all lost"}}}
        point = self.settle({"a": self.GOOD, "b": self.GOOD}, {"a": none})
        self.assertEqual((point.feasible, point.lacks, point.reason), (False, "no gain: all lost", "no gain: all lost"))

    def test_units_constraints_and_derived_figures(self):
        more = '[[constraint]]\nname = "slow"\nresult = "p99"\nunit = "us"\nmost = 5\n[[constraint]]\nfits = true\n[[derived]]\nname = "d"\nvalue = "x * g"\nof = { g = "gain" }\n'
        summary = {"results": {"gain": {"value": 5}, "p99": {"value": 4000, "unit": "ns"}}}
        point = self.settle({"a": self.GOOD, "b": self.GOOD}, {"a": summary}, more)
        self.assertEqual((point.values, point.feasible), ({"gain": 5, "slow": 4, "fits": 1, "d": 10}, True))
        summary["results"]["p99"]["value"] = 5001
        self.assertEqual(self.settle({"a": self.GOOD, "b": self.GOOD}, {"a": summary}, more).feasible, False)
        summary["results"]["gain"]["value"] = None
        point = self.settle({"a": self.GOOD, "b": self.GOOD}, {"a": summary}, more)
        self.assertEqual((point.values["d"], point.reason), (None, "no gain"))
        point = self.settle({"a": self.GOOD, "b": {"exit": 3, "signal": None, "stderr": "x"}},
                            {"a": summary, "b": {"refused": [{"object": "o", "why": "w"}]}}, more)
        self.assertEqual((point.status, point.values["fits"], point.reason), ("refused", 0, "o: w"))

    def test_a_result_that_no_run_has(self):
        with self.assertRaisesRegex(Complaint, "s.toml:9:1: no run has a result 'gain', did you mean 'gains'"):
            self.settle({"a": self.GOOD, "b": self.GOOD}, {"a": {"results": {"gains": {"value": 5}}}})
        with self.assertRaisesRegex(Complaint, "no run has a result 'gain'; summary.json of one that ran is in "):
            self.settle({"a": self.GOOD, "b": self.GOOD}, {"a": {"results": {f"other{i}": {"value": 5} for i in range(12)}}})


if __name__ == "__main__":
    unittest.main()
