"""Mutations of scripts, each written into a copy of the project and held against the tests that come past its line."""
import ast
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from . import python
from .trial import Test

HERE = pathlib.Path(__file__).resolve().parent
WALL_S = 120  # more than 20 times the processor time: it waits for nothing
LIST = """import json, sys, unittest
sys.argv[1:] = []
def names(suite):
    for x in suite:
        yield from names(x) if isinstance(x, unittest.TestSuite) else [x.id()]
import importlib.util as u
spec = u.spec_from_file_location("tests", FILE)
module = u.module_from_spec(spec)
sys.path.insert(0, FILE.rsplit("/", 1)[0])
spec.loader.exec_module(module)
print(json.dumps([n.split(".", 1)[1] for n in names(unittest.defaultTestLoader.loadTestsFromModule(module))]))
"""


class ScriptTrial:
    """The same questions as those of Trial; nothing is compiled."""

    def __init__(self, root, build, factor, longest, files):
        self.factor, self.longest, self.left_out, self.at_once = factor, longest, set(), 1  # there is one copy
        self.work = build.resolve() / "mutation/scripts"
        self.copy = self.work / "copy"
        self.environment = {**os.environ, "HORAE_PROGRAM": str(build.resolve() / "platforms/horae"),
                            "PYTHONDONTWRITEBYTECODE": "1", "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
        made = build.resolve() / "tb/scripts/report_results"  # by the test scripts/report_results; else each test makes them
        if made.is_dir():
            self.environment["HORAE_REPORT_RESULTS"] = str(made)
        self._copied(root, build)
        self.tests = {file: self._profile(file) for file in files}

    def _copied(self, root, build):
        """Every file that the project keeps, as it is on the disk; those that are mutated are written anew."""
        shutil.rmtree(self.copy, ignore_errors=True)
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                capture_output=True, text=True, check=True).stdout.split("\0")
        self.digests = {}
        for name in sorted(filter(None, listed)):
            if not (root / name).is_file():
                continue
            target = self.copy / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target, follow_symlinks=False)
            if name.startswith(("scripts/", "tb/scripts/", "tb/tools/")):
                self.digests[name] = hashlib.sha256(target.read_bytes()).hexdigest()
        (self.copy / "build").symlink_to(build.resolve())

    def _files(self, file, tests):
        """Digests of what the profile of a file of tests depends on: itself, the scripts that it came past, and what stands beside
        it and is named in it."""
        past = {line.rsplit(":", 1)[0] for _, _, lines in tests for line in lines}
        words = {pathlib.PurePath(file).stem, *re.findall(r"\w+", (self.copy / "tb/scripts" / file).read_text(encoding="utf-8"))}
        return {name: digest for name, digest in self.digests.items()
                if name in past or name.startswith("tb/scripts/") and pathlib.PurePath(name).stem in words}

    def _profile(self, file):
        """Runs each test of a file once, and keeps the lines of scripts that it comes past."""
        kept = self.work / f"{file}.json"
        kept.parent.mkdir(parents=True, exist_ok=True)
        found = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        if "files" not in found or found["files"] != self._files(file, found["tests"]):
            program = LIST.replace("FILE", repr(str(self.copy / "tb/scripts" / file)))
            names = json.loads(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                                              env=self.environment, cwd=self.work).stdout)
            found = {"tests": []}
            for name in names:
                lines = self.work / "lines"
                lines.unlink(missing_ok=True)
                watched = {"PYTHONPATH": str(HERE / "watch"), "HORAE_MUTATION_LINES": str(lines),
                           "HORAE_MUTATION_SCRIPTS": f"{self.copy}/scripts/{os.pathsep}{self.copy}/tb/tools/"}
                if not self._passes(file, [name], 3600, watched):
                    print(f"scripts: {file} {name} fails unchanged in the copy: left out", flush=True)
                    continue
                past = sorted(set(lines.read_text(encoding="utf-8").splitlines())) if lines.exists() else []
                found["tests"].append([name, self._seconds(file, name), past])
            found["files"] = self._files(file, found["tests"])
            kept.write_text(json.dumps(found), encoding="utf-8")
        return [Test(name, seconds, frozenset(past), frozenset()) for name, seconds, past in found["tests"] if seconds <= self.longest]

    def _seconds(self, file, name):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._passes(file, [name], 3600, {})
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def seconds(self):
        return sum(x.seconds for of in self.tests.values() for x in of)

    def verdict(self, m):
        """(verdict, by what) of a mutation, as Trial has it."""
        target = self.copy / m.file
        text = target.read_text(encoding="utf-8")
        changed = "\n".join(m.applied(text.splitlines())) + "\n"
        try:
            compile(changed, m.file, "exec")
        except SyntaxError:
            return "invalid", ""
        past = {f"{m.file}:{line}" for line in python.span(ast.parse(text), m.line)}
        reaching = {file: sorted((x for x in of if x.passes & past), key=lambda x: x.seconds) for file, of in self.tests.items()}
        if not any(reaching.values()):
            return "survived", "no test comes to it"
        target.write_text(changed, encoding="utf-8")
        try:
            # Those of a file in one process, to the first that fails: to start one takes longer than most tests.
            for file, of in sorted(reaching.items(), key=lambda r: sum(x.seconds for x in r[1])):
                if of and not self._pass(file, of) and (caught := self._alone(file, of)):
                    return "caught", f"{file} {caught}"
        finally:
            target.write_text(text, encoding="utf-8")
        return "survived", ", ".join(file for file, of in reaching.items() if of)

    def _pass(self, file, tests):
        return self._passes(file, [x.name for x in tests], int(self.factor * sum(x.seconds for x in tests)) + 2, {})

    def _alone(self, file, tests):
        """The name of a test that fails by itself as well, the one that failed among the others first; None: there is none."""
        said = (self.work / "said").read_text(encoding="utf-8", errors="replace")
        named = {f"{group}.{name}" for name, group in re.findall(r"^(?:FAIL|ERROR): (\w+) \(__main__\.(\w+)", said, re.MULTILINE)}
        return next((x.name for x in sorted(tests, key=lambda x: x.name not in named) if not self._pass(file, [x])), None)

    def _passes(self, file, names, seconds, environment):
        def limits():
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # of a trial in the background it is ignored
        started = time.monotonic()
        with open(self.work / "said", "wb") as said, \
                subprocess.Popen([sys.executable, "-B", self.copy / "tb/scripts" / file, "-f", *names], cwd=self.work,
                                 env={**self.environment, **environment}, stdout=subprocess.DEVNULL, stderr=said,
                                 preexec_fn=limits, start_new_session=True) as process:
            try:
                code = process.wait(timeout=WALL_S + 20 * seconds - (time.monotonic() - started))
            except subprocess.TimeoutExpired:
                code = None
            try:
                os.killpg(process.pid, 9)  # what it may have left
            except ProcessLookupError:
                pass
        return code == 0
