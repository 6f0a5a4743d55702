"""A first horae_rtl.toml for a folder that has none: sources in their order, the top module, pins by their names."""
import re

from lib.common.complaint import Complaint
from . import description, verilog
from .kinds import KINDS

SOURCES = (".sv", ".v")
HEADERS = (".svh", ".vh")

def stripped(path):
    text = path.read_text(errors="replace")
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"[^\"\n]*\"", " ", text, flags=re.S)


def in_order(texts):
    """Packages before those who use them, else by name."""
    defines = {name: path for path, text in texts.items() for name in re.findall(r"\bpackage\s+(\w+)", text)}
    uses = {path: {defines[name] for name in re.findall(r"\b(\w+)\s*::", text) if name in defines} - {path}
            for path, text in texts.items()}
    done = []
    while len(done) < len(texts):
        ready = [path for path in sorted(texts) if path not in done and uses[path] <= set(done)]
        done += ready[:1] or [path for path in sorted(texts) if path not in done][:1]
    return done


def top_of(texts, folder):
    modules = {name for text in texts.values() for name in re.findall(r"\bmodule\s+(\w+)", text)}
    used = {name for text in texts.values() for name in modules
            if re.search(rf"(?<!module)\s{name}\s*(#\s*\(|\w+\s*\()", text)}
    tops = sorted(modules - used)
    if len(tops) != 1:
        raise Complaint(f"{folder}: {len(tops)} modules are used by no other ({', '.join(tops) or 'none'}); expected one, "
                        "or --top NAME")
    return tops[0]


def make(folder, verilator, top, implements, model):
    """The Block, with the warnings that it has tolerated by name."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in SOURCES + HEADERS)
    texts = {path: stripped(path) for path in files if path.suffix in SOURCES}
    if not texts:
        raise Complaint(f"{folder}: no file *.sv or *.v")
    top = top or top_of(texts, folder)
    block = description.Block(folder, name=top, top=top, implements=implements,
                              model=model or KINDS[implements].model,
                              sources=[str(path.relative_to(folder)) for path in in_order(texts)],
                              include=sorted({str(path.parent.relative_to(folder)) for path in files
                                              if path.suffix in HEADERS}))
    done = verilog.run(verilator, ["--lint-only", "-Wno-fatal", "--top-module", top, *block.arguments(),
                                   *block.paths(block.sources)])
    if done.returncode != 0:
        verilog.refuse(block, "\n".join(line for line in done.stderr.splitlines() if line.startswith("%Error")) or done.stderr)
    block.tolerate = sorted({name for kind, name, _, _ in verilog.findings(done.stderr) if kind == "Warning" and name})
    pins = verilog.pins(block, verilator)
    # A member of a struct counts as the pin that it would be, or by its own name.
    by_name = {**{name.rpartition(".")[2]: name for name in pins}, **{name.replace(".", "_"): name for name in pins}}
    taken = set()
    for role, rule in block.roles.items():
        # Pins of the role's side: `value` may be given or answered.
        found = [name for name in rule.names if pins.get(by_name.get(name.removeprefix("!")), ("",))[0] == rule.direction
                 and name.removeprefix("!") not in taken]
        if found:
            block.pins[role] = ("!" if found[0].startswith("!") else "") + by_name[found[0].removeprefix("!")]
            taken.add(found[0].removeprefix("!"))
    return block


def text(block):
    def listed(words):
        return "[" + ", ".join(f'"{word}"' for word in words) + "]"

    kind = KINDS[block.implements]
    lines = [f"# RTL {'in place of' if kind.model else 'as'} {kind.what}, drafted by scripts/rtl.", f'name = "{block.name}"', f'top = "{block.top}"',
             f'implements = "{block.implements}"',
             *([f'model = "{block.model}"  # which one: keys of {kind.settings}'] if block.model else []),
             f"sources = {listed(block.sources)}  # in this order", f"include = {listed(block.include)}", "defines = []",
             "parameters = {}", f"tolerate = {listed(block.tolerate)}  # warnings of Verilator", "", "[pins]"]
    for role, rule in block.roles.items():
        pin = block.pins.get(role)
        lines.append(f'{role} = "{pin}"' if pin else f'# {role} = ""{"  # needed" if rule.needed else ""}')
    return "\n".join(lines) + "\n"
