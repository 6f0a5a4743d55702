"""tb/mutation.csv: what became of each mutation that was tried."""
import csv
import io

from lib.common.files import write_whole

COLUMNS = ("room", "file", "line", "column", "operator", "before", "after", "text", "verdict", "by", "judged")
BY_HAND = "by hand"  # the operator of mutations that none of ours makes


def read(file):
    if not file.exists():
        return []
    with open(file, encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def key(row):
    return (row["file"], row["text"], int(row["column"]), row["operator"], row["before"], row["after"])


def write(file, rows):
    """Whole or not at all; sorted by place, so that the order of work does not show."""
    lines = io.StringIO(newline="")
    writer = csv.DictWriter(lines, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(sorted(rows, key=lambda r: (r["room"], r["file"], int(r["line"]), int(r["column"]), r["after"])))
    write_whole(file, lines.getvalue())


def tried(rows):
    """Those that a score counts: drawn, compiled and tried. What was written by hand is known to be interesting."""
    return [r for r in rows if r["verdict"] in ("caught", "survived") and r["operator"] != BY_HAND]


def counts(rows):
    """(mutations, caught, equivalent) of these rows; caught too what a test catches that was written since."""
    caught = sum(r["verdict"] == "caught" or r["judged"].startswith("test ") for r in rows)
    return len(rows), caught, sum(r["judged"].startswith("equivalent") for r in rows)


def summary(rows):
    """Lines: of each room the mutations, how many were caught, equivalent and open."""
    lines = [f"{'room':<10}  mutations  caught  equivalent  survivors  score"]
    groups = [(room, [r for r in tried(rows) if r["room"] == room]) for room in sorted({r["room"] for r in rows})]
    groups.append(("all", tried(rows)))
    if by_hand := [r for r in rows if r["operator"] == BY_HAND and r["verdict"] in ("caught", "survived")]:
        groups.append((BY_HAND, by_hand))
    for name, of in groups:
        n, caught, equivalent = counts(of)
        score = f"{100 * caught // (n - equivalent)} %" if n > equivalent else "none"
        lines.append(f"{name:<10}  {n:>9}  {caught:>6}  {equivalent:>10}  {n - caught - equivalent:>9}  {score:>5}")
    return "\n".join(lines)
