#!/usr/bin/python3
"""What the parts of pages that scripts/report makes say: numbers, plots, reduced lines, tables and configurations."""
import math
import unittest

from by_hand import MINUS, NONE, SPACE, THIN, heads, numeric, texts
from lib.report import blocks, config, numbers, plots, reduce


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


if __name__ == "__main__":
    unittest.main()
