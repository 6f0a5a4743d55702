"""Published numbers in figures: which cell of a table each belongs to. A number of which ours is one result of one point, or a
multiple of it, is that of the point. One of which ours is a ratio of two is drawn at the first, as so many times our second."""
import ast
import csv
import dataclasses
import math


@dataclasses.dataclass
class Result:
    """`study("result", grid = "...", parameter = value)`, times `factor`."""
    of: str
    result: str
    grid: object
    at: dict
    factor: float = 1.0


@dataclasses.dataclass
class Mark:
    id: str
    published: float
    ours: Result
    over: object = None  # the Result that it is divided by


def constant(node, names):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    raise ValueError


def result_of(node, names):
    """ValueError of anything but one result and a factor."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for one, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(one, ast.Constant):
                found = result_of(other, names)
                return dataclasses.replace(found, factor=found.factor * one.value)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) != 1:
        raise ValueError
    at = {k.arg: constant(k.value, names) for k in node.keywords}
    result = constant(node.args[0], names)
    if not isinstance(result, str) or any(isinstance(v, list) for v in at.values()):
        raise ValueError
    return Result(node.func.id, result, at.pop("grid", None), at)


def ratio_of(told, value):
    """(what A / B would be, A, B) of A / B, 100 * (A / B - 1), reduction(A, B), increase(A, B); None of anything else."""
    if isinstance(told, ast.BinOp) and isinstance(told.op, ast.Div):
        return value, told.left, told.right
    if isinstance(told, ast.Call) and getattr(told.func, "id", "") in ("reduction", "increase") and len(told.args) == 2:
        return 1 + (value if told.func.id == "increase" else -value) / 100, *told.args
    if ast.unparse(told).startswith("100 * (") and isinstance(told.right, ast.BinOp) and isinstance(told.right.op, ast.Sub) \
            and ast.unparse(told.right.right) == "1" and isinstance(told.right.left, ast.BinOp) \
            and isinstance(told.right.left.op, ast.Div):
        return 1 + value / 100, told.right.left.left, told.right.left.right
    return None


def mark_of(row, names):
    """None of what is no single point: the most of several, reductions, sums."""
    try:
        told = ast.parse(row["ours"] or "", mode="eval").body
        value = float(row["value"])
        ratio = ratio_of(told, value)
        if ratio:
            ratio, ours, theirs = ratio
            return Mark(row["id"], ratio, result_of(ours, names), result_of(theirs, names))
        return Mark(row["id"], value, result_of(told, names))
    except (ValueError, SyntaxError, TypeError):
        return None


def read(path, names):
    """Those of a file of published numbers; bounds are none, as ours need not be near them."""
    with open(path, encoding="utf-8", newline="") as file:
        found = [mark_of(row, names) for row in csv.DictReader(file) if not row.get("sense")]
    return [mark for mark in found if mark]


def same_points(cube, grid, at, other):
    """Whether a cell of a table and a Result are of the same points."""
    try:
        theirs = cube.cells_at(other.grid, other.at)
    except ValueError:
        return False
    ours = cube.cells_at(grid, at)
    return bool(ours) and {id(c) for c in ours} == {id(c) for c in theirs}


def at_cell(marks, cubes, spec, at):
    """The published number of a cell, as the table shows it (`spec`: its keys, those of its row and column too); None where
    there is none."""
    for mark in marks:
        if (mark.ours.of, mark.ours.result) != (spec["of"], spec["result"]) or spec["over"] is not None:
            continue
        if not same_points(cubes[spec["of"]], spec["grid"], at, mark.ours):
            continue
        if mark.over is None:
            return mark.published / mark.ours.factor * spec["scale"]
        base = cubes[mark.over.of].number(mark.over.result, mark.over.grid, mark.over.at) if mark.over.of in cubes else None
        if base is None or math.isnan(base):
            continue
        return mark.published * base * mark.over.factor / mark.ours.factor * spec["scale"]
    return None
