"""A study of scripts/explore: the chosen point, the Pareto front, effects of parameters, what was refused."""
import re

from . import numbers, plots, published
from .blocks import Bullets, Cell, Column, Figure, Fold, Heading, Table, View, cell
from .study_data import CLASSES, TICKS, Data, class_of

EFFECTS = 12  # parameters with a figure of their own
HEAT = 24     # values of a parameter that a heat map has room for
SHOWN_EQUAL = 12  # points of a cell


def pareto_figure(data):
    names = list(data.values)
    if not data.objectives or len(names) < 2:
        return []
    axes = [data.value_axis(n) for n in names]
    x, y, second = axes[1], axes[0], names[1]  # values begin with the objectives
    spec = plots.xy(x, y, data.series(("infeasible", "dominated", "pareto", "chosen")), choose={"x": axes, "y": axes})
    if len(data.objectives) == 2:
        spec["front"] = {"series": "pareto", "with": "chosen", "x": x["column"], "y": y["column"],
                         "less_x": data.objectives[second].get("direction") == "min"}
    lost = sum(len(data.rows[c]) for c in ("refused", "failed", "pending"))
    note = f"{lost} points were refused, failed or are pending: the effects below show where" if lost else ""
    return [Figure(spec, "Objectives of every point", note)]


def effects(data):
    if not data.values:
        return []
    several = list(varied(data))
    moving = data.moving() or list(data.values)
    axes = [data.value_axis(n) for n in moving]
    found = []
    for name in several[:EFFECTS]:
        spec = plots.xy(data.axes[name], axes[0], data.series(CLASSES, strip=True), choose={"y": axes}, effect=True)
        found.append(Figure(spec, f"Effect of {name}", str(data.parameters[name].get("doc") or ""),
                            small=len(data.axes[name].get("values", [])) <= TICKS))
    if not found:
        return []
    left = len(several) - EFFECTS
    blocks = [Heading("Effects of the parameters")] + found
    return blocks + ([Bullets([f"{left} more parameters have no figure of their own"])] if left > 0 else [])


def varied(data):
    """{name: its different values in order} of the parameters that have several."""
    found = {}
    for name in data.parameters:
        values = list(dict.fromkeys(p["parameters"].get(name) for p in data.study["points"]))
        if len(values) > 1:
            numeric = all(numbers.parsed(v) for v in values)
            found[name] = sorted(values, key=lambda v: numbers.parsed(v)[0]) if numeric else values
    return found


def heat_maps(data):
    """Of a study over two parameters: each value over both."""
    found = varied(data)
    if len(found) != 2 or max(len(v) for v in found.values()) > HEAT:
        return []
    (across, columns), (down, rows) = found.items()
    points = {(p["parameters"].get(down), p["parameters"].get(across)): p for p in data.study["points"]}
    if len(points) < len(data.study["points"]):
        return []
    blocks = []
    for name in data.moving():
        value = {at: (p.get("values") or {}).get(name) for at, p in points.items() if p["status"] == "done"}
        known = [v for v in value.values() if numbers.is_number(v)]
        if len(set(known)) < 2:
            continue
        low, high = min(known), max(known)
        at = [[value.get((r, c)) for c in columns] for r in rows]
        unit = data.units.get(name, "")
        spec = {"kind": "heat", "rows": [numbers.plain(r) for r in rows], "columns": [numbers.plain(c) for c in columns],
                "cells": [[None if v is None else round((v - low) / (high - low), 4) for v in row] for row in at],
                "labels": [["" if v is None else f"{v:.3g}" for v in row] for row in at], "range": [low, high],
                "texts": [[f"{name} {numbers.quantity(v, unit)}" if v is not None else None for v in row] for row in at],
                "column_title": f"{across} (rows: {down})", "legend_title": f"{name}, {unit}" if unit else name}
        blocks.append(Figure(spec, f"{name} over {across} and {down}", "empty: no result there" if None in sum(at, []) else ""))
    return blocks


def parallel_figure(data):
    moving = data.moving()
    axes = [data.axes[n] for n in data.parameters] + [data.value_axis(n) for n in moving]
    if len(axes) < 3:
        return []
    still = [n for n in data.values if n not in moving]
    note = f"The same in every point: {', '.join(still)}" if still else ""
    spec = {"kind": "parallel", "axes": axes, "series": data.series(CLASSES)}
    for s in spec["series"]:
        s["off"] = s["mark"] in ("pending", "failed")
    return [Figure(spec, "Every point over all parameters and values", note)]


