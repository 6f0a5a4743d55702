"""Tables of the packet generators. Fields and their order: p4lang/open-p4studio, bf_rt_pktgen_tf1.json and
bf_rt_pktgen_tf2.json."""
from horae_bfrt.fields import Data, Key
from horae_bfrt.tables import ThereAlready

PORT = [(n, "flag", 1) for n in ("recirculation_enable", "pktgen_enable", "pattern_matching_enable",
                                 "clear_port_down_enable")]
APP = [("app_enable", "flag", 1), ("pkt_len", "number", 16), ("pkt_buffer_offset", "number", 16),
       ("pipe_local_source_port", "number", 32), ("increment_source_port", "flag", 1),
       ("batch_count_cfg", "number", 16), ("packets_per_batch_cfg", "number", 16), ("ibg", "number", 32),
       ("ibg_jitter", "number", 32), ("ipg", "number", 32), ("ipg_jitter", "number", 32),
       ("batch_counter", "number", 64), ("pkt_counter", "number", 64), ("trigger_counter", "number", 64)]
APP_OF_TOFINO2 = [("offset_len_from_recir_pkt_enable", "flag", 1), ("source_port_wrap_max", "number", 8),
                  ("assigned_chnl_id", "number", 8)]
TIMER = [("timer_nanosec", "number", 32)]
TRIGGERS = {"trigger_timer_one_shot": "one_shot", "trigger_timer_periodic": "timer",
            "trigger_port_down": "port_down", "trigger_recirc_pattern": "recirculation",
            "trigger_dprsr": "deparser"}


def _fields(rows):
    return [Data(*row) for row in rows]


class PortTable(ThereAlready):
    def __init__(self, control, prefix):
        super().__init__(control, prefix + ".port_cfg", "PKTGEN_PORT_CFG", 256, [Key("dev_port", "exact", 32)],
                         _fields(PORT), can=("add", "mod"))
        self.up_again = {}  # port -> who lets it trigger generators again

    def put(self, stored, verb, exists):
        super().put(stored, verb, exists)
        for field in list(stored.data):
            if field.name == "clear_port_down_enable" and stored.data.pop(field):
                self.up_again[stored.key[self.keys[0]]] = stored

    def enabled(self, what):
        """Ports of the generators for which a flag is set: pipe, lane, and the entry."""
        for (port,), stored in self.entries.items():
            if {f.name: v for f, v in stored.data.items()}.get(what):
                yield port >> 7, port & 127, stored


class BufferTable(ThereAlready):
    """The buffer keeps what was written, whatever becomes of the entry."""

    def clear(self, **_):
        pass


class AppTable(ThereAlready):
    """Pipes may be set up otherwise: what is given for one pipe stands before what is given for all."""

    per_pipe = True

    def __init__(self, control, prefix):
        width = 128 if control.tofino2 else 32
        pattern = [("pattern_value", "number", width), ("pattern_mask", "number", width)]
        actions = {"trigger_timer_one_shot": TIMER, "trigger_timer_periodic": TIMER, "trigger_port_down": [],
                   "trigger_recirc_pattern": pattern}
        if control.tofino2:
            actions["trigger_port_down"] = [("port_mask_sel", "number", 32)]
            actions["trigger_dprsr"] = pattern
            actions["trigger_pfc"] = [("pfc_header", "number", 128), ("timer_enable", "flag", 1),
                                      ("timer", "number", 16), ("max_pfc_events", "number", 10)]
        super().__init__(control, prefix + ".app_cfg", "PKTGEN_APP_CFG", 16 if control.tofino2 else 8,
                         [Key("app_id", "exact", 32)], _fields(APP + (APP_OF_TOFINO2 if control.tofino2 else [])),
                         {name: _fields(rows) for name, rows in actions.items()}, can=("add", "mod"))
        self.capacity = None  # of each pipe; the numbers are looked at where entries are taken
        for verb in ("add", "mod"):  # what is of no trigger may be changed alone
            self._method(verb, self.keys, self.data, verb, None)

    def identity(self, key):
        return (*super().identity(key), self.pipe)


def generator_tables(control):
    prefix = f"tf{2 if control.tofino2 else 1}.pktgen"
    tables = {"port_cfg": PortTable(control, prefix), "app_cfg": AppTable(control, prefix),
              "pkt_buffer": BufferTable(control, prefix + ".pkt_buffer", "PKTGEN_PKT_BUFF_CFG", 1024,
                                        [Key("pkt_buffer_offset", "exact", 32), Key("pkt_buffer_size", "exact", 32)],
                                        [Data("buffer", "octets", 8)], can=("add", "mod"))}
    if control.tofino2:
        tables["port_mask"] = ThereAlready(control, prefix + ".port_mask", "PKTGEN_PORT_MASK_CFG", 2,
                                           [Key("port_mask_sel", "exact", 32)], [Data("mask", "number", 72)],
                                           can=("add", "mod"))
    return tables


