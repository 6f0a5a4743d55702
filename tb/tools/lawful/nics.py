"""NICs at random: every transport, congestion control, entropy scheme, ordering engine and cost of a NACK, in
combinations that a platform may have."""

COALESCING_FORBIDDEN = ("hpcc", "dctcp", "swift")


def nic(draw):
    """The profile of a NIC, and what it asks of switches: {"telemetry": True} for hpcc."""
    out = {"kind": "rnic", "transport": draw.one("rnic_sr", "go_back_n", "go_back_0", "timeout_only", "irn", "spray_sr")}
    out["mtu"] = draw.one("256 B", "1000 B", "1 KiB", "1500 B", "4 KiB", draw.bytes(256, 4096))
    for key, most in (("tx_latency", 2000), ("rx_latency", 2000), ("nack_delay", 3000), ("nack_reaction", 4000),
                      ("ack_delay", 1000)):
        if draw.chance(0.5):
            out[key] = draw.ns(0, most)
    if draw.chance(0.15):
        out["qp_rate"] = draw.one("3 Gbps", "17 Gbps", "40 Gbps", "100 Gbps")
    if draw.chance(0.2):
        out["shaping"] = "quantum"
        out["quantum"] = draw.bytes(256, 65536)
    if draw.chance(0.15):
        out["frames"] = draw.one("htsim", "infiniband")
    elif draw.chance(0.15):
        out["reth_on_every_packet"] = True
    _classes(draw, out)
    out["congestion"] = congestion(draw, out["transport"])
    algorithm = out["congestion"]["algorithm"]
    out["reliability"] = reliability(draw, out["transport"], algorithm)
    if draw.chance(0.5):
        out["entropy"] = entropy(draw)
    if out["transport"] != "spray_sr" and "frames" not in out and draw.chance(0.3):
        out["ordering"] = ordering(draw)
    if draw.chance(0.4):
        _host(draw, out)
    if draw.chance(0.5):
        out["retransmit"] = retransmit(draw)
    if draw.chance(0.4):
        out["engine"] = engine(draw)
    if draw.chance(0.3):
        out["ack_messages"] = draw.scale(1, 40)
    return out, {"telemetry": True} if algorithm == "hpcc" else {}


def _classes(draw, out):
    if draw.chance(0.3):
        out["traffic_class"] = draw.whole(0, 5)
    if draw.chance(0.5):
        out["ack_traffic_class"] = draw.one(out.get("traffic_class", 0), 6, 7)


def reliability(draw, transport, algorithm):
    out = {"window": draw.scale(1, 700), "rto": draw.ns(30_000, 1_500_000)}
    out["ack_every"] = 1 if algorithm in COALESCING_FORBIDDEN or draw.chance(0.4) else draw.scale(2, 100)
    if draw.chance(0.5):
        out["ack_request_every"] = draw.one(0, 1, draw.scale(2, 600))
    if draw.chance(0.3):
        out["timeout_resend"] = draw.one("window", "oldest")
    if transport == "irn":
        out["rto_low"] = f"{int(out['rto'].split()[0]) // draw.whole(1, 4)} ns"
        out["rto_low_packets"] = draw.whole(0, 8)
    if transport != "spray_sr" and draw.chance(0.2):
        out.update(retries(draw))
    if transport == "spray_sr":
        out["sack_bits"] = draw.one(64, 128, 192, 256)
        out["timer"] = draw.one("packet", "group", "connection")
    return out


def retries(draw):
    """Timeouts by IBTA's exponent, and errors. 4.096 us x 2^5 is above most round trips, 2^9 below what a run may take."""
    out = {"ack_timeout": draw.whole(5, 9)}
    if draw.chance(0.3):
        out["ack_timeout_floor"] = draw.whole(4, 9)
    if draw.chance(0.3):
        out["ack_timeout_factor"] = draw.whole(1, 3)
    if draw.chance(0.3):
        out["ack_timeout_ramp"] = draw.whole(1, 2)
    if draw.chance(0.4):
        out["adaptive_timeout"] = draw.ns(30_000, 300_000)
        if draw.chance(0.5):
            out["adaptive_limit"] = draw.ns(30_000, 2_000_000)
    if draw.chance(0.6):
        out["retry_count"] = draw.whole(0, 7)
    return out


def entropy(draw):
    scheme = draw.one("fixed", "random", "cycle", "reps", "reps_unbounded", "bitmap", "plb", "flowlet", "mp_rdma",
                      "subflows")
    out = {"scheme": scheme, "values": draw.one(2, 16, 256, 65536)}
    if draw.chance(0.3):
        out["keep"] = True
    if scheme == "reps":
        out["freezing_timeout"] = draw.ns(2_000, 300_000)
        out["ring"] = draw.scale(1, 255)
        if draw.chance(0.3):
            out["freeze_at"] = draw.ns(1, 100_000)
        out["exit"] = draw.one("keep", "clear")
        out["exit_on"] = draw.one("any", "good")
        if out["exit"] == "clear":
            out["frozen_read"] = draw.one("paper", "artifact")
    if scheme == "plb":
        out["plb_share"] = draw.one(0.0, 0.3, 0.9)
        out["plb_rounds"] = draw.whole(0, 4)
    if scheme == "flowlet":
        out["flowlet_gap"] = draw.ns(100, 50_000)
        out["flowlet_since"] = draw.one("ack", "packet")
    if scheme == "subflows":
        out["subflows"] = min(out["values"], draw.scale(1, 64))
    return out


