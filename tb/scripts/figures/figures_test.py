#!/usr/bin/python3
"""What is where in the figures that scripts draw: marks against data, labels, order, scales, colours."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import figures  # noqa: E402
from lib.common import plotting  # noqa: E402
from lib.plot import agreement, curves, drawing  # noqa: E402
from lib.common.complaint import Complaint  # noqa: E402
from figures import bars, legend, lines, ticks  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from lib.validate import plots  # noqa: E402
from lib.validate.cube import Spread  # noqa: E402
from lib.validate.tables import Grid  # noqa: E402


def colours(axes):
    return [to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata())]


def look(axes):
    """How marks and texts of axes look: (marker, its size, width of the line, whether above the others) of lines, sizes of texts, the
    legend's columns."""
    marks = {(line.get_marker(), line.get_markersize() if line.get_marker() != "None" else 0, line.get_linewidth(),
              line.get_zorder() > 2)
             for line in axes.lines}
    found = axes.get_legend()
    return {"lines": marks, "title": axes.title.get_fontsize(), "legend": found and (found.get_texts()[0].get_fontsize(),
        found._ncols),
            "ticks": [next((t.get_fontsize() for t in axis.get_ticklabels()), None) for axis in (axes.xaxis, axes.yaxis)]}


class InFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.addCleanup(plotting.pyplot().close, "all")
        self.folder = pathlib.Path(place.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def grid_is_on(self, axes, *which):
        self.assertEqual([any(line.get_visible() for line in axis.get_gridlines()) for axis in (axes.xaxis, axes.yaxis)],
                         ["x" in which, "y" in which])


class Written(InFolder):
    def test_whole_or_not_at_all(self):
        figure, _ = plotting.pyplot().subplots()
        plotting.save(figure, self.folder / "a.svg")
        plotting.save(figure, self.folder / "b.png", dpi=30)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a.svg", "b.png"])
        self.assertNotIn("<dc:date>", (self.folder / "a.svg").read_text())
        with self.assertRaisesRegex(Complaint, "none/x.svg: No such file or directory"):
            plotting.save(figure, self.folder / "none/x.svg")
        (self.folder / "full.svg").mkdir()
        with self.assertRaises(Complaint):
            plotting.save(figure, self.folder / "full.svg")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a.svg", "b.png", "full.svg"])

    def test_names_of_pictures(self):
        self.assertEqual(plotting.picture("a/b.svg"), pathlib.Path("a/b.svg"))
        self.assertEqual(plotting.picture("b.png"), pathlib.Path("b.png"))
        with self.assertRaisesRegex(Complaint, "-o b.pdf: expected a name ending in .svg or .png"):
            plotting.picture("b.pdf")


class Curve(InFolder):
    def curve(self, **more):
        values = {("16", 1): 4096, ("16", 2): 2048, ("64", 1): 1024, ("64", 2): 0, ("32", 1): 3000, ("32", 2): 1500}
        return {"axes": [{"key": "r.width"}, {"key": "r.pieces"}], "most": "r.entries", "file": "d.toml",
                "points": [{"at": {"r.width": w, "r.pieces": p}, "value": v, "binding": "sram" if w == "64" else "map_ram"}
                           for (w, p), v in values.items()], **more}

    def drawn(self, told, *words):
        (figure,) = figures.of("plot", self.write("c.json", told), "-o", "x.svg", *words).values()
        (axes,) = figure.axes
        return axes

    def test_a_line_for_each_value_of_the_other_axis_from_left_to_right(self):
        axes = self.drawn(self.curve(), "--x", "r.width")
        drawn = [line for line in lines(axes) if len(line[1]) > 1]
        self.assertEqual([line[:3] for line in drawn], [("pieces 1", [16, 32, 64], [4096, 3000, 1024]),
                                                        ("pieces 2", [16, 32], [2048, 1500])])  # 0 has no place on a logarithm
        self.assertEqual([line[1:] for line in lines(axes) if len(line[1]) == 1], [([16], [4096], "o"), ([32], [3000], "o"),
            ([64], [1024], "s"), ([16], [2048], "o"), ([32], [1500], "o")])
        self.assertEqual(legend(axes), ["pieces 1", "pieces 2", "binding: map_ram", "binding: sram"])
        self.assertEqual((axes.get_xscale(), axes.get_yscale(), axes.xaxis.get_transform().base,
                          axes.yaxis.get_transform().base), ("log", "log", 2, 2))
        self.assertEqual(ticks(axes.xaxis), ([16, 32, 64], ["16", "32", "64"]))
        self.assertEqual((axes.get_xlabel(), axes.get_ylabel(), axes.get_title()),
                         ("width", "r.entries", "largest r.entries that fits (d.toml)"))
        self.assertEqual(axes.yaxis.get_major_formatter()(4096.0), "4096")
        first, second = [to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata()) > 1]
        self.assertNotEqual(first, second)
        self.assertEqual({first, second}, {to_hex(plotting.pyplot().get_cmap("viridis")(v)) for v in (0.0, 0.9)})
        marks = {to_hex(line.get_color()) for line in axes.lines if len(line.get_xdata()) == 1 and line.get_xdata()[0] == 64}
        self.assertEqual(marks, {first})
        self.grid_is_on(axes, "x", "y")

    def test_its_looks(self):
        axes = self.drawn(self.curve(), "--x", "r.width")
        self.assertEqual(look(axes), {"lines": {("None", 0, 1.5, False), ("o", 6, 1.5, False), ("s", 6, 1.5, False)},
                                      "title": 10, "legend": (8, 2), "ticks": [10, 10]})
        self.assertEqual(list(axes.figure.get_size_inches()), [8, 5.2])

    def test_over_the_other_axis_and_with_a_title_of_ones_own(self):
        axes = self.drawn(self.curve(), "--x", "r.pieces", "--y", "entries")
        self.assertEqual([line[0] for line in lines(axes) if len(line[1]) > 1], ["width 16", "width 32"])
        self.assertEqual(axes.get_ylabel(), "entries")

    def test_one_axis_has_one_line_without_a_name(self):
        points = [{"at": {"r.width": w}, "value": v, "binding": "sram"} for w, v in (("2", 5), ("1", 9))]
        axes = self.drawn(self.curve(axes=[{"key": "r.width"}], points=points), "--x", "r.width")
        self.assertEqual(lines(axes)[0][1:3], ([1, 2], [9, 5]))
        self.assertEqual(legend(axes), ["binding: sram"])


