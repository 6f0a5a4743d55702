"""Where the rate went: the time of a sender's wire by what it carried or waited for, the time in which blocks of NICs worked,
both of two runs as a difference, and what PCIe carried. Blocks have the names of public diagnostic counters (NEO-Host, ConnectX-5)."""
from . import numbers, plots
from .blocks import Cell, Column, Figure, Heading, Table

# Waits of the wire of a sender, by cause: title, block, keys that lift it.
WAITS = {
    "no_work": ("messages", "host", "traffic: depth, qps, message"),
    "window": ("a window", "SXD, end-to-end credits", "reliability.window, congestion"),
    "shaper": ("a rate", "SXD, limited", "congestion, qp_rate"),
    "paused": ("PFC of the next device", "port", "pfc of the next device"),
    "doorbell": ("doorbells", "PXT", "post, memory.mmio_latency"),
    "wqe": ("WQEs", "SXW", "fetch.wqe_batch, pcie"),
    "payload": ("payload", "SXP, PXDP", "fetch.prefetch, pcie, memory"),
    "context": ("contexts and translations", "PXT, ICM miss", "cache, sram, memory.round_trip"),
    "retransmit": ("a NACK that is served", "SXD", "retransmit"),
    "lock": ("a locked context", "SXD", "retransmit.context_lock"),
    "recovery": ("retransmissions to be acknowledged", "SXD", "retransmit"),
    "gap_window": ("the window of a gap", "SXD", "retransmit.window_stall"),
    "port": ("room in a port's line", "port", "port_buffer"),
    "engine": ("units of the packet engine", "SXP", "engine"),
    "credits": ("credits of a lane", "port", "vl_credits"),
}
# Time in which a block works, or a queue before it waits: title, block.
BUSY = {
    "nics.sxp_data_busy": ("data sent", "SXP"),
    "nics.rxt_data_busy": ("data received", "RXT"),
    "nics.sxp_ack_busy": ("responses sent", "SXP"),
    "nics.rxt_ack_busy": ("responses received", "RXT"),
    "nics.visit_busy": ("visits to queue pairs", "SXD"),
    "nics.pcie_upstream_busy": ("PCIe towards the host", "PXT"),
    "nics.pcie_downstream_busy": ("PCIe towards the NIC", "PXT"),
    "nics.paused": ("held by PFC", "port"),
    "nics.pausing": ("holding its peer by PFC", "RXB"),
}

# The PCIe ledger: what TLPs are for, and their directions.
USES = {"doorbell": "doorbells", "wqe": "WQEs", "payload": "payload", "context": "contexts", "translation": "translations",
        "cqe": "CQEs"}
DIRECTIONS = {"to_host": "towards the host", "to_nic": "towards the NIC"}


def value(summary, name):
    entry = (summary.get("results") or {}).get(name)
    found = entry.get("value") if isinstance(entry, dict) else entry
    return found if numbers.is_number(found) else None


def wire(summary):
    """Shares of time of senders' wires, the greatest wait first: (key, title, block, lifted by, share)."""
    sent = value(summary, "senders.tx_share")
    if sent is None:
        return []
    waits = [(cause, title, block, keys, value(summary, f"senders.idle_{cause}"))
             for cause, (title, block, keys) in WAITS.items()]
    waits = sorted((w for w in waits if w[4]), key=lambda w: -w[4])
    return [("sent", "packets", "wire", "", sent)] + waits


def blocks_of(summary):
    return [(name, title, block, value(summary, name)) for name, (title, block) in BUSY.items() if value(summary, name)]


def figure(labels, parts):
    """A bar for each run: what its senders' wires carried, and what they waited for."""
    titles = {}
    for rows in parts:
        for key, title, _, _, _ in rows:
            titles[key] = title
    series = []
    for style, (key, title) in enumerate(titles.items()):
        values = [next((r[4] for r in rows if r[0] == key), 0) for rows in parts]
        series.append({"name": title, "style": style, "values": values, "label": [numbers.number(v) for v in values]})
    spec = plots.bars(labels, plots.axis("time of the senders' wires", "share of time", zero=True), series, True)
    return Figure(spec, "Where the rate went", "Packets first, then what the wire waited for, mean of senders.")


