"""The C++ around a block, and what CMake has to know of it."""
import json

from lib.common.complaint import Complaint
from .kinds import BYTES, KINDS, room

AROUND = "around.sv"  # the file of around()

WRAPPER = """// Made by scripts/rtl from {file}.
#include "VBlock_{name}.h"
#include "horae/rtl/{header}"
#include "verilated_model.hpp"

namespace horae::rtl {{
namespace {{

class Block_{name} final : public VerilatedModel<VBlock_{name}, {types}Top> {{
 public:
  using VerilatedModel::VerilatedModel;

{steps}
}};

}}  // namespace

std::unique_ptr<{types}Top> make_block_{name}(std::uint32_t seed);
std::unique_ptr<{types}Top> make_block_{name}(std::uint32_t seed) {{
  return std::make_unique<Block_{name}>(seed);
}}

}}  // namespace horae::rtl
"""

# Hardware that answers requests: its outputs follow from registers.
REQUESTS = """  void clock(const {types}Inputs& in) override {{
    auto& m = model();
{inputs}
    edge(m.{clock});
  }}

  {types}Outputs outputs() const override {{
    const auto& m = model();
    {types}Outputs out;
{outputs}
    return out;
  }}"""
# Streams: outputs may follow from inputs, so inputs change behind the edge that reads the ones before.
STREAMS = """  void clock(const {types}Inputs& in) override {{
    auto& m = model();
    rise(m.{clock});
{inputs}
    settle();
    fall(m.{clock});
  }}

  void read({types}Outputs& out) const override {{
    const auto& m = model();
{outputs}
  }}"""


def flat(pin):
    """Its name in the module around the block."""
    return pin.replace(".", "_")


def is_wrapped(block, pins):
    """Whether members of packed structs have roles of their own: then a module around the block has them as pins."""
    return any("." in pin for pin in [*block.pins.values(), *block.constants])


def top_of(block, pins):
    return f"horae_{block.top}" if is_wrapped(block, pins) else block.top


def around(block, pins):
    """A module with the members of packed structs as pins, around the block; as SystemVerilog."""
    ports, joined = [], []
    for pin, (direction, bits) in pins.items():
        if "." in pin or (bits is None and direction == "output"):
            continue
        parts = pins.structs.get(pin, [pin])
        if pin in [p.removeprefix("!") for p in block.pins.values()]:
            parts = [pin]
        ports += [f"  {direction} logic [{pins[p][1] - 1}:0] {flat(p)}" for p in parts]
        joined.append(f"    .{pin}({{{', '.join(flat(p) for p in parts)}}})")
    names = [port.rsplit(" ", 1)[1] for port in ports]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice:
        raise Complaint(f"{block.file}: pins: a member of a struct and a pin would both be '{twice}'; expected another name for one")
    values = ", ".join(f".{name}({value})" for name, value in block.parameters.items())
    return (f"// Made by scripts/rtl from {block.file}.\nmodule horae_{block.top} (\n" + ",\n".join(ports) + "\n);\n"
            f"  {block.top} {f'#({values}) ' if values else ''}block (\n" + ",\n".join(joined) + "\n  );\nendmodule\n")


def text(block, pins):
    kind = KINDS[block.implements]
    inputs = [f"m.{flat(pin)} = {value};" for pin, value in block.constants.items()]
    outputs = [f"out.{kind.roles[role].value} = true;" for role in ("request_ready", "in_ready")
               if role in kind.roles and role not in block.pins]
    if block.implements == "axi_stream" and "out_keep" not in block.pins:
        outputs.append("out.beat.keep.assign(1, 1);")
    for role, rule in kind.roles.items():
        pin = block.pins.get(role)
        if pin is None or role == "clock":
            continue
        low, name = pin.startswith("!"), pin.removeprefix("!")
        width, name = pins[name][1], flat(name)
        if rule.bits == BYTES or role.endswith("_keep"):
            if rule.direction == "output":
                outputs.append(f"get_bytes(m.{name}, out.{rule.value}, {(width + 7) // 8});")
            else:
                inputs.append(f"set_bytes(m.{name}, in.{rule.value});")
        elif rule.direction == "output":
            flag = rule.bits == 1
            outputs.append(f"out.{rule.value} = m.{name}" + (f" {'==' if low else '!='} 0;" if flag else ";"))
        elif rule.bits == "words":
            inputs.append(f"set_words(m.{name}, in.{rule.value});")
        elif isinstance(rule.bits, tuple) and block.implements != "ordering":  # whose connections are counted
            inputs.append(f'm.{name} = static_cast<decltype(m.{name} + 0)>(fit(in.{rule.value}, {width}, "{block.name}", '
                          f'"{name}"));')
        else:
            inputs.append(f"m.{name} = {'!' if low else ''}in.{rule.value};")
    steps = (STREAMS if block.implements == "axi_stream" else REQUESTS).format(
        types=kind.types, clock=flat(block.pins["clock"].removeprefix("!")),
        inputs="\n".join("    " + line for line in inputs), outputs="\n".join("    " + line for line in outputs))
    return WRAPPER.format(file=block.file, name=block.name, header=kind.header, types=kind.types, steps=steps)


def entry(block, pins):
    """Members of the block's C++ description, in their order."""
    def flag(role):
        return str(role in block.pins).lower()

    most, _ = room(block, pins)
    if block.implements == "axi_stream":
        return {"name": f'"{block.name}"', **{f"{side}_bytes": pins[block.pins[f"{side}_data"]][1] // 8 for side in ("in", "out")},
                "make": f"make_block_{block.name}"}
    common = {"name": f'"{block.name}"', "model": json.dumps(block.model)}
    if block.implements == "ordering":
        own = {"connections": most, "closes": flag("request_close"), "rejects": flag("response_rejection"),
               "completes": flag("response_completed")}
    elif block.implements == "load_balancer":
        own = {"choices": most, "depths": most_depths(block, pins), "draws": sum(f"request_draw_{i}" in block.pins
                                                                                 for i in range(4)),
               "salted": flag("request_salt")}
    elif block.implements == "register":
        own = {part: sum(f"response_{role}_{i}" in block.pins for i in range(2))
               for part, role in (("cells", "cell"), ("words", "word"), ("flags", "flag"))}
    else:
        own = {"connections": most, "opens": flag("request_open"), "hears": flag("request_feedback"),
               "freezes": flag("request_freeze")}
    return {**common, **own, "make": f"make_block_{block.name}"}


def most_depths(block, pins):
    return pins[block.pins["request_depths"]][1] // 32 if "request_depths" in block.pins else 0


def cmake(block, pins, out):
    """`out`: the folder with the module around the block, if there is one."""
    wrapped = is_wrapped(block, pins)
    sources = block.paths(block.sources) + ([out / AROUND] if wrapped else [])
    def listed(words):
        return " ".join('"' + str(word).replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)

    members = ",\\n       ".join(f".{name} = {value}" for name, value in entry(block, pins).items())
    line = f"      {{{members}}},\\n".replace('"', '\\"')
    return (f"# Made by scripts/rtl from {block.file}.\nset(block_name {block.name})\nset(block_top {top_of(block, pins)})\n"
            f"set(block_kind {block.implements})\nset(block_pins {KINDS[block.implements].types}Top)\n"
            f"set(block_sources {listed(sources)})\nset(block_args {listed(block.arguments(parameters=not wrapped))})\n"
            f'set(block_entry "{line}")\n')
