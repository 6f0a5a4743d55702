"""The laws. Each takes a Subject and yields a line for each violation; a law that a platform is not subject to
yields none. LAWS says in which order they are asked; EXTRA are asked of a part of the platforms, in turn."""
import math
import re

from . import facts, replays

SAME = ("packets", "packet_hops", "verdict", "sim_time_ps", "results", "rows", "statistics")
EXIT_REFUSED = (2, 3)


def ends(s):
    """A legal platform runs to its end: no crash, no broken rule of the model, not stuck, nothing unfinished. Where losses,
    timeouts or a congestion control whose target is out of reach make that slow, it goes on in ten times the time."""
    may_collapse = (facts.acks_may_starve(s.platform) or facts.trims_may_collapse(s.platform)
                    or facts.restarts_for_ever(s.platform))
    if s.base.code is None and may_collapse:
        return  # what is sent again and again is more the longer it takes
    if s.base.code is None or s.base.code not in (0, *EXIT_REFUSED):
        first = s.base.err.splitlines()[0] if s.base.err else "nothing said"
        yield f"exit code {s.base.code}: {first}"
    elif s.base.code == 2 and len(s.base.err.splitlines()) != 1:
        yield f"refused with {len(s.base.err.splitlines())} lines"
    elif s.base.code == 0 and s.base.summary["verdict"] == "error":
        if not facts.may_give_up(s.platform):
            yield "verdict error without retries"
    elif s.base.code == 0 and s.base.summary["verdict"] != "complete":
        verdict = s.base.summary["verdict"]
        if verdict == "timeout":
            if may_collapse:
                return
            other = longer(s)
            verdict = other.summary["verdict"] if other.summary else f"exit code {other.code} in ten times the time"
            if verdict == "timeout" and delivered(other) > delivered(s.base):
                return
        if verdict != "complete":
            yield f"verdict {verdict}"


def delivered(run):
    return sum(int(r["bytes_delivered"]) for r in run.flows())


def longer(s):
    duration = int(s.platform["sim"]["duration"].split()[0])
    return s.changed(lambda p: p["sim"].update(duration=f"{10 * duration} ms"))


def books(s):
    """created = delivered + dropped + in flight; at the end of a complete run nothing is in flight."""
    p = s.base.summary["packets"]
    if p["created"] != p["delivered"] + sum(p["dropped"].values()) + p["in_flight"]:
        yield f"books: {p}"
    if s.base.summary["verdict"] == "complete" and p["in_flight"] != 0 and not facts.chips(s.platform):
        yield f"{p['in_flight']} packets in flight at the end"
    # A copy that an event makes is created on a link.
    copies = facts.harmed_by(s.platform, "duplicate")
    if not copies and not facts.chips(s.platform) and not any("trim" in x for x in facts.switches(s.platform)):
        sent = sum(port["tx_packets"]["value"] for d in nics(s) for name, port in d.items() if re.fullmatch(r"port\d+", name))
        if sent != p["created"]:
            yield f"NICs sent {sent} packets, {p['created']} were created"


def nics(s):
    return [d for name, d in s.base.summary["statistics"].items() if "delivered_bytes" in d]


def payload(s):
    """Every byte that was posted is delivered, once. Of UC and UD at most, and all of it where nothing is dropped, nothing
    overtakes anything, and there are receive WQEs."""
    rows = s.base.flows()
    if facts.unreliable(s.platform):
        yield from payload_that_may_be_lost(s, rows)
        return
    for r in rows:
        if r["messages_posted"] != r["messages_completed"]:
            yield f"flow {r['flow']}: {r['messages_completed']} of {r['messages_posted']} messages"
        if r["bytes_delivered"] != r["bytes_completed"]:
            yield f"flow {r['flow']}: {r['bytes_delivered']} bytes delivered, {r['bytes_completed']} completed"
    total = sum(int(r["bytes_delivered"]) for r in rows)
    if (expected := facts.expected_bytes(s.platform)) not in (None, total):
        yield f"{total} bytes delivered of {expected}"
    if (counted := sum(d["delivered_bytes"]["value"] for d in nics(s))) != total:
        yield f"NICs count {counted} bytes, flows {total}"


