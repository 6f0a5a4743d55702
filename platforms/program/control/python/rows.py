"""What a script left, as rows of an entries file; each has the place in the script that made it."""
from horae_bfrt.generators import generator_rows
from horae_bfrt.tree import fields_of_object
from horae_bfrt.values import BfRtTableError


def _place(stored):
    return {"at": list(stored.place[:3]), "serial": stored.place[3]}


# Columns that tell rows of a kind apart.
NAMES = {"defaults": ("table",), "entries": ("table", "match", "priority"), "members": ("profile", "member"),
         "selections": ("selector", "group"), "registers": ("name", "index"), "counters": ("name", "index"),
         "meters": ("name", "index"), "low_passes": ("name", "index"), "early_drops": ("name", "index"),
         "parameters": ("name",), "value_sets": ("name", "values"), "groups": ("number",),
         "exclusions": ("number",),
         "mirrors": ("session",), "port_metadata": ("parser", "port"), "generators": ("app", "first_pipe"),
         "packet_buffers": ("offset", "size"), "ports_up_again": ("port",)}
ONLY_AT_FIRST = ("selections", "value_sets")


class Refused(BfRtTableError):
    """A row that no step may have; `at`: its place."""

    def __init__(self, message, row):
        super().__init__(message)
        self.at = row["at"]


class Steps:
    """What was left at each time, as changes: `rows` that are new or were written anew, and `removed` ones."""

    def __init__(self):
        self.all, self._before = [], {}

    def take(self, clock_s, rows):
        if not self.all:
            self.all.append({"ps": 0, "rows": rows, "removed": {}})
        now = {(kind, str([row[n] for n in NAMES[kind]])): row for kind in NAMES for row in rows[kind]}
        if self._before:
            self._change(clock_s, now)
        self._before = now or {None: None}

    def _change(self, clock_s, now):
        before = {k: v for k, v in self._before.items() if k is not None}
        # A row that is written anew is a new object, be its values as they were.
        fresh = [(kind, row) for (kind, name), row in now.items()
                 if (kind, name) not in before or before[kind, name]["serial"] != row["serial"]
                 or before[kind, name].get("copies") != row.get("copies")]
        gone = [(kind, row) for (kind, name), row in before.items() if (kind, name) not in now]
        gone += [("entries", before["entries", str([row[n] for n in NAMES["entries"]])]) for kind, row in fresh
                 if kind == "entries" and (kind, str([row[n] for n in NAMES[kind]])) in before]
        if not fresh and not gone:
            return
        step = {"ps": round(clock_s * 10**12), "rows": {kind: [] for kind in NAMES}, "removed": {}}
        step["rows"]["clears"] = []
        for kind, row in fresh:
            if kind in ONLY_AT_FIRST:
                raise Refused(f"{kind.replace('_', ' ')} are set before the first time.sleep() alone", row)
            step["rows"][kind].append(row)
        for kind, row in gone:
            if kind not in ("entries", "groups", "mirrors", "generators"):
                raise Refused(f"{kind.replace('_', ' ')} are not taken out after a time.sleep()", row)
            step["removed"].setdefault(kind, []).append(row)
        self.all.append(step)


def _values(stored, fields):
    return [[f.name, stored.data[f] if isinstance(stored.data[f], str) else f"{stored.data[f]:#x}"]
            for f in fields if stored.data.get(f) is not None]


def _given(stored):
    return {f.name: v for f, v in stored.data.items() if v is not None}


def _match_row(table, stored):
    row = {**_place(stored), "table": table.name, "match": [], "priority": None}
    for field, value in stored.key.items():
        if field.name == "$MATCH_PRIORITY":
            row["priority"] = -value  # the chip's control plane: the least wins
        else:
            row["match"].append([field.name, field.text(value)])
    given = _given(stored)
    if given.get("$ENTRY_TTL"):
        row["ttl"] = given["$ENTRY_TTL"] * 10**9  # of milliseconds
    if "$SELECTOR_GROUP_ID" in given:
        row["group"] = given["$SELECTOR_GROUP_ID"]
    elif "$ACTION_MEMBER_ID" in given:
        row["member"] = given["$ACTION_MEMBER_ID"]
    else:
        row["action"], row["data"] = stored.action, _values(stored, table.actions[stored.action])
    return row


