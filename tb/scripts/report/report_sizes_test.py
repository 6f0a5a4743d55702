#!/usr/bin/python3
"""What scripts/report says of sizes: pipelines, NICs and curves."""
import unittest

from by_hand import NONE, SPACE, THIN, heads, lines, numeric, result, texts
from lib.report import curve_view, nic_view, size_view


def pipeline(**more):
    return {"name": "tor", "chip": "small", "stages": 4, "stages_used": 2, "latency_cycles": {"ingress": 1040, "egress": 62},
            "resources": {"sram": {"used": 13, "capacity": 20, "percent": 65.0, "chip_capacity": 40, "chip_percent": 32.5},
                          "vliw": {"used": 2, "capacity": 4, "percent": 50.0, "chip_capacity": 8},
                          "odd_one": {"used": 0, "capacity": 0, "percent": 0.0}},
            "by_stage": [{"stage": 0, "sram": 10, "vliw": 0}, {"stage": 1, "sram": 3, "vliw": 2}],
            "objects": [{"name": "counts", "kind": "register", "gress": "ingress", "stages": [0, 1], "sram": 13},
                        {"name": "mark", "kind": "table", "gress": "egress", "stages": [1], "vliw": 2},
                        {"name": "nowhere", "kind": "table", "gress": "egress", "stages": []}],
            "accounts": {"state_of": {"value": 5000, "unit": "B", "how": "5 * 1000"}, "text": "x"}, **more}


