"""Checks that a room sees the rooms below it and no others.

For every room, a translation unit that includes its headers is preprocessed as the room under test
would (include directories and definitions of its CMake target). It must succeed where the table
below has an arrow; where it has none, the header must not be found. The text of the room's files is
checked as well: includes by another way than the include path (a relative one, say), and SystemC
where it has no business. So is what the build compiles into a room: its own files, none of another
folder.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

# The architecture's arrows: room -> rooms whose headers it may include.
MAY_USE = {
    "core": set(),
    "params": {"core"},
    "capture": {"core"},
    "policy": {"params", "core"},
    "dataplane": {"params", "core"},
    "p4": {"dataplane", "params", "core"},
    "p4lang": {"core"},
    "p4price": {"p4lang", "dataplane", "params", "core"},
    "p4prog": {"p4lang", "dataplane", "params", "core"},
    "p4chip": {"programs", "p4prog", "p4price", "p4lang", "dataplane", "capture", "params", "core"},
    "traffic": {"params", "core"},
    "programs": {"dataplane", "params", "core"},
    "fabric": {"policy", "traffic", "params", "core"},
    "tofino": {"programs", "dataplane", "fabric", "policy", "traffic", "params", "core"},
    "rnic": {"policy", "fabric", "traffic", "params", "core"},
    "rtl": {"policy", "dataplane", "params", "core"},
    "facade": {"policy", "params", "core"},
}
MODELS = set(MAY_USE)
# The rooms of the program see every room of models/ but p4, p4lang, p4prog and p4chip, of which only what reads programs knows, and facade, which is for other programs.
USED = MODELS - {"p4", "p4lang", "p4price", "p4prog", "p4chip", "facade"}
MAY_USE |= {
    "inference": {"core"},
    "results": {"params", "core"},
    "control": {"results", "p4prog", "p4lang", "dataplane", "params", "core"},
    "config": {"results"} | USED - {"capture"},
    "workload": {"config", "results"} | USED - {"capture"},
    "ranks": {"workload", "config", "results"} | USED - {"capture"},
    "elaboration": {"workload", "config", "results"} | USED - {"capture"},
    "views": {"elaboration", "workload", "config", "results"} | USED,
    "size": {"workload", "config", "results", "p4", "p4lang", "p4price"} | USED - {"capture"},
    "run": {"views", "elaboration", "ranks", "workload", "config", "results"} | USED,
    "embed": {"run", "views", "elaboration", "ranks", "workload", "config", "results", "control", "p4lang", "p4price", "p4prog", "p4chip"} | USED,
    "replay": {"elaboration", "workload", "config", "results"} | USED,
    "question": {"run", "views", "elaboration", "ranks", "workload", "config", "results"} | USED,
    "lab": {"inference", "question", "run", "views", "elaboration", "ranks", "workload", "config",
            "results"} | USED,
    "explain": {"lab", "inference", "question", "run", "views", "elaboration", "ranks", "workload", "config",
                "results"} | USED,
    "cli": {"explain", "lab", "inference", "question", "run", "replay", "size", "views", "elaboration", "ranks",
            "workload", "config", "results", "control", "p4", "p4lang", "p4price", "p4prog", "p4chip"} | USED,
}
WITHOUT_SYSTEMC = {"core", "params", "capture", "policy", "dataplane", "p4", "p4lang", "p4price", "p4prog", "p4chip", "programs",
                   "traffic", "rtl", "facade", "results", "control", "inference"}
# Rooms for which the build writes sources: from their own descriptions, the version, and which headers
# plug-ins are built with.
WRITES_SOURCES = {"rtl", "results", "config"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
IS_SYSTEMC = re.compile(r"(systemc|sysc/|tlm)")
UNITY = re.compile(r"/CMakeFiles/[^/]+/Unity/unity_\d+_cxx\.cxx$")
IS_SYSTEMC_FILE = re.compile(r"/(sysc|systemc|tlm|tlm_core|tlm_utils)(/|$)")


def headers(folders, room):
    """The room's headers as they are included, such as horae/core/psn.hpp."""
    root = folders[room] / "include"
    found = root / "horae" / room
    return sorted(str(h.relative_to(root)) for h in found.rglob("*.h*"))


