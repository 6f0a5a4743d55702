"""Results and rows of a run, recomputed from its flows and the counters of its devices: apart from the code that prints
them. For runs without warm-up. Times in flows.csv have six decimals."""
import math
import re

KINDS = ("fresh", "expected", "last", "rewind", "timeout", "trimmed")
IDLE = ("no_work", "window", "shaper", "paused", "doorbell", "wqe", "payload", "context", "lock", "retransmit", "recovery",
        "gap_window", "port", "engine", "credits", "receiver")
TLPS = [("doorbell", "to_nic"), ("cqe", "to_host"),
        *((use, way) for use in ("wqe", "payload", "context", "translation", "receive_wqe") for way in ("to_host", "to_nic"))]
USES = {use for use, way in TLPS}
ANSWERED = ("read", "compare_swap", "fetch_add")
FRAME_OVERHEAD = 20  # bytes of preamble and gap, IEEE 802.3


def rank(values, share):
    """The least value that `share` of them do not exceed; none of none."""
    ordered = sorted(values)
    return ordered[max(math.ceil(round(share * len(ordered), 9)), 1) - 1] if ordered else None


def between(values, share):
    """As numpy.percentile has it."""
    if not values:
        return None
    ordered, place = sorted(values), share * (len(values) - 1)
    low, high = ordered[math.floor(place)], ordered[math.ceil(place)]
    return low + (high - low) * (place - math.floor(place))


def mean(values):
    return sum(values) / len(values) if values else None


def ratio(a, b):
    return a / b if b else 0.0


def bounded(of, key, statistic):
    """(figure, what it is at least) of messages: a figure is none where those that are unfinished, of which all that is
    known is how long they have waited, could change it. `statistic` is `mean`, or a percentile by (function, share)."""
    done, waits = [m[key] for m in of if m["done"]], [m[key] for m in of if not m["done"]]
    if statistic is mean:
        value, certain = mean(done + waits), not waits
    else:
        function, share = statistic
        value = function(done + waits, share)
        if function is between:
            place = min(math.floor(share * (len(of) - 1)) + 1, len(of) - 1)
        else:
            place = max(math.ceil(round(share * len(of), 9)), 1) - 1
        certain = not waits or place < len(done) and sorted(done)[place] <= min(waits)
    return (value, None) if certain or not of else (None, value)


def put(row, column, of, key, statistic):
    row[column], row[f"{column}_at_least"] = bounded(of, key, statistic)


def _counts(messages):
    done = sum(m["done"] for m in messages)
    failed = sum(m["failed"] for m in messages)
    return {"completed": done, "failed": failed, "unfinished": len(messages) - done - failed}


