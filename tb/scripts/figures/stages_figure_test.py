#!/usr/bin/python3
"""The stages of scripts/plot: where each rectangle and text of a ledger is, in pixels, what colour it has, and what is left out."""
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import figures  # noqa: E402
from lib.plot import stages as plot_stages  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402
from plot_stages_test import amounts, pipeline, refusal, small  # noqa: E402

SCRIPT = figures.SCRIPTS / "plot"


class Drawn:
    """Rectangles as (x, y, width, height, colour), texts as (text, x, middle, colour, align, size, bold), in pixels."""

    def __init__(self, ledger):
        with figures.Saved() as saved:
            plot_stages.draw_ledger(ledger, pathlib.Path("x.svg"))
        figure = saved["x.svg"]
        self.width, self.height = (100 * float(v) for v in figure.get_size_inches())
        self.fills = [(*map(float, (p.get_x(), p.get_y(), p.get_width(), p.get_height())), to_hex(p.get_facecolor(), True))
                      for p in figure.artists]
        self.fills = [f if not f[4].endswith("00") else (*f[:4], "none") for f in self.fills]
        self.fills = [(*f[:4], f[4][:7] if f[4] != "none" else f[4]) for f in self.fills]
        self.frames = [to_hex(p.get_edgecolor()) for p in figure.artists]
        self.texts = {}
        self.order = []
        for t in figure.texts:
            size = t.get_fontsize() / 0.72
            row = (t.get_text(), float(t.get_position()[0]), round(float(t.get_position()[1]) - 0.36 * size, 6), t.get_color(),
                   t.get_ha(), round(size, 6), t.get_weight() == "bold")
            self.order.append(row)
            self.texts.setdefault(row[0], row)

    def of(self, colour):
        return [f[:4] for f in self.fills if f[4] == colour]


# small(): four stages, names at 20, the grid at 20 + 158, and stages as wide as they are at most.
GRID, STAGE, TOP = 178, 50, 20
RESOURCES, OBJECTS = TOP + 26, TOP + 26 + 22 + 3 * 23 + 16