class Sizes(unittest.TestCase):
    def view(self, **more):
        return size_view.view(result("size", {"file": "t.toml", "chip": "small", "pipelines": [pipeline()], "refused": [],
                                              **more}))

    def test_the_fullest_stage_and_the_totals(self):
        page = self.view()
        self.assertEqual(page.answer, "tor: 2 of 4 stages of small; fullest is stage 0 with 100% of its SRAM blocks.")
        self.assertEqual((page.state, page.verdict, page.warnings, page.facts),
                         ("good", "fits", [], [("file", "t.toml"), ("chip", "small")]))
        self.assertEqual(page.key_figures, [("tor: stages", "2 of 4"), ("tor: ingress latency", f"1{THIN}040{SPACE}cycles"),
                                            ("tor: egress latency", f"62{SPACE}cycles"),
                                            ("tor: SRAM blocks", "13 (65.0 %)"), ("tor: VLIW words", "2 (50.0 %)"),
                                            ("tor: odd one", "0 (0.0 %)")])
        table = size_view.totals(pipeline())
        self.assertEqual(texts(table), [["SRAM blocks", "13", "20", "65.00", "40", "32.50"],
                                        ["VLIW words", "2", "4", "50.00", "8", NONE], ["odd one", "0", "0", "0.00", NONE,
                                            NONE]])
        self.assertEqual(size_view.tightest(pipeline(by_stage=[])), None)
        self.assertEqual(size_view.tightest(pipeline(by_stage=[{"stage": 0, "sram": 5}, {"stage": 1, "vliw": 2}])),
                         (1.0, "vliw", 1))
        self.assertEqual(size_view.tightest(pipeline(by_stage=[{"stage": 0, "sram": 5}, {"stage": 1, "sram": 5}])),
                         (0.5, "sram", 0))

    def test_stages_by_resource(self):
        (figure,) = size_view.stage_map(pipeline())
        spec = figure.spec
        self.assertEqual((spec["rows"], spec["columns"], spec["cells"]), (["SRAM blocks", "VLIW words"], ["0", "1"],
                                                                          [[1.0, 0.3], [0.0, 1.0]]))
        self.assertEqual(spec["texts"], [["10 of 10 SRAM blocks: counts", "3 of 10 SRAM blocks: counts"],
                                         ["0 of 2 VLIW words", "2 of 2 VLIW words: mark"]])
        self.assertEqual(figure.note, "2 more stages of 4 unused")
        self.assertEqual(size_view.stage_map(pipeline(stages=3))[0].note, "1 more stage of 3 unused")
        self.assertEqual(size_view.stage_map(pipeline(stages=2))[0].note, "")
        self.assertEqual(size_view.stage_map(pipeline(by_stage=[])), [])
        many = pipeline(objects=[{"name": str(i), "stages": [0], "sram": 1} for i in range(9)])
        self.assertEqual(size_view.stage_text(many, many["by_stage"][0], "sram", 10),
                         "10 of 10 SRAM blocks: 0, 1, 2, 3, 4, 5, 6, 7 and 1 more")
        many["objects"].pop()
        self.assertTrue(size_view.stage_text(many, many["by_stage"][0], "sram", 10).endswith("6, 7"))

    def test_objects_by_stage(self):
        (fold,) = size_view.object_map(pipeline())
        spec = fold.blocks[0].spec
        self.assertEqual((fold.title, spec["rows"], spec["cells"], spec["classes"]),
                         ("Where each object lies (2)", ["counts", "mark"], [[1, 1], [None, 1]], ["ingress", "egress"]))
        self.assertEqual(spec["texts"], [["register, ingress; in all 13 SRAM blocks"] * 2,
                                         [None, "table, egress; in all 2 VLIW instructions"]])
        (fold,) = size_view.objects_table(pipeline())
        self.assertEqual((fold.title, heads(fold.blocks[0])),
                         ("What each object takes (3)", ["object", "kind", "gress", "stages", "SRAM blocks",
                                                         "VLIW instructions"]))
        self.assertEqual(texts(fold.blocks[0]), [["counts", "register", "ingress", "0, 1", "13", "0"],
                                                 ["mark", "table", "egress", "1", "0", "2"], ["nowhere", "table", "egress", "",
                                                     "0", "0"]])
        self.assertEqual((fold.blocks[0].note, fold.blocks[0].rows[0][3].value), ("Two VLIW instructions share a word.", 0))
        self.assertEqual((size_view.objects_table({"resources": {}}), size_view.object_map({"objects": []})), ([], []))
        (table,) = size_view.accounts(pipeline())
        self.assertEqual(texts(table), [["state of", f"5{THIN}000", "B", "5 * 1000"]])
        self.assertEqual(size_view.accounts({}), [])

    def test_what_is_refused_and_what_would_help(self):
        refused = [{"object": f"o{i}", "resource": "sram", "need": 30, "have": 20, "why": "w", "stage": i or None}
                   for i in range(5)]
        page = self.view(refused=refused, remedies=[[{"key": "a", "fits": 5, "now": 9}, {"key": "b", "fits": 1, "now": 2}],
                                                    {"key": "c", "fits": None, "now": True}])
        self.assertEqual((page.state, page.verdict), ("bad", "does not fit"))
        self.assertEqual(page.warnings, [*[f"o{i}: SRAM blocks, need 30, have 20" for i in range(4)],
                                         "and 1 more that do not fit",
                                         "what was not placed is not counted in the amounts below"])
        table, bullets = page.blocks[:2]
        self.assertEqual(texts(table)[:2], [["o0", "SRAM blocks", "any", "30", "20", "10", "w", ""],
                                            ["o1", "SRAM blocks", "1", "30", "20", "10", "w", ""]])
        self.assertEqual(bullets.items, ["a = 5 (now 9) and b = 1 (now 2)", f"c = {NONE} (now yes)"])
        self.assertIn("stages of small hold what could be placed; fullest", page.answer)
        self.assertEqual(size_view.refused_blocks({"refused": [{"need": None, "have": 3}]})[0].rows[0][5].text, NONE)
        self.assertEqual(len(self.view(refused=refused[:4]).warnings), 5)

    def test_published_numbers_are_of_what_fits(self):
        rows = [{"quantity": "stages", "design": "tor", "published": 2, "ours": 2}]
        self.assertEqual(self.view(validation=rows).facts[-1],
                         ("published", "1 published number, ours over published 1.00, 1 equal"))
        self.assertNotIn("published", dict(self.view(validation=rows, refused=[{"object": "x"}]).facts))


