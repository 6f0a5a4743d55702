#!/usr/bin/python3
"""Parts of scripts/validate in its own process: tables and their texts, cubes, where numbers come from, published numbers beside ours, pages,
the command on a topic made by hand, and what recovery asks."""
import contextlib
import csv
import io
import json
import math
import os
import pathlib
import random
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "scripts"), str(HERE)]

from lib.common.complaint import Complaint  # noqa: E402
from lib.explore.reader import read_toml  # noqa: E402
from validate_test import LOADS, PUBLISHED, SIZES, TOPIC  # noqa: E402
from lib.validate import __main__ as command  # noqa: E402
from lib.validate import marks, pages, published, readings, recovery, sources, tables, verdicts  # noqa: E402
from lib.validate.cube import Cell, Cube, Series, Spread, mean  # noqa: E402


class InFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path


def cell(value, status="complete", grids=("G",), folder=None, **at):
    return Cell(at, lambda result: value if not isinstance(value, dict) else value[result], status, grids, folder)


class Cubes(unittest.TestCase):
    def test_arithmetic_of_series_and_numbers(self):
        a, b = Series(("x",), {(1,): 6, (2,): None}), Series(("x",), {(1,): 3, (2,): 4})
        for found, values in ((a + b, 9), (a - b, 3), (a * b, 18), (a / b, 2), (a + 1, 7), (1 + a, 7), (a - 1, 5), (1 - a, -5),
                              (a * 2, 12), (2 * a, 12), (a / 2, 3), (12 / a, 2)):
            self.assertEqual(found.values, {(1,): values, (2,): None})
        self.assertEqual((a / Series((), {(): 0})).values, {(1,): None, (2,): None})
        wide = Series(("s", "x"), {("p", 1): 1, ("q", 1): 2, ("q", 9): 5}) + a
        self.assertEqual((wide.dims, wide.values), (("s", "x"), {("p", 1): 7, ("q", 1): 8}))

    def test_cells_by_grid_and_values(self):
        cube = Cube("c", [cell(1, x=1, s="a"), cell(2, x=2, s="a", grids=("H",)), cell(3, x=1, s="b", grids=("G", "H"))])
        self.assertEqual([c.look("") for c in cube.cells_at(None, {"x": 1})], [1, 3])
        self.assertEqual([c.look("") for c in cube.cells_at("H", {})], [2, 3])
        self.assertEqual([c.look("") for c in cube.cells_at("G", {"x": [1, 2], "s": "b"})], [3])
        with self.assertRaisesRegex(Complaint, "^c: no grid 'I'"):
            cube.cells_at("I", {})
        with self.assertRaisesRegex(Complaint, "^c: no parameter 'y'"):
            cube.cells_at("G", {"y": 1})
        self.assertEqual(Cube("c", cube.cells, in_part=True).cells_at("I", {}), [])
        self.assertEqual(Cube("c", []).cells_at("I", {"y": 1}), [])
        self.assertEqual(cube.status(None, {}), "complete")
        self.assertEqual(Cube("c", [cell(1, "failed", x=1), cell(1, x=2), cell(1, "failed", x=3)]).status(None, {}),
                         "failed, complete")

    def test_numbers_over_what_varies(self):
        cube = Cube("c", [cell({"v": 1, "w": 10}, x=1, s="a"), cell({"v": 2, "w": 20}, x=2, s="a")])
        self.assertEqual((cube.of("v").dims, cube.of("v").values), (("x",), {(1,): 1, (2,): 2}))
        both = cube.of(["v", "w"])
        self.assertEqual((both.dims, both.values), (("x", "result"), {(1, "v"): 1, (1, "w"): 10, (2, "v"): 2, (2, "w"): 20}))
        self.assertEqual((cube.of("v", x=9).values, cube.number("v", None, {"x": 2})), ({(): None}, 2))
        with self.assertRaisesRegex(Complaint, "c: 'v' at {} is several numbers, over x"):
            cube.number("v", None, {})
        words = Cube("c", [cell(1, x=v) for v in (10, 9, 10)])
        self.assertEqual(words.values(["x"], None, {}), [(9,), (10,)])
        self.assertEqual(Cube("c", [cell(1, x=v) for v in ("b", "a")]).values(["x"], None, {}), [("b",), ("a",)])
        self.assertEqual(Cube("c", [cell(1, x=v) for v in (True, False)]).values(["x"], None, {}), [(True,), (False,)])

    def test_means_and_what_was_not_run(self):
        self.assertEqual(mean([cell(1), cell(4)], "v"), 2.5)
        self.assertIsNone(mean([cell(1), cell(None)], "v"))
        self.assertTrue(math.isnan(mean([cell(1), cell(None), cell(2, "not run")], "v")))
        each = Cube("c", [cell(1, x=1, seed=1), cell(2, x=1, seed=2), cell(3, x=2, seed=1)], ["seed"], True).each()
        self.assertEqual({k: ([c.look("") for c in v.cells], v.averaged, v.in_part) for k, v in each.items()},
                         {(1,): ([1, 3], ["seed"], True), (2,): ([2], ["seed"], True)})

    def test_spreads(self):
        found = Spread.of([3, None, 1, math.nan, 2, 9])
        self.assertEqual((found.median, found.least, found.most, found.numbers, found.count), (2.5, 1, 9, (1, 2, 3, 9), 4))
        self.assertIsNone(Spread.of([None, math.nan]))
        self.assertEqual(found.scaled(2).numbers, (2, 4, 6, 18))
        self.assertEqual((found.text(1, " us"), Spread.of([2, 2]).text(2, "%")), ("2.5 us (1.0 to 9.0)", "2.00%"))


