"""A study on a cluster: an array job of workers that share a study's queue and the store with whoever
waits for them.

queue.json in the study's folder has the runs that are wanted now. A worker makes those that nobody is at,
and ends when there are none. Whoever waits submits workers whenever there is something to do and no worker
of the study is known to Slurm: so neither end of a worker nor of the waiting process loses more than runs
under way."""
import pathlib
import shlex
import subprocess
import sys
import time

from lib.common.complaint import Complaint
from lib.common.files import read_json, write_json, write_whole
from .runs import Run

POLL_S = 1.0
MOST_VAIN = 3  # submissions in a row after which nothing was done


def write_queue(folder, points):
    write_json(folder / "queue.json", {"schema": 1, "points": [[r.to_json() for r in runs] for runs in points]})


def read_queue(folder):
    queue = read_json(pathlib.Path(folder) / "queue.json")
    if queue is None:
        raise Complaint(f"{folder}: no queue.json: expected the folder of a study that runs on a cluster")
    return [[Run(**r) for r in runs] for runs in queue["points"]]


def slurm(*command):
    """What a Slurm command prints."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as e:
        raise Complaint(f"--slurm: no command '{command[0]}' here: expected a host of a Slurm cluster") from e
    if ended.returncode != 0:
        lines = (ended.stderr.strip() or f"exit code {ended.returncode}").splitlines()
        raise Complaint(f"{command[0]}: {lines[-1]}")
    return ended.stdout


class Cluster:
    """Workers of one study. `options`: more of sbatch's."""

    def __init__(self, folder, name, array_most, options, explore):
        self.folder, self.name = folder, name
        self.array_most, self.options, self.explore = array_most, options, explore

    def job(self):
        """The workers' job while Slurm has it waiting or running, or None."""
        known = read_json(self.folder / "slurm.json")
        if known is None:
            return None
        ended = subprocess.run(["squeue", "--noheader", "--jobs", known["job"], "--format", "%T"], capture_output=True,
                               text=True, check=False)
        # A job that Slurm has forgotten is an error of squeue's; so is a controller that does not answer.
        if ended.returncode != 0:
            if "Invalid job id" in ended.stderr:
                return None
            raise Complaint(f"squeue: {(ended.stderr.strip() or 'failed').splitlines()[-1]}")
        states = ended.stdout.split()
        return known["job"] if any(s not in ("COMPLETING", "COMPLETED", "FAILED", "CANCELLED") for s in states) else None

    def submit(self, count):
        logs = self.folder / "slurm"
        logs.mkdir(exist_ok=True)
        script = self.folder / "worker.sh"
        write_whole(script, "#!/bin/sh\n"
                    f"exec {shlex.join(self.explore + ['--worker', str(self.folder)])}\n")
        out = slurm("sbatch", "--parsable", f"--job-name=horae-{self.name}",
                    f"--array=0-{min(count, self.array_most) - 1}", "--cpus-per-task=1",
                    f"--output={logs}/%A_%a.out", *self.options, str(script))
        job = out.strip().split(";")[0]
        write_json(self.folder / "slurm.json", {"job": job})
        print(f"submitted array job {job}: {min(count, self.array_most)} workers", file=sys.stderr)

    def run_all(self, points, store, watch):
        """Waits until the runs of `points` are made."""
        left = [runs for runs in points if not made(runs, store)]
        if not left:
            return True
        self.folder.mkdir(parents=True, exist_ok=True)
        write_queue(self.folder, left)
        vain, left_then = 0, None  # of these points: a batch knows nothing of the one before
        while True:
            left = [runs for runs in left if not made(runs, store)]
            watch(len(points) - len(left))
            if not left:
                return True
            if self.job() is None:
                left = [runs for runs in left if not made(runs, store)]  # done before the job was gone
                if not left:
                    continue
                vain = vain + 1 if left_then == len(left) else 1
                if vain > MOST_VAIN:
                    raise Complaint(f"{MOST_VAIN} array jobs ended and no run was made; see {self.folder / 'slurm'}")
                left_then = len(left)
                self.submit(len(left))
            time.sleep(POLL_S)


def made(runs, store):
    for run in runs:
        outcome = store.outcome(run.key)
        if outcome is None:
            return False
        if outcome["exit"] != 0:
            return True
    return True
