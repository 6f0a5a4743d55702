"""Traffic at random: who sends what to whom, always with an end."""


def traffic(draw, hosts):
    """The tables [[traffic]] of a platform with so many NICs."""
    tables = [_load(draw, hosts) for _ in range(draw.one(1, 1, 1, 2, 3))]
    for i, table in enumerate(tables):
        if draw.chance(0.2):
            table["name"] = f"t{i}"
    return tables


def _load(draw, hosts):
    kind = draw.one("messages", "messages", "batch", "batch", "flows", "incast", "collective", "pipeline")
    start = draw.ns(0, 50_000)
    if kind in ("messages", "batch"):
        out = {"kind": kind, **_pattern(draw, hosts), "start": start}
        if kind == "batch":
            out["size"] = draw.bytes(1, 120_000)
        else:
            out.update({"message": draw.bytes(1, 40_000), "count": draw.scale(1, 8), "depth": draw.scale(1, 8),
                        "qps": draw.one(1, 1, 2, 5)})
            if draw.chance(0.2):
                _mix(draw, out)
            if draw.chance(0.3):
                out["first_psn"] = draw.one(0xffffff, 0xfffff0, 12345)
    elif kind == "flows":
        out = {"kind": kind, "workload": draw.one("alistorage2019", "fbhadoop2015", "googlerpc2008"),
               "load": draw.share(0.05, 0.5), "duration": draw.ns(2_000, 8_000), "start": start}
    elif kind == "incast":
        out = {"kind": kind, "fan_in": draw.whole(1, hosts - 1), "size": draw.bytes(100, 30_000),
               "load": draw.share(0.05, 0.4), "duration": draw.ns(2_000, 15_000), "start": start}
    elif kind == "collective":
        slices = draw.one(1, 1, 2, 4)
        parts = hosts * slices
        out = {"kind": kind, "operation": _operation(draw, hosts), "size": f"{parts * draw.scale(1, 60_000 // parts)} B",
               "start": start}
        if out["operation"] not in ("all_to_all", "butterfly") and slices > 1:
            out["slices"] = slices
        if draw.chance(0.3):
            out["compute"] = draw.ns(1, 3_000)
    else:
        layers = draw.one(*(n for n in range(2, hosts + 1) if hosts % n == 0))
        connections = draw.one(1, 1, 3)
        out = {"kind": kind, "layers": layers, "size": f"{connections * draw.scale(100, 10_000)} B",
               "load": draw.share(0.1, 0.9), "duration": draw.ns(3_000, 20_000), "connections": connections}
    if draw.chance(0.15):
        out["ecmp_every"] = draw.whole(1, 3)
    return out


def verbs(draw, out):
    """READs in the place of WRITEs, where the NIC has them and the kind of traffic waits for no arrival."""
    nic = out["nic"]
    if (nic["transport"] not in ("rnic_sr", "go_back_n", "timeout_only")
            or nic["congestion"]["algorithm"] not in ("none", "dcqcn") or not draw.chance(0.7)):
        return
    nic.pop("ordering", None)
    nic.pop("entropy", None)
    for table in out["traffic"]:
        if table["kind"] in ("messages", "batch", "flows", "incast") and draw.chance(0.6):
            table["verb"] = "read"
    if any("verb" in table for table in out["traffic"]) and draw.chance(0.6):
        nic["reliability"]["rd_atomic"] = draw.one(1, 2, 5, 16, 255)


def atomics(draw, out):
    """Atomics in the place of WRITEs, where the NIC has them, to one word or several."""
    nic = out["nic"]
    if (nic["transport"] not in ("rnic_sr", "go_back_n", "timeout_only") or "ordering" in nic or "entropy" in nic
            or nic["congestion"]["algorithm"] not in ("none", "dcqcn") or not draw.chance(0.4)):
        return
    any_of_them = False
    for table in out["traffic"]:
        if table["kind"] not in ("messages", "batch") or {"verb", "verbs", "sizes"} & set(table) or not draw.chance(0.6):
            continue
        table["verb"] = draw.one("fetch_add", "compare_swap")
        table["words"] = draw.scale(1, 64)
        table["message" if table["kind"] == "messages" else "size"] = "8 B"
        any_of_them = True
    if any_of_them and draw.chance(0.7):
        nic["atomics"] = {"slots": 1 << draw.whole(0, 12)}
        if draw.chance(0.6):
            nic["atomics"]["hold"] = draw.ns(0, 900)


def sends(draw, out):
    """SENDs and WRITEs with immediate data in the place of WRITEs, where the NIC has them, and receive queues of any depth."""
    nic = out["nic"]
    if nic["transport"] not in ("rnic_sr", "go_back_n") or "ordering" in nic or not draw.chance(0.5):
        return
    for table in out["traffic"]:
        if "verb" in table or not draw.chance(0.6):
            continue
        if table["kind"] == "messages" and draw.chance(0.4):
            table["verbs"] = [draw.one("write", "send", "write_imm") for _ in range(draw.whole(1, 4))]
        else:
            table["verb"] = draw.one("send", "send", "write_imm")
    if not any("verbs" in table or table.get("verb", "read") != "read" for table in out["traffic"]):
        return
    depth = draw.scale(1, 100)
    nic["receive"] = {"depth": depth, "shared": draw.chance(0.3), "post": draw.ns(0, 3_000), "batch": draw.whole(1, depth),
                      "prefetch": draw.scale(1, 32), "wqe": draw.one("16 B", "64 B")}
    nic["reliability"]["min_rnr_timer"] = draw.whole(1, 8)


