"""Fields of tables: of their keys and of their data, and the names that methods have for them."""
import difflib
import keyword

from horae_bfrt.values import BfRtTableError, fitting, hexadecimal

BEHIND = {"ternary": "_mask", "lpm": "_p_length", "range": "_end", "optional": "_is_valid"}


class Key:
    """A field of a key. Values of a pair: value and mask, value and length, first and last, value and whether."""

    def __init__(self, name, match, bits, members=()):
        self.name, self.match, self.bits, self.members = name, match, bits, dict(members)

    def is_pair(self):
        return self.match in BEHIND

    def parameters(self, short):
        if not self.is_pair():
            return [short]
        return [short + ("_start" if self.match == "range" else ""), short + BEHIND[self.match]]

    def _one(self, value, what):
        if self.bits == 0 and isinstance(value, str):
            return value  # a member of an enumeration without bits
        if isinstance(value, str) and value in self.members:
            value = self.members[value]
        return 0 if value is None else fitting(value, self.bits, what)

    def parsed(self, given, what):
        """`given`: a value, or of a pair a sequence of two. None stands for what is left out."""
        what = f"{what}, key {self.name}"
        if not self.is_pair():
            return self._one(given, what)
        first, second = given if isinstance(given, (list, tuple)) else (given, None)
        ones = (1 << self.bits) - 1
        if self.match == "range":
            low = 0 if first is None else self._one(first, what)
            high = (ones if first is None else low) if second is None else self._one(second, what)
            if low > high:
                raise BfRtTableError(f"{what}: a range from {low} to {high}")
            return (low, high)
        if self.match == "optional":
            valid = first is not None if second is None else bool(second)
            return (self._one(first, what) if valid else 0, valid)
        value = self._one(first, what)
        if self.match == "lpm":
            length = (0 if first is None else self.bits) if second is None else fitting(second, 32, what)
            if length > self.bits:
                raise BfRtTableError(f"{what}: a prefix of {length} bits of {self.bits}")
            mask = ones ^ (ones >> length)
            return (value & mask, length)
        mask = (0 if first is None else ones) if second is None else fitting(second, self.bits, what)
        return (value & mask, mask)

    def text(self, value):
        """As an entries file has it."""
        if isinstance(value, str):
            return value
        if self.match == "ternary":
            return f"{value[0]:#x}&&&{value[1]:#x}"
        if self.match == "lpm":
            return f"{value[0]:#x}/{value[1]}"
        if self.match == "range":
            return f"{value[0]:#x}..{value[1]:#x}"
        if self.match == "optional":
            return f"{value[0]:#x}" if value[1] else "*"
        return f"{value:#x}"

    def shown(self, value):
        """As a dump prints it."""
        if isinstance(value, str):
            return value
        if self.match in ("ternary", "range"):
            return tuple(hexadecimal(v, self.bits) for v in value)
        if self.match in ("lpm", "optional"):
            return (hexadecimal(value[0], self.bits), str(value[1]))
        return str(value) if self.name == "$MATCH_PRIORITY" else hexadecimal(value, self.bits)


class Data:
    """A field of an entry's data. `kind`: number, flag, text, fraction, or a list: numbers, flags. `default` stands for
    what is left out; None: it stays absent."""

    def __init__(self, name, kind="number", bits=64, default=None, members=()):
        self.name, self.kind, self.bits, self.default, self.members = name, kind, bits, default, dict(members)

    def parameters(self, short):
        return [short]

    def parsed(self, given, what):
        what = f"{what}, {self.name}"
        if given is None:
            return self.default
        if self.kind in ("numbers", "flags"):
            if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
                raise BfRtTableError(f"{what}: {given!r} is no list")
            return [bool(v) if self.kind == "flags" else fitting(v, self.bits, what) for v in given]
        if self.kind == "octets":
            if not isinstance(given, (bytes, bytearray, list, tuple)):
                raise BfRtTableError(f"{what}: {given!r} is no list of bytes")
            return [fitting(v, 8, what) for v in given]
        if self.kind == "text":
            return str(given)
        if self.kind == "flag":
            return bool(given)
        if self.kind == "fraction":
            try:
                return float(given)
            except (TypeError, ValueError):
                raise BfRtTableError(f"{what}: {given!r} is no number") from None
        if isinstance(given, (list, tuple)):  # as registers are read: a value of each pipe
            given = given[0] if given else 0
        if isinstance(given, str) and given in self.members:
            given = self.members[given]
        if self.bits == 0:
            return str(given)
        return fitting(given, self.bits, what)

    def shown(self, value):
        if self.kind == "number" and isinstance(value, int) and not self.name.startswith("$COUNTER"):
            return hexadecimal(value, self.bits)
        return str(value)