def nic(**more):
    return {"profile": "cx", "devices": ["h0", "h1"], "queue_pairs": 1000, "capacity_bytes": 4096, "used_bytes": 1024,
            "cached_bytes": 512, "cache_bytes": 2048,
            "most_queue_pairs_cached": 3000, "most_queue_pairs": None, "limited": True, "fits": True, "all_cached": True,
            "groups": [{"queue_pairs": 1000, "outstanding": 4, "memory_bytes": 2048}],
            "structures": [{"name": "qp_state", "place": "cache", "count": 1000, "bytes_each": 1, "bytes": 1000,
                            "percent": 24.414},
                           {"name": "bitmap", "place": "chip", "count": 3, "bytes_each": 8, "bytes": 24, "percent": 0.586}],
                           **more}


class Nics(unittest.TestCase):
    def test_a_sentence(self):
        self.assertEqual(nic_view.sentence(nic()),
                         f"NIC cx (h0 h1): 1{THIN}000 queue pairs take 25 % of 4{SPACE}KiB; contexts all stay up to 3{THIN}000")
        self.assertEqual(nic_view.sentence(nic(queue_pairs=1, devices=[], most_queue_pairs_cached=None)),
                         f"NIC cx: 1 queue pair takes 25 % of 4{SPACE}KiB; contexts all stay up to any number")
        self.assertTrue(nic_view.sentence(nic(fits=False)).endswith("which it does not have"))
        self.assertEqual(nic_view.name_of(nic(devices=list("abcd"))), "cx (a b c d)")
        self.assertEqual(nic_view.name_of(nic(devices=list("abcde"))), "cx (a \u2026 e, 5 NICs)")
        self.assertEqual(nic_view.percent(nic(capacity_bytes=0)), 0)

    def test_structures_and_limits(self):
        head, figure, table = nic_view.blocks([nic()])
        spec = figure.spec
        self.assertEqual((spec["rows"], spec["limits"], spec["stacked"]), (["cx (h0 h1)"], [4096], True))
        self.assertEqual([(s["name"], s["style"], s["values"], s["label"]) for s in spec["series"]],
                         [("qp state", 0, [1000], [f"1{THIN}000{SPACE}B, in the cache of contexts"]),
                          ("bitmap", 1, [24], [f"24{SPACE}B, always on the chip"])])
        self.assertEqual(texts(table), [["qp state", "cache", f"1{THIN}000", "1", f"1{THIN}000", "24.41"],
                                        ["bitmap", "chip", "3", "8", "24", "0.59"], ["total", "", "", "", f"1{THIN}024",
                                            "25.00"]])
        self.assertEqual(table.marked, {2: "total"})
        self.assertEqual(numeric(table), ["count", "bytes each", "bytes", f"% of 4{SPACE}KiB"])
        self.assertEqual(table.caption,
                         f"cx (h0 h1): 1{THIN}000 queue pairs with 4 messages outstanding and 2{SPACE}KiB of memory")
        self.assertEqual(table.note,
                         f"Contexts take 512{SPACE}B of the 2{SPACE}KiB left to the cache. All stay up to 3{THIN}000 queue pairs like these; their state fits the chip up to any number.")

    def test_two_alike_and_what_would_fit(self):
        _, figure, _, first, _ = nic_view.blocks([nic(limited=False, remedies=[{"key": "qps", "fits": 500, "now": 1000}]),
                                                  nic(structures=[nic()["structures"][1]])])
        self.assertEqual(figure.spec["rows"], ["cx (h0 h1)", "cx (h0 h1) "])
        self.assertEqual([s["values"] for s in figure.spec["series"]], [[1000, 0], [24, 24]])
        self.assertEqual(first.items, [f"qps = 500 (now 1{THIN}000)"])
        self.assertTrue(nic_view.blocks([nic(limited=False)])[2].note.endswith("In a run every access hits, as sram.limited is false."))

    def test_a_size_of_nics(self):
        def view(*nics):
            return size_view.view(result("size", {"nics": list(nics)}))
        good, some, none = view(nic()), view(nic(all_cached=False)), view(nic(fits=False, all_cached=False))
        self.assertEqual((good.state, good.verdict, good.asked, good.key_figures), ("good", "fits", "the price of cx",
            [("cx: chip memory", "25.0 % of 4 KiB")]))
        self.assertEqual((some.state, some.verdict), ("warn", "fits, but not all contexts in the cache"))
        self.assertEqual(some.warnings,
                         [f"cx: contexts do not all stay in the cache (3{THIN}000 of 1{THIN}000 queue pairs would)"])
        self.assertEqual((none.state, none.verdict, none.warnings),
                         ("bad", "does not fit", ["cx: its queue pairs need more than the chip has"]))


