"""Tables as scripts see them: methods by the program's names, entries as the script left them."""
import difflib
import json as json_text
import re

from horae_bfrt.fields import Key, Signature
from horae_bfrt.values import ALREADY_EXISTS, INVALID_ARGUMENT, NOT_FOUND, NO_SPACE, TEXTS, BfRtTableError

TARGETS = ("pipe", "gress_dir", "prsr_id", "ttl_reset", "from_hw", "handle")  # accepted: all pipes are alike


class Stored:
    """An entry of a table: values by field."""

    def __init__(self, key, data, action, place):
        self.key, self.data, self.action, self.place = key, data, action, place


class TableEntry:
    """What get() gives and entry() makes: values by the fields' names as bytes."""

    def __init__(self, table, stored):
        self._table = table
        self.key = {f.name.encode(): v for f, v in stored.key.items()}
        self.data = {f.name.encode(): table.read_back(f, v) for f, v in stored.data.items() if v is not None}
        self.action = stored.action

    def _stored(self):
        return self._table.stored_of(self.key, self.data, self.action)

    def push(self, verbose=False, **_):
        self._table.put(self._stored(), "push", exists=None)

    def remove(self, **_):
        self._table.take_out(self._stored().key)

    def update(self, **_):
        now = self._table.find(self._stored().key)
        if now is None:
            print(f"Entry not found in table {self._table.name}")
            return
        self.__init__(self._table, now)

    def raw(self):
        return {"table_name": self._table.name, "action": self.action,
                "key": {n.decode(): v for n, v in self.key.items()},
                "data": {n.decode(): v for n, v in self.data.items()}}

    def json(self):
        return json_text.dumps(self.raw())

    def __str__(self):
        return f"Entry for {self._table.name} table.\n{self._table.text_of(self._stored())}"

    __repr__ = __str__


