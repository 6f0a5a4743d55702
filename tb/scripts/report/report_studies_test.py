#!/usr/bin/python3
"""What scripts/report says of studies, of explanations and of results beside each other, and how it reads their files: each number, its
place and its mark, of files made by hand."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from lib.report import compare_view, explain_view, inputs, study_view  # noqa: E402
from lib.report.study_data import Data, class_of  # noqa: E402

NONE, THIN, SPACE = "\u2013", "\u202f", "\u00a0"


def texts(table):
    return [[c.text for c in row] for row in table.rows]


def heads(table):
    return [c.title for c in table.columns]


def result(kind, summary, label="r", folder="/nowhere"):
    return inputs.Result(label, kind, summary, pathlib.Path(folder))


def point(number, status="done", **more):
    return {"number": number, "status": status, "parameters": {"x": 2**number, "rto": "1 ms" if number % 2 else "100 us"},
            "values": {"gain": 10.0 * number, "cost": 5, "third": None}, "feasible": True, "pareto": False, **more}


def study(**more):
    """Chosen: 1; front: 1 and 2; then one of each class."""
    return {"study": "s", "description": "What is best",
            "parameters": [{"name": "x", "unit": "", "key": "a.x", "doc": "what x is"}, {"name": "rto", "unit": "s"}],
            "objectives": [{"name": "gain", "direction": "max", "unit": "Gbps"}, {"name": "cost", "direction": "min",
                "unit": "blocks"}],
            "derived": [{"name": "third", "value": "gain / 3", "unit": "x"}], "chosen": 1, "file": "s.toml", "version": "1.0",
            "points": [point(0), point(1, pareto=True), point(2, pareto=True),
                       point(3, feasible=False, reason="gain 30 too small"), point(4, "refused", reason="need 10, have 5"),
                       point(5, "refused", reason="need 20, have 5"), point(6, "failed", reason="stuck"), point(7, "pending")],
                       **more}


class Classes(unittest.TestCase):
    def test_each_point_is_of_one(self):
        told = study()
        self.assertEqual([class_of(told, p) for p in told["points"]],
                         ["dominated", "chosen", "pareto", "infeasible", "refused", "refused", "failed", "pending"])
        self.assertEqual(class_of(told, point(9, "odd")), "failed")
        self.assertEqual(class_of(told, {"number": 3, "status": "done"}), "dominated")

    def test_columns_that_all_figures_share(self):
        told = study()
        told["points"][0].update(unfinished=3, lost=0)
        told["points"][3]["reason"] = "y" * 200
        data = Data(told, "b")
        shared = data.shared()
        self.assertEqual(shared["rows"]["refused"], {"n": [4, 5], "p:x": [16, 32], "p:rto": [0.0001, 0.001],
                                                     "v:gain": [None, None], "v:cost": [None, None],
                                                     "v:third": [None, None], "unfinished": [None, None], "lost": [None, None],
                                                     "reason": ["need 10, have 5", "need 20, have 5"]})
        self.assertEqual(shared["rows"]["dominated"], {"n": [0], "p:x": [1], "p:rto": [0.0001], "v:gain": [0.0], "v:cost": [5],
                                                       "v:third": [None], "unfinished": [3], "lost": [0]})
        self.assertEqual(shared["rows"]["infeasible"]["reason"], ["y" * 160])
        self.assertEqual([c["key"] for c in shared["columns"]], ["n", "p:x", "p:rto", "v:gain", "v:cost", "v:third",
                                                                 "unfinished", "lost", "reason"])
        self.assertEqual([c["unit"] for c in shared["columns"]], ["", "", "", "Gbps", "blocks", "x", "", "", ""])
        self.assertEqual(shared["columns"][2]["texts"], ["100 us", "1 ms"])

    def test_series_by_class_and_their_counts(self):
        data = Data(study(), "b")
        self.assertEqual([(s["mark"], s["name"], s["source"], s["style"]) for s in data.series()],
                         [("pending", "pending (1)", "b/pending", 6), ("failed", "failed (1)", "b/failed", 2),
                          ("refused", "refused (2)", "b/refused", 3),
                          ("infeasible", "infeasible (1)", "b/infeasible", 4), ("dominated", "dominated (1)", "b/dominated", 5),
                          ("pareto", "Pareto front (2)", "b/pareto", 0), ("chosen", "chosen, of the front", "b/chosen", 1)])
        alone = Data(study(points=[point(1, pareto=True)]), "b")
        self.assertEqual([s["name"] for s in alone.series()], ["chosen (1)"])
        self.assertEqual([s["strip"] for s in alone.series(strip=True)], [True])

    def test_axes_of_parameters(self):
        def axis(*values, unit=""):
            told = study(parameters=[{"name": "x", "unit": unit}], points=[point(i, parameters={"x": v}) for i,
                                                                           v in enumerate(values)])
            return Data(told, "b").axes["x"]
        self.assertEqual(axis(3, 1, 2), {"title": "x", "unit": "", "scale": "linear", "column": "p:x", "ticks": [1, 2, 3],
                                         "texts": ["1", "2", "3"]})
        self.assertEqual(axis(1, 4, 8)["scale"], "log")
        self.assertEqual(axis(1, 8)["scale"], "linear")  # two are near up to fifty
        self.assertEqual(axis(1, 50)["scale"], "log")
        self.assertEqual(axis(0, 1, 8), {"title": "x", "unit": "", "scale": "category", "column": "p:x",
                                         "values": ["0", "1", "8"]})
        self.assertEqual(axis(0, 1, 7)["scale"], "linear")
        self.assertEqual(axis(0, 0)["scale"], "linear")
        self.assertEqual(axis("1 ms", "100 us", unit="s"), {"title": "x", "unit": "", "scale": "linear", "column": "p:x",
                                                            "ticks": [0.0001, 0.001], "texts": ["100 us", "1 ms"]})
        self.assertEqual(axis("irn", "static", None)["values"], ["irn", "static"])
        self.assertEqual(axis("1 ms", 5)["scale"], "category")
        twelve, thirteen = axis(*range(1, 13), unit="B"), axis(*range(1, 14), unit="B")
        self.assertEqual((twelve["ticks"], "ticks" in thirteen, thirteen["unit"]), (list(range(1, 13)), False, "B"))
        self.assertEqual(axis(*[f"{i} us" for i in range(1, 14)])["unit"], "s")
        many = axis(0, *range(1, 13))
        self.assertEqual(many["scale"], "linear")
        self.assertEqual(axis(0, *range(1, 12))["scale"], "category")

    def test_what_moves_and_where_it_is(self):
        data = Data(study(), "b")
        self.assertEqual(data.moving(), ["gain"])  # of a refused point no value counts
        self.assertEqual((data.on_axis("rto", "1 ms"), data.on_axis("rto", None), data.is_number("x"), data.is_number("rto")),
                         (0.001, None, True, True))
        words = Data(study(points=[point(0, parameters={"x": "a"}), point(1, parameters={"x": 3})]), "b")
        self.assertEqual((words.on_axis("x", 3), words.is_number("x")), ("3", False))
        self.assertEqual(data.value_axis("gain"), {"title": "gain (more is better)", "unit": "Gbps", "scale": "linear",
                                                   "column": "v:gain", "short": "gain"})
        self.assertEqual((data.value_axis("cost")["title"], data.value_axis("third")["title"]),
                         ("cost (less is better)", "third"))
        far = Data(study(points=[point(0, values={"gain": 1}), point(1, values={"gain": 50}),
                                 point(2, "failed", values={"gain": 0})]), "b")
        self.assertEqual(far.value_axis("gain")["scale"], "log")


class Studies(unittest.TestCase):
    def view(self, **more):
        return study_view.view(result("study", study(**more)), "b")[0]

    def test_the_answer_and_its_facts(self):
        page = self.view(method={"kind": "grid", "seed": None},
                         commands=[{"command": "run", "file": "p.toml", "point": 0, "set": ["a=1"]}, "other"],
                         chosen_why="knee",
                         published=[{"id": "p", "published": 2, "measured": 1}])
        self.assertEqual(page.answer,
                         "Chosen: point 1 (x 2, rto 1 ms). 8 points: 2 on the Pareto front, 1 dominated, 1 infeasible, 2 refused, 1 failed, 1 pending.")
        self.assertEqual((page.state, page.verdict, page.asked), ("warn", "point 1 chosen", "What is best"))
        self.assertEqual(page.key_figures, [("gain", f"10{SPACE}Gbps"), ("cost", f"5{SPACE}blocks"), ("third", NONE)])
        self.assertEqual(page.warnings, ["1 points are pending: the study is not finished", "1 point failed: see the reasons"])
        self.assertEqual(page.facts, [("objectives", "more gain, less cost"), ("study file", "s.toml"), ("version", "1.0"),
                                      ("method", "kind grid"),
                                      ("commands", "horae run p.toml --point 0 --set a=1; other"), ("rule of choice", "knee"),
                                      ("published", "1 published number, ours over published 0.50")])

    def test_without_a_choice_or_a_front(self):
        page = self.view(chosen=None, points=[point(0, pareto=True), point(1, "failed"), point(2, "failed")])
        self.assertEqual((page.state, page.verdict, page.warnings),
                         ("good", "1 on the front", ["2 points failed: see the reasons"]))
        self.assertTrue(page.answer.startswith("3 points: 1 on the Pareto front, 0 dominated, 2 failed."))
        none = self.view(chosen=None, points=[point(0, feasible=False)])
        self.assertEqual((none.state, none.verdict, none.warnings), ("bad", "0 on the front", ["no point is feasible"]))

    def test_the_front_is_a_table_and_a_line(self):
        page = self.view()
        figure, front = page.blocks[0], next(b for b in page.blocks if b.block == "table"
                                             and b.caption.startswith("The Pareto front"))
        spec = figure.spec
        self.assertEqual((spec["x"]["column"], spec["y"]["column"]), ("v:cost", "v:gain"))
        self.assertEqual(spec["front"], {"series": "pareto", "with": "chosen", "x": "v:cost", "y": "v:gain", "less_x": True})
        self.assertEqual([s["mark"] for s in spec["series"]], ["infeasible", "dominated", "pareto", "chosen"])
        self.assertEqual(figure.note, "4 points were refused, failed or are pending: the effects below show where")
        self.assertEqual((heads(front), texts(front)), (["point", "x", "rto, s", "gain, Gbps", "cost, blocks", "third, x"],
                                                        [["1", "2", "1 ms", "10", "5", NONE],
                                                         ["2", "4", "100 us", "20", "5", NONE]]))
        self.assertEqual((front.marked, front.caption, front.rows[0][2].value),
                         ({0: "chosen"}, "The Pareto front: the chosen point is marked", 0.001))
        one = self.view(objectives=study()["objectives"][:1])
        self.assertNotIn("front", one.blocks[0].spec)
        self.assertEqual(one.blocks[0].spec["x"]["column"], "v:cost")
        self.assertEqual(self.view(points=study()["points"][:3]).blocks[0].note, "")
        self.assertEqual(study_view.pareto_figure(Data(study(objectives=[]), "b")), [])
        for values, figures in (({"gain": 1, "cost": 2}, 1), ({"gain": 1}, 0)):
            told = study(objectives=study()["objectives"][:len(values)], points=[point(1, values=values)])
            self.assertEqual(len(study_view.pareto_figure(Data(told, "b"))), figures)
        self.assertEqual(study_view.front_table(Data(study(points=[point(0)]), "b")), [])
        self.assertEqual(study_view.front_table(Data(study(points=[point(2, pareto=True)]), "b"))[0].caption,
                         "The Pareto front")

    def test_points_with_equal_objectives_are_one_row_of_the_front(self):
        points = [point(n, pareto=True, values={"gain": 7, "cost": 3}) for n in (5, 1, 9)]
        points.append(point(2, pareto=True, values={"gain": 8, "cost": 4}))
        (front,) = study_view.front_table(Data(study(chosen=5, points=points), "b"))
        self.assertEqual(heads(front)[-1], "equal points")
        self.assertEqual([(row[0], row[-1]) for row in texts(front)], [("2", ""), ("5", "1, 9")])
        self.assertEqual((front.marked, front.rows[1][-1].value), ({1: "chosen"}, 2))
        points += [point(n, pareto=True, values={"gain": 7, "cost": 3}) for n in range(10, 30)]
        (front,) = study_view.front_table(Data(study(chosen=None, points=points), "b"))
        self.assertEqual(texts(front)[0][-1], "5, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 10 more")

    def test_effects_of_parameters_that_vary(self):
        found = study_view.effects(Data(study(), "b"))
        self.assertEqual([f.title for f in found[1:]], ["Effect of x", "Effect of rto"])
        self.assertEqual((found[1].note, found[1].small, found[1].spec["effect"], found[1].spec["x"]["column"],
                          found[1].spec["y"]["column"]), ("what x is", True, True, "p:x", "v:gain"))
        self.assertEqual([a["column"] for a in found[1].spec["choose"]["y"]], ["v:gain"])
        self.assertTrue(all(s["strip"] for s in found[1].spec["series"]))
        words = [point(i, parameters={"x": f"word{i}"}) for i in range(13)]
        self.assertFalse(study_view.effects(Data(study(points=words), "b"))[1].small)
        self.assertTrue(study_view.effects(Data(study(points=words[:12]), "b"))[1].small)
        many = [point(i, parameters={f"p{k}": i for k in range(14)}) for i in range(2)]
        self.assertEqual(study_view.effects(Data(study(points=many), "b"))[-1].items,
                         ["2 more parameters have no figure of their own"])
        twelve = [point(i, parameters={f"p{k}": i for k in range(12)}) for i in range(2)]
        self.assertEqual(len(study_view.effects(Data(study(parameters=[], points=twelve), "b"))), 13)
        self.assertEqual(study_view.effects(Data(study(points=[point(1)]), "b")), [])
        self.assertEqual(study_view.varied(Data(study(points=[point(2), point(0), point(1)]), "b")),
                         {"x": [1, 2, 4], "rto": ["100 us", "1 ms"]})

    def test_a_heat_map_needs_each_place_once_and_no_more_than_there_is_room_for(self):
        def grid(n, m, **more):
            return study(points=[point(i * m + k, parameters={"x": i, "rto": k}, values={"gain": i + 100 * k}, **more)
                                 for i in range(n) for k in range(m)])
        (figure,) = study_view.heat_maps(Data(grid(2, 3), "b"))
        spec = figure.spec
        self.assertEqual((spec["columns"], spec["rows"], spec["range"], spec["cells"]), (["0", "1"], ["0", "1", "2"], [0, 201],
            [[0, 0.005], [0.4975, 0.5025], [0.995, 1]]))
        self.assertEqual((spec["labels"][2], spec["texts"][2], spec["legend_title"], spec["column_title"]),
                         (["200", "201"], [f"gain 200{SPACE}Gbps", f"gain 201{SPACE}Gbps"], "gain, Gbps", "x (rows: rto)"))
        self.assertEqual((figure.note, figure.title), ("", "gain over x and rto"))
        self.assertEqual(len(study_view.heat_maps(Data(grid(24, 2), "b"))), 1)
        self.assertEqual(study_view.heat_maps(Data(grid(25, 2), "b")), [])
        twice = grid(2, 2)
        twice["points"].append(point(9, parameters={"x": 0, "rto": 0}))
        self.assertEqual(study_view.heat_maps(Data(twice, "b")), [])
        hole = grid(2, 2)
        hole["points"][3]["status"] = "failed"
        self.assertEqual(study_view.heat_maps(Data(hole, "b"))[0].note, "empty: no result there")
        two = grid(2, 2)
        two["points"][0]["values"]["gain"] = None
        for p in two["points"][1:]:
            p["values"]["gain"] = 5
        self.assertEqual(study_view.heat_maps(Data(two, "b")), [])

    def test_every_point_over_everything(self):
        (figure,) = study_view.parallel_figure(Data(study(), "b"))
        self.assertEqual([a["column"] for a in figure.spec["axes"]], ["p:x", "p:rto", "v:gain"])
        self.assertEqual([s["mark"] for s in figure.spec["series"] if s["off"]], ["pending", "failed"])
        self.assertEqual(figure.note, "The same in every point: cost, third")
        self.assertEqual(study_view.parallel_figure(Data(study(parameters=[],
                                                               points=[point(i, parameters={"x": i}) for i in range(2)]), "b")),
                                                               [])

    def test_reasons_that_differ_in_numbers_are_one(self):
        told = study()
        told["points"] += [point(n, "refused", reason="need 1.5, have 5") for n in range(10, 20)] + [point(20, feasible=False,
            reason="")]
        head, table = study_view.reasons(Data(told, "b"))
        self.assertEqual(texts(table), [["12", "refused", "need 10, have 5 (the others with other numbers)",
                                         "4, 5, 10, 11, 12, 13, 14, 15 and 4 more"],
                                        ["1", "failed", "stuck", "6"], ["1", "pending", "", "7"],
                                        ["1", "infeasible", "gain 30 too small", "3"]])
        told["points"] = [point(n, "failed", reason="x") for n in range(8)]
        self.assertEqual(texts(study_view.reasons(Data(told, "b"))[1]), [["8", "failed", "x", "0, 1, 2, 3, 4, 5, 6, 7"]])
        self.assertEqual(study_view.reasons(Data(study(points=[point(0)]), "b")), [])

    def test_what_was_asked_for(self):
        page = self.view(constraints=[{"name": "p99", "result": "fct.p99", "unit": "us", "least": 1, "most": 100},
                                      {"name": "fits", "fits": True}, {"result": "r", "least": 0}, "text"],
                         fixed=["a=1", {"b": 2, "c": None}])
        fold = next(b for b in page.blocks if b.block == "fold" and b.title == "Constraints and parameters")
        constraints, derived, fixed, parameters = fold.blocks
        self.assertEqual(constraints.items, ["p99 \u2265 1 us and p99 \u2264 100 us (fct.p99)", "the design fits the chip",
                                             "r \u2265 0", "text"])
        self.assertEqual((derived.items, fixed.items), (["third = gain / 3, x"], ["a=1", "b 2"]))
        self.assertEqual(texts(parameters), [["x", "a.x", "", "what x is"], ["rto", NONE, "s", ""]])
        self.assertEqual(study_view.derived_text("text"), "text")
        every = page.blocks[-1]
        self.assertEqual((every.title, len(every.blocks[0].rows), every.blocks[0].marked), ("All 8 points", 8, {1: "chosen"}))
        self.assertEqual(texts(every.blocks[0])[3], ["3", "8", "1 ms", "30", "5", NONE, "infeasible", "gain 30 too small"])


def hypothesis(name, standing="consistent", **more):
    return {"id": name, "standing": standing, "title": f"title {name}", "verdict": f"verdict {name}", **more}


class Explanations(unittest.TestCase):
    def test_the_ranking(self):
        by_id = {"A": hypothesis("A", evidence={"share": 0.25, "error": 0.01, "points": 9}, probability={"value": 0.75}),
                 "B": hypothesis("B", "excluded", evidence={"at_most": 0.001, "points": 0}, probability={"value": 0.5}),
                 "C": {}}
        table = explain_view.ranking([{"rank": 1, "hypothesis": "A", "closest": 0.5, "verdict": "good"},
                                      {"rank": 2, "hypothesis": "B", "closest": 3, "verdict": "out"},
                                      {"rank": 3, "hypothesis": "C"}], by_id)
        self.assertEqual(texts(table), [["1", "A", "title A", "0.25 \u00b1 0.01", "0.75", "0.5", "\u2713 good"],
                                        ["2", "B", "title B", "below 0.001", NONE, "3", "out"],
                                        ["3", "C", "", NONE, NONE, NONE, ""]])
        self.assertEqual([r[-1].mark for r in table.rows], ["good", "", ""])

    def test_verdicts_that_tolerances_change(self):
        def told(*standings):
            return [{"factor": f, "standing": s} for f, s in zip((0.5, 1, 2), standings)]
        by_id = {"A": {"tolerances": told("excluded", "consistent", "consistent")},
                 "B": {"tolerances": told("consistent", "consistent", "consistent")}}
        (table,) = explain_view.tolerances(by_id, ["B", "A"])
        self.assertEqual((heads(table), texts(table)), (["hypothesis", "halved", "as declared", "doubled"],
                                                        [["A", "excluded", "consistent", "consistent"]]))
        self.assertEqual([c.mark for c in table.rows[0]], ["", "", "good", "good"])
        self.assertEqual(explain_view.tolerances(by_id, ["B"])[0].block, "text")

    def test_what_would_tell_them_apart(self):
        told = {"experiments": [{"id": "e", "title": "longer", "gain_nats": 0.5,
                                 "predictions": [{"hypothesis": "A", "points": 1,
                                                  "tx_share": {"low": 1, "high": 2, "median": 1.5},
                                                                                                  "rate": {"low": 3, "high": 4,
                                                                                                      "median": 3}},
                                                                                                      {"hypothesis": "B",
                                                                                                          "tx_share": None}]},
                                {"id": "none", "predictions": []}]}
        head, table = explain_view.experiments(told)
        self.assertEqual(heads(table), ["what to do", "gain, nats", "quantity", "A", "B"])
        self.assertEqual(texts(table), [["longer", "0.5", "tx share", "1 to 2", NONE], ["", "", "rate", "3 to 4", NONE]])
        self.assertEqual([c.title for c in table.columns if c.numeric], ["gain, nats"])
        self.assertEqual(explain_view.experiments({}), [])

    def test_observations_of_the_best_four(self):
        def seen(name, i="tx", measured=1.5, within=True, kind="predicted"):
            return {"id": i, "hypothesis": name, "published": 1, "measured": measured, "within": within, "kind": kind,
                    "unit": "x", "source": "s", "tolerances": 0.25}
        ranked = list("ABCDEF")
        head, table = explain_view.observations([seen(n) for n in "FEDCB"] + [seen("B", "rx", 7, False, "calibrated"),
            seen("C", "rx")], ranked)
        self.assertEqual(heads(table), ["observation", "unit", "published", "B", "C", "D", "E", "kind", "source"])
        self.assertEqual(texts(table), [["tx", "x", "1", *["\u2713 1.5"] * 4, "predicted", "s"],
                                        ["rx", "x", "1", "\u2717 7 calibrated", "\u2713 1.5 predicted", NONE, NONE, "differs",
                                         "s"]])
        self.assertEqual([c.mark for c in table.rows[1][3:5]], ["bad", "good"])
        self.assertEqual([c.title for c in table.columns if c.numeric], ["published", "B", "C", "D", "E"])
        self.assertEqual((table.rows[0][3].title, table.caption),
                         ("0.25 of what is allowed", "The closest points of the best 4 hypotheses"))
        self.assertEqual(explain_view.observations([seen("A"), seen("A", measured=9)], ["A"])[1].rows[0][3].text,
                         "\u2713 1.5")  # the first
        self.assertEqual(explain_view.observations([seen("A")], ["A"])[1].caption, "The closest point of the best hypothesis")

    def test_curves_and_fractions(self):
        for x, text in ((0.25, "1/4"), (1, "1"), (0.75, "0.75"), (1 / 65536, "1/65536"), (1 / 131072, "7.629e-6"),
                        (-0.5, "-1/2"), ("x", "x"), (0, "0"), (3, "3"), (1 / 3, "1/3")):
            self.assertEqual(explain_view.fraction(x), text)
        told = {"curves": [{"id": "c", "x_title": "passed", "quantities": ["tx_share", "none"],
                            "points": [{"x": 0.25, "published": {"tx_share": 0.5}}, {"x": 1}],
                            "lines": [{"hypothesis": "A", "values": [{"tx_share": 0.4}, {}]},
                                      {"hypothesis": "B", "values": [{"tx_share": 1}, {"tx_share": 2}]}]}]}
        head, share, none = explain_view.curves(told)
        self.assertEqual([(s["name"], s["style"], s["data"]["x"], s["data"]["y"]) for s in share.spec["series"]],
                         [("A", 0, ["1/4", "1"], [0.4, None]), ("B", 1, ["1/4", "1"], [1, 2]),
                          ("published", 2, ["1/4"], [0.5])])
        self.assertEqual((share.title, share.spec["y"]["title"], share.spec["y"]["zero"], share.spec["x"]["scale"]),
                         ("c: tx share", "tx share", True, "category"))
        self.assertEqual(len(none.spec["series"]), 2)
        self.assertEqual(explain_view.curves({}), [])

    def test_idle_time_by_cause(self):
        by_id = {"A": {"idle": {"all": {"no_credit": 0.25, "rare": 0.0005}, "none": {"no_credit": 0}}},
                 "B": {"idle": {"all": {"no_credit": 0.0004}}}, "C": {}, "D": {"idle": {"all": {"other": 0.000512345}}}}
        head, figure = explain_view.idle(by_id, list("DCBA"))
        self.assertEqual((figure.spec["rows"], figure.title, figure.note, figure.spec["stacked"]),
                         (["D", "A"], "Why the wire is idle: all", "1 more hypothesis: never idle", True))
        self.assertEqual([(s["name"], s["style"], s["values"]) for s in figure.spec["series"]],
                         [("other", 0, [0.00051, 0]), ("no credit", 1, [0, 0.25])])
        by_id["E"] = {"idle": {"all": {}}}
        self.assertEqual(explain_view.idle(by_id, list("ABCDE"))[1].note, "2 more hypotheses: never idle")
        self.assertEqual(explain_view.idle(by_id, ["A", "D"])[1].note, "")
        self.assertEqual(explain_view.idle({"C": {}}, ["C"]), [])

    def test_a_hypothesis_with_what_is_left_of_its_space(self):
        told = hypothesis("A", unknowns=[{"name": "lock", "kind": "parameter", "low": "1 ns", "high": "9 ns",
                                          "accepted": {"low": "2 ns", "high": "3 ns"}},
                                         {"name": "mtu", "kind": "nuisance", "values": [1, 2, 4],
                                          "accepted": {"shares": [0.004, 0.005, 0.991]}},
                                          {"name": "z", "kind": "nuisance", "values": [1]},
                                         {"name": "s", "kind": "seed", "values": [1]}],
                                         predictions=[{"observation": "tx", "published": 0.5, "low": 0.4, "high": 0.6,
                                                       "median": 0.5, "allowed": 0.1, "unit": "x"}])
        fold = explain_view.hypothesis(told, 3)
        self.assertEqual((fold.title, fold.blocks[0].text), ("3. A: title A", "verdict A"))
        self.assertEqual(texts(fold.blocks[1]), [["lock", "parameter", "2 ns to 3 ns", "1 ns to 9 ns"],
                                                 ["mtu", "nuisance", "2 0 %, 4 99 %", "1, 2, 4"], ["z", "nuisance", NONE, "1"]])
        self.assertEqual(texts(fold.blocks[2]), [["tx", "0.5", "0.4 to 0.6", "0.1", "x"]])
        near = explain_view.hypothesis(hypothesis("B", closest={"at": {"a": 1, "b": "x"}}), 1)
        self.assertEqual(near.blocks[1].text, "Closest at a = 1; b = x.")

    def test_the_page(self):
        told = {"infer": {"hypotheses": [hypothesis("B", "excluded"), hypothesis("A")], "ranked": ["A", "B", "gone"],
                          "points": 1000, "runs": 12, "title": "T", "source": "S",
                          "arithmetic": [{"text": [" one "], "setting": "64"}, {"text": []}, {"text": ["two"]}],
                          "conclusion": "First."}, "version": "x.modified", "seed": 4}
        page = explain_view.view(result("explain", told))
        self.assertEqual((page.state, page.verdict), ("good", "1 consistent"))
        self.assertTrue(page.answer.startswith("First. 1 of 2 hypotheses agree"))
        self.assertEqual(page.key_figures, [("points of a hypothesis", f"1{THIN}000"), ("different runs", "12")])
        self.assertEqual((page.asked, len(page.warnings)), ("which mechanism explains: T (S)", 1))
        folds = [b for b in page.blocks if b.block == "fold"]
        self.assertEqual([f.title for f in folds], ["What the published numbers say alone: 64",
                                                    "What the published numbers say alone", "1. A: title A", "2. B: title B"])
        self.assertEqual(folds[0].blocks[0].items, ["one"])
        none = explain_view.view(result("explain", {"infer": {"hypotheses": [hypothesis("B", "excluded")]}}))
        self.assertEqual((none.state, none.verdict), ("warn", "none consistent"))


class BesideEachOther(unittest.TestCase):
    def test_sizes(self):
        def size(label, *pipelines):
            return result("size", {"pipelines": list(pipelines)}, label)
        def one(name, stages, sram, **more):
            return {"name": name, "stages_used": stages, "resources": {"sram": {"used": sram}},
                    "latency_cycles": {"ingress": 1200}, **more}
        head, table = compare_view.sizes([size("a", one("tor", 3, 7)),
                                          size("b", one("tor", 3, 9), one("core", 5, 9, latency_cycles=None))])
        self.assertEqual(heads(table), ["one pipeline", "a", "b: tor", "b: core"])
        self.assertEqual(texts(table), [["stages", "3", "3", "5"], ["ingress cycles", f"1{THIN}200", f"1{THIN}200", NONE],
                                        ["SRAM blocks", "7", "9", "9"]])
        self.assertEqual((table.marked, table.note), ({0: "differs", 1: "differs", 2: "differs"}, "What differs is marked."))
        same = compare_view.sizes([size("a", one("tor", 3, 7)), size("b", one("tor", 3, 7))])[1]
        self.assertEqual((same.marked, same.note), ({}, ""))
        self.assertEqual(compare_view.sizes([size("a", one("tor", 3, 7))]), [])

    def test_sweeps_over_the_same_points(self):
        def sweep(label, rows):
            return result("sweep", {"config": {}, "rows": {"sweep": rows}}, label)
        a = sweep("a", [{"p": "x", "rate": 1.0, "zero": 0}, {"p": "y", "rate": 60.0, "zero": 0}])
        b = sweep("b", [{"p": "x", "rate": 2.0}, {"p": "y", "rate": 3.0}])
        other = sweep("c", [{"p": "z", "rate": 1.0}])
        head, figure = compare_view.sweeps([a, other, b])
        self.assertEqual([(s["name"], s["style"], s["data"]["y"]) for s in figure.spec["series"]],
                         [("a", 0, [1, 60]), ("b", 1, [2, 3])])
        self.assertEqual((figure.title, figure.spec["y"]["scale"], figure.spec["x"]["values"]), ("Rate", "log", ["x", "y"]))
        near = compare_view.sweeps([b, sweep("d", [{"p": "x", "rate": 2.0}, {"p": "y", "rate": 3.0}])])[1]
        self.assertTrue(near.spec["y"]["zero"])
        self.assertEqual(compare_view.sweeps([a, other]), [])

    def test_configurations_are_shown_once(self):
        def run(label, **config):
            return result("run", {"config": config, "results": {}}, label)
        found = compare_view.blocks([run("a", x=1), run("b", x=2)])
        self.assertTrue(found[-1].opened)
        self.assertEqual([b.block for b in found], ["heading", "table", "fold"])
        self.assertEqual(compare_view.blocks([run("a", x=1)]), [])
        views = [type("V", (), {"blocks": [compare_view.config.fold(["r"], [{"x": 1}]), 5]})() for _ in range(2)]
        for v in views:
            v.blocks[1] = found[0]
        compare_view.drop_repeated(views[:1])
        self.assertEqual(len(views[0].blocks), 2)
        compare_view.drop_repeated(views)
        self.assertEqual([len(v.blocks) for v in views], [1, 1])


class Files(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def put(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    RUN = {"schema": 1, "platform": "p", "config": {}, "verdict": "complete", "results": {}, "packets": {}}

    def test_kinds(self):
        for summary, kind in ((self.RUN, "run"), ({**self.RUN, "rows": {"sweep": []}}, "sweep"),
                              ({"schema": 1, "infer": {}}, "explain"), ({"schema": 1, "most": "x", "axes": [], "points": []},
                                                                        "curve"),
                              ({"schema": 1, "pipelines": [], "refused": []}, "size"), ({"schema": 1, "nics": []}, "size"),
                              ({"schema": 1, "validation": []}, "published")):
            self.put("k/summary.json", summary)
            found = inputs.read(self.folder / "k")
            self.assertEqual((found.kind, found.label), (kind, "k"))
            self.assertEqual(inputs.read(self.folder / "k/summary.json").kind, kind)

    def test_another_file_is_no_folder(self):
        self.put("k/summary.json", self.RUN)
        with self.assertRaisesRegex(inputs.BadInput, "k/other.json: no such folder"):
            inputs.read(self.put("k/other.json", "{}"))

    def test_points_of_a_sweep_are_runs_in_the_order_of_its_table(self):
        self.put("s/summary.json", {**self.RUN, "rows": {"sweep": [{"p": "1/2"}, {"p": "gone"}, {"p": "all"}, {"p": "odd"}]}})
        for name in ("1_2", "all"):
            self.put(f"s/points/{name}/summary.json", self.RUN)
        self.put("s/points/odd/summary.json", {"schema": 1, "nics": []})
        found = inputs.read(self.folder / "s")
        self.assertEqual([(p.label, p.folder.name) for p in found.points], [("1/2", "1_2"), ("all", "all")])

    def test_labels_are_unique_with_as_few_parents_as_do(self):
        results = [inputs.Result("", "run", {}, pathlib.Path(p)) for p in ("/x/a/out", "/x/b/out", "/x/c", "/x/c", "/y/b/out")]
        inputs.label_all(results)
        self.assertEqual([r.label for r in results], ["a/out", "x/b/out", "/".join(("/", "x", "c")), "/".join(("/", "x", "c"))
                                                      + " (2)", "y/b/out"])

    def test_tables(self):
        path = self.put("t.csv", "a,b\n1,2\n3,4\n")
        self.assertEqual(list(inputs.csv_rows(path, ("a",))), [(2, {"a": "1", "b": "2"}), (3, {"a": "3", "b": "4"})])
        self.assertEqual(list(inputs.csv_rows(self.folder / "none.csv", ("a",))), [])
        for text, line in (("", "t.csv:1: found an empty file; expected columns ab"), ("a\n1,2\n", "t.csv:1: no column 'ab'"),
                           ("ba,ab\n1\n", "t.csv:2: found 1 values; expected 2"), ("abb\n", "did you mean 'abb'?")):
            with self.assertRaisesRegex(inputs.BadInput, line):
                list(inputs.csv_rows(self.put("t.csv", text), ("ab",)))
        for text, number in (("", None), ("nan", None), ("-nan", None), ("2.5", 2.5)):
            self.assertEqual(inputs.csv_number(path, 1, "a", text), number)
        for text in ("x", "inf"):
            with self.assertRaisesRegex(inputs.BadInput, f"t.csv:7: a: found '{text}'; expected a number"):
                inputs.csv_number(path, 7, "a", text)

    def test_what_is_wrong_is_one_line(self):
        for content, line in (({"schema": True}, "found schema true; expected schema 1"),
                              ({"schema": 1, "explain": {}}, "of an earlier horae explain"),
                              ({**self.RUN, "validation": {}}, '"validation": found a dict; expected a list'),
                              ({**self.RUN, "rows": []}, '"rows": found a list; expected an object'),
                              ({**self.RUN, "packets": 3}, '"packets": found a int; expected a dict'),
                              ({**self.RUN, "rows": {"x": [{}, 1]}}, '"rows.x": expected a list of objects'),
                              ({"schema": 1, "z": 1, "b": 2}, "found keys b, schema, z")):
            with self.subTest(line), self.assertRaisesRegex(inputs.BadInput, line):
                inputs.read(self.put("k/summary.json", content).parent)
        with self.assertRaisesRegex(inputs.BadInput,
                                    "points\\[1\\]: \"status\": found none; expected a str; did you mean \"statu\""):
            inputs.read(self.put("s/study.json", {"schema": 1, "study": "s", "parameters": [], "objectives": [],
                                                  "points": [{"number": 1, "parameters": {}, "status": "done"},
                                                             {"number": 2, "parameters": {}, "statu": ""}]}).parent)


if __name__ == "__main__":
    unittest.main()
