"""Traffic classes at random, and NICs with several ports. Drawn from a stream of their own after all else, so that a
platform without them is what it was before there were any."""


def classes(draw, out):
    """Each [[traffic]] has a class of its own, and the NIC priorities and weights for some of them."""
    if not draw.chance(0.4):
        return
    numbers = [draw.whole(0, 7) for _ in out["traffic"]]
    for table, number in zip(out["traffic"], numbers):
        if draw.chance(0.8):
            table["traffic_class"] = number
    known = sorted({*numbers, out["nic"].get("traffic_class", 0)})
    tables = []
    for number in known:
        if draw.chance(0.6):
            tables.append({"number": number})
            if draw.chance(0.7):
                tables[-1]["priority"] = draw.whole(0, 2)
            if draw.chance(0.5):
                tables[-1]["weight"] = draw.scale(1, 100)
    if tables:
        out["nic"]["class"] = tables


def ports(draw, out):
    """A port of every NIC on each of several planes, which are leaf-spines side by side."""
    if "leaf_spine" not in out or out["edge"].get("program", {"name": "forward"})["name"] != "forward":
        return
    if not draw.chance(0.35):
        return
    count = draw.whole(2, 4)
    out["leaf_spine"]["planes"] = count
    nic = out["nic"]
    nic["ports"] = count
    nic["port_choice"] = draw.one("entropy", "rail", "hash", "least")
    if "entropy" in nic:
        nic["entropy"]["values"] = count * draw.one(1, 16, 256)
        if "subflows" in nic["entropy"]:
            nic["entropy"]["subflows"] = min(nic["entropy"]["subflows"], nic["entropy"]["values"])
    if draw.chance(0.3):
        nic["link_down_known"] = draw.ns(0, 20_000)
