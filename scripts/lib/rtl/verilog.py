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


def bits_of(types, identity):
    """Of a plain vector, or a packed array of them; None of anything else."""
    kind, times = types.get(identity), 1
    while kind is not None and kind.tag in ("refdtype", "packarraydtype"):
        if kind.tag == "packarraydtype":
            ends = [const.get("name") for const in kind.iterfind("./range/const")]
            if len(ends) != 2:
                return None
            first, last = (int(end.split("h")[-1], 16) for end in ends)
            times *= abs(first - last) + 1
        kind = types.get(kind.get("sub_dtype_id"))
    if kind is None or kind.tag != "basicdtype":
        return None
    return times * (abs(int(kind.get("left", 0)) - int(kind.get("right", 0))) + 1)


def pins(block, verilator):
    """{name: (direction, bits)} of the top module, in its order."""
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
            return {var.get("origName"): (var.get("dir"), bits_of(types, var.get("dtype_id")))
                    for var in module.findall("var") if var.get("dir")}
    raise Complaint(f"{block.file}: there is no module '{block.top}'")


def take(block, verilator):
    """A Complaint where Verilator does not make C++ of it, as the build has it done."""
    with tempfile.TemporaryDirectory() as folder:
        done = run(verilator, ["--cc", "--savable", "--trace", "--Mdir", folder, "--prefix", "VBlock", "--top-module", block.top,
                               *block.arguments(), *block.paths(block.sources)])
        if done.returncode != 0:
            refuse(block, done.stderr)