class Pcie(InFolder):
    TABLE = ("gen lanes mps mrrs size ...\n 5 16 256 512 64 100.0 99.5 98 90.0 90.5 91\n 5 16 256 512 128 150.0 150.5 - 120.0 120.5 -\n"
             "3 8 128 256 64 40 41 - 30 31 32\n too short 1\n# 1 2 3 4 5 6 7 8 9 10\n")

    def test_lines_are_closed_forms_marks_the_model_and_crosses_are_published(self):
        (figure,) = figures.of("plot", self.write("t.txt", self.TABLE), "-o", "x.svg").values()
        read, write = figure.axes
        three, five = "Gen3 x8, MPS 128, MRRS 256", "Gen5 x16, MPS 256, MRRS 512"
        self.assertEqual([(label if m == "None" else m, xs, ys) for label, xs, ys, m in lines(read)],
                         [(three, [64], [40]), ("o", [64], [41]), (five, [64, 128], [100, 150]),
                          ("o", [64, 128], [99.5, 150.5]), ("x", [64], [98])])
        self.assertEqual([(m, xs, ys) for _, xs, ys, m in lines(write)], [("None", [64], [30]), ("o", [64], [31]),
                                                                          ("x", [64], [32]), ("None", [64, 128], [90, 120]),
                                                                          ("o", [64, 128], [90.5, 120.5]), ("x", [64], [91])])
        self.assertEqual(colours(read), ["#1f77b4", "#1f77b4", "#ff7f0e", "#ff7f0e", "#000000"])
        self.assertEqual(legend(read), [three, five, "pcie-bench/pcie-model", "model (lines: closed form)"])
        self.assertEqual((read.get_xlabel(), write.get_xlabel(), read.get_ylabel(), legend(write)),
                         ("size of a DMA read, bytes", "size of a DMA write, bytes", "Gb/s of data", []))
        for axes in (read, write):
            self.assertEqual((axes.get_xscale(), axes.xaxis.get_transform().base, axes.get_ylim()[0],
                              axes.xaxis.get_major_formatter()(64.0)), ("log", 2, 0, "64"))
            self.grid_is_on(axes, "x", "y")
        self.assertEqual(read.get_ylim(), write.get_ylim())
        looks = look(read)
        self.assertEqual((looks["lines"], looks["legend"]),
                         ({("None", 0, 1.5, False), ("o", 4, 1.5, False), ("x", 7, 1.5, False),
                                                              ("x", 6, 1.5, False)}, (7, 2)))
        self.assertEqual([line.get_markersize() for line in read.lines if not len(line.get_xdata())], [7, 6, 4])
        self.assertEqual(list(figure.get_size_inches()), [11, 5.2])