class Tables(InFolder):
    def spec(self, text):
        (spec,) = tables.read_table(read_toml(self.write("t.toml", f"[t]\n{text}"), "t.toml").child("t"))
        return spec

    CELLS = [cell({"v": v, "w": 2 * v}, s=s, x=x) for s, x, v in (("a", 1, 5.0), ("a", 2, 6.0), ("b", 1, 10.0),
                                                                  ("b", 2, None)) if v] + [cell({"v": None, "w": None},
                                                                      "failed", s="b", x=2)]

    def test_defaults(self):
        self.assertEqual(self.spec('of = "c"\nrows = "s"\ncolumns = "x"\nresult = "v"'), {
            "title": "", "of": "c", "grid": None, "at": {}, "rows": "s", "columns": "x", "result": "v", "scale": 1, "digits": 1,
            "over": None, "print": True, "plot": "", "drawn": {}, "beside": {}})
        each = tables.read_table(read_toml(self.write("t.toml",
                                                      '[t]\nof = "c"\nrows = "s"\ncolumns = "x"\ntitle = "${a} ${b}"\neach = { a = [1, 2], b = ["x", "y"] }\nat = { q = "${a}" }\n'), "t.toml").child("t"))
        self.assertEqual([(e["title"], e["at"]) for e in each], [("1 x", {"q": 1}), ("1 y", {"q": 1}), ("2 x", {"q": 2}),
                                                                 ("2 y", {"q": 2})])
        for text, what in (('of = "c"\nrows = "s"', "columns"), ('of = "c"\nrows = "s"\ncolumns = "x"\ndigits = -1', "digits"),
                           ('rows = "s"\ncolumns = "x"', "of")):
            with self.assertRaisesRegex(Complaint, what):
                self.spec(text)

    def test_rows_by_columns(self):
        cubes = {"c": Cube("c", self.CELLS)}
        made = tables.make(self.spec('title = "T"\nof = "c"\nrows = "s"\ncolumns = "x"\nresult = "v"\nscale = 10\ndigits = 2'),
                           cubes)
        self.assertEqual((made.title, made.rows, made.columns, made.values, made.texts),
                         ("T", ["a", "b"], [1, 2], [[50, 60], [100, None]], [["50.00", "60.00"], ["100.00", "failed"]]))
        self.assertEqual(made.spreads[0][1], Spread.of([60]))
        over = tables.make(self.spec('of = "c"\nrows = "s"\ncolumns = "x"\nresult = "v"\nover = { x = 1 }\ndigits = 3'), cubes)
        self.assertEqual((over.columns, over.texts), ([2], [["1.200"], ["failed"]]))
        results = tables.make(self.spec('of = "c"\nrows = ["s", "x"]\ncolumns = [{ label = "V", result = "v" }, { label = "W", result = "w", scale = 3, digits = 0 }, { label = "how", result = "verdict" }]'), cubes)
        self.assertEqual((results.rows, results.columns), (["a 1", "a 2", "b 1", "b 2"], ["V", "W", "how"]))
        self.assertEqual(results.texts, [["5.0", "30", "complete"], ["6.0", "36", "complete"], ["10.0", "60", "complete"],
                                         ["failed", "failed", "failed"]])

    def test_what_there_is_not(self):
        cubes = {"c": Cube("c", [cell(None, s="a", x=1), cell(3, s="b", x=2)])}
        made = tables.make(self.spec('of = "c"\nrows = "s"\ncolumns = "x"\nresult = "v"'), cubes)
        self.assertEqual(made.texts, [["-", "-"], ["-", "3.0"]])
        self.assertIsNone(tables.value(Cube("c", [cell(0, x=1), cell(5, x=2)]), {"result": "v"},
                                       {"grid": None, "over": {"x": 1}}, {"x": 2}))

    def test_published_numbers_are_at_their_cells(self):
        cubes = {"c": Cube("c", self.CELLS)}
        (self.folder / "p.csv").write_text("""id,value,ours,sense
plain,7,"c('v', s='a', x=2)",
scaled,40,"100 * c('v', s='b', x=one)",
ratio,3,"c('w', s='a', x=1) / c('w', s='a', x=2)",
gain,50,"100 * (c('w', s='a', x=2) / c('v', s='a', x=2) - 1)",
less,25,"reduction(c('w', s='b', x=1), c('w', s='a', x=2))",
bound,9,"c('v', s='a', x=1)",at most
several,8,"c('v', s='a')",
most,8,"most(c('v', s='a', x=1))",
none,1,,
""", encoding="utf-8")
        paper = marks.read(self.folder / "p.csv", {"one": 1})
        self.assertEqual([m.id for m in paper], ["plain", "scaled", "ratio", "gain", "less", "several"])
        def made(result, scale=1):
            return tables.make(self.spec(f'of = "c"\nrows = "s"\ncolumns = "x"\nresult = "{result}"\nscale = {scale}'), cubes,
                               published=paper).published
        # Ours of v: a 5, 6; b 10. Of w: a 10, 12; b 20.
        self.assertEqual(made("v"), [[None, 7], [0.4, None]])
        self.assertEqual(made("v", 10), [[None, 70], [4, None]])
        self.assertEqual(made("w"), [[36, 9], [9, None]])
        self.assertEqual(tables.make(self.spec('of = "c"\nrows = "s"\ncolumns = "x"\nresult = "v"'), cubes).published,
                         [[None, None], [None, None]])

    def test_folders_for_a_panel_beside(self):
        cubes = {"c": Cube("c", [cell(1, s=s, x=x, folder=f"{s}{x}") for s in "ab" for x in (1, 2)])}
        made = tables.make(self.spec('of = "c"\nrows = "s"\ncolumns = "x"\nresult = "v"\nbeside = { kind = "shares", at = { x = 2 } }'), cubes)
        self.assertEqual(made.folders, [("a", "a2"), ("b", "b2")])

    def test_columns_are_aligned(self):
        self.assertEqual(tables.aligned([["a", "bb", "c"], ["long", "1", ""]], lambda i: i > 0, True),
                         "a     bb  c\n-----------\nlong   1")
        self.assertEqual(tables.aligned([["a", "b"], ["cc", "d"]], lambda i: False), "a   b\ncc  d")
        self.assertEqual(tables.text(tables.Grid("T", ["r"], [1, 22], [], [["5", "6"]], True)), "T  1  22\nr  5   6")


