"""Runs of horae: what one is, making one, and many at once."""
import collections
import dataclasses
import hashlib
import json
import os
import shutil
import signal
import subprocess
import threading
import time

# A run that ends so was stopped, by us or a scheduler: it has no result.
STOPPED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
WAIT_S = 0.05  # until a run that is another worker's is looked at again


@dataclasses.dataclass
class Run:
    """Equal keys have equal results."""
    key: str
    kind: str
    arguments: list  # of the program, without --out
    config_hash: str
    program: str
    version: str

    def to_json(self):
        return dataclasses.asdict(self)


def make_run(program, command, sets, config_hash, file):
    arguments = [command.kind] + (["--objects", file] if command.objects else [file])
    arguments += ["--point", command.point] if command.point is not None else []
    for key, value in sets:
        arguments += ["--set", f"{key}={value}"]
    arguments += command.options
    # Finding changes that would fit is the study's business, and takes minutes.
    arguments += ["--no-progress", *{"run": [], "size": ["--no-remedies"], "explain": ["--jobs", "1"]}[command.kind]]
    name = json.dumps([1, config_hash, command.kind, command.options, program.identity])
    return Run(hashlib.sha256(name.encode()).hexdigest()[:40], command.kind, arguments, config_hash,
               str(program.path), program.version)


class Workers:
    """Makes runs of a store, `jobs` at a time."""

    def __init__(self, store, jobs):
        self.store, self.jobs = store, jobs
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.processes = set()
        self.started = 0  # runs made here
        self.running = 0

    def run_all(self, points, watch=None):
        """Makes the runs of `points`, lists of runs of which each is made if the one before ended well.
        `watch`(done) is called now and then. False if stopped."""
        todo = collections.deque((points_runs, 0.0) for points_runs in points)
        left = [len(points)]
        failures = []

        def work():
            try:
                while not self.stopping.is_set():
                    with self.lock:
                        if left[0] == 0:
                            return
                        item = todo.popleft() if todo else None
                    if item is None or item[1] > time.monotonic():
                        if item is not None:
                            with self.lock:
                                todo.append(item)
                        time.sleep(WAIT_S / 5)
                        continue
                    done = self.work_at(item[0])
                    with self.lock:
                        if done:
                            left[0] -= 1
                        else:
                            todo.append((item[0], time.monotonic() + WAIT_S))
            except BaseException as e:  # pylint: disable=broad-except
                failures.append(e)
                self.stop()
            finally:
                ended.release()

        # Not Thread.join: interrupted, it takes a thread that runs for one that has ended.
        ended = threading.Semaphore(0)
        begun = 0
        try:
            for _ in range(min(self.jobs, max(1, len(points)))):
                threading.Thread(target=work).start()
                begun += 1
            while begun > 0:
                if watch is not None:
                    watch(len(points) - left[0])
                if ended.acquire(timeout=0.1):
                    begun -= 1
        except BaseException:
            self.stop()
            for _ in range(begun):
                ended.acquire()
            raise
        if failures:
            raise failures[0]
        return left[0] == 0

    def stop(self):
        """Ends what is running, without a result."""
        self.stopping.set()
        with self.lock:
            for process in self.processes:
                process.kill()

    def work_at(self, runs):
        """Whether nothing of the point is left to do; False while another worker is at it."""
        for run in runs:
            outcome = self.store.outcome(run.key)
            if outcome is None:
                if not self.store.claim(run.key):
                    return False
                try:
                    outcome = self.make(run)
                finally:
                    self.store.release(run.key)
                if outcome is None:
                    return False
            if outcome["exit"] != 0:
                return True
        return True

    def make(self, run):
        """Makes a run; its outcome, or None if it was stopped."""
        workplace = self.store.workplace(run.key)
        result = workplace / "result"
        begin, when = time.monotonic(), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        # The run ends with the thread that started it, even when that is killed: a claim that is taken
        # over has nobody left at it.
        command = ["setpriv", "--pdeathsig", "KILL", "--", run.program, *run.arguments, "--out", str(result)]
        with open(workplace / "stderr.txt", "w+b") as err:
            with self.lock:
                if self.stopping.is_set():
                    shutil.rmtree(workplace, ignore_errors=True)
                    return None
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err,
                                           process_group=0)
                self.processes.add(process)
                self.started += 1
                self.running += 1
            _, status, usage = os.wait4(process.pid, 0)
            code = os.waitstatus_to_exitcode(status)
            with self.lock:
                process.returncode = code
                self.processes.discard(process)
                self.running -= 1
            err.seek(0)
            text = err.read().decode("utf-8", "replace").replace(str(workplace), "DIR")
        # A process that ended by itself while others were stopped has a result.
        if code < 0 and (-code in STOPPED or (-code == signal.SIGKILL and self.stopping.is_set())):
            shutil.rmtree(workplace, ignore_errors=True)
            return None
        outcome = {
            "schema": 1, "command": run.kind, "arguments": run.arguments, "config_hash": run.config_hash,
            "version": run.version, "exit": code if code >= 0 else 128 - code, "signal": -code if code < 0 else None,
            "stderr": text[:4000], "wall_s": round(time.monotonic() - begin, 3),
            "cpu_s": round(usage.ru_utime + usage.ru_stime, 3), "host": self.store.owner["host"], "when": when}
        self.store.publish(run.key, workplace, outcome)
        return outcome
