#!/usr/bin/python3
"""Parts of scripts/explore in its own process: values of parameters, which point is chosen, results by their paths, units, and the texts of
tables and progress."""
import contextlib
import csv
import io
import pathlib
import random
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from lib.common import files, program, progress, units  # noqa: E402
from lib.explore import execution, outcome, parameter, places, points, ranking, runs, search, slurm, table, variant  # noqa: E402
from lib.common.complaint import Complaint, nearest, printable  # noqa: E402
from lib.explore.outcome import MISSING, Point, find  # noqa: E402
from lib.explore.parameter import Choice, Parameter  # noqa: E402
from lib.explore.study import Figure, Method  # noqa: E402


class Parameters(unittest.TestCase):
    def test_values_at_shares_of_a_range(self):
        def at(*shares, **of):
            p = Parameter("x", ["x"], **of)
            return [p.value_at(s) for s in shares]
        self.assertEqual(at(0, 0.25, 0.99999, low=2, high=10), [2, 4, 10])
        self.assertEqual(at(0, 0.5, 0.99999, low=1, high=100, log=True), [1, 10, 100])
        self.assertEqual(at(0, 0.24, 0.25, 0.5, 0.999, low=3, high=6, integer=True), [3, 3, 4, 5, 6])
        self.assertEqual(at(0, 0.5, 0.999, low=1, high=100, log=True, integer=True), [1, 10, 100])
        self.assertEqual(at(0.123456, low=0, high=1), [0.1235])
        choices = [Choice(v, []) for v in "abcd"]
        self.assertEqual(at(0, 0.24, 0.25, 0.74, 0.75, 1.0, choices=choices), ["a", "a", "b", "c", "d", "d"])
        self.assertEqual(Parameter("x", [], low=1.00004, high=2).settled(1.00001), 1.00004)
        self.assertEqual(Parameter("x", [], low=1, high=2).settled(2.5), 2)

    def test_rounded_and_as_texts(self):
        for value, digits, shown in ((1234567, 4, 1235000), (0.00012345, 4, 0.0001234), (2.0, 4, 2), (1e15, 4, 1e15),
                                     (0.1 + 0.2, 12, 0.3)):
            self.assertEqual(parameter.rounded(value, digits), shown)
        self.assertIsInstance(parameter.rounded(2.0), int)
        self.assertIsInstance(parameter.rounded(1e15), float)
        for value, unit, text in ((True, "us", "true"), (False, "", "false"), ("x", "us", "x"), (5, "us", "5 us"),
                                  (5.5, "", "5.5")):
            self.assertEqual(parameter.text_of(value, unit), text)

    def test_steps_and_spreads(self):
        self.assertEqual(parameter.steps(0, 1, 0.1), [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1])
        self.assertEqual((parameter.steps(1, 4.9, 2), parameter.steps(5, 5, 1)), ([1, 3], [5]))
        self.assertEqual(parameter.spread(1, 1000, 4, True, False), [1, 10, 100, 1000])
        self.assertEqual(parameter.spread(0, 3, 4, False, False), [0, 1, 2, 3])
        self.assertEqual(parameter.spread(1, 3, 9, False, True), [1, 2, 3])
        self.assertEqual(len(parameter.spread(1, 1_000_000, 1000, False, False)), 1000)
        for make in (lambda: parameter.steps(0, 1e6, 1), lambda: parameter.spread(0, 1, 1_000_001, False, False)):
            with self.assertRaisesRegex(ValueError, "1000001 values, expected 1000000 at most"):
                make()
        self.assertEqual(len(parameter.steps(1, 1e6, 1)), 1_000_000)

    def test_of_choices_only_these(self):
        known = [Choice(1, [("k", "1 us")]), Choice(2, [("k", "2 us")])]
        p = Parameter("x", ["k", "l"], "us", choices=list(known), known=list(known))
        p.restrict(["2", 7])
        self.assertEqual([(c.value, c.sets) for c in p.choices], [(2, [("k", "2 us")]), (7, [("k", "7 us"), ("l", "7 us")])])
        self.assertEqual([c.value for c in p.known], [1, 2, 7])
        self.assertEqual((p.sets(1), p.sets(9), p.choice(True)), ([("k", "1 us")], [("k", "9 us"), ("l", "9 us")], None))
        flags = [Choice(True, []), Choice(1, [])]
        both = Parameter("x", [], choices=flags, known=flags)
        self.assertIs(both.choice(1), flags[1])
        self.assertIs(both.choice(True), flags[0])
        labels = [Choice("full", []), Choice("half", [])]
        with self.assertRaisesRegex(ValueError, "found 'ful', did you mean 'full'"):
            Parameter("x", [], choices=labels, known=labels).restrict(["ful"])
        with self.assertRaisesRegex(ValueError, "'x' has a range"):
            Parameter("x", ["k"]).restrict([1])
        ordered = [Parameter("x", [], choices=[Choice(v, []) for v in values]).ordered for values in ((1, 2.5), (1, True),
            ("a", 1))]
        self.assertEqual((ordered, Parameter("x", []).ordered), ([True, False, False], True))