class Sources(InFolder):
    def read(self, text):
        return read_toml(self.write("t.toml", f"[t]\n{text}"), "t.toml").child("t")

    def test_rules_leave_out_numbers(self):
        least = sources.read_rule(self.read('result = "fct.(.*)"\nof = "n.\\\\1"\nleast = 10'))
        summary = {"results": {"fct.p99": {"value": 5}, "n.p99": {"value": 9}, "fct.p50": {"value": 4}, "n.p50": {"value": 10},
                               "fct.x": {"value": 1}}}
        with mock.patch.object(sources, "find", lambda s, r: s["results"].get(r, {}).get("value", sources.MISSING)):
            look = sources.looking(summary, [least])
            self.assertEqual([look(r) for r in ("fct.p99", "fct.p50", "fct.x", "n.p99", "none")], [None, 4, None, 9, None])
            most = sources.read_rule(self.read('result = "fct.(.*)"\nof = "n.\\\\1"\nmost = 9'))
            look = sources.looking(summary, [most])
            self.assertEqual([look(r) for r in ("fct.p99", "fct.p50", "fct.x")], [5, None, 1])
            self.assertIsNone(sources.looking(None, [])("fct.p99"))
        for text in ('result = "a"\nof = "b"', 'result = "a"\nof = "b"\nleast = 1\nmost = 2'):
            with self.assertRaisesRegex(Complaint, r"\[\[rule\]\]: expected one of 'least' and 'most'"):
                sources.read_rule(self.read(text))

    def test_rows_of_a_program_and_of_a_file(self):
        with mock.patch.object(sources, "ROOT", self.folder):
            program = self.write("p", "#!/bin/sh\necho a,b\necho 1,2.5\necho $1,4\n")
            program.chmod(0o755)
            missing = []
            name, cube = sources.read_source(self.read('name = "n"\nprogram = ["p", "7"]'), missing)
            self.assertEqual((name, [(c.parameters, c.look("b")) for c in cube.cells], missing),
                             ("n", [({"a": "1", "b": "2.5"}, 2.5), ({"a": "7", "b": "4"}, 4.0)], []))
            self.write("f.json", {"rows": {"x": {"lut": "5"}, "y": {"lut": 6}}})
            name, cube = sources.read_source(self.read('name = "n"\nfile = "f.json"'), missing)
            self.assertEqual([(c.parameters, c.look("lut")) for c in cube.cells], [({"row": "x"}, 5.0), ({"row": "y"}, 6.0)])
            # One that is older than what it was made of is as if it were not there.
            self.write("rtl/a.v", "")
            os.utime(self.folder / "f.json", (1000, 1000))
            os.utime(self.folder / "rtl/a.v", (1000, 1000))
            self.assertEqual(len(sources.read_source(self.read('name = "n"\nfile = "f.json"\nnewer_than = "rtl/*.v"'),
                                                     missing)[1].cells), 2)
            os.utime(self.folder / "rtl/a.v", (1001, 1001))
            self.assertEqual((len(sources.read_source(self.read('name = "n"\nfile = "f.json"\nnewer_than = "rtl/*.v"'),
                                                      missing)[1].cells), missing), (0, ["n: needs f.json"]))
            sources.read_source(self.read('name = "m"\nprogram = ["gone"]\nmissing = "make it"'), missing)
            sources.read_source(self.read('name = "m"\nprogram = ["gone"]'), missing)
            self.assertEqual(missing[1:], ["make it", "m: needs gone"])


HEAD = "id,system,where,condition,metric,value,unit,kind,sense,apart,ours\n"


