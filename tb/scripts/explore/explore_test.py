#!/usr/bin/python3
"""scripts/explore as a user meets it: what studies find, what happens to them when they are killed or run twice
at once, and what is refused. Runs are those of fake_horae, but for one test with the real program.

More than 500 lines: all classes work on the same few studies, which are written here beside what must follow."""
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
EXPLORE = ROOT / "scripts/explore"
sys.path.insert(0, str(ROOT / "scripts"))

GRID = """[study]
name = "grid"
platform = "p.toml"

[[parameter]]
name = "x"
key = "x"
from = 0
to = 40
step = 10
[[parameter]]
name = "y"
key = "y"
values = [1, 50, 90]

[[objective]]
name = "gain"
result = "gain"
direction = "max"
unit = "Gbps"
[[objective]]
name = "cost"
result = "pipelines.tor.resources.map_ram.used"
direction = "min"
"""


def search(sampler, points=30):
    return GRID.replace("from = 0\nto = 40\nstep = 10", "from = 0\nto = 100").replace(
        "values = [1, 50, 90]", "from = 1\nto = 90\nscale = \"log\"") + f"""
[[constraint]]
name = "enough"
result = "gain"
least = 5
[method]
kind = "search"
points = {points}
batch = 6
seed = 3
sampler = "{sampler}"
"""


def nine_nics(messages, duration, nic=""):
    """The text of a platform: NICs h0 to h8 on one switch, whose messages are in a file. A loss is found by a timeout alone."""
    return f"""[platform]
name = "p"
[sim]
duration = "{duration}"
stop = "finished"
[nic]
kind = "rnic"
transport = "timeout_only"
{nic}[s]
kind = "switch"
[leaf_spine]
leaves = 1
spines = 1
hosts_per_leaf = 9
host = "nic"
leaf = "s"
spine = "s"
[[traffic]]
kind = "flow_list"
file = "{messages}"
from = "0 s"
"""


class Place(unittest.TestCase):
    """A folder of its own for each test."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="horae_explore."))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "p.toml").write_text("a platform\n", encoding="utf-8")
        self.log = self.folder / "log"

    def study(self, text, name="s.toml"):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def environment(self, delay):
        return {**os.environ, "FAKE_LOG": str(self.log), "FAKE_DELAY": str(delay)}

    def command(self, study, out="out", jobs=2, more=()):
        return [str(EXPLORE), study, "--out", out, "--jobs", str(jobs), "--program", str(HERE.parent / "fake_horae"), *more]

    def explore(self, study, out="out", jobs=2, more=(), delay=0, code=0):
        ended = subprocess.run(self.command(study, out, jobs, more), cwd=self.folder, env=self.environment(delay),
                               capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, code, ended.stdout + ended.stderr)
        return ended

    def begin(self, study, out="out", jobs=2, more=(), delay=0):
        return subprocess.Popen(self.command(study, out, jobs, more), cwd=self.folder, env=self.environment(delay),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def table(self, name, out="out"):
        """The bytes of both files."""
        folder = self.folder / out / name
        return (folder / "study.json").read_bytes(), (folder / "points.csv").read_bytes()

    def found(self, name, out="out"):
        return json.loads(self.table(name, out)[0])

    def starts(self):
        """Runs that were started, by configuration."""
        if not self.log.exists():
            return []
        return [line.split()[2] for line in self.log.read_text().splitlines() if line.startswith("start")]


class Finds(Place):
    def test_a_grid_its_front_and_its_knee(self):
        self.explore(self.study(GRID))
        found = self.found("grid")
        self.assertEqual([list(p["parameters"].values()) for p in found["points"]],
                         [[x, y] for x in (0, 10, 20, 30, 40) for y in (1, 50, 90)])
        for p in found["points"]:
            x, y = p["parameters"].values()
            self.assertEqual((p["status"], p["values"]), ("done", {"gain": x * (100 - y) / 100, "cost": x + y}))
        # With the least y more x is more of both, so all of those are on the front and no other.
        self.assertEqual(found["pareto"], [0, 3, 6, 9, 12])
        self.assertEqual([p["number"] for p in found["points"] if p["pareto"]], found["pareto"])
        self.assertEqual(found["chosen"], 6)  # both objectives half way
        self.assertIn("knee", found["chosen_why"])
        rows = list(csv.DictReader(self.table("grid")[1].decode().splitlines()))
        self.assertEqual((rows[4]["x"], rows[4]["y"], rows[4]["gain"]), ("10", "50", "5.0"))
        folder = self.folder / "out/grid" / found["points"][4]["folder"]
        self.assertEqual(json.loads((folder / "summary.json").read_text())["results"]["gain"]["value"], 5)

    def test_the_best_of_one_objective_and_a_published_number(self):
        text = GRID + """