def objective(name, direction="min"):
    return types.SimpleNamespace(name=name, direction=direction, unit="", result=name)


def study(*objectives, choose="knee", of=None):
    return types.SimpleNamespace(objectives=list(objectives), choose=choose, choose_objective=of, figures=list(objectives),
                                 parameters=[Parameter("x", ["x"], "us")], published=[])


def done(number, feasible=True, **values):
    return Point(number, {"x": number}, [], status="done", values=values, feasible=feasible)


class Ranking(unittest.TestCase):
    def test_the_front_is_what_nothing_beats(self):
        rng = random.Random(3)
        told = study(objective("a"), objective("b", "max"))
        for _ in range(40):
            some = [done(i, rng.random() < 0.8, a=rng.randint(0, 4), b=rng.randint(0, 4)) for i in range(9)]
            front = ranking.mark_front(told, some)
            for p in some:
                beaten = any(q.feasible and q.values["a"] <= p.values["a"] and q.values["b"] >= p.values["b"]
                             and q.values != p.values for q in some)
                self.assertEqual(p.pareto, p.feasible and not beaten)
            self.assertEqual(front, [p.number for p in some if p.pareto])
        none = done(1, a=None, b=1)
        self.assertEqual((ranking.mark_front(told, [none, done(2, a=9, b=0)]), ranking.signed(told, none),
                          ranking.signed(told, done(3, a=1, b=2))), ([2], None, [1, -2]))

    def test_the_knee_and_the_best(self):
        told = study(objective("a"), objective("b", "max"))
        some = [done(0, a=0, b=0), done(1, a=2, b=9), done(2, a=10, b=10)]
        ranking.mark_front(told, some)
        self.assertEqual(ranking.choose(told, some)[0], 1)
        for name, direction, number, way in (("a", "min", 0, "smallest a of the feasible points"),
                                             ("b", "max", 2, "largest b of the feasible points")):
            best = study(objective("a"), objective("b", "max"), choose="best", of=name)
            self.assertEqual(ranking.choose(best, some), (number, way), direction)
        equal = [done(5, a=1, b=1), done(3, a=1, b=1)]
        ranking.mark_front(told, equal)
        self.assertEqual(ranking.choose(told, equal)[0], 3)
        self.assertEqual(ranking.choose(told, [done(1, False, a=1, b=1)]), (None, "no feasible point has all objectives"))
        scaled = [done(0, a=0, b=0), done(1, a=600, b=0.5), done(2, a=1000, b=1)]  # each by its own range
        ranking.mark_front(told, scaled)
        self.assertEqual(ranking.choose(told, scaled)[0], 1)


