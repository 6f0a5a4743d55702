#!/usr/bin/env python3
"""Checks that no comment begins with a word that leaves the reader without a subject: "What", "Of", "Nobody". The thing that is
declared comes first ("Rate of all ports", not "Of all ports together"). Looked at are the first lines of comments, and comments
behind code, in C++, SystemVerilog, P4, Python, CMake and TOML."""
import pathlib
import re
import subprocess
import sys

BEGINS = re.compile(r"(What|Of|Nobody)\b")
SLASHES = {".cpp", ".hpp", ".h", ".sv", ".js", ".p4"}
HASHES = {".py", ".txt", ".cmake", ".toml", ""}
LEFT_OUT = "tb/fuzz/corpora/"  # inputs, not ours to word


def comments(text, mark):
    """(line, words) of each comment: of a block its first line."""
    behind = re.compile(rf"\s{mark}+<?\s+(\S.*)$")
    block = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith(mark):
            shebang = stripped.startswith("#!")
            if not block and not shebang:
                yield number, stripped.lstrip("/#!< ")
            block = not shebang
            continue
        block = False
        found = behind.search(line)
        if found and line.count('"', 0, found.start()) % 2 == 0:
            yield number, found[1]


def check(root):
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root,
                            capture_output=True, text=True, check=True).stdout.splitlines()
    for name in sorted(set(listed)):
        path = root / name
        if name.startswith(LEFT_OUT) or path.suffix not in SLASHES | HASHES or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if path.suffix == "" and not text.startswith("#!"):
            continue
        for number, words in comments(text, "//" if path.suffix in SLASHES else "#"):
            if BEGINS.match(words):
                yield f"{name}:{number}: a comment begins with \"{words.split()[0]}\": {words[:60]}"


def main():
    found = list(check(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found) or "no comment begins so")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
