"""flows.csv: distributions of completion time and slowdown, percentiles, slowdown over size, when each rank sent."""
import math
from dataclasses import dataclass, field

from . import numbers, plots, reduce, series_view
from .blocks import Cell, Column, Figure, Table
from .inputs import csv_number, csv_rows

# column -> (title, unit); with a value per message, and per connection where there are no messages.
PER_MESSAGE = {"fct_us": ("completion time", "us"), "slowdown": ("slowdown over an idle network", "")}
PER_CONNECTION = {"message_p99_us": ("99th percentile of a connection's message times", "us"),
                  "mean_rate_gbps": ("mean rate of a connection", "Gbps")}
SHARES = (0.5, 0.9, 0.99, 0.999)
BINS = 12  # of sizes
FEW = 5    # connections of which a distribution says nothing
MOST_RANKS = 40
OF_RANKS = ("collective", "goal")  # kinds of traffic


@dataclass
class Flows:
    label: str
    values: dict = field(default_factory=dict)   # column -> numbers
    sizes: list = field(default_factory=list)    # (bytes, slowdown)
    unfinished: int = 0
    left_out: int = 0                            # posted before the measurement began
    slowest: list = field(default_factory=list)  # rows


def read(label, folder, measured_from_ps):
    path = folder / "flows.csv"
    flows = Flows(label)
    ranked = []
    for line, row in csv_rows(path, ("flow", "sender", "receiver", "fct_us", "slowdown", "size_bytes", "first_post_us")):
        number = {c: csv_number(path, line, c, row.get(c, "")) for c in (*PER_MESSAGE, *PER_CONNECTION)}
        size = csv_number(path, line, "size_bytes", row["size_bytes"])
        if size is not None:
            begin = csv_number(path, line, "first_post_us", row["first_post_us"])
            if begin is not None and begin * 1e6 < measured_from_ps:
                flows.left_out += 1
                continue
            if number["fct_us"] is None:
                flows.unfinished += 1
                continue
            for column in PER_MESSAGE:
                if number[column] is not None:
                    flows.values.setdefault(column, []).append(number[column])
            if number["slowdown"] is not None:
                flows.sizes.append((size, number["slowdown"]))
                ranked.append((number["slowdown"], line, row))
        else:
            for column in PER_CONNECTION:
                if number[column] is not None:
                    flows.values.setdefault(column, []).append(number[column])
    ranked.sort(key=lambda r: (-r[0], r[1]))
    flows.slowest = [row for _, _, row in ranked[:20]]
    flows.values = {c: v for c, v in flows.values.items() if c in PER_MESSAGE or len(v) >= FEW}
    return flows


def titles():
    return {**PER_MESSAGE, **PER_CONNECTION}


def distributions(all_flows):
    """A figure for each quantity, a line for each result, and one table of percentiles."""
    found = []
    for column, (title, unit) in titles().items():
        shown = [f for f in all_flows if f.values.get(column)]
        if not shown:
            continue
        lines, everything = [], []
        for i, f in enumerate(shown):
            xs, ys = reduce.distribution(f.values[column])
            everything += [xs[0], xs[-1]]
            lines.append(plots.series(f.label if len(all_flows) > 1 else title, xs, ys, "step", i))
        what = "messages" if column in PER_MESSAGE else "connections"
        spec = plots.xy(plots.axis(title, unit, plots.scale_of(everything)),
                        plots.axis(f"share of {what}", zero=True), lines, legend=len(all_flows) > 1)
        notes = notes_of(shown, len(all_flows) > 1) if column in PER_MESSAGE else []
        found.append(Figure(spec, f"Distribution of {title}", "; ".join(notes), small=True))
    rows = []
    for f in all_flows:
        for column, values in f.values.items():
            title, unit = titles()[column]
            ordered = sorted(values)
            cells = [Cell(len(ordered), numbers.number(len(ordered)))]
            mean = math.fsum(ordered) / len(ordered)
            for value in (ordered[0], mean, *(reduce.quantile(ordered, s) for s in SHARES), ordered[-1]):
                cells.append(Cell(value, numbers.number(value)))
            head = [Cell(f.label, f.label)] if len(all_flows) > 1 else []
            rows.append(head + [Cell(title, title), Cell(unit, unit or "ratio")] + cells)
    if rows:
        columns = [Column("result")] if len(all_flows) > 1 else []
        columns += [Column("quantity"), Column("unit")] + [
            Column(c, True) for c in ("count", "least", "mean", "p50", "p90", "p99", "p99.9", "most")]
        found.append(Table(columns, rows, "Percentiles"))
    return found


def notes_of(all_flows, several):
    """What is not in a distribution, by result where they differ."""
    texts = [note(f) for f in all_flows]
    if len(set(texts)) == 1:
        return [texts[0] + (" of each" if several and len(texts) > 1 else "")] if texts[0] else []
    return [f"{f.label}: {t}" for f, t in zip(all_flows, texts) if t]