class Results(unittest.TestCase):
    SUMMARY = {"results": {"fct.p99": {"value": 5, "unit": "us", "none": None}, "gone": {"value": None, "none": "all lost"}},
               "packet_hops": 7, "flag": True, "text": "x", "a.b": {"c": 1},
               "pipelines": [{"name": "tor", "stages_used": 4, "resources": {"sram": {"used": 9}}},
                             {"name": "tor.x", "stages_used": 5}], "nics": [{"profile": "cx", "bytes": 3}, 7,
                                                                            {"id": "", "bytes": 4}], "list": [[1, 2], {"v": 8}]}

    def test_by_their_paths(self):
        for path, value in (("fct.p99", 5), ("gone", None), ("packet_hops", 7), ("flag", True),
                            ("pipelines.tor.stages_used", 4), ("pipelines.tor.resources.sram.used", 9),
                            ("pipelines[1].stages_used", 5),
                            ("pipelines.[1].stages_used", 5), ("nics.cx.bytes", 3), ("nics[2].bytes", 4), ("list[1].v", 8),
                            ("list[0][1]", 2), ("a.b.c", 1)):
            self.assertEqual(find(self.SUMMARY, path), value, path)
        for path in ("text", "nothing", "pipelines", "pipelines.core.stages_used", "pipelines[2].stages_used", "nics[1].bytes",
                     "packet_hops.x", "list[0][2]", "nics.cx", "fct.p9"):
            self.assertIs(find(self.SUMMARY, path), MISSING, path)
        self.assertEqual((outcome.unit_of(self.SUMMARY, "fct.p99"), outcome.unit_of(self.SUMMARY, "packet_hops"),
                          outcome.why_none(self.SUMMARY, "gone")), ("us", None, "all lost"))
        self.assertEqual(outcome.paths(self.SUMMARY | {"nics": [{"profile": "cx", "bytes": 3, "name": "x", "fits": True}]}),
                         ["fct.p99", "gone", "pipelines.tor.stages_used", "pipelines.tor.resources.sram.used",
                          "pipelines.tor.x.stages_used", "nics.cx.bytes", "nics.cx.fits"])

    def test_numbers_of_json(self):
        for value, found in ((True, 1), (2.5, 2.5), (3, 3), (float("inf"), None), (float("nan"), None), (-float("inf"), None),
                             ("x", None), (None, None)):
            self.assertEqual(outcome.number(value), found)

    def test_what_runs_left(self):
        def run(**more):
            return (None, {"packets": {"dropped": {"queue": 2, "loss": 1}}, "results": {"fct.unfinished": {"value": 4},
                "schedules.unfinished": {"value": 5}, "senders.timeouts": {"value": 7}}, **more})
        self.assertEqual(outcome.losses([run()]), (9, 3, 7))
        self.assertEqual(outcome.losses([run(), (None, None), (None, {"pipelines": []}),
                                         run(results={}, rows={"groups": [{"cct_us": None}, {"cct_us": 5}, {}]})]), (11, 6, 7))
        self.assertEqual(outcome.losses([(None, None), (None, {})]), (None, None, None))

    def test_why_a_run_ended_so(self):
        def why(code, stderr="", killed=None, summary=None):
            return outcome.reason_of({"exit": code, "signal": killed, "stderr": stderr}, summary)
        self.assertEqual([why(137, killed=9), why(139, killed=11)], ["killed by SIGKILL (out of memory?)", "killed by SIGSEGV"])
        self.assertEqual(why(3, "x", summary={"refused": [{"object": "o", "why": "w"}, {"object": "p", "why": "v"}]}), "o: w")
        self.assertEqual(why(3, "x", summary={"refused": [{"object": "", "why": "w"}]}), "w")
        self.assertEqual(why(3, "x",
                             summary={"nics": [{}, {"profile": "cx", "fits": False, "on_chip_bytes": 5, "capacity_bytes": 4}]}),
                             "cx: 5 B must be on a chip of 4 B")
        self.assertEqual([why(7), why(1, " \n")], ["exit code 7", "exit code 1"])
        self.assertTrue(why(4, "horae: stuck").startswith("no progress: "))
        self.assertEqual(why(4, "horae: no progress at 5").count("no progress"), 1)
        self.assertFalse(why(1, "horae: stuck").startswith("no progress"))

    def test_units(self):
        for found, wanted, times in (("us", "us", 1), ("us", "", 1), ("us", "ms", 1e-3), ("s", "ps", 1e12),
                                     ("Gbps of payload", "Mbps", 1e3), ("KiB", "B", 1024), ("GiB", "MiB", 1024),
                                     ("MB", "KB", 1e3), ("%", "ratio", 0.01), ("share", "%", 100), ("ratio", "x", 1),
                                     ("%", "x", None),
                                     ("us", "Gbps", None), ("packets", "us", None), ("packets", "blocks", 1),
                                     ("Mpps", "Kpps", 1e3), ("B, of data", "byte", 1)):
            got = units.factor(found, wanted)
            self.assertEqual(got is None, times is None, (found, wanted))
            if times is not None:
                self.assertAlmostEqual(got / times, 1, places=9, msg=(found, wanted))
        self.assertEqual(units.scale_of(""), (None, 1))