def _shortened(name, depth):
    for old, new in (("$", ""), (" & ", "_"), ("-", "_"), (":", "_"), ("[", "_"), ("]", "_"), ("__", "_")):
        name = name.replace(old, new)
    return "_".join(name.split(".")[-depth:])


def _legal(name, prefix):
    return prefix + name if not name.isidentifier() or keyword.iskeyword(name) else name


def short_names(keys, data):
    """Names of parameters: the last parts of the fields' names, as many as tell all of them apart."""
    for depth in range(1, 21):
        of_keys = [_legal(_shortened(f.name, depth), "key_") for f in keys]
        of_data = [_legal(_shortened(f.name, depth), "data_") for f in data]
        if len(set(of_keys + of_data)) == len(of_keys) + len(of_data):
            return of_keys, of_data
    return [n + "_key" for n in of_keys], [n + "_data" for n in of_data]


def _spellings(field, parameter, short):
    """Other names of a parameter that scripts of other versions of the vendor's tools use: longer ones, small letters."""
    behind = parameter[len(short):] if parameter.startswith(short) else ""
    parts = field.name.count(".") + 1
    return {(_shortened(field.name, depth) + behind).lower() for depth in range(1, parts + 1)}


class Signature:
    """Parameters of a method: those of fields, in their order."""

    def __init__(self, method, keys, data):
        self.method, self.keys, self.data = method, keys, data
        of_keys, of_data = short_names(keys, data)
        self.slots = []  # parameter, field, place in a pair, short name
        for field, short in list(zip(keys, of_keys)) + list(zip(data, of_data)):
            for place, parameter in enumerate(field.parameters(short)):
                self.slots.append((parameter, field, place, short))
        self.names = [slot[0] for slot in self.slots]

    def _slot_of(self, name):
        if name in self.names:
            return self.names.index(name)
        found = [i for i, (parameter, field, _, short) in enumerate(self.slots)
                 if name.lower() in _spellings(field, parameter, short)]
        if len(found) == 1:
            return found[0]
        near = difflib.get_close_matches(name, self.names, 1)
        hint = f", did you mean '{near[0]}'?" if near else f"; it has {', '.join(self.names) or 'none'}"
        raise TypeError(f"{self.method}() has no parameter '{name}'{hint}")

    def bind(self, positional, named):
        """What is given for each field: field -> value or pair."""
        if len(positional) > len(self.slots):
            raise TypeError(f"{self.method}() takes {len(self.slots)} values, {len(positional)} are given")
        given = dict(enumerate(positional))
        for name, value in named.items():
            slot = self._slot_of(name)
            if slot in given:
                raise TypeError(f"{self.method}() has two values for '{name}'")
            given[slot] = value
        out = {}
        for i, (_, field, place, _) in enumerate(self.slots):
            if isinstance(field, Key) and field.is_pair():
                pair = out.setdefault(field, [None, None])
                pair[place] = given.get(i)
            else:
                out[field] = given.get(i)
        return out

    def from_dicts(self, key_dict, data_dict):
        """Likewise by whole names, as methods with very many parameters take them."""
        by_name = {f.name: f for f in self.keys + self.data}
        out = {f: [None, None] if isinstance(f, Key) and f.is_pair() else None for f in by_name.values()}
        for name, value in list((key_dict or {}).items()) + list((data_dict or {}).items()):
            name = name.decode() if isinstance(name, bytes) else name
            if name not in by_name:
                raise TypeError(f"{self.method}() has no field '{name}'")
            out[by_name[name]] = value
        return out
