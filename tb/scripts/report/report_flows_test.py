#!/usr/bin/python3
"""What scripts/report says of messages and of values over time."""
import unittest

from by_hand import FLOWS, SPACE, THIN, InFolder, heads, lines, numeric, texts
from lib.report import flows_view, inputs, series_view


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
        return series_view.figures(series_view.read(self.folder))

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


if __name__ == "__main__":
    unittest.main()