class Tables(unittest.TestCase):
    def test_values(self):
        for value, text in ((None, "-"), (1.23456, "1.235"), (1234567.8, "1.23457e+06"), (999999.4, "1e+06"), (5, "5"),
                            (True, "true"), ("x", "x"), (-2345678.0, "-2.34568e+06")):
            self.assertEqual(table.brief(value), text)
        self.assertEqual([table.plain(v) for v in (None, "x", 0.25, 5, False)], ["", "x", "0.25", "5", "false"])
        self.assertEqual((table.titled("a", "us"), table.titled("a", "")), ("a (us)", "a"))
        self.assertEqual(table.lines_of([["a", "bb"], ["ccc", ""]], 1), ["a    bb", "-------", "ccc"])
        self.assertEqual(table.lines_of([["a", "bb"], ["ccc", "d"]], 0), ["  a  bb", "-------", "ccc   d"])

    def report(self, some, chosen=None, **more):
        told = study(objective("a"), objective("b", "max"))
        return table.report(told, some, {"chosen": chosen, "chosen_why": "why", "pareto": [p.number for p in some if p.pareto],
                                         "published": [], **more}, "out").splitlines()

    def test_the_best_twelve_in_their_order(self):
        some = [done(i, a=20 - i, b=i) for i in range(14)] + [done(14, False, a=0, b=0), done(15, a=1, b=99)]
        some[3].pareto = some[15].pareto = True
        lines = self.report(some, 3)
        self.assertEqual([line.split()[0] for line in lines[2:14]], ["3", "15", "13", "12", "11", "10", "9", "8", "7", "6", "5",
                                                                     "4"])
        self.assertEqual(lines[0].split(), ["point", "x", "(us)", "a", "b"])
        self.assertEqual((lines[2].split()[-1], lines[3].split()[-1], len(lines[4].split())), ("chosen", "Pareto", 4))
        self.assertEqual(lines[14:], ["... and 4 more", "", "16 done; 15 feasible, 2 on the Pareto front",
                                      "chosen: point 3, why", "results in out"])
        few = self.report([done(1, False, a=1, b=1)])
        self.assertEqual((few[2].split()[-1], few[-2]), ("infeasible", "none chosen: why"))

    def test_losses_and_reasons(self):
        bad = [Point(i, {"x": i}, [], status=s, reason=r, values={"a": None, "b": None}) for i, s,
               r in ((1, "refused", "need 5, have 4"), (2, "refused", "need 15.5, have 4"), (3, "failed", "stuck"),
                     (4, "pending", ""), (5, "refused", "other"))]
        odd = done(6, False, a=1, b=None)
        odd.lacks = odd.reason = "no b"
        left = done(0, a=1, b=2)
        left.unfinished, left.lost, left.timeouts, left.reason = 3, 4, 5, "no c"
        lines = self.report([left, odd, *bad], published=[{"id": "p", "published": 2.0, "measured": None, "unit": "us",
                                                           "source": "s"}])
        self.assertEqual(lines[0].split()[-3:], ["unfinished", "lost", "timeouts"])
        self.assertEqual(lines[2].split(), ["0", "0", "1", "2", "3", "4", "5"])
        self.assertEqual(lines[5:], ["2 done, 3 refused, 1 failed, 1 pending; 1 feasible, 0 on the Pareto front",
                                     "  refused: 2 points, such as 1: need 5, have 4", "  refused: point 5: other",
                                     "  failed: point 3: stuck", "  infeasible: point 6: no b",
                                     "  done: point 0: no c", "none chosen: why", "  p: published 2, ours - us  [s]",
                                     "results in out"])
        self.assertEqual([table.said_of(p) for p in (left, odd, bad[2])], ["done", "infeasible", "failed"])

    def test_points_as_a_table(self):
        p = done(3, a=0.25, b=None)
        p.lost, p.reason = 4, "x, y"
        p.made = [(types.SimpleNamespace(config_hash="h1"), {}), (types.SimpleNamespace(config_hash="h2"), {})]
        rows = list(csv.reader(io.StringIO(table.points_csv(study(objective("a"), objective("b")),
                                                            [p, Point(4, {"x": "w"}, [], values={"a": 1, "b": 2})]))))
        self.assertEqual(rows, [["number", "x", "status", "feasible", "pareto", "a", "b", "unfinished", "lost", "timeouts",
                                 "config_hash", "reason"], ["3", "3", "done", "1", "0", "0.25", "", "", "4", "", "h2", "x, y"],
                                ["4", "w", "pending", "0", "0", "1", "2", "", "", "", "", ""]])

    def test_published_numbers_at_their_points(self):
        published = types.SimpleNamespace(unit="", figure="a", at={"x": 3}, id="p", value=2, source="s", kind="predicted")
        found = table.published_json(published, study(objective("a")), [done(1, a=5), done(3, a=6)])
        self.assertEqual((found["measured"], found["point"], found["unit"]), (6, 3, ""))
        self.assertEqual([table.published_json(published, study(objective("a")), [done(1, a=5)])[k]
                          for k in ("measured", "point")], [None, None])


class Progress(unittest.TestCase):
    def shown(self, terminal, *calls):
        stream = io.StringIO()
        stream.isatty = lambda: terminal
        clock = [100.0]
        with mock.patch.object(progress.time, "monotonic", lambda: clock[0]):
            p = progress.Progress(True, stream)
            for at, done_, of, running, *more in calls:
                clock[0] = 100.0 + at
                p.show(done_, of, running, **(more[0] if more else {}))
        return stream.getvalue()

    def test_a_line_now_and_then(self):
        text = self.shown(False, (0, 2, 10, 1), (30, 3, 10, 1), (30.5, 4, 10, 2, {"more": ", 1 refused"}), (31, 9, 10, 1),
                          (31, 10, 10, 0, {"final": True}))
        self.assertEqual(text.splitlines(), ["2 of 10 points, 1 running, 0 s",
                                             "4 of 10 points, 2 running, 1 refused, 30 s, 91 s left",
                                             "10 of 10 points, 0 running, 31 s"])

    def test_a_terminal_has_one_line(self):
        text = self.shown(True, (0, 0, 4, 1), (0.1, 1, 4, 1), (0.3, 2, 4, 1), (1, 4, 4, 0, {"final": True}))
        self.assertEqual(text,
                         "\r0 of 4 points, 1 running, 0 s\033[K\r2 of 4 points, 1 running, 0 s, 0 s left\033[K\r4 of 4 points, 0 running, 1 s\033[K\n")
        silent = io.StringIO()
        progress.Progress(False, silent).show(1, 2, 0, final=True)
        self.assertEqual(silent.getvalue(), "")

    def test_durations(self):
        self.assertEqual([progress.duration(s) for s in (0, 119.9, 120, 7199, 7200, 9000)], ["0 s", "119 s", "2 min", "119 min",
            "2.0 h", "2.5 h"])


