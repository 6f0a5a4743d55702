"""series.csv: a figure for each quantity; many objects as mean and envelope by kind of object."""
import math
import re

from . import plots, reduce
from .blocks import Figure
from .inputs import csv_number, csv_rows

LINES = 6       # objects of a kind that get a line each
SHOWN = 12      # lines of a figure that are on at first
TITLES = {"tx_rate": "sending rate", "delivered_rate": "delivered rate", "nack_rate": "rate of NACKs",
          "queue_bytes": "queue depth", "queue_depth": "queue depth"}


def read(folder):
    """{(quantity, unit): {object: {time: value}}}"""
    path = folder / "series.csv"
    found = {}
    for line, row in csv_rows(path, ("time_us", "object", "quantity", "value", "unit")):
        time = csv_number(path, line, "time_us", row["time_us"])
        value = csv_number(path, line, "value", row["value"])
        if time is None:
            csv_number(path, line, "time_us", "nothing")
        found.setdefault((row["quantity"], row["unit"]), {}).setdefault(row["object"], {})[time] = value
    return found


def kind_of(name):
    """leaf3.port17 is a port of a leaf: objects that differ by numbers are of one kind."""
    return re.sub(r"\d+", "*", name)


def natural(name):
    return [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", name)]


def member_lines(members, style):
    lines = []
    for name in sorted(members, key=natural):
        times = sorted(members[name])
        xs, ys, low, high = reduce.line(times, [members[name][t] for t in times])
        lines.append(plots.series(name, xs, ys, "line", style + len(lines), low=low, high=high))
    return lines


def envelope_lines(kind, members, style):
    """Mean over the objects with least and most around it, and the one that peaks highest."""
    times = sorted({t for values in members.values() for t in values})
    mean, low, high = [], [], []
    for t in times:
        now = [v[t] for v in members.values() if v.get(t) is not None]
        mean.append(math.fsum(now) / len(now) if now else None)
        low.append(min(now, default=None))
        high.append(max(now, default=None))
    if len(times) > reduce.POINTS:
        lows = reduce.line(times, low)
        highs = reduce.line(times, high)
        times, mean = reduce.line(times, mean)[:2]
        low, high = lows[2], highs[3]
    name = f"{kind}: mean of {len(members)}, least to most"
    lines = [plots.series(name, times, mean, "line", style, low=low, high=high)]
    peak = min(members, key=lambda m: (-max((v for v in members[m].values() if v is not None), default=-math.inf),
                                       natural(m)))
    at = sorted(members[peak])
    xs, ys, _, _ = reduce.line(at, [members[peak][t] for t in at])
    lines.append(plots.series(f"{peak}: highest peak", xs, ys, "line", style + 1, off=True))
    return lines


def figures(folder):
    found = []
    for (quantity, unit), objects in read(folder).items():
        kinds = {}
        for name, values in objects.items():
            if any(v for v in values.values()):
                kinds.setdefault(kind_of(name), {})[name] = values
        silent = len(objects) - sum(len(m) for m in kinds.values())
        if not kinds:
            continue
        lines = []
        for kind, members in kinds.items():
            few = len(members) <= LINES
            lines += member_lines(members, len(lines)) if few else envelope_lines(kind, members, len(lines))
        for line in lines[SHOWN:]:
            line["off"] = True
        notes = []
        if silent:
            notes.append(f"{silent} object{'s' if silent > 1 else ''} without any are left out")
        if any(line.get("off") for line in lines):
            notes.append("grey names of the legend are hidden until they are clicked")
        title = TITLES.get(quantity, quantity.replace("_", " "))
        spec = plots.xy(plots.axis("time", "us"), plots.axis(title, unit, zero=True), lines)
        found.append(Figure(spec, f"{title[0].upper()}{title[1:]} over time", "; ".join(notes), small=True))
    return found
