"""A random platform: a table as TOML has it."""
from . import classes
from .draw import Draw
from .events import events
from .loads import atomics, buffers, on_demand, orders, ping_pongs, sends, services, traffic, verbs
from .networks import network
from .nics import carries, details, nic, pauses


def platform(seed, number):
    """The platform with this number of this seed. It is legal but for rare combinations, which horae refuses."""
    draw = Draw(f"{seed}/{number}")
    out = {"platform": {"name": f"random_{seed}_{number}"},
           "sim": {"duration": "300 ms", "stop": "finished", "stuck_after": "100 ms", "seed": draw.whole(1, 1000)}}
    out["nic"], need = nic(draw)
    hosts = network(draw, out, need, draw.one("ideal", "lossless", "lossless", "lossy"))
    out["traffic"] = traffic(draw, hosts)
    if number % 10 in SPECIAL:
        SPECIAL[number % 10](draw, out)
    late = Draw(f"{seed}/{number}/classes")
    classes.classes(late, out)
    if number % 10 not in SPECIAL:
        classes.ports(late, out)
    details(Draw(f"{seed}/{number}/details"), out["nic"])
    verbs(Draw(f"{seed}/{number}/verbs"), out)
    if number % 10 not in SPECIAL:
        pauses(Draw(f"{seed}/{number}/pauses"), out["nic"])
        carries(Draw(f"{seed}/{number}/memory"), out["nic"])
        buffers(Draw(f"{seed}/{number}/buffers"), out)
    sends(Draw(f"{seed}/{number}/sends"), out)
    atomics(Draw(f"{seed}/{number}/atomics"), out)
    services(Draw(f"{seed}/{number}/services"), out)
    orders(Draw(f"{seed}/{number}/orders"), out)
    if number % 10 not in SPECIAL:
        events(Draw(f"{seed}/{number}/events"), out)
    on_demand(Draw(f"{seed}/{number}/on_demand"), out)
    ping_pongs(Draw(f"{seed}/{number}/ping_pongs"), out)
    return out


def _single_message(draw, out):
    """A single message over one path: for more_bandwidth."""
    out["nic"]["congestion"] = {"algorithm": "none"}
    out["traffic"] = [{"kind": "batch", "pattern": "pairs", "from": ["h0"], "to": ["h1"],
                       "size": draw.bytes(1, 400_000)}]
    for key in ("entropy", "memory", "qp_rate", "sram"):
        out["nic"].pop(key, None)
    out["link_default"].pop("loss", None)
    out.pop("impairment_group", None)
    for link in out.get("link", []):
        link.pop("outage", None)
    _choose_by_flow(out)


def _by_flow(draw, out):
    """Switches that choose by the flow, without marks, limits and pauses: for replayed."""
    _choose_by_flow(out)
    for name in ("edge", "core"):
        for key in ("ecn", "pfc", "buffer", "queue_limit", "trim", "full", "limit_of", "deflect"):
            out.get(name, {}).pop(key, None)


def _choose_by_flow(out):
    for name in ("edge", "core"):
        s = out.get(name, {})
        if s.get("kind") == "switch":
            s["balance"] = "ecmp"
        elif s:
            s["program"] = {"name": "forward", "path_choice": "ecmp"}


SPECIAL = {3: _single_message, 6: _by_flow, 7: _by_flow}