class PublishedNumbers(InFolder):
    def rows(self, lines, cubes, **more):
        return published.rows(self.write("p.csv", HEAD + "".join(f"{line}\n" for line in lines)), cubes, {"both": ["a", "b"]},
                              **more)

    CUBES = {"c": Cube("c", [cell(4.0, s="a"), cell(2.0, s="b")])}

    def test_a_number_with_its_verdict(self):
        found = self.rows(['one,Us,here,,ratio,2,x,,,,"c(\'v\', s=\'a\') / c(\'v\', s=\'b\')"',
                           'two,Us,here,,size,0,B,calibrated,at most,,"c(\'v\', s=\'b\')"',
                           'three,Us,here,,size,4,B,,,for a reason,"c(\'v\', s=\'b\')"', "four,Us,here,,size,4,B,,,,"],
                           self.CUBES)
        self.assertEqual(found, [{"id": "one", "what": "Us: ratio", "published": 2.0, "measured": 2.0, "unit": "x",
                                  "kind": "predicted", "verdict": "reproduced", "ratio": 1.0},
                                 {"id": "two", "what": "Us: size", "published": 0.0, "measured": 2.0, "unit": "B",
                                  "kind": "calibrated", "sense": "at most", "verdict": "not reproduced", "ratio": None},
                                 {"id": "three", "what": "Us: size", "published": 4.0, "measured": 2.0, "unit": "B",
                                  "kind": "predicted", "verdict": "not comparable", "why": "for a reason", "ratio": 0.5},
                                 {"id": "four", "what": "Us: size", "published": 4.0, "measured": None, "unit": "B",
                                  "kind": "predicted", "verdict": "no number", "ratio": None}])
        text = published.text(found, "difference")
        self.assertEqual(text[1:], [["one", "Us: ratio", "2 x", "2.00 x", "+0.00", "reproduced"],
                                    ["two", "Us: size", "0 B", "2.00 B", "+2.00", "not reproduced"],
                                    ["three", "Us: size", "4 B", "2.00 B", "-2.00", "not comparable: for a reason"],
                                    ["four", "Us: size", "4 B", "-", "-", "no number"]])
        self.assertEqual([r[4] for r in published.text(found, "ratio")], ["ratio", "1.00", "-", "0.50", "-"])
        self.assertEqual(published.markdown(found).splitlines()[2:], ["| one | Us: ratio | 2 x | 2.00 x |  | reproduced |",
                                                                      "| two | Us: size (calibrated) (at most) | 0 B | 2.00 B |  | not reproduced |",
                                                                     "| three | Us: size | 4 B | 2.00 B |  | not comparable: for a reason |", "| four | Us: size | 4 B | - |  | no number |"])

    def test_functions(self):
        def of(told):
            return published.number(told, published.functions_of(self.CUBES), {"both": ["a", "b"]})
        for told, expected in (("least(c('v'), 3)", 2), ("most(c('v', s=both), 3)", 4),
                               ("reduction(c('v', s='b'), c('v', s='a'))", 50), ("increase(c('v', s='a'), c('v', s='b'))", 100),
                               ("3 * 2", 6)):
            self.assertEqual(of(told), expected)
        unknown = Series((), {(): math.nan})
        self.assertTrue(math.isnan(published.least(unknown, 1).values[()])
                        and math.isnan(published.most(1, unknown).values[()]))
        self.assertIsNone(published.least(Series((), {(): None})).values[()])
        for told, what in (("c('v')", "several numbers, over s"), ("x + 1", "unknown name 'x'")):
            with self.assertRaisesRegex(ValueError, what):
                of(told)

    def test_of_seeds_the_median_and_its_interval(self):
        seeds = {"c": Cube("c", [cell(float(v), s="a", seed=i) for i, v in enumerate((9, 1, 5, 4, 6, 7, 3, 2, 8))], ["seed"]),
                 "d": Cube("d", [cell(5.0, t="z")])}
        (row,) = self.rows(['one,Us,here,,time,5,us,,,,"c(\'v\')"'], seeds, median=True)
        self.assertEqual([row[k] for k in ("measured", "least", "most", "seeds", "verdict")], [5, 2, 8, 9, "not decided"])
        (row,) = self.rows(['one,Us,here,,time,5,us,,,,"c(\'v\')"'], seeds, median=True, of_these_seeds=True)
        self.assertEqual([row[k] for k in ("least", "most", "verdict")], [1, 9, "not decided"])
        (row,) = self.rows(['one,Us,here,,time,5,us,,,,"d(\'v\')"'], seeds, median=True)
        self.assertEqual(([row[k] for k in ("measured", "least", "most", "verdict")], "seeds" in row),
                         ([5, 5, 5, "reproduced"], False))
        (row,) = self.rows(['one,Us,here,,time,5,us,,,,"c(\'v\')"'], seeds)
        self.assertEqual((row["measured"], "least" in row, row["verdict"]), (5, False, "not decided"))
        self.assertEqual(published.shown({"measured": 5, "least": 2, "most": 8, "unit": "us"}), "5.00 us (2.00 to 8.00)")

    def test_a_fault_has_its_line(self):
        for line, what in (('one,Us,here,,time,5,us,,,,"x + 1"', "p.csv:2: one: unknown name 'x'"),
                           ('one,Us,here,,time,5,us,,up,,"1"', "p.csv:2: one: sense 'up'"),
                           ('one,Us,here,,time,5,us,,,,"c(\'v\', t=1)"', "p.csv:2: one: c: no parameter 't'")):
            with self.assertRaisesRegex(Complaint, what):
                self.rows([line], self.CUBES)

    def test_cubes_by_seed(self):
        cubes = {"a": Cube("a", [cell(1, seed=1), cell(2, seed=2)], ["seed"]), "b": Cube("b", [cell(3, seed=2)], ["seed"]),
                 "c": Cube("c", [cell(4)])}
        found = published.by_seed(cubes)
        self.assertEqual([[[c.look("") for c in of[n].cells] for n in "abc"] for of in found],
                         [[[1], [], [4]], [[2], [3], [4]]])
        self.assertEqual(published.by_seed({"c": cubes["c"]}), [{"c": cubes["c"]}])


class Readings(InFolder):
    def test_read(self):
        self.assertIsNone(readings.read(read_toml(self.write("t.toml", ""), "t").child("readings")))
        told = readings.read(read_toml(self.write("t.toml", '[readings]\nstudy = "s"\nover = ["a", "b"]\ninstead_of = "c"\n'),
                                       "t").child("readings"))
        self.assertEqual(told, {"study": "s", "over": ["a", "b"], "instead_of": "c"})
        with self.assertRaisesRegex(Complaint, "study"):
            readings.read(read_toml(self.write("t.toml", '[readings]\ninstead_of = "c"\n'), "t").child("readings"))
        with self.assertRaisesRegex(Complaint, "instead_of"):
            readings.read(read_toml(self.write("t.toml", '[readings]\nstudy = "s"\n'), "t").child("readings"))

    def test_the_table(self):
        row = {"id": "x", "what": "w", "published": 1.0, "measured": 1.0, "unit": "us", "kind": "predicted", "ratio": 1}
        told, found = {"over": ["a", "b"]}, [({"a": 1, "b": 2}, [{**row, "verdict": v} for v in ("reproduced", "not decided")]),
                                             ({"a": 3, "b": 4}, [{**row, "verdict": v} for v in ("reproduced", "reproduced")])]
        text = readings.markdown(told, found)
        self.assertTrue(text.startswith("| a | b | reproduced | ordering only | not reproduced | not decided |\n|---|---|---|---|---|---|\n| 3 | 4 | 2 | 0 | 0 | 0 |\n| 1 | 2 | 1 | 0 | 0 | 1 |\n\nThe best: a 3, b 4\n\n"))
        self.assertNotIn("in part", text)
        self.assertEqual(readings.markdown(told, []).count("\n"), 2)
        self.assertIn("1 readings were run in part", readings.markdown(told, [*found, ({"a": 5, "b": 6}, [])]))