def note(flows):
    parts = []
    if flows.unfinished:
        parts.append(f"{numbers.number(flows.unfinished)} unfinished messages are not in it")
    if flows.left_out:
        parts.append(f"{numbers.number(flows.left_out)} posted before the measured window are left out")
    return ", ".join(parts)


def over_size(all_flows):
    """Slowdown over message size, where sizes differ: equally many messages in each bin."""
    lines = []
    for i, f in enumerate(all_flows):
        if len({s for s, _ in f.sizes}) < 4 or len(f.sizes) < 10 * BINS:
            continue
        ordered = sorted(f.sizes)
        xs, middle, tail, labels = [], [], [], []
        for b in range(BINS):
            part = ordered[b * len(ordered) // BINS:(b + 1) * len(ordered) // BINS]
            values = sorted(v for _, v in part)
            xs.append(part[len(part) // 2][0])
            middle.append(reduce.quantile(values, 0.5))
            tail.append(reduce.quantile(values, 0.99))
            labels.append(f"{len(part)} messages of {numbers.of_bytes(part[0][0])} to {numbers.of_bytes(part[-1][0])}")
        name = f"{f.label}, " if len(all_flows) > 1 else ""
        lines.append(plots.series(f"{name}p50", xs, middle, "both", 2 * i, label=labels))
        lines.append(plots.series(f"{name}p99", xs, tail, "both", 2 * i + 1, label=labels))
    if not lines:
        return []
    spec = plots.xy(plots.axis("message size", "B", "log"), plots.axis("slowdown over an idle network", scale="log"),
                    lines)
    return [Figure(spec, "Slowdown over message size", f"{BINS} bins of equally many messages", small=True)]


def slowest(flows):
    """The messages that took longest over an idle network."""
    if not flows.slowest:
        return []
    names = [c for c in ("flow", "sender", "receiver", "size_bytes", "first_post_us", "fct_us", "ideal_us", "slowdown",
                         "packets_received", "out_of_order", "reorder_max") if c in flows.slowest[0]]
    rows = []
    for row in flows.slowest:
        cells = []
        for name in names:
            value = numbers.parsed(row[name])
            cells.append(Cell(value[0], numbers.number(value[0])) if value and name not in ("sender", "receiver")
                         else Cell(row[name], row[name] or numbers.NONE))
        rows.append(cells)
    columns = [Column(n.replace("_", " "), n not in ("sender", "receiver")) for n in names]
    return [Table(columns, rows, "The slowest messages")]


def has_ranks(summary):
    traffic = summary["config"].get("traffic", [])
    return any(isinstance(t, dict) and t.get("kind") in OF_RANKS for t in traffic)


def spans_of_ranks(folder):
    """{sender: [(first post, last completion or None, receiver)]} in us."""
    path = folder / "flows.csv"
    found = {}
    for line, row in csv_rows(path, ("sender", "receiver", "first_post_us", "last_completion_us", "messages_posted",
                                     "messages_completed")):
        at = {n: csv_number(path, line, n, row[n]) for n in ("first_post_us", "last_completion_us", "messages_posted",
                                                            "messages_completed")}
        if at["first_post_us"] is None:
            continue
        whole = at["messages_completed"] == at["messages_posted"]
        found.setdefault(row["sender"], []).append((at["first_post_us"], at["last_completion_us"] if whole else None, row["receiver"]))
    return found


def ranks(folder, end_us):
    """A line from a connection's first post to its last completion; of many ranks those that end last."""
    spans = spans_of_ranks(folder)
    if not spans:
        return []
    last = {rank: max(end_us if to is None else to for _, to, _ in of) for rank, of in spans.items()}
    shown = sorted(spans, key=lambda rank: (-last[rank], series_view.natural(rank)))[:MOST_RANKS]
    shown.sort(key=series_view.natural)
    series = []
    for style, (name, whole) in enumerate((("completed", True), ("unfinished at the end", False))):
        xs, ys, labels = [], [], []
        for rank in shown:
            for begin, to, receiver in spans[rank]:
                if (to is not None) != whole:
                    continue
                xs += [begin, end_us if to is None else to, None]
                ys += [rank, rank, None]
                labels += [f"to {receiver}"] * 3
        if xs:
            series.append({"name": name, "role": "line", "style": style, "data": {"x": xs, "y": ys, "label": labels}})
    spec = plots.xy(plots.axis("time", "us", zero=True), plots.axis("rank", scale="category", values=shown[::-1]), series)
    note = "from a connection's first post to its last completion"
    if len(shown) < len(spans):
        note += f"; of {len(spans)} ranks the {len(shown)} that end last"
    return [Figure(spec, "When each rank sent", note)]
