"""Meanings of results, as the program tells them, for tables and for the page's search."""
import json
import re
import subprocess

TITLES = ("result", "quantity")  # of columns whose names have a meaning


def of_program(program):
    """{name: meaning} of `horae list quantities`; nothing where there is no program."""
    try:
        ended = subprocess.run([str(program), "list", "quantities", "--json"], capture_output=True, text=True, check=True)
        return {e["name"]: e["doc"] for e in json.loads(ended.stdout)["quantities"]}
    except (OSError, subprocess.CalledProcessError, ValueError, KeyError, TypeError):
        return {}


def patterns(meanings):
    """Names with a part of a platform's own, as fct.<size>mean, as expressions."""
    found = []
    for name, doc in meanings.items():
        if "<" in name:
            parts = re.split(r"(<\w+>)", name)
            text = "".join(r"(?:[^.]+\.)?" if p == "<size>" else "[^.]+" if p.startswith("<") else re.escape(p) for p in parts)
            found.append((re.compile(text), doc))
    return found


def meaning(name, meanings, like):
    return meanings.get(name) or next((doc for pattern, doc in like if pattern.fullmatch(name)), "")


def explain(blocks, meanings):
    """Puts meanings to the names in all tables of results."""
    like = patterns(meanings)
    for block in blocks:
        if block.block == "fold":
            explain(block.blocks, meanings)
        if block.block != "table" or not block.columns or block.columns[0].title not in TITLES:
            continue
        for row in block.rows:
            if not row[0].title:
                row[0].title = meaning(str(row[0].value), meanings, like)
