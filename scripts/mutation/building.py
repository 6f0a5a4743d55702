"""Test binaries with a changed source, without building the project anew.

A build of several sources at once (HORAE_UNITY) may have inlined a source into its neighbours. So the neighbours are
compiled one by one as well, once, and all these objects are linked before the library that has them too."""
import functools
import json
import pathlib
import re
import shlex
import subprocess


class Failed(Exception):
    """A compiler or linker says no."""


class Building:
    def __init__(self, build, work):
        self.build, self.work = pathlib.Path(build).resolve(), pathlib.Path(work)
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

    def compile(self, source, text, target):
        """Compiles `text` in place of `source`. Less optimised than the build: it is compiled once and run once."""
        entry, _ = self.of_source(source)
        words = shlex.split(entry["command"])
        if "ccache" in words[0]:
            words = words[1:]
        changed = self.work / f"{target.stem}.cpp"
        changed.write_text(text, encoding="utf-8")
        out, words = [], iter(words)
        for word in words:
            if word in ("-o", "-c"):
                next(words)
            elif not re.fullmatch(r"-O\d|-g\d?|-W.*", word):
                out.append(word)
        run([*out, "-O1", "-w", "-iquote", str(source.parent), "-o", str(target), "-c", str(changed)],
            entry["directory"])
        return target

    @functools.lru_cache(maxsize=None)
    def neighbour(self, source):
        target = self.work / (re.sub(r"\W", "_", str(source)) + ".o")
        return self.compile(source, source.read_text(encoding="utf-8"), target)

    def neighbours(self, source):
        """Objects of the sources that are compiled with this one, itself left out."""
        _, together = self.of_source(source)
        return [self.neighbour(s) for s in together if s != source]

    @functools.lru_cache(maxsize=None)
    def link_command(self, test):
        ended = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", f"tb/{test}"], capture_output=True,
                               text=True, check=True)
        return shlex.split(ended.stdout.splitlines()[-1].split("&&")[1])

    def link(self, test, objects, target):
        words = list(self.link_command(test))
        words[words.index("-o") + 1] = str(target)
        first = next(i for i, word in enumerate(words) if word.endswith(".a"))
        run([*words[:first], *map(str, objects), "-Wl,--allow-multiple-definition", *words[first:]], self.build)
        return target


def _included(unity):
    with open(unity, encoding="utf-8") as file:
        return re.findall(r'^#include "(.*)"', file.read(), re.MULTILINE)


def run(words, folder):
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise Failed(ended.stderr)