class Pages(unittest.TestCase):
    def test_a_line_of_a_page(self):
        for args, held, verdict, why, kind, sense in (
                (("Us: gain", "30 %", "25.00 % (20.00 to 40.00)", "9", "reproduced"), (20, 40), "reproduced", "", "predicted",
                 ""),
                (("Us: gain (calibrated) (at most)", "30 %", "25.00 %", "", "not reproduced: a reason"), (25, 25),
                 "not reproduced", "a reason", "calibrated", "at most"),
                (("Us: gain", "30 %", "25.00 % (20.00 to 40.00)", "4", "not decided"), (), "not decided", "", "predicted", ""),
                (("Us: gain", "30 %", "25.00 % (20.00 to 40.00)", "5", "x"), (20, 40), "x", "", "predicted", ""),
                (("Us: gain", "30 %", "25.00 %", "9, median alone", "x"), (), "x", "", "predicted", ""),
                (("Us: gain", "-3e2 %", "-", "", "no number"), None, "no number", "", "predicted", ""),
                (("Us: gain", "30 %", "(20.5 to 40)", "9", "x"), (20.5, 40), "x", "", "predicted", ""),
                (("Us: size (identity)", "3 B", "-1.5e3 B", "", "x"), (-1500, -1500), "x", "", "identity", "")):
            found = pages.read(*args)
            self.assertEqual((found.held, found.verdict, found.why, found.kind, found.sense), (held, verdict, why, kind, sense),
                             args)
        self.assertEqual((found.published, found.unit), (3.0, "B"))

    def test_lines_of_a_page_and_their_counts(self):
        text = ("| t.a.b | Us: gain | 30 % | 25.00 % |  | reproduced |\n| t.a.b | Us: gain | 1 % | 2 % |  | reproduced |\n| not an id | x | 1 % | 2 % |  | reproduced |\n| t.c | Us: gain (at most) | 30 % | 25 % |  | reproduced* |\n"
                "| t.d | Us: gain (calibrated) | 30 % | 25 % |  | reproduced |\n| t.e | Us: size | 3 B | - |  | no number |\n| t.f | Us: size | 3 B | 9 B |  | what? |\n| t.g | Us: gain | 30 % | 90 % |  | not comparable: because |\n")
        found = pages.lines(text)
        self.assertEqual(list(found), ["t.a.b", "t.c", "t.d", "t.e", "t.g"])
        self.assertEqual((found["t.a.b"].published, found["t.a.b"].judged(), found["t.g"].judged()),
                         (30, "reproduced", "not comparable"))
        found["t.c"].verdict = "reproduced"
        every = {page: found if page == "reps" else {} for page in pages.PAGES}
        rows = pages.front(every).splitlines()
        self.assertEqual(rows[4], "| [REPS](reps.md) | 4 | 2 | 1 | 0 | 0 | 0 | 1 | 1 | 1, 1 | 0, 0 |")
        self.assertEqual(rows[6], "| all | 4 | 2 | 1 | 0 | 0 | 0 | 1 | 1 | 1, 1 | 0, 0 |")
        self.assertEqual(rows[1], "|---" * 11 + "|")
        self.assertEqual(pages.effects_of(every), [(30, "%", (25, 25), "Us: gain"), (30, "%", (90, 90), "Us: gain")])
        control = pages.control(every).splitlines()
        self.assertEqual((control[0], control[2], control[4]),
                         ("| 2 effects | reproduced | ordering only | not reproduced | not decided |",
                          "| as published | 1 | 1 | 0 | 0 |", "| negated | 0 | 0 | 2 | 0 |"))
        self.assertEqual(control[3], "| shuffled | 1.0 | 1.0 | 0.0 | 0.0 |")