def payload_that_may_be_lost(s, rows):
    for r in rows:
        if r["messages_posted"] != r["messages_completed"]:
            yield f"flow {r['flow']}: {r['messages_completed']} of {r['messages_posted']} messages"
        if int(r["bytes_delivered"]) > int(r["bytes_completed"]):
            yield f"flow {r['flow']}: {r['bytes_delivered']} bytes delivered, {r['bytes_completed']} completed"
    total = sum(int(r["bytes_delivered"]) for r in rows)
    if (counted := sum(d["delivered_bytes"]["value"] for d in nics(s))) != total:
        yield f"NICs count {counted} bytes, flows {total}"
    lost = s.base.result("receivers.messages_lost")
    left = sum(d["messages_left"]["value"] for d in nics(s) if "messages_left" in d)
    whole = sum(d["messages_whole"]["value"] for d in nics(s) if "messages_whole" in d)
    if lost != left - whole:
        yield f"{lost} messages lost, {left} left and {whole} arrived whole"
    unwanted = s.base.result("receivers.messages_unwanted")
    if not sum(s.base.summary["packets"]["dropped"].values()) and facts.one_path(s.platform) and lost != unwanted:
        yield f"{lost} messages lost, of which {unwanted} found no receive WQE, and nothing was dropped on one path"
    if s.base.result("receivers.messages_broken") > lost:
        yield f"{s.base.result('receivers.messages_broken')} messages broken, {lost} lost"


def errors(s):
    """Each message that was posted is completed or ended with an error, of a queue pair that gave up; nothing is unfinished but
    what waits for those."""
    if not facts.may_give_up(s.platform) or not s.base.flows():
        return
    failed = 0
    for r in s.base.flows():
        lost = int(r["messages_failed"])
        failed += lost
        if int(r["messages_posted"]) != int(r["messages_completed"]) + lost:
            yield f"flow {r['flow']}: {r['messages_posted']} posted, {r['messages_completed']} completed, {lost} failed"
        if lost and not r["error_us"]:
            yield f"flow {r['flow']}: {lost} messages failed without an error"
        if int(r["bytes_delivered"]) < int(r["bytes_completed"]):
            yield f"flow {r['flow']}: {r['bytes_completed']} bytes completed, {r['bytes_delivered']} delivered"
    if failed != s.base.result("flows.messages_failed"):
        yield f"flows count {failed} messages in error, the results {s.base.result('flows.messages_failed')}"


def numbers(s):
    """Shares are shares, and what adds up does."""
    for name, r in s.base.summary["results"].items():
        value = r["value"]
        if value is None:
            continue
        if isinstance(value, float) and not math.isfinite(value) or value < 0:
            yield f"{name} = {value}"
        elif r["unit"].startswith("share ") and value > 1 + 1e-9:
            yield f"{name} = {value} {r['unit']}"
    shares = sum(r["value"] or 0 for name, r in s.base.summary["results"].items() if name.startswith("senders.idle_"))
    share = s.base.result("senders.tx_share")
    # A packet's time is rounded up to a picosecond. At the rate of one port it is a whole number of them, at the sum of three not.
    several = s.platform["nic"].get("ports", 1) > 1
    rounding = s.base.summary["packets"]["created"] / max(s.base.summary["sim_time_ps"], 1) if several else 0
    # A mean over senders of unequal rates is weighed by them, one of their times is not.
    if share is not None and facts.one_host_rate(s.platform) and abs(shares + share - 1) > 1e-6 + rounding:
        yield f"shares of the senders' time sum to {shares + share}"


def not_faster_than_idle(s):
    """No message is faster than in an idle network."""
    if s.platform["nic"].get("memory", {}).get("jitter") or not facts.ideal_is_known(s.platform):
        return
    if not facts.starts_alike(s.platform):
        return
    for r in s.base.flows():
        if r["slowdown"] and float(r["slowdown"]) < 0.9999:
            yield f"flow {r['flow']}: slowdown {r['slowdown']}"


