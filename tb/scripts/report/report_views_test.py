#!/usr/bin/python3
"""What scripts/report says of results, view by view, of summaries made by hand: each number, its place and its mark."""
import json
import math
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from lib.report import (blocks, compare_view, config, curve_view, explain_view, flows_view, inputs, nic_view,
                       numbers,  # noqa: E402
                       pcie_view, plots, published, rate_view, recovery_view, reduce, run_view, series_view, size_view, study_data,
                       study_view, sweep_view, waterfall_view)

NONE, THIN, MINUS, SPACE = "\u2013", "\u202f", "\u2212", "\u00a0"


def texts(table):
    return [[c.text for c in row] for row in table.rows]


def heads(table):
    return [c.title for c in table.columns]


def numeric(table):
    return [c.title for c in table.columns if c.numeric]


def result(kind, summary, label="r", folder="/nowhere"):
    return inputs.Result(label, kind, summary, pathlib.Path(folder))


def of_kind(found, block):
    return [b for b in found if b.block == block]


def lines(figure):
    """Name, xs and ys of each series of a figure of lines."""
    return [(s["name"], s["data"]["x"], s["data"]["y"]) for s in figure.spec["series"]]


class InFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")


class Numbers(unittest.TestCase):
    def test_as_people_read_them(self):
        for value, text in ((0, "0"), (999, "999"), (1000, f"1{THIN}000"), (1234567, f"1{THIN}234{THIN}567"), (-5, f"{MINUS}5"),
                            (-1234.0, f"{MINUS}1{THIN}234"), (1.5, "1.5"), (1.23456, "1.235"), (12.3456, "12.35"),
                            (123.456, "123.5"), (1234.56, f"1{THIN}235"), (9999.4, f"9{THIN}999"), (12345.6, f"12{THIN}346"),
                            (10000.5, f"10{THIN}000"), (0.0123456, "0.01235"), (0.00012345, "0.0001234"), (0.0001, "0.0001"),
                            (0.000099, "9.9e-5"), (0.00001, "1e-5"),
                            (1.5e15, "1.5e15"), (1e15, "1e15"), (-0.25, f"{MINUS}0.25"), (None, NONE), (True, NONE),
                            ("7", NONE), (math.nan, NONE),
                            (math.inf, NONE)):
            with self.subTest(value):
                self.assertEqual(numbers.number(value), text)

    def test_four_digits_are_kept_of_any_size(self):
        for exponent in range(-9, 18):
            for mantissa in (1.0, 1.23456, 9.8765):
                value = mantissa * 10.0**exponent
                shown = float(numbers.number(value).replace(THIN, ""))
                self.assertLessEqual(abs(shown / value - 1), 5.1e-4, value)

    def test_units_are_scaled_and_shares_are_per_cent(self):
        for value, unit, text in ((1, "ps", f"1{SPACE}ps"), (0.5, "ps", f"0.5{SPACE}ps"), (1000, "ps", f"1{SPACE}ns"),
                                  (2.5e6, "ps", f"2.5{SPACE}us"),
                                  (999, "ps", f"999{SPACE}ps"), (1e9, "ps", f"1{SPACE}ms"), (3e12, "ps", f"3{SPACE}s"),
                                  (4e8, "bit/s", f"400{SPACE}Mbps"), (3, "bit/s", f"3{SPACE}bps"),
                                  (0.5, "bit/s", f"0.5{SPACE}bps"), (5e3, "bit/s", f"5{SPACE}kbps"),
                                  (4e11, "bit/s", f"400{SPACE}Gbps"),
                                  (-4e12, "bit/s", f"{MINUS}4{SPACE}Tbps"),
                                  (0.25, "share of line", f"25{SPACE}% of line"), (0.25, "ratio", "0.25"), (7, "", "7"),
                                  (7, "us", f"7{SPACE}us"), (None, "us", NONE), (None, "share of line", NONE)):
            with self.subTest((value, unit)):
                self.assertEqual(numbers.quantity(value, unit), text)
        for value, text in ((0, f"0{SPACE}B"), (1023, f"1{THIN}023{SPACE}B"), (1024, f"1{SPACE}KiB"),
                            (-2048, f"{MINUS}2{SPACE}KiB"),
                            (1.5 * 1024**2, f"1.5{SPACE}MiB"), (1024**3, f"1{SPACE}GiB"),
                            (2048 * 1024**3, f"2{THIN}048{SPACE}GiB")):
            self.assertEqual(numbers.of_bytes(value), text)

    def test_texts_of_configurations_are_numbers(self):
        for text, found in (("4 KiB", (4096.0, "B")), ("4KB", (4000.0, "B")), ("1.5 MiB", (1.5 * 1024**2, "B")),
                            ("2 GiB", (2.0 * 1024**3, "B")),
                            ("3 MB", (3e6, "B")), ("1 GB", (1e9, "B")), (" 7 ", (7.0, "")), ("-2e3", (-2000.0, "")),
                            (".5 s", (0.5, "s")),
                            ("100 Gbps", (1e11, "bps")), ("1 GHz", (1e9, "Hz")), ("2 kHz", (2e3, "Hz")), ("x", None),
                            ("4 miles", None), (True, None), (None, None),
                            (3, (3.0, "")), ("1 2", None)):
            with self.subTest(text):
                self.assertEqual(numbers.parsed(text), found)
        for text, seconds in (("1 ps", 1e-12), ("1 ns", 1e-9), ("1 us", 1e-6), ("1 ms", 1e-3), ("1 s", 1.0)):
            self.assertEqual(numbers.parsed(text), (seconds, "s"))
        for text, rate in (("1 bps", 1.0), ("1 kbps", 1e3), ("1 Kbps", 1e3), ("1 Mbps", 1e6), ("1 Gbps", 1e9),
                           ("1 Tbps", 1e12)):
            self.assertEqual(numbers.parsed(text), (rate, "bps"))

    def test_any_value_is_a_text(self):
        self.assertEqual(numbers.plain({"a": [1, True, None, "x"], "b": False}), f"a: 1, yes, {NONE}, x, b: no")