def congestion(draw, transport):
    algorithms = ["none", "none", "dcqcn", "dcqcn", "dctcp", "hpcc", "swift", "timely", "mprdma", "constant", "nscc"]
    out = {"algorithm": draw.one(*algorithms, *(["eqds"] if transport == "spray_sr" else []))}
    window = draw.bytes(4_096, 300_000)
    if out["algorithm"] == "dcqcn":
        out["parameters"] = draw.one("paper", "vendor", "hpcc", "longhaul")
        out["nack_reaction"] = draw.one("ignore", "cnp", "paired_cnp", "saturating_cut", "floor", "slow_restart")
    elif out["algorithm"] == "hpcc":
        out["hpcc"] = {"base_rtt": draw.ns(3_000, 50_000)}
    elif out["algorithm"] == "swift":
        out["swift"] = {"base_target": draw.ns(3_000, 60_000), "initial_window": window}
    elif out["algorithm"] == "timely":
        out["timely"] = {"low": "5 us", "high": draw.ns(20_000, 200_000), "min_rtt": draw.ns(2_000, 20_000),
                         "min_rate": "1 Gbps"}
    elif out["algorithm"] == "mprdma":
        out["mprdma"] = {"packet": draw.bytes(256, 4096), "initial_window": window, "max_window": window}
    elif out["algorithm"] == "constant":
        out["constant_window"] = draw.bytes(256, 300_000)
    elif out["algorithm"] == "nscc":
        out["nscc"] = {"packet": "4000 B", "target": draw.ns(1_000, 20_000), "initial_window": window, "max_window": window}
    elif out["algorithm"] == "eqds":
        out["eqds"] = {"start_credit": window, "pull_share": draw.share(0.4, 1)}
    return out


def ordering(draw):
    out = {"engine": draw.one("ideal", "static", "irn", "mp_rdma", "eunomia")}
    if out["engine"] == "static":
        out["bits"] = draw.scale(1, 512)
    elif out["engine"] == "irn":
        out["bdp"] = draw.scale(1, 300)
    elif out["engine"] == "eunomia":
        out["bits"] = 16 * draw.scale(2, 32)
        out["blocks"] = draw.scale(40, 2000)
        out["index_entries"] = draw.scale(1, 64)
    if draw.chance(0.5):
        out["write_last"] = draw.one("immediate", "sender", "receiver")
    if draw.chance(0.3):
        out["clock"] = draw.one("200 MHz", "1 GHz", "3 GHz")
    return out


def engine(draw):
    """A packet engine."""
    out = {key: draw.ns(0, 400) for key in ("send", "receive", "ack_send", "ack_receive") if draw.chance(0.7)}
    if draw.chance(0.3):
        out["pools"] = "apart"
    if draw.chance(0.4):
        out["units"] = draw.whole(1, 8)
        out["binding"] = draw.one("cyclic", "any")
    if draw.chance(0.3):
        out["queue_pair"] = draw.ns(1, 600)
    if draw.chance(0.4):
        out["visit"] = draw.ns(1, 500)
        out["contexts"] = draw.whole(0, 20)
    return out


def details(draw, nic):
    """What a NIC with InfiniBand's frames, posting threads or CQEs may have beside, by a stream of its own."""
    if nic.get("frames") == "infiniband" and "ports" not in nic and draw.chance(0.5):
        nic["vl_credits"] = draw.bytes(4224, 131072)
        if draw.chance(0.5):
            nic["credit_delay"] = draw.ns(0, 5_000)
    if "post" in nic and draw.chance(0.5):
        nic["post"]["lanes"] = draw.whole(2, 32)
        nic["post"]["shared"] = draw.ns(1, 60)
    if "cq" in nic and draw.chance(0.5):
        nic["cq"]["mini_cqe"] = draw.bytes(1, 64)
    if "post" in nic and draw.chance(0.4):
        del nic["post"]["inline"]
        nic["post"]["sges"] = draw.whole(2, 30)
    if "engine" in nic and "ports" not in nic and "vl_credits" not in nic and draw.chance(0.4):
        nic["engine"]["ahead"] = draw.bytes(1, 65536)
    if nic.get("engine", {}).get("contexts", 0) > 1 and draw.chance(0.5):
        nic["engine"]["ways"] = 1
    if nic.get("host") == "pcie" and draw.chance(0.4):
        kinds = ("queue_pair", "memory_key", "translation", "completion_queue")
        nic["cache"] = {kind: {"entries": draw.scale(1, 8) * 4, "ways": draw.one(0, 1, 2, 4)} for kind in kinds if draw.chance(0.5)}
        if nic["cache"] and draw.chance(0.5):
            nic["cache"]["misses"] = draw.whole(1, 8)


