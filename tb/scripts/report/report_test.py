#!/usr/bin/python3
"""Pages of scripts/report as files: what is in them, that they are HTML, fetch nothing, escape everything, are the same
each time, and what is refused."""
import csv
import html.parser
import json
import math
import pathlib
import re
import shutil
import statistics
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
import html5lib

import report_inputs as inputs

sys.path.insert(0, str(inputs.ROOT / "scripts"))
from lib.report import explain_view, reduce


class Page(html.parser.HTMLParser):
    """Tables as lists of rows of texts, attributes of all elements, texts of scripts of data."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.attributes, self.data, self.text = [], [], [], ""
        self.cell = self.script = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.attributes.append((tag, attrs))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""
        elif tag == "script":
            self.script = attrs.get("type", "code")

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            self.tables[-1][-1].append(self.cell.strip())
            self.cell = None
        elif tag == "script":
            self.script = None

    def handle_data(self, data):
        if self.script == "application/json":
            self.data.append(json.loads(data))
        elif self.script is None:
            self.text += data
            if self.cell is not None:
                self.cell += data

    def row(self, first, *more):
        """The row that begins so, of the first table that has it."""
        rest = [[[c[1] if len(c) > 1 else c[0] for c in row[0]] for row in d] for d in self.data if isinstance(d, list)]
        for table in self.tables + rest:
            for row in table:
                if row[:1 + len(more)] == [first, *more]:
                    return row
        raise AssertionError(f"no row {first} {more}")

    def figure(self, kind, has):
        return next(d for d in self.data if isinstance(d, dict) and d.get("kind") == kind and has in d)


def number(text):
    return float(text.replace("\u202f", "").replace("\u2212", "-"))


class WithFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="report"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def page(self, *arguments):
        out = self.folder / "page.html"
        ended = inputs.report([*arguments, "-o", out])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return out.read_text(encoding="utf-8")


class Pages(WithFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.results = inputs.results(cls.folder)
        inputs.study(cls.folder / "study", 300)
        cls.results["study"] = cls.folder / "study"
        cls.everything = [*cls.results.values()]

    def summary(self, name):
        return json.loads((self.results[name] / "summary.json").read_text(encoding="utf-8"))

    def test_a_page_of_everything_is_valid_html_and_fetches_nothing(self):
        text = self.page(*self.everything)
        html5lib.HTMLParser(strict=True).parse(text)
        found = Page(text)
        for tag, attributes in found.attributes:
            for name in ("src", "href", "srcset", "data", "poster", "action", "style", "onclick", "onerror"):
                value = attributes.get(name)
                self.assertTrue(value is None or value == "data:," or value.startswith("#"), (tag, name, value))
        style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
        self.assertNotRegex(style, r"url\(|@import")
        policy = next(a["content"] for t, a in found.attributes if a.get("http-equiv") == "Content-Security-Policy")
        self.assertTrue(policy.startswith("default-src 'none';"))
        self.assertNotIn("unsafe", policy)
        ids = [a["id"] for _, a in found.attributes if "id" in a]
        self.assertEqual(len(ids), len(set(ids)))

    def test_a_study_over_two_parameters_has_a_heat_map_of_each_value(self):
        content = inputs.study(self.folder / "two", 12)
        for point in content["points"]:
            n = point["number"]
            point.update(status="done", reason="", feasible=True, pareto=n < 3, parameters={"qps": 2 ** (n % 4), "rto": f"{n // 4} ms"},
                         values={"goodput": 10.0 * n, "map_ram": 7, "p99": None if n == 5 else 1.5 * n})
        content.update(pareto=[0, 1, 2], chosen=1, parameters=[{"name": "qps", "unit": ""}, {"name": "rto", "unit": ""}])
        (self.folder / "two/study.json").write_text(json.dumps(content), encoding="utf-8")
        found = Page(self.page(self.folder / "two"))
        heats = [d for d in found.data if isinstance(d, dict) and d.get("kind") == "heat"]
        self.assertEqual([h["legend_title"] for h in heats], ["goodput, Gbps", "p99, us"])  # map_ram is the same everywhere
        goodput, p99 = heats
        self.assertEqual((goodput["rows"], goodput["columns"]), (["0 ms", "1 ms", "2 ms"], ["1", "2", "4", "8"]))
        self.assertEqual(goodput["labels"][1], ["40", "50", "60", "70"])
        self.assertEqual((goodput["range"], goodput["cells"][0][0], goodput["cells"][2][3]), ([0.0, 110.0], 0.0, 1.0))
        self.assertEqual((p99["cells"][1][1], p99["texts"][1][1], p99["labels"][1][1]), (None, None, ""))
        # The legend counts the front as the text does.
        names = {s["name"] for d in found.data if isinstance(d, dict) for s in d.get("series", [])}
        self.assertIn("Pareto front (3)", names)
        self.assertIn("3 on the Pareto front", found.text)
        self.assertFalse(any(d.get("kind") == "heat" for d in Page(self.page(self.results["study"])).data if isinstance(d, dict)))

    def test_names_of_users_stay_text(self):
        inputs.hostile_study(self.folder / inputs.NAME.replace("/", ""))
        text = self.page(self.results["hostile"], self.folder / inputs.NAME.replace("/", ""), "--title", inputs.NAME)
        self.assertNotIn("<img", text)
        self.assertNotIn("<b onclick", text)
        self.assertEqual(text.count("</script>"), text.count("<script"))
        found = Page(text)
        self.assertIn(inputs.NAME, found.text)
        self.assertIn(f"p:{inputs.NAME}", next(d for d in found.data if "study1" in d)["study1"]["rows"]["dominated"])

    def test_the_same_results_give_the_same_bytes_wherever_they_are(self):
        once = self.page(*self.everything)
        with tempfile.TemporaryDirectory() as other:
            copies = []
            for result in self.everything:
                copies.append(pathlib.Path(other) / result.name)
                shutil.copytree(result, copies[-1])
            self.assertEqual(once, self.page(*copies))

    def test_a_run_shows_its_numbers(self):
        summary = self.summary("messages")
        found = Page(self.page(self.results["messages"]))
        self.assertIn(f"{summary['packets']['delivered']:,}".replace(",", "\u202f") + " delivered", found.text)
        self.assertIn("incast of 50 flows", found.text)
        for name in ("fct.mean", "queries.qct_p99", "senders.goodput"):
            shown = found.row(name, summary["results"][name]["unit"])[2]
            self.assertAlmostEqual(number(shown) / summary["results"][name]["value"], 1, delta=1e-3)
        # The distribution is of the messages that the run's own percentiles are of.
        percentiles = found.row("completion time", "us")
        self.assertEqual(number(percentiles[2]), summary["results"]["fct.completed"]["value"])
        for column, name in ((4, "mean"), (5, "p50"), (7, "p99"), (8, "p99_9"), (9, "max")):
            self.assertAlmostEqual(number(percentiles[column]) / summary["results"][f"fct.{name}"]["value"], 1, delta=1e-3)
        self.assertEqual(found.row("nic.transport"), ["nic.transport", "irn"])

    def test_a_verdict_that_is_not_complete_is_a_warning(self):
        bad = self.folder / "stuck"
        shutil.copytree(self.results["run"], bad)
        summary = self.summary("run")
        summary["verdict"] = "stuck"
        (bad / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
        text = self.page(bad)
        self.assertIn('class="card bad"', text)
        self.assertIn("stuck: no progress", text)

    def test_series_have_their_mean_and_extremes(self):
        found = Page(self.page(self.results["messages"]))
        with open(self.results["messages"] / "series.csv", encoding="utf-8", newline="") as file:
            rows = [r for r in csv.DictReader(file) if r["quantity"] == "delivered_rate"]
        silent = {r["object"] for r in rows} - {r["object"] for r in rows if float(r["value"])}
        spec = next(d for d in found.data if isinstance(d, dict) and d.get("kind") == "xy" and d["y"]["title"] == "Delivered rate")
        line = spec["series"][0]["data"]
        self.assertEqual(len(line["x"]), len({r["time_us"] for r in rows}))
        for i, time_us in enumerate(sorted({float(r["time_us"]) for r in rows})):
            self.assertAlmostEqual(line["x"][i], time_us, delta=1e-3 * time_us)
            now = [float(r["value"]) for r in rows if float(r["time_us"]) == time_us and r["object"] not in silent]
            self.assertAlmostEqual(line["y"][i], statistics.fmean(now), delta=1e-3)
            self.assertAlmostEqual(line["low"][i], min(now), delta=1e-3)
            self.assertAlmostEqual(line["high"][i], max(now), delta=1e-3)

    def test_a_sweep_has_its_points_and_published_marks(self):
        summary = self.summary("sweep")
        found = Page(self.page(self.results["sweep"]))
        self.assertNotIn("have no folder", found.text)
        every = next(t for t in found.tables if len(t[0]) == 2 + len(summary["rows"]["sweep"]))
        for row, column in zip(summary["rows"]["sweep"], range(2, 12)):
            point = self.results["sweep"] / "points" / row["NACKs passed"].replace("/", "_") / "summary.json"
            sent = json.loads(point.read_text(encoding="utf-8"))["results"]["senders.data_packets"]["value"]
            self.assertEqual(number(next(r for r in every if r[0] == "senders.data_packets")[column]), sent)
            shown = found.row(row["NACKs passed"])
            self.assertAlmostEqual(number(shown[3]), row["goodput ratio"], delta=1e-4)
        spec = next(d for d in found.data if d.get("kind") == "xy" and d["y"]["title"] == "TX/line")
        marks = spec["series"][1]
        self.assertEqual((marks["mark"], marks["data"]["x"], marks["data"]["y"]), ("published", ["1", "0"], [0.5, 1]))
        entry = summary["validation"][0]
        shown = found.row(entry["id"])
        self.assertIn(f"{entry['measured'] / entry['published']:.3f}", shown)
        self.assertIn(entry["kind"], shown)

    def test_a_size_has_its_stages(self):
        pipeline = self.summary("size")["pipelines"][0]
        found = Page(self.page(self.results["size"]))
        spec = found.figure("heat", "legend_title")
        row = spec["rows"].index("Map RAM blocks")
        each = pipeline["resources"]["map_ram"]["capacity"] / pipeline["stages_used"]
        used = [round(share * each) for share in spec["cells"][row]]
        self.assertEqual(used, [s["map_ram"] for s in pipeline["by_stage"]])
        self.assertEqual(sum(used), pipeline["resources"]["map_ram"]["used"])
        self.assertIn("VLIW words", spec["rows"])  # as `horae size` calls them in its text
        self.assertIn(f"{pipeline['stages_used']} of {pipeline['stages']} stages of tofino2", found.text)

    def test_the_price_of_a_source_has_its_lines(self):
        pipeline = self.summary("source")["pipelines"][0]
        found = Page(self.page(self.results["source"]))
        for o in pipeline["objects"]:
            line = f"sketch.p4:{o['place'].split(':')[-2]}"
            self.assertEqual(found.row(o["name"])[1], line)
            self.assertIn(line, str(found.figure("heat", "classes")["texts"]))
        self.assertIn(f"takes {pipeline['chain']['stages']} stages", found.text)
        for link in pipeline["chain"]["links"]:
            self.assertIn(link.replace("`", ""), found.text)

    def test_what_does_not_fit_is_said_first(self):
        summary = self.summary("refused")
        found = Page(self.page(self.results["refused"]))
        self.assertIn("does not fit", found.text)
        refused = summary["refused"][0]
        shown = found.row(refused["object"])
        self.assertEqual([number(shown[3]), number(shown[4]), number(shown[5])],
                         [refused["need"], refused["have"], refused["need"] - refused["have"]])
        for change in summary["remedies"][0]:
            self.assertIn(change["key"], found.text)

    def test_a_nic_and_a_curve(self):
        found = Page(self.page(*(self.results[n] for n in ("nic", "curve"))))
        nic = self.summary("nic")["nics"][0]
        self.assertEqual(number(found.row("total")[4]), nic["used_bytes"])
        curve = self.summary("curve")
        for point in curve["points"]:
            shown = found.row(point["at"]["tor.program.window"], point["at"]["tor.program.paths"]) \
                if curve["axes"][0]["key"] == "tor.program.window" else \
                found.row(point["at"]["tor.program.paths"], point["at"]["tor.program.window"])
            self.assertEqual(number(shown[2]), point["value"])

    def test_an_explanation_says_what_was_not_found(self):
        found = Page(self.page(self.results["explain"]))
        rows = self.summary("explain")["rows"]["infer"]
        self.assertEqual({r["hypothesis"]: r["standing"] for r in rows}, {"H4.lock": "not found", "H3.priority": "impossible"})
        for row in rows:
            shown = found.row(str(row["rank"]), row["hypothesis"])
            self.assertIn(row["verdict"], shown[6])
        self.assertIn("No point of any of 2 hypotheses agrees with the published numbers. Not found, which a longer search may "
                      "find: H4.lock. Excluded or impossible: H3.priority.", found.text)

    def test_an_explanation_begins_with_what_holds(self):
        by_id = {"A": "consistent", "B": "not found", "C": "excluded", "D": "consistent", "E": "impossible"}
        good, text = explain_view.conclusion({i: {"standing": s} for i, s in by_id.items()}, list("DABCE"))
        self.assertEqual(good, ["D", "A"])
        self.assertEqual(text, "2 of 5 hypotheses agree with the published numbers somewhere in their space: D; A. Not found, which a "
                               "longer search may find: B. Excluded or impossible: C; E.")
        self.assertNotIn("ound", explain_view.conclusion({"A": {"standing": "consistent"}}, ["A"])[1])

    def test_what_is_counted_once_is_among_the_facts(self):
        facts = dict(explain_view.asked_facts({"counted_once": [{"id": "tx", "again": ["tx2", "tx3"]}]}))
        self.assertEqual(facts["counted once"], "tx, said again as tx2, tx3")
        self.assertNotIn("counted once", dict(explain_view.asked_facts({"counted_once": []})))

    def test_several_results_are_set_beside_each_other(self):
        other = self.folder / "other_window"
        inputs.horae(other, [*inputs.RESULTS["run"], "--set", "nic.reliability.window=256"])
        text = self.page(self.results["run"], other)
        found = Page(text)
        self.assertEqual(found.row("nic.reliability.window")[1:], ["512", "256"])
        differing = re.findall(r'<tr class="differs">\s*<td[^>]*>([^<]*)', text)
        self.assertEqual(differing, ["nic.reliability.window"])
        self.assertEqual(len(found.row("senders.goodput", "Gbps")), 5)

    def test_sweeps_over_the_same_points_share_figures(self):
        other = self.folder / "mtu_2048"
        inputs.horae(other, [*inputs.RESULTS["sweep"], "--set", "nic.mtu=2KiB"])
        found = Page(self.page(self.results["sweep"], other))
        spec = next(d for d in found.data if d.get("kind") == "xy" and d["y"]["title"] == "TX/line")
        self.assertEqual([s["name"] for s in spec["series"]], ["sweep", "mtu_2048", "published"])
        rows = json.loads((other / "summary.json").read_text(encoding="utf-8"))["rows"]["sweep"]
        for row, y in zip(rows, spec["series"][1]["data"]["y"]):
            self.assertAlmostEqual(row["TX/line"], y, delta=1e-5)

    def test_a_study_is_read_as_explore_writes_it(self):
        study = json.loads((self.results["explored"] / "study.json").read_text(encoding="utf-8"))
        found = Page(self.page(self.results["explored"]))
        self.assertIn("6 points", found.text)
        every = next(t for t in found.tables if t[0][-1] == "reason" and t[0][0] == "point")
        self.assertEqual(every[0][1:5], ["qps", "paths", "map_ram, blocks", "stages"])
        for point, row in zip(study["points"], every[1:]):
            self.assertEqual([int(row[0]), number(row[1]), number(row[2])],
                             [point["number"], point["parameters"]["qps"], point["parameters"]["paths"]])
            if point["status"] == "done":
                self.assertEqual(number(row[3]), point["values"]["map_ram"])
        self.assertEqual([r[5] for r in every[1:]].count("refused"), 2)

    def test_points_of_a_study_have_pages_of_their_own(self):
        folder = self.folder / "linked"
        folder.mkdir()
        for which in ("all", "front"):
            out = folder / f"{which}.html"
            self.assertEqual(inputs.report([self.results["explored"], "--pages", which, "-o", out]).returncode, 0)
            study = json.loads((self.results["explored"] / "study.json").read_text(encoding="utf-8"))
            wanted = {str(p["number"]) for p in study["points"] if which == "all" or p.get("pareto")}
            pages = folder / f"{which}.points"
            self.assertEqual({p.stem for p in pages.iterdir()}, wanted)
            page = Page(out.read_text(encoding="utf-8"))
            linked = {a["href"] for tag, a in page.attributes if tag == "a" and ".points/" in a.get("href", "")}
            self.assertEqual(linked, {f"{which}.points/{n}.html" for n in wanted})
            rows = {n: href for d in page.data if isinstance(d, dict) and "study0" in d for c in d["study0"]["rows"].values()
                    for n, href in zip(c["n"], c.get("page", [])) if href}
            self.assertEqual(rows, {int(n): f"{which}.points/{n}.html" for n in wanted})
            for n in wanted:
                own = Page((pages / f"{n}.html").read_text(encoding="utf-8"))
                self.assertIn(("a", {"href": f"../{which}.html"}), own.attributes)
                self.assertIn(f"point {n}", own.text)
        plain = folder / "plain.html"
        self.assertEqual(inputs.report([self.results["explored"], "-o", plain]).returncode, 0)
        self.assertNotIn(".points/", plain.read_text(encoding="utf-8"))
        self.assertFalse((folder / "plain.points").exists())

    def test_results_say_what_they_mean(self):
        page = Page(self.page(self.results["run"]))
        told = {a["title"] for tag, a in page.attributes if tag == "td" and a.get("title")}
        self.assertIn("what left the ports, preamble and gap included", told)

    def test_a_study_has_its_front_and_its_refusals(self):
        study = json.loads((self.results["study"] / "study.json").read_text(encoding="utf-8"))
        found = Page(self.page(self.results["study"]))
        shared = next(d for d in found.data if "study0" in d)["study0"]
        numbers = {c: rows["n"] for c, rows in shared["rows"].items()}
        self.assertEqual(sorted(numbers["pareto"] + numbers["chosen"]), study["pareto"])
        self.assertEqual(numbers["chosen"], [study["chosen"]])
        self.assertEqual(len(numbers["refused"]), sum(p["status"] == "refused" for p in study["points"]))
        self.assertTrue(all(v is None for v in shared["rows"]["refused"]["v:map_ram"]))
        self.assertIn(f"point {study['chosen']} chosen", found.text)
        front = next(t for t in found.tables if t[0][0] == "point")
        self.assertEqual(sorted(int(r[0]) for r in front[1:]), study["pareto"])
        self.assertEqual(found.row(str(len(numbers["refused"])))[1], "refused")
        self.assertIn("0.800", found.row("b"))


class Big(WithFolder):
    def test_a_hundred_thousand_messages(self):
        folder = self.folder / "big"
        inputs.horae(folder, ["run", "platforms/themis_tor.toml", *inputs.SHORT])
        draw = __import__("random").Random(2)
        times = [math.exp(draw.gauss(3, 1)) for _ in range(100000)]
        with open(folder / "flows.csv", encoding="utf-8", newline="") as file:
            head = next(csv.reader(file))
        with open(folder / "flows.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, head, restval="", lineterminator="\n")
            writer.writeheader()
            for i, t in enumerate(times):
                writer.writerow({"flow": i, "sender": "h0", "receiver": "h1", "size_bytes": 1000 + i % 5000, "first_post_us": 500,
                                 "fct_us": f"{t:.6f}", "slowdown": f"{t / 2:.4f}"})
        begin = time.monotonic()
        text = self.page(folder)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertLess(len(text.encode()), 5e6)
        shown = Page(text).row("completion time", "us")
        times = sorted(round(t, 6) for t in times)
        for column, share in ((5, 0.5), (7, 0.99), (8, 0.999)):
            self.assertAlmostEqual(number(shown[column]) / times[math.ceil(share * len(times)) - 1], 1, delta=1e-3)

    def test_a_study_of_five_thousand_points(self):
        inputs.study(self.folder / "study", 5000)
        begin = time.monotonic()
        text = self.page(self.folder / "study")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertLess(len(text.encode()), 5e6)
        shared = next(d for d in Page(text).data if "study0" in d)["study0"]
        self.assertEqual(sum(len(r["n"]) for r in shared["rows"].values()), 5000)


class Reduced(unittest.TestCase):
    def test_every_point_of_a_distribution_is_one_of_its_own(self):
        values = [(i * 7919) % 100003 for i in range(100003)]
        xs, ys = reduce.distribution(values)
        self.assertLess(len(xs), 300)
        self.assertEqual((xs[0], xs[-1], ys[-1]), (0, 100002, 1))
        for x, y in zip(xs, ys):
            self.assertEqual(y, (x + 1) / 100003)

    def test_a_peak_of_one_sample_is_in_the_envelope(self):
        values = [1.0] * 100000
        values[54321], values[777] = 99.0, -5.0
        times, mean, low, high = reduce.line(list(range(100000)), values)
        self.assertEqual(len(times), reduce.POINTS)
        self.assertEqual((max(high), min(low)), (99.0, -5.0))
        self.assertLess(max(mean), 2)


class Replays(WithFolder):
    def test_a_replay_shows_its_traces_and_not_the_platforms_traffic(self):
        folder = self.folder / "replay"
        folder.mkdir()
        summary = {"schema": 1, "platform": "x", "verdict": "complete", "results": {}, "packets": {}, "sim_time_ps": 1,
                   "config": {"traffic": [{"kind": "messages", "size": "64 KiB"}]}, "replay": {"device": "leaf0"},
                   "rows": {"kinds": [{"port": 0, "trace": "traces/loss.pcap", "roce": 255}]}}
        (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
        page = self.page(folder)
        text = Page(page).text
        self.assertIn("traces/loss.pcap into port 0 of leaf0", text)
        self.assertNotIn("messages size 64 KiB", text)
        self.assertIn('<span class="kind-of">replay</span>', page)
        del summary["rows"], summary["replay"]
        (folder / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
        self.assertIn("messages size 64 KiB", Page(self.page(folder)).text)


class Refuses(WithFolder):
    def refuses(self, arguments, *words):
        out = self.folder / "kept.html"
        out.write_text("before", encoding="utf-8")
        ended = inputs.report([*arguments, "-o", out])
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        for word in words:
            self.assertIn(word, ended.stderr)
        self.assertEqual(out.read_text(encoding="utf-8"), "before")
        self.assertEqual([p.name for p in self.folder.iterdir() if ".part" in p.name], [])

    def result(self, text, name="summary.json"):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (folder / name).write_text(text, encoding="utf-8")
        return folder

    def test_bad_input_is_one_line(self):
        (self.folder / "results").mkdir()
        self.refuses([self.folder / "result"], "no such folder", f"did you mean '{self.folder}/results'")
        self.refuses([self.folder / "results"], "no summary.json")
        self.refuses([self.result('{"schema": 1,\n  "platform" 3}')], "summary.json:2:14", "expected JSON")
        self.refuses([self.result('{"schema": 1, "x": NaN}')], "NaN")
        self.refuses([self.result("[]")], "found a list")
        self.refuses([self.result('{"schema": 2}')], "found schema 2; expected schema 1")
        self.refuses([self.result('{"platform": "x"}')], 'no "schema"')
        self.refuses([self.result('{"schema": 1}')], "found keys schema")
        self.refuses([self.result('{"schema": 1, "results": {}, "platfrom": "x", "config": {}}')], '"platform"', "platfrom")
        self.refuses([self.result('{"schema": 1, "pipelines": [{}], "refused": []}')], "not as horae writes it")
        run = '{"schema": 1, "platform": "x", "config": {}, "verdict": "complete", "results": {}, "packets": {}, "rows": '
        self.refuses([self.result(run + '{"sweep": [1]}}')], '"rows.sweep"', "expected a list of objects")
        self.refuses([self.result('{"schema": 1, "x": 1e999}')], "found 1e999")
        self.refuses([self.result('{"schema": 1, "study": "x"}', "study.json")], '"parameters"', "found none")
        self.refuses([self.result('{"schema": 1, "study": "x", "parameters": [], "objectives": [], "points": [3]}', "study.json")],
                     "points[0]")
        self.refuses([self.result("{" * 100000)], "expected JSON")

    def test_bad_tables_are_one_line(self):
        summary = json.dumps({"schema": 1, "platform": "x", "config": {}, "verdict": "complete", "results": {}, "packets": {}})
        bad = self.result(summary)
        head = "flow,sender,receiver,fct_us,slowdown,size_bytes,first_post_us\n"
        (bad / "flows.csv").write_text(head + "0,a,b,1,2,3,4\n1,a,b,none,2,3,4\n", encoding="utf-8")
        self.refuses([bad], "flows.csv:3: fct_us: found 'none'; expected a number")
        (bad / "flows.csv").write_text(head + "0,a,b\n", encoding="utf-8")
        self.refuses([bad], "flows.csv:2: found 3 values; expected 7")
        (bad / "flows.csv").write_text(head.replace("fct_us", "fct_ms"), encoding="utf-8")
        self.refuses([bad], "flows.csv:1: no column 'fct_us'; did you mean 'fct_ms'?")

    def test_a_number_that_is_none_of_horaes_is_one_line(self):
        huge = "9" * 400
        run = ('{"schema": 1, "platform": "x", "config": {}, "verdict": "complete", "packets": {}, "sim_time_ps": 1, "results": '
               f'{{"fct.mean": {{"value": {huge}, "unit": "us"}}}}}}')
        self.refuses([self.result(run)], "not as horae writes it", "too large")
        self.refuses([self.result(run), self.result(run)], "not as horae writes it")

    def test_a_place_that_cannot_be_written_is_one_line(self):
        good = self.result('{"schema": 1, "pipelines": [], "refused": []}')
        for out in (self.folder, self.folder / "none" / "page.html"):
            ended = inputs.report([good, "-o", out])
            self.assertEqual((ended.returncode, ended.stderr.count("\n")), (2, 1), ended.stderr)
            self.assertIn("cannot be written", ended.stderr)


if __name__ == "__main__":
    unittest.main()