class Run:
    """A run that has ended, and what its names should say: `expected` is a dictionary by name, rows as lists by table."""

    def __init__(self, summary, flows):
        self.statistics, self.config, self.flows = summary["statistics"], summary["config"], flows
        self.summary, self.expected, self.rows = summary, {}, {}
        self.seconds = (summary["measured_to_ps"] - summary["measured_from_ps"]) * 1e-12
        self.senders = sorted({f["sender"] for f in flows})
        # Data of READs and atomics arrives where they are posted, that of other verbs at the other end.
        tables = self.config.get("traffic", [])
        self.answered = bool(tables) and all(v in ANSWERED for t in tables for v in t.get("verbs") or [t.get("verb")])
        both = any({v in ANSWERED for v in t.get("verbs", [])} == {True, False} for t in tables)
        self.receivers = self.senders if self.answered else sorted({f["receiver"] for f in flows} |
                                                                   (set(self.senders) if both else set()))
        self.nics = [d for d, s in self.statistics.items() if "sent_fresh" in s]
        if flows and self.seconds > 0:
            self._senders()
            self._receivers()
            self._single_messages()
            self._messages()
            self._collectives()
            self._pauses()
            self._engine()
            self._blocks()
            self._errors()
            self._traffic()
        self._switches()

    def value(self, device, *path):
        at = self.statistics[device]
        for key in path:
            at = at.get(key, {})
        return at.get("value", 0)

    def sum(self, devices, *path):
        return sum(self.value(d, *path) for d in devices)

    def _senders(self):
        out, n = {}, len(self.senders)
        packets = sum(self.sum(self.senders, f"sent_{k}") for k in KINDS)
        out["data_packets"] = packets
        for kind in KINDS[1:]:
            out[f"retransmitted_{kind}"] = self.sum(self.senders, f"sent_{kind}")
        for name in ("nacks_received", "nacks_served", "nacks_stale", "nacks_merged", "cnps_received", "acks_received",
                     "timeouts", "messages_completed", "rnr_naks_received", "dc_connects"):
            out[name] = self.sum(self.senders, name)
        out["nacks_per_packet"] = ratio(out["nacks_received"], packets)
        out["served_per_packet"] = ratio(out["nacks_served"], packets)
        out["nack_rate_total"] = out["nacks_received"] / self.seconds / 1e6
        out["nack_rate"] = out["nack_rate_total"] / n
        out["service_time"] = ratio(self.sum(self.senders, "nack_service_time") * 1e-6, self.sum(self.senders, "nack_services"))
        out["context_misses_per_packet"] = ratio(self.sum(self.senders, "host", "context_misses"), packets)
        out["completed_rate"] = 8 * sum(int(f["bytes_completed"]) for f in self.flows) / n / self.seconds / 1e9
        # Each NIC counts by its rate, so that shares add up to one.
        line = {d: self._rate(d) for d in self.senders}
        line_bits = sum(line.values()) * self.seconds
        for cause in IDLE:
            out[f"idle_{cause}"] = sum(self.value(d, f"idle_{cause}") * 1e-12 * line[d] for d in self.senders) / line_bits
        for name in ("recycled", "random", "frozen", "fixed"):
            out[f"entropy_{name}"] = ratio(self.sum(self.senders, "entropy", name), packets)
        out["entropy_freezes"] = self.sum(self.senders, "entropy", "freezes")
        out["entropy_frozen_time"] = self.sum(self.senders, "entropy", "frozen_time") * 1e-6
        ports = [p for d in self.senders for key, p in self.statistics[d].items() if re.fullmatch(r"port\d+", key)]
        l1 = sum(p["tx_rate"]["value"] * p["tx_rate"]["window"]["value"] * 1e-12 for p in ports)
        l2 = l1 - 8 * FRAME_OVERHEAD * sum(p["tx_packets"]["value"] for p in ports)
        out["tx_rate_l1"] = l1 / n / self.seconds / 1e9
        # Bits on the wire count as a whole, not those of the frame alone.
        if self.summary["packets"]["in_flight"] == 0:
            out["tx_rate_l2"] = l2 / n / self.seconds / 1e9
            out["tx_rate"] = out["tx_rate_l1" if self.config["sim"]["rate_layer"] == "l1" else "tx_rate_l2"]
            out["payload_ratio"] = ratio(8 * self.sum(self.nics, "delivered_bytes"), l2)
        self.expected.update({f"senders.{k}": v for k, v in out.items()})

    def _rate(self, nic):
        """Bits per second of its ports."""
        links = [x for x in self.config.get("link", []) if nic in x["between"]]
        default = self.config.get("link_default", {}).get("rate", "100 Gbps")
        ports = len([key for key in self.statistics[nic] if re.fullmatch(r"port\d+", key)])
        rates = [*(x.get("rate", default) for x in links), *[default] * (ports - len(links))]
        return sum(float(r.split()[0]) * {"bps": 1, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12}[r.split()[1]] for r in rates)

    def _receivers(self):
        out = {}
        data = self.sum(self.receivers, "data_received")
        out["data_packets"] = data
        out["delivered_rate"] = 8 * self.sum(self.receivers, "delivered_bytes") / len(self.receivers) / self.seconds / 1e9
        out["out_of_order"] = ratio(self.sum(self.receivers, "out_of_order"), data)
        for name in ("nacks_sent", "acks_sent", "duplicates", "discarded", "nacks_suppressed", "cnps_sent", "pulls_sent",
                     "messages_received", "receive_wqe_waits", "messages_whole", "messages_broken", "messages_unwanted",
                     "psn_gaps"):
            out[name] = self.sum(self.receivers, name)
        out["messages_lost"] = self.sum(self.nics, "messages_left") - self.sum(self.nics, "messages_whole")
        out["rx_buffer_drops"] = self.sum(self.receivers, "host", "rx_buffer_drops")
        out["context_misses_per_packet"] = ratio(self.sum(self.receivers, "host", "context_misses"), data)
        depths = [d for d in self.receivers if self.value(d, "reorder_depth_since_warmup", "count")]
        count = self.sum(depths, "reorder_depth_since_warmup", "count")
        out["reorder_mean"] = ratio(sum(self.value(d, "reorder_depth_since_warmup", "mean") *
                                        self.value(d, "reorder_depth_since_warmup", "count") for d in depths), count)
        out["reorder_max"] = max((self.value(d, "reorder_depth_since_warmup", "max") for d in depths), default=0)
        if len(depths) < 2:
            out["reorder_p99"] = self.sum(depths, "reorder_depth_since_warmup", "p99")
        self.expected.update({f"receivers.{k}": v for k, v in out.items()})

    def _single_messages(self):
        """flows.*: where each connection had one message; the most NACKs and timeouts where each sender had one
        connection."""
        if any(int(f["messages_posted"]) != 1 or f["message_max_us"] == "" for f in self.flows):
            return
        times = [float(f["last_completion_us"]) - float(f["first_post_us"]) for f in self.flows]
        self.expected.update({"flows.fct_mean": mean(times), "flows.fct_p50": rank(times, .5), "flows.fct_p99": rank(times, .99),
                              "flows.fct_max": max(times)})
        if len(self.senders) == len(self.flows):
            self.expected["flows.nacks_max"] = max(self.value(d, "nacks_received") for d in self.senders)
            self.expected["flows.timeouts_max"] = max(self.value(d, "timeouts") for d in self.senders)

    def _bins(self, messages):
        """(name, above, upto, messages) of all and of each size."""
        yield "", 0, None, messages
        edges = self.config["sim"]["size_bins"]
        unit = {"B": 1, "KB": 10**3, "MB": 10**6, "KiB": 2**10, "MiB": 2**20}
        bytes_of = [int(e.split()[0]) * unit[e.split()[1]] for e in edges]
        for i, (name, upto) in enumerate(zip([*(f"upto_{e}" for e in edges), f"above_{edges[-1]}"], [*bytes_of, None])):
            above = bytes_of[i - 1] if i else 0
            yield f"{name.replace(' ', '')}.", above, upto, [m for m in messages if
                                                            above < m["size"] and (upto is None or m["size"] <= upto)]

    def _messages(self):
        messages = [{"size": int(f["size_bytes"]), "done": f["fct_us"] != "", "fct": self._took(f),
                     "slowdown": self._took(f) / float(f["ideal_us"]) if f["ideal_us"] else 0.0, "packets": int(f["packets_received"]),
                     "late": int(f["out_of_order"]), "depth": float(f["reorder_mean"]) * int(f["out_of_order"]),
                     "deepest": int(f["reorder_max"]), "failed": int(f.get("messages_failed", 0)) > 0, "ideal": f["ideal_us"] != "", "stays": self._site(f["sender"]) == self._site(f["receiver"])}
                    for f in self.flows if f["size_bytes"] and self._posted(f)]
        if not messages:
            return
        self.rows["size_bins"] = []
        for name, above, upto, of in self._bins(messages):
            late = sum(m["late"] for m in of)
            order = {"out_of_order": ratio(late, sum(m["packets"] for m in of)),
                     "reordered": ratio(sum(m["late"] > 0 for m in of), len(of)),
                     "reorder_mean": ratio(sum(m["depth"] for m in of), late),
                     "reorder_max": max((m["deepest"] for m in of), default=0)}
            out = {**_counts(of), **(order if of else dict.fromkeys(order))}
            row = {"above_bytes": above, "upto_bytes": upto, "messages": len(of), "unfinished": out["unfinished"],
                   "failed": out["failed"]}
            for figure, key, statistic in (("mean", "fct", mean), ("p50", "fct", (rank, .5)), ("p99", "fct", (rank, .99)),
                                           ("p99_9", "fct", (rank, .999)), ("max", "fct", (rank, 1)),
                                           ("slowdown_mean", "slowdown", mean), ("slowdown_p99", "slowdown", (rank, .99))):
                out[figure] = bounded(of, key, statistic)[0]
            put(row, "fct_mean_us", of, "fct", mean)
            put(row, "fct_p99_us", of, "fct", (rank, .99))
            put(row, "slowdown_mean", of, "slowdown", mean)
            put(row, "slowdown_p99", of, "slowdown", (rank, .99))
            self.expected.update({f"fct.{name}{k}": v for k, v in out.items()})
            if name:
                self.rows["size_bins"].append(row)
        self._slowdown_rows(messages)
        if "sites.unfairness" in self.summary["results"]:
            self._sites(messages)

    def _took(self, flow):
        """Of a message that is unfinished: so far."""
        if flow["fct_us"] or not flow["first_post_us"]:
            return float(flow["fct_us"] or 0)
        return self.summary["measured_to_ps"] * 1e-6 - float(flow["first_post_us"])

    def _posted(self, flow):
        """A message whose time comes after the run ends is none of it; one that waits for another is."""
        return flow["first_post_us"] == "" or float(flow["first_post_us"]) * 1e6 < self.summary["measured_to_ps"]

    def _slowdown_rows(self, messages):
        """Where all have an ideal time."""
        if not all(m["ideal"] for m in messages):
            return
        ordered, groups = sorted(messages, key=lambda m: m["size"]), min(20, len(messages))
        self.rows["slowdown"] = []
        for g in range(groups):
            end = len(ordered) * (g + 1) // groups
            of = ordered[len(ordered) * g // groups:end]
            row = {"share_of_messages": end / len(ordered), "upto_bytes": of[-1]["size"], "messages": len(of),
                   "unfinished": sum(not m["done"] for m in of)}
            for p in (50, 90, 95, 99, 99.9):
                put(row, f"slowdown_p{str(p).replace('.', '_')}", of, "slowdown", (rank, p / 100))
            self.rows["slowdown"].append(row)

    def _site(self, host):
        """Of two sites: each has half of the hosts."""
        hosts = [d for d in self.statistics if re.fullmatch(r"h\d+", d)]
        return int(host[1:]) * 2 // len(hosts) if host in hosts else 0

    def _sites(self, messages):
        self.rows["sites"] = []
        of_class = {"intra": [m for m in messages if m["stays"]], "inter": [m for m in messages if not m["stays"]],
                    "all": messages}
        for kind, those in of_class.items():
            for name, above, upto, of in self._bins(those):
                out = _counts(of)
                row = {"messages_are": kind, "above_bytes": above, "upto_bytes": upto, "messages": len(of),
                       "unfinished": out["unfinished"]}
                put(row, "fct_mean_us", of, "fct", mean)
                put(row, "slowdown_mean", of, "slowdown", mean)
                put(row, "slowdown_p99", of, "slowdown", (between, .99))
                out |= {"fct_mean": row["fct_mean_us"], "slowdown_mean": row["slowdown_mean"],
                        "slowdown_p99": row["slowdown_p99"]}
                self.expected.update({f"sites.{kind}.{name}{k}": v for k, v in out.items()})
                self.rows["sites"].append(row)
        if not all(m["done"] for m in messages):
            return
        if of_class["intra"] and of_class["inter"]:
            self.expected["sites.unfairness"] = (mean([m["slowdown"] for m in of_class["intra"]]) /
                                                 mean([m["slowdown"] for m in of_class["inter"]]))

    def _engine(self):
        """Where all NICs are of one kind."""
        engine = self.config.get("nic", {}).get("engine")
        if engine is None:
            return
        units = engine.get("units", 1) * (2 if engine.get("pools") == "apart" else 1)
        busy = sum(v["value"] for d in self.senders for name, v in self.statistics[d].get("engine", {}).items()
                   if name.endswith("_busy"))
        self.expected["senders.engine_busy"] = busy * 1e-12 / units / len(self.senders) / self.seconds
        self.expected["senders.engine_visits_per_packet"] = ratio(self.sum(self.senders, "engine", "visits"),
                                                                  self.expected["senders.data_packets"])
        self.expected["receivers.rxb_wait"] = ratio(self.sum(self.receivers, "engine", "rxb_wait") * 1e-6,
                                                    self.expected["receivers.data_packets"])

    def _blocks(self):
        """PCIe links and engines of all NICs, where all are of one kind."""
        nic = self.config.get("nic", {})
        nics = [d for d in self.statistics if "host" in self.statistics[d] and "idle_no_work" in self.statistics[d]]
        if nic.get("host") == "pcie" and nics:
            time = self.seconds * len(nics)
            of = lambda name: self.sum(nics, "host", name)
            out = {"read_rate": of("pcie_bytes_read") * 8e-9 / time, "write_rate": of("pcie_bytes_written") * 8e-9 / time,
                   "upstream_busy": min(1, of("pcie_upstream_busy") * 1e-12 / time),
                   "downstream_busy": min(1, of("pcie_downstream_busy") * 1e-12 / time),
                   "reads_in_flight": of("pcie_reads_in_flight") * 1e-12 / time}
            out |= {f"wait_{w}": of(f"pcie_wait_{w}") * 1e-12 / time for w in ("tag", "credit", "upstream", "downstream")}
            out |= {f"{use}_{way}": of(f"pcie_{use}_{way}") * 8e-9 / time for use, way in TLPS}
            self.expected.update({f"nics.pcie_{k}": v for k, v in out.items()})
            for kind in ("queue_pair", "memory_key", "translation", "completion_queue"):
                if "translation_misses" in self.statistics[nics[0]]["host"]:
                    packets = sum(self.sum(nics, f"sent_{k}") for k in KINDS) + self.sum(nics, "data_received")
                    self.expected[f"nics.{kind}_misses"] = ratio(of(f"{kind}_misses"), packets)
            if "pfc" in nic:
                self.expected["nics.pauses_sent"] = of("pauses_sent")
            # Statistics do not tell requests to the host from writes to it, nor WQEs that the NIC reads from those that
            # the CPU writes.
            reads_alone = (not self.sum(self.senders, "data_received") and nic.get("post", {}).get("method") != "blue_flame" and
                           not self.answered)
            for name, uses in (("bytes", USES),) + ((("fetched", ("wqe", "payload")),) if reads_alone else ()):
                self.expected[f"senders.pcie_{name}_per_message"] = ratio(
                    sum(self.sum(self.senders, "host", f"pcie_{use}_{way}") for use, way in TLPS if use in uses),
                    self.expected["senders.messages_completed"])
        executed = self.sum(self.nics, "atomics_executed")
        self.expected["nics.atomics_executed"] = executed
        self.expected["nics.atomic_wait"] = ratio(self.sum(self.nics, "atomic_wait") * 1e-6, executed)
        engine = nic.get("engine")
        nics = [d for d in self.statistics if "engine" in self.statistics[d]]
        if engine is not None and nics:
            units = engine.get("units", 1) * (2 if engine.get("pools") == "apart" else 1) * len(nics)
            for block in ("sxp_data", "rxt_data", "sxp_ack", "rxt_ack", "visit"):
                self.expected[f"nics.{block}_busy"] = (self.sum(nics, "engine", f"{block}_busy") * 1e-12 / units /
                                                       self.seconds)

    def _errors(self):
        """Queue pairs that gave up; how long their messages took to fail, where each had one."""
        if "error_us" not in self.flows[0]:
            return
        gone = [f for f in self.flows if f["error_us"]]
        self.expected["flows.in_error"] = len(gone)
        self.expected["flows.messages_failed"] = sum(int(f["messages_failed"]) for f in gone)
        self.expected["flows.rnr_in_error"] = self.sum(self.senders, "rnr_errors")
        self.expected["flows.first_error"] = min((float(f["error_us"]) for f in gone), default=None)
        if all(int(f["messages_posted"]) < 2 for f in self.flows):
            self.expected["flows.error_time"] = max((float(f["error_us"]) - float(f["first_post_us"]) for f in gone
                                                     if int(f["messages_failed"])), default=None)

    def _traffic(self):
        """Where a table with a name is all there is; times where each connection had one message."""
        if len(self.config["traffic"]) != 1 or not self.config["traffic"][0].get("name"):
            return
        done = [f for f in self.flows if int(f["messages_completed"])]
        out = {"completed_rate": 8 * sum(int(f["bytes_completed"]) for f in self.flows) / self.seconds / 1e9,
               "message_rate": sum(int(f["messages_completed"]) for f in self.flows) / self.seconds / 1e6,
               "rate": 8 * sum(int(f["bytes_delivered"]) for f in self.flows) / self.seconds / 1e9}
        if "error_us" in self.flows[0]:
            out["in_error"] = sum(f["error_us"] != "" for f in self.flows)
        if all(int(f["messages_posted"]) < 2 for f in self.flows):
            times = [float(f["last_completion_us"]) - float(f["first_post_us"]) for f in done]
            out |= {"latency_mean": mean(times), "latency_p50": rank(times, .5), "latency_p99": rank(times, .99),
                    "latency_max": max(times, default=None)}
        self.expected.update({f"traffic.{self.config['traffic'][0]['name']}.{k}": v for k, v in out.items()})
        delivered = [int(f["bytes_delivered"]) for f in self.flows]
        if len(delivered) > 1 and sum(delivered):
            self.expected["connections.fairness"] = sum(delivered) ** 2 / len(delivered) / sum(x * x for x in delivered)

    def _collectives(self):
        """Where one collective was all there was."""
        rows = self.summary["rows"].get("groups", [])
        if self.summary["verdict"] != "complete" or len(rows) != 1 or len(self.config["traffic"]) != 1:
            return
        start = min(float(f["first_post_us"]) for f in self.flows)
        cct = max(float(f["last_completion_us"]) for f in self.flows) - start
        self.rows["groups"] = [{"traffic": 0, "group": 0, "start_us": start, "cct_us": cct,
                                "nacks_received": self.sum(self.senders, "nacks_received"),
                                "timeouts": self.sum(self.senders, "timeouts")}]
        self.expected.update({"collectives.cct_max": cct, "collectives.cct_mean": cct})

    def _pauses(self):
        """Where no port was paused for two classes, which may be at once, and the time of the share ends with the run."""
        for name, kind in (("nics", "sent_fresh"), ("switches", "dropped"), ("tofinos", "ingress_passes")):
            if self.summary["results"].get(f"{name}.paused", {}).get("unit") != "share of time":
                continue
            held, ports = [], 0
            for device in (s for s in self.statistics.values() if kind in s):
                for port in (p for key, p in device.items() if re.fullmatch(r"port\d+", key)):
                    ports += 1
                    held.append([c["value"] for key, c in port.items() if key.startswith("paused_class")])
            if ports and all(len(h) < 2 for h in held):
                self.expected[f"{name}.paused"] = sum(map(sum, held)) * 1e-12 / ports / self.seconds

    def _switches(self):
        plain = [d for d, s in self.statistics.items() if "forwarded" in s and "ingress_passes" not in s]
        for name in ("forwarded", "marked", "pauses_sent", "dropped", "trimmed"):
            self.expected[f"switches.{name}"] = self.sum(plain, name)
        for d in (d for d, s in self.statistics.items() if "ingress_passes" in s):
            for name in ("ingress_passes", "egress_passes", "marked", "dropped_program", "dropped_buffer", "dropped_queue",
                         "dropped_headroom", "pauses_sent"):
                self.expected[f"{d}.{name}"] = self.value(d, name)
            self.expected[f"{d}.most_cells"] = self.value(d, "most_cells_used")


def printed(summary):
    """What a run prints, (kind of name, whole name or None, value): names of devices and size bins are the user's."""
    for name, result in summary["results"].items():
        parts = name.split(".")
        kind = ["DEVICE", *parts[1:]] if parts[0] in summary["statistics"] else parts
        if parts[0] == "traffic":
            kind = ["traffic", "NAME", *parts[2:]]
        yield ".".join("BIN" if re.fullmatch(r"(upto|above)_\w+", p) else p for p in kind), name, result["value"]
    for table, rows in summary["rows"].items():
        for key in dict.fromkeys(key for row in rows for key in row):
            yield f"rows.{table}.{key}", None, [row.get(key) for row in rows]