def pauses(draw, nic):
    """A NIC with a host may pause its peers, with room for any link's headroom."""
    if nic.get("host") == "pcie" and "sram" not in nic and draw.chance(0.4):
        xoff = draw.whole(1, 200)
        nic["pfc"] = {"xoff": f"{xoff} KiB", "xon": f"{draw.whole(0, xoff)} KiB"}
        nic["sram"] = {"rx_buffer": "512 MiB"}


def carries(draw, nic):
    """Host memory of a NIC that has one may carry less than its link brings."""
    if nic.get("host") != "pcie" or not draw.chance(0.4):
        return
    memory = nic["memory"]
    if draw.chance(0.6):
        rate = draw.whole(20, 400)
        memory["dram"] = {"bandwidth": f"{rate} Gbps", "background": f"{draw.whole(0, rate // 2)} Gbps"}
        if draw.chance(0.5):
            memory["ddio"] = {"size": f"{draw.scale(1, 4000) * 256} B", "ways": draw.one(0, 1, 2, 4)}
    if draw.chance(0.4):
        memory["remote"] = True
        memory["socket_rate"] = f"{draw.whole(20, 400)} Gbps"
    if draw.chance(0.3):
        memory["gpu"] = {"read_rate": f"{draw.whole(20, 400)} Gbps", "write_rate": f"{draw.whole(20, 400)} Gbps",
                         "round_trip": draw.ns(400, 3_000), "write_latency": draw.ns(0, 1_000), "queues": draw.chance(0.5)}


def post(draw):
    """Threads of the host that post."""
    out = {"threads": draw.whole(1, 8), "wqe": draw.ns(0, 400), "doorbell": draw.ns(0, 600), "batch": draw.scale(1, 40),
           "method": draw.one("doorbell", "blue_flame"), "inline": draw.bytes(1, 1024),
           "header": draw.one("36 B", "68 B"), "queue_read": draw.ns(0, 500)}
    if draw.chance(0.3):
        out["ringer"] = "proxy"
        out["proxy"] = draw.ns(0, 300)
    return out


def _host(draw, out):
    out["host"] = "pcie"
    out["pcie"] = {"generation": draw.whole(3, 5), "lanes": draw.one(4, 8, 16),
                   "max_payload": draw.one("128 B", "256 B", "512 B"),
                   "max_read_request": draw.one("128 B", "512 B", "4 KiB"), "tags": draw.scale(4, 512)}
    out["memory"] = {"round_trip": draw.ns(400, 3_000)}
    if draw.chance(0.4):
        out["memory"]["jitter"] = draw.ns(1, 100)
        out["memory"]["tail_probability"] = draw.share(0, 0.05)
    if draw.chance(0.3):
        out["fetch"] = {"prefetch": draw.bytes(4096, 100_000), "wqe_batch": draw.scale(1, 64)}
    if draw.chance(0.4):
        out["post"] = post(draw)
    if draw.chance(0.4):
        out["cq"] = {"messages": draw.scale(1, 40), "poll": draw.ns(0, 500), "poll_interval": draw.ns(0, 3_000),
                     "hold": draw.ns(0, 5_000), "cqe": draw.bytes(4, 128)}
    if draw.chance(0.4):
        out["sram"] = {"limited": True, "total": draw.one("256 KiB", "1 MiB"), "tx_buffer": draw.bytes(8_000, 60_000),
                       "rx_buffer": draw.bytes(60_000, 100_000)}


def retransmit(draw):
    policy = draw.one("blocking_fetch", "pipeline_flush", "strict_priority", "context_lock", "window_stall",
                      "recovery_handshake", "buffer_thrash", "firmware_event", "nack_rate_limit", "parts")
    out = {"policies": [policy]}
    merge = draw.one("every", "one_pending", "ignore")
    own = {"blocking_fetch": {"merge": merge, "serial_reads": draw.whole(0, 4)},
           "pipeline_flush": {"merge": merge, "flush": draw.ns(0, 1000)},
           "context_lock": {"lock": draw.ns(0, 1000), "acks": draw.chance(0.5)},
           "window_stall": {"gap_window": draw.scale(1, 600)},
           "recovery_handshake": {"hold_from": draw.one("nack", "retransmission"), "guard": draw.ns(1000, 100_000)},
           "firmware_event": {"event": draw.ns(0, 10_000), "stall": draw.one("none", "queue_pair", "port")},
           "nack_rate_limit": {"interval": draw.ns(0, 5_000)},
           "parts": _parts(draw, merge)}
    if policy in own:
        out[policy] = own[policy]
    return out


def _parts(draw, merge):
    out = {"server": draw.one("none", "queue_pair", "port"), "stall": draw.one("none", "queue_pair", "port"),
           "event": draw.ns(0, 2_000), "nack_lock": draw.ns(0, 1_000), "gap_window": draw.one(0, draw.scale(1, 600))}
    if out["server"] != "none":
        out["merge"] = merge
        out["hold"] = draw.chance(0.3)
        if (out["server"], merge) == ("queue_pair", "ignore"):
            out["until"] = draw.one("fetched", "sent")
    return out