class Texts(unittest.TestCase):
    def test_places_of_keys(self):
        text = 'a = 1\n[[p]]\nname = "x]"\n  values = [ # [\n  1, 2]\n"odd key" = 3\n[[p]]\nb.c = 4\n[t.u] # x\nv = { w = 1 }\n'
        found = places.Places("f", text)
        for path, place in (((), "f:1:1"), (("a",), "f:1:1"), (("p",), "f:2:1"), (("p", 0), "f:2:1"),
                            (("p", 0, "values"), "f:4:3"), (("p", 0, "odd key"), "f:6:1"), (("p", 1), "f:7:1"),
                            (("p", 1, "b", "c"), "f:8:1"), (("t", "u", "v", "w"), "f:10:1"), (("t", "u"), "f:9:1"),
                            (("p", 1, "zzz"), "f:7:1")):
            self.assertEqual(found.text(path), place, path)

    def test_places_in_texts_stand_for_constants(self):
        self.assertEqual(variant.filled({"a": ["${x}", "n${x * 2}s", 5]}, {"x": 3}), {"a": [3, "n6s", 5]})
        self.assertEqual([variant.typed(t) for t in ("3", "3.5", "x", None)], [3, 3.5, "x", None])
        self.assertEqual((variant.shown(0.1 + 0.2), variant.shown(7)), ("0.3", "7"))
        for text, what in (("${y}", "unknown constant 'y'"), ("${x / 0}", "has no value")):
            with self.assertRaisesRegex(ValueError, what):
                variant.filled(text, {"x": 3})

    def test_what_breaks_a_line_is_written_out(self):
        self.assertEqual(printable("a\nb\u2028\xe9"), "a\\x0ab\\u2028\xe9")
        self.assertEqual(str(Complaint("a\x7f")), "a\\x7f")
        self.assertEqual((nearest("ab", ["abc", "x"]), nearest("q", ["x", 1]), nearest("q", [])),
                         (", did you mean 'abc'?", "; expected one of x, 1", ""))


class Files(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def test_whole_or_not_at_all(self):
        path = self.folder / "a.json"
        files.write_json(path, {"a": "\xe9"})
        self.assertEqual((path.read_text(encoding="utf-8"), files.read_json(path)), ('{\n "a": "\xe9"\n}\n', {"a": "\xe9"}))

        def fails(file):
            file.write(b"half")
            raise OSError("full")
        with self.assertRaises(OSError):
            files.put_whole(path, fails)
        self.assertEqual((files.read_json(path), [p.name for p in self.folder.iterdir()]), ({"a": "\xe9"}, ["a.json"]))
        self.assertEqual((files.read_json(self.folder / "none"), files.digest(self.folder / "none"), len(files.digest(path))),
                         (None, None, 64))
        path.write_text("{")
        self.assertIsNone(files.read_json(path))

    def test_what_dead_processes_left_goes(self):
        host = files.socket.gethostname()
        for name in (f".a.{host}.999999999.part", f".a.{host}.1.part", f".a.{host}.word.part", ".a.other.999999999.part",
                     f".b.{host}.999999999.part"):
            (self.folder / name).write_text("x")
        files.write_whole(self.folder / "a", "y")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()),
                         sorted(["a", f".a.{host}.1.part", f".a.{host}.word.part", ".a.other.999999999.part",
                                 f".b.{host}.999999999.part"]))

    def test_a_run_of_a_command(self):
        program = types.SimpleNamespace(identity="i", path="p", version="v")
        command = types.SimpleNamespace(kind="size", objects=False, point=None, options=["--chip", "x"])
        run = runs.make_run(program, command, [("a", 1)], "h", "f.toml")
        self.assertEqual(run.arguments, ["size", "f.toml", "--set", "a=1", "--chip", "x", "--no-progress", "--no-remedies"])
        self.assertEqual(len(run.key), 40)
        for change, arguments in (({"kind": "run", "point": "1/2"}, ["run", "f.toml", "--point", "1/2", "--set", "a=1",
                                                                     "--chip", "x", "--no-progress"]),
                                                                     ({"kind": "explain"}, ["explain", "f.toml", "--set", "a=1",
                                                                         "--chip", "x", "--no-progress", "--jobs", "1"]),
                                  ({"objects": True}, ["size", "--objects", "f.toml", "--set", "a=1", "--chip", "x",
                                                       "--no-progress", "--no-remedies"])):
            self.assertEqual(runs.make_run(program, types.SimpleNamespace(**{**vars(command), **change}), [("a", 1)], "h",
                                           "f.toml").arguments, arguments)
        keys = {runs.make_run(p, c, [], h, "f").key
                for p in (program, types.SimpleNamespace(**{**vars(program), "identity": "j"}))
                for c in (command, types.SimpleNamespace(**{**vars(command), "options": []})) for h in "gh"}
        self.assertEqual(len(keys), 8)


