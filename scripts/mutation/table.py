"""tb/mutation.csv: what became of each mutation that was tried."""
import csv
import io

from exploration.files import write_whole

COLUMNS = ("room", "file", "line", "column", "operator", "before", "after", "text", "verdict", "by", "judged")


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


def summary(rows):
    """Lines: of each room the mutations, how many were caught, equivalent and open."""
    lines = [f"{'room':<10}  mutations  caught  equivalent  survivors  score"]
    for room in [*sorted({r["room"] for r in rows}), "all"]:
        of = [r for r in rows if room in (r["room"], "all") and r["verdict"] != "invalid"]
        caught = sum(r["verdict"] == "caught" or r["judged"].startswith("test ") for r in of)
        equivalent = sum(r["judged"].startswith("equivalent") for r in of)
        score = f"{100 * caught / (len(of) - equivalent):.0f} %" if len(of) > equivalent else "none"
        lines.append(f"{room:<10}  {len(of):>9}  {caught:>6}  {equivalent:>10}  {len(of) - caught - equivalent:>9}  {score:>5}")
    return "\n".join(lines)