class Plots(unittest.TestCase):
    def test_an_axis_is_logarithmic_where_values_are_far_apart_and_positive(self):
        for values, far, scale in (([1, 49.9], 50, "linear"), ([1, 50], 50, "log"), ([0, 100], 50, "linear"),
                                   ([-1, 100], 50, "linear"),
                                   ([1, None, 60, "x"], 50, "log"), ([], 50, "linear"), ([1, 8], 8, "log"),
                                   ([1, 7.9], 8, "linear")):
            self.assertEqual(plots.scale_of(values, far), scale, values)
        self.assertEqual(plots.scale_of([1, 50]), "log")
        self.assertEqual(plots.scale_of([1, 49]), "linear")

    def test_axes_and_series_have_what_was_told(self):
        self.assertEqual(plots.axis("t", "us", zero=True, values=["a"]), {"title": "t", "unit": "us", "scale": "linear",
                                                                          "zero": True, "values": ["a"]})
        self.assertEqual(plots.axis("t", column="p:x"), {"title": "t", "unit": "", "scale": "linear", "column": "p:x"})
        found = plots.series("s", [1, 2.00000001], [3, None], "both", 2, low=[0.12345678, 1], label=["a", "b"],
                             mark="published")
        self.assertEqual(found, {"name": "s", "role": "both", "style": 2, "mark": "published",
                                 "data": {"x": [1, 2], "y": [3, None], "low": [0.123457, 1], "label": ["a", "b"]}})
        self.assertEqual(plots.series("s", ["a", 1], [1, 2])["data"]["x"], ["a", 1])
        self.assertEqual(plots.bars(["a"], {}, [], limits=[1]), {"kind": "bars", "rows": ["a"], "x": {}, "series": [],
                                                                 "stacked": False, "limits": [1]})
        self.assertTrue(plots.bars([], {}, [], True)["stacked"])


class Reduced(unittest.TestCase):
    def test_quantiles_are_values_that_so_many_do_not_exceed(self):
        ordered = list(range(1, 101))
        for share, value in ((0.5, 50), (0.501, 51), (0.99, 99), (0.999, 100), (1, 100), (0, 1), (0.01, 1), (0.011, 2)):
            self.assertEqual(reduce.quantile(ordered, share), value, share)
        self.assertEqual(reduce.quantile([7], 0.001), 7)
        for n in (1, 3, 10, 1000):
            for share in (0.5, 0.9, 0.99, 0.999):
                value = reduce.quantile(list(range(n)), share)
                self.assertGreaterEqual((value + 1) / n, share - 1e-9)
                self.assertLess(value / n, share)

    def test_a_small_distribution_has_all_its_values(self):
        self.assertEqual(reduce.distribution([3, 1, 2, 2]), ([1, 2, 2, 3], [0.25, 0.5, 0.75, 1.0]))
        xs, ys = reduce.distribution(list(range(400)))
        self.assertEqual((xs, ys[0], len(ys)), (list(range(400)), 1 / 400, 400))
        self.assertLess(len(reduce.distribution(list(range(401)))[0]), 401)

    def test_levels_are_every_half_per_cent_and_the_tail(self):
        for level in (0, 0.005, 0.5, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999, 0.99998, 1 - 2e-7):
            self.assertTrue(any(abs(level - known) < 1e-12 for known in reduce.LEVELS), level)
        self.assertTrue(all(0 <= level < 1 for level in reduce.LEVELS))

    def test_a_long_line_is_means_and_extremes_of_equal_parts(self):
        times, values = list(range(800)), [float(i % 2) for i in range(800)]
        values[10] = values[11] = None
        at, mean, low, high = reduce.line(times, values)
        self.assertEqual((at[:2], at[-1], mean[0], low[0], high[0]), ([0, 2], 798, 0.5, 0.0, 1.0))
        self.assertEqual((mean[5], low[5], high[5]), (None, None, None))
        self.assertEqual(reduce.line(times[:400], values[:400]), (times[:400], values[:400], None, None))
        at, mean, _, _ = reduce.line(list(range(1200)), list(range(1200)))
        self.assertEqual((at[:2], mean[:2]), ([1, 4], [1.0, 4.0]))  # the middle of three

    def test_rounding_keeps_what_a_picture_can_show(self):
        for value, short in ((1234567.891, 1234570), (0.123456789, 0.123457), (3.0, 3), (123456789, 123456789),
                             (10**9, 1000000000), (1234567891, 1234570000),
                             (1.5e20, 1.5e20), (None, None), ("x", "x"), (0, 0)):
            self.assertEqual(reduce.rounded(value), short)
        self.assertEqual(reduce.short([1.23456789, None], 3), [1.23, None])
        self.assertIsInstance(reduce.rounded(3.0), int)


class Blocks(unittest.TestCase):
    def test_rows_beyond_the_first_go_to_the_script(self):
        rows = [[blocks.Cell(i, i), blocks.Cell(i, str(i)), blocks.Cell(i, "x", "bad"), blocks.Cell(i, "x", "", "why")]
                for i in range(203)]
        table = blocks.Table([], rows, dull={201}, marked={202: "chosen"})
        self.assertEqual((len(table.head), table.head[-1][0].value), (200, 199))
        self.assertEqual(table.rest, [[[[i], [i, str(i)], [i, "x", "bad", ""], [i, "x", "", "why"]], i == 201, "chosen"
                                       if i == 202 else ""]
                                      for i in range(200, 203)])

    def test_a_table_of_objects(self):
        table = blocks.table_of([{"a": 1, "b": "x"}, {"a": None, "c": 2.5, "b": ""}, {"c": True}], "t", {"c": "us"}, ("b",))
        self.assertEqual(heads(table), ["a", "b", "c, us"])
        self.assertEqual(numeric(table), ["a"])
        self.assertEqual([c.wide for c in table.columns], [False, True, False])
        self.assertEqual(texts(table), [["1", "x", NONE], [NONE, NONE, "2.5"], [NONE, NONE, "yes"]])
        self.assertEqual(blocks.cell(2, mark="good", title="t"), blocks.Cell(2, "2", "good", "t"))