class Table:
    """A table of the program or of the chip. `actions`: name -> fields of its data; None: entries have `data` alone."""

    per_pipe = False  # whether entries of pipes may differ
    pipe = None       # that the last call was for; None: all

    def __init__(self, control, name, kind, capacity, keys, data=(), actions=None, can=("add", "mod", "set_default")):
        self.control, self.name, self.kind, self.capacity = control, name, kind, capacity
        self.keys, self.data, self.actions = list(keys), list(data), actions
        self.entries, self.default, self.cleared, self.fixed = {}, None, False, 0
        self.program_default = None  # action and data
        self._methods(can)

    @property
    def short(self):
        return self.name.rsplit(".", 1)[-1]

    def _fields(self, action):
        return (self.actions[action] if self.actions is not None and action is not None else []) + self.data

    def _methods(self, can):
        for action in self.actions if self.actions is not None else [None]:
            behind = "" if action is None else "_with_" + action.rsplit(".", 1)[-1].replace("$", "")
            limits = self.limits(action)
            lists = any(f.kind in ("numbers", "flags") for f in self._fields(action))
            for verb in ("add", "mod", "mod_inc", "entry"):
                if self.keys and limits != "default" and (verb in can or verb == "entry" and "add" in can
                                                          or verb == "mod_inc" and lists):
                    self._method(verb + behind, self.keys, self._fields(action), verb, action)
            if "set_default" in can and limits != "entries":
                self._method("set_default" + behind, [], self._fields(action), "set_default", action)

    def limits(self, action):
        """What an action is for: "default", "entries" or both (nothing)."""
        return None

    def _method(self, name, keys, data, verb, action):
        signature = Signature(f"{self.short}.{name}", keys, data)

        def call(*values, key_dict=None, data_dict=None, mod_flag=0, **named):
            self.pipe = named.get("pipe") if self.per_pipe and named.get("pipe") != 0xFFFF else None
            if not self.per_pipe:
                self.control.targets(self, named)
            if key_dict is not None or data_dict is not None:
                given = signature.from_dicts(key_dict, data_dict)
            else:
                given = signature.bind(values, {n: v for n, v in named.items() if n not in TARGETS})
            return self.do(verb, signature.method, given, action, mod_flag)

        call.__name__ = name
        call.__doc__ = f"{self.name}: {', '.join(signature.names)}"
        setattr(self, name, call)

    def do(self, verb, method, given, action, mod_flag):
        stored = self._parsed(method, given, action, partial=verb == "mod")
        if verb == "entry":
            return TableEntry(self, stored)
        if verb == "set_default":
            self.default = stored
        elif verb == "mod_inc":
            self._change_lists(stored, take=bool(mod_flag))
        else:
            self.put(stored, verb, exists=verb == "mod")
        return None

    def _parsed(self, method, given, action, partial=False):
        key, data = {}, {}
        for field, value in given.items():
            if isinstance(field, Key):
                key[field] = field.parsed(value, method)
            elif not (partial and value is None):
                if value is None and field.default == 0 and not field.name.startswith("$"):
                    self.control.note(f"{method}(): no value for {field.name}, it is 0")
                data[field] = field.parsed(value, method)
        return Stored(key, data, action, self.control.place())

    def stored_of(self, key, data, action):
        """From the names and values of an entry object."""
        def named(name):
            return name.decode() if isinstance(name, bytes) else name
        keys, values = {named(n): v for n, v in key.items()}, {named(n): v for n, v in data.items()}
        if action is not None and (self.actions is None or action not in self.actions):
            raise BfRtTableError(f"{self.name} has no action {action}", self)
        fields = self._fields(action)
        known = {f.name for f in self.keys + fields}
        for name in list(keys) + list(values):
            if name not in known:
                raise BfRtTableError(f"{self.name} has no field {name}", self)
        return Stored({f: f.parsed(keys.get(f.name), self.short) for f in self.keys},
                      {f: f.parsed(values[f.name], self.short) for f in fields if f.name in values},
                      action, self.control.place())

    def fail(self, what, status):
        raise BfRtTableError(f"Error: {what} failed on table {self.name}. [{TEXTS[status]}]", self, status)

    # Parts that other kinds of tables do otherwise.
    def identity(self, key):
        return tuple(key[f] for f in self.keys)

    def find(self, key):
        return self.entries.get(self.identity(key))

    def read_back(self, _field, value):
        return value

    def all_entries(self):
        return list(self.entries.values())

    def put(self, stored, verb, exists):
        """`exists`: whether an entry of this key has to be there; None: either way."""
        before = self.find(stored.key)
        if before is None and exists:
            self.fail("table_entry_mod", NOT_FOUND)
        if before is not None and exists is False:
            self.fail("table_entry_add", ALREADY_EXISTS)
        if before is None and self.capacity and len(self.entries) + self.fixed >= self.capacity:
            self.fail("table_entry_add", NO_SPACE)
        if before is not None and before.action == stored.action:
            stored.data = {**before.data, **stored.data}
        for field in self._fields(stored.action):
            if field.default is not None:
                stored.data.setdefault(field, field.default)
        self.entries[self.identity(stored.key)] = stored

    def take_out(self, key):
        if self.entries.pop(self.identity(key), None) is None:
            self.fail("table_entry_del", NOT_FOUND)

    def _change_lists(self, stored, take):
        before = self.find(stored.key)
        if before is None:
            self.fail("table_entry_mod", NOT_FOUND)
        given = {f: v for f, v in stored.data.items() if isinstance(v, list)}
        old = {f: list(before.data.get(f) or []) for f in given}
        # Lists of an entry lie side by side: who is named in the first of numbers goes out of all.
        named = next((f for f in given if f.kind == "numbers"), None)
        gone = {i for i, v in enumerate(old.get(named, [])) if v in given.get(named, [])}
        for field, values in given.items():
            before.data[field] = ([v for i, v in enumerate(old[field]) if i not in gone] if take
                                  else old[field] + values)
        before.place = stored.place

    def clear(self, pipe=None, gress_dir=None, prsr_id=None, batch=True):
        self.entries.clear()
        self.cleared = True

    # Methods that all tables have.
    def _key_of(self, method, values, named):
        signature = Signature(f"{self.short}.{method}", self.keys, [])
        return signature.bind(values, {n: v for n, v in named.items() if n not in TARGETS})

    def delete(self, *values, **named):
        given = self._key_of("delete", values, named)
        self.take_out({f: f.parsed(v, f"{self.short}.delete") for f, v in given.items()})

    def get(self, *values, regex=False, return_ents=True, print_ents=True, table=False, **named):
        self.control.reads(self)
        given = self._key_of("get", values, named)
        if regex or table:
            found = [s for s in self.all_entries() if all(self._accepts(f, s.key[f], given.get(f)) for f in self.keys)]
            if print_ents:
                self._print(found)
            return [TableEntry(self, s) for s in found] if return_ents else None
        stored = self.find({f: f.parsed(v, f"{self.short}.get") for f, v in given.items()})
        if stored is None:
            if print_ents:
                print(f"Error: table_entry_get failed on table {self.name}. [{TEXTS[NOT_FOUND]}]")
            return -1
        if print_ents:
            self._print([stored])
        return TableEntry(self, stored) if return_ents else None

    @staticmethod
    def _accepts(field, value, pattern):
        patterns = pattern if isinstance(pattern, list) else [pattern]
        shown = field.shown(value)
        texts = shown if isinstance(shown, tuple) else (shown,)
        return all(p is None or re.search(str(p), t) for p, t in zip(patterns, texts))

    def reset_default(self, **_):
        self.default = None

    def get_default(self, return_ent=True, print_ent=True, **_):
        stored = self.default or self.program_default
        if stored is None:
            self.fail("get_default_entry", NOT_FOUND)
        if print_ent:
            print(self.text_of(stored))
        return TableEntry(self, stored) if return_ent else None

    def text_of(self, stored):
        lines = ["Entry key:"] if stored.key else []
        lines += [f"    {f.name:<30} : {f.shown(v)}" for f, v in stored.key.items()]
        lines.append("Entry data" + (f" (action : {stored.action}):" if stored.action else ":"))
        lines += [f"    {f.name:<30} : {self.shown(f, v)}" for f, v in stored.data.items() if v is not None]
        return "\n".join(lines)

    def shown(self, field, value):
        return field.shown(value)

    def _print(self, entries):
        for number, stored in enumerate(entries):
            print(f"Entry {number}:\n{self.text_of(stored)}\n")

    def dump(self, table=False, json=False, return_ents=False, print_zero=True, **_):
        self.control.reads(self)
        found = self.all_entries()
        if json:
            return json_text.dumps([TableEntry(self, s).raw() for s in found])
        if return_ents:
            return [TableEntry(self, s) for s in found]
        print(f"----- {self.short} Dump Start -----")
        default = self.default or self.program_default
        if default is not None:
            print("Default Entry:\n" + self.text_of(default))
        self._print([s for s in found if print_zero or any(s.data.values())])
        print(f"----- {self.short} Dump End -----\n")
        return None

    def add_from_json(self, blob):
        for row in json_text.loads(blob):
            if row["table_name"] not in (self.name, self.short):
                print(f"Error: table mismatch for entry {row}.")
            self.put(self.stored_of(row["key"], row["data"], row["action"]), "add", exists=False)

    def _nothing(self, *_, **__):
        """Values are read as they are, so there is nothing to fetch first."""

    operation_register_sync = operation_counter_sync = operation_hit_state_update = _nothing

    def _aging(self, *_, callback=None, **__):
        if callback is not None:
            self.control.note(f"{self.name}: notifications of idle entries are counted, nobody is called for them")

    idle_table_set_poll = idle_table_set_notify = idle_table_get = _aging

    def symmetric_mode_set(self, enable=True):
        if not enable:
            self.control.note(f"{self.name}: all pipes have the same entries")

    def symmetric_mode_get(self):
        return True

    def info(self, return_info=False, print_info=True, **_):
        fields = self.data if self.actions is None else {a: self._fields(a) for a in self.actions}
        described = ([self._described(f) for f in fields] if isinstance(fields, list)
                     else {a: [self._described(f) for f in of] for a, of in fields.items()})
        out = {"table_name": self.short, "full_name": self.name, "type": self.kind, "usage": self.usage(),
               "capacity": self.capacity, "key_fields": [self._described(f) for f in self.keys],
               "data_fields": described}
        if print_info:
            for title in ("table_name", "full_name", "type", "usage", "capacity"):
                print(f"{title.replace('_', ' ').title()}: {out[title]}")
            for f in out["key_fields"]:
                print(f"    key {f['name']} {f['type']} {f['size']}")
        return out if return_info else None

    @staticmethod
    def _described(field):
        kind = field.match if isinstance(field, Key) else field.kind
        return {"name": field.name, "type": kind.upper(), "size": field.bits, "required": False, "read_only": False}

    def usage(self):
        return len(self.entries) + self.fixed

    def rows(self):
        """What info() of a node lists of it."""
        return [{"full_name": self.name, "type": self.kind, "usage": self.usage(), "capacity": self.capacity,
                 "node": self}]

    def __call__(self):
        return None

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if getattr(self, "const_entries", False) and name.split("_")[0] in ("add", "mod", "entry"):
            raise AttributeError(f"{self.name} has entries that are const")
        near = difflib.get_close_matches(name, [n for n in dir(self) if not n.startswith("_")], 1)
        raise AttributeError(f"{self.name} has no '{name}'" + (f", did you mean '{near[0]}'?" if near else ""))