def table(summary):
    rows = [[Cell(key, title), Cell(block, block), Cell(share, numbers.number(share)), Cell(keys, keys)]
            for key, title, block, keys, share in wire(summary)]
    rows += [[Cell(name, title), Cell(block, block), Cell(share, numbers.number(share)), Cell("", "")]
             for name, title, block, share in blocks_of(summary)]
    columns = [Column("what the wire waited for, then what blocks worked on"), Column("block"), Column("share of time", True),
               Column("lifted by keys of the NIC")]
    return Table(columns, rows, "Blocks, mean of NICs")


def difference(labels, summaries):
    """Of two runs, what changed, the most first."""
    entries = []
    for summary in summaries:
        rows = {key: (title, block, keys, share) for key, title, block, keys, share in wire(summary)}
        rows.update({name: (title, block, "", share) for name, title, block, share in blocks_of(summary)})
        entries.append(rows)
    first, second = entries
    changed = []
    for key in dict.fromkeys([*first, *second]):
        title, block, keys, _ = first.get(key) or second[key]
        before, after = (rows[key][3] if key in rows else 0 for rows in entries)
        if before != after:
            changed.append((abs(after - before), key, title, block, keys, before, after))
    changed.sort(key=lambda c: -c[0])
    rows = [[Cell(key, title), Cell(block, block), Cell(before, numbers.number(before)), Cell(after, numbers.number(after)),
             Cell(after - before, f"{after - before:+.4f}"), Cell(keys, keys)] for _, key, title, block, keys, before, after in changed]
    columns = [Column("time of"), Column("block"), Column(labels[0], True), Column(labels[1], True), Column("difference", True),
               Column("lifted by keys of the NIC")]
    return Table(columns, rows, "What changed, in shares of time")


def blocks(summary):
    found = wire(summary)
    return [Heading("Where the rate went"), figure(["senders"], [found]), table(summary)] if found else []


def compared(labels, summaries):
    parts = [wire(s) for s in summaries]
    if not all(parts):
        return []
    found = [figure(labels, parts)]
    if len(parts) == 2:
        changed = difference(labels, summaries)
        if changed.rows:
            found.append(changed)
    return found


def ledger_rate(summary, use, direction):
    """Gbps of TLPs, or None where there is no such thing (a CQE towards the NIC)."""
    return value(summary, f"nics.pcie_{use}_{direction}")


def ledger_figure(summary):
    series = []
    for style, (use, title) in enumerate(USES.items()):
        values = [ledger_rate(summary, use, d) or 0 for d in DIRECTIONS]
        if any(values):
            series.append({"name": title, "style": style, "values": values,
                           "label": [numbers.quantity(v, "Gbps") for v in values]})
    spec = plots.bars(list(DIRECTIONS.values()), plots.axis("TLPs, mean of NICs", "Gbps", zero=True), series, True)
    each = value(summary, "senders.pcie_bytes_per_message")
    note = "Headers, framing and whole double words of data; a read counts with its request."
    if each:
        note += f" Senders: {numbers.number(each)} bytes a message completed, both directions."
    return Figure(spec, "What PCIe carried", note)


def ledger_table(summary):
    rows = []
    for use, title in USES.items():
        rates = [ledger_rate(summary, use, d) for d in DIRECTIONS]
        rows.append([Cell(use, title)] + [Cell(v, numbers.NONE if v is None else numbers.number(v)) for v in rates])
    totals = [sum(ledger_rate(summary, use, d) or 0 for use in USES) for d in DIRECTIONS]
    rows.append([Cell("total", "total")] + [Cell(v, numbers.number(v)) for v in totals])
    columns = [Column("for")] + [Column(f"{title}, Gbps", True) for title in DIRECTIONS.values()]
    return Table(columns, rows, "PCIe ledger, mean of NICs", marked={len(rows) - 1: "total"})


def ledger(summary):
    if not any(ledger_rate(summary, use, d) for use in USES for d in DIRECTIONS):
        return []
    return [Heading("PCIe"), ledger_figure(summary), ledger_table(summary)]