[choose]
rule = "best"
objective = "gain"
[[published]]
id = "theirs"
at = { x = 20, y = 50 }
figure = "gain"
value = 11
source = "a paper"
[[published]]
id = "elsewhere"
at = { x = 21 }
figure = "gain"
value = 11
source = "a paper"
"""
        self.explore(self.study(text))
        found = self.found("grid")
        self.assertEqual(found["chosen"], 12)
        self.assertEqual([(p["id"], p["measured"], p["point"]) for p in found["published"]],
                         [("theirs", 10.0, 7), ("elsewhere", None, None)])

    def test_several_commands_labels_skips_and_derived_figures(self):
        text = """[study]
name = "many"
platform = "p.toml"
run = ["size", "run"]
set = ["sim.seed=7"]
[[parameter]]
name = "design"
values = [{ label = "small", set = ["x=10", "y=1"] }, { label = "large", set = ["x=50", "y=2"] }]
[[parameter]]
name = "how"
key = "how"
values = ["fine", "refuse"]
commands = ["size"]
[[skip]]
when = "design == 'large' and how == 'refuse'"
[[derived]]
name = "each"
value = "ram / 2"
of = { ram = "pipelines.tor.resources.map_ram.used" }
[[objective]]
name = "each"
result = "derived.each"
direction = "min"
[[constraint]]
fits = true
[[constraint]]
result = "nics.a.b.used_bytes"
most = 5
[[constraint]]
result = "big.bill.of[1]"
least = 2.6
"""
        self.explore(self.study(text))
        found = self.found("many")
        seen = [(*p["parameters"].values(), p["status"], len(p["runs"]), p["values"], p["feasible"])
                for p in found["points"]]
        last = {"nics.a.b.used_bytes": 5, "big.bill.of[1]": 2.5}
        self.assertEqual(seen, [
            ("small", "fine", "done", 2, {"each": 5.5, "fits": 1, **last}, False),
            ("small", "refuse", "refused", 1, {"each": None, "fits": 0, **dict.fromkeys(last)}, False),
            ("large", "fine", "done", 2, {"each": 26, "fits": 1, **last}, False)])
        self.assertEqual((found["chosen"], found["fixed"]), (None, ["sim.seed=7"]))
        self.assertEqual(found["points"][1]["reason"], "tor does not fit tofino2: map_ram needs 10 (see horae size)")

    def test_a_latin_hypercube_has_each_slice_once(self):
        text = GRID.replace("from = 0\nto = 40\nstep = 10", "from = 0\nto = 89\ninteger = true") + \
            '[method]\nkind = "latin"\npoints = 9\nseed = 5\n'
        self.explore(self.study(text))
        points = self.found("grid")["points"]
        self.assertEqual(sorted(p["parameters"]["x"] // 10 for p in points),
                         list(range(9)))
        counts = [sum(p["parameters"]["y"] == y for p in points) for y in (1, 50, 90)]
        self.assertEqual(counts, [3, 3, 3])

    def test_a_search_comes_nearer_than_chance(self):
        for sampler in ("nsga2", "tpe"):
            text = search(sampler, 48).replace('name = "grid"', f'name = "{sampler}"').replace(
                '[[objective]]\nname = "cost"\nresult = "pipelines.tor.resources.map_ram.used"\ndirection = "min"\n', "")
            self.explore(self.study(text))
            found = self.found(sampler)
            gains = [p["values"]["gain"] for p in found["points"]]
            # Chance: x is 50 and y, whose logarithm is uniform, (90 - 1) / ln 90 = 19.8.
            self.assertGreater(sum(gains[-12:]) / 12, 1.25 * 50 * (1 - 0.198), sampler)
            self.assertEqual(found["points"][found["chosen"]]["values"]["gain"], max(gains))


class Fails(Place):
    def test_what_is_refused_or_fails_is_a_result_with_its_reason(self):
        text = GRID.replace("step = 10", "step = 40") .replace("values = [1, 50, 90]", "values = [1, 101]") + """
