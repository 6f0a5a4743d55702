#!/usr/bin/env python3
"""Checks what people read: every relative link of a Markdown page leads to a file of the repository, every
path of the repository that a page names exists, the README is short, and a block that stands for a file equals it.

A block stands for a file where the line before its fence is <!-- the file: PATH -->.
"""
import pathlib
import re
import subprocess
import sys

README_LINES = 150
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NAMED = re.compile(r"`((?:models|platforms|scripts|tb|traces)/[^`\s]*)`")
MADE = ("build", "out")  # folders that a build or a run makes


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
    for name in NAMED.findall(text):
        if re.search(r"[<>*{}.]\.\.|[<>*{}]|\.\.\.", name):
            continue  # a pattern
        file = name.split(":")[0].split("@")[0].rstrip("/")
        if not (root / file).exists():
            yield f"names `{name}`, which is not there"


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
        block = []
        for inner in lines[start + 1:]:
            if inner[indent:].startswith("```"):
                break
            block.append(inner[indent:])
        if block != file.read_text().splitlines():
            differs = next((i for i, (a, b) in enumerate(zip(block, file.read_text().splitlines())) if a != b),
                           min(len(block), len(file.read_text().splitlines())))
            yield f"line {start + 2 + differs}: the block differs from {told[1]}, line {differs + 1}"


def check(root):
    faults = []
    for page in pages(root):
        text = page.read_text()
        lines = text.splitlines()
        prose = re.sub(r"```.*?```", "", text, flags=re.S)
        for fault in [*check_links(page, prose), *check_names(root, prose), *check_blocks(root, lines)]:
            faults.append(f"{page.relative_to(root)}: {fault}")
        if page == root / "README.md" and len(lines) > README_LINES:
            faults.append(f"README.md: {len(lines)} lines, at most {README_LINES}")
    return faults


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = check(root)
    print("\n".join(found) or f"{len(pages(root))} pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
