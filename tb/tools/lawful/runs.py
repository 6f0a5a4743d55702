"""Runs of a platform by the program `horae`, each in a folder of its own. `horae batch` makes them: to start a process
takes longer than most of these runs."""
import copy
import csv
import json
import pathlib
import signal
import subprocess
import threading

import tomli_w

TIMEOUT_S = 120


class Ended:
    """How a run ended: exit code (negative: signal; None: it took too long), summary, what it said, its folder."""

    def __init__(self, code, out, err, folder):
        self.code, self.err, self.folder = code, err.strip(), folder
        self.summary = json.loads(out) if code in (0, 4) and out else None

    def flows(self):
        with open(self.folder / "flows.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def result(self, name):
        return self.summary["results"].get(name, {}).get("value")


class Batch:
    """A `horae batch`, started again where it ended."""

    def __init__(self, program):
        self.program, self.process = program, None

    def ended(self, arguments):
        """(exit code, negative: signal, None: it took too long; output; what it said) of a command line."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen([self.program, "batch", "--limit", str(TIMEOUT_S)], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True, encoding="utf-8")
        try:
            self.process.stdin.write(json.dumps(arguments) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = ""
        if not answer:
            raise ChildProcessError(f"{self.program} batch ended at {arguments}")
        answer = json.loads(answer)
        if answer["signal"] == signal.SIGALRM:
            return None, "", f"not over after {TIMEOUT_S} s"
        return answer["exit"] if answer["signal"] is None else -answer["signal"], answer["out"], answer["err"]


BATCHES = threading.local()


def batch(program):
    """This thread's."""
    if getattr(BATCHES, "of", None) is None or BATCHES.of.program != program:
        BATCHES.of = Batch(program)
    return BATCHES.of


class Subject:
    """A platform and its runs. The first one is made at once; laws ask for others."""

    def __init__(self, program, platform, place):
        self.program, self.platform, self.place = program, platform, pathlib.Path(place)
        self.runs = 0
        self.base = self.run(platform)

    def run(self, platform, *options):
        self.runs += 1
        name = f"run{self.runs}"
        file = self.place / f"{name}.toml"
        file.write_text(tomli_w.dumps(platform), encoding="utf-8")
        folder = self.place / name
        return self.start("run", str(file), "--out", str(folder), *options, folder=folder)

    def changed(self, change):
        """The run of the platform after change(copy of it)."""
        other = copy.deepcopy(self.platform)
        change(other)
        return self.run(other)

    def start(self, command, *arguments, folder):
        words = [command, *arguments, "--json", "--no-progress"]
        if "--ranks" not in arguments:
            return Ended(*batch(self.program).ended(words), folder)
        # mpirun prints what its ranks say, which a batch does not see.
        try:
            done = subprocess.run([self.program, *words], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        except subprocess.TimeoutExpired:
            return Ended(None, "", f"not over after {TIMEOUT_S} s", folder)
        return Ended(done.returncode, done.stdout, done.stderr, folder)