class Small(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.drawn = Drawn(small())

    def at(self, text):
        return self.drawn.texts[text][1:3]

    def test_the_page_is_as_large_as_what_is_on_it(self):
        self.assertEqual(self.drawn.width, 920 + 20)
        rows = 1 + max(round((t[2] - self.at("part of the stage's capacity used")[1]) / 20) for t in self.drawn.order[-8:])
        self.assertEqual(self.drawn.height, OBJECTS + 22 + 17 * 5 + 16 + 20 * rows + 20)
        for x, y, width, height, _ in self.drawn.fills:
            self.assertTrue(0 <= x and x + width <= self.drawn.width and 0 <= y and y + height <= self.drawn.height)
        for _, x, middle, *_ in self.drawn.order:
            self.assertTrue(0 <= x <= self.drawn.width and 0 <= middle <= self.drawn.height)

    def test_the_title_and_the_heads(self):
        self.assertEqual(self.drawn.order[0], ("tor on small: 2 of 4 stages used; MAU cycles: 40 ingress, 62 egress", 20,
                                               TOP + 13, "#1a1a1a", "left", 15, True))
        self.assertEqual(self.at("resources by stage"), (20, RESOURCES + 11))
        self.assertEqual(self.at("objects by stage"), (20, OBJECTS + 11))
        self.assertEqual(self.at("kind"), (GRID + 4 * STAGE + 12, OBJECTS + 11))
        right = GRID + 4 * STAGE + 212
        self.assertEqual((self.at("per cent"), self.at("used / capacity")),
                         ((right, RESOURCES + 11), (right - 78, RESOURCES + 11)))

    def test_stages_have_their_numbers_and_their_ground(self):
        numbers = [t for t in self.drawn.order if t[0] in "0123" and t[2] in (RESOURCES + 11, OBJECTS + 11)
                   and t[4] == "center"]
        self.assertEqual([(t[0], t[1], t[3], t[6]) for t in numbers[:4]], [("0", GRID + 25, "#1a1a1a", True),
                                                                           ("1", GRID + 75, "#1a1a1a", True),
                                                                           ("2", GRID + 125, "#6a6a6a", False),
                                                                           ("3", GRID + 175, "#6a6a6a", False)])
        self.assertEqual(len(numbers), 8)
        grounds = [f for f in self.drawn.fills if f[1] == RESOURCES + 22 and f[3] == 69 and f[2] == STAGE]
        self.assertEqual([(f[0], f[4]) for f in grounds], [(GRID, "#ffffff"), (GRID + 50, "#ffffff"), (GRID + 100, "#f1f1f1"),
                                                           (GRID + 150, "#f1f1f1")])
        self.assertIn((GRID, RESOURCES + 22, 4 * STAGE, 69.0, "none"), self.drawn.fills)
        self.assertIn((GRID, OBJECTS + 22, 4 * STAGE, 17 * 5.0, "none"), self.drawn.fills)
        self.assertIn("#8a8a8a", self.drawn.frames)

    def test_resources_are_filled_from_below_as_far_as_they_are_used(self):
        sram = RESOURCES + 22
        self.assertEqual(self.drawn.of("#7f9db2")[0], (GRID + 2, sram + 2, 47, 21))  # all ten
        partly = self.drawn.of("#b5c7d3")
        self.assertEqual([tuple(round(v, 6) for v in f) for f in partly[:3]], [(GRID + 52, sram + 23 - 6.3, 47, 6.3),
            (GRID + 52, sram + 46 - 4.2, 47, 4.2), (GRID + 2, sram + 69 - 2.1, 47, 2.1)])
        self.assertEqual([t for t in ("SRAM blocks", "TCAM blocks", "VLIW words") if self.at(t) == (20,
            sram + {"S": 11.5, "T": 34.5, "V": 57.5}[t[0]])], ["SRAM blocks", "TCAM blocks", "VLIW words"])
        self.assertEqual(self.drawn.texts["10"][1:3], (GRID + 25, sram + 11.5))
        self.assertEqual(self.at("13 / 20"), (GRID + 200 + 212 - 78, sram + 11.5))
        self.assertEqual(self.at("65.00"), (GRID + 200 + 212, sram + 11.5))
        self.assertEqual(self.drawn.texts["of 10"][1:5], (GRID - 8, sram + 11.5, "#6a6a6a", "right"))
        lines = [f for f in self.drawn.of("#d4d4d4") if f[3] == 1 and f[1] < OBJECTS]
        self.assertEqual(lines, [(GRID, sram + 23, 200, 1), (GRID, sram + 46, 200, 1)])

    def test_objects_stand_in_their_stages_by_gress(self):
        top = OBJECTS + 22
        self.assertEqual([(t[0], t[2]) for t in self.drawn.order if t[0] in ("ingress", "counts", "acl", "egress", "mark")],
                         [(n, top + 17 * i + 8.5) for i, n in enumerate(("ingress", "counts", "acl", "egress", "mark"))])
        self.assertEqual(self.drawn.texts["in 2 stages"][1:4], (GRID + 8, top + 8.5, "#6a6a6a"))
        self.assertEqual(self.drawn.texts["in 1 stage"][2], top + 17 * 3 + 8.5)
        self.assertEqual(self.drawn.of("#7cc4ee")[:3], [(GRID + 2, top + 19, 47, 14), (GRID + 52, top + 19, 47, 14),
                                                        (GRID + 52, top + 36, 47, 14)])
        self.assertEqual(self.drawn.of("#e08a00")[0], (GRID + 2, top + 17 * 4 + 2, 47, 14))
        self.assertEqual(self.drawn.texts["1+2t"][1:3], (GRID + 75, top + 34 + 9))
        self.assertEqual(self.drawn.texts["1v"][1:3], (GRID + 25, top + 17 * 4 + 9))
        self.assertEqual(self.drawn.texts["register"][1:4], (GRID + 212, top + 17 + 8.5, "#6a6a6a"))
        heads = [f for f in self.drawn.of("#f1f1f1") if f[2] == 200]
        self.assertEqual(heads, [(GRID, top, 200, 17), (GRID, top + 51, 200, 17)])
        self.assertEqual([f for f in self.drawn.of("#d4d4d4") if f[3] == 1 and f[1] > OBJECTS],
                         [(GRID, top + 17 * i, 200, 1) for i in (1, 2, 4)])

    def test_sizes_of_texts(self):
        sizes = {words: row[5:] for words, row in self.drawn.texts.items()}
        for words, look in (("resources by stage", (11, True)), ("objects by stage", (11, True)), ("0", (11, True)),
                            ("3", (11, False)),
                            ("used / capacity", (11, True)), ("per cent", (11, True)), ("kind", (11, True)),
                            ("SRAM blocks", (11, False)),
                            ("of 10", (10, False)), ("10", (10, False)), ("13 / 20", (11, False)), ("65.00", (11, False)),
                            ("ingress", (10, True)),
                            ("in 2 stages", (10, False)), ("counts", (10, False)), ("1+2t", (10, False)),
                            ("register", (10, False)),
                            ("all used", (10, False))):
            self.assertEqual(sizes[words], look, words)

    def test_the_legend_says_what_colours_and_letters_mean(self):
        below = OBJECTS + 22 + 85 + 16
        entries = [t for t in self.drawn.order if t[2] >= below]
        self.assertEqual([t[0] for t in entries], [words for _, _, words in plot_stages.LEGEND_TEXTS
                                                   if words != "stages that the chip does not have"] + [plot_stages.UNSPLIT])
        self.assertEqual(entries[0][1:3], (20 + 32, below + 10))
        boxes = [f for f in self.drawn.fills if f[2] == 26 and f[1] >= below]
        self.assertEqual([f[4] for f in boxes], [c for colour in ("#b5c7d3", "#7f9db2", "#f1f1f1", "#7cc4ee", "#e08a00")
                                                 for c in (colour, "none")])
        self.assertEqual([round(v, 6) for v in boxes[0][:4]], [20, below + 16.5 - 7.15, 26, 7.15])  # 0.55 of it
        self.assertEqual(boxes[1][:4], (20, below + 3.5, 26, 13))
        self.assertEqual(boxes[2][:4], (boxes[2][0], below + 3.5, 26, 13))
        # Each after the one before it, or at the beginning of the next row, and inside the page.
        canvas = plot_stages.Canvas()
        at = [(t[1] - (32 if i < 5 else 0), round((t[2] - below - 10) / 20)) for i, t in enumerate(entries)]
        for i in range(1, len(at)):
            wide = canvas.width(entries[i - 1][0], 10) + (32 if i - 1 < 5 else 0)
            if at[i][1] == at[i - 1][1]:
                self.assertAlmostEqual(at[i][0], at[i - 1][0] + wide + 22)
                self.assertLessEqual(at[i][0] + canvas.width(entries[i][0], 10) + (32 if i < 5 else 0), 920)
            else:
                self.assertEqual(at[i], (20, at[i - 1][1] + 1))
                self.assertGreater(at[i - 1][0] + wide + 22 + canvas.width(entries[i][0], 10) + (32 if i < 5 else 0), 920)


class Pipelines(unittest.TestCase):
    def test_one_below_the_other_with_the_same_stages(self):
        ledger = small()
        ledger["pipelines"].append(pipeline("far", 3, [{"sram": 1}], [("in", "ingress", [0], {"sram": 1})]))
        drawn = Drawn(ledger)
        below = OBJECTS + 22 + 85 + 34
        self.assertEqual(next(t for t in drawn.order if t[0].startswith("far on small: 1 of 3"))[1:3], (20, below + 13))
        self.assertEqual([f[0] for f in drawn.fills if f[1] == below + 26 + 22 and f[2] == STAGE],
                         [GRID, GRID + 50, GRID + 100])

    def test_what_the_chip_does_not_have_is_red(self):
        ledger = {"pipelines": [pipeline("far", 3, [{"sram": 1}, {}, {}, {"sram": 1}, {}], [("in", "ingress", [0], {"sram": 1}),
            ("past", "ingress", [3], {"sram": 1}), ("large", "egress", [], {}), ("waits", "egress", [], {})])],
                  "refused": [refusal("far", "large[3]", "too many")]}
        drawn = Drawn(ledger)
        objects = RESOURCES + 22 + 23 + 16
        top = objects + 22
        self.assertEqual(drawn.order[0][3], "#b71c1c")
        self.assertTrue(drawn.order[0][0].endswith("; does not fit"))
        self.assertEqual([f[:3] for f in drawn.of("#fbe9e7")[:2]], [(GRID + 150, RESOURCES + 22, 50),
                                                                    (GRID + 200, RESOURCES + 22, 50)])
        self.assertEqual(drawn.of("#b71c1c"), [(GRID + 149, RESOURCES + 3, 3, 22 + 23 - 2),
                                               (GRID + 149, objects + 3, 3, 22 + 6 * 17 - 2)])
        reds = [t[0] for t in drawn.order if t[3] == "#b71c1c"]
        self.assertEqual(reds[1:], ["3", "4", "3", "4", "past", "register: refused", "large", "register", "refused: too many",
                                    "waits", "register", "not placed: waits for what is refused"])
        self.assertEqual(drawn.texts["refused: too many"][1:3], (GRID + 8, top + 17 * 4 + 8.5))
        self.assertEqual({drawn.texts[t][5:] for t in ("refused: too many", "register: refused",
                                                       "not placed: waits for what is refused")},
                         {(10, False)})
        self.assertIn("stages that the chip does not have", drawn.texts)
        ledger["refused"] = []
        calm = Drawn(ledger)
        self.assertEqual((calm.order[0][3], calm.texts["needs no stage"][3], calm.texts["in"][3]),
                         ("#1a1a1a", "#6a6a6a", "#1a1a1a"))
        self.assertEqual([t[0] for t in calm.order if t[3] == "#b71c1c"], ["3", "4", "3", "4", "past", "register: refused"])

    def test_what_an_object_is_has_the_room_beside_the_stages(self):
        ledger, canvas = small(), plot_stages.Canvas()
        just = next(w for i in range(9) for n in range(40) if 199 < canvas.width(w := "k" * n + "i" * i, 10) <= 200)
        ledger["pipelines"][0]["objects"][0]["kind"] = just
        self.assertIn(just, Drawn(ledger).texts)
        ledger["pipelines"][0]["objects"][0]["kind"] = just + "k"
        self.assertNotIn(just + "k", Drawn(ledger).texts)

    def test_as_many_stages_as_the_chip_has_are_not_beyond_it(self):
        drawn = Drawn({"pipelines": [pipeline("full", 2, [{"sram": 1}, {"sram": 1}], [("o", "ingress", [0, 1], {"sram": 2})])],
                       "refused": []})
        self.assertNotIn("stages that the chip does not have", drawn.texts)
        self.assertEqual(drawn.of("#b71c1c"), [])

    def test_an_object_that_is_split_says_what_in_each(self):
        ledger = small()
        for split, said in ((True, False), (False, True)):
            if split:
                ledger["pipelines"][0]["objects"][0]["by_stage"] = [{"stage": 0, **amounts(sram=9)},
                                                                    {"stage": 1, **amounts(sram=3)}]
            else:
                del ledger["pipelines"][0]["objects"][0]["by_stage"]
            self.assertEqual(plot_stages.UNSPLIT in Drawn(ledger).texts, said)

    def test_widths_follow_names_and_stages(self):
        canvas = plot_stages.Canvas()
        def layout(stages, name="o"):
            return plot_stages.Layout([pipeline("p", stages, [{"sram": 1}], [(name, "ingress", [0], {"sram": 1})])], canvas)
        self.assertEqual((layout(4).grid, layout(4).stage, layout(4).right), (178, 50, 920))
        self.assertEqual(layout(20).stage, (1600 - 20 - 178 - 212) // 20 if (1600 - 20 - 178 - 212) // 20 < 50 else 50)
        self.assertEqual(layout(24).stage, 1190 // 24)
        self.assertEqual((layout(200).stage, layout(200).right), (26, 178 + 26 * 200 + 212))
        self.assertEqual(layout(24).right, 178 + 49 * 24 + 212)
        self.assertEqual(layout(4, "n" * 100).grid, 20 + 258)
        long = "a_name_of_thirty_characters___"
        self.assertEqual(layout(4, long).grid, 20 + max(158, 8 + canvas.width(long, 10)))
        self.assertEqual(layout(4).resources, ["sram"])

    def test_of_nothing_used_there_is_no_resource(self):
        self.assertIn("no resource is used", Drawn({"pipelines": [pipeline("p", 2, [{}], [])], "refused": []}).texts)


class Cells(unittest.TestCase):
    def setUp(self):
        self.canvas = plot_stages.Canvas()

    def text(self, room=100, **amounts_of):
        return plot_stages.cell_text(self.canvas, amounts_of, room)

    def test_the_first_that_an_object_has(self):
        self.assertEqual((self.text(sram=3, vliw=9), self.text(tcam=2, gateway=1), self.text(hash_dist=4, vliw=1),
                          self.text(gateway=5, vliw=1), self.text(vliw=6), self.text()), ("3", "2t", "4h", "5g", "6v", ""))
        self.assertEqual((self.text(sram=1, tcam=2), self.text(sram=1, tcam=2, vliw=9), self.text(5, sram=1, tcam=2)),
                         ("1+2t", "1+2t", "2t"))
        both = self.canvas.width("1+2t", 10)
        self.assertEqual((self.text(both, sram=1, tcam=2), self.text(both - 0.01, sram=1, tcam=2)), ("1+2t", "2t"))

    def test_a_text_is_cut_in_its_middle_to_the_room_that_it_has(self):
        rng = random.Random(6)
        for _ in range(30):
            words = "".join(rng.choice("abcdefgh_") for _ in range(rng.randint(1, 40)))
            room = rng.uniform(5, 200)
            shown = self.canvas.fitted(words, room)
            if shown == words:
                continue
            begin, end = shown.split("\u2026")
            self.assertTrue(words.startswith(begin) and words.endswith(end) and len(begin) >= len(end))
            self.assertTrue(self.canvas.width(shown, 10) <= room or len(begin) + len(end) == 1)
            kept = len(begin) + len(end)
            self.assertEqual(len(end), kept // 3)
            if kept + 1 < len(words):  # one more has no room
                more = words[:kept + 1 - (kept + 1) // 3] + "\u2026" + words[len(words) - (kept + 1) // 3:]
                self.assertGreater(self.canvas.width(more, 10), room)
        self.assertEqual(self.canvas.fitted("abc", 1000), "abc")
        self.assertGreater(self.canvas.width("abc", 10, True), self.canvas.width("abc", 10))
        self.assertAlmostEqual(self.canvas.width("abc", 20), 2 * self.canvas.width("abc", 10), delta=0.5)

    def test_a_name_of_a_pipeline_leaves_room_for_what_is_said_of_it(self):
        ledger = small()
        ledger["pipelines"][0]["name"] = "n" * 200
        title = Drawn(ledger).order[0]
        self.assertLess(20 + self.canvas.width(title[0], 15, True), 920 + 1)
        self.assertIn("\u2026", title[0])

    def test_capacities_and_names(self):
        self.assertEqual(plot_stages.capacity(small()["pipelines"][0], "sram"), 10)
        self.assertEqual([plot_stages.title_of(r) for r in ("vliw", "sram", "odd")], ["VLIW words", "SRAM blocks", "odd"])


class Command(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def run_(self, *words, code=0):
        ended = subprocess.run([SCRIPT, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended.stderr

    def horae(self, code=0):
        path = self.folder / "horae"
        path.write_text(f"#!/usr/bin/python3\nimport json, sys\nopen('words', 'w').write(json.dumps(sys.argv[1:]))\nprint({json.dumps(small())!r})\nprint('horae: what is wrong', file=sys.stderr)\nsys.exit({code})\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def test_a_platform_is_asked_for_with_its_options(self):
        self.run_("p.toml", "--set", "a=1", "--set", "b=2", "--chip", "tofino2", "--program", self.horae(), "-o", "x.svg")
        self.assertEqual(json.loads((self.folder / "words").read_text()), ["size", "p.toml", "--json", "--stages",
                                                                           "--no-remedies", "--no-progress", "--set", "a=1",
                                                                           "--set", "b=2", "--chip", "tofino2"])
        for code in (1, 3):
            self.run_("p.toml", "--objects", "--program", self.horae(code), code=code)
        self.assertEqual(json.loads((self.folder / "words").read_text())[:3], ["size", "--objects", "p.toml"])
        self.assertTrue((self.folder / "stages.svg").exists())
        self.assertEqual(self.run_("p.toml", "--program", self.horae(2), code=2), "plot: what is wrong\n")

    def test_a_folder_has_its_ledger(self):
        (self.folder / "r").mkdir()
        (self.folder / "r/ledger.json").write_text(json.dumps(small()), encoding="utf-8")
        self.run_("r", "-o", "x.svg")
        nothing = small()
        nothing["pipelines"][0]["by_stage"] = []
        (self.folder / "r/ledger.json").write_text(json.dumps(nothing), encoding="utf-8")
        self.assertIn("no stage is used", self.run_("r", code=2))
        for words in (("r", "--objects"), ("r", "--chip", "x")):
            self.assertIn("found a ledger", self.run_(*words, code=2))


if __name__ == "__main__":
    unittest.main()