def point_cells(data, point, with_class=False):
    row = [Cell(point["number"], str(point["number"]), href=point.get("page", ""))]
    for name in data.parameters:
        value = point["parameters"].get(name)
        sorted_by = numbers.parsed(value)
        row.append(Cell(sorted_by[0] if sorted_by else value, numbers.plain(value)))
    row += [cell((point.get("values") or {}).get(n)) for n in data.values]
    row += [cell(point.get(n)) for n in data.losses]
    if with_class:
        c = class_of(data.study, point)
        row += [Cell(c, c), Cell(point.get("reason") or "", str(point.get("reason") or "")[:300])]
    return row


def point_columns(data):
    found = [Column("point", True)]
    found += [Column(f"{n}, {e['unit']}" if e.get("unit") else n, data.is_number(n))
              for n, e in data.parameters.items()]
    found += [Column(f"{n}, {data.units[n]}" if data.units.get(n) else n, True) for n in data.values]
    return found + [Column(n, True) for n in data.losses]


def front_table(data):
    front = data.rows["chosen"] + data.rows["pareto"]
    if not front:
        return []
    chosen = data.study.get("chosen")
    front.sort(key=lambda p: (p["number"] != chosen, p["number"]))
    alike = {}
    for p in front:
        objectives = tuple((p.get("values") or {}).get(n) for n in data.objectives)
        alike.setdefault(objectives if None not in objectives else p["number"], []).append(p)
    shown = sorted(alike.values(), key=lambda points: points[0]["number"])
    marked = {i: "chosen" for i, points in enumerate(shown) if points[0]["number"] == chosen}
    title = "The Pareto front" + (": the chosen point is marked" if marked else "")
    return [Table([*point_columns(data), *([Column("equal points")] if len(shown) < len(front) else [])],
                  [point_cells(data, points[0]) + ([equals(points[1:])] if len(shown) < len(front) else []) for points in shown],
                  title, marked=marked)]


def equals(points):
    """Points with the same objectives as the one of the row, by number."""
    text = ", ".join(str(p["number"]) for p in points[:SHOWN_EQUAL])
    more = f" and {len(points) - SHOWN_EQUAL} more" if len(points) > SHOWN_EQUAL else ""
    return Cell(len(points), text + more)


def reasons(data):
    groups = {}
    for c in ("refused", "failed", "pending", "infeasible"):
        for p in data.rows[c]:
            if c == "infeasible" and not p.get("reason"):
                continue  # it breaks a constraint, which its figures show
            # Reasons that differ only in their numbers are one.
            reason = str(p.get("reason") or "")
            groups.setdefault((c, re.sub(r"\d+(\.\d+)?", "#", reason)), []).append((p["number"], reason))
    if not groups:
        return []
    rows = []
    for (status, _), found in sorted(groups.items(), key=lambda g: -len(g[1])):
        points, reason = [n for n, _ in found], found[0][1]
        if any(r != reason for _, r in found):
            reason += " (the others with other numbers)"
        shown = ", ".join(str(n) for n in points[:8]) + (f" and {len(points) - 8} more" if len(points) > 8 else "")
        rows.append([Cell(len(points), numbers.number(len(points))), Cell(status, status), Cell(reason, reason[:400]),
                     Cell(points[0], shown)])
    return [Heading("What does not count, and why"),
            Table([Column("points", True), Column("status"), Column("reason", wide=True), Column("numbers", wide=True)], rows)]


def command_text(entry):
    if not isinstance(entry, dict):
        return numbers.plain(entry)
    parts = [f"horae {entry.get('command')}", str(entry.get("file") or "")]
    parts += [f"--point {entry['point']}"] if entry.get("point") is not None else []
    return " ".join([p for p in parts if p] + [f"--set {s}" for s in entry.get("set") or []])


def constraint_text(entry):
    if not isinstance(entry, dict):
        return numbers.plain(entry)
    name, unit = str(entry.get("name") or entry.get("result") or ""), str(entry.get("unit") or "")
    parts = [f"{name} {word} {numbers.plain(entry[key])} {unit}".strip()
             for key, word in (("least", "\u2265"), ("most", "\u2264")) if entry.get(key) is not None]
    if entry.get("fits"):
        parts.append("the design fits the chip")
    result = entry.get("result")
    return " and ".join(parts or [name]) + (f" ({result})" if result and result != name else "")


