"""Published numbers (tb/validate/NAME.csv) beside ours. Its column `ours` says how ours come from results: arithmetic
on `study("result", parameter = value, grid = "...")`, which is a number, or one for each value of the parameters that
vary; `least` and `most` of several, `reduction` and `increase` in per cent. Two more columns may be there: `sense` ("at
most", "at least") where a number is a bound, and `apart`, why ours cannot be compared with it."""
import csv
import math

from lib.common.complaint import Complaint
from lib.explore.expression import Expression

from .cube import Cube, Series, Spread
from .verdicts import interval, sense_of, verdict


def all_of(arguments):
    numbers = []
    for a in arguments:
        numbers += list(a.values.values()) if isinstance(a, Series) else [a]
    return [n for n in numbers if n is not None]


def least(*arguments):
    return Series((), {(): extreme(min, all_of(arguments))})


def most(*arguments):
    return Series((), {(): extreme(max, all_of(arguments))})


def extreme(choose, numbers):
    """NaN where one of them is not known yet."""
    return math.nan if any(math.isnan(n) for n in numbers) else choose(numbers, default=None)


def reduction(ours, theirs):
    """By how many per cent less."""
    return 100 * (1 - ours / theirs)


def increase(changed, base):
    return 100 * (changed / base - 1)


def functions_of(cubes):
    return {"least": least, "most": most, "reduction": reduction, "increase": increase,
            **{name: cube.of for name, cube in cubes.items()}}


def by_seed(cubes):
    """Cubes of each seed; of one without seeds the whole, each time."""
    each = {name: cube.each() for name, cube in cubes.items() if cube.averaged}
    seeds = dict.fromkeys(v for cubes_of in each.values() for v in cubes_of)
    return [{name: each[name].get(v, Cube(cube.name, [])) if name in each else cube for name, cube in cubes.items()}
            for v in seeds] or [cubes]


def rows(path, cubes, names, median=False, of_these_seeds=False):
    """Each published number with ours: of the means over seeds, or (`median`) of each seed, and of these the median
    and its interval (of fewer than five seeds their range, which decides nothing). `of_these_seeds`: verdicts are of the seeds that
    were run, as if there were no others."""
    samples = [functions_of(c) for c in (by_seed(cubes) if median else [cubes])]
    out = []
    with open(path, encoding="utf-8", newline="") as file:
        for line, row in enumerate(csv.DictReader(file), 2):
            try:
                found = Spread.of([number(row["ours"], functions, names) for functions in samples]) if row["ours"] else None
                sense = sense_of(row["metric"], row.get("sense") or "")
            except (ValueError, Complaint) as e:
                raise Complaint(f"{path}:{line}: {row['id']}: {e}") from e
            ours = found.median if found else None
            drawn = any(cube.averaged and f"{name}(" in row["ours"] for name, cube in cubes.items())  # the seed matters
            theirs, apart = float(row["value"]), row.get("apart") or ""
            span = found and (found.least, found.most)
            held = interval(found.numbers) or () if found and drawn and not of_these_seeds else span
            span = held or span
            out.append({"id": row["id"], "what": f"{row['system']}: {row['metric']}", "published": theirs, "measured": ours,
                        "unit": row["unit"], "kind": row["kind"] or "predicted", **({"sense": sense} if row.get("sense") else {}),
                        "verdict": verdict(theirs, row["unit"], held, row["metric"], sense, apart),
                        **({"why": apart} if apart else {}),
                        "ratio": None if ours is None or not theirs else ours / theirs,
                        **({"least": span[0], "most": span[1]} if median and found else {}),
                        **({"seeds": found.count} if median and found and drawn else {})})
    return out


def number(told, functions, names):
    expression = Expression(told, functions)
    unknown = [n for n in expression.names if n not in names]
    if unknown:
        raise ValueError(f"unknown name '{unknown[0]}'")
    value = expression.value(names)
    if isinstance(value, Series) and value.dims:
        raise ValueError(f"several numbers, over {', '.join(value.dims)}: expected least or most of them")
    return next(iter(value.values.values())) if isinstance(value, Series) else value


def text(found, compare):
    lines = [["id", "what", "published", "ours", compare, "verdict"]]
    for r in found:
        ours = r["measured"]
        beside = ("-" if ours is None else f"{ours - r['published']:+.2f}") if compare == "difference" else (
            "-" if r["ratio"] is None else f"{r['ratio']:.2f}")
        lines.append([r["id"], r["what"], f"{r['published']:g} {r['unit']}", shown(r), beside, said(r)])
    return lines


def shown(r):
    """Ours, with the interval of its median over seeds."""
    if r["measured"] is None:
        return "-"
    spread = f" ({r['least']:.2f} to {r['most']:.2f})" if r.get("least") != r.get("most") else ""
    return f"{r['measured']:.2f} {r['unit']}{spread}"


def said(r):
    return r["verdict"] + (f": {r['why']}" if "why" in r else "")


def markdown(found):
    """The same for a page: a line for each published number."""
    lines = ["| id | number | published | ours | seeds | verdict |", "|---|---|---|---|---|---|"]
    for r in found:
        kind = ("" if r["kind"] == "predicted" else f" ({r['kind']})") + (f" ({r['sense']})" if "sense" in r else "")
        lines.append(f"| {r['id']} | {r['what']}{kind} | {r['published']:g} {r['unit']} | {shown(r)} | {r.get('seeds', '')} | {said(r)} |")
    return "\n".join(lines) + "\n"
