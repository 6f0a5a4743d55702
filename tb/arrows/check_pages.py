#!/usr/bin/env python3
"""Checks what people read: every relative link of a Markdown page leads to a file of the repository, and to a
heading that is there; every path of the repository that a page or a command on it names exists; rows are in tables,
and what a table lists stands there once; the pages of folders have a row of everything in them; commands of one
block have result folders of their own; the README is short; and a block that stands for a file equals it.

A block stands for a file where the line before its fence is <!-- the file: PATH -->.
"""
import itertools
import pathlib
import re
import subprocess
import sys

README_LINES = 150
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ROOMS = r"(?:models|platforms|scripts|tb|traces)/"
NAMED = re.compile(rf"`({ROOMS}[^`\s]*)`")
COMMAND = re.compile(rf"(?<![\w./-])({ROOMS}[\w./-]+)")  # not build/platforms/horae
PATTERN = re.compile(r"[<>*{}]|\.\.\.")
HEAD = re.compile(r"\|[\s:|-]+\|\s*")  # the line below the titles of a table
LISTED = re.compile(r"\| \[?(`[^`]+`)(?:\]\([^)]*\))? \|")  # a row that begins with one name
OUT = re.compile(r"horae (?:run|size|explain|replay) [^#&;]*--out (\S+)")
# Pages that list what is in their folder: what must have a row, and how it is written there.
LISTS = {"platforms/README.md": [("platforms/*.toml", "{name}"), ("platforms/*/", "{name}/")],
         "platforms/program/README.md": [("platforms/program/*/", "{name}/")],
         "platforms/manual/README.md": [("platforms/manual/[a-z]*.md", "{name}")],
         "platforms/evaluations/README.md": [("platforms/evaluations/[a-z]*.md", "{name}")],
         "tb/tools/README.md": [("tb/tools/[a-z]*", "{name}"), ("tb/tools/*/", "{name}/")],
         "scripts/lib/README.md": [("scripts/lib/*/", "{name}/")],
         "tb/README.md": [("tb/*/", "{name}/"), ("tb/support/*.*pp", "{name}")],
         "scripts/README.md": [("scripts/[a-z]*", "{name}")]}


def pages(root):
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard",
                             "*.md"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
    return [root / name for name in listed if (root / name).is_file()]


def anchors(page):
    """The fragments by which headings of a page can be linked."""
    found = set()
    for line in page.read_text().splitlines():
        if line.startswith("#"):
            title = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            found.add(title.replace(" ", "-"))
    return found


def check_links(page, text):
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, fragment = target.partition("#")
        file = page if path == "" else page.parent / path
        if not file.exists():
            yield f"links to {target}, which is not there"
        elif fragment and file.suffix == ".md" and fragment not in anchors(file):
            yield f"links to {target}; {file.name} has no such heading"


def check_names(root, text):
    """Paths in backquotes, and in blocks of four or more blanks."""
    blocks = "\n".join(line for line in text.splitlines() if line.startswith("    "))
    for name in sorted({*NAMED.findall(text), *COMMAND.findall(blocks)}):
        file = re.split("[:@]", name)[0].rstrip("/.")
        if not PATTERN.search(name) and not (root / file).exists():
            yield f"names {name}, which is not there"


def check_tables(lines):
    """`lines` without fenced blocks."""
    inside = False
    for number, line in enumerate(lines):
        if not line.startswith("|"):
            inside = False
        elif not inside:
            inside = number + 1 < len(lines) and HEAD.fullmatch(lines[number + 1]) is not None
            if not inside:
                yield f"has a row outside a table: {line[:40]}"


def check_outs(text):
    """A run replaces the folder that it is given."""
    for block in re.split(r"\n(?!    |\n)", text):
        outs = OUT.findall("\n".join(line for line in block.splitlines() if line.startswith("    ")))
        for out in sorted({out for out in outs if outs.count(out) > 1}):
            yield f"has several commands of one block that write {out}"


def check_lists(root, page, text):
    for pattern, written in LISTS.get(str(page.relative_to(root)), []):
        for path in sorted(root.glob(pattern)):
            if path.name.startswith(("_", ".")) or (not pattern.endswith("/") and path.is_dir()):
                continue
            name = written.format(name=path.name)
            if f"`{name}`" not in text and f"[{name}](" not in text:
                yield f"has nothing of {name}"
    if str(page.relative_to(root)) in LISTS:
        rows = [name[1] for line in text.splitlines() if (name := LISTED.match(line))]
        yield from (f"has several rows of {name}" for name in sorted({n for n in rows if rows.count(n) > 1}))


def check_blocks(root, lines):
    for number, line in enumerate(lines):
        told = re.match(r"\s*<!-- the file: (\S+) -->$", line)
        if told is None:
            continue
        file = root / told[1]
        if not file.is_file():
            yield f"line {number + 1}: {told[1]} is not there"
            continue
        start = number + 1
        if start == len(lines) or not lines[start].lstrip().startswith("```"):
            yield f"line {number + 1}: no fenced block follows"
            continue
        indent = len(lines[start]) - len(lines[start].lstrip())
        block = [inner[indent:] for inner in lines[start + 1:]]
        block = block[:next((i for i, inner in enumerate(block) if inner.startswith("```")), len(block))]
        for i, (shown, real) in enumerate(itertools.zip_longest(block, file.read_text().splitlines())):
            if shown != real:
                yield f"line {start + 2 + i}: the block differs from {told[1]}, line {i + 1}"
                break


def check(root):
    faults = []
    for page in pages(root):
        text = page.read_text()
        lines = text.splitlines()
        prose = re.sub(r"```.*?```", "", text, flags=re.S)
        for fault in [*check_links(page, prose), *check_names(root, prose), *check_blocks(root, lines),
                      *check_tables(prose.splitlines()), *check_outs(prose), *check_lists(root, page, text)]:
            faults.append(f"{page.relative_to(root)}: {fault}")
        if page.parent == root and len(lines) > README_LINES:
            faults.append(f"README.md: {len(lines)} lines, at most {README_LINES}")
    return faults


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = check(root)
    print("\n".join(found) or f"{len(pages(root))} pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
