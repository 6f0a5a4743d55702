"""packets.csv and registers.csv of a replay: latency and queues over time, and the way of each packet."""
from . import numbers, plots, reduce
from .blocks import Cell, Column, Figure, Fold, Heading, Table
from .inputs import csv_number, csv_rows

PORTS = 8          # lines of a figure: those that most packets left by
MOST_ROWS = 5000   # of the table of packets
TOUCHED = 6        # accesses to registers in a cell
TIMES = ("first_bit_in_ps", "ingress_in_ps", "ingress_out_ps", "queue_in_ps", "queue_out_ps", "first_bit_out_ps")
KNOWN = ("packet", "copy", "kind", "source", "destination", "bytes", "in_port", "out_port", "passes", "verdict", "cause",
         "object", "psn", "dest_qp")


def read(folder):
    path = folder / "packets.csv"
    return [{**{n: row[n] for n in KNOWN}, **{t: csv_number(path, line, t, row[t]) for t in TIMES}}
            for line, row in csv_rows(path, (*KNOWN, *TIMES))]


def accesses(folder):
    """{(packet, copy): ["register[index]: before to after"]}"""
    found = {}
    for _, row in csv_rows(folder / "registers.csv", ("packet", "copy", "register", "index", "before", "after")):
        changed = f": {row['before']} to {row['after']}" if row["before"] != row["after"] else f" = {row['before']}"
        found.setdefault((row["packet"], row["copy"]), []).append(f"{row['register']}[{row['index']}]{changed}")
    return found


def busiest(packets):
    count = {}
    for p in packets:
        if p["out_port"]:
            count[p["out_port"]] = count.get(p["out_port"], 0) + 1
    shown = sorted(count, key=lambda port: (-count[port], int(port)))[:PORTS]
    return sorted(shown, key=int), len(count)


def note_of(shown, ports):
    return "" if len(shown) == ports else f"the {len(shown)} ports of {ports} that most packets left by"


def latency(packets, shown, ports):
    """From a packet's first bit in to its first bit out, over the time of the first."""
    series, everything = [], []
    for style, port in enumerate(shown):
        points = sorted((p["first_bit_in_ps"], p["first_bit_out_ps"] - p["first_bit_in_ps"]) for p in packets
                        if p["out_port"] == port and p["first_bit_out_ps"] is not None and p["first_bit_in_ps"] is not None)
        if not points:
            continue
        xs, ys, low, high = reduce.line([x / 1e6 for x, _ in points], [y / 1e3 for _, y in points])
        everything += [y for y in ys if y is not None]
        series.append(plots.series(f"port {port}", xs, ys, "points" if low is None else "line", style, low=low, high=high))
    if not series:
        return []
    spec = plots.xy(plots.axis("time", "us"), plots.axis("latency", "ns", plots.scale_of(everything)), series)
    return [Figure(spec, "Latency of packets over time", note_of(shown, ports), small=True)]


def waiting(packets, shown, ports):
    """Packets in the queue of each port."""
    series = []
    for style, port in enumerate(shown):
        changes = {}
        for p in packets:
            if p["out_port"] != port or p["queue_in_ps"] is None or p["queue_out_ps"] is None:
                continue
            changes[p["queue_in_ps"]] = changes.get(p["queue_in_ps"], 0) + 1
            changes[p["queue_out_ps"]] = changes.get(p["queue_out_ps"], 0) - 1
        times, depths, depth = [], [], 0
        for at in sorted(changes):
            depth += changes[at]
            times.append(at / 1e6)
            depths.append(depth)
        if not any(depths):
            continue
        xs, ys, low, high = reduce.line(times, depths)
        series.append(plots.series(f"port {port}", xs, ys, "line", style, low=low, high=high))
    if not series:
        return []
    spec = plots.xy(plots.axis("time", "us"), plots.axis("packets in the queue", zero=True), series)
    return [Figure(spec, "Queues over time", note_of(shown, ports), small=True)]


PARTS = (("to ingress", "first_bit_in_ps", "ingress_in_ps"), ("ingress", "ingress_in_ps", "ingress_out_ps"),
         ("to the queue", "ingress_out_ps", "queue_in_ps"), ("queue", "queue_in_ps", "queue_out_ps"),
         ("egress and wire", "queue_out_ps", "first_bit_out_ps"))


def between(packet, begin, end):
    """ns, or None where it did not come so far."""
    a, b = packet[begin], packet[end]
    return None if a is None or b is None else (b - a) / 1e3


def parts_of(packet):
    found = [(name, between(packet, begin, end)) for name, begin, end in PARTS]
    return ", ".join(f"{name} {numbers.number(t)} ns" for name, t in found if t is not None)


def ways(packets, touched):
    """A row for each packet and copy: its way with the parts of it, what became of it, registers that it touched."""
    columns = [Column("packet", True), Column("from"), Column("to"), Column("QP", True), Column("PSN", True), Column("bytes", True),
               Column("ports"), Column("in, us", True), Column("latency", True), Column("end", wide=True)]
    if touched:
        columns.append(Column("registers", wide=True))
    rows = []
    for p in packets[:MOST_ROWS]:
        first = p["first_bit_in_ps"]
        verdict = ", ".join(t for t in (p["verdict"], p["cause"], p["object"]) if t)
        source = p["source"] if p["kind"] == "roce" else f"{p['source']} ({p['kind']})"
        ports = f"{p['in_port']} to {p['out_port']}" if p["out_port"] else p["in_port"]
        row = [numbered(p), Cell(source, source), Cell(p["destination"], p["destination"]),
               number(p["dest_qp"]), number(p["psn"]), number(p["bytes"]), Cell(ports, ports),
               Cell(None, numbers.NONE) if first is None else Cell(first / 1e6, f"{first / 1e6:.6f}"),
               of_time(between(p, "first_bit_in_ps", "first_bit_out_ps"), parts_of(p)), Cell(verdict, verdict)]
        if touched:
            of = touched.get((p["packet"], p["copy"]), [])
            more = f"; and {len(of) - TOUCHED} more" if len(of) > TOUCHED else ""
            text = "; ".join(of[:TOUCHED]) + more
            row.append(Cell(text, text))
        rows.append(row)
    note = "In: the first bit; end: what became of it. Latency is in ns; its parts are shown where the pointer rests on it."
    if len(packets) > MOST_ROWS:
        note += f" The first {numbers.number(MOST_ROWS)} of {numbers.number(len(packets))} rows; packets.csv has all."
    return Table(columns, rows, "The way of each packet, in the order of leaving: type a number, a PSN or a name to find it", note)


def of_time(ns, title):
    return Cell(None, numbers.NONE, title=title) if ns is None else Cell(ns, numbers.number(ns), title=title)


def numbered(packet):
    """A copy that a program made has its packet's number and one of its own."""
    text = packet["packet"] if packet["copy"] == "0" else f"{packet['packet']} copy {packet['copy']}"
    return Cell(int(packet["packet"]), text)


def number(text):
    """Plain digits, as a person types them to find a packet."""
    return Cell(int(text), text) if text else Cell(None, numbers.NONE)


def blocks(folder):
    packets = read(folder)
    if not packets:
        return []
    shown, ports = busiest(packets)
    return [Heading("Packets"), *latency(packets, shown, ports), *waiting(packets, shown, ports),
            Fold(f"The way of a packet ({numbers.number(len(packets))})", [ways(packets, accesses(folder))], opened=True)]
