"""Objects and test binaries with mutations in them, beside a build, which stays as it is.

Units are compiled as the build compiles them (HORAE_UNITY: several sources at once), but position-independent and
interposable: no function is inlined into its neighbours, so an object linked before them takes the place of a source."""
import collections
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from .switches import switched

HERE = pathlib.Path(__file__).resolve().parent
LEFT_OUT = re.compile(r"-O\w*|-g\w*|-W.*|-f(no-)?(PIC|pic|PIE|pie|semantic-interposition)")
INTERPOSABLE = ("-O1", "-w", "-Wno-narrowing", "-fPIC", "-fsemantic-interposition")
STATEMENT = 8  # lines that one may have
ROUNDS = 6  # of leaving out what does not compile


class Failed(Exception):
    """A compiler or linker says no."""


class Building:
    def __init__(self, build, work):
        self.build, self.work = pathlib.Path(build).resolve(), pathlib.Path(work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        with open(self.build / "compile_commands.json", encoding="utf-8") as file:
            self.commands = json.load(file)

    def of_source(self, source):
        """The entry that compiles a source, and the sources that are compiled with it."""
        for entry in self.commands:
            if entry["file"] == str(source):
                return entry, [source]
            if "/Unity/" in entry["file"]:
                together = _included(entry["file"])
                if str(source) in together:
                    return entry, [pathlib.Path(s) for s in together]
        raise Failed(f"{source}: nothing compiles it")

    def compile(self, entry, file, target, options=()):
        """Compiles `file` as the build compiles that of the entry. Less optimised: it is compiled once and run little."""
        out = list(_words(entry))
        if "ccache" not in out[0] and shutil.which("ccache"):
            out.insert(0, "ccache")
        run([*out, *INTERPOSABLE, *options, "-o", str(target), "-c", str(file)], entry["directory"])
        return target

    def changed(self, source, text, target):
        """An object of one source with another text."""
        entry, _ = self.of_source(source)
        file = self.work / f"{target.stem}.cpp"
        file.write_text(_with_whole_paths(text, source.parent), encoding="utf-8")
        return self.compile(entry, file, target)

    def switched(self, root, name, numbered):
        """Objects of all units that mutations are in, each of `numbered` (number, mutation) behind its switch, and a
        source of each; and the numbers of those that do not compile so. Sources of a build that compiles them one by one
        are put together too: reading headers is what takes long."""
        units = collections.defaultdict(lambda: (set(), []))  # how it is compiled: sources, mutations
        for number, m in numbered:
            entry, together = self.of_source(root / m.file)
            sources, of = units[_words(entry)]
            sources.update(together)
            of.append((number, m))
        units = [x for _, x in sorted(units.items())]
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            compiled = list(pool.map(lambda i, x: self._switched_unit(root, self.work / name / str(i), sorted(x[0]), x[1]),
                                     range(len(units)), units))
        return ({target: of[0][1].file for (target, _), (_, of) in zip(compiled, units)},
                set().union(*(out for _, out in compiled)))

    def _switched_unit(self, root, folder, together, numbered):
        entry, _ = self.of_source(root / numbered[0][1].file)
        left_out = {n for n, m in numbered if _constant_expression(m)}
        for _ in range(ROUNDS):
            shutil.rmtree(folder, ignore_errors=True)
            copies = {}
            for k, source in enumerate(together):
                of = [(n, m) for n, m in numbered if root / m.file == source and n not in left_out]
                text, no_operands = switched(source.read_text(encoding="utf-8"), of)
                left_out |= set(no_operands)
                copies[source] = folder / str(k) / source.name
                copies[source].parent.mkdir(parents=True)
                copies[source].write_text(_with_whole_paths(text, source.parent), encoding="utf-8")
            unit = folder / "unit.cpp"
            unit.write_text("".join(f'#include "{copy}"\n' for copy in copies.values()), encoding="utf-8")
            try:
                return self.compile(entry, unit, folder / "unit.o", ("-include", str(HERE / "switch.hpp"))), left_out
            except Failed as failed:
                found = [(n, m) for n, m in numbered if n not in left_out]
                bad = _at_fault(str(failed), [(n, m.line, copies[root / m.file]) for n, m in found])
                # A constant at one place may be asked for at another.
                bad = bad or {n for n, m in found if re.match(r"(static )?const\b", m.text)}
                if not bad:
                    raise
                left_out |= bad
        raise Failed(f"{folder}: does not compile with its switches")

    @functools.lru_cache(maxsize=None)
    def marks(self):
        return self.compile(self.of_source(self.build.parent / "tb/support/plain_main.cpp")[0], HERE / "marks.cpp",
                            self.work / "marks.o")

    @functools.lru_cache(maxsize=None)
    def program_path(self):
        return self.compile(self.of_source(self.build.parent / "tb/support/plain_main.cpp")[0], HERE / "program.cpp",
                            self.work / "program.o")

    @functools.lru_cache(maxsize=None)
    def runner(self, systemc):
        """Objects that run tests in processes of their own, in place of the main() of the tests."""
        name = "systemc_main" if systemc else "plain_main"
        source = self.build.parent / "tb/support" / f"{name}.cpp"
        entry, _ = self.of_source(source)
        return [self.compile(entry, source, self.work / f"{name}.o", ("-include", str(HERE / "runner.hpp"))),
                self.compile(entry, HERE / "runner.cpp", self.work / "runner.o")]

    @functools.lru_cache(maxsize=None)
    def link_command(self, binary):
        ended = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", binary], capture_output=True,
                               text=True, check=True)
        return shlex.split(ended.stdout.splitlines()[-1].split("&&")[1])

    def link(self, binary, objects, target):
        """Links a binary of the build, by its name there, with these objects before its libraries."""
        words = list(self.link_command(binary))
        words[words.index("-o") + 1] = str(target)
        first = next(i for i, word in enumerate(words) if word.endswith(".a"))
        objects = [*objects, self.marks()]
        if binary.startswith("tb/"):
            objects += self.runner(any("horae_tb_systemc_main" in word for word in words))
        run([*words[:first], *map(str, objects), "-Wl,--allow-multiple-definition,--strip-debug", *words[first:]],
            self.build)
        return target


