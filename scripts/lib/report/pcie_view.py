"""The PCIe ledger of a run: what the links of NICs carried, by what it is for and by direction."""
from . import numbers, plots
from .blocks import Cell, Column, Figure, Heading, Table

USES = {"doorbell": "doorbells", "wqe": "WQEs", "payload": "payload", "context": "contexts", "translation": "translations",
        "cqe": "CQEs"}
DIRECTIONS = {"to_host": "towards the host", "to_nic": "towards the NIC"}


def rate(summary, use, direction):
    """Gbps of TLPs, or None where there is no such thing (a CQE towards the NIC)."""
    entry = summary["results"].get(f"nics.pcie_{use}_{direction}")
    value = entry.get("value") if isinstance(entry, dict) else entry
    return value if numbers.is_number(value) else None


def figure(summary):
    series = []
    for style, (use, title) in enumerate(USES.items()):
        values = [rate(summary, use, d) or 0 for d in DIRECTIONS]
        if any(values):
            series.append({"name": title, "style": style, "values": values,
                           "label": [numbers.quantity(v, "Gbps") for v in values]})
    spec = plots.bars(list(DIRECTIONS.values()), plots.axis("TLPs, mean of NICs", "Gbps", zero=True), series, True)
    entry = summary["results"].get("senders.pcie_bytes_per_message")
    each = entry.get("value") if isinstance(entry, dict) else None
    note = "Headers, framing and whole double words of data; a read counts with its request."
    if numbers.is_number(each) and each:
        note += f" Senders: {numbers.number(each)} bytes a message completed, both directions."
    return Figure(spec, "What PCIe carried", note)


def table(summary):
    rows = []
    for use, title in USES.items():
        rates = [rate(summary, use, d) for d in DIRECTIONS]
        rows.append([Cell(use, title)] + [Cell(v, numbers.NONE if v is None else numbers.number(v)) for v in rates])
    totals = [sum(rate(summary, use, d) or 0 for use in USES) for d in DIRECTIONS]
    rows.append([Cell("total", "total")] + [Cell(v, numbers.number(v)) for v in totals])
    columns = [Column("for")] + [Column(f"{title}, Gbps", True) for title in DIRECTIONS.values()]
    return Table(columns, rows, "PCIe ledger, mean of NICs", marked={len(rows) - 1: "total"})


def blocks(summary):
    if not any(rate(summary, use, d) for use in USES for d in DIRECTIONS):
        return []
    return [Heading("PCIe"), figure(summary), table(summary)]
