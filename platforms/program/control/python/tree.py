"""The object `bfrt`: nodes and tables by the names of the program."""
import difflib
import keyword

from horae_bfrt.fields import Data, Key
from horae_bfrt.fixed import NOT_MODELLED, Ignored, MirrorTable, pre_tables
from horae_bfrt.generators import generator_tables
from horae_bfrt.tables import CellTable, MatchTable, Stored, Table


class Node:
    """What lies below a part of a name. A table may have others below it (those of its direct objects)."""

    def __init__(self, name):
        self._name, self._children = name, {}

    def _put(self, parts, leaf):
        name = parts[0].replace("$", "")
        if not name.isidentifier() or keyword.iskeyword(name):
            name = "table_" + "".join(c if c.isalnum() else "_" for c in name)
        if len(parts) == 1:
            self._children.setdefault(name, leaf)
            return
        child = self._children.setdefault(name, Node(f"{self._name}.{name}" if self._name else name))
        if isinstance(child, Node):
            child._put(parts[1:], leaf)
        else:
            setattr(child, parts[1].replace("$", ""), leaf)

    def _leaves(self):
        for child in self._children.values():
            if isinstance(child, Node):
                yield from child._leaves()
            elif isinstance(child, Table):
                yield child

    def __getattr__(self, name):
        if name.startswith("__") or name in ("_children", "_name"):
            raise AttributeError(name)
        if name in self._children:
            return self._children[name]
        if name == "pipe" and self._name == "" and len(self._children) == 1:
            return next(iter(self._children.values()))  # a single pipe may be called so
        near = difflib.get_close_matches(name, list(self._children), 1)
        has = f", did you mean '{near[0]}'?" if near else f"; it has {', '.join(self._children) or 'nothing'}"
        raise AttributeError(f"there is no '{name}' in bfrt{'.' + self._name if self._name else ''}{has}")

    def __dir__(self):
        return list(super().__dir__()) + list(self._children)

    def __call__(self):
        return None

    def info(self, return_info=False, print_info=True, **_):
        rows = [row for leaf in self._leaves() for row in leaf.rows()]
        if print_info:
            for row in rows:
                print(f"{row['full_name']:<50} {row['type']:<24} {row['usage']} of {row['capacity']}")
        return rows if return_info else None

    def dump(self, table=False, json=False, from_hw=False, return_ents=False, print_zero=True, **_):
        for leaf in self._leaves():
            leaf.dump(table=table, json=json, return_ents=return_ents, print_zero=print_zero)

    def clear(self, batch=True, **_):
        for leaf in self._leaves():
            leaf.clear()


class Digest:
    """Digests are counted; nobody is called for them."""

    def __init__(self, control, name):
        self._control, self._name = control, name

    def callback_register(self, callback=None):
        self._control.note(f"{self._name}: no call for digests")

    def callback_deregister(self):
        pass

    def info(self, return_info=False, print_info=True):
        return {"full_name": self._name} if return_info else None


def _members(field):
    return {name: int(value, 0) for name, value in field.get("members", {}).items()}


def _parameter(field):
    return Data(field["name"], bits=field["bits"], default=0, members=_members(field))


METER_BYTES = ("$METER_SPEC_CIR_KBPS", "$METER_SPEC_PIR_KBPS", "$METER_SPEC_CBS_KBITS", "$METER_SPEC_PBS_KBITS")
METER_PACKETS = ("$METER_SPEC_CIR_PPS", "$METER_SPEC_PIR_PPS", "$METER_SPEC_CBS_PKTS", "$METER_SPEC_PBS_PKTS")
COUNTER = ("$COUNTER_SPEC_BYTES", "$COUNTER_SPEC_PKTS")
LPF = (("$LPF_SPEC_TYPE", "text"), ("$LPF_SPEC_GAIN_TIME_CONST_NS", "fraction"),
       ("$LPF_SPEC_DECAY_TIME_CONST_NS", "fraction"), ("$LPF_SPEC_OUT_SCALE_DOWN_FACTOR", "number"))
WRED = (("$WRED_SPEC_TIME_CONST_NS", "fraction"), ("$WRED_SPEC_MIN_THRESH_CELLS", "number"),
        ("$WRED_SPEC_MAX_THRESH_CELLS", "number"), ("$WRED_SPEC_MAX_PROBABILITY", "fraction"))
INDICES = {"counter": "$COUNTER_INDEX", "meter": "$METER_INDEX", "lpf": "$LPF_INDEX", "wred": "$WRED_INDEX",
           "register": "$REGISTER_INDEX"}


def fields_of_object(view):
    """Data of a cell of a register, counter, meter or filter."""
    kind, packets = view["kind"], view.get("counts", "")
    if kind == "register":
        return [Data(f["name"], bits=f["bits"]) for f in view["fields"]]
    if kind == "counter":
        names = [n for n in COUNTER if packets != ("packets" if n == COUNTER[0] else "bytes")]
        return [Data(n, bits=64) for n in names]
    if kind == "meter":
        return [Data(n, bits=64) for n in (METER_PACKETS if packets == "packets" else METER_BYTES)]
    return [Data(n, k) for n, k in (LPF if kind == "lpf" else WRED)]