def _object_rows(view, index, stored):
    """Rows of a cell: what its kind says. Rates in bit/s, bursts in bytes, times in ps."""
    row, given, kind = {**_place(stored), "name": view["name"], "index": index}, _given(stored), view["kind"]
    if kind == "register":
        return "registers", {**row, "values": [f"{v:#x}" for v in stored.data.values()]}
    if kind == "counter":
        return "counters", {**row, "packets": given.get("$COUNTER_SPEC_PKTS", 0),
                            "bytes": given.get("$COUNTER_SPEC_BYTES", 0)}
    if kind == "meter" and "packets" not in view["counts"]:
        return "meters", {**row, "committed": given.get("$METER_SPEC_CIR_KBPS", 0) * 1000,
                          "committed_burst": given.get("$METER_SPEC_CBS_KBITS", 0) * 125,
                          "peak": given.get("$METER_SPEC_PIR_KBPS", 0) * 1000,
                          "peak_burst": given.get("$METER_SPEC_PBS_KBITS", 0) * 125}
    if kind == "lpf":
        return "low_passes", {**row, "rate": given.get("$LPF_SPEC_TYPE", "SAMPLE") == "RATE",
                              "rising": round(1000 * given.get("$LPF_SPEC_GAIN_TIME_CONST_NS", 0)),
                              "falling": round(1000 * given.get("$LPF_SPEC_DECAY_TIME_CONST_NS", 0)),
                              "out_shift": given.get("$LPF_SPEC_OUT_SCALE_DOWN_FACTOR", 0)}
    if kind == "wred":
        constant = round(1000 * given.get("$WRED_SPEC_TIME_CONST_NS", 0))
        return "early_drops", {**row, "rising": constant, "falling": constant,
                               "least": given.get("$WRED_SPEC_MIN_THRESH_CELLS", 0),
                               "most": given.get("$WRED_SPEC_MAX_THRESH_CELLS", 0),
                               "most_percent": round(100 * given.get("$WRED_SPEC_MAX_PROBABILITY", 0))}
    return None, row


def _direct_rows(model, views, table, stored):
    """Settings of a table's direct objects, for this entry."""
    out = []
    for name in table.direct:
        names = [f.name for f in fields_of_object(views[name])]
        own = {f: v for f, v in stored.data.items() if f.name in names and v}
        if not own:
            continue
        part = type(stored)({}, own, None, stored.place)
        kind, row = _object_rows(views[name], 0, part)
        if kind is None:
            model.control.note(f"{name}: rates of a meter of packets are not supported")
        elif kind == "registers":
            row["values"] = [f"{dict((f.name, v) for f, v in own.items()).get(n, 0):#x}" for n in names]
        if kind is not None:
            out.append([kind, row])
    return out


def _groups(model):
    """Multicast groups: a copy for each port of each node."""
    control, nodes, out = model.control, model.pre["node"], []
    for (number,), stored in model.pre["mgid"].entries.items():
        given, copies = _given(stored), []
        chosen = _with_exclusion(given, "NODE", given.get("$MULTICAST_NODE_ID", []))
        for ecmp, exclusion in _with_exclusion(given, "ECMP", given.get("$MULTICAST_ECMP_ID", [])):
            entry = model.pre["ecmp"].entries.get((ecmp,))
            members = _given(entry).get("$MULTICAST_NODE_ID", []) if entry else []
            chosen += [(node, exclusion) for node in members[:1]]
            control.note("bfrt.pre.ecmp: the first node is taken, without a hash")
        for node, exclusion in chosen:
            entry = nodes.entries.get((node,))
            if entry is None:
                control.note(f"bfrt.pre.mgid: group {number} names node {node}, which is not there")
                continue
            data = _given(entry)
            ports = list(data.get("$DEV_PORT", []))
            for lag in data.get("$MULTICAST_LAG_ID", []):
                members = model.pre["lag"].entries.get((lag,))
                ports += (_given(members).get("$DEV_PORT", []) if members else [])[:1]
                control.note("bfrt.pre.lag: the first port is taken, without a hash")
            copies += [[port, data.get("$MULTICAST_RID", 0), exclusion] for port in ports]
        if number > 0:
            out.append({**_place(stored), "number": number, "copies": copies})
    return out


