"""Mutations of rooms, compiled behind switches, held against the tests that come past them."""
import dataclasses
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess

from .building import Failed
from .rooms import PROGRAM_TESTS, of_file

SWITCHES = 1000  # fewer than kSwitches in runner.cpp
KNOWN = ("passed", "failed", "timeout", "signal")


@dataclasses.dataclass(frozen=True)
class Test:
    """A test as it is without a mutation."""
    name: str
    seconds: float  # of processor time
    passes: frozenset  # numbers of the switches that it comes past
    invalid: frozenset  # those whose operator does not exist for the types there


class Trial:
    """A batch of mutations and the test binaries they are held against. A test may take `factor` times the
    processor time that it takes unchanged, and 2 s, whatever else the machine does. Tests of the program that took more
    than `longest` seconds when they ran last are left out."""

    def __init__(self, building, root, factor, longest, name, mutations, binaries, alone=False):
        assert len(mutations) < SWITCHES
        self.building, self.root, self.factor, self.longest, self.name = building, root, factor, longest, name
        self.environment = {"HORAE_MUTATION_MARKS": str(building.work / "marks"),
                            "HORAE_MUTATION_PROGRAM": str(self._program(name))}
        self.numbers = {m.key(): n for n, m in enumerate(mutations, 1)}
        self.objects, self.left_out = building.switched(root, name, list(enumerate(mutations, 1)))
        if alone:
            self.left_out = set(self.numbers.values())
        self.files = {n: m.file for n, m in enumerate(mutations, 1)}
        self.binaries = {t: self._linked(t, self.objects, name) for t in binaries}
        self.tests = {t: self._profile(binary) for t, binary in self.binaries.items()}

    def _program(self, name):
        """By the name that users know it by: some tests ask for it."""
        folder = self.building.work / f"{name}_program"
        folder.mkdir(exist_ok=True)
        for beside in self.building.build.glob("platforms/*.so"):  # what it loads from where it is
            (folder / beside.name).unlink(missing_ok=True)
            (folder / beside.name).symlink_to(beside)
        return folder / "horae"

    def _linked(self, test, objects, name):
        """The test binary with those objects whose rooms it is held against: a binary has no others. Tests of the program
        have none: the program has them."""
        target = self.building.work / f"{name}_{test}"
        if test != PROGRAM_TESTS:
            return self.building.link(f"tb/{test}", [o for o, file in objects.items() if test in of_file(file).tests], target)
        self.building.link("platforms/horae", objects, self._program(name))
        return self.building.link(f"tb/{test}", [self.building.program_path()], target)

    def _profile(self, binary):
        """Runs each test once with all switches off."""
        digest = hashlib.sha256(binary.read_bytes())
        if binary.name.endswith(PROGRAM_TESTS):
            digest.update(pathlib.Path(self.environment["HORAE_MUTATION_PROGRAM"]).read_bytes())
        digest = digest.hexdigest() + str(self.longest)
        kept = binary.with_suffix(".tests.json")
        found = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        if found.get("binary") != digest:
            found = {"binary": digest, "tests": self._unchanged(binary)}
            for name, how, _, _ in found["tests"]:
                # Of the program's tests a few ask how soon something happens: on a busy machine they are no judges.
                if how != "passed" and not binary.name.endswith(PROGRAM_TESTS):
                    raise Failed(f"{binary.name}: {name}: {how}: it must pass before anything is changed")
                if how != "passed":
                    print(f"{binary.name}: {name}: {how} with nothing changed: left out", flush=True)
            found["tests"] = [x for x in found["tests"] if x[1] == "passed"]
            kept.write_text(json.dumps(found), encoding="utf-8")
        return [Test(name, float(seconds), frozenset(i for i, c in enumerate(marks) if c != "0"),
                     frozenset(i for i, c in enumerate(marks) if c == "3"))
                for name, _, seconds, marks in found["tests"]]

    def _unchanged(self, binary):
        """What each test does with nothing changed; of the program those that are not too long."""
        if not binary.name.endswith(PROGRAM_TESTS):
            return self._run(binary, {"HORAE_MUTATION_TO_END": "1"})
        kept = self.building.work / "seconds.json"
        known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        listed = subprocess.run([binary], cwd=self.building.work, env={**os.environ, **self.environment,
                                "HORAE_MUTATION_LIST": "1"}, capture_output=True, text=True, check=True).stdout.split()
        file = self.building.work / "tests"
        file.write_text("".join(f"3600 {name}\n" for name in listed if known.get(name, 0) <= self.longest), encoding="utf-8")
        ran = self._run(binary, {"HORAE_MUTATION_TESTS": str(file), "HORAE_MUTATION_TO_END": "1"})
        known.update({name: float(seconds) for name, how, seconds, _ in ran if how == "passed"})
        kept.write_text(json.dumps(known), encoding="utf-8")
        return [x for x in ran if float(x[2]) <= self.longest]

    def seconds(self):
        """Processor time of all tests, once."""
        return sum(x.seconds for of in self.tests.values() for x in of)

    def verdict(self, mutation):
        """(verdict, by what). Verdicts: caught, survived, invalid (does not compile)."""
        number = self.numbers[mutation.key()]
        source = self.root / mutation.file
        reaching = {t: [x for x in self.tests[t] if number in x.passes]
                    for t in sorted(self.tests, key=lambda t: t == PROGRAM_TESTS)}
        if number in self.left_out or not any(reaching.values()):
            target = self.building.work / "mutant.o"
            lines = source.read_text(encoding="utf-8").splitlines()
            try:
                self.building.changed(source, "\n".join(mutation.applied(lines)) + "\n", target)
            except Failed:
                return "invalid", ""
            if number not in self.left_out:
                return "survived", f"no test of {', '.join(self.binaries)} comes to it"
            # Compiled by itself: which tests reach it is not known.
            return self._held_against(source, self._of_source(mutation.file), {}, target)
        if any(number in x.invalid for of in reaching.values() for x in of):
            return "invalid", ""
        return self._held_against(source, reaching, {"HORAE_MUTATION": str(number)}, None)

    def _of_source(self, file):
        """The tests for what cannot be switched: of the program those that come past any switch of the source, if it has
        one; else all."""
        numbers = {n for n, f in self.files.items() if f == file and n not in self.left_out}
        return {t: [x for x in of if x.passes & numbers] if t == PROGRAM_TESTS and numbers else of
                for t, of in self.tests.items() if t in of_file(file).tests}

    def _held_against(self, source, tests, environment, target):
        for t, of in tests.items():
            binary = self.binaries[t]
            if target:
                binary = self._linked(t, {target: str(source.relative_to(self.root)), **self.objects}, "mutant")
                environment = {"HORAE_MUTATION_PROGRAM": str(self._program("mutant"))}
            if of and (caught := self._caught(binary, self._in_order(t, source, of), environment)):
                return "caught", caught
        return "survived", ", ".join(t for t, of in tests.items() if of)

    def _in_order(self, binary, source, tests):
        """Tests of files that name the source first, and quick ones before slow ones; by powers of four, because
        times differ a little from run to run."""
        near = self._near(binary, source)
        return sorted(tests, key=lambda x: (_suite(x.name) not in near, math.floor(math.log(max(x.seconds, 0.01), 4))))

    def _near(self, binary, source):
        """Suites of the test files that name the source's header."""
        folder, suites = self.root / "tb" / binary.removeprefix("horae_tb_").replace("_", "/"), set()
        for file in folder.glob("*_test.cpp"):
            text = file.read_text(encoding="utf-8")
            if source.stem in text or file.stem.startswith(source.stem):
                suites |= set(re.findall(r"^TEST(?:_F|_P)?\((\w+),", text, re.MULTILINE))
        return suites

    def _caught(self, binary, tests, environment):
        """What catches the mutation; None: all pass."""
        file = self.building.work / "tests"
        file.write_text("".join(f"{int(self.factor * x.seconds) + 2} {x.name}\n" for x in tests), encoding="utf-8")
        ran = self._run(binary, {**environment, "HORAE_MUTATION_TESTS": str(file)})
        if len(ran) < len(tests) or ran[-1][1] != "passed":
            if not ran:
                return "before any test"
            name, how = ran[-1][:2]
            return name if how == "failed" else f"{name} ({how})"
        return None

    def _run(self, binary, environment):
        report = self.building.work / "report"
        report.unlink(missing_ok=True)
        pathlib.Path(self.environment["HORAE_MUTATION_MARKS"]).unlink(missing_ok=True)
        environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1", "HORAE_MUTATION_REPORT": str(report),
                       **self.environment, **environment}
        subprocess.run([binary], cwd=self.building.work, env=environment, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)
        if not report.exists():
            return []
        lines = [line.split("\t") for line in report.read_text(encoding="utf-8").splitlines()]
        return [line for line in lines if len(line) == 4 and line[1].split()[0] in KNOWN]


def _suite(name):
    """The name of TEST, TEST_F or TEST_P in the sources."""
    parts = name.split(".")[0].split("/")
    return parts[1] if len(parts) > 1 and not parts[1].isdigit() else parts[0]
