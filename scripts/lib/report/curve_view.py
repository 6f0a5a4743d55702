"""horae size --most: the largest value that fits, over the values of others."""
from . import numbers, plots
from .blocks import Cell, Column, Figure, Table, View, cell


def figure(summary, most, axes, points):
    """Over the axis with most values, a line for each value of the others."""
    along = max(axes, key=lambda a: len(a["values"]))
    others = [a["key"] for a in axes if a is not along]
    groups = {}
    for p in points:
        groups.setdefault(", ".join(f"{k.split('.')[-1]} {p['at'].get(k)}" for k in others), []).append(p)
    parsed = [numbers.parsed(v) for v in along["values"]]
    is_line = all(parsed) and len({unit for _, unit in parsed}) == 1
    lines = []
    for i, (name, group) in enumerate(groups.items()):
        xs = [p["at"].get(along["key"]) for p in group]
        labels = [f"binding: {p.get('binding') or 'nothing'}" + (f" ({p['object']})" if p.get("object") else "") for p in group]
        if is_line:
            xs = [numbers.parsed(x)[0] for x in xs]
        lines.append(plots.series(name or most, xs, [p.get("value") for p in group], "both", i, label=labels))
    values = [v for line in lines for v in line["data"]["y"]]
    x = plots.axis(along["key"], parsed[0][1] if is_line else "",
                   plots.scale_of([p[0] for p in parsed], 8) if is_line else "category", values=along["values"])
    if is_line:
        x["ticks"] = [p[0] for p in parsed]
    scale = plots.scale_of(values, 20)
    return Figure(plots.xy(x, plots.axis(f"most {most}", scale=scale, zero=scale == "linear"), lines, legend=len(lines) > 1),
                  f"Largest {most} that fits")


def view(result):
    summary = result.summary
    most, axes, points = summary["most"], summary["axes"], summary["points"]
    values = [p["value"] for p in points if numbers.is_number(p.get("value"))]
    if values:
        answer = f"{most} fits up to {numbers.number(min(values))}"
        answer += f" to {numbers.number(max(values))}, depending on {', '.join(a['key'] for a in axes)}." \
            if min(values) != max(values) else "."
    else:
        answer = f"No value of {most} fits."
    bound = sorted({str(p["binding"]) for p in points if p.get("binding")})
    none = len(points) - len(values)
    keys = [a["key"] for a in axes]
    rows = [[Cell(p["at"].get(k), str(p["at"].get(k, ""))) if not numbers.parsed(p["at"].get(k))
             else Cell(numbers.parsed(p["at"][k])[0], str(p["at"][k])) for k in keys]
            + [cell(p.get("value")), Cell(p.get("binding"), p.get("binding") or numbers.NONE),
               Cell(p.get("object"), p.get("object") or ""), Cell(p.get("why"), p.get("why") or "")] for p in points]
    columns = [Column(k, True) for k in keys] + [Column(f"most {most}", True), Column("binding"), Column("object"),
                                                 Column("one more", wide=True)]
    found = View(result.label, "size --most", "good" if values and not none else "warn", f"{len(points)} points", answer,
                 f"the largest {most} that fits {summary.get('file', '')}",
                 [("least", numbers.number(min(values))), ("most", numbers.number(max(values)))] if values else [],
                 [f"{none} points have no value that fits"] if none else [],
                 [("file", str(summary.get("file", "")))] + ([("binding", ", ".join(bound))] if bound else []))
    found.blocks = ([figure(summary, most, axes, points)] if axes and values else []) + [
        Table(columns, rows, "Binding: twice as much of it in a stage would let one more in; stages: the chain of "
              "dependent objects is what is too long")]
    return found
