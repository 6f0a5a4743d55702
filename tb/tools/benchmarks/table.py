"""What was measured: lines of a CSV file that is committed, and what is printed of them."""
import csv
import dataclasses
import pathlib

from lib.common.complaint import Complaint

FILE = pathlib.Path(__file__).resolve().parent / "speed.csv"
KINDS = ("bench", "check")
MOST_GROWTH = 0.05  # of instructions over the recorded line, before --check fails


@dataclasses.dataclass(frozen=True)
class Line:
    """One load at one commit. A number that was not measured is None."""
    commit: str                            # short; with + : changed since
    date: str
    kind: str                              # bench, or check: the small loads of --check
    load: str
    instructions: "float | None" = None    # per packet-hop (replay: per packet)
    hops_per_cpu_s: "float | None" = None
    empty_cpu_s: "float | None" = None     # a run that simulates next to nothing: elaboration and results
    peak_rss_mib: "float | None" = None


FIELDS = [f.name for f in dataclasses.fields(Line)]
DIGITS = {"instructions": 1, "hops_per_cpu_s": 0, "empty_cpu_s": 3, "peak_rss_mib": 1}


def number(text, place):
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        raise Complaint(f"{place}: '{text}' is no number") from None


def read(path=FILE):
    """All lines, oldest first."""
    if not path.exists():
        return []
    lines = []
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        if rows.fieldnames != FIELDS:
            raise Complaint(f"{path.name}: the columns are not {', '.join(FIELDS)}")
        for n, row in enumerate(rows, start=2):
            if None in row or None in row.values() or row["kind"] not in KINDS:
                raise Complaint(f"{path.name}:{n}: is no line of {len(FIELDS)} values and a known kind")
            lines.append(Line(**{k: number(v, f"{path.name}:{n}") if k in DIGITS else v for k, v in row.items()}))
    return lines


def append(lines, path=FILE):
    new = not path.exists()
    with open(path, "a", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        if new:
            rows.writerow(FIELDS)
        for line in lines:
            values = dataclasses.asdict(line)
            rows.writerow(["" if values[k] is None else
                           f"{values[k]:.{DIGITS[k]}f}" if k in DIGITS else values[k] for k in FIELDS])


def latest(lines, kind="bench"):
    """Of each load the line recorded last, in the order in which loads were first recorded."""
    last = {}
    for line in lines:
        if line.kind == kind:
            last[line.load] = line
    return last


def of_commit(lines, commit):
    """Lines of a commit by load, of kind bench; `commit` is its whole hash."""
    return {line.load: line for line in lines
            if line.kind == "bench" and not line.commit.endswith("+") and commit.startswith(line.commit)}


def growth(now, before):
    """By how much a number is larger than before, as a share; None without one of them."""
    return now / before - 1 if now is not None and before else None


def regressions(now, recorded):
    """One sentence for each load whose instructions grew by more than MOST_GROWTH, or that has no line."""
    out = []
    for load, line in now.items():
        if load not in recorded or recorded[load].instructions is None:
            out.append(f"{load}: no recorded line to compare with; tb/tools/bench --record writes one")
            continue
        before = recorded[load]
        more = growth(line.instructions, before.instructions)
        if more > MOST_GROWTH:
            out.append(f"{load}: {line.instructions:.1f} instructions per packet-hop, {100 * more:.1f} % more than the "
                       f"{before.instructions:.1f} recorded at {before.commit}; at most {100 * MOST_GROWTH:.0f} %")
    return out


def cell(value, form, none="-"):
    return none if value is None else format(value, form)


def text(lines, what):
    """The table of models/performance.md. `what`: a load's description by its name."""
    out = [f"{'load':14} {'instr/hop':>9} {'hops/s (CPU)':>12} {'ns/hop':>7} {'start-up s':>10} {'peak MiB':>8}   what"]
    for line in lines:
        ns = 1e9 / line.hops_per_cpu_s if line.hops_per_cpu_s else None
        out.append(f"{line.load:14} {cell(line.instructions, '.0f'):>9} {cell(line.hops_per_cpu_s, '.3g'):>12} "
                   f"{cell(ns, '.0f'):>7} {cell(line.empty_cpu_s, '.2f'):>10} {cell(line.peak_rss_mib, '.0f'):>8}   "
                   f"{what.get(line.load, '')}".rstrip())
    return "\n".join(out)


def comparison(now, before):
    """Both side by side, by load."""
    out = [f"{'load':14} {'instr/hop':>20} {'':>8} {'hops/s (CPU)':>22} {'':>8} {'peak MiB':>16} {'':>8}"]
    for load, line in now.items():
        old = before.get(load)
        if old is None:
            out.append(f"{load:14} not measured before")
            continue

        def pair(field, form):
            a, b = getattr(old, field), getattr(line, field)
            more = growth(b, a)
            return f"{cell(a, form)} -> {cell(b, form)}", "" if more is None else f"{100 * more:+.1f} %"

        (i, di), (h, dh), (m, dm) = (pair("instructions", ".1f"), pair("hops_per_cpu_s", ".3g"),
                                     pair("peak_rss_mib", ".0f"))
        out.append(f"{load:14} {i:>20} {di:>8} {h:>22} {dh:>8} {m:>16} {dm:>8}")
    return "\n".join(line.rstrip() for line in out)
