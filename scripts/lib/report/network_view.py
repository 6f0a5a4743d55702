"""links.csv: a picture of the network with what its links carried, the links that stand out, and a table of all."""
import math
from dataclasses import dataclass, field

from . import numbers, series_view
from .blocks import Bullets, Cell, Column, Figure, Fold, Heading, Table
from .inputs import csv_number, csv_rows

SEPARATE = 32     # NICs of a picture that are drawn one by one; more are one symbol for each switch
MOST_LINKS = 1500  # of a picture
MOST_TIMES = 40    # samples that it can be moved through
BULLETS = 10
BUSY, HELD = 0.95, 0.05  # shares of the run from which a link stands out
NUMBERS = ("from_port", "to_port", "rate_gbps", "delay_us", "packets", "load", "paused", "lost", "cut_by_outage", "corrupted")
HARM = {"cut_by_outage": "packets cut by an outage", "lost": "packets lost at random", "corrupted": "packets with bit errors"}


@dataclass
class Link:
    """One direction."""
    source: str
    to: str
    of: dict              # the numbers of its line
    loads: list = field(default_factory=list)  # by sample; of a group the most

    @property
    def kind(self):
        return series_view.kind_of(self.source), series_view.kind_of(self.to)

    @property
    def name(self):
        return f"{self.source} to {self.to}"


def read(folder):
    """Both directions of a link stand one after the other."""
    path = folder / "links.csv"
    return [Link(row["from"], row["to"], {n: csv_number(path, line, n, row[n]) for n in NUMBERS})
            for line, row in csv_rows(path, ("from", "to", *NUMBERS))]


def percent(share):
    return f"{numbers.number(round(100 * share, 1))} %"


def rates_of_kinds(links):
    found = {}
    for link in links:
        found[link.kind] = max(found.get(link.kind, 0), link.of["rate_gbps"])
    return found


def outstanding(links, most):
    """(weight, sentence) of what a link has and others of its kind have not, or of what no link should have."""
    found = []
    for link in links:
        rate = most[link.kind]
        if link.of["rate_gbps"] < rate:
            found.append((3, f"{link.name}: {numbers.number(link.of['rate_gbps'])} Gbps, others of its kind "
                             f"{numbers.number(rate)} Gbps; busy {percent(link.of['load'])} of the run"))
        elif link.of["load"] >= BUSY:
            found.append((link.of["load"], f"{link.name}: busy {percent(link.of['load'])} of the run"))
        for key, text in HARM.items():
            if link.of[key]:
                found.append((2, f"{link.name}: {numbers.number(link.of[key])} {text}"))
        if link.of["paused"] >= HELD:
            found.append((1 + link.of["paused"], f"{link.name}: held by pauses {percent(link.of['paused'])} of the run"))
    return [text for _, text in sorted(found, key=lambda f: -f[0])]


def levels_of(links):
    """Devices by how far they are from an end point: those with one neighbour, or that send to their like alone, are at 0."""
    near = {}
    for link in links:
        near.setdefault(link.source, []).append(link.to)
    switches = {d for d, to in near.items() if len(set(to)) > 1}
    kinds = {series_view.kind_of(d) for d in switches}
    ends = [d for d in near if d not in switches and series_view.kind_of(d) not in kinds]
    level = dict.fromkeys(ends or near, 0)
    turn = list(level)
    while turn:
        following = []
        for device in turn:
            for to in near[device]:
                if to not in level:
                    level[to] = level[device] + 1
                    following.append(to)
        turn = following
    for device in near:
        level.setdefault(device, 0)
    return level


def in_groups(links, level):
    """End points of one switch as one symbol, where there are many: (links, {symbol: members})."""
    ends = [d for d, at in level.items() if at == 0]
    if len(ends) <= SEPARATE or len(ends) == len(level):
        return links, {}
    at = {}
    for link in links:
        if level[link.source] == 0:
            at.setdefault(link.source, set()).add(link.to)
    symbol, members = {}, {}
    for end in ends:
        switch = ", ".join(sorted(at[end], key=series_view.natural))
        name = f"{series_view.kind_of(end)} of {switch}"
        symbol[end] = name
        members.setdefault(name, []).append(end)
    found = {}
    for link in links:
        key = symbol.get(link.source, link.source), symbol.get(link.to, link.to)
        found.setdefault(key, []).append(link)
    return [joined(source, to, of) for (source, to), of in found.items()], members


def joined(source, to, links):
    """Several links as one: the most of each, and sums of packets."""
    if len(links) == 1:
        return Link(source, to, links[0].of, links[0].loads)
    of = {n: max(link.of[n] or 0 for link in links) for n in NUMBERS}
    for name in ("packets", *HARM):
        of[name] = sum(link.of[name] or 0 for link in links)
    of["least_rate"] = min(link.of["rate_gbps"] for link in links)
    return Link(source, to, {**of, "links": len(links)}, [max(at) for at in zip(*(link.loads for link in links))])


