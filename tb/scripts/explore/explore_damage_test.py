#!/usr/bin/python3
"""scripts/explore after damage: files of its store that are empty, cut, deleted or another's, claims that nobody can
read, and a kill at any of its operations on files. It must end with the table of an undisturbed study.

HORAE_KILLS=500 tries so many kills."""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
from explore_test import Place  # noqa: E402

SMALL = """[study]
name = "small"
platform = "p.toml"
[[parameter]]
name = "x"
key = "x"
values = [1, 2, 3]
[[objective]]
name = "gain"
result = "gain"
direction = "max"
"""

# Runs scripts/explore and kills it at an operation on files: what Python tells its audit hooks.
KILLER = """
import os, runpy, signal, sys
sys.dont_write_bytecode = True
left = int(os.environ["KILL_AT"])
count = 0
def hook(event, arguments):
    global count
    if event == "open":
        mine = isinstance(arguments[0], str) and "/out" in arguments[0]
    else:
        mine = event in ("os.rename", "os.remove", "os.mkdir", "os.link", "os.utime", "os.rmdir", "subprocess.Popen")
    if mine:
        count += 1
        if count == left:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
sys.argv = sys.argv[1:]
sys.path.insert(0, os.path.dirname(sys.argv[0]))
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    print(count, file=sys.stderr)
"""