class Configurations(unittest.TestCase):
    def test_keys_are_those_of_set(self):
        told = {"nic": {"window": 512, "on": True}, "traffic": [{"qps": 1}, 7, {"to": ["a", "b"]}], "empty": [], "none": None}
        self.assertEqual(config.flat(told), {"nic.window": "512", "nic.on": "true", "traffic[0].qps": "1", "traffic[1]": "7",
                                             "traffic[2].to": "[a, b]", "empty": "[]", "none": "null"})
        self.assertEqual(config.fill("a {nic.window} {nope}", {"nic.window": "512"}), "a 512 {nope}")

    def test_long_values_are_cut(self):
        self.assertEqual(config.shown("x" * 160).text, "x" * 160)
        cut = config.shown("x" * 161)
        self.assertEqual((cut.text, cut.title, cut.value), ("x" * 160 + "\u2026", "161 characters; the CSV has all", "x" * 161))
        self.assertEqual(config.shown(None).text, NONE)

    def test_of_one_result_all_but_what_is_about_the_file(self):
        fold = config.fold(["a"], [{"platform": {"name": "p"}, "sweep": {"title": "s"}, "explain": {"x": 1}, "size": {"y": 1},
                                    "nic": {"mtu": 1}}])
        self.assertEqual((fold.title, heads(fold.blocks[0]), texts(fold.blocks[0])),
                         ("Effective configuration", ["key", "value"], [["nic.mtu", "1"]]))

    def test_of_several_what_differs_comes_first(self):
        fold = config.fold(["a", "b"], [{"x": 1, "y": 2, "z": 3}, {"x": 1, "y": 4, "w": 5}])
        table = fold.blocks[0]
        self.assertEqual(fold.title, "Effective configuration: 3 of 4 keys differ")
        self.assertEqual(texts(table), [["y", "2", "4"], ["z", "3", NONE], ["w", NONE, "5"], ["x", "1", "1"]])
        self.assertEqual((table.marked, table.dull, table.note), ({0: "differs", 1: "differs", 2: "differs"}, {3},
                                                                  "3 of 4 keys differ, and are marked."))
        same = config.fold(["a", "b"], [{"x": 1}, {"x": 1}])
        self.assertEqual((same.title, same.blocks[0].dull, same.blocks[0].note), ("Effective configuration: 0 of 1 keys differ",
            set(), "All 1 keys are equal."))


def entry(**more):
    return {"id": "a", "published": 10, "measured": 12, "unit": "us", "kind": "predicted", **more}


class PublishedNumbers(unittest.TestCase):
    def test_each_has_a_line(self):
        found = published.entries([entry(), entry(id="b", measured=8.0, kind="calibrated", source="Table 1"),
                                   entry(id="c", measured=None, kind=""),
                                   entry(id="d", published=0, quantity="q"), "no entry"])
        table = published.table(found)
        self.assertEqual(heads(table), ["published number", "quantity", "published", "ours", "unit", f"ours {MINUS} published",
                                        "ratio", "kind", "source"])
        self.assertEqual(texts(table), [["a", "", "10", "12", "us", "+2", "1.200", "predicted", ""],
                                        ["b", "", "10", "8", "us", f"{MINUS}2", "0.800", "calibrated", "Table 1"],
                                        ["c", "", "10", NONE, "us", NONE, NONE, NONE, ""], ["d", "q", "0", "12", "us", "+12",
                                            NONE, "predicted", ""]])
        self.assertEqual([r[-2].mark for r in table.rows], ["kind kind-predicted", "kind kind-calibrated", "",
                                                            "kind kind-predicted"])
        self.assertEqual(published.kind_cell("identity").mark, "")

    def test_names(self):
        self.assertEqual(published.name_of({"quantity": "sram", "design": "tor"}), "tor sram")
        self.assertEqual(published.name_of({"id": "x", "design": "tor"}), "x")
        self.assertEqual(published.entries([{"ours": 3, "measured": 2}, {"ours": 3}], "measured")[0]["ours"], 2)
        self.assertEqual(published.entries([{"ours": 3}])[0]["ours"], 3)

    def test_ratios_are_drawn_from_three_on(self):
        self.assertIsNone(published.figure(published.entries([entry(), entry(id="b")])))
        found = published.entries([entry(), entry(hypothesis="H"), entry(id="c", measured=60, kind="calibrated"),
                                   entry(id="c", measured=60, kind="calibrated"),
                                   entry(id="z", measured=None), entry(id="n", measured=-1)])
        figure = published.figure(found)
        self.assertEqual(figure.spec["rows"], ["a", "a \u00b7 H", "c", "c "])
        self.assertEqual([(s["name"], s["values"]) for s in figure.spec["series"]], [("calibrated", [None, None, 6.0, 6.0]),
            ("predicted", [1.2, 1.2, None, None])])
        self.assertEqual(figure.spec["series"][0]["label"][0], "published 10, ours 12 us")
        self.assertEqual((figure.spec["x"]["scale"], figure.spec["line"], figure.spec["dots"]),
                         ("linear", 1, True))  # five times is not far
        self.assertEqual(figure.note, "2 without a positive ratio are in the table only")
        far = published.figure(published.entries([entry(), entry(id="b", measured=61), entry(id="c"),
                                                  entry(id="d", measured=0)]))
        self.assertEqual((far.spec["x"]["scale"], far.note), ("log", "1 without a positive ratio is in the table only"))
        many = [entry(id=str(i)) for i in range(60)]
        self.assertEqual(published.figure(published.entries(many)).note, "")
        self.assertIsNone(published.figure(published.entries([*many, entry(id="x")])))

    def test_one_sentence(self):
        for rows, said in (([], ""), ([entry()], "1 published number, ours over published 1.20"),
                           ([entry(), entry(measured=10), entry(measured=-3), entry(measured=None), entry(published=0)],
                            "5 published numbers, ours over published 1.00 to 1.20, 1 equal, 1 of the other sign, 1 without a number of ours")):
            self.assertEqual(published.sentence(published.entries(rows)), said)

    def test_a_validation_counts_what_is_compared(self):
        page = published.view(result("published", {"validation": [entry(), entry(kind="identity"), entry(measured=None)]}))
        self.assertEqual((page.state, page.verdict, page.key_figures),
                         ("warn", "2 of 3 compared", [("predicted", "2"), ("identity", "1")]))
        self.assertEqual(page.warnings, ["published numbers without one of ours: 1"])
        full = published.view(result("published", {"validation": [entry()]}))
        self.assertEqual((full.state, full.warnings, full.answer),
                         ("good", [], "1 published number, ours over published 1.20."))
        self.assertEqual(published.view(result("published", {"validation": []})).answer, "Nothing is compared.")
        self.assertEqual([b.block for b in page.blocks], ["heading", "table"])
        self.assertEqual([b.block for b in published.blocks([entry()] * 3)], ["heading", "figure", "table"])


