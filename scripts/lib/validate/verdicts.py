"""What a published number and ours say of each other, in the words of all pages of platforms/, how many of each a paper
has, and how many of them chance would give.

A verdict is of the interval in which the median over seeds lies, not of the range of the seeds: more seeds make it narrower.
It is the distribution-free one between two order statistics (H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed., 2003, section
7.1): x(k) to x(n + 1 - k) holds the median with probability 1 - 2 P(B < k), B binomial of n and 1/2. No shape of the
distribution is assumed, as timeouts give it several heaps. Five seeds are the least: their whole range, with 93.75 %."""
import collections
import math
import random
import re

REPRODUCED, ORDERING, NOT, UNDECIDED, APART = "reproduced", "ordering only", "not reproduced", "not decided", "not comparable"
WORDS = (REPRODUCED, ORDERING, NOT, UNDECIDED, APART)
NONE = "no number"  # not run, or unfinished
PREDICTED, CALIBRATED, IDENTITY = KINDS = ("predicted", "calibrated", "identity")
CONFIDENCE = 0.9
POINTS = 10  # how near is near: of an effect in per cent so many points, of other numbers so many per cent of the published one
EFFECT = re.compile("reduction|increase|gain|slowdown|growth|improvement")  # in per cent: of these the sign says something
SENSES = ("", "at most", "at least")


def sense_of(metric, told=""):
    """What a number says: itself, or that nothing is above or below it."""
    if told not in SENSES:
        raise ValueError(f"sense '{told}': expected one of 'at most', 'at least', or none")
    return told or ("at most" if "(upper bound" in metric else "at least" if "(lower bound" in metric else "")


def interval(numbers):
    """The narrowest one between order statistics that holds the median with CONFIDENCE; none of fewer than five numbers."""
    n, below, found = len(numbers), 0, None
    ordered = sorted(numbers)
    for k in range(1, n // 2 + 1):
        below += math.comb(n, k - 1)
        if 1 - 2 * below / 2**n < CONFIDENCE:
            break
        found = (ordered[k - 1], ordered[n - k])
    return found


def even(unit, metric):
    """The number that means no effect; None of what is no effect: sizes, times, shares."""
    return 1 if unit == "x" else 0 if unit == "%" and EFFECT.search(metric) else None


def tolerance(published, unit, metric):
    """How far from the published number is near. Never more than half of an effect: no effect is not near to one."""
    if even(unit, metric) is None:
        return abs(published) * POINTS / 100
    near = POINTS if unit == "%" else abs(published) * POINTS / 100
    return min(near, abs(published - even(unit, metric)) / 2)


def verdict(published, unit, held, metric="", sense="", apart=""):
    """One of WORDS or NONE. `held`: the interval of ours, (x, x) of a number without seeds, () where seeds are too few for
    one, None where there is no number; `metric` says what is measured; `apart`: why the two are not comparable."""
    if apart:
        return APART
    if held is None:
        return NONE
    if not held:
        return UNDECIDED
    least, most = held
    if sense:
        kept = [n <= published if sense == "at most" else n >= published for n in held]
        return REPRODUCED if all(kept) else UNDECIDED if any(kept) else NOT
    near = tolerance(published, unit, metric)
    if published - near <= least and most <= published + near:
        return REPRODUCED
    outside = most < published - near or least > published + near
    zero = even(unit, metric)
    if zero is not None and all((n - zero) * (published - zero) > 0 for n in held) and (
            outside or most - least <= abs(published - zero)):
        return ORDERING
    return NOT if outside else UNDECIDED


def control(effects, shuffles=1000, seed=1):
    """How many of `effects`, each (published, unit, held, metric), have which verdict: as they are, on average with the
    published numbers of a unit shuffled among the rows, and negated. The last two are what the rule gives to nothing."""
    def words(published):
        return collections.Counter(verdict(p, unit, held, metric) for p, (_, unit, held, metric) in zip(published, effects))
    own = [e[0] for e in effects]
    draws, mixed = random.Random(seed), collections.Counter()
    for _ in range(shuffles):
        published = list(own)
        for unit in sorted({e[1] for e in effects}):
            at = [i for i, e in enumerate(effects) if e[1] == unit]
            for i, j in zip(at, draws.sample(at, len(at))):
                published[i] = own[j]
        mixed.update(words(published))
    return {"as published": words(own), "shuffled": {w: mixed[w] / shuffles for w in WORDS},
            "negated": words([-p if unit == "%" else 1 / p for p, unit, _, _ in effects])}


def counted(rows):
    """Of rows of `published.rows`: by kind how many there are of each word."""
    out = {}
    for r in rows:
        out.setdefault(r["kind"], collections.Counter())[r["verdict"]] += 1
    return out


def line(name, counts):
    """Of a paper, for people."""
    parts = []
    for kind in (k for k in KINDS if k in counts):
        words = [*WORDS, *([NONE] if counts[kind][NONE] else [])]
        parts.append(f"{kind}: " + ", ".join(f"{counts[kind][w]} {w}" for w in words))
    return f"{name}: " + "; ".join(parts)
