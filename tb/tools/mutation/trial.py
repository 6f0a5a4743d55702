"""Mutations of rooms, compiled behind switches, held against the tests that come past them."""
import concurrent.futures
import contextlib
import dataclasses
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

from .building import Failed
from .program_scripts import ProgramScripts
from .rooms import PROGRAM_TESTS, of_file

SWITCHES = 1000  # fewer than kSwitches in runner.cpp
TEXTS = "Texts"  # what commands print and write of small inputs, to the byte
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
    processor time that it takes unchanged, and 2 s, whatever else the machine does. Tests that took more
    than `longest` seconds when they ran last are left out, and so are those of a mutation and a binary that come after `most`
    seconds of others. Verdicts may be asked for by several threads at once."""

    def __init__(self, building, root, factor, longest, name, mutations, binaries, alone=False, without=None,
                 most=math.inf):
        assert len(mutations) < SWITCHES
        self.at_once = len(os.sched_getaffinity(0))  # verdicts
        self.building, self.root, self.factor, self.longest, self.name = building, root, factor, longest, name
        self.most = most
        self.environment = {"HORAE_MUTATION_PROGRAM": str(self._program(name))}
        self.without = suites_with(root / "tb/platforms", without) if without else set()
        self.numbers = {m.key(): n for n, m in enumerate(mutations, 1)}
        self.objects, self.left_out = building.switched(root, name, list(enumerate(mutations, 1)))
        if alone:
            self.left_out = set(self.numbers.values())
        self.files = {n: m.file for n, m in enumerate(mutations, 1)}
        self.binaries = {t: self._linked(t, self.objects, name) for t in binaries}
        with self._place() as place:
            self.tests = {t: self._profile(binary) for t, binary in self.binaries.items()}
            self.scripts = None
            if PROGRAM_TESTS in binaries:
                self.scripts = ProgramScripts(root, self._program(name), _of_place(place), place, longest)

    @contextlib.contextmanager
    def _place(self):
        """A folder of one verdict: what tests write, and what says how they end."""
        with tempfile.TemporaryDirectory(dir=self.building.work) as place:
            yield pathlib.Path(place)

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
        """What each test does with all switches off. Of the program's tests those run that have not run with this program,
        or whose file has changed since."""
        of_program = binary.name.endswith(PROGRAM_TESTS)
        digest = self._digest(self._program(self.name) if of_program else binary)
        kept = binary.with_suffix(".tests.json")
        found = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        if found.get("of") != digest:
            found = {"of": digest, "tests": {}}
        texts = _texts(self.root / "tb/platforms") if of_program else {}
        known = {name: x for name, x in found["tests"].items()
                 if x[0] != "timeout" and (not of_program or x[3] == texts.get(_suite(name)))}
        for name, how, seconds, marks in self._unchanged(binary, known):
            if how != "passed" and not of_program and math.isinf(self.longest):
                raise Failed(f"{binary.name}: {name}: {how}: it must pass before anything is changed")
            # Some are cut short, and of the program's a few ask how soon something happens: on a busy machine no judges.
            if how != "passed":
                print(f"{binary.name}: {name}: {how} with nothing changed: left out", flush=True)
            known[name] = [how, float(seconds), marks, texts.get(_suite(name))]
        kept.write_text(json.dumps({**found, "tests": known}), encoding="utf-8")
        return [Test(name, seconds, frozenset(i for i, c in enumerate(marks) if c != "0"),
                     frozenset(i for i, c in enumerate(marks) if c == "3"))
                for name, (how, seconds, marks, _) in known.items()
                if how == "passed" and seconds <= self.longest and not (of_program and _suite(name) in self.without)]

    def _digest(self, binary):
        """Of a binary but for its version, which is another after each commit."""
        version = (self.building.build / "platforms/program/results/version.cpp").read_text(encoding="utf-8")
        code = binary.read_bytes()
        for text in re.findall(r'"(.+)"', version):
            code = code.replace(text.encode(), b"")
        return hashlib.sha256(code).hexdigest()

    def _unchanged(self, binary, known):
        """Runs the tests that are not known yet, as many at once as verdicts; of the program those that are not too long."""
        kept = self.building.work / "seconds.json"
        lasted = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        listed = subprocess.run([binary], cwd=self.building.work, env={**os.environ, **self.environment, "HORAE_MUTATION_LIST": "1"},
                                capture_output=True, text=True, check=True).stdout.split()
        names = [name for name in listed if name not in known and lasted.get(name, 0) <= self.longest
                 and not (binary.name.endswith(PROGRAM_TESTS) and _suite(name) in self.without)]
        if not names:
            return []
        # A test that has not run yet ends soon after it has turned out to be too long.
        limit = 3600 if math.isinf(self.longest) else math.ceil(self.longest) + 1

        def run(of):
            with self._place() as place:
                return self._run(binary, [(limit, name) for name in of], {"HORAE_MUTATION_MARKS": str(place / "marks"),
                                                                         "HORAE_MUTATION_TO_END": "1"}, place)

        with concurrent.futures.ThreadPoolExecutor(self.at_once) as pool:
            ran = sum(pool.map(run, (names[i::self.at_once] for i in range(self.at_once))), [])
        lasted.update({name: float(seconds) for name, how, seconds, _ in ran if how in ("passed", "timeout")})
        kept.write_text(json.dumps(lasted), encoding="utf-8")
        return ran

    def seconds(self):
        """Processor time of all tests, once."""
        return sum(x.seconds for of in self.tests.values() for x in of)

    def verdict(self, mutation):
        """(verdict, by what). Verdicts: caught, survived, invalid (does not compile)."""
        number = self.numbers[mutation.key()]
        source = self.root / mutation.file
        reaching = {t: [x for x in self.tests[t] if number in x.passes]
                    for t in sorted(self.tests, key=lambda t: t == PROGRAM_TESTS)}
        reached = any(reaching.values()) or self.scripts and any(number in of for of in self.scripts.passes.values())
        with self._place() as place:
            if number not in self.left_out and reached:
                if any(number in x.invalid for of in reaching.values() for x in of):
                    return "invalid", ""
                return self._held_against(source, reaching, {number}, {"HORAE_MUTATION": str(number)}, None, place)
            target = place / "mutant.o"
            lines = source.read_text(encoding="utf-8").splitlines()
            try:
                self.building.changed(source, "\n".join(mutation.applied(lines)) + "\n", target)
            except Failed:
                return "invalid", ""
            if number not in self.left_out:
                return "survived", f"no test of {', '.join(self.binaries)} comes to it"
            # Compiled by itself: which tests reach it is not known.
            return self._held_against(source, self._of_source(mutation.file), self._others(mutation.file), {}, target, place)

    def _others(self, file):
        """Switches of the same source; None: it has none."""
        return {n for n, f in self.files.items() if f == file and n not in self.left_out} or None

    def _of_source(self, file):
        """The tests for what cannot be switched: of the program those that come past any switch of the source, if it has
        one; else all."""
        numbers = self._others(file)
        return {t: [x for x in of if x.passes & numbers] if t == PROGRAM_TESTS and numbers else of
                for t, of in self.tests.items() if t in of_file(file).tests}

    def _held_against(self, source, tests, numbers, environment, target, place):
        for t, of in tests.items():
            binary = self.binaries[t]
            if target:
                name = f"{place.name}/mutant"
                binary = self._linked(t, {target: str(source.relative_to(self.root)), **self.objects}, name)
                environment = {"HORAE_MUTATION_PROGRAM": str(self._program(name))}
            if of and (caught := self._caught(binary, self._in_order(t, source, of), environment, place)):
                return "caught", caught
        if self.scripts:
            program = environment.get("HORAE_MUTATION_PROGRAM", self.environment["HORAE_MUTATION_PROGRAM"])
            if caught := self.scripts.caught(numbers, program, {**environment, **_of_place(place)}):
                return "caught", caught
        return "survived", ", ".join(t for t, of in tests.items() if of)

    def _in_order(self, binary, source, tests):
        """Tests of files that name the source first, then texts, which ask for the most in the least time, then quick ones
        before slow ones; by powers of four, because times differ a little from run to run."""
        near = self._near(binary, source)
        ordered = sorted(tests, key=lambda x: (_suite(x.name) not in near, _suite(x.name) != TEXTS,
                                               math.floor(math.log(max(x.seconds, 0.01), 4))))
        before = [0, *itertools.accumulate(x.seconds for x in ordered)]
        return [x for x, seconds in zip(ordered, before) if seconds <= self.most]

    def _near(self, binary, source):
        """Suites of the test files that name the source's header."""
        folder, suites = self.root / "tb" / binary.removeprefix("horae_tb_").replace("_", "/"), set()
        for file in folder.rglob("*_test.cpp"):
            text = file.read_text(encoding="utf-8")
            if source.stem in text or file.stem.startswith(source.stem):
                suites |= set(re.findall(r"^TEST(?:_F|_P)?\((\w+),", text, re.MULTILINE))
        return suites

    def _caught(self, binary, tests, environment, place):
        """What catches the mutation; None: all pass."""
        ran = self._run(binary, [(int(self.factor * x.seconds) + 2, x.name) for x in tests], environment, place)
        if len(ran) < len(tests) or ran[-1][1] != "passed":
            if not ran:
                return "before any test"
            name, how = ran[-1][:2]
            return name if how == "failed" else f"{name} ({how})"
        return None

    def _run(self, binary, tests, environment, place):
        """Runs tests, each (processor time that it may take, name). What became of them: name, how, seconds, marks."""
        report, file = place / "report", place / "tests"
        report.unlink(missing_ok=True)
        file.write_text("".join(f"{limit} {name}\n" for limit, name in tests), encoding="utf-8")
        environment = {**os.environ, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1", **self.environment, **environment,
                       **_of_place(place), "HORAE_MUTATION_REPORT": str(report), "HORAE_MUTATION_TESTS": str(file)}
        subprocess.run([binary], cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if not report.exists():
            return []
        lines = [line.split("\t") for line in report.read_text(encoding="utf-8").splitlines()]
        return [line for line in lines if len(line) == 4 and line[1].split()[0] in KNOWN]


def _of_place(place):
    """Where tests put what they write."""
    return {"TMPDIR": str(place), "TEST_TMPDIR": str(place)}


def suites_with(folder, text):
    """Suites of the files of a folder of tests that have this text."""
    texts = (file.read_text(encoding="utf-8") for file in folder.rglob("*_test.cpp"))
    return {suite for t in texts if text in t for suite in re.findall(r"^TEST(?:_F|_P)?\((\w+),", t, re.MULTILINE)}


def _texts(folder):
    """Of each suite of a folder of tests a digest of its file, and of the folder of inputs that has the file's name."""
    out = {}
    for file in sorted(folder.rglob("*_test.cpp")):
        text = file.read_text(encoding="utf-8")
        digest = hashlib.sha256(text.encode())
        for beside in sorted((folder / file.stem.removesuffix("_test")).glob("*")):
            digest.update(beside.read_bytes())
        out.update(dict.fromkeys(re.findall(r"^TEST(?:_F|_P)?\((\w+),", text, re.MULTILINE), digest.hexdigest()))
    return out


def _suite(name):
    """The name of TEST, TEST_F or TEST_P in the sources."""
    parts = name.split(".")[0].split("/")
    return parts[1] if len(parts) > 1 and not parts[1].isdigit() else parts[0]