class Points(unittest.TestCase):
    def test_a_grid_without_what_is_skipped_or_twice(self):
        told = types.SimpleNamespace(file="s.toml",
                                     skips=[types.SimpleNamespace(expression=types.SimpleNamespace(value=lambda v: v["x"] == 2))])
        self.assertEqual(points.distinct(told, [{"x": 1}, {"x": 2}, {"x": 1}, {"x": True}, {"x": 1.0}]),
                         [{"x": 1}, {"x": True}, {"x": 1.0}])
        with self.assertRaisesRegex(Complaint, "s.toml: every point is left out by"):
            points.distinct(told, [{"x": 2}])
        self.assertEqual(list(points.product(told, {"x": [1, 2], "y": "ab"})), [{"x": 1, "y": "a"}, {"x": 1, "y": "b"},
            {"x": 2, "y": "a"}, {"x": 2, "y": "b"}])
        points.product(told, {"x": range(1000), "y": range(1000)})
        with self.assertRaisesRegex(Complaint, "a grid of 1001000 points, expected 1000000 at most"):
            points.product(told, {"x": range(1000), "y": range(1001)})
        self.assertEqual((points.taken([1, 2], [2, 3]), points.taken([1, 2], [3])), ([2], [1, 2]))
        self.assertEqual([points.same(*v) for v in (({"a": 1}, {"a": 1}), ({"a": 1}, {"a": True}), ({"a": 1}, {"a": 2}))],
                         [True, False, False])

    def search(self, parameters, *objectives, constraints=(), sampler="tpe", count=6):
        method = types.SimpleNamespace(sampler=sampler, batch=3, points=count, seed=1)
        return search.Search(types.SimpleNamespace(objectives=list(objectives), parameters=parameters,
                                                   constraints=list(constraints), skips=[],
                                                   method=method))

    def test_a_search_goes_where_its_objective_is_better(self):
        for direction, better in (("max", lambda v: v > 5), ("min", lambda v: v < 5)):
            found = self.search([Parameter("x", ["x"], low=0, high=10)], objective("a", direction), count=60)
            last = []
            while asked := found.ask():
                self.assertEqual(len(asked), 3)
                last = asked
                found.tell([done(0, a=v["x"]) for v in asked])
            self.assertTrue(sum(better(v["x"]) for v in last) >= 2, (direction, last))
        two = self.search([Parameter("x", ["x"], low=0, high=10)], objective("a", "max"), objective("b"))
        self.assertEqual([d.name for d in two.trials.directions], ["MAXIMIZE", "MINIMIZE"])

    def test_values_that_a_search_may_propose(self):
        def proposed(**of):
            p = Parameter("x", ["x"], **of)
            found = self.search([p], objective("a"), count=40, sampler="nsga2")
            out = []
            while asked := found.ask():
                out += [v["x"] for v in asked]
                found.tell([None] * len(asked))
            self.assertEqual(len(out), 40)  # the last batch is what is left
            return out
        self.assertEqual(set(proposed(choices=[Choice(v, []) for v in (9, 1, 4)])), {1, 4, 9})
        self.assertEqual(set(proposed(choices=[Choice(v, []) for v in "ba"])), {"a", "b"})
        self.assertEqual(set(proposed(choices=[Choice(7, [])])), {7})
        whole = proposed(low=2, high=5, integer=True)
        self.assertEqual(set(whole), {2, 3, 4, 5})
        logs = proposed(low=1, high=10000, log=True)
        self.assertTrue(all(1 <= v <= 10000 for v in logs) and 8 <= sum(v < 100 for v in logs) <= 32)
        same = [proposed(low=0, high=1) for _ in range(2)]
        self.assertEqual(same[0], same[1])

    def test_what_a_search_is_told(self):
        limit = types.SimpleNamespace(name="b", excess=lambda v: v - 5)
        found = self.search([Parameter("x", ["x"], low=0, high=10)], objective("a"), constraints=[limit])
        found.ask()
        lacking = done(2, a=1, b=1)
        lacking.lacks = "no b"
        found.tell([done(0, a=3, b=7), None, lacking])
        states = [(t.state.name, t.values, t.user_attrs) for t in found.trials.trials]
        self.assertEqual(states,
                         [("COMPLETE", [3.0], {"violations": [2]} | {k: v for k,
                                                                     v in states[0][2].items() if k != "violations"}),
                                  ("FAIL", None, {}), ("FAIL", None, {"violations": [-4]})])
        self.assertEqual((found.asked, found.number), (3, 1))
        found.ask()
        found.tell([done(3, a=None, b=1), Point(4, {}, [], status="failed", values={"a": 1, "b": 1}), done(5, a=2, b=1)])
        self.assertEqual([t.state.name for t in found.trials.trials[3:]], ["FAIL", "FAIL", "COMPLETE"])
        self.assertEqual(found.ask(), [])

    def test_constraints_hold_up_to_their_bounds(self):
        def of(value, **told):
            figure = Figure("f", "r", "here", **told)
            return figure.holds(value), figure.excess(value)
        self.assertEqual([of(v, least=2) for v in (1, 2, 3, None)], [(False, 1), (True, 0), (True, -1), (False, 1.0)])
        self.assertEqual([of(v, most=2) for v in (1, 2, 3)], [(True, -1), (True, 0), (False, 1)])
        self.assertEqual([of(v, least=2, most=4) for v in (1, 3, 6)], [(False, 1), (True, -1), (False, 2)])
        self.assertEqual([of(v, fits=True) for v in (1, 0, None)], [(True, 0), (False, 1), (False, 1.0)])

    def test_what_a_command_needs_to_know(self):
        def asked(more, **command):
            words = []
            told = object.__new__(program.Program)
            def run(arguments, lines=None):
                words.append((arguments, lines))
                return types.SimpleNamespace(returncode=0, stdout='{"config_hash": "h"}\n{"error": "no", "exit": 2}\n',
                                             stderr="")
            told.run = run
            found = told.configs(types.SimpleNamespace(**{"file": pathlib.Path("/f.toml"), "kind": "size", "objects": False,
                                                          "point": None, "options": more, **command}),
                                 [[("a", "1")], [("a", "2"), ("b", "x")]])
            self.assertEqual(list(found), [("h", None), (None, "no")])
            return words[0]
        words, lines = asked([])
        self.assertEqual(words[0:1] + words[2:], ["config", "--kind", "size", "--points", "-"])
        self.assertEqual(lines, '{"a": "1"}\n{"a": "2", "b": "x"}\n')
        self.assertEqual(asked([], objects=True)[0][6:], ["--objects"])
        self.assertEqual(asked([], kind="run", point="1/2")[0][6:], ["--point", "1/2"])

    def test_a_study_that_says_nothing_is_a_grid(self):
        self.assertEqual(Method(), Method(kind="grid", points=0, seed=1, sampler=None, batch=0))

    def test_seeds_of_batches_differ(self):
        seeds = {search.batch_seed(s, n) for s in range(20) for n in range(20)}
        self.assertEqual(len(seeds), 400)
        self.assertTrue(all(0 <= s < 2**32 for s in seeds))