def run(**more):
    return {"platform": "p", "verdict": "complete", "sim_time_ps": 2_000_000_000, "config": {}, "seed": 3, "version": "1.0",
            "packets": {"created": 5000, "delivered": 4000, "dropped": {"queue": 7, "loss": 3, "none": 0}, "in_flight": 990},
            "results": {"senders.goodput": {"value": 1.5, "unit": "Gbps"}, "fct.p99": {"value": None, "unit": "us"},
                        "fct.mean": {"value": 0, "unit": "us"},
                        "count": 7}, **more}


class Runs(unittest.TestCase):
    def test_packets_and_time_are_the_answer(self):
        page = run_view.view(result("run", run()))
        self.assertEqual(page.answer,
                         f"5{THIN}000 packets created, 4{THIN}000 delivered, 10 dropped (queue 7, loss 3), 990 in flight, "
                                      f"in 2{SPACE}ms of simulated time.")
        self.assertEqual(run_view.packets_text({"created": 1, "delivered": 1, "dropped": {"queue": 0}, "in_flight": 0}),
                         "1 packets created, 1 delivered, none dropped, 0 in flight")
        self.assertEqual((page.kind, page.state, page.verdict), ("run", "good", "complete"))
        self.assertEqual(page.facts, [("platform", "p"), ("seed", "3"), ("version", "1.0")])

    def test_key_figures_are_the_first_eight_that_are_numbers(self):
        self.assertEqual(run_view.key_figures(run()), [("fct.mean", f"0{SPACE}us"), ("senders.goodput", f"1.5{SPACE}Gbps")])
        every = run(results={name: {"value": 1, "unit": ""} for name in reversed(run_view.KEY_RESULTS)})
        self.assertEqual([n for n, _ in run_view.key_figures(every)], list(run_view.KEY_RESULTS[:8]))

    def test_results_and_their_ratio(self):
        table = run_view.results_table(["a"], [run()])
        self.assertEqual((heads(table), numeric(table)), (["result", "unit", "value"], ["value"]))
        self.assertEqual(texts(table), [["senders.goodput", "Gbps", "1.5"], ["fct.p99", "us", NONE], ["fct.mean", "us", "0"],
                                        ["count", "", "7"]])
        self.assertEqual((table.dull, table.dull_name), ({1, 2}, "zero or missing results"))
        other = run(results={"senders.goodput": {"value": 3, "unit": "Gbps"}, "fct.mean": {"value": 4, "unit": "us"}, "new": 1})
        both = run_view.results_table(["a", "b"], [run(), other])
        self.assertEqual(heads(both), ["result", "unit", "a", "b", "second / first"])
        self.assertEqual(texts(both), [["senders.goodput", "Gbps", "1.5", "3", "2.000"], ["fct.p99", "us", NONE, NONE, NONE],
                                       ["fct.mean", "us", "0", "4", NONE], ["count", "", "7", NONE, NONE],
                                       ["new", "", NONE, "1", NONE]])
        zero = run_view.results_table(["a", "b"], [run(results={"x": 2}), run(results={"x": 0})])
        self.assertEqual(texts(zero), [["x", "", "2", "0", "0.000"]])
        self.assertEqual(heads(run_view.results_table(["a", "b", "c"], [run()] * 3)), ["result", "unit", "a", "b", "c"])

    def test_warnings_are_of_the_verdict_and_of_what_is_unfinished(self):
        self.assertEqual(run_view.warnings(run()), [])
        for verdict, state in (("error", "warn"), ("timeout", "warn"), ("stuck", "bad"), ("refused", "bad"), ("odd", "warn")):
            page = run_view.view(result("run", run(verdict=verdict)))
            self.assertEqual((page.state, [w.split(":")[0] for w in page.warnings]),
                             (state, [verdict] if verdict != "odd" else []))
        left = run(results={"fct.unfinished": 1200, "queries.unfinished": {"value": 2}, "a.b.unfinished": 3,
                            "collectives.unfinished": 0})
        self.assertEqual([w.split(":")[0] for w in run_view.warnings(left)], [f"1{THIN}200 messages unfinished",
            "2 queries unfinished"])
        nothing = run(packets={"created": 0}, statistics={"a": {}})
        self.assertEqual(run_view.warnings(nothing), ["no packet was created"])
        self.assertEqual(run_view.warnings(run(packets={"created": 0})), [])
        self.assertEqual(run_view.warnings(run(packets={"created": 1}, statistics={"a": {}})), [])
        self.assertEqual(run_view.warnings(run(packets={}, statistics={"a": {}}, verdict="timeout"))[1:], [])
        self.assertEqual(len(run_view.warnings(run(version="1.0.modified"))), 1)

    def test_traffic_in_words_of_the_platform(self):
        keys = config.flat({"traffic": [{"kind": "messages", "pattern": "incast", "size": "64 KiB", "load": "", "qps": "[]"},
                                        {"kind": "batch", "qps": 4}]})
        self.assertEqual(run_view.traffic_text(keys), ["messages incast size 64 KiB", "batch qps 4"])
        page = run_view.view(result("run",
                                    run(config={"traffic": [{"kind": "a"}, {"kind": "b"}], "platform": {"description": "what",
                                        "assumptions": ["x {nic}"]},
                                                       "nic": 7}, validation=[entry()])))
        self.assertEqual(page.facts[:2], [("traffic", "a; b"), ("published", "1 published number, ours over published 1.20")])
        self.assertEqual(page.asked, "what")
        fold = next(b for b in page.blocks if b.block == "fold" and b.title.startswith("Assumptions"))
        self.assertEqual((fold.title, fold.blocks[0].items), ("Assumptions (1): what has no published value", ["x 7"]))
        self.assertEqual(run_view.assumptions({"config": {"platform": "x"}}), [])

    def test_a_replay_has_traces(self):
        rows = {"kinds": [{"port": 3, "trace": "a.pcap"}, {"port": 4, "trace": "b.pcap"}]}
        page = run_view.view(result("run", run(rows=rows, replay={"device": "leaf0"})))
        self.assertEqual((page.kind, page.facts[0]),
                         ("replay", ("traces", "a.pcap into port 3 of leaf0; b.pcap into port 4 of leaf0")))
        self.assertEqual(run_view.traces_text({"rows": rows}), ["a.pcap into port 3", "b.pcap into port 4"])
        self.assertFalse(run_view.is_replay({"rows": {"kinds": [{"port": 3}, {"trace": "x"}]}}))
        self.assertFalse(run_view.is_replay({"rows": {"kinds": []}}))

    def test_counters_are_added_by_kind_of_device(self):
        def value(n, unit="packets"):
            return {"value": n, "unit": unit}
        statistics = {"leaf10": {"port2": {"sent": value(5)}, "odd": value(0)}, "leaf9": {"port1": {"sent": value(8)},
            "odd": value(0)}, "h": {"sent": value(1.5, "B")},
                      "text": 3, "words": {"name": value("x")}}
        (fold,) = run_view.counters({"statistics": statistics})
        table = fold.blocks[0]
        self.assertEqual(fold.title, "Device counters (3)")
        self.assertEqual(texts(table), [["h", "sent", "B", "1", "1.5", "1.5", "1.5", "h.sent"],
                                        ["leaf*", "port*.sent", "packets", "2", "13", "5", "8", "leaf9.port1.sent"],
                                        ["leaf*", "odd", "packets", "2", "0", "0", "0", ""]])
        self.assertEqual(table.dull, {2})
        self.assertEqual(numeric(table), ["objects", "sum", "least", "most"])
        self.assertEqual(run_view.counters({}), [])

    def test_rows_that_a_run_has_are_tables(self):
        (table,) = run_view.other_rows({"rows": {"hop_delays": [{"a": 1}], "empty": [], "left": [{"a": 1}]}}, ("left",))
        self.assertEqual((table.caption, texts(table)), ("Hop delays", [["1"]]))


