"""A switch of a run, replayed from the captures of its ports."""
import collections
import csv

from . import facts

PATHS = ("ecmp", "ecmp_linear")


def subject_of(p):
    """The switch whose packets can be told by direction, or None: a leaf that chooses by the flow alone and whose
    buffer refuses nothing."""
    if "leaf_spine" not in p or "planes" in p["leaf_spine"] or "impairment_group" in p or any("ecmp_every" in t for t in p["traffic"]):
        return None  # packets in captures do not say that they are pinned
    if p["nic"].get("frames") == "htsim":
        return None  # its responses are too short for their headers: captures do not say which queue pair they are for
    leaf = p["edge"]
    program = leaf.get("program", {"name": "forward"})
    by_flow = leaf.get("balance", "ecmp") in PATHS and program["name"] == "forward"
    by_flow = by_flow and program.get("path_choice", "ecmp") == "ecmp" and not program.get("nack_drop")
    if not by_flow or facts.bounded(leaf) or "pfc" in leaf or "ecn" in leaf or "telemetry" in p["core"]:
        return None
    return "leaf0"


def differences(s):
    p = s.platform
    switch = subject_of(p)
    if switch is None:
        return
    shape = p["leaf_spine"]
    captured = s.run(p, "--pcap", switch)
    if captured.code != 0:
        yield f"with captures: exit code {captured.code}: {captured.err[:200]}"
        return
    ports = captured.folder / "ports"
    local = " or ".join(f"src host 10.0.0.{i + 1}" for i in range(shape["hosts_per_leaf"]))
    counts = collections.Counter()
    for port in range(shape["hosts_per_leaf"] + shape["spines"]):
        file = ports / f"{switch}_{port}.pcap"
        if not file.exists():
            continue
        condition = f"src host 10.0.0.{port + 1}" if port < shape["hosts_per_leaf"] else f"not ({local})"
        folder = s.place / f"replay{s.runs}_{port}"
        ended = s.start("replay", f"{file}@{port}", "--platform", str(s.place / f"run{s.runs}.toml"), "--device", switch,
                        "--filter", condition, "--connections", str(ports / "connections.csv"), "--no-ports",
                        "--out", str(folder), folder=folder)
        if ended.code != 0:
            yield f"replay of port {port}: exit code {ended.code}: {ended.err[:200]}"
            return
        with open(folder / "packets.csv", encoding="utf-8", newline="") as rows:
            counts.update(f"port{r['out_port']}" for r in csv.DictReader(rows) if r["verdict"] == "sent")
    for name, d in captured.summary["statistics"][switch].items():
        if name.startswith("port") and d["tx_packets"]["value"] != counts[name]:
            yield f"{name} of {switch} sent {d['tx_packets']['value']} packets in the run, {counts[name]} in replays"
            return
