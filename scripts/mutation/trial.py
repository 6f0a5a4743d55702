"""Mutations of a room, compiled behind switches, held against the tests that come past them."""
import dataclasses
import hashlib
import json
import math
import os
import re
import subprocess

from .building import Failed

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
    """A batch of mutations of one room and the test binaries it is held against. A test may take `factor` times the
    processor time that it takes unchanged, and 2 s, whatever else the machine does."""

    def __init__(self, building, root, factor, name, mutations, binaries, alone=False):
        assert len(mutations) < SWITCHES
        self.building, self.root, self.factor, self.name = building, root, factor, name
        self.numbers = {m.key(): n for n, m in enumerate(mutations, 1)}
        self.objects, self.left_out = building.switched(root, name, list(enumerate(mutations, 1)))
        if alone:
            self.left_out = set(self.numbers.values())
        self.binaries = {t: building.link(t, self.objects, building.work / f"{name}_{t}") for t in binaries}
        self.tests = {t: self._profile(binary) for t, binary in self.binaries.items()}

    def _profile(self, binary):
        """Runs each test once with all switches off."""
        digest = hashlib.sha256(binary.read_bytes()).hexdigest()
        kept = binary.with_suffix(".tests.json")
        found = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        if found.get("binary") != digest:
            found = {"binary": digest, "tests": self._run(binary, {})}
            for name, how, _, _ in found["tests"]:
                if how != "passed":
                    raise Failed(f"{binary.name}: {name}: {how}: it must pass before anything is changed")
            kept.write_text(json.dumps(found), encoding="utf-8")
        return [Test(name, float(seconds), frozenset(i for i, c in enumerate(marks) if c != "0"),
                     frozenset(i for i, c in enumerate(marks) if c == "3"))
                for name, _, seconds, marks in found["tests"]]

    def seconds(self):
        """Processor time of all tests, once."""
        return sum(x.seconds for of in self.tests.values() for x in of)

    def verdict(self, mutation):
        """(verdict, by what). Verdicts: caught, survived, invalid (does not compile)."""
        number = self.numbers[mutation.key()]
        source = self.root / mutation.file
        reaching = {t: [x for x in of if number in x.passes] for t, of in self.tests.items()}
        if number in self.left_out or not any(reaching.values()):
            target = self.building.work / "mutant.o"
            lines = source.read_text(encoding="utf-8").splitlines()
            try:
                self.building.changed(source, "\n".join(mutation.applied(lines)) + "\n", target)
            except Failed:
                return "invalid", ""
            if number not in self.left_out:
                return "survived", f"no test of {', '.join(self.binaries)} comes to it"
            # Compiled by itself, and held against all tests: where it is reached is not known.
            return self._held_against(source, self.tests, {}, target)
        if any(number in x.invalid for of in reaching.values() for x in of):
            return "invalid", ""
        return self._held_against(source, reaching, {"HORAE_MUTATION": str(number)}, None)

    def _held_against(self, source, tests, environment, target):
        for t, of in tests.items():
            binary = self.binaries[t]
            if target:
                binary = self.building.link(t, [target, *self.objects], self.building.work / "mutant")
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
        environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1", "HORAE_MUTATION_REPORT": str(report),
                       **environment}
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
