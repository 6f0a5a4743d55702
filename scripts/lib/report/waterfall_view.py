"""waterfall.json: where the time of a message goes, stage behind stage, waiting apart from service."""
from . import numbers, plots
from .blocks import Cell, Column, Figure, Heading, Table
from .inputs import read_json

TITLES = {"tx_pipe": "TX pipe", "rx_pipe": "RX pipe", "engine": "TX engine", "rx_engine": "RX engine", "wqe": "WQE", "ack": "ACK",
          "ack_network": "ACK on its way", "ack_pipe": "ACK in the RX pipe", "ack_engine": "ACK in the engine", "cqe": "CQE"}


def figure(found):
    """A bar for each stage that takes time, each where the one before ends."""
    rows = [r for r in found["stages"] if r["mean_ns"] > 0]
    ends, at = [], 0.0
    for row in rows:
        ends.append(at)
        at += row["mean_ns"]
    series = [{"name": name, "style": style, "values": [round(r[key], 6) for r in rows],
               "label": [f"p99 {numbers.quantity(r['p99_ns'], 'ns')}" for r in rows]}
              for name, key, style in (("service", "service_ns", 0), ("waiting", "waiting_ns", 6))]
    spec = plots.bars([TITLES.get(r["stage"], r["stage"]) for r in rows],
                      plots.axis("since the message was posted, mean", "ns", zero=True), series, True, begins=ends)
    note = (f"{numbers.number(found['messages'])} messages, {numbers.quantity(found['total']['mean_ns'], 'ns')} each, "
            f"p99 {numbers.quantity(found['total']['p99_ns'], 'ns')}. Beside these stages the payload is written to memory.")
    return Figure(spec, "From posting to completion", note)


def table(found):
    columns = [Column("stage")] + [Column(title, True) for title in ("mean, ns", "service, ns", "waiting, ns", "p99, ns")]
    rows = [[Cell(r["stage"], TITLES.get(r["stage"], r["stage"]))]
            + [Cell(r[key], numbers.number(r[key])) for key in ("mean_ns", "service_ns", "waiting_ns", "p99_ns")]
            for r in found["stages"]]
    return Table(columns, rows, "Stages of a message, one behind the other",
                 dull={i for i, r in enumerate(found["stages"]) if r["mean_ns"] == 0}, dull_name="stages that take no time")


def blocks(folder):
    path = folder / "waterfall.json"
    if not path.exists():
        return []
    found = read_json(path)
    return [Heading("One message"), figure(found), table(found)] if found.get("messages") else []
