"""The program that runs points: its version, a copy of it that no build changes, and the configuration in
effect at many points at once."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

from .complaint import EXIT_BAD_INPUT, Complaint
from .files import digest, put_whole


class Program:
    """`keep`: the folder of copies, of which one of each version stays there; None: run it where it is."""

    def __init__(self, path, keep):
        path = pathlib.Path(path)
        if path.is_dir():
            raise Complaint(f"--program {path}: found a folder, expected horae")
        if not os.access(path, os.X_OK):
            raise Complaint(f"{path} is not built: scripts/setup, then cmake (or --program FILE)")
        identity = digest(path)
        self.path = path.resolve()
        self.version = self.run(["--version"]).stdout.strip()
        if not self.version:
            raise Complaint(f"--program {path}: does not tell its version, expected horae")
        if keep is not None:
            self.path = self.copy(pathlib.Path(keep).resolve() / identity[:16])
            self.version = self.run(["--version"]).stdout.strip()
        # Changed sources have one version however they were changed.
        self.identity = self.version
        if "+" not in self.version or self.version.endswith(".modified"):
            self.identity += " " + identity

    def copy(self, folder):
        copy = folder / self.path.name
        is_there = copy.exists()
        if is_there and digest(copy) == digest(self.path):
            return copy
        if is_there:
            print(f"explore: {copy}: not the program it was copied from: copied again", file=sys.stderr)
        folder.mkdir(parents=True, exist_ok=True)
        put_whole(copy, self._fill)
        return copy

    def _fill(self, file):
        with open(self.path, "rb") as program:
            shutil.copyfileobj(program, file)
        shutil.copystat(self.path, file.fileno())

    def run(self, arguments, text=None):
        try:
            return subprocess.run([str(self.path), *arguments], input=text, capture_output=True, text=True, check=False)
        except OSError as e:
            # Also of a script whose interpreter is not there.
            raise Complaint(f"--program {self.path}: cannot be run: {e.strerror}") from e

    def configs(self, command, points):
        """Of each point, a list of (key, value): ("hash", None), or (None, the one line that refuses it)."""
        arguments = ["config", shown_path(command.file), "--kind", command.kind, "--points", "-"]
        arguments += ["--objects"] if command.objects else []
        arguments += ["--point", command.point] if command.point is not None else []
        for option, value in of_configuration(command.options):
            arguments += [option, value]
        lines = "".join(json.dumps(overrides(sets)) + "\n" for sets in points)
        ended = self.run(arguments, lines)
        if ended.returncode != 0:
            raise Complaint(one_line(ended.stderr))
        answers = [json.loads(line) for line in ended.stdout.splitlines()]
        if len(answers) != len(points):
            raise Complaint(f"{self.path.name} config answered {len(answers)} of {len(points)} points")
        out = []
        for answer in answers:
            if "error" in answer and answer["exit"] != EXIT_BAD_INPUT:
                raise Complaint(answer["error"])
            out.append((answer.get("config_hash"), answer.get("error")))
        return out


def of_configuration(options):
    """(option, value) of those that change the configuration in effect. ValueError, with the option, where
    a value is missing."""
    rest = iter(options)
    for word in rest:
        option, equals, value = word.partition("=")
        if option not in ("--observations", "--hypotheses", "--chip"):
            continue
        if not equals:
            value = next(rest, "")
        if not value or value.startswith("--"):
            raise ValueError(option)
        yield option, value


def overrides(sets):
    """KEY: text, where a later value of a key has won and is the last."""
    out = {}
    for key, value in sets:
        out.pop(key, None)
        out[key] = value
    return out


def shown_path(path):
    """As short as it goes from here."""
    relative = os.path.relpath(path)
    return str(path.resolve()) if relative.startswith("..") else relative


def one_line(text):
    """What horae says of a fault, without its name."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    line = lines[0] if lines else "no word of why"
    return line.removeprefix("horae: ").strip()
