#!/usr/bin/python3
"""The stages of scripts/plot: what of a ledger is in the picture, and what is refused."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts/plot"
HORAE = os.environ.get("HORAE_PROGRAM")
RESOURCES = ("sram", "map_ram", "tcam", "vliw")


def amounts(**given):
    return {r: given.get(r, 0) for r in RESOURCES}


def pipeline(name, stages, by_stage, objects):
    """Of a chip whose stages have 10 of each resource."""
    used = len(by_stage)
    totals = {r: sum(s.get(r, 0) for s in by_stage) for r in RESOURCES}
    return {"name": name, "chip": "small", "stages": stages, "stages_used": used, "gress_stages": {"ingress": used, "egress": 1},
            "latency_cycles": {"ingress": 40, "egress": 62},
            "resources": {r: {"used": n, "capacity": 10 * used, "percent": 10 * n / used, "chip_capacity": 10 * stages}
                          for r, n in totals.items()},
            "by_stage": [{"stage": i, **amounts(**s)} for i, s in enumerate(by_stage)],
            "objects": [{"name": n, "kind": "register", "gress": g, "stages": s, **amounts(**a)} for n, g, s, a in objects]}


def refusal(design, object_, why):
    return {"design": design, "object": object_, "resource": "sram", "need": 99, "have": 10, "why": why}


def small():
    return {"pipelines": [pipeline("tor", 4, [{"sram": 10, "vliw": 1}, {"sram": 3, "tcam": 2}],
                                   [("counts", "ingress", [0, 1], {"sram": 12}), ("acl", "ingress", [1], {"sram": 1, "tcam": 2}),
                                    ("mark", "egress", [0], {"vliw": 1})])], "refused": []}


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stages"))
        self.addCleanup(shutil.rmtree, self.folder)

    def plot(self, source, *arguments, code=0):
        ended = subprocess.run([SCRIPT, source, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, code, ended.stderr)
        return ended.stderr

    def drawn(self, ledger):
        """(text, x, y) of every text of the picture, in points from its upper left corner."""
        (self.folder / "x.json").write_text(json.dumps(ledger), encoding="utf-8")
        self.plot("x.json", "-o", "x.svg")
        text = (self.folder / "x.svg").read_text(encoding="utf-8")
        xml.etree.ElementTree.fromstring(text)
        found = re.findall(r"<!-- (.*?) -->\s*<g[^>]*translate\(([\d.]+) ([\d.]+)\)", text)
        return [(words, float(x), float(y)) for words, x, y in found]


class Draws(WithFolder):
    def row(self, drawn, name):
        """Texts in the row of the first text `name`, from left to right."""
        y = next(y for words, _, y in drawn if words == name)
        return [words for words, _, _ in sorted((t for t in drawn if abs(t[2] - y) < 2), key=lambda t: t[1])]

    def test_resources_and_objects_stand_in_their_stages(self):
        drawn = self.drawn(small())
        self.assertEqual(drawn[0][0], "tor on small: 2 of 4 stages used; MAU cycles: 40 ingress, 62 egress")
        self.assertEqual(self.row(drawn, "SRAM blocks"), ["SRAM blocks", "of 10", "10", "3", "13 / 20", "65.00"])
        self.assertEqual(self.row(drawn, "acl"), ["acl", "1+2t", "register"])
        self.assertEqual(self.row(drawn, "mark"), ["mark", "1v", "register"])
        self.assertNotIn("Map RAM blocks", [t[0] for t in drawn])
        # Under the number of its stage.
        self.assertLess(abs(next(t[1] for t in drawn if t[0] == "1+2t") - next(t[1] for t in drawn if t[0] == "1")), 15)

    def test_what_an_object_has_in_each_stage(self):
        ledger = small()
        self.assertEqual(self.row(self.drawn(ledger), "counts"), ["counts", "register"])
        ledger["pipelines"][0]["objects"][0]["by_stage"] = [{"stage": 0, **amounts(sram=9)}, {"stage": 1, **amounts(sram=3)}]
        self.assertEqual(self.row(self.drawn(ledger), "counts"), ["counts", "9", "3", "register"])

    def test_what_does_not_fit_says_why(self):
        ledger = small()
        ledger["pipelines"].append(pipeline("far", 3, [{"sram": 1}, {}, {}, {"sram": 1}],
                                            [("in", "ingress", [0], {"sram": 1}), ("past", "ingress", [3], {"sram": 1}),
                                             ("large", "egress", [], {}), ("waits", "egress", [], {})]))
        ledger["refused"] = [refusal("far", "past", "comes after in"), refusal("far", "large[3]", "too many"),
                             refusal("other", "in", "of another")]
        drawn = self.drawn(ledger)
        texts = [t[0] for t in drawn]
        self.assertIn("far on small: 4 stages needed, the chip has 3; MAU cycles: 40 ingress, 62 egress; does not fit", texts)
        self.assertEqual(self.row(drawn, "past"), ["past", "1", "register: refused, sram"])
        self.assertEqual(self.row(drawn, "large"), ["large", "refused: too many", "register"])
        self.assertEqual(self.row(drawn, "waits"), ["waits", "not placed: waits for what is refused", "register"])
        self.assertEqual(self.row(drawn, "in"), ["in", "1", "register"])
        self.assertIn("stages that the chip does not have", texts)
        self.assertNotIn("stages that the chip does not have", [t[0] for t in self.drawn(small())])

    def test_the_same_bytes_each_time_and_nothing_besides(self):
        (self.folder / "x.json").write_text(json.dumps(small()), encoding="utf-8")
        for name in ("a.svg", "b.svg", "a.png", "b.png"):
            self.plot("x.json", "-o", name)
        for ending in ("svg", "png"):
            self.assertEqual((self.folder / f"a.{ending}").read_bytes(), (self.folder / f"b.{ending}").read_bytes())
        self.assertEqual((self.folder / "a.png").read_bytes()[1:4], b"PNG")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["a.png", "a.svg", "b.png", "b.svg", "x.json"])


class Refuses(WithFolder):
    def test_in_one_line(self):
        (self.folder / "x.json").write_text('{"pipelines": [{}]}', encoding="utf-8")
        (self.folder / "y.json").write_text(json.dumps(small()), encoding="utf-8")
        for arguments, line in (
                (("x.json",), "plot: x.json: no ledger of horae size --json ('by_stage')\n"),
                (("no.json",), "plot: no.json: No such file or directory\n"),
                (("y.json", "-o", "x.gif"), "plot: -o x.gif: expected a name ending in .svg or .png\n"),
                (("y.json", "-o", "nowhere/x.svg"), "plot: nowhere/x.svg: No such file or directory\n"),
                (("y.json", "--set", "a=1"),
                 "plot: y.json: found a ledger, expected PLATFORM.toml with --objects, --set or --chip, or PROGRAM.p4 with --target, "
                 "-I or -D\n")):
            self.assertEqual(self.plot(*arguments, code=2), line)
        self.assertEqual(len(list(self.folder.iterdir())), 2)


@unittest.skipUnless(HORAE, "HORAE_PROGRAM is not set")
class WithHorae(WithFolder):
    def test_a_platform_is_priced_and_drawn(self):
        self.plot(ROOT / "platforms/themis_tor.toml", "--program", HORAE)
        text = (self.folder / "stages.svg").read_text(encoding="utf-8")
        self.assertIn("<!-- tor on tofino2: 10 of 20 stages used", text)
        self.assertNotIn("No number", text)

    def test_a_p4_source_is_priced_and_drawn(self):
        self.plot(ROOT / "platforms/p4/sketch/sketch.p4", "--target", "tofino2", "--program", HORAE)
        text = (self.folder / "stages.svg").read_text(encoding="utf-8")
        self.assertRegex(text, r"<!-- pipe on tofino2: \d+ of 20 stages used")

    def test_its_refusals_are_its_own(self):
        self.assertEqual(self.plot("no.toml", "--program", HORAE, code=2),
                         "plot: no.toml: cannot read: No such file or directory\n")
        (self.folder / "d.toml").write_text("[[register]]\nname = 'r'\nwidth = 32\nentries = 262144\n", encoding="utf-8")
        self.plot("d.toml", "--objects", "--program", HORAE, code=3)
        self.assertIn("refused: ", (self.folder / "stages.svg").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
