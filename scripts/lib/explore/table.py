"""What a study found: study.json and points.csv, and the table that is printed."""
import csv
import io
import os
import re

from lib.common.files import write_json, write_whole
from .ranking import choose, mark_front
from .reader import shown

TOP = 12  # rows of the printed table


def study_json(study, points, version, folder, store):
    """`folder`: that of study.json, which paths of results are relative to. No times and no hosts: however
    often it was stopped and resumed, a study ends with the same bytes."""
    front = mark_front(study, points)
    chosen, why = choose(study, points)
    method = {"kind": study.method.kind, "seed": study.method.seed, "points": study.method.points or len(points)}
    if study.method.kind == "grid":
        del method["seed"]
    if study.method.sampler:
        method.update(sampler=study.method.sampler, batch=study.method.batch)
    return {
        "schema": 1, "study": study.name, "file": study.file, "description": study.description, "version": version,
        "method": method,
        "commands": [{"command": c.kind, "file": c.shown, "point": c.point,
                      "set": [f"{k}={v}" for k, v in c.sets], "options": c.options} for c in study.commands],
        "parameters": [{"name": p.name, "key": ", ".join(p.keys), "unit": p.unit, "doc": p.doc}
                       for p in study.parameters],
        "objectives": [{"name": o.name, "result": o.result, "direction": o.direction, "unit": o.unit}
                       for o in study.objectives],
        "constraints": [{"name": c.name, "result": c.result, "unit": c.unit, "least": c.least, "most": c.most,
                         "fits": c.fits} for c in study.constraints],
        "figures": [{"name": f.name, "result": f.result, "unit": f.unit} for f in study.shown],
        "derived": [{"name": d.name, "value": d.expression.text, "of": d.of, "unit": d.unit} for d in study.derived],
        "fixed": [f"{k}={v}" for k, v in study.fixed],
        "points": [point_json(point, folder, store) for point in points],
        "pareto": front, "chosen": chosen, "chosen_why": why,
        "published": [published_json(p, study, points) for p in study.published]}


def point_json(point, folder, store):
    runs = [{"command": run.kind, "config_hash": run.config_hash, "exit": outcome["exit"],
             "folder": relative(store.place(run.key) / "result", folder)} for run, outcome in point.made]
    last = runs[-1] if runs else {"config_hash": None, "folder": None}
    return {"number": point.number, "parameters": point.parameters, "status": point.status, "reason": point.reason,
            "feasible": point.feasible, "pareto": point.pareto, "unfinished": point.unfinished, "lost": point.lost,
            "timeouts": point.timeouts, "values": point.values,
            "config_hash": last["config_hash"], "folder": last["folder"], "runs": runs}


def relative(path, folder):
    return os.path.relpath(path, folder)


def published_json(published, study, points):
    unit = published.unit or next(f.unit for f in study.figures if f.name == published.figure)
    at = next((p for p in points if all(p.parameters[k] == v for k, v in published.at.items())), None)
    return {"id": published.id, "published": published.value,
            "measured": None if at is None else at.values[published.figure], "unit": unit,
            "source": published.source, "kind": published.kind, "point": None if at is None else at.number,
            "figure": published.figure}


def points_csv(study, points):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [p.name for p in study.parameters]
    figures = [f.name for f in study.figures]
    writer.writerow(["number", *names, "status", "feasible", "pareto", *figures, "unfinished", "lost", "timeouts",
                     "config_hash", "reason"])
    for p in points:
        config_hash = p.made[-1][0].config_hash if p.made else ""
        writer.writerow([p.number, *[plain(p.parameters[n]) for n in names], p.status, int(p.feasible), int(p.pareto),
                         *[plain(p.values[f]) for f in figures], plain(p.unfinished), plain(p.lost),
                         plain(p.timeouts), config_hash, p.reason])
    return out.getvalue()


def plain(value):
    return "" if value is None else value if isinstance(value, str) else shown(value)


def write_study(folder, study, points, version, store):
    """Both files, whole; what study.json holds."""
    content = study_json(study, points, version, folder, store)
    write_whole(folder / "points.csv", points_csv(study, points))
    write_json(folder / "study.json", content)
    return content


# --- printed


def brief(value):
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.6g}"
    return plain(value) if not isinstance(value, int) or isinstance(value, bool) else str(value)


def titled(name, unit):
    return f"{name} ({unit})" if unit else name


def lines_of(rows, left):
    """Columns, the first `left` of them to the left."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    lines = []
    for n, row in enumerate(rows):
        cells = [c.ljust(w) if i < left else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
        if n == 0:
            lines.append("-" * len(lines[0]))
    return lines


def said_of(point):
    """What a point's reason is a reason for."""
    return point.status if point.status != "done" else "infeasible" if point.lacks else "done"


def report(study, points, content, folder):
    """The printed table."""
    order = {o.name: -1 if o.direction == "max" else 1 for o in study.objectives}

    def rank(p):
        cost = [order[o] * p.values[o] if p.values[o] is not None else float("inf") for o in order]
        return (p.number != content["chosen"], not p.pareto, not p.feasible, cost, p.number)

    runs = any(p.unfinished is not None for p in points)
    rows = [["point", *[titled(p.name, p.unit) for p in study.parameters],
             *[titled(f.name, f.unit) for f in study.figures],
             *(["unfinished", "lost", "timeouts"] if runs else []), ""]]
    shown_points = sorted((p for p in points if p.status == "done"), key=rank)[:TOP]
    for p in shown_points:
        mark = "chosen" if p.number == content["chosen"] else "Pareto" if p.pareto else \
            "" if p.feasible else "infeasible"
        rows.append([str(p.number), *[brief(v) for v in p.parameters.values()],
                     *[brief(p.values[f.name]) for f in study.figures],
                     *([brief(n) for n in (p.unfinished, p.lost, p.timeouts)] if runs else []), mark])
    lines = []
    if len(rows) > 1:
        lines += lines_of(rows, 0)
    done = sum(p.status == "done" for p in points)
    if done > len(shown_points):
        lines.append(f"... and {done - len(shown_points)} more")
    counts = {s: sum(p.status == s for p in points) for s in ("done", "refused", "failed", "pending")}
    lines += ["", ", ".join(f"{n} {s}" for s, n in counts.items() if n) +
              f"; {sum(p.feasible for p in points)} feasible, {len(content['pareto'])} on the Pareto front"]
    for status in ("refused", "failed", "infeasible", "done"):
        groups = {}
        for p in points:
            if said_of(p) == status and p.reason:
                groups.setdefault(re.sub(r"\d+(\.\d+)?", "#", p.reason), []).append(p)
        for group in sorted(groups.values(), key=lambda g: (-len(g), g[0].number)):
            some = f"point {group[0].number}" if len(group) == 1 else f"{len(group)} points, such as {group[0].number}"
            lines.append(f"  {status}: {some}: {group[0].reason}")
    if content["chosen"] is not None:
        lines.append(f"chosen: point {content['chosen']}, {content['chosen_why']}")
    else:
        lines.append(f"none chosen: {content['chosen_why']}")
    for p in content["published"]:
        lines.append(f"  {p['id']}: published {p['published']:g}, ours {brief(p['measured'])} {p['unit']}  "
                     f"[{p['source']}]")
    lines.append(f"results in {folder}")
    return "\n".join(lines)