def alone_is_ideal(s):
    """A message that is alone takes the ideal time."""
    other = s.changed(only_message)
    if other.code in EXIT_REFUSED:
        return
    if other.code != 0 or other.summary["verdict"] != "complete":
        return  # that it ends is the business of another law
    r, = other.flows()
    if r["slowdown"] != "1.0000" or r["ideal_us"] != r["fct_us"]:
        yield f"one message alone: slowdown {r['slowdown']}, {r['fct_us']} us, ideal {r['ideal_us']} us"


def only_message(p):
    """One of the platform's NICs sends one message to another; links are whole."""
    p["traffic"] = [{"kind": "batch", "pattern": "pairs", "from": ["h0"], "to": ["h1"], "size": "123457 B", "start": "4321 ns"}]
    p["link_default"].pop("loss", None)
    p.pop("event", None)
    for link in p.get("link", []):
        for key in facts.FAULTS:
            link.pop(key, None)
    groups = [g for g in p.pop("impairment_group", []) if "rate" in g]
    if groups:
        p["impairment_group"] = groups


def loses_nothing(s):
    """Enough room, or pauses with sufficient headroom: no packet is lost."""
    # Packets that a NIC's host is too slow to take fill the NIC's buffer, and no switch's; unless the NIC pauses too.
    theirs = sum(d["host"]["rx_buffer_drops"]["value"] for d in nics(s) if "rx_buffer_drops" in d.get("host", {}))
    if "pfc" in s.platform["nic"]:
        theirs = 0
    if facts.lossless(s.platform) and sum(s.base.summary["packets"]["dropped"].values()) > theirs:
        yield f"lost: { {k: v for k, v in s.base.summary['packets']['dropped'].items() if v} }"


def keeps_order(s):
    """What goes one way arrives in order unless something is lost."""
    if not facts.one_path(s.platform) or sum(s.base.summary["packets"]["dropped"].values()):
        return
    if (late := s.base.result("receivers.out_of_order")):
        yield f"a share of {late} arrived out of order on one path, and nothing was lost"


def differences(one, other, what, events=True):
    if other.code != one.code:
        yield f"{what}: exit code {other.code} in place of {one.code}: {other.err[:200]}"
        return
    for part in SAME:
        if part == "statistics" and not events:
            # A start that nobody watches is counted without being one.
            for d in (*one.summary[part].values(), *other.summary[part].values()):
                d.pop("events", None)
        if one.summary[part] != other.summary[part]:
            yield f"{what}: {part} differ: {first_difference(one.summary[part], other.summary[part])}"
            return
    if [list(r.values()) for r in one.flows()] != [list(r.values()) for r in other.flows()]:
        yield f"{what}: flows.csv differ"