class Damage(Place):
    def setUp(self):
        super().setUp()
        self.name = self.study(SMALL)
        self.explore(self.name)
        self.expected = self.table("small")
        self.assertEqual(len(self.starts()), 3)
        self.store = self.folder / "out/store"
        self.result = sorted(p for p in self.store.glob("*/*") if p.is_dir() and p.parent.name != "under_way")[1]

    def expect_mended(self, runs, line):
        """The study again has the same table, made with so many more runs, and `line` is said once."""
        ended = self.explore(self.name, more=["--no-progress"])
        self.assertEqual(self.table("small"), self.expected)
        self.assertEqual(len(self.starts()), 3 + runs)
        said = [l for l in ended.stderr.splitlines() if line in l]
        self.assertEqual(len(said) if line else len(ended.stderr), 1 if line else 0, ended.stderr)
        self.assertNotIn("Traceback", ended.stderr)
        # Then it is whole.
        self.assertEqual(self.explore(self.name, more=["--no-progress"]).stderr, "")
        self.assertEqual(len(self.starts()), 3 + runs)

    def test_an_outcome_that_is_empty_cut_or_nonsense(self):
        text = (self.result / "outcome.json").read_text(encoding="utf-8")
        for runs, damaged in enumerate(("", text[:len(text) // 2], "[1, 2]", "{}", '{"exit": "0"}', "\x00" * 100), 1):
            (self.result / "outcome.json").write_text(damaged, encoding="utf-8")
            self.expect_mended(runs, "outcome.json")

    def test_an_outcome_that_is_gone(self):
        (self.result / "outcome.json").unlink()
        self.expect_mended(1, "")

    def test_a_summary_that_is_empty_cut_gone_or_anothers(self):
        summary = self.result / "result/summary.json"
        text = summary.read_text(encoding="utf-8")
        foreign = text.replace('"value": ', '"value": 7')
        self.assertNotEqual(foreign, text)
        for runs, damaged in enumerate(("", text[:len(text) // 2], foreign), 1):
            summary.write_text(damaged, encoding="utf-8")
            self.expect_mended(runs, "summary.json")
        summary.unlink()
        self.expect_mended(4, "summary.json")

    def test_an_outcome_of_another_run(self):
        other = next(p for p in self.store.glob("*/*") if p.is_dir() and p.parent.name != "under_way" and p != self.result)
        shutil.copytree(other, self.result, dirs_exist_ok=True)
        self.expect_mended(1, "another run's")

    def test_only_status_forgets_nothing(self):
        (self.result / "outcome.json").write_text("", encoding="utf-8")
        ended = self.explore(self.name, more=["--only-status"])
        self.assertIn("outcome.json", ended.stderr)
        self.assertEqual((self.result / "outcome.json").read_text(encoding="utf-8"), "")

    def test_what_a_dead_process_left_beside_a_file_goes(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        host = socket.gethostname()
        table = next(self.folder.glob("out/small/points.csv"))
        copy = next(self.folder.glob("out/programs/*/fake_horae"))
        left = [path.with_name(f".{path.name}.{host}.{dead.pid}.part") for path in (table, copy)]
        stays = [path.with_name(f".{path.name}.{who}.part") for path in (table, copy)
                 for who in (f"elsewhere.{dead.pid}", f"{host}.{os.getpid()}")]
        for path in (*left, *stays):
            path.write_text("half", encoding="utf-8")
        copy.write_bytes(b"damaged")
        self.explore(self.name)
        self.assertEqual([p for p in left if p.exists()], [])
        self.assertEqual([p for p in stays if not p.exists()], [])

    def test_a_folder_without_an_owner_goes_when_its_run_is_made(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        (self.store / f"under_way/{self.result.name}.{socket.gethostname()}.{dead.pid}.1.0").mkdir()
        shutil.rmtree(self.result)
        self.explore(self.name)
        self.assertEqual(list(self.store.glob("under_way/*")), [])

    def test_a_damaged_copy_of_the_program_is_copied_again(self):
        copy = next(self.folder.glob("out/programs/*/fake_horae"))
        copy.write_bytes(copy.read_bytes()[:100])
        (self.folder / "p.toml").write_text("another platform\n", encoding="utf-8")
        ended = self.explore(self.name)
        self.assertIn("copied again", ended.stderr)
        self.assertEqual(len(self.starts()), 6)


class DeadClaims(Place):
    """Claims that no living process has, told by time."""

    def setUp(self):
        super().setUp()
        from lib.explore.store import Store  # pylint: disable=import-outside-toplevel
        self.make = lambda **more: Store(self.folder / "store", stale_s=0.3, **more)
        self.path = self.folder / "store/aa/aa1.claim"
        self.path.parent.mkdir(parents=True)

    def expect_taken_in_time(self, ahead_s=0):
        if ahead_s:
            os.utime(self.path, (time.time() + ahead_s, time.time() + ahead_s))
        store, begin = self.make(), time.monotonic()
        self.assertFalse(store.claim("aa1"))
        while not store.claim("aa1"):
            self.assertLess(time.monotonic() - begin, 5)
            time.sleep(0.02)
        self.assertGreater(time.monotonic() - begin, 0.2)
        store.release("aa1")

    def test_what_nobody_can_read(self):
        for text in ("", '{"host": "elsew', "[]", '{"host": 7}', "\x00" * 50):
            self.path.write_text(text, encoding="utf-8")
            self.expect_taken_in_time()

    def test_a_time_in_the_future(self):
        owner = {**self.make().owner, "host": "elsewhere"}
        self.path.write_text(json.dumps(owner), encoding="utf-8")
        self.expect_taken_in_time(ahead_s=10_000)

    def test_a_container_of_the_same_name_is_another_host(self):
        store = self.make()
        for other in ({"processes": "pid:[1]"}, {"boot": "another"}):
            # By its number its process would be dead, or be another.
            self.path.write_text(json.dumps({**store.owner, "started": 1, **other}), encoding="utf-8")
            self.assertFalse(self.make().claim("aa1"))
            self.path.unlink()

    def test_what_dead_processes_wrote_beside_is_swept(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        store = self.make()
        text = json.dumps({**store.owner, "pid": dead.pid, "started": 1})
        left = [self.path.with_name(f".aa1.claim.here.{dead.pid}.0"), self.path.with_name("aa1.claim.takeover"),
                self.folder / f"store/.now.here.{dead.pid}.1"]
        for path in left:
            path.write_text(text, encoding="utf-8")
        store.sweep()
        self.assertEqual([p for p in left if p.exists()], [])

    def test_that_of_a_run_that_is_made_is_swept(self):
        dead = subprocess.Popen(["true"])
        dead.wait()
        store = self.make()
        made = self.folder / "store/aa/aa1"
        made.mkdir()
        (made / "outcome.json").write_text(json.dumps({"exit": 2, "key": "aa1"}), encoding="utf-8")
        living = self.path.with_name("aa2.claim")
        for path, owner in ((self.path, {"pid": dead.pid, "started": 1}), (living, {})):
            path.write_text(json.dumps({**store.owner, **owner}), encoding="utf-8")
        (made.with_name("aa2")).mkdir()
        (made.with_name("aa2") / "outcome.json").write_text(json.dumps({"exit": 2, "key": "aa2"}), encoding="utf-8")
        open_one = self.path.with_name("aa3.claim")  # its run is still to be made, by whoever takes it over
        open_one.write_text(json.dumps({**store.owner, "pid": dead.pid, "started": 1}), encoding="utf-8")
        store.sweep()
        self.assertEqual([p.name for p in (self.path, living, open_one) if p.exists()], ["aa2.claim", "aa3.claim"])


class Kills(Place):
    def killed(self, name, at):
        """Whether it was killed at that operation; how many there were if not."""
        environment = {**self.environment(0), "KILL_AT": str(at)}
        ended = subprocess.run([sys.executable, "-c", KILLER, *self.command(name, jobs=1)], cwd=self.folder,
                               env=environment, capture_output=True, text=True, check=False)
        if ended.returncode == -signal.SIGKILL:
            return True, at
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return False, int(ended.stderr.splitlines()[-1])

    def test_killed_at_any_operation_on_files_it_resumes_to_the_same_bytes(self):
        name = self.study(SMALL)
        self.explore(name, out="whole")
        expected = self.table("small", "whole")
        _, operations = self.killed(name, 0)
        self.assertGreater(operations, 60)
        stream = random.Random(1)
        tries = int(os.environ.get("HORAE_KILLS", "5"))
        for _ in range(tries):
            shutil.rmtree(self.folder / "out")
            at = stream.randint(1, operations)
            self.assertTrue(self.killed(name, at)[0], at)
            self.explore(name)
            self.assertEqual(self.table("small"), expected, at)
            self.assertEqual(sorted(p.name for p in self.folder.glob("out/store/under_way/*")), [], at)
            self.assertEqual(sorted(p.name for p in self.folder.glob("out/**/*") if "claim" in p.name), [], at)


if __name__ == "__main__":
    unittest.main()
