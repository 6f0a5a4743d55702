"""The memory on a NIC's chip: by structure, and up to how many queue pairs."""
from . import numbers, plots
from .blocks import Bullets, Cell, Column, Figure, Heading, Table, cell


def percent(nic):
    return 100 * nic["used_bytes"] / nic["capacity_bytes"] if nic["capacity_bytes"] else 0.0


def limit(nic, key):
    return "any number" if nic.get(key) is None else numbers.number(nic[key])


def name_of(nic):
    devices = nic.get("devices") or []
    if not devices:
        return nic["profile"]
    shown = " ".join(devices) if len(devices) <= 4 else f"{devices[0]} \u2026 {devices[-1]}, {len(devices)} NICs"
    return f"{nic['profile']} ({shown})"


def sentence(nic):
    text = f"NIC {name_of(nic)}: {numbers.number(nic['queue_pairs'])} queue pair{'s' if nic['queue_pairs'] != 1 else ''} "
    text += f"{'takes' if nic['queue_pairs'] == 1 else 'take'} {percent(nic):.0f} % of {numbers.of_bytes(nic['capacity_bytes'])}"
    if not nic.get("fits", True):
        return text + ", which it does not have"
    return text + f"; contexts all stay up to {limit(nic, 'most_queue_pairs_cached')}"


def blocks(nics):
    found = [Heading("Memory on the NICs' chips")]
    names = list(dict.fromkeys(s["name"] for n in nics for s in n["structures"]))
    rows = []
    for n in nics:
        name = name_of(n)
        while name in rows:
            name += " "
        rows.append(name)
    all_series = []
    for i, name in enumerate(names):
        values = [next((s["bytes"] for s in n["structures"] if s["name"] == name), 0) for n in nics]
        places = [next((s["place"] for s in n["structures"] if s["name"] == name), "") for n in nics]
        labels = [f"{numbers.of_bytes(v)}, {'in the cache of contexts' if p == 'cache' else 'always on the chip'}"
                  for v, p in zip(values, places)]
        all_series.append({"name": name.replace("_", " "), "style": i, "values": values, "label": labels})
    capacities = [n["capacity_bytes"] for n in nics]
    spec = plots.bars(rows, plots.axis("memory", "B", zero=True), all_series, True, limits=capacities,
                      limit_name="capacity of the chip")
    found.append(Figure(spec, "Memory by structure"))
    for n in nics:
        table = [[Cell(s["name"], s["name"].replace("_", " ")), Cell(s["place"], s["place"]), cell(s["count"]),
                  cell(s["bytes_each"]), cell(s["bytes"]), Cell(s["percent"], f"{s['percent']:.2f}")]
                 for s in n["structures"]]
        table.append([Cell("total", "total"), Cell("", ""), Cell(None, ""), Cell(None, ""), cell(n["used_bytes"]),
                      Cell(percent(n), f"{percent(n):.2f}")])
        columns = [Column("structure"), Column("place"), Column("count", True), Column("bytes each", True),
                   Column("bytes", True), Column(f"% of {numbers.of_bytes(n['capacity_bytes'])}", True)]
        groups = "; ".join(f"{numbers.number(g['queue_pairs'])} queue pairs with {numbers.number(g['outstanding'])} "
                           f"messages outstanding and {numbers.of_bytes(g['memory_bytes'])} of memory"
                           for g in n.get("groups", []))
        note = (f"Contexts take {numbers.of_bytes(n['cached_bytes'])} of the {numbers.of_bytes(n['cache_bytes'])} left to "
                f"the cache. All stay up to {limit(n, 'most_queue_pairs_cached')} queue pairs like these; their state fits "
                f"the chip up to {limit(n, 'most_queue_pairs')}.")
        if not n.get("limited"):
            note += " In a run every access hits, as sram.limited is false."
        found.append(Table(columns, table, f"{name_of(n)}: {groups}", note, marked={len(table) - 1: "total"}))
        texts = [f"{r['key']} = {numbers.plain(r['fits'])} (now {numbers.plain(r['now'])})" for r in n.get("remedies", [])]
        if texts:
            found.append(Bullets(texts, "It would fit with one of these"))
    return found
