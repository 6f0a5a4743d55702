"""Results by the values of parameters: of the points of a study, or of rows that a file or program gives."""
import dataclasses
import itertools
import math
import statistics

from lib.common.complaint import Complaint, nearest


@dataclasses.dataclass
class Cell:
    """One point. `look`(result): its number, or None; `status`: how it ended."""
    parameters: dict
    look: object
    status: str = "complete"
    grids: tuple = ()
    folder: object = None


class Series:
    """Numbers by the values of `dims`; None where there is none. Arithmetic is by equal values of what both have."""

    def __init__(self, dims, values):
        self.dims, self.values = tuple(dims), values

    def joined(self, other, operation):
        if not isinstance(other, Series):
            other = Series((), {(): other})
        dims = self.dims + tuple(d for d in other.dims if d not in self.dims)
        out = {}
        for (a, x), (b, y) in itertools.product(self.values.items(), other.values.items()):
            at, too = dict(zip(self.dims, a)), dict(zip(other.dims, b))
            if all(too[d] == v for d, v in at.items() if d in too):
                at.update(too)
                try:
                    out[tuple(at[d] for d in dims)] = None if x is None or y is None else operation(x, y)
                except ArithmeticError:
                    out[tuple(at[d] for d in dims)] = None
        return Series(dims, out)

    def __add__(self, other):
        return self.joined(other, lambda x, y: x + y)

    def __radd__(self, other):
        return self + other

    def __mul__(self, other):
        return self.joined(other, lambda x, y: x * y)

    def __rmul__(self, other):
        return self * other

    def __sub__(self, other):
        return self.joined(other, lambda x, y: x - y)

    def __rsub__(self, other):
        return self.joined(other, lambda x, y: y - x)

    def __truediv__(self, other):
        return self.joined(other, lambda x, y: x / y)

    def __rtruediv__(self, other):
        return self.joined(other, lambda x, y: y / x)


class Cube:
    """`averaged`: parameters over whose values numbers are means. `in_part`: of a study that has only some of the grids of the
    study in whose place it stands; a number of another grid is none, and no mistake."""

    def __init__(self, name, cells, averaged=(), in_part=False):
        self.name, self.cells, self.averaged, self.in_part = name, cells, averaged, in_part

    def cells_at(self, grid, at):
        """Those of a grid (None: of all) with these values, each a value or a list of them."""
        if grid is not None and self.cells and not any(grid in c.grids for c in self.cells):
            if self.in_part:
                return []
            raise Complaint(f"{self.name}: no grid '{grid}'{nearest(grid, {g for c in self.cells for g in c.grids})}")
        for name in at:
            if self.cells and name not in self.cells[0].parameters:
                raise Complaint(f"{self.name}: no parameter '{name}'{nearest(name, self.cells[0].parameters)}")
        return [c for c in self.cells if (grid is None or grid in c.grids) and
                all(c.parameters[k] in (v if isinstance(v, list) else [v]) for k, v in at.items())]

    def of(self, results, grid=None, **at):
        """A Series of a result, or of several (dimension "result"), over the parameters that vary in these cells."""
        cells = self.cells_at(grid, at)
        names = [n for n in (cells[0].parameters if cells else ()) if n not in self.averaged]
        dims = [n for n in names if len({c.parameters[n] for c in cells}) > 1]
        groups = {}
        for c in cells:
            groups.setdefault(tuple(c.parameters[n] for n in dims), []).append(c)
        if isinstance(results, str):
            return Series(dims, {key: mean(group, results) for key, group in groups.items()} or {(): None})
        return Series((*dims, "result"), {(*key, r): mean(group, r) for key, group in groups.items() for r in results})

    def each(self):
        """By the values that numbers are means over (of seeds): a cube of each."""
        def values(cell):
            return tuple(cell.parameters[n] for n in self.averaged)
        return {v: Cube(self.name, [c for c in self.cells if values(c) == v], self.averaged, self.in_part)
                for v in dict.fromkeys(values(c) for c in self.cells)}

    def number(self, result, grid, at):
        """Of one point."""
        found = self.of(result, grid, **at)
        if found.dims:
            raise Complaint(f"{self.name}: '{result}' at {at} is several numbers, over {', '.join(found.dims)}")
        return next(iter(found.values.values()))

    def status(self, grid, at):
        return ", ".join(dict.fromkeys(c.status for c in self.cells_at(grid, at)))

    def values(self, names, grid, at):
        """Combinations of values of parameters that there are: numbers by size, labels in their order."""
        found = list(dict.fromkeys(tuple(c.parameters[n] for n in names) for c in self.cells_at(grid, at)))
        numbers = all(isinstance(v, (int, float)) and not isinstance(v, bool) for values in found for v in values)
        return sorted(found) if numbers else found


@dataclasses.dataclass
class Spread:
    """Of one number over seeds: the median, and the range."""
    median: float
    least: float
    most: float
    numbers: tuple  # by size

    @property
    def count(self):
        return len(self.numbers)

    @classmethod
    def of(cls, numbers):
        """Of those that there are; None, if there is none."""
        known = sorted(n for n in numbers if n is not None and not math.isnan(n))
        return cls(statistics.median(known), known[0], known[-1], tuple(known)) if known else None

    def scaled(self, by):
        return Spread.of([n * by for n in self.numbers])

    def text(self, digits, unit=""):
        """The median, and the range if there is one."""
        if self.least == self.most:
            return f"{self.median:.{digits}f}{unit}"
        return f"{self.median:.{digits}f}{unit} ({self.least:.{digits}f} to {self.most:.{digits}f})"


def mean(cells, result):
    """None where one has none; no number (NaN) where one was not run, so that nothing is said of a part of the runs."""
    if any(c.status == "not run" for c in cells):
        return math.nan
    numbers = [c.look(result) for c in cells]
    return None if None in numbers else sum(numbers) / len(numbers)