def orders(draw, out):
    """READs and atomics beside other verbs on one queue pair, fences, and operations that may pass each other."""
    nic = out["nic"]
    tables = [t for t in out["traffic"] if t["kind"] == "messages" and not {"verb", "verbs", "service"} & set(t)]
    if (not tables or nic["transport"] not in ("rnic_sr", "go_back_n")
            or nic["congestion"]["algorithm"] not in ("none", "dcqcn") or not draw.chance(0.6)):
        return
    nic.pop("ordering", None)
    nic.pop("entropy", None)
    for table in tables:
        table["verbs"] = [draw.one("write", "write", "send", "write_imm", "read", "fetch_add") for _ in range(draw.one(1, 2, 3, 4))]
        table["verbs"].append(draw.one("read", "fetch_add", "compare_swap"))
        if draw.chance(0.6):
            table["fence"] = [draw.one(*table["verbs"])]
        if draw.chance(0.4):
            nic["reliability"]["dp_ordering"] = draw.one("ibta", "ooo_rw")


def services(draw, out):
    """UC and UD in the place of the reliable connection, where nothing hears of acknowledgements and messages are streams."""
    nic = out["nic"]
    tables = [t for t in out["traffic"] if t["kind"] == "messages" and not {"verb", "verbs"} & set(t)]
    if not tables or nic["congestion"]["algorithm"] not in ("none", "dcqcn") or not draw.chance(0.3):
        return
    nic.pop("ordering", None)
    nic.pop("entropy", None)
    for table in tables:
        table["service"] = draw.one("uc", "uc", "ud")
        if table["service"] == "ud":
            table["verb"] = "send"
            for key in ("sizes", "weights", "size_order"):
                table.pop(key, None)
            table["message"] = draw.bytes(1, 256)
        elif draw.chance(0.6):
            table["verb"] = draw.one("send", "write_imm")


def on_demand(draw, out):
    """DC in the place of RC: few initiators, which turn from target to target."""
    nic = out["nic"]
    tables = [t for t in out["traffic"] if t["kind"] == "messages" and "service" not in t]
    if not tables or nic.get("sram", {}).get("limited") or "cache" in nic or not draw.chance(0.4):
        return
    for table in tables:
        if draw.chance(0.8):
            table["service"] = "dc"
    if any(t.get("service") == "dc" for t in tables) and draw.chance(0.8):
        nic["dc"] = {"initiators": draw.scale(1, 32), "quota": draw.scale(1, 32), "connect": draw.ns(0, 3_000)}


def ping_pongs(draw, out):
    """Each message answered by the next, of NICs that are in no other pair of the table."""
    for table in out["traffic"]:
        ends = table.get("from", []) + table.get("to", [])
        if (table["kind"] != "messages" or table["pattern"] != "pairs" or len(set(ends)) < len(ends)
                or {"verbs", "sizes", "batch", "both_ways"} & set(table) or table.get("service") in ("uc", "ud")
                or table.get("verb", "write") not in ("write", "send", "write_imm") or not draw.chance(0.5)):
            continue
        table["ping_pong"] = True
        table["qps"] = 1


def buffers(draw, out):
    """Memory that messages go round, and its regions."""
    for table in out["traffic"]:
        if table["kind"] == "messages" and draw.chance(0.4):
            table["buffer"] = f"{draw.scale(100, 10_000)} KB"
            if draw.chance(0.5):
                table["regions"] = draw.scale(1, 64)


def _mix(draw, out):
    """Messages of several sizes, in batches, both ways."""
    if draw.chance(0.6):
        del out["message"]
        out["sizes"] = [draw.bytes(1, 40_000) for _ in range(draw.whole(1, 4))]
        if draw.chance(0.5):
            out["weights"] = [draw.whole(1, 5) for _ in out["sizes"]]
        if draw.chance(0.5):
            out["size_order"] = draw.one("cyclic", "drawn")
    if draw.chance(0.5):
        out["batch"] = draw.whole(1, out["depth"])
    if draw.chance(0.4):
        out["both_ways"] = True


def _pattern(draw, hosts):
    pattern = draw.one("pairs", "permutation", "tornado", "incast")
    if pattern == "incast":
        return {"pattern": pattern, "fan_in": draw.whole(1, hosts // 2)}
    if pattern != "pairs":
        return {"pattern": pattern}
    pairs = [(draw.whole(0, hosts - 1), draw.whole(1, hosts - 1)) for _ in range(draw.whole(1, 3))]
    return {"pattern": pattern, "from": [f"h{a}" for a, _ in pairs], "to": [f"h{(a + d) % hosts}" for a, d in pairs]}


def _operation(draw, hosts):
    rings = ["ring_permutation", "reduce_scatter", "all_gather", "all_reduce", "all_to_all"]
    return draw.one(*rings, *(["butterfly"] if hosts & (hosts - 1) == 0 else []))
