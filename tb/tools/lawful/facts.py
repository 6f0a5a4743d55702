"""What holds of a platform, by its tables alone: which laws it is subject to."""
FAULTS = ("loss", "bit_errors", "outage")
STRUCTURES = ("leaf_spine", "fat_tree", "jellyfish", "two_sites")


def switches(p):
    return [t for t in p.values() if isinstance(t, dict) and t.get("kind") in ("switch", "tofino")]


def chips(p):
    return [t for t in switches(p) if t["kind"] == "tofino"]


def lossy_links(p):
    """Links lose or spoil packets, or are down for a time."""
    tables = [p["link_default"], *p.get("link", []), *p.get("impairment", []), *p.get("impairment_group", [])]
    return any(t.get(key) for t in tables for key in FAULTS)


def bounded(s):
    """The switch may refuse a packet."""
    return any(s.get(key) for key in ("queue_limit", "queue_share")) or ("buffer" in s and "pfc" not in s)


def drops_by_design(s):
    program = s.get("program", {})
    return program.get("name", "forward") != "forward" or bool(program.get("nack_drop"))


def pauses(s):
    return "pfc" in s


def harmed_by(p, *actions):
    """Events do one of these to packets."""
    return any(e["action"] in actions for e in p.get("event", []))


def lossless(p):
    """No packet may be lost: links lose none, and every switch has room for all, or pauses with the headroom it
    works out itself, and everything that can fill it obeys pauses."""
    if lossy_links(p) or harmed_by(p, "drop", "corrupt", "duplicate"):
        return False
    if any(bounded(s) or drops_by_design(s) or "deflect" in s for s in switches(p)):
        return False
    # Packets that NICs cannot place are theirs.
    if p["nic"].get("sram", {}).get("limited"):
        return False
    # Nor what waits for a packet engine in an RX buffer that is full.
    if "engine" in p["nic"] and p["nic"].get("host") == "pcie" and "pfc" not in p["nic"]:
        return False
    plain = [s for s in switches(p) if "pfc" not in s]
    chip_buffers = [s for s in plain if s["kind"] == "tofino"]
    return not chip_buffers or ("pfc" not in p["nic"] and all(not pauses(s) for s in switches(p)))


def unreliable(p):
    """Some messages are of a service that acknowledges nothing: what is lost of them is lost."""
    return any(t.get("service") in ("uc", "ud") for t in p["traffic"])


def one_path(p):
    """Every connection's packets go one way, one behind the other."""
    if harmed_by(p, "delay", "duplicate"):
        return False
    if p.get("routing", {}).get("kind") == "ksp" and p["core"].get("balance", "ecmp") != "ecmp":
        return False
    if p["nic"].get("entropy", {}).get("scheme", "fixed") != "fixed" or p["nic"].get("port_choice") == "least":
        return False
    if any(t.get("converge") or t.get("of") for t in p.get("impairment_group", [])) or "failures" in p:
        return False
    for s in switches(p):
        if s["kind"] == "switch" and (s.get("balance", "ecmp") not in ("ecmp", "ecmp_linear") or "deflect" in s
                                      or "trim" in s):
            return False
        program = s.get("program", {"name": "forward"})
        if s["kind"] == "tofino" and (program["name"] != "forward" or program.get("path_choice", "ecmp") != "ecmp"):
            return False
    return True


def single_message(p):
    """One message crosses the network, and nothing else."""
    traffic = p["traffic"]
    return (len(traffic) == 1 and traffic[0]["kind"] == "batch" and traffic[0].get("pattern") == "pairs"
            and len(traffic[0]["from"]) == 1)


def acks_hold_up_sends(p):
    """Every ACK locks the context. ACKs that come closer together, over faster links, then hold up what the first of
    them lets go: tb/platforms/traffic/ack_lock_test.cpp has it in closed form."""
    retransmit = p["nic"].get("retransmit", {})
    return "context_lock" in retransmit.get("policies", []) and retransmit.get("context_lock", {}).get("acks", True)


