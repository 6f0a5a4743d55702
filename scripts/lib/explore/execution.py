"""Where runs are made and what is kept of them, as the options of a script say: here, so many at a time, or on a
Slurm cluster."""
import argparse
import os
import pathlib
import signal
import subprocess
import sys

from lib.common.installation import BUILT, ROOT, find_program, is_installed

from lib.common.complaint import Complaint
from lib.common.program import Program
from .runs import Workers
from .slurm import Cluster, made
from .store import Store

EXIT_INTERRUPTED = 130


def whole(least):
    def check(text):
        if not text.isdigit() or int(text) < least:
            raise argparse.ArgumentTypeError(f"found '{text}', expected a whole number of {least} or more")
        return int(text)
    return check


def add_options(parser):
    parser.add_argument("--jobs", type=whole(1), metavar="N", help="runs at the same time (default: one per core)")
    parser.add_argument("--program", metavar="FILE", default=str(find_program()),
                        help="horae (default: that of the installation, or build/platforms/horae, which is built if it is "
                        "not there)")
    parser.add_argument("--retry-failed", action="store_true", help="run again what failed before (exit 1, 4, killed)")
    parser.add_argument("--slurm", action="store_true", help="run on a Slurm cluster that shares the folder of results")
    parser.add_argument("--partition", metavar="P", help="with --slurm: the partition")
    parser.add_argument("--array-most", type=whole(1), metavar="N", default=100,
                        help="with --slurm: workers at the same time, at most (100)")
    parser.add_argument("--sbatch", metavar="OPTION", action="append", default=[],
                        help="with --slurm: another option of sbatch, such as --sbatch=--time=1:00:00; may be repeated")
    parser.add_argument("--no-progress", action="store_true", help="no progress line")


def interruptible():
    """What ends a process politely interrupts it."""
    def interrupt(_signal, _frame):
        raise KeyboardInterrupt
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)


class Execution:
    """`base`: the folder of studies, with the store of results in it. `read_only`: nothing is run or written."""

    def __init__(self, options, base, read_only=False):
        self.options, self.base, self.read_only = options, base, read_only
        # So that a study is one command from a clean checkout.
        if not read_only and not is_installed() and pathlib.Path(options.program) == BUILT and not BUILT.exists():
            subprocess.run([ROOT / "scripts/build"], check=True, stdout=sys.stderr)
        self.program = Program(options.program, None if read_only else base / "programs")
        self.store = Store(base / "store", read_only=read_only)
        if not read_only:
            self.store.sweep()
        self.workers = Workers(self.store, options.jobs or len(os.sched_getaffinity(0)))

    def run_all(self, name, runs, watch):
        """Makes lists of runs of the study `name`; False if it was stopped. `watch`(done, running)."""
        if self.read_only:
            return all(made(r, self.store) for r in runs)
        if not self.options.slurm:
            return self.workers.run_all(runs, lambda done: watch(done, self.workers.running))
        more = [f"--partition={self.options.partition}"] if self.options.partition else []
        cluster = Cluster(self.base / name, name, self.options.array_most,
                          [f"--chdir={os.getcwd()}", *more, *self.options.sbatch],
                          [sys.executable, str(ROOT / "scripts/explore")])
        return cluster.run_all(runs, self.store, lambda done: watch(done, len(runs) - done))


def folder(path, option):
    """A folder that is there or can be made."""
    path = pathlib.Path(path)
    if path.exists() and not path.is_dir():
        raise Complaint(f"{option} {path}: found a file, expected a folder")
    return path.resolve()
