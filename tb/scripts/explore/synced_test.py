#!/usr/bin/python3
"""What takes its name is on the disk: before a result, a run of the store or a table is renamed, its files and its
folder are synced, and behind that the folder around it. Looked at with strace; exit code 77 where that may not be."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
from explore_damage_test import SMALL  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
HORAE = os.environ.get("HORAE_PROGRAM", str(ROOT / "build/platforms/horae"))
EXIT_SKIPPED = 77
TRACED = ["strace", "-ff", "-y", "-qq", "-e", "trace=fsync,rename,renameat,renameat2"]  # a log of each thread


def calls(log):
    """What one thread asked for, in order: (a path that is synced), or (from, to)."""
    for line in log.read_text(encoding="utf-8").splitlines():
        if line.endswith(" = 0"):
            if line.startswith("fsync("):
                yield (re.search(r"<([^>]*)>", line)[1],)
            else:
                yield tuple(re.findall(r'"([^"]*)"', line))


class Synced(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="horae_synced.")).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "p.toml").write_text("a platform\n", encoding="utf-8")
        (self.folder / "s.toml").write_text(SMALL, encoding="utf-8")

    def traced(self, *command):
        """Of each thread, its calls."""
        for log in self.folder.glob("log.*"):
            log.unlink()
        ended = subprocess.run([*TRACED, "-o", self.folder / "log", *command], cwd=self.folder, capture_output=True, text=True,
                               check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return [list(calls(log)) for log in self.folder.glob("log.*")]

    def expect_synced(self, threads, named):
        """`named` took its name once all of it was on the disk, and so is the name."""
        for asked in threads:
            last = max((i for i, call in enumerate(asked) if len(call) == 2 and call[1] == str(named)), default=None)
            if last is None:
                continue
            staged = pathlib.Path(asked[last][0])
            before = {call[0] for call in asked[:last] if len(call) == 1}
            inside = [p for p in named.rglob("*")] if named.is_dir() else []
            wanted = {str(staged), *(str(staged / p.relative_to(named)) for p in inside)}
            self.assertEqual(wanted - before, set(), "renamed before it was on the disk")
            self.assertIn((str(named.parent),), asked[last:])
            return
        self.fail(f"nothing was renamed to {named}")

    def test_a_result(self):
        for _ in range(2):  # a new one, then in place of an earlier one
            threads = self.traced(HORAE, "run", ROOT / "platforms/flow_list.toml", "--out", "x", "--set", "sim.sample=10us")
            self.assertEqual(len(list((self.folder / "x").iterdir())), 4)
            self.expect_synced(threads, self.folder / "x")

    def test_a_study(self):
        threads = self.traced(ROOT / "scripts/explore", "s.toml", "--out", "out", "--jobs", "1", "--program", HERE.parent / "fake_horae",
                              "--no-progress")
        runs = [p for p in (self.folder / "out/store").glob("*/*") if p.is_dir() and p.parent.name != "under_way"]
        self.assertEqual(len(runs), 3)
        for named in (*runs, self.folder / "out/small/points.csv", self.folder / "out/small/study.json"):
            with self.subTest(named.name):
                self.expect_synced(threads, named)


if __name__ == "__main__":
    if shutil.which("strace") is None or subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True,
                                                        check=False).returncode:
        print("strace is not installed, or may not trace here")
        sys.exit(EXIT_SKIPPED)
    unittest.main()
