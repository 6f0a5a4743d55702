"""Switches at random: plain ones, and chips with each of the programs."""


def plain(draw, need, kind):
    """`kind`: "ideal" (unlimited buffers), "lossless" (PFC) or "lossy" (short queues)."""
    out = {"kind": "switch", "latency": draw.ns(0, 2_000)}
    out["balance"] = draw.one("ecmp", "ecmp", "ecmp_linear", "spray", "round_robin", "adaptive", "drill", "po2")
    if need.get("telemetry"):
        out["telemetry"] = True
    if draw.chance(0.6):
        out["ecn"] = ecn(draw)
    if kind == "lossless":
        out.update(pfc(draw))
    elif kind == "lossy":
        out.update(short_queues(draw))
    if draw.chance(0.3):
        out["control_class"] = 7
    return out


def ecn(draw):
    kmin = draw.scale(500, 60_000)
    return {"kmin": f"{kmin} B", "kmax": f"{kmin + draw.scale(1, 100_000)} B", "pmax": draw.one(0.01, 0.2, 1.0),
            "at": draw.one("enqueue", "dequeue")}


def pfc(draw):
    """Thresholds whose headrooms the switch works out by itself."""
    if draw.chance(0.5):
        xoff = draw.scale(3_000, 80_000)
        return {"pfc": {"xoff": f"{xoff} B", "xon": f"{xoff - draw.scale(1, xoff)} B"}}
    return {"buffer": "64 MB", "pfc": {"alpha": draw.one(0.001, 0.0625, 0.5, 8.0), "classes": 8,
                                       "hysteresis": draw.bytes(16, 8_000)}}


def short_queues(draw):
    out = {}
    if draw.chance(0.7):
        out["queue_limit"] = draw.bytes(5_000, 60_000)
        if draw.chance(0.3):
            out["full"] = draw.one("arriving", "half")
        if draw.chance(0.3):
            out["trim"] = draw.one("64 B", "128 B")
        if draw.chance(0.3):
            out["limit_of"] = draw.one("port", "class")
        if draw.chance(0.2) and "trim" not in out and "full" not in out:
            out["deflect"] = True
    if not out or draw.chance(0.3):
        out["buffer"] = draw.bytes(20_000, 300_000)
    if "trim" in out and out.get("limit_of") == "port":
        out.pop("limit_of")
    return out


def chip(draw, need, kind):
    """A Tofino that forwards; what only some networks have is in networks.py."""
    out = {"kind": "tofino", "chip": draw.one("tofino1", "tofino2", "tofino2")}
    if draw.chance(0.6):
        out["ecn"] = ecn(draw)
    if kind == "lossless":
        thresholds = pfc(draw)
        thresholds.pop("buffer", None)
        out.update(thresholds)
    elif kind == "lossy":
        out["queue_limit"] = draw.bytes(5_000, 60_000)
    program = {"name": "forward", "path_choice": draw.one("random", "round_robin", "ecmp", "psn", "psn_hash")}
    if program["path_choice"] == "psn_hash":
        program["burst_log2"] = draw.whole(0, 4)
    if draw.chance(0.3):
        program["spray_responses"] = True
    if draw.chance(0.2):
        program.update({"nack_of": 4, "nack_drop": draw.whole(1, 3), "nack_filter": draw.one("deterministic", "random")})
    if need.get("telemetry"):
        program["telemetry"] = True
    out["program"] = program
    if draw.chance(0.2):
        out["timing"] = {"egress_clock": draw.chance(0.5), "parser_bytes": draw.one("0 B", "32 B")}
        if draw.chance(0.5):
            out["timing"]["cut_through"] = draw.bytes(64, 1_000)
    return out