class Model:
    """Tables of a program and of the chip, as the script's `bfrt`."""

    def __init__(self, control, view):
        self.control, self.program = control, view["program"]
        self.match, self.cells, self.sets, self.port_metadata = {}, {}, {}, {}
        self.profiles, self.selectors, self.parameters = {}, {}, {}
        self.pre, self.mirror = pre_tables(control), MirrorTable(control)
        self.pktgen = generator_tables(control)
        self._tree, self._pipes = Node(""), view["pipe_names"]
        objects = {o["name"]: o for o in view["objects"]}
        for table in view["tables"]:
            self._match_table(table, objects)
        for o in view["objects"]:
            if "size" in o:
                self._cells(o)
        for profile in view["profiles"]:
            actions = self.match[profile["table"]].member_actions
            made = Table(control, profile["name"], "ACTION_PROFILE", profile["size"],
                         [Key("$ACTION_MEMBER_ID", "exact", 32)], actions=actions, can=("add", "mod"))
            self._keep(self.profiles, made)
        for selector in view["selectors"]:
            made = Table(control, selector["name"], "SELECTOR", selector["size"],
                         [Key("$SELECTOR_GROUP_ID", "exact", 32)],
                         [Data("$MAX_GROUP_SIZE", bits=32), Data("$ACTION_MEMBER_ID", "numbers", 32),
                          Data("$ACTION_MEMBER_STATUS", "flags", 1)], can=("add", "mod"))
            # A selector with members of its own is both; they lie under another name.
            self._keep(self.selectors, made, "_sel" if selector["name"] in self.profiles else "")
        for value_set in view["value_sets"]:
            keys = [Key(f["name"], "ternary", f["bits"]) for f in value_set["fields"]]
            self._keep(self.sets, Table(control, value_set["name"], "PVS", value_set["size"], keys, can=("add",)))
        for metadata in view["port_metadata"]:
            made = Table(control, metadata["name"], "PORT_METADATA", 288,
                         [Key("ig_intr_md.ingress_port", "exact", 9)], [_parameter(f) for f in metadata["fields"]])
            self._keep(self.port_metadata, made)
        for parameter in view["parameters"]:
            made = Table(control, parameter["name"], "REG_PARAM", 1, [],
                         [Data("value", bits=parameter["bits"], default=0)], can=("set_default",))
            self._keep(self.parameters, made)
        for digest in view["digests"]:
            self._tree._put(digest.split("."), Digest(control, digest))

    def _keep(self, where, table, behind=""):
        where[table.name] = table
        parts = (table.name + behind).split(".")
        # Objects outside of controls belong to each pipe.
        for before in [[]] if len(parts) > 1 else [[pipe] for pipe in self._pipes]:
            self._tree._put(before + parts, table)

    def _match_table(self, view, objects):
        keys = [Key(f["name"], f["match"], f["bits"], _members(f)) for f in view["keys"]]
        if any(k.match in ("ternary", "range", "optional") for k in keys):
            keys.append(Key("$MATCH_PRIORITY", "exact", 24))
        direct = [f for name in view["direct"] for f in fields_of_object(objects[name])]
        if view["idle"]:
            direct.append(Data("$ENTRY_TTL", bits=32))
        actions = {a["name"]: [_parameter(f) for f in a["data"]] for a in view["actions"]}
        own = actions
        if view.get("profile"):
            own = None
            direct = [Data("$ACTION_MEMBER_ID", bits=32)] + (
                [Data("$SELECTOR_GROUP_ID", bits=32)] if view.get("selector") else []) + direct
        made = MatchTable(self.control, view, keys, direct, own)
        made.member_actions, made.direct = actions, view["direct"]
        if own is not None and view["default"]["action"] in own:
            values = view["default"]["data"]
            made.program_default = Stored({}, {f: int(v, 0) for f, v in zip(own[view["default"]["action"]], values)},
                                          view["default"]["action"], None)
        self._keep(self.match, made)

    def _cells(self, view):
        data = fields_of_object(view)
        for field in data:
            field.default = 0 if field.kind == "number" else None
        initial = {f.name: int(v, 0) for f, v in zip(data, view.get("initial", []))}
        made = CellTable(self.control, view["name"], view["kind"].upper(), view["size"], INDICES[view["kind"]], data,
                         initial)
        made.object = view
        self._keep(self.cells, made)

    def root(self):
        return Root(self)


class Root:
    """`bfrt`. The program answers to its file's name, and to one other name that a script has for it."""

    def __init__(self, model):
        control = model.control
        pre = Node("pre")
        pre._children.update(model.pre)
        mirror = Node("mirror")
        mirror._children["cfg"] = model.mirror
        self._model, self._alias = model, None
        pktgen = Node("pktgen")
        pktgen._children.update(model.pktgen)
        self._fixed = {"pre": pre, "mirror": mirror, "pktgen": pktgen,
                       **{n: Ignored(control, n) for n in NOT_MODELLED}}
        self._fixed["tf2" if control.tofino2 else "tf1"]._modelled["pktgen"] = pktgen
        self.p4_programs_list, self.device_list = [model.program], [0]
        # Every operation is whole when it returns, so there is nothing to wait for and nothing to undo.
        for name in ("complete_operations", "batch_begin", "batch_flush", "batch_end", "transaction_begin",
                     "transaction_verify", "transaction_commit", "set_pipe", "set_direction", "set_parser", "reload"):
            setattr(self, name, self._nothing)

    @staticmethod
    def _nothing(*_, **__):
        return 0

    def info(self, return_info=False, print_info=True, **_):
        return self._model._tree.info(return_info, print_info)

    def dump(self, **named):
        self._model._tree.dump(**named)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._fixed:
            return self._fixed[name]
        known = [n for n in dir(self) if not n.startswith("_")] + list(self._fixed)
        near = difflib.get_close_matches(name, known, 1, 0.8)
        if name == self._model.program or (self._alias in (None, name) and not near):
            if name != self._model.program:
                self._alias = name
            return self._model._tree
        hint = near[0] if near else self._alias or self._model.program
        raise AttributeError(f"there is no '{name}' in bfrt, did you mean '{hint}'?")