class Agreement(InFolder):
    def draw(self, draw, found):
        with figures.Saved() as saved:
            draw(plotting.pyplot(), found, self.folder)
        self.assertEqual(len(saved) % 2, 0)
        return next((f for name, f in saved.items() if name.endswith(".svg")), None)

    FOUND = {"ranked": ["B", "none", "A", "C"], "hypotheses": [
        {"id": "A", "standing": "excluded", "closest": {"tolerances": 3}, "evidence": {"share": 0, "error": 0,
            "at_most": 0.01}},
        {"id": "B", "standing": "consistent", "closest": {"tolerances": 0.5}, "evidence": {"share": 0.2, "error": 0.05,
            "at_most": 0}},
        {"id": "C", "standing": "odd", "closest": {"tolerances": 9}, "evidence": {"share": 0.1, "error": 0.4, "at_most": 0}},
        {"id": "none", "standing": "impossible"}]}

    def test_each_hypothesis_in_its_row_from_above(self):
        near, share = self.draw(agreement.draw_agreement, self.FOUND).axes
        self.assertEqual(ticks(near.yaxis), ([2, 1, 0], ["B", "A", "C"]))
        points = [(xs, ys) for _, xs, ys, m in lines(near) if m == "o"]
        self.assertEqual(points, [([0.5], [2]), ([3], [1]), ([9], [0])])
        self.assertEqual(colours(near)[:3], [agreement.COLOURS["consistent"], agreement.COLOURS["excluded"], "#777777"])
        self.assertIn(([1, 1], [0, 1]), [(xs, ys) for _, xs, ys, m in lines(near) if m == "None"])  # agrees up to here
        self.assertEqual([(xs, ys) for _, xs, ys, m in lines(share) if m == "<"], [([0.01], [1])])
        intervals = [[[round(float(v), 6) for v in p] for p in c.get_segments()[0]] for c in share.collections]
        self.assertEqual(intervals, [[[0.15, 2], [0.25, 2]], [[0.01, 0], [0.5, 0]]])
        self.assertEqual(legend(near), ["consistent", "not found", "excluded"])
        self.assertEqual([to_hex(h.get_color()) for h in near.get_legend().get_lines()], list(agreement.COLOURS.values()))
        self.assertEqual((near.get_xscale(), share.get_xscale()), ("log", "log"))
        self.assertEqual((near.get_xlabel(), share.get_xlabel()), ("closest approach, tolerances (1: agrees)",
                                                                   "share of the space that agrees (arrow: at most)"))
        self.grid_is_on(near, "x")
        self.grid_is_on(share, "x")
        self.assertEqual((look(near)["lines"], look(near)["legend"]), ({("o", 6, 1.5, False), ("None", 0, 0.8, False)}, (8, 1)))
        self.assertEqual([round(v, 6) for v in near.figure.get_size_inches()], [9.5, 2.56])
        self.assertEqual(share.get_ylim(), near.get_ylim())
        self.assertFalse(any(t.get_visible() and t.get_text() for t in share.get_yticklabels()))  # the names stand once
        caps = [line for line in share.lines if line.get_marker() == "|"]
        self.assertEqual({line.get_markersize() for line in caps}, {6})
        self.assertIsNone(self.draw(agreement.draw_agreement, {"ranked": ["none"], "hypotheses": self.FOUND["hypotheses"][3:]}))

    def test_gains_in_the_order_that_was_told(self):
        told = [{"title": t, "gain_nats": g, "by_chance_nats": c, "most_nats": 0.7, "predictions": []} for t, g,
                c in (("a", 0.5, 0.1), ("b", 0.25, 0.2))]
        (axes,) = self.draw(agreement.draw_gains, {"experiments": told}).axes
        self.assertEqual(ticks(axes.yaxis), ([1, 0], ["a", "b"]))
        self.assertEqual(bars(axes)["expected gain"], [(0, 0.675, 0.5, 0.65), (0, -0.325, 0.25, 0.65)])
        by_chance, certainty = lines(axes)
        self.assertEqual((by_chance, certainty[1]), (("by chance, with so few points", [0.1, 0.2], [1, 0], "|"), [0.7, 0.7]))
        self.assertEqual(legend(axes), ["by chance, with so few points", "certainty which it is", "expected gain"])
        self.assertEqual(axes.get_xlim()[0], 0)
        self.grid_is_on(axes, "x")
        self.assertEqual(look(axes)["lines"], {("|", 11, 1.5, False), ("None", 0, 0.8, False)})
        self.assertEqual((look(axes)["legend"], look(axes)["ticks"][1], axes.lines[0].get_markeredgewidth(),
                          axes.get_legend().get_frame_on()), ((8, 3), 8, 2, False))
        self.assertEqual([round(v, 6) for v in axes.figure.get_size_inches()], [9.5, 1.92])
        self.assertIsNone(self.draw(agreement.draw_gains, {"experiments": None}))

    def experiment(self, title, gain, chance=0.0, **of):
        return {"title": title, "gain_nats": gain, "by_chance_nats": chance,
                "predictions": [{"hypothesis": n, "points": 3, "tx": {"low": x, "median": x + 1, "high": x + 3},
                                 "rate": {"low": 0, "median": 1, "high": 2}} for n, x in of.items()]}

    def test_intervals_of_the_most_telling_four(self):
        told = [self.experiment("dull", 0.5, 0.4, A=1), self.experiment("best", 0.5, A=1, B=5),
                self.experiment("second", 0.6, 0.2, B=2), self.experiment("third", 0.3, A=1), self.experiment("empty", 0.45),
                self.experiment("fifth", 0.05, A=1)]
        figure = self.draw(agreement.draw_predictions, {"experiments": told})
        rows = [figure.axes[i:i + 2] for i in range(0, len(figure.axes), 2)]
        self.assertEqual([row[0].get_title(loc="left") for row in rows], ["best", "second", "third"])  # of four one has nothing
        first = rows[0][0]
        self.assertEqual([(xs, ys, m) for _, xs, ys, m in lines(first)], [([1, 4], [1, 1], "None"), ([2], [1], "|"),
                                                                          ([5, 8], [0, 0], "None"), ([6], [0], "|")])
        self.assertEqual(ticks(first.yaxis), ([1, 0], ["A", "B"]))
        self.assertEqual(ticks(rows[0][1].yaxis), ([1, 0], ["", ""]))
        self.assertEqual(first.get_ylim(), (-0.7, 1.7))
        self.assertEqual([axes.get_xlabel() for row in rows for axes in row], ["", "", "", "", "tx", "rate"])
        self.assertEqual((colours(first)[0], colours(first)[2], colours(rows[1][0])[0]), ("#1f77b4", "#ff7f0e", "#ff7f0e"))
        self.assertEqual((look(first)["lines"], look(first)["ticks"]), ({("None", 0, 5, False), ("|", 8, 1.5, False)}, [8, 8]))
        self.assertEqual((rows[2][0].xaxis.label.get_fontsize(), first.get_title(loc="left"), first._left_title.get_fontsize()),
                         (9, "best", 9))
        self.assertEqual([round(v, 6) for v in figure.get_size_inches()], [8, round(3 * (0.9 + 0.44), 6)])
        self.assertIsNone(self.draw(agreement.draw_predictions, {"experiments": [self.experiment("empty", 1)]}))
        self.grid_is_on(first, "x")

    CURVE = {"id": "c", "title": "", "x_title": "passed", "quantities": ["tx", "rate"],
             "points": [{"x": 0.25, "published": {"tx": 0.5}}, {"x": 0.75, "published": {}}, {"x": 3, "published": {"tx": 2}}],
             "lines": [{"hypothesis": "A", "values": [{"tx": 1}, {"tx": None}, {"tx": 3}]},
                       {"hypothesis": "B", "values": [{"rate": 4}, {"rate": 5}, {}]}]}

    def test_curves_at_the_closest_points(self):
        found = {"survivors": ["B", "A"], "curves": [self.CURVE, {**self.CURVE, "title": "Second", "quantities": ["tx"]},
                                                     {**self.CURVE, "lines": []}]}
        with figures.Saved() as saved:
            curves.draw_curves(plotting.pyplot(), found, self.folder, {"A": "#000001", "B": "#000002"})
        figure = saved["curves.svg"]
        tx, rate, again, hidden = figure.axes
        self.assertEqual(lines(tx), [("A", [0, 2], [1, 3], "o"), ("published", [0, 2], [0.5, 2], "*")])
        self.assertEqual(lines(rate), [("B", [0, 1], [4, 5], "s")])
        self.assertEqual((colours(tx)[0], colours(rate)), ("#000001", ["#000002"]))
        self.assertEqual(ticks(tx.xaxis), ([0, 1, 2], ["1/4", "0.75", "3"]))
        self.assertEqual((tx.get_title(), again.get_title(), tx.get_xlabel(), tx.get_ylabel()), ("c", "Second", "passed", "tx"))
        self.assertEqual(tx.get_ylim()[0], 0)
        self.assertGreater(tx.get_ylim()[1], 3.2)
        self.assertLess(tx.get_ylim()[1], 3.7)
        self.assertEqual([a.get_visible() for a in figure.axes], [True, True, True, False])
        self.assertEqual([t.get_text() for t in figure.legends[0].get_texts()], ["A", "B", "published"])
        self.grid_is_on(tx, "x", "y")
        self.assertEqual((look(tx)["lines"], look(tx)["title"]),
                         ({("o", 5, 1.2, False), ("s", 5, 1.2, False), ("*", 13, 1.5, True)}, 10))
        self.assertEqual((figure.legends[0].get_texts()[0].get_fontsize(), figure.legends[0]._ncols,
                          list(figure.get_size_inches())), (8, 4, [10.4, 7.6]))
        with figures.Saved() as saved:
            curves.draw(plotting.pyplot(), {**found, "hypotheses": [], "ranked": []}, self.folder)
        self.assertEqual(colours(saved["curves.svg"].axes[0])[0], "#ff7f0e")  # the second of the survivors
        with figures.Saved() as saved:
            curves.draw_curves(plotting.pyplot(), {"curves": [{**self.CURVE, "lines": []}]}, self.folder, {})
        self.assertEqual(saved, {})

    def test_labels_are_fractions_where_they_are(self):
        for x, label in ((0.25, "1/4"), (1 / 65536, "1/65536"), (1, "1"), (0, "0"), (0.75, "0.75"), (3, "3"),
                         (1 / 131072, "7.62939e-06"), (0.3, "0.3"), (1 / 3, "1/3")):
            self.assertEqual(drawing.label_of(x), label)

    def test_idle_time_is_stacked_by_cause(self):
        idle = {"A": {"all": {"credit": 0.25, "lock": 0.5, "rare": 0.0005}}, "B": {"all": {"lock": 0.125, "new": 0.0006},
            "half": {"credit": 0.25}, "none": {"credit": 0.0}}}
        found = {"ranked": ["B", "C", "A"], "hypotheses": [{"id": "A", "idle": idle["A"]}, {"id": "C"},
                                                           {"id": "B", "idle": idle["B"]}]}
        figure = self.draw(curves.draw_idle, found)
        every, half = figure.axes
        self.assertEqual((every.get_title(), half.get_title()), ("all", "half"))
        self.assertEqual(ticks(every.yaxis), ([1, 0], ["B", "A"]))
        drawn = {name: [(x, w) for x, _, w, _ in of] for name, of in bars(every).items()}
        self.assertEqual(drawn, {"lock": [(0, 0.125), (0, 0.5)], "new": [(0.125, 0.0006), (0.5, 0)],
                                 "credit": [(0.1256, 0), (0.5, 0.25)]})
        self.assertEqual([w for _, _, w, _ in bars(half)["credit"]], [0.25, 0])
        self.assertEqual((every.get_xlim(), every.get_xlabel()), ((0, 1), "share of time idle"))
        self.assertEqual((legend(every), legend(half)), ([], ["lock", "new", "credit"]))
        self.assertEqual([to_hex(c.patches[0].get_facecolor()) for c in every.containers], ["#1f77b4", "#ff7f0e", "#2ca02c"])
        self.grid_is_on(every, "x")
        self.assertEqual((look(half)["legend"], look(every)["title"]), ((8, 1), 10))
        self.assertEqual([round(v, 6) for v in figure.get_size_inches()], [8.2, 2.1])
        self.assertIsNone(self.draw(curves.draw_idle,
                                    {"ranked": ["A"], "hypotheses": [{"id": "A", "idle": {"all": {"x": 0.0005}}}]}))

    def test_all_of_them_as_svg_and_png_in_the_folder(self):
        told = [self.experiment("a", 0.5, A=1)]
        told[0]["most_nats"] = 1
        self.write("summary.json", {"infer": {**self.FOUND, "experiments": told, "survivors": ["A", "B"],
                                              "curves": [self.CURVE]}})
        found = figures.of("plot", self.folder)
        self.assertEqual(sorted(found), sorted(f"{n}.{e}" for n in ("agreement", "gains", "predictions", "curves")
                                               for e in ("svg", "png")))
        self.assertTrue((self.folder / "plots").is_dir())
        self.assertEqual(figures.of("plot", self.folder).keys(), found.keys())  # again, where it is there


