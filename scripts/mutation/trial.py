"""One mutation: compiled, linked, and held against the tests."""
import os
import re
import resource
import signal
import subprocess

from .building import Failed


class Trial:
    """Tests of a room, those first that name the header of the source. A test binary may take `factor` times the
    processor time that it takes unchanged, whatever else the machine does."""

    def __init__(self, building, root, factor):
        self.building, self.root, self.factor = building, root, factor
        self.limits = {}  # of each test binary, in seconds of processor time

    def sound(self, test):
        """Runs the binary as it is, once; what fails of it, or None."""
        if test in self.limits:
            return None
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.limits[test] = 3600
        failed = self.caught(test, self.building.build / "tb" / test, "*")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.limits[test] = int(self.factor * spent) + 10
        return failed

    def verdict(self, mutation, source, tests):
        """(verdict, by what). Verdicts: caught, survived, invalid (does not compile)."""
        lines = source.read_text(encoding="utf-8").splitlines()
        text = "\n".join(mutation.applied(lines)) + "\n"
        target = self.building.work / "mutant.o"
        try:
            self.building.compile(source, text, target)
        except Failed:
            return "invalid", ""
        # Neighbours may have parts of the unchanged source in them, but that only hides a mutation: what survives
        # is tried again without such neighbours.
        if caught := self.caught_by([target], source, tests):
            return "caught", caught
        neighbours = self.building.neighbours(source)
        if neighbours and (caught := self.caught_by([target, *neighbours], source, tests)):
            return "caught", caught
        return "survived", ", ".join(tests)

    def caught_by(self, objects, source, tests):
        """What catches the mutation that is in these objects; None: nothing."""
        for test in tests:
            binary = self.building.link(test, objects, self.building.work / f"{test}.mutant")
            near = self.near(test, source)
            for only in ([near, f"-{near}"] if near else ["*"]):
                if caught := self.caught(test, binary, only):
                    return caught
        return None

    def near(self, test, source):
        """A filter for suites of the files that name the source's header."""
        folder = self.root / "tb" / test.removeprefix("horae_tb_")
        suites = set()
        for file in folder.glob("*_test.cpp"):
            text = file.read_text(encoding="utf-8")
            if source.stem in text or file.stem.startswith(source.stem):
                suites |= {f"*{s}.*" for s in re.findall(r"^TEST(?:_F|_P)?\((\w+),", text, re.MULTILINE)}
                suites |= {f"*{s}/*" for s in re.findall(r"^TEST_P\((\w+),", text, re.MULTILINE)}
        return ":".join(sorted(suites))

    def caught(self, test, binary, only):
        """The first test that fails, "timeout" or a signal; None: all pass."""
        environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        limit = self.limits[test]
        ended = subprocess.run([binary, f"--gtest_filter={only}", "--gtest_fail_fast", "--gtest_brief=1"],
                               cwd=self.building.work, env=environment, capture_output=True, text=True, check=False,
                               errors="replace",
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        if ended.returncode == 0:
            return None
        if ended.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"timeout (more than {self.factor:g} times the processor time)"
        failed = re.search(r"^\[  FAILED  \] ([\w/.]+)", ended.stdout, re.MULTILINE)
        return failed[1] if failed else f"signal {-ended.returncode}" if ended.returncode < 0 else "no test"
