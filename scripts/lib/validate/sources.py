"""Where numbers of a validation come from: points of studies, what a program prints, a file."""
import csv
import json
import re
import subprocess

from lib.explore.execution import ROOT
from lib.explore.outcome import MISSING, find, number
from lib.explore.points import subgrids

from .cube import Cell, Cube


def studied(campaign, rules):
    """Of the points of a study, settled."""
    study = campaign.study
    grids = [(name, [list(row.items()) for row in rows]) for name, _, rows in subgrids(study)]
    cells = []
    for point in campaign.points:
        run = point.made[-1][0] if point.made else None
        summary = campaign.reader.summary(run) if run else None
        status = (summary or {}).get("verdict") or {"pending": "not run", "done": "complete"}.get(point.status, point.status)
        cells.append(Cell(point.parameters, looking(summary, rules), status,
                          tuple(name for name, rows in grids if list(point.parameters.items()) in rows),
                          campaign.store.place(run.key) / "result" if run else None))
    return Cube(study.name, cells, [p.name for p in study.parameters if p.average])


def looking(summary, rules):
    def plain(result):
        value = MISSING if summary is None else find(summary, result)
        return None if value is MISSING else number(value)

    def look(result):
        for rule in rules:
            match = re.fullmatch(rule["result"], result)
            if match:
                other = plain(match.expand(rule["of"])) or 0
                if other < rule["least"] if rule["most"] is None else other > rule["most"]:
                    return None
        return plain(result)
    return look


def read_rule(table):
    """Numbers that are none where another one is below or above."""
    rule = {"result": table.text("result", required=True), "of": table.text("of", required=True),
            "least": table.number("least"), "most": table.number("most")}
    if (rule["least"] is None) == (rule["most"] is None):
        raise table.error(None, "[[rule]]: expected one of 'least' and 'most'")
    table.done()
    return rule


def read_source(table, missing):
    """A cube of [[source]]: rows of CSV that a program of the build prints, or `rows` of a JSON file. Without its
    program or file it is empty, and `missing` says so."""
    name, program, path = table.text("name", required=True), table.texts("program"), table.text("file")
    newer, words = table.text("newer_than"), table.text("missing")
    table.done()
    rows = {}
    if program and (ROOT / program[0]).exists():
        printed = subprocess.run([str(ROOT / program[0]), *program[1:]], cwd=ROOT, capture_output=True, text=True,
                                 check=True).stdout
        rows = list(csv.DictReader(printed.splitlines()))
        return name, Cube(name, [Cell(row, lambda r, row=row: float(row[r])) for row in rows])
    file = ROOT / path
    sources = [f.stat().st_mtime for f in ROOT.glob(newer)] if newer else []
    if path and file.exists() and file.stat().st_mtime >= max(sources, default=0):
        rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    else:
        missing.append(words or f"{name}: needs {program[0] if program else path}")
    return name, Cube(name, [Cell({"row": key}, lambda r, row=row: float(row[r])) for key, row in rows.items()])