class Verdicts(unittest.TestCase):
    def test_near_and_even(self):
        for published_, unit, metric, near in ((82, "B", "size", 8.2), (30, "%", "gain", 10), (5, "%", "gain", 2.5),
                                               (34, "%", "share", 3.4), (6, "x", "ratio", 0.6), (1.05, "x", "ratio", 0.025),
                                               (-30, "%", "slowdown", 10)):
            self.assertAlmostEqual(verdicts.tolerance(published_, unit, metric), near)
        self.assertEqual([verdicts.even(*a) for a in (("x", "size"), ("%", "growth of a"), ("%", "share"), ("us", "gain"))],
                         [1, 0, None, None])

    def test_edges_of_what_is_near(self):
        for held, word in (((20, 40), "reproduced"), ((20, 40.1), "ordering only"), ((19.9, 40), "ordering only"),
                           ((0.1, 30.1), "ordering only"), ((0.1, 30.2), "not decided"), ((0, 30), "not decided"),
                           ((-5, 19.9), "not reproduced"), ((40, 99), "not decided"), ((40.1, 99), "ordering only")):
            self.assertEqual(verdicts.verdict(30, "%", held, "gain"), word, held)

    def test_intervals_of_medians(self):
        for n, k in ((5, 1), (7, 1), (8, 2), (10, 2), (11, 3), (20, 6)):
            self.assertEqual(verdicts.interval(random.Random(n).sample(range(n), n)), (k - 1, n - k), n)

    def test_counts_for_people(self):
        rows = [{"kind": "predicted", "verdict": "reproduced"}] * 2 + [{"kind": "identity", "verdict": "no number"}]
        self.assertEqual(verdicts.line("p", verdicts.counted(rows)),
                         "p: predicted: 2 reproduced, 0 ordering only, 0 not reproduced, 0 not decided, 0 not comparable; "
                                                                    "identity: 0 reproduced, 0 ordering only, 0 not reproduced, 0 not decided, 0 not comparable, 1 no number")

    def test_shuffles_stay_within_a_unit(self):
        effects = [(30, "%", (29, 31), "gain"), (60, "%", (59, 61), "gain"), (2.0, "x", (2, 2), "ratio")]
        found = verdicts.control(effects, 400)
        self.assertEqual(found["as published"]["reproduced"], 3)
        self.assertTrue(1.8 < found["shuffled"]["reproduced"] < 2.2, found)  # two meet half of the time, the third always
        self.assertEqual(found["negated"], {"not reproduced": 3})


