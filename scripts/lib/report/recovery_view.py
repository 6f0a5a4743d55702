"""recovery.json: retransmissions on one axis of time, from the loss to the completion, with CNPs and pauses beside."""
from . import numbers, plots
from .blocks import Cell, Column, Figure, Heading, Table
from .inputs import read_json

MARKS = {"lost": "lost", "nack_decided": "NACK decided", "nack_sent": "NACK sent", "nack_received": "NACK received",
         "served": "NACK served", "timed_out": "timeout", "resent": "resent", "arrived": "arrived", "completed": "completed"}
MOST = 12  # recoveries of the picture; the table of parts is of all


def at(recovery, mark):
    value = recovery.get(f"{mark}_ps")
    return None if value is None else value / 1e6


def name_of(recovery):
    return f"{recovery['name']} psn {recovery['psn']}"


def figure(found):
    """A row for each of the first recoveries, below one for CNPs, one for pauses and one for events."""
    shown = found["recoveries"][:MOST]
    times = [at(r, mark) for r in shown for mark in MARKS if at(r, mark) is not None]
    first, last = min(times), max(times)
    beside = [b for b in found["beside"] if b["to_ps"] / 1e6 >= first and b["from_ps"] / 1e6 <= last]
    rows = [name_of(r) for r in shown]
    series = []
    for style, (mark, title) in enumerate(MARKS.items()):
        points = [(at(r, mark), name_of(r)) for r in shown if at(r, mark) is not None]
        if points:
            labels = [f"{title} at {numbers.quantity(x, 'us')}" for x, _ in points]
            series.append(plots.series(title, [x for x, _ in points], [y for _, y in points], "points", style, label=labels))
    for kind, title in (("CNP", "CNPs"), ("pause", "pauses"), ("", "events")):
        mine = [b for b in beside if b["what"].startswith(kind) and (kind or not b["what"].startswith(("CNP", "pause")))]
        if not mine:
            continue
        rows.append(title)
        xs = [t / 1e6 for b in mine for t in dict.fromkeys((b["from_ps"], b["to_ps"]))]
        labels = [f"{b['what']}, {b['where']}" for b in mine for _ in dict.fromkeys((b["from_ps"], b["to_ps"]))]
        series.append(plots.series(title, xs, [title] * len(xs), "points", len(series), label=labels))
    spec = plots.xy(plots.axis("time of the run", "us"), plots.axis("packet", scale="category", values=rows), series)
    more = len(found["recoveries"]) - len(shown)
    note = f"{numbers.number(more)} more are in recovery.csv." if more else ""
    return Figure(spec, "From the loss to the completion", note)


def table(found):
    columns = [Column("part")] + [Column(title, True) for title in ("packets", "mean, us", "p99, us")]
    rows = [[Cell(p["part"], p["part"]), Cell(p["count"], numbers.number(p["count"]))]
            + [Cell(p[key] / 1e3, numbers.number(p[key] / 1e3)) for key in ("mean_ns", "p99_ns")] for p in found["parts"]]
    return Table(columns, rows, f"Recovery of {numbers.number(len(found['recoveries']))} packets")


def blocks(folder):
    path = folder / "recovery.json"
    if not path.exists():
        return []
    found = read_json(path)
    return [Heading("Retransmissions"), figure(found), table(found)] if found.get("recoveries") else []