def _words(entry):
    """How an entry compiles, without its file and what is warned of."""
    out, words = [], iter(shlex.split(entry["command"]))
    for word in words:
        if word in ("-o", "-c"):
            next(words)
        elif not LEFT_OUT.fullmatch(word):
            out.append(word)
    return tuple(out)


def _constant_expression(m):
    """Whether a switch will not do, by the looks of it: it spares a round."""
    return bool(re.match(r"case\b|enum\b", m.text) or "constexpr" in m.text) or (
        m.operator == "constant" and bool(re.search(rf"<[\w:, ]*\b{m.before}\b[\w:, ]*>", m.text)))


def _at_fault(messages, places):
    """Numbers of the switches on lines that the compiler names; if there are none, near them: of a call over several lines it
    names the first."""
    named = {(file, int(line)) for file, line in re.findall(r"^(/[^:\n]+):(\d+):", messages, re.MULTILINE)}
    for near in range(STATEMENT):
        if found := {n for n, line, copy in places if any((str(copy), line - i) in named for i in range(near + 1))}:
            return found
    return set()


def _with_whole_paths(text, folder):
    """With includes of files beside the source that are found from anywhere."""
    def whole(m):
        file = folder / m[1]
        return f'#include "{file}"' if file.exists() else m[0]
    return re.sub(r'^#include "([^"]+)"', whole, text, flags=re.MULTILINE)


def _included(unity):
    with open(unity, encoding="utf-8") as file:
        return re.findall(r'^#include "(.*)"', file.read(), re.MULTILINE)


def run(words, folder):
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Failed(ended.stderr)