def placed(level, links):
    """Positions from 0 to 1 of each device: levels from below, in each in the order of names."""
    rows = {}
    for name in dict.fromkeys(d for link in links for d in (link.source, link.to)):
        rows.setdefault(level.get(name, 0), []).append(name)
    most = max(rows)
    nodes = []
    for at, names in rows.items():
        names.sort(key=series_view.natural)
        nodes += [(name, (i + 0.5) / len(names), 1 - at / most if most else 0.5) for i, name in enumerate(names)]
    return nodes


def words(link):
    of = link.of
    many = f"{of['links']} links, " if "links" in of else ""
    rate = numbers.number(of["rate_gbps"])
    if of.get("least_rate", of["rate_gbps"]) < of["rate_gbps"]:
        rate = f"{numbers.number(of['least_rate'])} to {rate}"
    text = f"{link.name}: {many}{rate} Gbps\nbusy {percent(of['load'])} of the run"
    text += " at most" if many else ""
    if of["paused"]:
        text += f"\nheld by pauses {percent(of['paused'])}"
    return text + "".join(f"\n{numbers.number(of[key])} {name}" for key, name in HARM.items() if of[key])


def over_time(series, links):
    """Loads of links by sample, where series.csv (`series_view.read`) has their ports; the samples' intervals as text."""
    sent = series.get(("tx_rate", "Gbps"), {})
    times = sorted({t for values in sent.values() for t in values})
    if not times or len(times) > MOST_TIMES:
        return []
    for link in links:
        port = sent.get(f"{link.source}.port{int(link.of['from_port'])}", sent.get(link.source, {}))
        link.loads = [min(1, (port.get(t) or 0) / link.of["rate_gbps"]) for t in times]
    return [f"{numbers.number(a)} to {numbers.number(b)} us" for a, b in zip([0, *times], times)]


def picture(links, times, most):
    level = levels_of(links)
    drawn, members = in_groups(links, level)
    level.update(dict.fromkeys(members, 0))
    if len(drawn) > 2 * MOST_LINKS:
        return None
    slow = {(link.source, link.to) for link in links if link.of["rate_gbps"] < most[link.kind]}
    nodes = placed(level, drawn)
    number = {name: i for i, (name, _, _) in enumerate(nodes)}
    largest = max(link.of["rate_gbps"] for link in drawn)
    spec = {"kind": "network", "legend_title": "share of the line",
            "nodes": [{"name": f"{len(members[name])} {name}" if name in members else name, "x": x, "y": y,
                       "end": level.get(name, 0) == 0} for name, x, y in nodes],
            "links": [{"a": number[link.source], "b": number[link.to],
                       "width": 1.5 + 4 * math.sqrt(link.of["rate_gbps"] / largest),
                       "values": {"load": link.of["load"], "paused": link.of["paused"],
                                  **{f"t{i}": load for i, load in enumerate(link.loads)}},
                       "bad": bool(any(link.of[key] for key in HARM) or (link.source, link.to) in slow
                                   or link.of.get("least_rate", math.inf) < link.of["rate_gbps"]),
                       "text": words(link)} for link in drawn],
            "y": {"title": "busy, over the run", "column": "load"},
            "choose": {"names": {"y": "show"},
                       "y": [{"title": "busy, over the run", "column": "load"},
                             {"title": "held by pauses, over the run", "column": "paused"}]
                       + [{"title": f"busy, {text}", "column": f"t{i}"} for i, text in enumerate(times) if links[0].loads]}}
    note = ("Each half of a line is the direction that leaves the nearer device. Dashed: slower than others of its kind, "
            "or it lost packets.")
    return Figure(spec, "The network and its links", note)


def table(links):
    columns = [Column("from"), Column("port", True), Column("to"), Column("port", True), Column("rate, Gbps", True),
               Column("delay, us", True), Column("packets", True), Column("busy, share", True),
               Column("held by pauses, share", True), Column("lost", True), Column("cut by outage", True), Column("bit errors", True)]
    rows, dull = [], set()
    for i, link in enumerate(links):
        of = link.of
        if not of["packets"]:
            dull.add(i)
        cells = [Cell(of[n], numbers.number(of[n])) for n in NUMBERS]
        rows.append([Cell(link.source, link.source), cells[0], Cell(link.to, link.to), *cells[1:]])
    return Table(columns, rows, "Links, each direction, over the whole run", dull=dull, dull_name="directions that carried nothing")


def blocks(folder, series):
    links = read(folder)
    if not links:
        return []
    times = over_time(series, links)
    found = [Heading("Network")]
    most = rates_of_kinds(links)
    said = outstanding(links, most)
    if said:
        more = [f"and {len(said) - BULLETS} more: in the table"] if len(said) > BULLETS else []
        found.append(Bullets(said[:BULLETS] + more, "Links that stand out"))
    drawn = picture(links, times, most)
    if drawn:
        found.append(drawn)
    return found + [Fold(f"Links ({len(links) // 2})", [table(links)])]