def first_difference(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in [*a, *(k for k in b if k not in a)]:
            if a.get(key) != b.get(key):
                return first_difference(a.get(key), b.get(key), f"{path}.{key}")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{path}[{i}]")
    return f"{path.lstrip('.')} {a} and {b}"


def smallest_delay_ns(p):
    tables = [p["link_default"], *p.get("link", []), p.get("two_sites", {})]
    delays = [int(t[k].split()[0]) for t in tables for k in ("delay", "edge_delay", "long_delay") if k in t]
    return min(delays)


def windows(s):
    """Shorter windows change nothing."""
    half = max(1, smallest_delay_ns(s.platform) * 3 // 5)
    if facts.unreliable(s.platform):  # no window is longer than this
        half = min(half, int(s.platform["nic"].get("tx_latency", "300 ns").split()[0]))
    yield from differences(s.base, s.changed(lambda p: p["sim"].update(window=f"{half} ns")), f"window {half} ns")


def exact(s):
    """Exact wake-ups change nothing."""
    other = s.changed(lambda p: p["sim"].update(scheduling="exact_wake"))
    yield from differences(s.base, other, "exact wake")


def held_to_rules(s):
    """Switch programs break no rule of the dataplane, and whether each pass is checked changes nothing."""
    if facts.chips(s.platform):
        yield from differences(s.base, s.changed(lambda p: p["sim"].update(checked=True)), "checked")


def ranks(s):
    """Several processes change nothing."""
    yield from differences(s.base, s.run(s.platform, "--ranks", "2"), "2 ranks")


def threads(s):
    """Several threads change nothing."""
    yield from differences(s.base, s.run(s.platform, "--threads", "3", "--threads-from", "40"), "3 threads")


def watched(s):
    """Views and samples change nothing."""
    sampled = s.changed(lambda p: p["sim"].update(sample="1777 ns"))
    yield from differences(s.base, sampled, "with samples")
    if s.base.summary["packet_hops"] < 5000:
        yield from differences(s.base, s.run(s.platform, "--trace", "--waves", "--trace-most", "50000"), "with views",
                               events=False)


def through_module(s):
    """A module on a link that takes no time changes nothing."""
    between = facts.link_for_a_module(s.platform)
    if between is None:
        return
    module = {"name": "tap", "kind": "delay", "between": between, "link": 0}
    other = s.changed(lambda p: p.update(module=[module]))
    if other.summary is None:
        yield from differences(s.base, other, "a module")
        return
    tap = other.summary["statistics"].pop("tap")
    other.summary["results"] = {k: v for k, v in other.summary["results"].items() if not k.startswith("tap.")}
    # Packets that an outage cuts behind the module are the module's, and not the port's.
    cut = cuts(s.base.summary)
    if cut != cuts(other.summary) + tap.get("cut_by_outage", {"value": 0})["value"]:
        yield f"a module between {' and '.join(between)}: outages cut another number of packets than {cut}"
    yield from differences(s.base, other, f"a module between {' and '.join(between)}")


def cuts(summary):
    """How many packets outages cut at ports; takes the counters out of the summary."""
    ports = [port for device in summary["statistics"].values() for port in device.values() if "cut_by_outage" in port]
    return sum(port.pop("cut_by_outage")["value"] for port in ports)


def more_bandwidth(s):
    """A single message over links of twice the rate is not later."""
    p = s.platform
    if not facts.single_message(p) or not facts.lossless(p) or not facts.one_path(p) or facts.acks_hold_up_sends(p):
        return
    if p["nic"]["congestion"]["algorithm"] != "none" or "qp_rate" in p["nic"] or "memory" in p["nic"]:
        return
    faster = s.changed(double_rates)
    if faster.code in EXIT_REFUSED:
        return  # headroom for twice the rate may not fit
    if faster.code != 0:
        yield f"twice the rates: exit code {faster.code}: {faster.err[:200]}"
        return
    before, after = (float(r.flows()[0]["last_completion_us"]) for r in (s.base, faster))
    if after > before:
        yield f"twice the rates: completed at {after} us, not {before} us"


def double_rates(p):
    tables = [p["link_default"], *p.get("link", []), *p.get("impairment_group", [])]
    tables += [p[name] for name in facts.STRUCTURES if name in p]
    for t in tables:
        for key in ("rate", "host_rate", "edge_rate", "long_rate"):
            if key in t:
                t[key] = f"{2 * int(t[key].split()[0])} Gbps"


def replayed(s):
    """What a switch received in the run, replayed through it alone, leaves by the same ports."""
    yield from replays.differences(s)


LAWS = (ends, books, payload, errors, numbers, not_faster_than_idle, loses_nothing, keeps_order,
        held_to_rules)
WAYS = (windows, exact, threads)
EXTRA = (alone_is_ideal, watched, through_module, more_bandwidth, replayed, ranks)
# Laws that hold also of runs in which a queue pair gave up.
WITH_ERRORS = {law.__name__ for law in (ends, books, errors, numbers, *WAYS, ranks)}
EVERY = {law.__name__: law for law in (*LAWS, *WAYS, *EXTRA)}


def broken(subject, names):
    """(name of the law, violation) of the first law broken, or None."""
    for name in names:
        verdict = subject.base.summary["verdict"] if subject.base.code == 0 else None
        if name != "ends" and verdict not in ("complete", "error"):
            return None
        if verdict == "error" and name not in WITH_ERRORS:
            continue
        for line in EVERY[name](subject):
            return name, line
    return None
