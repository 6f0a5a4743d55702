"""Networks at random: who is connected to whom, what each link loses, and when."""
from . import switches


def network(draw, out, need, kind):
    """Adds profiles of switches, the topology and its links to `out`; returns the number of NICs."""
    shape = draw.one("leaf_spine", "leaf_spine", "fat_tree", "jellyfish", "two_sites", "line", "line")
    out["link_default"] = {"rate": _rate(draw), "delay": draw.ns(30, 10_000)}
    profile = switches.chip if draw.chance(0.35) else switches.plain
    if shape == "jellyfish" and kind == "lossless":
        kind = "ideal"  # PFC may deadlock where paths form a ring
    out["edge"] = profile(draw, need, kind)
    out["core"] = switches.plain(draw, need, kind)
    hosts = globals()["_" + shape](draw, out, kind)
    if shape in ("leaf_spine", "two_sites") and out["edge"]["kind"] == "tofino" and draw.chance(0.5):
        _program(draw, out, shape, need)
    if kind != "lossless" and draw.chance(0.6):
        _failures(draw, out, shape, hosts)
    return hosts


def _rate(draw):
    return draw.one("10 Gbps", "25 Gbps", "40 Gbps", "100 Gbps", "100 Gbps", "200 Gbps", "400 Gbps")


def _leaf_spine(draw, out, kind):
    t = out["leaf_spine"] = {"leaves": draw.whole(1, 3), "spines": draw.whole(1, 4), "hosts_per_leaf": draw.whole(1, 4),
                             "host": "nic", "leaf": "edge", "spine": "core"}
    if t["leaves"] == 1:
        t["hosts_per_leaf"] += 1
    if draw.chance(0.3):
        t["host_rate"] = _rate(draw)
    return t["leaves"] * t["hosts_per_leaf"]


def _fat_tree(draw, out, kind):
    out["fat_tree"] = {"k": 4, "hosts_per_edge": 1, "host": "nic", "edge": "edge", "aggregation": "core",
                       "core": "core"}
    return 8


def _jellyfish(draw, out, kind):
    ports, count = draw.whole(3, 4), draw.whole(5, 8)
    out["jellyfish"] = {"switches": count, "ports": ports, "hosts": draw.whole(2, count), "seed": draw.whole(1, 99),
                        "host": "nic", "switch": "core"}
    out.pop("edge")
    if draw.chance(0.6):
        out["routing"] = {"kind": "ksp", "paths": draw.whole(1, 6)}
        out["core"]["balance"] = draw.one("ecmp", "po2", "drill", "spray")
    return out["jellyfish"]["hosts"]


def _two_sites(draw, out, kind):
    out["two_sites"] = {"tors": draw.whole(1, 2), "leaves": draw.whole(1, 2), "hosts_per_tor": draw.whole(1, 2),
                        "long_links": draw.whole(1, 3), "edge_rate": _rate(draw), "long_rate": _rate(draw),
                        "edge_delay": draw.ns(50, 5_000), "long_delay": draw.ns(100, 200_000), "host": "nic",
                        "tor": "core", "leaf": "core", "edge": "edge"}
    return 2 * out["two_sites"]["tors"] * out["two_sites"]["hosts_per_tor"]


def _line(draw, out, kind):
    """Switches one behind the other, NICs at both ends; links with rates and delays of their own."""
    count, left, right = draw.whole(1, 4), draw.whole(1, 3), draw.whole(1, 3)
    names = [f"s{i}" for i in range(count)]
    hosts = [f"h{i}" for i in range(left + right)]
    out["device"] = [{"names": hosts, "profile": "nic"},
                     *({"names": [n], "profile": draw.one("edge", "core")} for n in names)]
    pairs = [(h, names[0] if i < left else names[-1]) for i, h in enumerate(hosts)]
    pairs += list(zip(names, names[1:]))
    if count > 1 and draw.chance(0.3):
        pairs.append((names[0], names[1]))  # two links in parallel
    out["link"] = [{"between": list(p)} for p in pairs]
    for link in out["link"]:
        if draw.chance(0.5):
            link["rate"] = _rate(draw)
        if draw.chance(0.5):
            link["delay"] = draw.ns(30, 20_000)
    used = {d["profile"] for d in out["device"]}
    for name in ("edge", "core"):
        if name not in used:
            out.pop(name)
    return len(hosts)


def _program(draw, out, shape, need):
    edge = out["edge"]
    edge["chip"] = "tofino2"
    edge.pop("timing", None)
    if shape == "two_sites":
        edge["program"] = {"name": "pnp_trp", "cnp_interval": draw.ns(1_000, 50_000), "beta": draw.ns(5_000, 100_000),
                           "insertion_latency": draw.ns(0, 20_000), "qp_lead": "0 ns", "trp": draw.chance(0.7),
                           "recovery": draw.one("none", "ordered", "direct")}
        return
    if need.get("telemetry"):
        return
    t = out["leaf_spine"]
    ports = t["spines"] + t["hosts_per_leaf"]
    name = draw.one("themis", "themis", "conweave", "themis_queue")
    if name == "conweave":
        edge.update({"pipeline_of_port": [0] * ports, "queues_per_port": 32})
        edge["program"] = {"name": name, "nodes_per_rack": t["hosts_per_leaf"], "flow_entries": 1024,
                           "reply_timeout": draw.ns(2_000, 30_000)}
        return
    edge["program"] = {"name": name, "nics": 16, "qps_per_nic": 64, "paths": 1 << draw.whole(0, 3), "pipelines": 4}
    if name == "themis":
        edge["program"]["window"] = out["nic"]["reliability"]["window"] = 1 << draw.whole(4, 9)
        edge["pipeline_of_port"] = [i % 4 for i in range(ports)]


def _failures(draw, out, shape, hosts):
    if draw.chance(0.4):
        out["link_default"]["loss"] = draw.one(0.0005, 0.004, 0.03)
    if shape == "line" and draw.chance(0.5):
        link = out["link"][draw.whole(0, len(out["link"]) - 1)]
        link["outage"] = [_outage(draw)]
    if shape != "line" and draw.chance(0.7):
        group = {"count": 1, "seed": draw.whole(1, 99), "direction": draw.one("both", "one")}
        change = draw.one("loss", "bit_errors", "rate", "outage", "outage", "outage")
        group[change] = {"loss": 0.02, "bit_errors": 0.02, "rate": "10 Gbps", "outage": [_outage(draw)]}[change]
        if change in ("loss", "bit_errors", "outage"):
            group["packets"] = draw.one("all", "all", "all", "data") if change == "outage" else draw.one("all", "data")
        if change == "outage":
            group["keep_paths"] = False
            if group["packets"] == "all" and draw.chance(0.8):
                group["converge"] = draw.ns(0, 50_000)
        out["impairment_group"] = [group]


def _outage(draw):
    start = draw.scale(1, 100_000)
    return {"from": f"{start} ns", "to": f"{start + draw.scale(100, 150_000)} ns"}
