"""horae_rtl.toml: what a folder of RTL says of itself."""
import pathlib
import re
import tomllib
from dataclasses import dataclass, field

from lib.common.complaint import Complaint
from .kinds import KINDS, TOGETHER

NAME = "horae_rtl.toml"
KEYS = {"name": str, "top": str, "implements": str, "model": str, "sources": list, "include": list, "defines": list,
        "tolerate": list, "parameters": dict, "pins": dict, "constants": dict}
NEEDED = ("name", "top", "sources", "pins")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")  # or a member of a packed struct


@dataclass
class Block:
    folder: pathlib.Path
    name: str = ""
    top: str = ""
    implements: str = "ordering"  # one of KINDS
    model: str = ""  # settings of the model: "engine=static bits=16"
    sources: list = field(default_factory=list)  # in the order in which they are read
    include: list = field(default_factory=list)
    defines: list = field(default_factory=list)
    tolerate: list = field(default_factory=list)  # warnings of Verilator, by name
    parameters: dict = field(default_factory=dict)
    pins: dict = field(default_factory=dict)  # of roles; "!pin": low is true
    constants: dict = field(default_factory=dict)  # values of inputs that have no role

    @property
    def roles(self):
        return KINDS[self.implements].roles

    @property
    def file(self):
        return self.folder / NAME

    def paths(self, names):
        return [(self.folder / name).resolve() for name in names]

    def arguments(self, parameters=True):
        """Those of Verilator, sources apart; `parameters`: the top module is the block's own."""
        return [*([f"-G{name}={value}" for name, value in self.parameters.items()] if parameters else []),
                *[f"-D{name}" for name in self.defines], *[f"-I{path}" for path in self.paths(self.include)],
                *[f"-Wno-{name}" for name in self.tolerate]]


def nearest(name, candidates):
    import difflib
    found = difflib.get_close_matches(name, candidates, 1)
    return f", did you mean '{found[0]}'?" if found else f"; expected one of {', '.join(candidates)}"


