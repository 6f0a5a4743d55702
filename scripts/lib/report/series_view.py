"""series.csv: a figure for each quantity; many objects as mean and envelope by kind of object."""
import math
import re

from . import plots, reduce
from .blocks import Figure
from .inputs import csv_number, csv_rows

LINES = 6       # objects of a kind that get a line each
SHOWN = 12      # lines of a figure that are on at first
TITLES = {"tx_rate": "sending rate", "delivered_rate": "delivered rate", "nack_rate": "rate of NACKs",
          "queue_bytes": "queue depth", "queue_depth": "queue depth",
          **{f"paused_class{c}": f"class {c} held by pauses" for c in range(8)},
          **{f"pauses_sent_class{c}": f"pauses sent for class {c}" for c in range(8)}}


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
    lines.append(plots.series(f"{peak}: highest peak", xs, ys, "line", style + 1))
    return lines


def title_of(quantity):
    text = TITLES.get(quantity, quantity.replace("_", " "))
    return text[0].upper() + text[1:]


def figure(quantity, unit, lines, what, silent):
    for line in lines[SHOWN:]:
        line["off"] = True
    notes = []
    if silent:
        notes.append(f"{silent} object{'s' if silent > 1 else ''} without any are left out")
    if len(lines) > SHOWN:
        notes.append("crossed out names of the legend are hidden until they are clicked")
    name = title_of(quantity)
    spec = plots.xy(plots.axis("time", "us"), plots.axis(name, unit, zero=True), lines)
    return Figure(spec, f"{name} over time{what}", "; ".join(notes), small=True)


def figures(series):
    """Of what read() found. Kinds with few objects share a figure, each of the others has its own."""
    found = []
    for (quantity, unit), objects in series.items():
        kinds, silent = {}, {}
        for name, values in objects.items():
            kind = kind_of(name)
            if any(values.values()):
                kinds.setdefault(kind, {})[name] = values
            else:
                silent[kind] = silent.get(kind, 0) + 1
        many = {k: m for k, m in kinds.items() if len(m) > LINES}
        few = {k: m for k, m in kinds.items() if k not in many}
        lines = []
        for members in few.values():
            lines += member_lines(members, len(lines))
        if lines:
            found.append(figure(quantity, unit, lines, "", sum(n for k, n in silent.items() if k not in many)))
        for kind, members in many.items():
            found.append(figure(quantity, unit, envelope_lines(kind, members, 0), f": {kind}", silent.get(kind, 0)))
    return found