[[parameter]]
name = "how"
key = "how"
values = ["fine", "refuse", "stuck", "crash", "break"]
"""
        printed = self.explore(self.study(text)).stdout
        found = self.found("grid")
        seen = {(p["parameters"]["x"], p["parameters"]["y"], p["parameters"]["how"]): (p["status"], p["reason"])
                for p in found["points"]}
        self.assertEqual(len(seen), 20)
        self.assertEqual(seen[40, 1, "fine"], ("done", ""))
        self.assertEqual(seen[40, 1, "refuse"],
                         ("refused", "tor does not fit tofino2: map_ram needs 40 (see horae size)"))
        self.assertEqual(seen[40, 1, "stuck"], ("failed", "no progress; what is waiting:"))
        self.assertEqual(seen[40, 1, "crash"], ("failed", "killed by SIGSEGV"))
        self.assertEqual(seen[40, 1, "break"], ("failed", "a model broke a rule in DIR/result"))
        self.assertEqual(seen[40, 101, "fine"], ("refused", "--set y: y = 101 is above the maximum 100"))
        self.assertIn("refused: 10 points, such as 5: --set y", printed)
        self.assertIn("refused: 2 points, such as 1: tor does not fit", printed)
        self.assertEqual(len(self.starts()), 10)
        before = self.table("grid")
        self.explore(self.study(text))
        self.assertEqual(len(self.starts()), 10)  # failures are kept too ...
        self.explore(self.study(text), more=["--retry-failed"])
        self.assertEqual(len(self.starts()), 16)  # ... unless it is asked otherwise
        self.assertEqual(self.table("grid"), before)

    def test_only_status_writes_nothing(self):
        printed = self.explore(self.study(GRID), more=["--only-status"]).stdout
        self.assertIn("15 pending", printed)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["p.toml", "s.toml"])

    def test_nothing_done_is_exit_code_1(self):
        self.explore(self.study(GRID.replace("[[parameter]]", '[[parameter]]\nname = "how"\nkey = "how"\n'
                                             'values = ["refuse"]\n[[parameter]]', 1)), code=1)

    def test_a_bad_study_is_one_line_with_its_place(self):
        cases = [
            ('name = "grid"', 'nam = "grid"', "s.toml:2:1: unknown key 'nam' in [study], did you mean 'name'?"),
            ('name = "grid"', 'name = "a b"', "s.toml:2:1: name: found \"a b\", expected letters, digits, _ and -: "
                                             "it names a folder"),
            ('"p.toml"', '"q.toml"', 's.toml:3:1: platform = "q.toml": no file q.toml'),
            ('"p.toml"', '"p.toml"\nrun = "runn"', "s.toml:4:1: run: found \"runn\", did you mean 'run'?"),
            ('"p.toml"', '"p.toml"\nrun = ["size", 5]', "s.toml:4:1: run: found 5; expected one of run, size, explain"),
            ("from = 0", "form = 0", "s.toml:8:1: unknown key 'form' in [[parameter]], did you mean 'from'?"),
            ("to = 40", 'to = "40"', 's.toml:9:1: to: found "40", expected a number'),
            ("to = 40", "to = -1", "s.toml:9:1: to: found -1, expected more than from = 0"),
            ("step = 10", "", "s.toml:5:1: parameter 'x' has no 'step' or 'count': a grid needs its values (or "
                              "[method] kind = \"latin\" or \"search\")"),
            ("step = 10", "step = 0", "s.toml:10:1: step: found 0, expected more than 0"),
            ("values = [1, 50, 90]", "values = [1, 50,\n 1]", "s.toml:14:1: values: 1 is there twice"),
            ('name = "y"', 'name = "x"', "s.toml:12:1: two parameters are called 'x'"),
            ('"max"', '"more"', "s.toml:19:1: direction: found \"more\"; expected one of max, min"),
            ('result = "gain"', 'result = "gane"', "s.toml:18:1: no run has a result 'gane', did you mean 'gain'?"),
            ('key = "x"', 'key = "xx"', "--set xx: unknown key 'xx' at the top level, did you mean 'x'?"),
            ("[study]", "[study", "s.toml:1:7: Expected ']' at the end of a table declaration"),
            ("[[objective]]", "[[objektive]]", "s.toml:16:1: unknown key 'objektive' in the file, did you mean 'objective'?"),
            ("[[objective]]", "[[skip]]\nwhen = \"x > z\"\n[[objective]]",
             "s.toml:17:1: when: unknown name 'z'; expected one of x, y"),
            ("[[objective]]", "[[skip]]\nwhen = \"x.y()\"\n[[objective]]",
             "s.toml:17:1: when: 'x.y()': expected no functions but min, max, abs"),
            ("to = 40", "to = inf", "s.toml:9:1: to: found inf, expected a finite number"),
            ("values = [1, 50, 90]", "values = [1, 1.0]", "s.toml:14:1: values: 1.0 is there twice"),
            ("step = 10", "step = 0.5\ninteger = true",
             "s.toml:10:1: step: found 0.5, expected a whole number with integer = true"),
            ("to = 40\nstep = 10", "to = 40.5\ncount = 3\ninteger = true",
             "s.toml:9:1: to: found 40.5, expected a whole number with integer = true"),
            ("[[objective]]", "[method]\nkind = \"grit\"\n[[objective]]",
             "s.toml:17:1: kind: found \"grit\", did you mean 'grid'?"),
            ("step = 10", "step = 1e-9", "s.toml:10:1: step: 40000000001 values, expected 1000000 at most"),
            ("step = 10", "step = 1e-4", "s.toml: a grid of 1200003 points, expected 1000000 at most (or [method] kind "
                                         "= \"latin\" or \"search\")"),
            ("[[objective]]", "[[skip]]\nwhen = \"" + "-" * 1500 + "x\"\n[[objective]]",
             "s.toml:17:1: when: '--------------------...': expected 100 expressions in each other at most"),
            ("[[objective]]", "[[skip]]\nwhen = \"" + "x + " * 1000 + "x\"\n[[objective]]",
             "s.toml:17:1: when: 'x + x + x + x + x + ...' is an expression of 4001 signs, expected 2000 at most"),
            ('platform = "p.toml"\n', '[[command]]\nkind = "run"\nplatform = "p.toml"\noptions = ["--out=/any/file"]\n',
             "s.toml:6:1: options: found \"--out\"; expected one of --trace, --waves, --pcap, --from, --to, --flow, "
             "--every, --trace-most"),
        ]
        for old, new, expected in cases:
            with self.subTest(expected):
                ended = self.explore(self.study(GRID.replace(old, new, 1)), code=2, more=["--no-progress"])
                self.assertEqual((ended.stderr, ended.stdout), (f"explore: {expected}\n", ""))
                self.assertFalse((self.folder / "out/grid").exists())


    def test_expressions_are_arithmetic_that_ends(self):
        from lib.explore.expression import Expression  # pylint: disable=import-outside-toplevel
        for text, value in (("2**10", 1024), ("2**-1", 0.5), ("(-3)**3", -27), ("1**10**6", 1), ("10 % 4 // 2", 1),
                            ("2**1000", 2**1000 if (2**1000).bit_length() <= 1000 else None), ("2**999", 2**999),
                            ("9**9**9", None), ("10**5000", None), ("'a' * 10**10", None), ("[1] * 10**10", None),
                            ("'%9999999d' % 7", None), ("1e308 * 10", None), ("(-8)**0.5", None), ("1 / 0", None),
                            ("'a' + 'b'", "ab"), ("max(1, 2.5)", 2.5)):
            with self.subTest(text):
                self.assertEqual(Expression(text).value({}), value)
        for text in ("1" * 5000, "-" * 3000 + "1", "(" * 500 + "1" + ")" * 500, "\0"):
            with self.subTest(text[:5]), self.assertRaises(ValueError):
                Expression(text)

    def test_bad_options_are_one_line(self):
        (self.folder / "folder").mkdir()
        (self.folder / "file").write_text("", encoding="utf-8")
        for name, content in (("lost", "#!/no/such/interpreter\n"), ("plain", "no program\n"), ("mute", "#!/bin/true\n")):
            (self.folder / name).write_text(content, encoding="utf-8")
            (self.folder / name).chmod(0o755)
        text = GRID.replace('platform = "p.toml"\n', '[[command]]\nkind = "size"\nplatform = "p.toml"\n'
                            'options = ["--chip"]\n')
        cases = [
            (GRID, ["--program", "folder"], "--program folder: found a folder, expected horae"),
            (GRID, ["--program", "lost"], f"--program {self.folder}/lost: cannot be run: No such file or directory"),
            (GRID, ["--program", "plain"], f"--program {self.folder}/plain: cannot be run: Exec format error"),
            (GRID, ["--program", "mute"], "--program mute: does not tell its version, expected horae"),
            (GRID, ["--out", "file"], "--out file: found a file, expected a folder"),
            (GRID, ["--out", "file/in"], f"{self.folder}/file/in/programs: Not a directory"),
            (text, [], 's.toml:6:1: options: "--chip" has no value, expected "--chip=FILE"'),
        ]
        for study, more, expected in cases:
            with self.subTest(expected):
                ended = self.explore(self.study(study), more=[*more, "--no-progress"], code=2)
                self.assertEqual(ended.stdout, "")
                if "file/in" in more:  # which of its folders is asked for first is not ours to say
                    self.assertRegex(ended.stderr, r"^explore: .*/file/in.*: Not a directory\n$")
                else:
                    self.assertEqual(ended.stderr, f"explore: {expected}\n")

    def test_options_of_the_configuration_in_both_forms(self):
        from lib.common.program import of_configuration  # pylint: disable=import-outside-toplevel
        self.assertEqual(list(of_configuration(["--chip=my.toml", "--jobs", "2", "--hypotheses", "h.toml"])),
                         [("--chip", "my.toml"), ("--hypotheses", "h.toml")])

    def test_one_workers_fault_leaves_the_results_of_others(self):
        from lib.explore.runs import Run, Workers  # pylint: disable=import-outside-toplevel
        from lib.explore.store import Store  # pylint: disable=import-outside-toplevel
        store = Store(self.folder / "store")
        publish, both = store.publish, threading.Barrier(2)

        def full(key, workplace, outcome):
            both.wait()  # both have ended, neither is kept
            if key == "bad":
                raise OSError(28, "No space left on device")
            time.sleep(0.2)
            publish(key, workplace, outcome)
        store.publish = full
        program = self.folder / "nothing"
        program.write_text("#!/bin/true\n", encoding="utf-8")
        program.chmod(0o755)
        runs = [[Run(key, "run", [], "", str(program), "")] for key in ("bad", "good")]
        with self.assertRaises(OSError):
            Workers(store, 2).run_all(runs)
        self.assertEqual(store.outcome("good")["exit"], 0)
        self.assertIsNone(store.outcome("bad"))


class Resumes(Place):
    def kill_and_resume(self, text, name, kills, delay, seed, finished_s):
        """Kills explore `kills` times at random moments, lets it end and compares with a run that was left
        alone."""
        study = self.study(text)
        self.explore(study, out="left_alone")
        self.log.unlink()
        rng = random.Random(seed)
        killed = 0
        for _ in range(kills):
            process = self.begin(study, delay=delay)
            try:
                process.wait(rng.uniform(0.1, finished_s))
            except subprocess.TimeoutExpired:
                process.kill()
                killed += 1
            process.communicate()
        self.assertGreaterEqual(killed, 2)  # or nothing was tested
        self.explore(study)
        self.assertEqual(self.table(name), self.table(name, "left_alone"))
        starts = self.starts()
        # At most what was under way when it was killed ran again.
        self.assertLessEqual(len(starts), len(set(starts)) + 2 * killed)
        self.assertEqual(len(set(starts)), len(self.found(name)["points"]))
        self.assertEqual(list((self.folder / "out/store/under_way").glob("*")), [])
        before = len(starts)
        self.explore(study, jobs=1)
        self.assertEqual(len(self.starts()), before)  # free

    def test_a_grid_after_kills(self):
        self.kill_and_resume(GRID.replace("step = 10", "step = 5"), "grid", 5, 0.05, 1, 0.7)

    def test_a_search_after_kills(self):
        self.kill_and_resume(search("nsga2", 24), "grid", 2, 0.2, 2, 1.6)

    def test_a_search_does_not_depend_on_jobs(self):
        study = self.study(search("tpe", 18))
        self.explore(study, out="one", jobs=1)
        self.explore(study, out="four", jobs=4)
        self.assertEqual(self.table("grid", "one"), self.table("grid", "four"))

    def test_an_interrupt_ends_its_runs_and_says_how_to_go_on(self):
        study = self.study(GRID)
        process = self.begin(study, delay=0.3)
        while len(self.starts()) < 4:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)
        self.assertIn(f"to go on: {EXPLORE} s.toml --out out --jobs 2", said)
        self.assertIn("pending", [p["status"] for p in self.found("grid")["points"]])
        self.assertIn("pending", self.explore(study, more=["--only-status"]).stdout)
        self.assertEqual(list((self.folder / "out/store").glob("*/*.claim")), [])
        before = len(self.starts())
        time.sleep(0.4)
        self.assertEqual(len(self.starts()), before)
        self.explore(study)
        self.assertEqual({p["status"] for p in self.found("grid")["points"]}, {"done"})

    def test_an_interrupt_of_a_rerun_leaves_the_table_that_has_more(self):
        study = self.study(search("nsga2", 12).replace("batch = 6", "batch = 2"))
        self.explore(study)
        before = self.table("grid")
        (self.folder / "p.toml").write_text("another platform\n", encoding="utf-8")
        for least in (0, 1):
            count = len(self.starts())
            process = self.begin(study, delay=0.5)
            # In the first batch nothing is settled; in the second two points are.
            while len(self.starts()) <= count + 2 * least:
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=10)
            self.assertEqual(process.returncode, 130, said)
            self.assertIn(f"interrupted with {2 * least} of ", said)
            self.assertEqual(self.table("grid"), before)

    def test_two_at_once_make_each_run_once(self):
        study = self.study(GRID.replace("step = 10", "step = 5"))
        processes = [self.begin(study, delay=0.05) for _ in range(2)]
        for process in processes:
            _, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, said)
        starts = self.starts()
        self.assertEqual(len(starts), 27)
        self.assertEqual(len(set(starts)), 27)
        self.explore(study, out="alone")
        self.assertEqual(self.table("grid"), self.table("grid", "alone"))

    def test_another_study_has_what_is_the_same(self):
        self.explore(self.study(GRID))
        self.explore(self.study(GRID.replace('name = "grid"', 'name = "more"').replace("to = 40", "to = 50")))
        self.assertEqual(len(self.starts()), 18)
        (self.folder / "p.toml").write_text("another platform\n", encoding="utf-8")
        self.explore(self.study(GRID))
        self.assertEqual(len(self.starts()), 33)


class Claims(Place):
    def setUp(self):
        super().setUp()
        from lib.explore.store import Store  # pylint: disable=import-outside-toplevel
        self.make = lambda **more: Store(self.folder / "store", **more)

    def foreign(self, store, key, **owner):
        """A claim of someone else."""
        path = store.folder / key[:2] / f"{key}.claim"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({**store.owner, **owner}), encoding="utf-8")
        return path

    def test_many_ask_and_one_has_it(self):
        stores = [self.make() for _ in range(8)]
        got = []

        def ask(store):
            for n in range(40):
                if store.claim(f"aa{n}"):
                    got.append(n)
        threads = [threading.Thread(target=ask, args=(s,)) for s in stores]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(sorted(got), list(range(40)))

    def test_the_claim_of_a_dead_process_is_taken_over_by_one(self):
        stores = [self.make() for _ in range(8)]
        dead = subprocess.Popen(["true"])
        dead.wait()
        self.foreign(stores[0], "aa1", pid=dead.pid, started=1)
        got = []

        def ask(store):
            for _ in range(20):
                if store.claim("aa1"):
                    got.append(store)
        threads = [threading.Thread(target=ask, args=(s,)) for s in stores]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(len(got), 1)
        # A living process keeps its claim; one of its number that is not the same does not.
        self.foreign(stores[0], "aa2")
        self.assertFalse(stores[0].claim("aa2"))
        self.foreign(stores[0], "aa3", started=1)
        self.assertTrue(stores[0].claim("aa3"))

    def test_another_host_is_dead_when_it_is_silent(self):
        store = self.make(stale_s=5)
        path = self.foreign(store, "aa1", host="elsewhere", pid=1)
        self.assertFalse(store.claim("aa1"))
        os.utime(path, (time.time() - 60, time.time() - 60))
        self.assertTrue(store.claim("aa1"))

    def test_a_claim_has_a_heartbeat(self):
        store = self.make(heartbeat_s=0.02)
        self.assertTrue(store.claim("aa1"))
        path = store.folder / "aa/aa1.claim"
        os.utime(path, (1, 1))
        time.sleep(0.3)
        self.assertGreater(path.stat().st_mtime, 1000)

    def test_only_ones_own_claim_is_released(self):
        store = self.make()
        self.assertTrue(store.claim("aa1"))
        path = self.foreign(store, "aa1", host="elsewhere", pid=1)  # taken over meanwhile
        store.release("aa1")
        self.assertTrue(path.exists())
        self.assertTrue(store.claim("aa2"))
        store.release("aa2")
        self.assertFalse((store.folder / "aa/aa2.claim").exists())

    def test_leftovers_of_other_hosts_are_swept(self):
        store = self.make(stale_s=5)
        place = store.workplace("aa1")
        store.publish("aa1", place, {"exit": 0})

        def left(key, old):
            path = store.folder / "under_way" / f"{key}.elsewhere.7"
            path.mkdir(parents=True)
            (path / "owner").write_text(json.dumps({**store.owner, "host": "elsewhere"}), encoding="utf-8")
            if old:
                os.utime(path, (time.time() - 60, time.time() - 60))
            return path
        made, young, old, claimed = left("aa1", False), left("aa2", False), left("aa3", True), left("aa4", True)
        self.foreign(store, "aa4", host="elsewhere")
        mine = store.workplace("aa5")
        self.make(stale_s=5).sweep()
        self.assertEqual([p.exists() for p in (made, young, old, claimed, mine)], [False, True, False, True, True])

    def test_a_result_appears_whole_and_the_first_one_stays(self):
        store = self.make()
        first, second = store.workplace("aa1"), self.make()
        (first / "result").mkdir()
        self.assertIsNone(store.outcome("aa1"))
        store.publish("aa1", first, {"exit": 0})
        other = second.workplace("aa1")
        second.publish("aa1", other, {"exit": 1})
        self.assertEqual(store.outcome("aa1")["exit"], 0)
        self.assertFalse(other.exists())
        self.assertFalse(store.claim("aa1"))  # there is nothing to do


class WithHorae(Place):
    def program(self):
        program = os.environ.get("HORAE_PROGRAM", str(ROOT / "build/platforms/horae"))
        if not os.access(program, os.X_OK):
            self.skipTest(f"{program} is not built")
        return program

    def test_the_example_of_the_readme_can_be_read(self):
        program = self.program()
        readme = (ROOT / "platforms/studies/README.md").read_text(encoding="utf-8")
        example = readme.split("```toml\n", 1)[1].split("```", 1)[0]
        text = example.replace('"../themis_tor.toml"', f'"{ROOT}/platforms/themis_tor.toml"')
        self.assertNotEqual(text, example)
        printed = self.explore(self.study(text), more=["--program", program, "--only-status"]).stdout
        # In the first batch, in which nothing was made, some points are left out and the others can be configured.
        self.assertRegex(printed, r"\n\d+ pending; 0 feasible")
        self.assertFalse((self.folder / "out").exists())

    def test_a_grid_of_the_real_program(self):
        program = self.program()
        text = f"""[study]
