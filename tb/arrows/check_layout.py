#!/usr/bin/env python3
"""Checks how the sources lie in folders: at most 25 in one, and every folder of them is described by a README.md, its own or
that of a folder above it, which names it (`name/`). Folders that only carry names into the include path (include, horae,
src, and the room's own name) need no words."""
import pathlib
import subprocess
import sys

MOST = 25
SUFFIXES = {".cpp", ".hpp", ".h", ".py", ".sv", ".js"}
SILENT = {"include", "horae", "src"}


def sources(root):
    """Tracked and new sources by folder: names below `root`. A file without a suffix that begins with #! is one."""
    listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard"],
                            cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()
    found = {}
    for name in map(pathlib.PurePosixPath, sorted(set(listed))):
        file = root / name
        if len(name.parts) < 2 or name.parts[0].startswith(".") or not file.is_file():
            continue
        if name.suffix in SUFFIXES or (name.suffix == "" and file.read_bytes()[:2] == b"#!"):
            found.setdefault(name.parent, []).append(name.name)
    return found


def undescribed(root, folder):
    """The path that no README.md names, or None."""
    below = []
    for above in (folder, *folder.parents):
        page = root / above / "README.md"
        if page.is_file() and above.parts:
            text = page.read_text(encoding="utf-8")
            below = [part for part in below if part not in SILENT and part != above.name]
            return next((f"{above}: README.md does not name `{part}/`" for part in below if f"{part}/" not in text), None)
        below.insert(0, above.name)
    return f"{folder}: no README.md, here or above"


def check(root):
    for folder, names in sorted(sources(root).items()):
        if len(names) > MOST:
            yield f"{folder}: {len(names)} sources, at most {MOST}"
        fault = undescribed(root, folder)
        if fault:
            yield fault


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = list(dict.fromkeys(check(root)))
    print("\n".join(found) or f"{len(sources(root))} folders of sources")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