def read(folder):
    """The Block; a Complaint of one line, with the file, where it is none."""
    folder = pathlib.Path(folder).resolve()
    file = folder / NAME
    try:
        with open(file, "rb") as stream:
            table = tomllib.load(stream)
    except OSError as error:
        raise Complaint(f"{file}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Complaint(f"{file}: {str(error).splitlines()[0]}") from None
    for key, value in table.items():
        if key not in KEYS:
            raise Complaint(f"{file}: unknown key '{key}'{nearest(key, list(KEYS))}")
        if not isinstance(value, KEYS[key]):
            raise Complaint(f"{file}: {key} is no {KEYS[key].__name__}")
        if isinstance(value, list) and not all(isinstance(item, str) for item in value):
            raise Complaint(f"{file}: {key} is no list of texts")
    for key in NEEDED:
        if not table.get(key):
            raise Complaint(f"{file}: missing '{key}'")
    block = Block(folder, **table)
    for key in ("name", "top"):
        if not WORD.fullmatch(table[key]):
            raise Complaint(f"{file}: {key} = '{table[key]}' is no identifier")
    if block.implements not in KINDS:
        raise Complaint(f"{file}: implements = '{block.implements}'{nearest(block.implements, list(KINDS))}")
    has_model = KINDS[block.implements].model != ""
    if has_model and not block.model:
        raise Complaint(f"{file}: missing 'model'")
    if block.model and not has_model:
        raise Complaint(f"{file}: model = '{block.model}': {KINDS[block.implements].what} has no model; expected none")
    if any(character in block.model for character in '"\\\n'):
        raise Complaint(f"{file}: model = '{block.model}': expected settings as in \"engine=static bits=16\"")
    for name, value in block.parameters.items():
        if not WORD.fullmatch(name) or isinstance(value, bool) or not isinstance(value, int):
            raise Complaint(f"{file}: parameters: {name} = {value!r}: expected a name and an integer")
    block.constants = flat(block.constants)
    for pin, value in block.constants.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise Complaint(f"{file}: constants: {pin} = {value!r}: expected an integer of 0 or more")
    for word in [*block.defines, *block.tolerate]:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*(=[^\s;\"$]*)?", word):
            raise Complaint(f"{file}: '{word}': expected a name, or NAME=VALUE of a definition")
    for source in block.paths(block.sources):
        if not source.is_file():
            raise Complaint(f"{file}: sources: {source} is not there")
    for role, pin in block.pins.items():
        if role not in block.roles:
            raise Complaint(f"{file}: pins: unknown '{role}' of {KINDS[block.implements].what}"
                            f"{nearest(role, list(block.roles))}")
        if not isinstance(pin, str) or not PIN.fullmatch(pin.removeprefix("!")):
            raise Complaint(f"{file}: pins: {role} = {pin!r}: expected a pin, or \"!pin\" where low is true")
    return block


def flat(table, before=""):
    """Tables in it, as TOML has them of names with points, by their whole names."""
    found = {}
    for name, value in table.items():
        found.update(flat(value, f"{before}{name}.") if isinstance(value, dict) else {f"{before}{name}": value})
    return found


def check(block, pins):
    """Whether the pins are those of the hardware (verilog.Pins). A Complaint otherwise."""
    def refuse(what):
        raise Complaint(f"{block.file}: pins: {what}")

    for role, rule in block.roles.items():
        if role not in block.pins:
            if rule.needed:
                refuse(f"missing '{role}'")
            continue
        pin = block.pins[role].removeprefix("!")
        if pin not in pins:
            refuse(f"{role}: module '{block.top}' has no pin '{pin}'{nearest(pin, list(pins))}")
        found, width = pins[pin]
        if found != rule.direction:
            refuse(f"{role}: '{pin}' is an {found}, expected an {rule.direction}")
        if width is None:
            refuse(f"{role}: '{pin}' is {pins.words[pin]}; expected a vector, or a packed struct or a member of one")
        if rule.bits == "words":
            if width % 32 or width < 64:
                refuse(f"{role}: '{pin}' has {width} bits, expected 32 for each candidate")
        elif isinstance(rule.bits, tuple):
            if not rule.bits[0] <= width <= rule.bits[1]:
                refuse(f"{role}: '{pin}' has {width} bits, expected {rule.bits[0]} to {rule.bits[1]}")
        elif width != rule.bits:
            refuse(f"{role}: '{pin}' has {width} bits, expected {rule.bits}")
        if block.pins[role].startswith("!") and width != 1:
            refuse(f"{role}: '{pin}' has {width} bits, and '!' is of one")
    if block.implements == "axi_stream":
        check_streams(block, pins, refuse)
    for kind, role, other in TOGETHER:
        if kind == block.implements and role in block.pins and other not in block.pins:
            refuse(f"'{role}' is there without '{other}'")
    for role in block.pins:  # numbered from 0 on
        stem, _, number = role.rpartition("_")
        for i in range(int(number) if number.isdigit() else 0):
            if f"{stem}_{i}" not in block.pins:
                refuse(f"'{role}' is there without '{stem}_{i}'")
    named = [pin.removeprefix("!") for pin in block.pins.values()]
    for pin in named:
        if named.count(pin) > 1:
            refuse(f"'{pin}' has two roles")
    for pin, parts in pins.structs.items():
        used = [part for part in parts if part in named or part in block.constants]
        if used and pin in named:
            refuse(f"'{pin}' has a role, and so has its member '{used[0]}'")
    for pin, (direction, width) in pins.items():
        if direction == "inout":
            refuse(f"'{pin}' is an inout")
        whole = next((p for p, parts in pins.structs.items() if pin in parts), None)
        if whole in named or pin in pins.structs and pin not in named:
            continue  # all of it has a role, or its members are asked
        if direction == "input" and width is None and pin not in named:
            refuse(f"input '{pin}' is {pins.words[pin]}, which can have no role; expected a module around '{block.top}'")
        if direction == "input" and pin not in named and pin not in block.constants:
            refuse(f"input '{pin}' has no role; expected one, or its value in [constants]")
    for pin, value in block.constants.items():
        if pin not in pins or pins[pin][0] != "input" or pin in named:
            raise Complaint(f"{block.file}: constants: '{pin}' is no input without a role")
        if pins[pin][1] is None or pins[pin][1] > 32 or value >> pins[pin][1]:
            raise Complaint(f"{block.file}: constants: {pin} = {value} does not fit")


def check_streams(block, pins, refuse):
    """TDATA of whole bytes, and a bit of TKEEP for each."""
    for side in ("in", "out"):
        data = block.pins[f"{side}_data"]
        bits = pins[data][1]
        if bits % 8:
            refuse(f"{side}_data: '{data}' has {bits} bits, expected whole bytes")
        keep = block.pins.get(f"{side}_keep")
        if keep is None:
            if bits > 8:
                refuse(f"missing '{side}_keep', as '{data}' has {bits // 8} bytes")
        elif pins[keep][1] != bits // 8:
            refuse(f"{side}_keep: '{keep}' has {pins[keep][1]} bits, expected {bits // 8}, one for each byte of '{data}'")