FLOWS = "flow,sender,receiver,fct_us,slowdown,size_bytes,first_post_us,message_p99_us,mean_rate_gbps\n"


class Flows(InFolder):
    def read(self, rows, measured_from_ps=0):
        self.write("flows.csv", FLOWS + "".join(",".join(map(str, r)) + "\n" for r in rows))
        return flows_view.read("r", self.folder, measured_from_ps)

    def test_messages_before_the_window_and_unfinished_ones_are_counted_apart(self):
        found = self.read([(0, "a", "b", 5, 2, 1000, 1, "", ""), (1, "a", "b", 7, 4, 2000, 2, "", ""),
                           (2, "a", "b", "", "", 1000, 3, "", ""),
                           (3, "a", "b", 9, "", 1000, 2, "", "")], 2_000_000)
        self.assertEqual((found.values, found.left_out, found.unfinished), ({"fct_us": [7, 9], "slowdown": [4]}, 1, 1))
        self.assertEqual((found.sizes, [r["flow"] for r in found.slowest]), ([(2000, 4)], ["1"]))
        self.assertEqual(flows_view.note(found),
                         "1 unfinished messages are not in it, 1 posted before the measured window are left out")

    def test_of_connections_a_distribution_needs_five(self):
        four = self.read([(i, "a", "b", "", "", "", "", 10 + i, "") for i in range(4)])
        self.assertEqual(four.values, {})
        five = self.read([(i, "a", "b", "", "", "", "", 10 + i, "" if i else 3) for i in range(5)])
        self.assertEqual(five.values, {"message_p99_us": [10, 11, 12, 13, 14]})

    def test_the_slowest_twenty_in_their_order(self):
        found = self.read([(i, "a", "7", 1, i % 25, 1000, 0, "", "") for i in range(50)])
        self.assertEqual([r["flow"] for r in found.slowest], [str(i) for k in range(24, 14, -1) for i in (k, k + 25)])
        (table,) = flows_view.slowest(found)
        self.assertEqual(heads(table), ["flow", "sender", "receiver", "size bytes", "first post us", "fct us", "slowdown"])
        self.assertEqual(numeric(table), ["flow", "size bytes", "first post us", "fct us", "slowdown"])
        self.assertEqual(texts(table)[0], ["24", "a", "7", f"1{THIN}000", "0", "1", "24"])
        self.assertEqual((table.rows[0][2].value, table.rows[0][0].value), ("7", 24.0))
        self.assertEqual(flows_view.slowest(flows_view.Flows("x")), [])

    def test_distributions_and_percentiles(self):
        flows = flows_view.Flows("r", {"fct_us": [float(i) for i in range(1, 101)]}, unfinished=3)
        figure, table = flows_view.distributions([flows])
        self.assertEqual((figure.title, figure.note, figure.spec["x"]["scale"], figure.spec["x"]["unit"],
                          figure.spec["legend"]),
                         ("Distribution of completion time", "3 unfinished messages are not in it", "log", "us", False))
        ((name, xs, ys),) = lines(figure)
        self.assertEqual((name, xs, ys[0], ys[-1]), ("completion time", list(range(1, 101)), 0.01, 1))
        self.assertEqual((figure.spec["y"]["title"], figure.spec["y"]["zero"]), ("share of messages", True))
        self.assertEqual(heads(table), ["quantity", "unit", "count", "least", "mean", "p50", "p90", "p99", "p99.9", "most"])
        self.assertEqual(texts(table), [["completion time", "us", "100", "1", "50.5", "50", "90", "99", "100", "100"]])
        near = flows_view.distributions([flows_view.Flows("r", {"fct_us": [1.0, 49.0]})])[0]
        self.assertEqual(near.spec["x"]["scale"], "linear")

    def test_of_several_each_has_its_line_and_its_row(self):
        a, b = flows_view.Flows("a", {"slowdown": [1.0, 2.0]}, left_out=2), flows_view.Flows("b",
            {"slowdown": [3.0], "mean_rate_gbps": [1.0] * 5})
        slow, rate, table = flows_view.distributions([a, b])
        self.assertEqual([n for n, _, _ in lines(slow)], ["a", "b"])
        self.assertEqual((slow.note, slow.spec["legend"]), ("a: 2 posted before the measured window are left out", True))
        self.assertEqual((rate.spec["y"]["title"], rate.note), ("share of connections", ""))
        self.assertEqual([r[:3] for r in texts(table)], [["a", "slowdown over an idle network", "ratio"],
                                                         ["b", "slowdown over an idle network", "ratio"],
                                                         ["b", "mean rate of a connection", "Gbps"]])
        self.assertEqual(heads(table)[0], "result")
        same = flows_view.notes_of([flows_view.Flows("a", unfinished=1), flows_view.Flows("b", unfinished=1)], True)
        self.assertEqual(same, ["1 unfinished messages are not in it of each"])
        self.assertEqual(flows_view.notes_of([flows_view.Flows("a"), flows_view.Flows("b")], True), [])

    def test_slowdown_over_size_in_bins_of_equally_many(self):
        sizes = [(100 * (i // 10 + 1), float(i)) for i in range(120)]
        (figure,) = flows_view.over_size([flows_view.Flows("r", sizes=sizes)])
        (name, xs, p50), (tail, _, p99) = lines(figure)
        self.assertEqual((name, tail, len(xs)), ("p50", "p99", 12))
        self.assertEqual((xs, p50, p99), ([100 * (b + 1) for b in range(12)], [10 * b + 4 for b in range(12)],
                                          [10 * b + 9 for b in range(12)]))
        self.assertEqual(figure.spec["series"][0]["data"]["label"][1], f"10 messages of 200{SPACE}B to 200{SPACE}B")
        self.assertEqual([s["style"] for s in figure.spec["series"]], [0, 1])
        self.assertEqual((figure.spec["x"]["scale"], figure.spec["y"]["scale"], figure.note),
                         ("log", "log", "12 bins of equally many messages"))
        self.assertEqual(flows_view.over_size([flows_view.Flows("r", sizes=sizes[:119])]), [])
        self.assertEqual(flows_view.over_size([flows_view.Flows("r", sizes=[(1 + i % 3, 1.0) for i in range(120)])]), [])
        self.assertEqual(len(flows_view.over_size([flows_view.Flows("r", sizes=[(1 + i % 4, 1.0) for i in range(120)])])), 1)
        (two,) = flows_view.over_size([flows_view.Flows("a", sizes=sizes), flows_view.Flows("b", sizes=sizes)])
        self.assertEqual([(s["name"], s["style"]) for s in two.spec["series"]], [("a, p50", 0), ("a, p99", 1), ("b, p50", 2),
            ("b, p99", 3)])


class Series(InFolder):
    def figures(self, rows):
        self.write("series.csv", "time_us,object,quantity,value,unit\n" + "".join(",".join(map(str, r)) + "\n" for r in rows))
        return series_view.figures(self.folder)

    def test_few_objects_have_a_line_each_in_natural_order(self):
        rows = [(t, f"leaf{k}", "queue_bytes", k * t, "B") for t in (2, 1) for k in (10, 9, 0)]
        (figure,) = self.figures(rows)
        self.assertEqual(lines(figure), [("leaf9", [1, 2], [9, 18]), ("leaf10", [1, 2], [10, 20])])
        self.assertEqual((figure.title, figure.note), ("Queue depth over time", "1 object without any are left out"))
        self.assertEqual((figure.spec["x"]["unit"], figure.spec["y"]["unit"], figure.spec["y"]["zero"]), ("us", "B", True))
        self.assertEqual([s["style"] for s in figure.spec["series"]], [0, 1])

    def test_many_objects_have_their_mean_extremes_and_highest_peak(self):
        rows = [(t, f"h{k}", "some_rate", 99 if (k, t) == (3, 2) else k, "Gbps") for t in (1, 2) for k in range(1, 8)] + [(1,
            f"h{k}", "some_rate", 0, "Gbps") for k in (8, 9)]
        (figure,) = self.figures(rows)
        (name, xs, mean), (peak, px, py) = lines(figure)
        self.assertEqual((name, xs, peak, px, py), ("h*: mean of 7, least to most", [1, 2], "h3: highest peak", [1, 2],
                                                    [3, 99]))
        self.assertAlmostEqual(mean[0], 4)
        self.assertAlmostEqual(mean[1], 124 / 7, places=3)
        data = figure.spec["series"][0]["data"]
        self.assertEqual((data["low"], data["high"]), ([1, 1], [7, 99]))
        self.assertEqual((figure.title, figure.note), ("Some rate over time: h*", "2 objects without any are left out"))
        (six,) = self.figures([(1, f"h{k}", "x", 1, "") for k in range(6)])
        self.assertEqual(len(six.spec["series"]), 6)

    def test_the_first_of_equal_peaks_in_natural_order(self):
        (figure,) = self.figures([(t, f"h{k}", "x", 5, "") for t in (1, 2) for k in range(4, 14)])
        self.assertEqual(lines(figure)[1][0], "h4: highest peak")

    def test_more_than_twelve_lines_are_off_at_first(self):
        (figure,) = self.figures([(1, f"{kind}{k}", "x", 1, "") for kind in "abc" for k in range(6)])
        self.assertEqual([s.get("off", False) for s in figure.spec["series"]], [False] * 12 + [True] * 6)
        self.assertEqual([s["style"] for s in figure.spec["series"]], list(range(18)))
        self.assertIn("crossed out", figure.note)
        (twelve,) = self.figures([(1, f"{kind}{k}", "x", 1, "") for kind in "ab" for k in range(6)])
        self.assertEqual(twelve.note, "")

    def test_long_envelopes_keep_their_extremes(self):
        rows = [(t, f"h{k}", "x", 50 if (t, k) == (500, 2) else -7 if (t, k) == (600, 3) else 1, "") for t in range(1000)
                for k in range(7)]
        (figure,) = self.figures(rows)
        data = figure.spec["series"][0]["data"]
        self.assertEqual((len(data["x"]), max(data["high"]), min(data["low"])), (400, 50, -7))

    def test_values_that_are_none_and_times_that_are_not(self):
        (figure,) = self.figures([(1, "a", "x", "", ""), (2, "a", "x", 5, "")])
        self.assertEqual(lines(figure), [("a", [1, 2], [None, 5])])
        with self.assertRaisesRegex(inputs.BadInput, r"series.csv:2: time_us: found 'nothing'"):
            self.figures([("", "a", "x", 5, "")])


class Waterfall(InFolder):
    FOUND = {"schema": 1, "messages": 1200, "total": {"mean_ns": 30.0, "p99_ns": 45.0},
             "stages": [{"stage": "wqe", "mean_ns": 10.0, "service_ns": 8.0, "waiting_ns": 2.0, "p99_ns": 12.0},
                        {"stage": "never", "mean_ns": 0.0, "service_ns": 0.0, "waiting_ns": 0.0, "p99_ns": 0.0},
                        {"stage": "ack_network", "mean_ns": 20.0, "service_ns": 20.0, "waiting_ns": 0.0, "p99_ns": 30.0}]}

    def test_each_stage_begins_where_the_one_before_ends(self):
        self.write("waterfall.json", json.dumps(self.FOUND))
        _, figure, table = waterfall_view.blocks(self.folder)
        self.assertEqual((figure.spec["rows"], figure.spec["begins"]), (["WQE", "ACK on its way"], [0.0, 10.0]))
        self.assertEqual([(s["name"], s["values"]) for s in figure.spec["series"]],
                         [("service", [8.0, 20.0]), ("waiting", [2.0, 0.0])])
        self.assertEqual(figure.spec["series"][0]["label"], [f"p99 12{SPACE}ns", f"p99 30{SPACE}ns"])
        self.assertTrue(figure.spec["stacked"] and figure.spec["x"]["zero"])
        self.assertTrue(figure.note.startswith(f"1{THIN}200 messages, 30{SPACE}ns each, p99 45{SPACE}ns."))
        self.assertEqual(texts(table), [["WQE", "10", "8", "2", "12"], ["never", "0", "0", "0", "0"],
                                        ["ACK on its way", "20", "20", "0", "30"]])
        self.assertEqual((table.dull, numeric(table)), ({1}, ["mean, ns", "service, ns", "waiting, ns", "p99, ns"]))

    def test_without_messages_there_is_none(self):
        self.assertEqual(waterfall_view.blocks(self.folder), [])
        self.write("waterfall.json", json.dumps({**self.FOUND, "messages": 0}))
        self.assertEqual(waterfall_view.blocks(self.folder), [])


class Rate(unittest.TestCase):
    BEFORE = {"results": {"senders.tx_share": {"value": 0.4}, "senders.idle_context": {"value": 0.5},
                          "senders.idle_window": {"value": 0.1}, "nics.sxp_data_busy": {"value": 0.2}}}
    AFTER = {"results": {"senders.tx_share": {"value": 0.9}, "senders.idle_window": {"value": 0.1}, "nics.sxp_data_busy": {"value": 0.45}}}

    def test_the_wire_is_shared_out_and_blocks_have_public_names(self):
        _, figure, table = rate_view.blocks(self.BEFORE)
        self.assertEqual([(s["name"], s["values"]) for s in figure.spec["series"]],
                         [("packets", [0.4]), ("contexts and translations", [0.5]), ("a window", [0.1])])
        self.assertEqual([row[:3] for row in texts(table)],
                         [["packets", "wire", "0.4"], ["contexts and translations", "PXT, ICM miss", "0.5"],
                          ["a window", "SXD, end-to-end credits", "0.1"], ["data sent", "SXP", "0.2"]])

    def test_of_two_runs_what_changed_most_is_first(self):
        figure, table = rate_view.compared(["a", "b"], [self.BEFORE, self.AFTER])
        self.assertEqual(figure.spec["rows"], ["a", "b"])
        self.assertEqual([(row[0], row[4]) for row in texts(table)],
                         [("packets", "+0.5000"), ("contexts and translations", "-0.5000"), ("data sent", "+0.2500")])
        self.assertEqual(len(rate_view.compared(["a", "b"], [self.AFTER, self.AFTER])), 1)

    def test_without_senders_there_is_none(self):
        self.assertEqual(rate_view.blocks({"results": {}}), [])
        self.assertEqual(rate_view.compared(["a", "b"], [{"results": {}}, self.AFTER]), [])


class Recovery(InFolder):
    FOUND = {"schema": 1, "resent_unasked": 3,
             "recoveries": [{"flow": 0, "name": "a-c:0x40", "psn": 5, "lost_ps": 2000000, "nack_sent_ps": 3500000,
                             "resent_ps": 6000000, "completed_ps": 9000000}],
             "parts": [{"part": "in all", "count": 1, "mean_ns": 7000.0, "p99_ns": 7000.0}],
             "beside": [{"what": "CNP", "where": "a", "from_ps": 4000000, "to_ps": 4000000, "flow": 0},
                        {"what": "pause of class 0", "where": "a:0", "from_ps": 5000000, "to_ps": 6000000},
                        {"what": "CNP", "where": "a", "from_ps": 90000000, "to_ps": 90000000, "flow": 0}]}

    def test_marks_cnps_and_pauses_share_an_axis(self):
        self.write("recovery.json", json.dumps(self.FOUND))
        _, figure, table = recovery_view.blocks(self.folder)
        self.assertEqual(figure.spec["y"]["values"], ["a-c:0x40 psn 5", "CNPs", "pauses"])
        self.assertEqual([(s["name"], s["data"]["x"], s["data"]["y"]) for s in figure.spec["series"]],
                         [("lost", [2], ["a-c:0x40 psn 5"]), ("NACK sent", [3.5], ["a-c:0x40 psn 5"]),
                          ("resent", [6], ["a-c:0x40 psn 5"]), ("completed", [9], ["a-c:0x40 psn 5"]),
                          ("CNPs", [4], ["CNPs"]), ("pauses", [5, 6], ["pauses", "pauses"])])
        self.assertEqual(texts(table), [["in all", "1", "7", "7"]])

    def test_without_recoveries_there_is_none(self):
        self.assertEqual(recovery_view.blocks(self.folder), [])
        self.write("recovery.json", json.dumps({**self.FOUND, "recoveries": []}))
        self.assertEqual(recovery_view.blocks(self.folder), [])


class Ledger(unittest.TestCase):
    SUMMARY = {"results": {"nics.pcie_doorbell_to_nic": {"value": 0.5, "unit": "Gbps"},
                           "nics.pcie_payload_to_host": {"value": 12.0, "unit": "Gbps"},
                           "nics.pcie_payload_to_nic": {"value": 3.0, "unit": "Gbps"},
                           "nics.pcie_wqe_to_host": {"value": 0.0, "unit": "Gbps"},
                           "senders.pcie_bytes_per_message": {"value": 217.0, "unit": "bytes"}}}

    def test_a_bar_for_each_direction_with_a_part_for_each_use(self):
        _, figure, table = pcie_view.blocks(self.SUMMARY)
        self.assertEqual(figure.spec["rows"], ["towards the host", "towards the NIC"])
        self.assertEqual([(s["name"], s["style"], s["values"]) for s in figure.spec["series"]],
                         [("doorbells", 0, [0, 0.5]), ("payload", 2, [12.0, 3.0])])
        self.assertTrue(figure.spec["stacked"])
        self.assertIn("217 bytes a message", figure.note)
        rows = {row[0]: row[1:] for row in texts(table)}
        self.assertEqual((rows["doorbells"], rows["payload"], rows["total"]), ([NONE, "0.5"], ["12", "3"], ["12", "3.5"]))
        self.assertEqual(table.marked, {6: "total"})

    def test_a_run_without_hosts_has_none(self):
        self.assertEqual(pcie_view.blocks({"results": {}}), [])


class Sweeps(InFolder):
    SUMMARY = {"platform": "p", "verdict": "complete", "results": {}, "packets": {},
               "config": {"sweep": {"title": "A sweep", "label_title": "passed",
                                    "column": [{"title": "rate", "metric": "senders.rate"}],
                                    "point": [{"label": "1/2", "set": ["a=1", "b=2"]}]}},
               "validation": [{"id": "v", "metric": "senders.rate", "point": "1/2", "published": 7, "measured": 6},
                              {"metric": "other", "point": "all", "published": 1}],
               "rows": {"sweep": [{"passed": "all", "rate": 5.0, "none": 0, "verdict": "complete", "text": "x"},
                                  {"passed": "1/2", "rate": 400.0, "none": 0, "verdict": "timeout", "text": "y"}]}}

    def view(self, **more):
        return sweep_view.view(result("sweep", {**self.SUMMARY, **more}, folder=self.folder))

    def test_points_curves_and_published_marks(self):
        page = self.view()
        table, figure = page.blocks[:2]
        self.assertEqual((table.caption, table.note), ("A sweep", "Zero in every point: none."))
        self.assertEqual(texts(table), [["all", "5", "0", "complete", "x"], ["1/2", "400", "0", "timeout", "y"]])
        self.assertEqual(lines(figure), [("ours", ["all", "1/2"], [5, 400]), ("published", ["1/2"], [7])])
        self.assertEqual((figure.title, figure.note, figure.spec["y"]["scale"], figure.spec["x"]["scale"],
                          figure.spec["legend"]),
                         ("Rate", "senders.rate", "log", "category", True))
        self.assertNotIn("zero", figure.spec["y"])
        self.assertEqual(figure.spec["series"][1]["mark"], "published")
        fold = next(b for b in page.blocks if b.block == "fold" and b.title == "What each point sets")
        self.assertEqual((heads(fold.blocks[0]), texts(fold.blocks[0])), (["passed", "overrides"], [["1/2", "a=1 b=2"]]))

    def test_what_is_not_complete_is_said(self):
        page = self.view()
        self.assertEqual((page.state, page.verdict), ("warn", "1 of 2 points not complete"))
        self.assertEqual(page.warnings,
                         ["point 1/2: timeout",
                          "2 of 2 points have no folder in points/: their flows and series are not shown"])
        self.assertEqual(page.key_figures, [("rate", "5 \u2026 400")])
        self.assertTrue(page.answer.startswith("2 points over passed: 2 published numbers"))
        rows = [{**r, "verdict": "complete", "rate": 5} for r in self.SUMMARY["rows"]["sweep"]]
        good = self.view(rows={"sweep": rows}, validation=[])
        self.assertEqual((good.state, good.verdict, good.answer, good.key_figures),
                         ("good", "complete", "2 points over passed.", [("rate", "5")]))
        self.assertTrue(good.blocks[1].spec["y"]["zero"])
        self.assertFalse(good.blocks[1].spec["legend"])
        self.assertEqual(self.view(rows={"sweep": [{**rows[0], "verdict": "stuck"}]}).state, "bad")
        wide = self.view(rows={"sweep": [{"p": "x", **{f"c{i}": i + 1 for i in range(9)}}]})
        self.assertEqual([k for k, _ in wide.key_figures], [f"c{i}" for i in range(8)])


class PointsOfASweep(InFolder):
    def test_their_messages_and_results_are_beside_each_other(self):
        points = []
        for name, shift in (("1", 0), ("2", 10)):
            (self.folder / name).mkdir()
            self.write(f"{name}/flows.csv", FLOWS + "".join(f"{i},a,b,{5 + i + shift},2,1000,1,,\n" for i in range(3)))
            points.append(result("run", run(), name, self.folder / name))
        found = result("sweep", Sweeps.SUMMARY)
        found.points = points
        page = sweep_view.view(found)
        self.assertEqual(page.warnings, ["point 1/2: timeout"])
        figure = next(b for b in page.blocks if b.block == "figure" and b.title == "Distribution of completion time")
        self.assertEqual(lines(figure), [("passed 1", [5, 6, 7], [0.333333, 0.666667, 1]),
                                         ("passed 2", [15, 16, 17], [0.333333, 0.666667, 1])])
        fold = next(b for b in page.blocks if b.block == "fold" and b.title == "All results of every point")
        self.assertEqual(heads(fold.blocks[0]), ["result", "unit", "passed 1", "passed 2", "second / first"])
        self.assertEqual([b for b in page.blocks if b.block == "text"], [])
        self.write("2/series.csv", "")
        found.points = [result("run", run(), n, self.folder / n) for n in ("1", "2")]
        self.assertEqual([b.style for b in sweep_view.view(found).blocks if b.block == "text"], ["note"])

    def test_several_runs_share_a_distribution(self):
        runs = []
        for name in ("1", "2"):
            (self.folder / name).mkdir()
            self.write(f"{name}/flows.csv", FLOWS + "0,a,b,5,2,1000,1,,\n")
            runs.append(result("run", run(), name, self.folder / name))
        found = compare_view.runs(runs)
        self.assertEqual([b.block for b in found], ["heading", "figure", "figure", "table", "table"])
        self.assertEqual([n for n, _, _ in lines(found[1])], ["1", "2"])
        (self.folder / "2/flows.csv").unlink()
        self.assertEqual([b.block for b in compare_view.runs([result("run", run(), n, self.folder / n) for n in ("1", "2")])],
                         ["heading", "table"])


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