class Where(unittest.TestCase):
    """scripts/explore and others: where runs are made."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.built = self.folder / "build/horae"
        self.asked = []
        for name, value in (("BUILT", self.built), ("is_installed", lambda: False),
                            ("Program", lambda *a: self.asked.append(a) or "program")):
            self.enterContext(mock.patch.object(execution, name, value))
        self.enterContext(mock.patch.object(execution.subprocess, "run", lambda words, **how: self.asked.append(words)))

    def execution(self, read_only=False, **more):
        options = types.SimpleNamespace(**{"program": str(self.built), "jobs": 3, "slurm": False, "partition": None,
                                           "array_most": 9, "sbatch": [], **more})
        return execution.Execution(options, self.folder / "base", read_only)

    def test_the_program_is_built_where_it_is_not_there(self):
        build = [execution.ROOT / "scripts/build"]
        self.execution()
        self.assertEqual(self.asked, [build, (str(self.built), self.folder / "base/programs")])
        self.asked.clear()
        self.execution(read_only=True)
        self.execution(program="other")
        self.built.parent.mkdir()
        self.built.touch()
        self.execution()
        self.assertEqual(self.asked, [(str(self.built), None), ("other", self.folder / "base/programs"),
                                      (str(self.built), self.folder / "base/programs")])

    def test_here_or_on_a_cluster_or_not_at_all(self):
        made_ = [True, False]
        with mock.patch.object(execution, "made", lambda r, store: made_[r]):
            self.assertEqual([self.execution(True).run_all("s", r, None) for r in ([0], [0, 1], [])], [True, False, True])
        here = self.execution()
        self.assertEqual((here.workers.jobs, self.execution(jobs=None).workers.jobs),
                         (3, len(execution.os.sched_getaffinity(0))))
        seen = []
        with mock.patch.object(here.workers, "run_all", lambda runs_, watch: watch(5) or len(runs_)):
            self.assertEqual(here.run_all("s", [1, 2], lambda *a: seen.append(a)), 2)
        with mock.patch.object(execution.Cluster, "run_all", lambda cluster, runs_, store, watch: watch(2)
                               or (cluster, len(runs_))):
            cluster, count = self.execution(slurm=True, partition="p", sbatch=["--x"]).run_all("s", [1, 2, 3],
                lambda *a: seen.append(a))
            plain, _ = self.execution(slurm=True).run_all("s", [1], lambda *a: seen.append(a))
        self.assertEqual((seen, count), ([(5, 0), (2, 1), (2, -1)], 3))
        self.assertEqual((cluster.folder, cluster.name, cluster.array_most, cluster.options[1:], cluster.explore[1:]),
                         (self.folder / "base/s", "s", 9, ["--partition=p", "--x"], [str(execution.ROOT / "scripts/explore")]))
        self.assertEqual(len(plain.options), 1)

    def test_whole_numbers_and_folders(self):
        self.assertEqual(execution.whole(1)("1"), 1)
        for text in ("0", "x", "1.5", "-1"):
            with self.assertRaisesRegex(execution.argparse.ArgumentTypeError, "expected a whole number of 1 or more"):
                execution.whole(1)(text)
        (self.folder / "file").touch()
        self.assertEqual(execution.folder(self.folder / "new", "--out"), (self.folder / "new").resolve())
        with self.assertRaisesRegex(Complaint, "--out .*file: found a file, expected a folder"):
            execution.folder(self.folder / "file", "--out")


SBATCH = """#!/usr/bin/python3
import os, sys
open("asked", "a").write(" ".join(sys.argv[1:]) + "\\n")
print("77;cluster")
"""


class OnACluster(unittest.TestCase):
    """Without a cluster: commands of Slurm are stand-ins, runs are made by whoever looks at the clock."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.made, self.shown = {}, []
        self.store = types.SimpleNamespace(outcome=lambda key: {"exit": self.made[key]} if key in self.made else None)
        self.cluster = slurm.Cluster(self.folder / "s", "s", 2, ["--more"], ["explore"])
        self.runs = [[self.run_(f"{i}a"), self.run_(f"{i}b")] for i in range(3)]

    @staticmethod
    def run_(key):
        return runs.Run(key, "run", ["run"], "h", "p", "v")

    def wait(self, makes, job=lambda: None, points_=None):
        """Runs all; `makes`: keys and exit codes that are made at each look at the clock, one after the other."""
        submitted, steps = [], iter(makes)
        with mock.patch.object(self.cluster, "job", job), mock.patch.object(self.cluster, "submit", submitted.append), \
                mock.patch.object(slurm.time, "sleep", lambda s: self.made.update(next(steps))):
            done_ = self.cluster.run_all(self.runs if points_ is None else points_, self.store, self.shown.append)
        return done_, submitted

    def test_workers_are_submitted_until_all_is_made(self):
        self.made["0a"] = 2  # refused: nothing is left to do of it
        self.assertEqual(self.wait([{"1a": 0, "1b": 0}, {"2a": 0}, {"2b": 0}]), (True, [2, 1, 1]))
        self.assertEqual(self.shown, [1, 2, 2, 3])
        self.assertEqual(slurm.read_queue(self.folder / "s"), self.runs[1:])
        self.assertEqual(self.wait([]), (True, []))

    def test_a_job_that_is_known_is_waited_for(self):
        jobs = iter(["7", "7", None])
        self.assertEqual(self.wait([{}, {"0a": 1}, {"1a": 1, "2a": 1}], lambda: next(jobs)), (True, [2]))

    def test_jobs_that_do_nothing_are_not_submitted_for_ever(self):
        with self.assertRaisesRegex(Complaint, "3 array jobs ended and no run was made; see .*/s/slurm"):
            self.wait([{}] * 9)
        self.shown.clear()
        # One that does something begins the count anew.
        self.assertEqual(self.wait([{}, {}, {"0a": 1}, {}, {}, {"1a": 1}, {}, {"2a": 1}])[1], [3, 3, 3, 2, 2, 2, 1, 1])

    def test_what_is_asked_of_slurm(self):
        for name, text in (("sbatch", SBATCH),
                           ("squeue", '#!/bin/sh\nprintf "$STATES"\n[ -z "$SAID" ] || { echo "$SAID" >&2; exit 1; }\n')):
            path = self.folder / name
            path.write_text(text)
            path.chmod(0o755)
        self.cluster.folder.mkdir()
        with mock.patch.dict("os.environ", {"PATH": f"{self.folder}:/usr/bin:/bin"}), contextlib.chdir(self.folder), \
                contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertIsNone(self.cluster.job())
            self.cluster.submit(5)
            self.cluster.submit(1)
            self.assertEqual(said.getvalue(), "submitted array job 77: 2 workers\nsubmitted array job 77: 1 workers\n")
            first, second = (self.folder / "asked").read_text().splitlines()
            s = self.folder / "s"
            self.assertEqual(first,
                             f"--parsable --job-name=horae-s --array=0-1 --cpus-per-task=1 --output={s}/slurm/%A_%a.out --more {s}/worker.sh")
            self.assertIn("--array=0-0 ", second)
            self.assertEqual((s / "worker.sh").read_text(), f"#!/bin/sh\nexec explore --worker {s}\n")
            for states, job in (("RUNNING", "77"), ("COMPLETED\nPENDING", "77"), ("COMPLETED\nFAILED\nCANCELLED\nCOMPLETING",
                None), ("", None)):
                with mock.patch.dict("os.environ", {"STATES": states}):
                    self.assertEqual(self.cluster.job(), job)
            with mock.patch.dict("os.environ", {"SAID": "slurm_load_jobs error: Invalid job id specified"}):
                self.assertIsNone(self.cluster.job())
            with mock.patch.dict("os.environ", {"SAID": "first\nno controller"}), self.assertRaisesRegex(Complaint,
                "^squeue: no controller$"):
                self.cluster.job()
            with self.assertRaisesRegex(Complaint, "^sh: why$"):
                slurm.slurm("sh", "-c", "echo why >&2; exit 1")
            with self.assertRaisesRegex(Complaint, "^sh: exit code 3$"):
                slurm.slurm("sh", "-c", "exit 3")
            with self.assertRaisesRegex(Complaint, "--slurm: no command 'none' here"):
                slurm.slurm("none")
        with self.assertRaisesRegex(Complaint, "no queue.json"):
            slurm.read_queue(self.folder)


if __name__ == "__main__":
    unittest.main()
