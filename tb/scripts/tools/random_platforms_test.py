#!/usr/bin/python3
"""tb/tools/random_platforms: random platforms keep the laws; what breaks one is found and made smaller."""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import tomllib
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tb/tools"), str(ROOT / "scripts")]
from lawful import facts, platform, shrink  # noqa: E402

SCRIPT = ROOT / "tb/tools/random_platforms"
PROGRAM = os.environ["HORAE_PROGRAM"]
COUNT = 180


def random_platforms(*options, **environment):
    return subprocess.run([SCRIPT, *map(str, options)], capture_output=True, text=True, check=False,
                          env={**os.environ, **environment})


class RandomPlatforms(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.place.name)

    def tearDown(self):
        self.place.cleanup()

    def lying(self, change):
        """A horae whose summaries, in a batch, are changed by a line of Python on `d`."""
        file = self.out / "lying"
        file.write_text(f"#!/usr/bin/python3\nimport json, subprocess, sys\n"
                        f"for line in sys.stdin:\n"
                        f"    ended = subprocess.run(['{PROGRAM}', *sys.argv[1:]], input=line, capture_output=True, text=True)\n"
                        f"    answer = json.loads(ended.stdout)\n"
                        f"    if answer['exit'] == 0:\n        d = json.loads(answer['out'])\n        {change}\n"
                        f"        answer['out'] = json.dumps(d)\n    print(json.dumps(answer), flush=True)\n", encoding="utf-8")
        file.chmod(file.stat().st_mode | stat.S_IXUSR)
        return file


class Keep(RandomPlatforms):
    def test_all_laws(self):
        ended = random_platforms("--program", PROGRAM, "--count", COUNT, "--ranks-every", 0, "--out", self.out, "--jobs", 2)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        ran = int(ended.stdout.split(": ")[1].split()[0])
        self.assertGreater(ran, 0.95 * COUNT, ended.stdout)


class Find(RandomPlatforms):
    def test_a_lost_packet_is_written_as_a_platform(self):
        horae = self.lying("d['packets']['delivered'] -= 1")
        ended = random_platforms("--program", horae, "--count", 1, "--laws", "books", "--tries", 20, "--out",
                                 self.out / "found")
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn("platform 0 breaks books: books: ", ended.stdout)
        (file,) = (self.out / "found").iterdir()
        text = file.read_text(encoding="utf-8")
        self.assertTrue(text.startswith("# books: books: "))
        tomllib.loads(text)

    def test_what_windows_change(self):
        horae = self.lying("d['results']['fct.mean'] = len(d['config']['sim'].get('window', '0 ps'))")
        ended = random_platforms("--program", horae, "--count", 1, "--laws", "windows", "--tries", 0, "--out", self.out)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn("breaks windows: window ", ended.stdout)

    def test_what_never_ends(self):
        horae = self.out / "silent"
        horae.write_text("#!/bin/sh\nread line && echo '{\"exit\": null, \"signal\": 14, \"out\": \"\", \"err\": \"\"}'\n",
                         encoding="utf-8")
        horae.chmod(0o755)
        ended = random_platforms("--program", horae, "--first", 2, "--count", 1, "--tries", 0, "--out", self.out)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn("breaks ends: exit code None: not over after 120 s", ended.stdout)

    def test_ways_in_turn(self):
        for number, broken in ((0, 1), (1, 0), (2, 0), (3, 0)):
            horae = self.lying("d['packet_hops'] = len(d['config']['sim'].get('window', '0 ps'))")
            ended = random_platforms("--program", horae, "--first", number, "--count", 1, "--ways-every", 4, "--ranks-every", 0,
                                     "--tries", 0, "--out", self.out)
            self.assertEqual("breaks windows" in ended.stdout, bool(broken), f"{number}: {ended.stdout}{ended.stderr}")

    def test_what_a_module_changes(self):
        number = next(n for n in range(2, 400, 10) if facts.link_for_a_module(platform.platform(1, n)))
        horae = self.lying("d['results']['fct.mean'] = len(d['config'].get('module', []))")
        ended = random_platforms("--program", horae, "--first", number, "--count", 1, "--laws", "through_module", "--tries", 0,
                                 "--out", self.out)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn("breaks through_module: a module between ", ended.stdout)


class Shrink(unittest.TestCase):
    def test_leaves_what_the_violation_needs(self):
        drawn = platform.platform(1, 0)

        def breaks(p):
            return "kind" in p["nic"] and int(p["traffic"][0].get("size", "0 B").split()[0]) >= 100

        def safely(p):
            try:
                return breaks(p)
            except (KeyError, IndexError):
                return False
        drawn["traffic"] = [{"kind": "batch"}, {"kind": "batch", "size": "76543 B"}]
        drawn["traffic"].reverse()
        small = shrink.shrunk(drawn, safely, 5000)
        self.assertEqual(set(small), {"platform", "nic", "traffic"})
        self.assertEqual(small["nic"], {"kind": "rnic"})
        self.assertEqual(small["traffic"], [{"size": "100 B"}])

    def test_is_over_after_as_many_tries(self):
        tries = []
        shrink.shrunk(platform.platform(1, 0), lambda p: tries.append(p) or False, 7)
        self.assertEqual(len(tries), 7)


class Draw(RandomPlatforms):
    def test_the_same_of_a_seed(self):
        one = random_platforms("--show", "--count", 20, PYTHONHASHSEED="1")
        self.assertEqual(one.returncode, 0, one.stderr)
        self.assertEqual(one.stdout, random_platforms("--show", "--count", 20, PYTHONHASHSEED="2").stdout)
        self.assertNotEqual(one.stdout, random_platforms("--show", "--count", 20, "--seed", 2).stdout)

    def test_everything_at_times(self):
        text = random_platforms("--show", "--count", 400).stdout
        for what in ("leaf_spine", "fat_tree", "jellyfish", "two_sites", "device", "[nic.ordering]", "pcie", "outage",
                     "[edge.pfc]", "[core.pfc]", "themis", "conweave", "pnp_trp", "trim", "deflect", "reps", "eqds",
                     "hpcc", "collective", "pipeline", "incast", "loss", "bit_errors", "converge", "spray_sr", "irn",
                     "class = [", "priority", "weight", "planes", "port_choice"):
            self.assertIn(what, text)

    def test_bad_options_are_one_line(self):
        for options, line in ((("--count", "0"), "--count 0: expected 1 or more"),
                              (("--ways-every", "0"), "--ways-every 0: expected 1 or more"),
                              (("--laws", "boks"), "--laws boks: unknown law, did you mean 'books'?")):
            ended = random_platforms(*options)
            self.assertEqual((ended.returncode, ended.stderr), (2, f"random_platforms: {line}\n"))


if __name__ == "__main__":
    unittest.main()
