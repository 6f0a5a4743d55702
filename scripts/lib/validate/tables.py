"""[[table]] of a validation: rows by columns of numbers, printed or drawn."""
import dataclasses
import itertools

from lib.explore.variant import filled

from . import marks
from .cube import Spread


@dataclasses.dataclass
class Grid:
    """`values`: a row of numbers per label of `rows`, None where there is none; `texts` likewise."""
    title: str
    rows: list
    columns: list
    values: list
    texts: list
    print: bool
    plot: str = ""
    drawn: dict = dataclasses.field(default_factory=dict)
    beside: dict = dataclasses.field(default_factory=dict)  # a panel more, of files in the folders of results
    folders: list = dataclasses.field(default_factory=list)  # (label of a row, folder) for it
    spreads: list = dataclasses.field(default_factory=list)  # as `values`: a Spread each, where there are seeds
    published: list = dataclasses.field(default_factory=list)  # as `values`: what the paper prints; None where it prints none


@dataclasses.dataclass
class Heading:
    """Of a row or column: values of parameters, or a result."""
    label: object
    at: dict
    result: dict


def read_table(table):
    """The table as a dictionary, with defaults, and its values of `each` taken one after another."""
    raw = {"title": table.text("title"), "of": table.text("of", required=True), "grid": table.text("grid", None),
           "at": table.get("at", dict, {}), "rows": table.get("rows", (str, list), required=True),
           "columns": table.get("columns", (str, list), required=True), "result": table.text("result", None),
           "scale": table.number("scale", 1), "digits": table.whole("digits", 1, least=0), "over": table.get("over", dict, None),
           "print": table.flag("print", True), "plot": table.text("plot"), "drawn": table.get("drawn", dict, {}),
           "beside": table.get("beside", dict, {})}
    each = table.get("each", dict, {})
    table.done()
    return [filled(raw, dict(zip(each, values))) for values in itertools.product(*each.values())]


def headings(told, cube, spec):
    if isinstance(told, list) and told and isinstance(told[0], dict):
        return [Heading(h["label"], {}, h) for h in told]
    names = [told] if isinstance(told, str) else told
    return [Heading(values[0] if len(values) == 1 else " ".join(str(v) for v in values), dict(zip(names, values)), {})
            for values in cube.values(names, spec["grid"], spec["at"])]


def make(spec, cubes, median=False, published=()):
    """`median`: numbers are medians over seeds, with their range, in place of means. `published`: marks.read() of the topic."""
    cube = cubes[spec["of"]]
    rows, columns = headings(spec["rows"], cube, spec), headings(spec["columns"], cube, spec)
    columns = [c for c in columns if spec["over"] is None or c.at != spec["over"]]  # that one is 1
    grid = Grid(spec["title"], [r.label for r in rows], [c.label for c in columns], [], [], spec["print"], spec["plot"],
                spec["drawn"], spec["beside"])
    for row in rows:
        cells = [number(cube, spec, row, column, median) for column in columns]
        grid.values.append([spread.median if spread else None for spread, _ in cells])
        grid.texts.append([text for _, text in cells])
        grid.spreads.append([spread for spread, _ in cells])
        grid.published.append([marks.at_cell(published, cubes, {**spec, **row.result, **column.result},
                                             {**spec["at"], **row.at, **column.at}) for column in columns])
        if spec["beside"]:
            found = cube.cells_at(spec["grid"], {**spec["at"], **row.at, **spec["beside"].get("at", {})})
            grid.folders += [(row.label, found[0].folder)] if found else []
    return grid


def number(cube, spec, row, column, median):
    """Of a cell: its Spread, and as a text: how its point ended where it has none."""
    told = {**spec, **row.result, **column.result}
    at = {**spec["at"], **row.at, **column.at}
    if not cube.cells_at(spec["grid"], at):
        return None, "-"
    ended = cube.status(spec["grid"], at)
    if told["result"] == "verdict":
        return None, ended
    samples = cube.each().values() if median and cube.averaged else [cube]
    found = Spread.of([value(c, told, spec, at) for c in samples if c.cells_at(None, at)])
    if found is None:
        return None, "-" if ended == "complete" else ended
    found = found.scaled(told["scale"])
    return found, found.text(told["digits"])


def value(cube, told, spec, at):
    here = cube.number(told["result"], spec["grid"], at)
    if here is None or spec["over"] is None:
        return here
    base = cube.number(told["result"], spec["grid"], {**at, **spec["over"]})
    return here / base if base else None


def aligned(rows, right, rule=False):
    """`right`: whether a column is to the right, by its number."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(c.rjust(w) if right(i) else c.ljust(w) for i, (c, w) in enumerate(zip(r, widths))).rstrip()
             for r in rows]
    return "\n".join(lines[:1] + (["-" * len(lines[0])] if rule else []) + lines[1:])


def text(grid):
    rows = [[grid.title, *[str(c) for c in grid.columns]]]
    rows += [[str(label), *cells] for label, cells in zip(grid.rows, grid.texts)]
    return aligned(rows, lambda i: i > 0)
