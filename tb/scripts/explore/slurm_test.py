#!/usr/bin/python3
"""The same study on a Slurm cluster and on this machine: the same bytes, also when the workers are cancelled and
whoever waits for them is killed. Exit code 77 (skipped) where Slurm cannot run."""
import json
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import explore_test  # noqa: E402
from explore_test import GRID, search  # noqa: E402
from slurm_cluster import Cluster, missing  # noqa: E402

SKIPPED = 77


class OnACluster(explore_test.Place):
    def setUp(self):
        super().setUp()
        cluster = Cluster(self.folder / "cluster")
        self.slurm = cluster.__enter__()
        self.addCleanup(cluster.__exit__)

    def environment(self, delay):
        return {**self.slurm, **super().environment(delay), "PATH": self.slurm["PATH"]}

    def job(self):
        """The array job that the study waits for."""
        file = self.folder / "out/grid/slurm.json"
        return json.loads(file.read_text())["job"] if file.exists() else None

    def wait_for(self, what):
        end = time.monotonic() + 60
        while not what():
            self.assertLess(time.monotonic(), end, "nothing came of it")
            time.sleep(0.05)

    def test_the_table_is_that_of_a_local_run(self):
        study = self.study(GRID)
        self.explore(study, out="local")
        self.log.unlink()
        said = self.explore(study, more=["--slurm", "--partition", "short", "--array-most", "3"], delay=0.05).stderr
        self.assertIn("submitted array job 1: 3 workers", said)
        self.assertEqual(self.table("grid"), self.table("grid", "local"))
        self.assertEqual((len(self.starts()), len(set(self.starts()))), (15, 15))
        # Nothing is left to do, so nothing is submitted.
        again = self.explore(study, more=["--slurm"]).stderr
        self.assertNotIn("submitted", again)
        # A search, in more batches than array jobs may end in vain.
        study = self.study(search("tpe", 10).replace("batch = 6", "batch = 2").replace('name = "grid"',
                                                                                         'name = "search"'))
        self.explore(study, out="local")
        self.explore(study, more=["--slurm"])
        self.assertEqual(self.table("search"), self.table("search", "local"))

    def test_it_goes_on_after_its_own_end_and_that_of_its_workers(self):
        study = self.study(GRID.replace("step = 10", "step = 5"))
        self.explore(study, out="local")
        self.log.unlink()
        waiting = self.begin(study, more=["--slurm"], delay=0.4)
        self.wait_for(lambda: len(self.starts()) >= 4)
        waiting.kill()
        waiting.communicate()
        first = self.job()
        again = self.begin(study, more=["--slurm"], delay=0.4)
        before = len(self.starts())
        self.wait_for(lambda: len(self.starts()) >= before + 3)
        self.assertEqual(self.job(), first)  # it waits for the workers that are there
        subprocess.run(["scancel", first], env=self.slurm, check=True)
        _, said = again.communicate(timeout=120)
        self.assertEqual(again.returncode, 0, said)
        self.assertNotEqual(self.job(), first)
        self.assertEqual(self.table("grid"), self.table("grid", "local"))
        # Only what was under way when the workers were cancelled ran again.
        self.assertLessEqual(len(self.starts()), 27 + 2)

    def test_a_cluster_that_refuses_is_one_line(self):
        ended = self.explore(self.study(GRID), more=["--slurm", "--partition", "long", "--no-progress"], code=2)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        self.assertIn("explore: sbatch: ", ended.stderr)
        self.assertIn("nvalid partition", ended.stderr)


if __name__ == "__main__":
    lacking = missing()
    if lacking or os.geteuid() != 0:
        why = f"no {', '.join(lacking)}: scripts/setup installs Slurm" if lacking else "not root: Slurm starts jobs as " \
            "their users"
        print(f"skipped: {why}")
        sys.exit(SKIPPED)
    unittest.main()
