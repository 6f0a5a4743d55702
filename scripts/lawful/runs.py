"""Runs of a platform by the program `horae`, each in a folder of its own."""
import copy
import csv
import json
import pathlib
import subprocess

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
        try:
            ended = subprocess.run([self.program, command, *arguments, "--json", "--no-progress"], capture_output=True,
                                   text=True, check=False, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return Ended(None, "", f"not over after {TIMEOUT_S} s", folder)
        return Ended(ended.returncode, ended.stdout, ended.stderr, folder)
