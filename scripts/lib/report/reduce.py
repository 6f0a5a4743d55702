"""Big inputs made small without lying: exact quantiles, envelopes of least and most."""
import bisect
import math

# Levels of a distribution's curve: every half percent, and the tail by tenths of what is left.
LEVELS = [i / 200 for i in range(200)] + [1 - f / 10**k for k in range(2, 7) for f in (1, 0.5, 0.2)][1:]
POINTS = 400  # of a line


def quantile(ordered, share):
    """The smallest value that at least this share of the values does not exceed."""
    return ordered[max(0, min(len(ordered) - 1, math.ceil(share * len(ordered) - 1e-9) - 1))]


def distribution(values):
    """(values, shares) of the cumulative distribution: every value of a small one, of a big one exact
    quantiles, least and most."""
    ordered = sorted(values)
    n = len(ordered)
    if n <= POINTS:
        return ordered, [(i + 1) / n for i in range(n)]
    xs, ys = [], []
    for value in [ordered[0]] + [quantile(ordered, s) for s in sorted(set(LEVELS)) if s > 0] + [ordered[-1]]:
        if not xs or value > xs[-1]:
            xs.append(value)
            ys.append(bisect.bisect_right(ordered, value) / n)
    return xs, ys


def line(times, values):
    """(times, means, least, most): a line of at most POINTS points, each over as many samples; least and
    most are None where a point is one sample."""
    n = len(times)
    if n <= POINTS:
        return times, values, None, None
    out = ([], [], [], [])
    for i in range(POINTS):
        begin, end = i * n // POINTS, (i + 1) * n // POINTS
        part = [v for v in values[begin:end] if v is not None]
        out[0].append(times[(begin + end - 1) // 2])
        out[1].append(math.fsum(part) / len(part) if part else None)
        out[2].append(min(part, default=None))
        out[3].append(max(part, default=None))
    return out


def rounded(value, digits=6):
    """Short in a page: what a picture cannot show is cut."""
    if value is None or isinstance(value, str) or value == 0:
        return value
    if isinstance(value, int) and abs(value) < 10**9:
        return value
    short = float(f"{value:.{digits}g}")
    return int(short) if short == int(short) and abs(short) < 1e15 else short


def short(values, digits=6):
    return [rounded(v, digits) for v in values]