class ThereAlready(Table):
    """Its entries are there from the start, so that each of them may be changed as well as added."""

    def put(self, stored, verb, exists):
        before = self.find(stored.key)
        if before is not None and stored.action is None:
            stored.action = before.action
        super().put(stored, verb, exists=None)


class MatchTable(Table):
    """A match table of the program. Its own entries that are const stay what they are."""

    def __init__(self, control, view, keys, data, actions):
        self._limits = {a["name"]: "default" if a["default_only"] else "entries" if a["table_only"] else None
                        for a in view["actions"]}
        self.const_entries = view["const_entries"]
        implementation = view.get("selector") and "MATCH_INDIRECT_SELECTOR" or view.get("profile") and "MATCH_INDIRECT"
        can = ([] if self.const_entries else ["add", "mod"]) + ([] if view["const_default"] else ["set_default"])
        super().__init__(control, view["name"], implementation or "MATCH_DIRECT", view["size"], keys, data, actions, can)
        self.fixed = self.own_entries = view["entries"]
        self.profile, self.selector = view.get("profile"), view.get("selector")

    def limits(self, action):
        return self._limits.get(action)

    def clear(self, pipe=None, gress_dir=None, prsr_id=None, batch=True):
        if self.const_entries:
            return
        super().clear()
        self.fixed = 0

    def put(self, stored, verb, exists):
        if self.const_entries:
            self.fail(f"table_entry_{verb}", INVALID_ARGUMENT)
        super().put(stored, verb, exists)


