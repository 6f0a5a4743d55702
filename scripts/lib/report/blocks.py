"""What a page consists of. A view builds these, page.html draws them."""
from dataclasses import dataclass, field

from . import numbers

SHOWN_ROWS = 200  # of a table at once, as in js/table.js; the others a click away


@dataclass
class Cell:
    value: object = None   # what is sorted by, and copied
    text: str = ""
    mark: str = ""         # a class of page.css: good, bad, differs, kind-calibrated, kind-predicted
    title: str = ""
    href: str = ""         # a page that the cell leads to


@dataclass
class Column:
    title: str
    numeric: bool = False
    wide: bool = False     # text that may wrap


@dataclass
class Table:
    columns: list
    rows: list             # lists of Cells
    caption: str = ""
    note: str = ""
    dull: set = field(default_factory=set)  # numbers of rows hidden at first, and what they are
    dull_name: str = ""
    marked: dict = field(default_factory=dict)  # row -> class
    block: str = "table"

    @property
    def head(self):
        return self.rows[:SHOWN_ROWS]

    @property
    def rest(self):
        """Rows for the script: values, texts and marks."""
        rows = []
        for i, row in enumerate(self.rows[SHOWN_ROWS:], SHOWN_ROWS):
            cells = [[c.value, c.text, c.mark, c.title, c.href] if c.href else [c.value, c.text, c.mark, c.title] if c.mark or c.title
                     else [c.value, c.text] if c.text != c.value else [c.value] for c in row]
            rows.append([cells, i in self.dull, self.marked.get(i, "")])
        return rows


@dataclass
class Figure:
    spec: dict             # of js/figure.js
    title: str
    note: str = ""
    small: bool = False    # two beside each other where there is room
    block: str = "figure"


@dataclass
class Text:
    text: str
    style: str = ""        # "", note, code
    block: str = "text"


@dataclass
class Bullets:
    items: list
    title: str = ""
    block: str = "bullets"


@dataclass
class Heading:
    text: str
    block: str = "heading"


@dataclass
class Fold:
    title: str
    blocks: list
    opened: bool = False
    search: bool = False
    block: str = "fold"


@dataclass
class View:
    """One result: its card at the top and its section."""
    label: str
    kind: str
    state: str             # good, warn, bad
    verdict: str
    answer: str            # what came out, in a sentence
    asked: str
    key_figures: list = field(default_factory=list)  # (name, text)
    warnings: list = field(default_factory=list)
    facts: list = field(default_factory=list)        # (name, text): seed, version, hash
    blocks: list = field(default_factory=list)


def cell(value, unit="", mark="", title=""):
    """A cell of any JSON value."""
    if numbers.is_number(value):
        return Cell(value, numbers.number(value), mark, title)
    if value is None or value == "":
        return Cell(None, numbers.NONE, mark, title)
    text = numbers.plain(value)
    return Cell(text, text, mark, title)


def table_of(rows, caption="", units=None, wide=()):
    """A table of a list of JSON objects, columns in the order they first appear."""
    names = list(dict.fromkeys(k for row in rows for k in row))
    units = units or {}
    columns = []
    for name in names:
        values = [row.get(name) for row in rows]
        numeric = any(numbers.is_number(v) for v in values) and all(
            v is None or numbers.is_number(v) for v in values)
        title = f"{name}, {units[name]}" if units.get(name) else name
        columns.append(Column(title, numeric, name in wide))
    return Table(columns, [[cell(row.get(n)) for n in names] for row in rows], caption)
