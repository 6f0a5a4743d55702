"""Published numbers (tb/validate/NAME.csv) beside ours. Its column `ours` says how ours come from results: arithmetic
on `study("result", parameter = value, grid = "...")`, which is a number, or one for each value of the parameters that
vary; `least` and `most` of several, `reduction` and `increase` in per cent."""
import csv

from exploration.complaint import Complaint
from exploration.expression import Expression

from .cube import Series


def all_of(arguments):
    numbers = []
    for a in arguments:
        numbers += list(a.values.values()) if isinstance(a, Series) else [a]
    return [n for n in numbers if n is not None]


def least(*arguments):
    return Series((), {(): min(all_of(arguments), default=None)})


def most(*arguments):
    return Series((), {(): max(all_of(arguments), default=None)})


def reduction(ours, theirs):
    """By how many per cent less."""
    return 100 * (1 - ours / theirs)


def increase(changed, base):
    return 100 * (changed / base - 1)


def rows(path, cubes, names):
    """Each published number with ours."""
    functions = {"least": least, "most": most, "reduction": reduction, "increase": increase,
                 **{name: cube.of for name, cube in cubes.items()}}
    out = []
    with open(path, encoding="utf-8", newline="") as file:
        for line, row in enumerate(csv.DictReader(file), 2):
            try:
                expression = Expression(row["ours"], functions)
                unknown = [n for n in expression.names if n not in names]
                if unknown:
                    raise ValueError(f"unknown name '{unknown[0]}'")
                value = expression.value(names)
                if isinstance(value, Series) and value.dims:
                    raise ValueError(f"several numbers, over {', '.join(value.dims)}: expected least or most of them")
            except (ValueError, Complaint) as e:
                raise Complaint(f"{path}:{line}: {row['id']}: {e}") from e
            ours = next(iter(value.values.values())) if isinstance(value, Series) else value
            theirs = float(row["value"])
            out.append({"id": row["id"], "what": f"{row['system']}: {row['metric']}", "published": theirs, "measured": ours,
                        "unit": row["unit"], "kind": row["kind"] or "predicted",
                        "ratio": None if ours is None or not theirs else ours / theirs})
    return out


def text(found, compare):
    lines = [["id", "what", "published", "ours", compare]]
    for r in found:
        ours = r["measured"]
        shown = "not reproduced" if ours is None else f"{ours:.2f} {r['unit']}"
        beside = ("-" if ours is None else f"{ours - r['published']:+.2f}") if compare == "difference" else (
            "-" if r["ratio"] is None else f"{r['ratio']:.2f}")
        lines.append([r["id"], r["what"], f"{r['published']:g} {r['unit']}", shown, beside])
    return lines