def expected_bytes(p):
    """Payload that the traffic will have delivered, or None where it is drawn by the program."""
    hosts, total = host_count(p), 0
    for t in p["traffic"]:
        if t["kind"] not in ("messages", "batch") or "sizes" in t or {"fetch_add", "compare_swap"} & set(t.get("verbs", [])):
            return None
        pairs = {"pairs": len(t.get("from", [])), "incast": t.get("fan_in", 8)}.get(t["pattern"], hosts)
        size = int(t["message" if t["kind"] == "messages" else "size"].split()[0])
        pairs *= 2 if t.get("both_ways") or t.get("ping_pong") else 1
        total += pairs * size * t.get("count", 1) * t.get("qps", 1)
    return total


def host_count(p):
    if "leaf_spine" in p:
        return p["leaf_spine"]["leaves"] * p["leaf_spine"]["hosts_per_leaf"]
    if "fat_tree" in p:
        return p["fat_tree"]["k"] ** 2 // 2 * p["fat_tree"]["hosts_per_edge"]
    if "jellyfish" in p:
        return p["jellyfish"]["hosts"]
    if "two_sites" in p:
        return 2 * p["two_sites"]["tors"] * p["two_sites"]["hosts_per_tor"]
    return sum(len(d["names"]) for d in p["device"] if d["profile"] == "nic")


def link_for_a_module(p):
    """Names of two devices with a link between them, where a module that takes no time changes nothing: a chip that
    cuts through would have to wait for the whole packet. None: no such link is known."""
    if any("cut_through" in c.get("timing", {}) for c in chips(p)):
        return None
    if "event" in p:  # a link with a module takes none
        return None
    # Nor where links draw for packets, and an outage takes one of them behind the module, after its draw.
    tables = [p["link_default"], *p.get("link", []), *p.get("impairment_group", [])]
    if any(t.get("outage") for t in tables) and any(t.get("loss") or t.get("bit_errors") for t in tables):
        return None
    if p.get("link"):
        return p["link"][len(p["link"]) // 2]["between"]
    if "leaf_spine" in p and "planes" not in p["leaf_spine"]:
        return ["leaf0", "spine0"]
    return None


def one_host_rate(p):
    """All NICs have links of one rate."""
    if "link" not in p:
        return True
    names = {n for d in p["device"] if d["profile"] == "nic" for n in d["names"]}
    rates = {t.get("rate", p["link_default"].get("rate")) for t in p["link"] if names & set(t["between"])}
    return len(rates) == 1


def ideal_is_known(p):
    """The completion time in an idle network, which is that of one path, is of every path: all are alike, packets do
    not overtake each other, and no switch sends one on before it has all of it."""
    pairs = [frozenset(link["between"]) for link in p.get("link", [])]
    slowed = any("rate" in t for t in p.get("impairment_group", []))
    cut = any("cut_through" in c.get("timing", {}) for c in chips(p))
    unequal = p.get("routing", {}).get("kind") == "ksp"
    return len(pairs) == len(set(pairs)) and one_path(p) and not slowed and not cut and not unequal


def starts_alike(p):
    """What one message did makes no later one quicker: nothing is cached, and no ordering engine keeps blocks."""
    nic = p["nic"]
    return not nic.get("sram", {}).get("limited") and nic.get("ordering", {}).get("engine", "none") == "none"


def trims_may_collapse(p):
    """What a switch trims goes again at once. Where many connections with a packet each meet and nothing paces them, trimmed
    headers fill the link and next to no data comes through, for as long as one looks."""
    pulls = p["nic"].get("congestion", {}).get("algorithm") == "eqds"
    return p["nic"]["transport"] == "spray_sr" and not pulls and any("trim" in s for s in switches(p))


def may_give_up(p):
    """Queue pairs have retries to use up."""
    return "retry_count" in p["nic"].get("reliability", {})


def restarts_for_ever(p):
    """A message that loses one packet each time, or takes longer than the timer, begins anew without end."""
    return p["nic"]["transport"] == "go_back_0"


def acks_may_starve(p):
    """Data may be in a class that switches send before that of its ACKs. Where timeouts are shorter than the queues that
    data waits in, it is sent again and again, and no ACK comes through."""
    nic = p["nic"]
    classes = [t.get("traffic_class", nic.get("traffic_class", 0)) for t in p["traffic"]]
    return max(classes) > nic.get("ack_traffic_class", 0)