def preprocess(compiler, flags, names):
    """Preprocesses a unit that includes `names`: return code, files it read, messages."""
    unit = "".join(f"#include <{name}>\n" for name in names)
    run = subprocess.run(
        [*compiler, f"@{flags}", "-E", "-M", "-x", "c++", "-"],
        input=unit, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    files = run.stdout.replace("\\\n", " ").split()
    return run.returncode, files, run.stderr.strip()


def check_allowed(args, flags):
    """What is wrong with what `args.room` sees of itself and of the rooms it may use: a list of lines.
    Their headers are read in one go, as most include the same ones."""
    name = f"{args.room} ({flags.name})"
    allowed = sorted(MAY_USE[args.room] | {args.room})
    empty = [f"{name}: room {other} has no header, so nothing can be told"
             for other in allowed if not headers(args.folders, other)]
    names = [(other, n) for other in allowed for n in headers(args.folders, other)]
    code, files, messages = preprocess(args.compiler, flags, [n for _, n in names])
    if code != 0:
        return empty + [f"{name}: may use {', '.join(allowed)}, but:\n{messages}"]
    read = {os.path.realpath(f) for f in files}
    wrong = [f"{name} -> {other}: {n} is found, but not in {args.folders[other] / 'include'}"
             for other, n in names
             if os.path.realpath(args.folders[other] / "include" / n) not in read]
    if args.room in WITHOUT_SYSTEMC:
        systemc = [f for f in files if IS_SYSTEMC_FILE.search(f)
                   and not os.path.realpath(f).startswith(str(args.source) + os.sep)]
        wrong += [f"{name}: reads SystemC's {f}" for f in systemc[:1]]
    return empty + wrong


def check_refused(args, flags):
    """What is wrong with how `args.room` does not see the rooms it may not use: a list of lines.
    One unit asks for a header of each."""
    name = f"{args.room} ({flags.name})"
    refused = [r for r in args.rooms if r != args.room and r not in MAY_USE[args.room]]
    asked = {other: headers(args.folders, other) for other in refused}
    wrong = [f"{name}: room {other} has no header, so nothing can be told" for other in refused if not asked[other]]
    # The room's own headers are found in the same way, or the answers would mean nothing.
    asked[args.room] = headers(args.folders, args.room)
    unit = "".join(f"#if __has_include(<{names[0]}>)\nfound {other}\n#endif\n" for other, names in asked.items() if names)
    run = subprocess.run([*args.compiler, f"@{flags}", "-E", "-P", "-x", "c++", "-"],
                         input=unit, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    found = set(re.findall(r"^found (\w+)$", run.stdout, re.MULTILINE))
    if run.returncode != 0 or args.room not in found:
        return wrong + [f"{name}: its own header is not found\n{run.stderr}"]
    return wrong + [f"{name} -> {other}: {asked[other][0]} is found, but there is no such arrow"
                    for other in refused if other in found]


def check_text(args):
    """What is wrong with the room's files as text: a list of lines."""
    room = args.folders[args.room]
    wrong = []
    seen = MAY_USE[args.room] | {args.room}
    for path in sorted(p for p in room.rglob("*") if p.suffix in {".hpp", ".cpp", ".h", ".inc"}):
        for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
            parts = pathlib.PurePosixPath(include).parts
            if parts[0] == "horae" and parts[1] not in seen:
                wrong.append(f"{path}: includes {include}")
            if ".." in parts:
                wrong.append(f"{path}: includes {include}, a way around the include path")
            if args.room in WITHOUT_SYSTEMC and IS_SYSTEMC.match(include):
                wrong.append(f"{path}: includes {include}; this room has no SystemC")

    root = room / "include"
    for path in (p for p in root.rglob("*") if p.is_file()):
        if path.relative_to(root).parts[:2] != ("horae", args.room):
            wrong.append(f"{path}: a room's headers are in include/horae/{args.room}/")
    return wrong


def check_sources(args):
    """What the build compiles into the room but is not in its folder, and CMake files of a room of
    models/ that name platforms/: a list of lines."""
    room = args.folders[args.room]
    above = args.source / "platforms"
    wrong = []
    for path in args.sources:
        for line in filter(None, path.read_text(encoding="utf-8").splitlines()):
            if UNITY.search(line) or f"/horae_{args.room}_cold.dir/" in line:
                continue  # several sources, or objects of sources, that are listed themselves
            source = pathlib.Path(os.path.realpath(line))
            if source.is_relative_to(room):
                continue
            if args.room in WRITES_SOURCES and not source.is_relative_to(above):
                continue
            wrong.append(f"{line}: is compiled into {args.room}, but is not in {room}")
    if args.room in MODELS:
        for path in (p for p in room.rglob("*")
                     if p.name == "CMakeLists.txt" or p.suffix == ".cmake"):
            if "platforms/" in path.read_text(encoding="utf-8"):
                wrong.append(f"{path}: names platforms/, which stands above models/")
    return wrong


def check_systemc_flags(args, flags):
    """SystemC's definitions and include directories are where they belong: a list of lines."""
    lines = flags.read_text(encoding="utf-8").splitlines()
    found = [line for line in lines
             if re.match(r'"-DSC_', line) or re.match(r'"-I.*(systemc|tlm)[^/]*(/include)?"$', line)]
    if args.room in WITHOUT_SYSTEMC:
        return [f"{flags.name}: has SystemC's {line}" for line in found]
    return [] if found else [f"{flags.name}: lacks SystemC's definitions"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--room", required=True, help="the room under test")
    parser.add_argument("--rooms", nargs="+", required=True, help="all rooms CMake knows")
    parser.add_argument("--folders", type=pathlib.Path, nargs="+", required=True,
                        help="the rooms' folders, in the order of --rooms")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the project's folder")
    parser.add_argument("--flags", type=pathlib.Path, nargs="+", required=True,
                        help="files of the room's compiler arguments")
    parser.add_argument("--sources", type=pathlib.Path, nargs="*", default=[],
                        help="a file that lists what the room's library is compiled from")
    parser.add_argument("--compiler", nargs=argparse.REMAINDER, required=True,
                        help="the compiler and its first arguments (last option)")
    args = parser.parse_args()
    args.source = args.source.resolve()
    args.folders = dict(zip(args.rooms, (f.resolve() for f in args.folders)))

    if set(args.rooms) != set(MAY_USE):
        odd = ", ".join(sorted(set(args.rooms) ^ set(MAY_USE)))
        print(f"CMake's rooms and the table of {__file__} differ in: {odd}", file=sys.stderr)
        return 1

    wrong = check_text(args) + check_sources(args)
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        pending = []
        seen = []
        for flags in args.flags:
            wrong += check_systemc_flags(args, flags)
            # Assertions of the standard library change no include.
            view = set(flags.read_text(encoding="utf-8").splitlines()) - {'"-D_GLIBCXX_ASSERTIONS"'}
            if view in seen:
                continue  # its own sources see what its users see
            seen.append(view)
            pending.append(pool.submit(check_allowed, args, flags))
            pending.append(pool.submit(check_refused, args, flags))
        for result in pending:
            wrong += result.result()
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{args.room}: {len(pending)} views checked, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