class CellTable(Table):
    """Cells by index: registers, counters, meters, filters. All are there from the start."""

    def __init__(self, control, name, kind, size, index, data, initial=None):
        super().__init__(control, name, kind, size, [Key(index, "exact", 32)], data, can=("add", "mod"))
        self._initial = initial or {}

    def _untouched(self, index):
        return Stored({self.keys[0]: index}, {f: self._initial.get(f.name, f.default) for f in self.data}, None, None)

    def find(self, key):
        index = key[self.keys[0]]
        if index >= self.capacity:
            raise BfRtTableError(f"cell {index} of {self.name}, which has {self.capacity}", self, INVALID_ARGUMENT)
        return self.entries.get((index,)) or self._untouched(index)

    def put(self, stored, verb, exists):
        super().put(stored, verb, exists=None)

    def take_out(self, key):
        self.find(key)
        index = key[self.keys[0]]
        self.entries[(index,)] = self._untouched(index)
        self.entries[(index,)].place = self.control.place()

    def all_entries(self):
        return [self.find({self.keys[0]: i}) for i in range(self.capacity)]

    def clear(self, pipe=None, gress_dir=None, prsr_id=None, batch=True):
        self.entries.clear()
        if any(self._initial.values()):
            zero = {f: 0 for f in self.data}
            for i in range(self.capacity):
                self.entries[(i,)] = Stored({self.keys[0]: i}, dict(zero), None, self.control.place())

    def usage(self):
        return self.capacity

    def read_back(self, field, value):
        return [value] * self.control.pipes if self.kind == "REGISTER" else value

    def shown(self, field, value):
        return str([value] * self.control.pipes) if self.kind == "REGISTER" else field.shown(value)
