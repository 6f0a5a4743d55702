"""Where the keys of a TOML text are: tomllib does not say."""
import re

HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
KEY = re.compile(r"^(\s*)([A-Za-z0-9_.\-]+|\"[^\"]*\")\s*=")


def without_texts(line):
    """The line without texts and comment, so that its brackets are those of arrays and tables."""
    line = re.sub(r"\"(?:\\.|[^\"\\])*\"|'[^']*'", "", line)
    return line.split("#", 1)[0]


class Places:
    """Lines and columns, from 1, by path: ("parameter", 1, "values"). A key inside an inline table has
    the place of the line's key."""

    def __init__(self, file, text):
        self.file = file
        self.found = {(): (1, 1)}
        table, tables, depth = (), {}, 0
        for number, line in enumerate(text.splitlines(), 1):
            if depth == 0:
                header, key = HEADER.match(line), KEY.match(line)
                if header:
                    table = tuple(p.strip() for p in header[2].split("."))
                    if header[1] == "[[":
                        tables[table] = tables.get(table, -1) + 1
                        self.found.setdefault(table, (number, 1))
                        table = table + (tables[table],)
                    self.found.setdefault(table, (number, 1))
                    continue
                if key:
                    path = table + tuple(p.strip('"') for p in key[2].split("."))
                    self.found.setdefault(path, (number, len(key[1]) + 1))
            bare = without_texts(line)
            depth = max(0, depth + sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}"))

    def text(self, path):
        """"file:line:column" of the nearest thing around `path` that has a line of its own."""
        path = tuple(path)
        while path not in self.found:
            path = path[:-1]
        line, column = self.found[path]
        return f"{self.file}:{line}:{column}"
