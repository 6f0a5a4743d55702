"""A first horae_rtl.toml for a folder that has none: sources in their order, the top module, pins by their names."""
import re

from exploration.complaint import Complaint
from . import description, verilog

SOURCES = (".sv", ".v")
HEADERS = (".svh", ".vh")
# What pins of a role are called, the likeliest name first.
NAMES = {
    "clock": ["clk", "clock", "clk_i", "aclk"],
    "reset": ["reset", "rst", "rst_i", "!rst_n", "!rst_ni", "!reset_n", "!aresetn", "!resetn"],
    "request_valid": ["request_valid", "req_valid", "packet_valid", "valid_i", "in_valid"],
    "request_ready": ["request_ready", "req_ready", "packet_ready", "ready_o", "in_ready"],
    "request_connection": ["request_connection", "connection", "conn", "qp", "request_qp", "qpn"],
    "request_psn": ["request_psn", "psn", "psn_i"],
    "request_head": ["request_head", "head", "head_i"],
    "request_last": ["request_last", "last", "last_i"],
    "request_close": ["request_close", "close", "close_i"],
    "response_valid": ["response_valid", "resp_valid", "answer_valid", "valid_o", "out_valid"],
    "response_ready": ["response_ready", "resp_ready", "answer_ready", "ready_i", "out_ready"],
    "response_tracking": ["response_tracking", "tracking", "tracking_o"],
    "response_rejection": ["response_rejection", "rejection", "rejection_o"],
    "response_advanced": ["response_advanced", "advanced", "advanced_o"],
    "response_expected": ["response_expected", "expected", "expected_o"],
    "response_completed": ["response_completed", "completed", "completed_o"],
}


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


def make(folder, verilator, top, model):
    """The Block, with the warnings that it has tolerated by name."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in SOURCES + HEADERS)
    texts = {path: stripped(path) for path in files if path.suffix in SOURCES}
    if not texts:
        raise Complaint(f"{folder}: no file *.sv or *.v")
    top = top or top_of(texts, folder)
    block = description.Block(folder, name=top, top=top, model=model,
                              sources=[str(path.relative_to(folder)) for path in in_order(texts)],
                              include=sorted({str(path.parent.relative_to(folder)) for path in files
                                              if path.suffix in HEADERS}))
    done = verilog.run(verilator, ["--lint-only", "-Wno-fatal", "--top-module", top, *block.arguments(),
                                   *block.paths(block.sources)])
    if done.returncode != 0:
        verilog.refuse(block, "\n".join(line for line in done.stderr.splitlines() if line.startswith("%Error")) or done.stderr)
    block.tolerate = sorted({name for kind, name, _, _ in verilog.findings(done.stderr) if kind == "Warning" and name})
    pins = verilog.pins(block, verilator)
    for role, names in NAMES.items():
        found = [name for name in names if name.removeprefix("!") in pins]
        if found:
            block.pins[role] = found[0]
    return block


def text(block):
    def listed(words):
        return "[" + ", ".join(f'"{word}"' for word in words) + "]"

    lines = ["# RTL in place of a NIC's ordering layer, drafted by scripts/rtl.", f'name = "{block.name}"', f'top = "{block.top}"',
             f'model = "{block.model}"  # what it implements: keys of nic.ordering',
             f"sources = {listed(block.sources)}  # in this order", f"include = {listed(block.include)}", "defines = []",
             "parameters = {}", f"tolerate = {listed(block.tolerate)}  # warnings of Verilator", "", "[pins]"]
    for role, (_, _, needed) in description.ROLES.items():
        pin = block.pins.get(role)
        lines.append(f'{role} = "{pin}"' if pin else f'# {role} = ""{"  # needed" if needed else ""}')
    return "\n".join(lines) + "\n"
