"""A sweep: its table and its curves, the points' distributions, what differs between them."""
from . import config, flows_view, numbers, plots, published, run_view
from .blocks import Cell, Column, Figure, Fold, Heading, Table, Text, View, table_of

TAKEN = ("verdict",)


def columns_of(rows):
    names = list(dict.fromkeys(k for r in rows for k in r))
    label = names[0] if names else ""
    numeric = [n for n in names[1:] if n not in TAKEN and any(numbers.is_number(r.get(n)) for r in rows)]
    return label, numeric


def metric_of(summary, title):
    for column in (summary["config"].get("sweep") or {}).get("column", []):
        if column.get("title") == title:
            return column.get("metric")
    return None


def published_marks(summary, title, points, style):
    """A series of what was published of a column; none where nothing was."""
    metric = metric_of(summary, title)
    marks = {str(e.get("point")): e.get("published") for e in summary.get("validation", [])
             if metric and e.get("metric") == metric}
    at = [p for p in points if p in marks]
    return [plots.series("published", at, [marks[p] for p in at], "points", style, mark="published")] if at else []


def curves(summary, rows):
    label, numeric = columns_of(rows)
    points = [str(r.get(label, "")) for r in rows]
    found = []
    for name in numeric:
        values = [r.get(name) for r in rows]
        if not any(values):
            continue
        metric = metric_of(summary, name)
        lines = [plots.series("ours", points, values, "both", 0)]
        lines += published_marks(summary, name, points, 1)
        scale = plots.scale_of([v for line in lines for v in line["data"]["y"]])
        spec = plots.xy(plots.axis(label, scale="category", values=points),
                        plots.axis(name, scale=scale, zero=scale == "linear"), lines, legend=len(lines) > 1)
        found.append(Figure(spec, name[0].upper() + name[1:], metric or "", small=True))
    still = [n for n in numeric if not any(r.get(n) for r in rows)]
    return found, still


def overrides(summary):
    entries = (summary["config"].get("sweep") or {}).get("point", [])
    rows = [[Cell(str(p.get("label", "")), str(p.get("label", ""))),
             Cell(" ".join(p.get("set", [])), " ".join(p.get("set", [])))] for p in entries]
    if not rows:
        return []
    title = (summary["config"].get("sweep") or {}).get("label_title") or "point"
    return [Fold("What each point sets", [Table([Column(title), Column("overrides", wide=True)], rows)])]


def view(result):
    summary = result.summary
    rows = summary["rows"]["sweep"]
    label, numeric = columns_of(rows)
    title = (summary["config"].get("sweep") or {}).get("title", "")
    bad = [r for r in rows if r.get("verdict", "complete") != "complete"]
    verdict = summary["verdict"]
    ranges = []
    for name in numeric:
        there = [r[name] for r in rows if numbers.is_number(r.get(name))]
        if any(there):
            text = numbers.number(min(there))
            last = numbers.number(max(there))
            ranges.append((name, text if text == last else f"{text} \u2026 {last}"))
    warned = [f"point {r.get(label)}: {r.get('verdict')}" for r in bad] + run_view.version_warning(summary)
    missing = len(rows) - len(result.points)
    if missing:
        warned.append(f"{missing} of {len(rows)} points have no folder in points/: their flows and series are not shown")
    compared = published.sentence(published.entries(summary.get("validation", [])))
    answer = f"{len(rows)} points over {label}" + (f": {compared}." if compared else ".")
    found = View(result.label, "sweep", "bad" if any(r.get("verdict") == "stuck" for r in bad) else
                 "warn" if bad else run_view.STATES.get(verdict, "warn"),
                 verdict if not bad else f"{len(bad)} of {len(rows)} points not complete", answer,
                 title or run_view.asked(summary), ranges[:8], warned, run_view.facts(summary))
    pictures, still = curves(summary, rows)
    table = table_of(rows, title or "Points")
    table.note = f"Zero in every point: {', '.join(still)}." if still else ""
    found.blocks = [table] + pictures + published.blocks(summary.get("validation", []))
    runs = result.points
    for p in runs:
        p.label = f"{label} {p.label}"
    flows = [f for f in (run_view.flows_of(p) for p in runs) if f.values]
    distributions = flows_view.distributions(flows) if flows else []
    if distributions:
        found.blocks += [Heading("Messages and connections")] + distributions
    if any((p.folder / "series.csv").is_file() for p in runs):
        found.blocks.append(Text("What happens over time in a point is in a report of its own folder in points/.", "note"))
    if runs:
        results = run_view.results_table([p.label for p in runs], [p.summary for p in runs])
        found.blocks.append(Fold("All results of every point", [results]))
    found.blocks += overrides(summary) + run_view.assumptions(summary)
    found.blocks.append(config.fold([result.label], [summary["config"]]))
    return found