def _place(stored):
    return {"at": list(stored.place[:3]), "serial": stored.place[3]}


def _words(value):
    return [value & (1 << 64) - 1, value >> 64]


class _Rows:
    def __init__(self, control, tables):
        self.control, self.tables, self.out = control, tables, []

    def ports_of(self, given, serials):
        """Of a port-down trigger; nothing: all."""
        if not self.control.tofino2:
            return None
        mask = self.tables["port_mask"].entries.get((given.get("port_mask_sel", 0),))
        if mask is None:
            self.control.note("bfrt.tf2.pktgen.port_mask: no port is chosen, so none that goes down is told of")
            return []
        serials.append(mask.place[3])
        lanes = [lane for lane in range(72) if next(iter(mask.data.values())) >> lane & 1]
        return [pipe << 7 | lane for pipe in range(self.control.pipes) for lane in lanes]

    def pipes_of(self, app, given, trigger, serials):
        """Pipes whose generator's port is enabled, and for patterns looked at."""
        lane = given.get("assigned_chnl_id", 6) if self.control.tofino2 else 68
        pipes = {}
        for pipe, at, stored in self.tables["port_cfg"].enabled("pktgen_enable"):
            if at == lane:
                pipes[pipe] = stored
        if not pipes:
            self.control.note(f"{self.tables['app_cfg'].name}: app {app} makes nothing, as port {lane} of no pipe has "
                              "pktgen_enable")
        if trigger == "recirculation":
            own = 6 if self.control.tofino2 else 68
            seen = {p: s for p, at, s in self.tables["port_cfg"].enabled("pattern_matching_enable") if at == own}
            if pipes and not set(pipes) & set(seen):
                self.control.note(f"{self.tables['app_cfg'].name}: app {app} makes nothing, as port {own} of no pipe "
                                  "has pattern_matching_enable")
            serials += [s.place[3] for s in seen.values()]
            pipes = {p: s for p, s in pipes.items() if p in seen}
        serials += [s.place[3] for s in pipes.values()]
        return set(pipes)

    def add(self, app, stored, pipes_left):
        given = {f.name: v for f, v in stored.data.items() if v is not None}
        trigger = TRIGGERS.get(stored.action)
        if not given.get("app_enable"):
            return
        if trigger is None:
            what = "its trigger is not set" if stored.action is None else "a trigger by PFC is not modelled"
            self.control.note(f"{self.tables['app_cfg'].name}: app {app} makes nothing, as {what}")
            return
        for name in ("ibg_jitter", "ipg_jitter", "offset_len_from_recir_pkt_enable"):
            if given.get(name):
                self.control.note(f"{self.tables['app_cfg'].name}: {name} is not modelled")
        serials = [stored.place[3]]
        ports = self.ports_of(given, serials) if trigger == "port_down" else None
        pipes = self.pipes_of(app, given, trigger, serials) & pipes_left
        if not pipes:
            return
        self.out.append({
            "at": list(stored.place[:3]), "serial": serials, "app": app, "trigger": trigger,
            "timer": 1000 * given.get("timer_nanosec", 0), "value": _words(given.get("pattern_value", 0)),
            "mask": _words(given.get("pattern_mask", 0)), "ports": ports,
            "batches": 1 + given.get("batch_count_cfg", 0), "packets": 1 + given.get("packets_per_batch_cfg", 0),
            "batch_gap": 1000 * given.get("ibg", 0), "packet_gap": 1000 * given.get("ipg", 0),
            "offset": given.get("pkt_buffer_offset", 0), "length": given.get("pkt_len", 0),
            "port": given.get("pipe_local_source_port"), "increments_port": bool(given.get("increment_source_port")),
            "last_port": given.get("source_port_wrap_max"),
            "pipes": None if len(pipes) == self.control.pipes else sorted(pipes)})


def generator_rows(control, tables):
    """Rows of applications that are enabled, of the buffer, and of ports that may trigger again."""
    rows = _Rows(control, tables)
    apps = tables["app_cfg"].entries
    for (app, pipe), stored in apps.items():
        own = {p for a, p in apps if a == app and p is not None}
        rows.add(app, stored, {pipe} if pipe is not None else set(range(control.pipes)) - own)
    for row in rows.out:
        row["first_pipe"] = row["pipes"][0] if row["pipes"] else None
    buffers = []
    for (offset, size), stored in tables["pkt_buffer"].entries.items():
        octets = next(iter(stored.data.values()), None) or []
        if len(octets) < size:
            octets = octets + [0] * (size - len(octets))
        buffers.append({**_place(stored), "offset": offset, "size": size, "bytes": octets[:size]})
    up_again = [{**_place(stored), "port": port} for port, stored in tables["port_cfg"].up_again.items()]
    return {"generators": rows.out, "packet_buffers": buffers, "ports_up_again": up_again}
