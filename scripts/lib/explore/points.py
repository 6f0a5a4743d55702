"""The points of a study, in their order: of a grid, or of a latin hypercube."""
import itertools
import math

from lib.common.complaint import Complaint

MOST_POINTS = 1_000_000


def same(a, b):
    return list(a.items()) == list(b.items()) and [type(v) for v in a.values()] == [type(v) for v in b.values()]


def skipped(study, values):
    return any(s.expression.value(values) for s in study.skips)


def distinct(study, candidates):
    """Points without those that the study skips or that were there before."""
    points, seen = [], set()
    for values in candidates:
        key = tuple((type(v).__name__, v) for v in values.values())
        if key not in seen and not skipped(study, values):
            seen.add(key)
            points.append(values)
    if not points:
        raise Complaint(f"{study.file}: every point is left out by [[skip]]")
    return points


def product(study, values):
    """Complaint for more than anybody waits for: skipped ones are looked at as well."""
    count = math.prod(len(v) for v in values.values())
    if count > MOST_POINTS:
        raise Complaint(f"{study.file}: a grid of {count} points, expected {MOST_POINTS} at most (or [method] kind = "
                        "\"latin\" or \"search\")")
    return (dict(zip(values, v)) for v in itertools.product(*values.values()))


def taken(values, of):
    """Of values that a grid names those that a variant takes; all where it takes none of them."""
    return [v for v in values if v in of] or values


def subgrids(study):
    """Of each [[grid]] its name, the parameters that it names, and its points; of a study without them, one of all
    values."""
    everything = {p.name: [c.value for c in p.choices] for p in study.parameters}
    if not study.grids:
        return [("", list(everything), distinct(study, product(study, everything)))]
    out = []
    for table in study.grids:
        values = {p.name: everything[p.name] if p.average or p.name in table.over else
                  taken(table.at.get(p.name, [p.known[0].value]), everything[p.name]) for p in study.parameters}
        named = [n for n in everything if n in table.over or n in table.at]
        out.append((table.name, named, [v for v in product(study, values) if not skipped(study, v)]))
    return out


def grid(study):
    return distinct(study, (values for _, _, rows in subgrids(study) for values in rows))


def latin(study):
    # Imported here: it takes longer than a grid.
    from scipy.stats import qmc  # pylint: disable=import-outside-toplevel
    rows = qmc.LatinHypercube(d=len(study.parameters), seed=study.method.seed).random(study.method.points)
    return distinct(study, ({p.name: p.value_at(float(u)) for p, u in zip(study.parameters, row)} for row in rows))