def derived_text(entry):
    text = sentence_of(entry)
    if isinstance(entry, dict) and "value" in entry:
        text = f"{entry.get('name')} = {entry['value']}" + (f", {entry['unit']}" if entry.get("unit") else "")
    return text


def sentence_of(entry):
    """An entry of constraints or fixed, which may be a text."""
    if not isinstance(entry, dict):
        return numbers.plain(entry)
    return ", ".join(f"{k} {numbers.plain(v)}" for k, v in entry.items() if v not in (None, ""))


def view(result, block):
    study = result.summary
    data = Data(study, block)
    count = {c: len(r) for c, r in data.rows.items()}
    total = len(study["points"])
    chosen = data.rows["chosen"][0] if data.rows["chosen"] else None
    key, answer = [], ""
    if chosen:
        setting = ", ".join(f"{n} {numbers.plain(v)}" for n, v in chosen["parameters"].items())
        answer = f"Chosen: point {chosen['number']} ({setting}). "
        key = [(n, numbers.quantity((chosen.get("values") or {}).get(n), data.units.get(n, ""))) for n in data.values]
    on_front = count["pareto"] + count["chosen"]
    parts = [f"{numbers.number(on_front)} on the Pareto front", f"{numbers.number(count['dominated'])} dominated"]
    parts += [f"{numbers.number(count[c])} {c}"
              for c in ("infeasible", "refused", "failed", "pending") if count[c]]
    answer += f"{numbers.number(total)} points: {', '.join(parts)}."
    warned = []
    if count["pending"]:
        warned.append(f"{numbers.number(count['pending'])} points are pending: the study is not finished")
    if count["failed"]:
        warned.append(f"{numbers.number(count['failed'])} point{'s' if count['failed'] > 1 else ''} failed: see the reasons")
    if not on_front:
        warned.append("no point is feasible")
    facts = [("study file", str(study.get("file") or "")), ("version", str(study.get("version") or "")),
             ("method", sentence_of(study.get("method") or "")),
             ("commands", "; ".join(command_text(c) for c in study.get("commands") or [])),
             ("rule of choice", str(study.get("chosen_why") or "")),
             ("its results", str((chosen or {}).get("folder") or ""))]
    directions = ", ".join(f"{'less' if o.get('direction') == 'min' else 'more'} {n}" for n, o in data.objectives.items())
    asked = str(study.get("description") or study["study"])
    facts.insert(0, ("objectives", directions))
    compared = published.sentence(published.entries(study.get("published", [])))
    if compared:
        facts.append(("published", compared))
    state = "bad" if not on_front else "warn" if count["pending"] else "good"
    verdict = f"point {chosen['number']} chosen" if chosen else f"{on_front} on the front"
    found = View(result.label, "study", state, verdict, answer, asked, key[:8], warned, [f for f in facts if f[1]])
    found.blocks = pareto_figure(data) + front_table(data) + heat_maps(data) + parallel_figure(data) + effects(data)
    found.blocks += published.blocks(study.get("published", [])) + reasons(data)
    asked_for = []
    if study.get("constraints"):
        asked_for.append(Bullets([constraint_text(c) for c in study["constraints"]], "Constraints"))
    if study.get("derived"):
        asked_for.append(Bullets([derived_text(d) for d in study["derived"]], "Derived"))
    if study.get("fixed"):
        asked_for.append(Bullets([sentence_of(c) for c in study["fixed"]], "The same in every point"))
    docs = [[Cell(n, n), Cell(e.get("key"), numbers.plain(e.get("key"))), Cell(e.get("unit"), str(e.get("unit") or "")),
             Cell(e.get("doc"), str(e.get("doc") or ""))] for n, e in data.parameters.items()]
    asked_for.append(Table([Column("parameter"), Column("key", wide=True), Column("unit"), Column("what it is", wide=True)], docs,
                           "Parameters"))
    found.blocks.append(Fold("Constraints and parameters", asked_for))
    columns = point_columns(data) + [Column("class"), Column("reason", wide=True)]
    every = Table(columns, [point_cells(data, p, True) for p in study["points"]],
                  marked={i: "chosen" for i, p in enumerate(study["points"]) if p["number"] == study.get("chosen")})
    found.blocks.append(Fold(f"All {numbers.number(total)} points", [every]))
    return found, data.shared()
