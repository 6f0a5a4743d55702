"""What a published number and ours say of each other, in the words of all pages of platforms/, and how many of each a
paper has."""
import collections
import re

REPRODUCED, ORDERING, NOT, APART = "reproduced", "ordering only", "not reproduced", "not comparable"
WORDS = (REPRODUCED, ORDERING, NOT, APART)
NONE = "no number"  # not run, or unfinished
POINTS = 10  # how near is near: of numbers in per cent so many points, of others so many per cent of the published one
EFFECT = re.compile("reduction|increase|gain|slowdown|growth|improvement")  # in per cent: of these the sign says something
SENSES = ("", "at most", "at least")


def sense_of(metric, told=""):
    """What a number says: itself, or that nothing is above or below it."""
    if told not in SENSES:
        raise ValueError(f"sense '{told}': expected one of 'at most', 'at least', or none")
    return told or ("at most" if "(upper bound" in metric else "at least" if "(lower bound" in metric else "")


def verdict(published, unit, spread, metric="", sense="", apart=""):
    """One of WORDS or NONE. `spread`: ours over seeds (cube.Spread), None if there is none; `metric` says what is measured;
    `apart`: why the two are not comparable."""
    if apart:
        return APART
    if spread is None:
        return NONE
    near = POINTS if unit == "%" else abs(published) * POINTS / 100
    if sense:
        beyond = spread.median - published if sense == "at most" else published - spread.median
        return REPRODUCED if beyond <= near else NOT
    if spread.least <= published <= spread.most or abs(spread.median - published) <= near:
        return REPRODUCED
    # A reduction stays one in every seed, a ratio stays on its side of one; sizes and shares have no order.
    even = 1 if unit == "x" else 0 if unit == "%" and EFFECT.search(metric) else None
    if even is None or published == even:
        return NOT
    return ORDERING if all((n - even) * (published - even) > 0 for n in (spread.least, spread.most)) else NOT


def is_weak(published, unit, spread, sense=""):
    """Whether a verdict says little: seeds differ by more than the effect that was published, or that is less than what
    counts as near."""
    if spread is None or sense or unit not in ("%", "x"):
        return False
    effect = abs(published - (unit == "x"))
    return spread.most - spread.least > effect or (unit == "%" and effect < POINTS)


def counted(rows):
    """Of rows of `published.rows`: by kind (predicted, calibrated) how many there are of each word."""
    out = {}
    for r in rows:
        out.setdefault(r["kind"], collections.Counter())[r["verdict"]] += 1
    return out


def line(name, counts):
    """Of a paper, for people."""
    parts = []
    for kind, of in sorted(counts.items(), reverse=True):  # predicted first
        words = [*WORDS, *([NONE] if of[NONE] else [])]
        parts.append(f"{kind}: " + ", ".join(f"{of[w]} {w}" for w in words))
    return f"{name}: " + "; ".join(parts)