name = "real"
platform = "{ROOT}/platforms/themis_tor.toml"
run = ["size", "run"]
set = ["sim.duration=210us"]
[[parameter]]
name = "paths"
key = "tor.program.paths"
values = [64, 128, 4096, -1]
[[objective]]
name = "map_ram"
result = "pipelines.tor.resources.map_ram.used"
direction = "min"
[[objective]]
name = "rate"
result = "receivers.delivered_rate"
direction = "max"
"""
        study = self.study(text)
        self.explore(study, more=["--program", program])
        points = self.found("real")["points"]
        self.assertEqual([p["status"] for p in points], ["done", "done", "refused", "refused"])
        self.assertEqual(points[1]["values"]["map_ram"], 181)  # packet-spraying paper, Table 1
        self.assertGreater(points[1]["values"]["rate"], 50)
        self.assertIn("tor.program.paths", points[3]["reason"])
        self.assertEqual(points[3]["runs"], [])
        # A point's configuration is that of its run.
        summary = json.loads((self.folder / "out/real" / points[0]["folder"] / "summary.json").read_text())
        self.assertEqual(summary["config_hash"], points[0]["config_hash"])
        bad = self.explore(self.study(text.replace("tor.program.paths", "tor.program.path")), code=2,
                           more=["--program", program])
        self.assertEqual(bad.stderr, "explore: --set tor.program.path: unknown key 'path' in [tor.program], did you "
                                     "mean 'paths'?\n")

    def test_a_design_that_loses_messages_is_not_the_quickest(self):
        program = self.program()
        (self.folder / "lossy.toml").write_text(nine_nics("messages.csv", "300 us", "reliability.rto = \"100 us\"\n"))
        (self.folder / "messages.csv").write_text("start_ns,source,destination,bytes\n" + "".join(
            f"{start},h{i},h0,20000\n" for i in range(1, 9) for start in (0, 20000)))
        text = """[study]