def table(rows, columns, values, **more):
    return Grid("t", rows, columns, values, [], False, **more)


class OfValidations(InFolder):
    def axes(self):
        return plotting.pyplot().subplots()[1]

    def test_bars_are_grouped_by_column(self):
        axes = self.axes()
        plots.bars(axes, table(["a", "b"], ["upto_4", "above_4", 7], [[1, 2, None], [4, 0, 6]]))
        found = bars(axes)
        self.assertEqual(found["a"], [(-0.4, 0, 0.4, 1), (0.6, 0, 0.4, 2), (1.6, 0, 0.4, 0)])
        self.assertEqual(found["b"], [(0, 0, 0.4, 4), (1, 0, 0.4, 0), (2, 0, 0.4, 6)])
        self.assertEqual(ticks(axes.xaxis), ([0, 1, 2], ["\u2264 4", "> 4", "7"]))
        self.assertEqual([(t.get_text(), round(t.get_position()[0], 6), t.get_rotation(), t.get_position()[1])
                          for t in axes.texts], [("none", 1.8, 90, 0.02)])
        self.assertEqual((axes.get_yscale(), axes.get_axisbelow()), ("linear", True))
        self.assertEqual((axes.texts[0].get_fontsize(), look(axes)["ticks"][0]), (6, 8))
        self.grid_is_on(axes, "y")

    def test_bars_have_ranges_of_seeds(self):
        axes = self.axes()
        spreads = [[Spread.of([2, 3, 5]), Spread.of([4])], [None, Spread.of([1, 9])]]
        plots.bars(axes, table(["a", "b"], ["x", "y"], [[3, 4], [None, 5]], spreads=spreads, drawn={"log": True}))
        ranges = [[[round(float(v), 6) for v in p] for p in s] for c in axes.collections for s in c.get_segments()]
        self.assertEqual(ranges, [[[-0.2, 2], [-0.2, 5]], [[1.2, 1], [1.2, 9]]])
        self.assertEqual((axes.get_yscale(), [c.get_linewidth()[0] for c in axes.collections]), ("log", [0.8, 0.8]))
        none = self.axes()
        plots.bars(none, table(["a"], ["x"], [[0]], drawn={"log": True}))
        self.assertEqual(none.get_yscale(), "linear")

    def test_published_numbers_are_stars_at_their_bars_and_points(self):
        axes = self.axes()
        plots.bars(axes, table(["a", "b"], ["x", "y"], [[3, 4], [None, 5]], published=[[None, 4.5], [2, None]]))
        drawn = [(line.get_marker(), [round(float(x), 6) for x in line.get_xdata()], list(line.get_ydata())) for line in axes.lines]
        self.assertEqual(drawn, [("*", [0.8], [4.5]), ("*", [0.2], [2])])
        self.assertEqual(axes.get_legend_handles_labels()[1].count("published"), 1)
        axes = self.axes()
        plots.lines(axes, table(["a"], ["20", "3"], [[2, 1]], published=[[None, 1.5]]))
        self.assertEqual([(line.get_marker(), list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines],
                         [("*", [3], [1.5]), ("o", [3, 20], [1, 2])])
        without = self.axes()
        plots.lines(without, table(["a"], ["20"], [[2]], published=[[None]]))
        self.assertEqual(len(without.lines), 1)

    def test_lines_are_by_number_and_leave_out_what_is_none(self):
        axes = self.axes()
        plots.lines(axes, table(["a", "b", "c"], ["20", "3", "100"], [[2, 1, None], [None, None, None], [5, 6, 7]],
                                drawn={"log_x": True, "log_y": True}))
        self.assertEqual(lines(axes), [("a", [3, 20], [1, 2], "o"), ("c", [3, 20, 100], [6, 5, 7], "o")])
        self.assertEqual((axes.get_xscale(), axes.get_yscale(), axes.xaxis.get_transform().base), ("log", "log", 2))
        self.assertEqual(look(axes)["lines"], {("o", 3, 1.5, False)})
        self.grid_is_on(axes, "x", "y")
        plain = self.axes()
        plots.lines(plain, table(["a"], ["1"], [[2]]))
        self.assertEqual((plain.get_xscale(), plain.get_yscale()), ("linear", "linear"))

    def test_shares_are_distributions_of_a_column(self):
        self.write("flows.csv", "fct,x\n3,1\n,1\n1,1\n2,1\n")
        axes = self.axes()
        plots.shares(axes, {"file": "flows.csv", "column": "fct", "scale": 10}, [("r", self.folder), ("none", None),
            ("gone", self.folder / "no")])
        self.assertEqual([line[:3] for line in lines(axes)], [("r", [10, 20, 30], [1 / 3, 2 / 3, 1])])
        self.grid_is_on(axes, "x", "y")

    def test_series_are_means_over_objects_in_milliseconds(self):
        self.write("series.csv",
                   "time_us,object,quantity,value\n2000,leaf1,q,4\n1000,leaf0,q,1\n1000,leaf1,q,2\n1000,spine0,q,99\n1000,leaf0,other,99\n1000,leaf0x,q,99\n")
        axes = self.axes()
        plots.series(axes, {"file": "series.csv", "quantity": "q", "objects": "leaf\\d", "scale": 2}, [("r", self.folder)])
        self.assertEqual([line[:3] for line in lines(axes)], [("r", [1, 2], [3, 8])])
        self.assertEqual(look(axes)["lines"], {("None", 0, 0.8, False)})
        self.grid_is_on(axes, "x", "y")
        plain = self.axes()
        plots.series(plain, {"file": "series.csv", "quantity": "q", "objects": "leaf1"}, [("r", self.folder)])
        self.assertEqual(lines(plain)[0][2], [2, 4])

    def test_panels_in_the_order_of_their_tables(self):
        told = {"name": "f", "columns": 2, "size": [6, 4], "widths": [1, 3]}
        self.write("flows.csv", "fct\n3\n")
        grids = [table(["a"], ["1"], [[2]], plot="f", drawn={"kind": "lines", "title": "T", "x": "X", "y": "Y"}),
                 table(["a"], ["1"], [[2]], plot="other", drawn={"kind": "bars"}),
                 table(["b"], ["1"], [[5]], plot="f", drawn={"kind": "bars"}, beside={"kind": "shares", "file": "flows.csv",
                     "column": "fct", "scale": 1, "title": "Beside"}, folders=[("r", self.folder)]),
                 table(["none"], [], [[]], plot="f", drawn={"kind": "bars"})]
        with figures.Saved() as saved:
            plots.draw(told, grids, self.folder)
        self.assertEqual(set(saved), {"f.svg", "f.png"})
        figure = saved["f.svg"]
        one, two, three, hidden = figure.axes
        self.assertEqual(([a.get_visible() for a in figure.axes], one.get_title(), one.get_xlabel(), one.get_ylabel(),
                          legend(one)), ([True, True, True, False], "T", "X", "Y", ["a"]))
        self.assertEqual((legend(two), three.get_title(), lines(three)[0][1], list(figure.get_size_inches())),
                         (["b"], "Beside", [3], [6, 4]))
        self.assertEqual((look(one)["title"], look(one)["legend"]), (10, (7, 1)))
        self.assertGreater(two.get_position().width, 2 * one.get_position().width)
        with figures.Saved() as saved:
            plots.draw({**told, "name": "nothing"}, grids, self.folder)
            plots.draw({**told, "widths": None, "columns": 3}, grids, self.folder)
        self.assertEqual(len(saved["f.svg"].axes), 3)
        self.assertAlmostEqual(saved["f.svg"].axes[0].get_position().width, saved["f.svg"].axes[1].get_position().width)


if __name__ == "__main__":
    unittest.main()
