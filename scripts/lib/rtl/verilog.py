"""What Verilator says of sources: whether it takes them, pins of the top module."""
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml

from lib.common.complaint import Complaint

SAID = re.compile(r"%(Error|Warning)(?:-(\w+))?: (?:(.+?):(\d+):(\d+): )?(.*)")


def run(verilator, arguments):
    try:
        return subprocess.run([verilator, *map(str, arguments)], capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise Complaint(f"{verilator}: cannot be run: {error.strerror} (scripts/setup --rtl installs it)") from None


def findings(text):
    """(kind, name of the warning, where, what) of each message."""
    for line in text.splitlines():
        found = SAID.match(line)
        if found is None or "Exiting due to" in line:
            continue
        where = f"{found[3]}:{found[4]}:{found[5]}: " if found[3] else ""
        yield found[1], found[2], where, found[6]


def refuse(block, text):
    """A Complaint of the first message."""
    for kind, name, where, what in findings(text):
        if kind == "Warning":
            what += f" (Verilator's {name}: mend it, or name it in 'tolerate')"
        raise Complaint(f"{where or str(block.file) + ': '}{what}")
    raise Complaint(f"{block.file}: Verilator: {(text.strip() or 'no message').splitlines()[0]}")


def resolved(types, identity):
    """A type behind its names, and how many of it a packed array has."""
    kind, times = types.get(identity), 1
    while kind is not None and kind.tag in ("refdtype", "packarraydtype"):
        if kind.tag == "packarraydtype":
            ends = [const.get("name") for const in kind.iterfind("./range/const")]
            if len(ends) != 2:
                return None, 1
            first, last = (int(end.split("h")[-1], 16) for end in ends)
            times *= abs(first - last) + 1
        kind = types.get(kind.get("sub_dtype_id"))
    return kind, times


def members_of(types, kind):
    """(name, type) of a packed struct's members, the highest bits first."""
    return [(m.get("name"), m.get("sub_dtype_id")) for m in kind.findall("memberdtype")]


def bits_of(types, identity):
    """Of a plain vector, a packed struct, or a packed array of them; None of anything else."""
    kind, times = resolved(types, identity)
    if kind is None:
        return None
    if kind.tag == "enumdtype":
        return bits_of(types, kind.get("sub_dtype_id"))
    if kind.tag == "structdtype":
        parts = [bits_of(types, each) for _, each in members_of(types, kind)]
        return None if None in parts else times * sum(parts)
    if kind.tag != "basicdtype":
        return None
    return times * (abs(int(kind.get("left", 0)) - int(kind.get("right", 0))) + 1)


# Types without bits side by side, in the words of IEEE 1800.
WORDS = {"uniondtype": "a union", "unpackarraydtype": "an unpacked array", "ifacerefdtype": "an interface"}


def word_of(types, identity):
    kind, _ = resolved(types, identity)
    return WORDS.get(kind.tag if kind is not None else "", "neither a vector nor a packed struct")


def parts_of(types, identity, path):
    """Members of a pin that is a packed struct, those of nested ones too: {"pin.member": bits}, the highest bits first."""
    kind, times = resolved(types, identity)
    if kind is None or kind.tag != "structdtype" or times != 1:
        return {path: bits_of(types, identity)}
    found = {}
    for name, each in members_of(types, kind):
        found.update(parts_of(types, each, f"{path}.{name}"))
    return found


class Pins(dict):
    """{name: (direction, bits)} of the top module in its order; behind a packed struct come its members, as "pin.member".
    `words`: of pins without bits, what they are. `structs`: {pin: names of its members, the highest bits first}."""

    def __init__(self):
        super().__init__()
        self.words, self.structs = {}, {}

    def take(self, types, var):
        name, direction, identity = var.get("origName"), var.get("dir"), var.get("dtype_id")
        self[name] = (direction, bits_of(types, identity))
        if self[name][1] is None:
            self.words[name] = word_of(types, identity)
            return
        parts = parts_of(types, identity, name)
        if list(parts) != [name]:
            self.structs[name] = list(parts)
            self.update({part: (direction, bits) for part, bits in parts.items()})


def pins(block, verilator):
    """Pins of the top module."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "top.xml"
        done = run(verilator, ["--xml-only", "--xml-output", out, "--Mdir", folder, "--top-module", block.top,
                               *block.arguments(), *block.paths(block.sources)])
        if done.returncode != 0:
            refuse(block, done.stderr)
        tree = xml.parse(out)
    types = {kind.get("id"): kind for kind in tree.find(".//typetable")}
    for module in tree.iter("module"):
        if module.get("origName", module.get("name")) == block.top:
            found = Pins()
            for var in module.findall("var"):
                if var.get("dir"):
                    found.take(types, var)
            return found
    raise Complaint(f"{block.file}: there is no module '{block.top}'")


def take(block, verilator):
    """A Complaint where Verilator does not make C++ of it, as the build has it done."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(verilator, ["--cc", "--savable", "--trace", "--Mdir", folder, "--prefix", "VBlock", "--top-module", block.top,
                               *block.arguments(), *block.paths(block.sources)])
        if done.returncode != 0:
            refuse(block, done.stderr)