class Curves(unittest.TestCase):
    AXES = [{"key": "t.paths", "values": ["2", "4"]}, {"key": "t.window", "values": ["64", "128", "512"]}]

    def points(self, **more):
        return [{"at": {"t.paths": p, "t.window": w}, "value": 4096 // int(p) // (int(w) // 64), "binding": "sram", **more}
                for p in ("2", "4") for w in ("64", "128", "512")]

    def view(self, points, axes=None):
        return curve_view.view(result("curve", {"most": "qps", "axes": self.AXES if axes is None else axes, "points": points,
                                                "file": "t.toml"}))

    def test_a_line_for_each_value_of_the_shorter_axis(self):
        page = self.view(self.points(object="o"))
        figure, table = page.blocks
        self.assertEqual(lines(figure), [("paths 2", [64, 128, 512], [2048, 1024, 256]),
                                         ("paths 4", [64, 128, 512], [1024, 512, 128])])
        self.assertEqual((figure.spec["x"]["scale"], figure.spec["x"]["ticks"], figure.spec["y"]["scale"],
                          figure.spec["legend"]), ("log", [64.0, 128.0, 512.0], "linear", True))
        self.assertTrue(figure.spec["y"]["zero"])
        self.assertEqual(figure.spec["series"][0]["data"]["label"], ["binding: sram (o)"] * 3)
        self.assertEqual(texts(table)[1], ["2", "128", f"1{THIN}024", "sram", "o", ""])
        self.assertEqual(table.rows[1][1].value, 128.0)
        self.assertEqual(page.answer, f"qps fits up to 128 to 2{THIN}048, depending on t.paths, t.window.")
        self.assertEqual((page.state, page.verdict, page.key_figures, page.facts),
                         ("good", "6 points", [("least", "128"), ("most", f"2{THIN}048")],
                          [("file", "t.toml"), ("binding", "sram")]))

    def test_where_nothing_fits(self):
        points = self.points()
        points[0].update(value=None, binding=None, why="too large")
        page = self.view(points)
        self.assertEqual((page.state, page.warnings), ("warn", ["1 points have no value that fits"]))
        self.assertEqual(page.blocks[0].spec["series"][0]["data"]["label"][0], "binding: nothing")
        self.assertEqual(texts(page.blocks[1])[0], ["2", "64", NONE, NONE, "", "too large"])
        nothing = self.view([{**p, "value": None} for p in points])
        self.assertEqual((nothing.answer, nothing.state, len(nothing.blocks), nothing.key_figures),
                         ("No value of qps fits.", "warn", 1, []))
        self.assertEqual(self.view([{**p, "value": 7} for p in points]).answer, "qps fits up to 7.")

    def test_words_are_side_by_side_and_one_axis_has_one_line(self):
        points = [{"at": {"t.kind": k}, "value": v} for k, v in (("flow", 1), ("port", 30))]
        figure = self.view(points, [{"key": "t.kind", "values": ["flow", "port"]}]).blocks[0]
        self.assertEqual((figure.spec["x"]["scale"], lines(figure), figure.spec["y"]["scale"], figure.spec["legend"]),
                         ("category", [("qps", ["flow", "port"], [1, 30])], "log", False))
        mixed = self.view([{"at": {"a": "1 us"}, "value": 1}, {"at": {"a": "1 KiB"}, "value": 1}],
                          [{"key": "a", "values": ["1 us", "1 KiB"]}]).blocks[0]
        self.assertEqual((mixed.spec["x"]["scale"], mixed.spec["x"]["unit"]), ("category", ""))
        sizes = self.view([{"at": {"a": "1 KiB"}, "value": 1}, {"at": {"a": "2 KiB"}, "value": 1}],
                          [{"key": "a", "values": ["1 KiB", "2 KiB"]}]).blocks[0]
        self.assertEqual((sizes.spec["x"]["scale"], sizes.spec["x"]["unit"], sizes.spec["x"]["ticks"]),
                         ("linear", "B", [1024.0, 2048.0]))


if __name__ == "__main__":
    unittest.main()
