"""The points of a study, in their order: of a grid, or of a latin hypercube."""
import itertools

from .complaint import Complaint


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


def grid(study):
    names = [p.name for p in study.parameters]
    values = [[c.value for c in p.choices] for p in study.parameters]
    return distinct(study, (dict(zip(names, v)) for v in itertools.product(*values)))


def latin(study):
    # Imported here: it takes longer than a grid.
    from scipy.stats import qmc  # pylint: disable=import-outside-toplevel
    rows = qmc.LatinHypercube(d=len(study.parameters), seed=study.method.seed).random(study.method.points)
    return distinct(study, ({p.name: p.value_at(float(u)) for p, u in zip(study.parameters, row)} for row in rows))