name = "limits"
platform = "lossy.toml"
[[parameter]]
name = "limit"
key = "s.queue_limit"
values = ["6 KB", "40 KB", "1 MB"]
[[objective]]
name = "p99"
result = "fct.p99"
direction = "min"
unit = "ns"
[choose]
rule = "best"
objective = "p99"
"""
        shown = self.explore(self.study(text), more=["--program", program]).stdout
        points = self.found("limits")["points"]
        self.assertEqual([p["feasible"] for p in points], [False, False, True])
        self.assertEqual([p["unfinished"] for p in points], [10, 10, 0])
        self.assertEqual([p["values"]["p99"] for p in points[:2]], [None, None])
        self.assertAlmostEqual(points[2]["values"]["p99"], 18363.44, delta=1)  # 18.36 us, in the unit of the objective
        self.assertRegex(shown, r"\n +2 +1 MB +1\.836e\+04[^\n]* chosen\n")
        self.assertIn("the run ended with the verdict timeout, 10 unfinished", shown)
        # A study of another quantity's unit is refused.
        bad = self.explore(self.study(text.replace('unit = "ns"', 'unit = "Gbps"').replace('"limits"', '"units"')), code=2,
                           more=["--program", program])
        self.assertIn("unit: found \"Gbps\", but 'fct.p99' is in us", bad.stderr)


if __name__ == "__main__":
    unittest.main()