def _with_exclusion(given, of, members):
    """Members of a group, each with its exclusion id of level 1; None: it has none."""
    valid = given.get(f"$MULTICAST_{of}_L1_XID_VALID") or []
    ids = given.get(f"$MULTICAST_{of}_L1_XID") or []
    return [(member, ids[i] if i < len(ids) and i < len(valid) and valid[i] else None)
            for i, member in enumerate(members)]


def _exclusions(model):
    """Ports that an exclusion id of level 2 leaves out."""
    return [{**_place(stored), "number": number, "ports": _given(stored).get("$DEV_PORT", [])}
            for (number,), stored in model.pre["prune"].entries.items()]


def _mirrors(model):
    out = []
    for (session,), stored in model.mirror.entries.items():
        given = _given(stored)
        if not given.get("$session_enable", False):
            continue
        if not given.get("$ucast_egress_port_valid", False):
            model.control.note("bfrt.mirror.cfg: a session without a unicast port sends nothing")
            continue
        if given.get("$mcast_grp_a_valid") or given.get("$mcast_grp_b_valid"):
            model.control.note("bfrt.mirror.cfg: sessions to multicast groups are not modelled")
        out.append({**_place(stored), "session": session, "port": given.get("$ucast_egress_port", 0),
                    "most_bytes": given.get("$max_pkt_len", 0)})
    return out


def rows_of(model, view):
    """Rows by kind, in the order in which an entries file has them."""
    views = {o["name"]: o for o in view["objects"]}
    out = {kind: [] for kind in ("clears", "defaults", "entries", "members", "selections", "registers", "counters",
                                 "meters", "low_passes", "early_drops", "parameters", "value_sets", "groups",
                                 "mirrors", "port_metadata")}
    for table in model.match.values():
        if table.cleared and table.own_entries:
            out["clears"].append(table.name)
        if table.default is not None:
            out["defaults"].append(_default_row(model, table))
        for stored in table.entries.values():
            row = _match_row(table, stored)
            row["direct"] = _direct_rows(model, views, table, stored)
            out["entries"].append(row)
    for profile in model.profiles.values():
        for (member,), stored in profile.entries.items():
            out["members"].append({**_place(stored), "profile": profile.name, "member": member,
                                   "action": stored.action, "data": _values(stored, profile.actions[stored.action])})
    for selector in model.selectors.values():
        for (group,), stored in selector.entries.items():
            given = _given(stored)
            members = given.get("$ACTION_MEMBER_ID", [])
            status = given.get("$ACTION_MEMBER_STATUS", [True] * len(members))
            out["selections"].append({**_place(stored), "selector": selector.name, "group": group,
                                      "members": [m for m, alive in zip(members, status) if alive]})
    for cells in model.cells.values():
        for (index,), stored in cells.entries.items():
            kind, row = _object_rows(cells.object, index, stored)
            if kind is None:
                model.control.note(f"{cells.name}: rates of a meter of packets are not supported")
            else:
                out[kind].append(row)
    for parameter in model.parameters.values():
        if parameter.default is not None:
            out["parameters"].append({**_place(parameter.default), "name": parameter.name,
                                      "value": _values(parameter.default, parameter.data)[0][1]})
    for value_set in model.sets.values():
        for stored in value_set.entries.values():
            out["value_sets"].append({**_place(stored), "name": value_set.name,
                                      "values": [f.text(v) for f, v in stored.key.items()]})
    out["groups"], out["mirrors"], out["exclusions"] = _groups(model), _mirrors(model), _exclusions(model)
    out.update(generator_rows(model.control, model.pktgen))
    for metadata in model.port_metadata.values():
        for (port,), stored in metadata.entries.items():
            out["port_metadata"].append({**_place(stored), "parser": metadata.name, "port": port,
                                         "data": _values(stored, metadata.data)})
    return out


def _default_row(model, table):
    stored = table.default
    if table.actions is None:  # a member of a profile, as its action
        member = _given(stored).get("$ACTION_MEMBER_ID", 0)
        profile = model.profiles[table.profile]
        found = profile.entries.get((member,))
        if found is None:
            model.control.note(f"{table.name}: default member {member} of {profile.name} is not there")
            return {**_place(stored), "table": table.name, "action": "NoAction", "data": []}
        return {**_place(stored), "table": table.name, "action": found.action,
                "data": _values(found, profile.actions[found.action])}
    return {**_place(stored), "table": table.name, "action": stored.action,
            "data": _values(stored, table.actions[stored.action])}