class Command(InFolder):
    """The command itself, of the topic of validate_test.py."""

    def setUp(self):
        super().setUp()
        for name, text in (("p.toml", "a platform\n"), ("q.toml", "another\n"), ("loads.toml", LOADS), ("sizes.toml", SIZES),
                           ("topic.toml", TOPIC), ("topic.csv", PUBLISHED)):
            self.write(name, text)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)

    def run_(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.object(command.plots, "draw",
            lambda told, grids, folder: self.drawn.append((told, folder))):
            self.drawn = []
            code = command.validate(pathlib.Path("topic.toml"), ["--program", str(HERE.parent / "fake_horae"), "--out", "out",
                                                                 "--store", "store", "--jobs", "1", "--no-progress", *words])
        return code, out.getvalue(), err.getvalue()

    def test_names_of_runs_and_those_that_are_chosen(self):
        code, out, _ = self.run_("--names")
        self.assertEqual((code, out.count("\n")), (0, 12 + 6 + 2))  # those of two grids have two names
        self.assertIn("loads Figure 1 plain 40\n", out)
        self.assertFalse((self.folder / "out/table.txt").exists())
        code, out, err = self.run_("--quick", "--only", "plain 20")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual((self.folder / "out/table.txt").read_text() + "\n", out)
        self.assertEqual([(t["name"], t["columns"], t["size"], t["widths"], folder.name) for t, folder in self.drawn],
                         [("figure", 1, [4, 3], None, "plots")])
        self.assertIn("\ny 50\n", out)
        self.assertRegex(out, r"stuck +not run")

    def test_a_run_that_failed_is_said_and_one_that_is_stuck_is_in_the_tables(self):
        code, out, err = self.run_("--only", "sizes")
        self.assertEqual(code, 1 if "validate: sizes, point" in err else 0)
        self.assertRegex(out, r"stuck +failed")
        self.write("sizes.toml", SIZES.replace('"stuck"', '"crash"'))
        code, _, err = self.run_("--only", "sizes")
        self.assertEqual((code, err.startswith("validate: sizes, point 1: ")), (1, True))

    def test_seeds_are_values_of_the_studies_that_have_any(self):
        options = types.SimpleNamespace(y=None, seeds=3, quick=False, readings=False)
        root = read_toml(pathlib.Path("topic.toml"), "topic.toml")
        root.folder = self.folder
        found = command.studies_of(root, options, None)
        self.assertEqual([[c.value for c in p.choices] for p in found["loads"].parameters if p.name == "seed"], [[1, 2, 3]])
        self.assertEqual([p.name for p in found["sizes"].parameters], ["how"])
        options = types.SimpleNamespace(y="7", seeds=None, quick=True, readings=True)
        found = command.studies_of(root, options, {"study": "sizes.toml"})
        self.assertEqual((found["loads"].name, found["sizes"].name, found["loads"].constants["y"], set(found)),
                         ("loads_quick", "sizes", 7, {"loads", "sizes", "readings"}))

    def test_what_is_wrong_is_one_line(self):
        def main(*words):
            err = io.StringIO()
            with contextlib.redirect_stderr(err), mock.patch.object(sys, "argv",
                                                                    ["validate", *words]), mock.patch.object(command,
                                                                        "interruptible", lambda: None):
                return command.main(), err.getvalue()
        self.assertEqual(main("nothing"),
                         (2, f"validate: {os.path.relpath(command.TOPICS / 'nothing.toml')}: cannot be read: No such file or directory\n"))
        code, err = main("topic.toml", "--only", "zzz", "--program", str(HERE.parent / "fake_horae"), "--store", "store", "--out",
                         "out")
        self.assertEqual((code, err), (2, "validate: --only: no run has 'zzz' in its name; --names lists them\n"))


class Recovery(InFolder):
    def explain(self, **more):
        options = types.SimpleNamespace(**{"program": "h", "jobs": 1, "out": str(self.folder / "out"), "seed": 101,
                                           "points": 50, "others": 20, "leave": ["H3"], "only": ["H4.lock"], "budgets": [],
                                           "true_alone": False, **more})
        return recovery.Explain(options)

    def test_an_answer_that_is_there_is_not_asked_for_again(self):
        explain, asked = self.explain(), []

        def run(words, **how):
            asked.append(words)
            out = pathlib.Path(words[words.index("--out") + 1])
            out.mkdir()
            (out / "summary.json").write_text('{"infer": {"a": 1}}')
            (out / "points.csv").write_text("point,x\n0,5\n")
            return types.SimpleNamespace(returncode=0)
        with mock.patch.object(recovery.subprocess, "run", run):
            self.assertEqual(explain.run("n", 9, ["A", "B"], "obs.toml", seed=3, earlier="before"),
                             ({"a": 1}, [{"point": "0", "x": "5"}]))
            explain.run("n", 9, ["A"], "obs.toml")
            explain.run("m", 9, ["A"], "obs.toml", experiments=True)
        self.assertEqual(len(asked), 2)
        out = self.folder / "out"
        self.assertEqual(asked[0], ["h", "explain", "platforms/cx7_spray.toml", "--points", "9", "--only", "A,B", "--set",
                                    "sim.seed=3", "--observations", "obs.toml", "--hypotheses", str(out / "hypotheses.toml"),
                                    "--store", str(out / "runs"),
                                    "--jobs", "1", "--out", str(out / "n"), "--no-progress", "--from", str(out / "before")])
        self.assertEqual(asked[1][asked[1].index("--hypotheses") + 1], "platforms/hypotheses/cx7_spray.toml")
        self.assertNotIn("[[experiment]]", (out / "hypotheses.toml").read_text())
        with mock.patch.object(recovery.subprocess, "run", lambda *a, **k: types.SimpleNamespace(returncode=2, stderr=" why ",
            stdout="")), self.assertRaisesRegex(SystemExit, "^validate recovery: why$"):
            explain.run("x", 9, ["A"], "obs.toml")

    def test_a_point_that_has_something_to_explain_is_drawn(self):
        explain = self.explain()
        def drawn(*shares):
            rows = [{"point": str(i), "nocc.tx": str(s)} for i, s in enumerate(shares)]
            with mock.patch.object(explain, "run", lambda *a, **k: ({}, rows)):
                return recovery.draw(explain, "A", 1)["point"]
        self.assertEqual((drawn(0.9, 0.29, 0.3, 0.5), drawn(0.9, 0.81, 0.8), drawn(0.9, 0.1), drawn(*[0.9] * 8, 0.5)),
                         ("2", "2", "0", "0"))
        self.assertEqual([round(recovery.rounded(0.6125, r), 6) for r in (0.005, 0.0005, 0.05)], [0.61, 0.612, 0.6])

    def test_budgets_are_asked_for_each_question_and_kept(self):
        explain, asked = self.explain(budgets=[100, 400], only=["H4.lock", recovery.PUBLISHED]), []

        def run(name, points, only, data):
            asked.append((name, points, len(only), only[:1], pathlib.Path(data).name))
            return {"hypotheses": [{"id": "H4.lock", "points": points - 1, "standing": "consistent",
                                    "closest": {"tolerances": 100 / points}}]}, []
        with mock.patch.object(explain, "run", run), mock.patch.object(recovery, "draw",
                                                                       lambda *a: {}), mock.patch.object(recovery,
                                                                           "observations_file", lambda path,
                                                                           change: path), contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(recovery.ask_with_budgets(explain), 0)
            explain.options.true_alone = True
            recovery.ask_with_budgets(explain)
        names = [(a[0], a[1]) for a in asked[:4]]
        self.assertEqual(names, [("H4.lock_101_of_100", 100), ("H4.lock_101_of_400", 400), ("published_101_of_100", 100),
                                 ("published_101_of_400", 400)])
        self.assertEqual((asked[0][4], asked[2][4]), ("H4.lock_101.toml", "cx7_spray.toml"))
        self.assertEqual(asked[0][2], asked[2][2])
        self.assertEqual(([a[0] for a in asked[4:6]], asked[4][2:4], asked[6][2]),
                         (["H4.lock_101_of_100_alone", "H4.lock_101_of_400_alone"], (1, ["H4.lock"]), asked[2][2]))
        with open(self.folder / "out/searches.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(r["question"], r["asked"], r["points"], r["closest"]) for r in rows],
                         [("H4.lock", "100", "99", "1.000"), ("H4.lock", "400", "399", "0.250"),
                          ("published", "100", "99", "1.000"), ("published", "400", "399", "0.250")])
        self.assertIn("| 400 | 1 | 0.25 | 0.25 | 1 |", out.getvalue())

    def command(self, *words):
        with mock.patch.object(sys, "argv", ["recovery", "--out", str(self.folder / "r"), "--program", "h",
                                             *words]), contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(out):
            try:
                return recovery.main() or 0, out.getvalue()
            except SystemExit as ended:
                return ended.code, out.getvalue()

    def test_observations_are_written_as_they_were_changed(self):
        path = recovery.observations_file(self.folder / "o.toml", recovery.anything_goes)
        with open(recovery.installation.ROOT / recovery.OBSERVATIONS, "rb") as file:
            published_ = recovery.tomllib.load(file)
        made = recovery.tomllib.loads(path.read_text())
        self.assertEqual(made.keys(), published_.keys())
        self.assertEqual([o["tolerance"] for o in made["observation"]], [1e4 * o["value"] for o in published_["observation"]])

    def test_the_command(self):
        asked = []
        result = {"truth": "H4.lock", "tx": 0.5, "standing": "consistent", "closest": 0.6, "parameters": (2, 2), "all": (9, 10),
                  "excluded": 1, "impossible": 2,
                  "alike": [], "not_found": []}
        with mock.patch.object(recovery, "recover", lambda explain, name,
                               seed: asked.append((name, seed, vars(explain.options))) or result):
            code, out = self.command("--only", "H4.lock", "--only", "H6.buffer", "--seed", "7")
            self.command()
        self.assertEqual((code, [a[:2] for a in asked[:2]], [a[0] for a in asked[2:]]), (0, [("H4.lock", 7), ("H6.buffer", 7)],
            recovery.TRUTHS))
        self.assertEqual({k: asked[2][2][k] for k in ("points", "others", "seed", "jobs", "leave", "true_alone", "budgets")},
                         {"points": 1000, "others": 1000, "seed": 101, "jobs": 0, "leave": [], "true_alone": False,
                          "budgets": None})
        self.assertIn("consistent in 2 of 2", out)
        self.assertEqual(len(json.loads((self.folder / "r/summary.json").read_text())["recovery"]), 10)
        self.assertIn("consistent in 10 of 10", (self.folder / "r/table.md").read_text())
        code, out = self.command("--only", "published")
        self.assertEqual((code, "--only published: expected with --budgets only" in out), (2, True))
        with mock.patch.object(recovery, "ask_with_budgets", lambda explain: explain.options.budgets):
            self.assertEqual(self.command("--only", "published", "--budgets", "5,7")[0], [5, 7])

    def test_what_is_told_afterwards_may_be_anything_where_a_point_is_drawn(self):
        explain, changed = self.explain(), []
        with mock.patch.object(explain, "run", lambda *a, **k: ({}, [{"point": "0", "nocc.tx": "0.5"}])), \
                mock.patch.object(recovery, "observations_file", lambda path, change: changed.append((path.name, change))
                                  or path):
            recovery.draw(explain, "A", 3)
            recovery.draw(explain, "A", 3, "qps_8")
        self.assertEqual([n for n, _ in changed], ["A_3_drawn.toml", "A_3_drawn_qps_8.toml"])
        content = {"condition": [{"id": "nocc.all", "title": "t", "set": ["a=1"]}],
                   "observation": [{"id": "x", "tolerance": 1, "value": 2.0}]}
        changed[1][1](content)
        self.assertEqual([(o["id"], o["tolerance"]) for o in content["observation"]], [("x", 2e4), ("qps_8.tx_share", 1e4),
            ("qps_8.goodput_ratio", 1e4)])
        self.assertEqual(len(content["condition"]), 2)

    def test_a_verdict_that_is_turned_is_an_error(self):
        explain = self.explain(budgets=[100, 400])
        def run(name, points, only, data):
            return {"hypotheses": [{"id": "H4.lock", "points": points, "standing": "consistent",
                                    "closest": {"tolerances": points}}]}, []
        with mock.patch.object(explain, "run", run), mock.patch.object(recovery, "draw",
                                                                       lambda *a: {}), mock.patch.object(recovery,
                                                                           "observations_file", lambda path,
                                                                           change: path), contextlib.redirect_stdout(io.StringIO()) as out:
            self.assertEqual(recovery.ask_with_budgets(explain), 1)
        self.assertIn("of the data of H4.lock one search of H4.lock turns what another one says", out.getvalue())

    def test_a_question_and_what_was_told_afterwards(self):
        explain, asked = self.explain(), []
        unknowns = [{"name": "lock", "kind": "parameter", "accepted": {"low": "1 ns", "high": "9 ns"}},
                    {"name": "x", "kind": "nuisance", "accepted": {"low": "1", "high": "2"}}]
        answers = {"H4.lock_101_true": {"hypotheses": [{"id": "H4.lock", "standing": "consistent",
                                                        "closest": {"tolerances": 0.4}, "unknowns": unknowns}]},
                   "H4.lock_101_others": {"hypotheses": [{"id": "A", "standing": "consistent"},
                                                         {"id": "B", "standing": "excluded"},
                                                         {"id": "C", "standing": "impossible"},
                                                         {"id": "D", "standing": "not found"}]},
                   "H4.lock_101_experiments": {"experiments": [{"id": "dull", "gain_nats": 0.5, "by_chance_nats": 0.4},
                                                               {"id": "best", "gain_nats": 0.3, "by_chance_nats": 0.1}]},
                   "H4.lock_101_after": {"hypotheses": [{"id": "H4.lock", "standing": "consistent"},
                                                        {"id": "A", "standing": "excluded"}]}}

        def run(name, points, only, data, **more):
            asked.append((name, points, only, more))
            return answers[name], []
        def draw(explain, name, seed, told=None):
            return {"nocc.tx": "0.5", "values": "lock=5 ns; x=7",
                    **({f"{told}.{q}": "0.7" for q in recovery.TOLD} if told else {})}
        told_to = []
        with mock.patch.object(explain, "run", run), mock.patch.object(recovery, "draw", draw), mock.patch.object(recovery,
            "observations_file", lambda path, change: told_to.append(path.name) or path):
            found = recovery.recover(explain, "H4.lock", 101)
        self.assertEqual(found, {"truth": "H4.lock", "tx": 0.5, "standing": "consistent", "closest": 0.4, "parameters": (1, 1),
                                 "all": (1, 2), "excluded": 1, "impossible": 1, "alike": ["A"], "not_found": ["D"],
                                 "told": "best",
                                 "after": "consistent", "left": []})
        self.assertEqual([(a[0], a[1]) for a in asked], [("H4.lock_101_true", 50), ("H4.lock_101_others", 20),
                                                         ("H4.lock_101_experiments", 50), ("H4.lock_101_after", 50)])
        self.assertEqual((asked[2][3], asked[3][3], asked[3][2]),
                         ({"experiments": True}, {"earlier": "H4.lock_101_experiments"}, ["H4.lock", "A"]))
        self.assertFalse({"H4.lock", "H3"} & set(asked[1][2]))
        self.assertEqual(told_to, ["H4.lock_101.toml", "H4.lock_101_best.toml"])


if __name__ == "__main__":
    unittest.main()
