"""Tests in Python that hold the program against what runs print and pages say: each file is one test."""
import os
import pathlib
import resource
import subprocess
import sys

WALL_S = 600
LEAST_S = 2  # none of them is quicker
FILES = ("pages_test.py", "second_opinion_test.py", "printed_test.py")  # quick ones first


class ProgramScripts:
    """Run without a mutation, a file tells by marks which switches it comes past, as tests in C++ do. Those are left out
    that take more than `longest` seconds of processor time."""

    def __init__(self, root, program, environment, place, longest):
        self.folder, self.passes = root / "tb/scripts", {}
        for file in FILES if longest >= LEAST_S else ():
            marks = place / "marks_of_scripts"
            marks.unlink(missing_ok=True)
            before = _processor_seconds()
            if self._fails(file, {**environment, "HORAE_PROGRAM": str(program), "HORAE_MUTATION_MARKS": str(marks)}):
                print(f"{file}: fails with nothing changed: left out", flush=True)
            elif _processor_seconds() - before <= longest:
                self.passes[file] = frozenset(i for i, mark in enumerate(marks.read_bytes()) if mark)

    def caught(self, numbers, program, environment):
        """The first file that fails; of those that come past one of these switches, or of all."""
        for file, passes in self.passes.items():
            if (numbers is None or passes & numbers) and self._fails(file, {**environment, "HORAE_PROGRAM": str(program)}):
                return file
        return None

    def _fails(self, file, environment):
        try:
            return subprocess.run([sys.executable, "-B", self.folder / file], cwd=pathlib.Path(environment["TMPDIR"]),
                                  env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  timeout=WALL_S, preexec_fn=_limited, check=False).returncode != 0
        except subprocess.TimeoutExpired:
            return True


def _processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _limited():
    resource.setrlimit(resource.RLIMIT_CPU, (60, 61))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
