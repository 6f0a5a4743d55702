"""Several results beside each other: runs by result and distribution, sweeps by point, sizes by resource,
configurations."""
from . import config, flows_view, numbers, plots, rate_view, run_view, size_view, sweep_view
from .blocks import Cell, Column, Figure, Heading, Table


def runs(results):
    found = [run_view.results_table([r.label for r in results], [r.summary for r in results])]
    flows = [f for f in (run_view.flows_of(r) for r in results) if f.values]
    if len(flows) > 1:
        found = flows_view.distributions(flows) + found
    return [Heading("Runs")] + rate_view.compared([r.label for r in results], [r.summary for r in results]) + found


def sizes(results):
    """Resources of every pipeline of every result."""
    named = []
    for r in results:
        pipelines = r.summary.get("pipelines", [])
        for p in pipelines:
            named.append((r.label if len(pipelines) == 1 else f"{r.label}: {p['name']}", p))
    if len(named) < 2:
        return []
    rows = [[Cell("stages", "stages")] + [Cell(p["stages_used"], numbers.number(p["stages_used"])) for _, p in named]]
    for gress in dict.fromkeys(g for _, p in named for g in (p.get("latency_cycles") or {})):
        rows.append([Cell(gress, f"{gress} cycles")] + [
            Cell((p.get("latency_cycles") or {}).get(gress), numbers.number((p.get("latency_cycles") or {}).get(gress)))
            for _, p in named])
    for resource in dict.fromkeys(r for _, p in named for r in p["resources"]):
        used = [p["resources"].get(resource, {}).get("used") for _, p in named]
        rows.append([Cell(resource, size_view.name_of(resource))] + [Cell(u, numbers.number(u)) for u in used])
    marked = {i: "differs" for i, row in enumerate(rows) if len({c.value for c in row[1:]}) > 1}
    return [Heading("Sizes"), Table([Column("one pipeline")] + [Column(n, True) for n, _ in named], rows, marked=marked,
                                    note="What differs is marked." if marked else "")]


def sweeps(results):
    """Columns that sweeps over the same points share, a line for each sweep."""
    groups = {}
    for r in results:
        rows = r.summary["rows"]["sweep"]
        label, numeric = sweep_view.columns_of(rows)
        groups.setdefault((label, tuple(str(row.get(label, "")) for row in rows)), []).append((r, rows, numeric))
    found = []
    for (label, points), group in groups.items():
        if len(group) < 2:
            continue
        for name in dict.fromkeys(n for _, _, numeric in group for n in numeric):
            lines = [plots.series(r.label, list(points), [row.get(name) for row in rows], "both", i)
                     for i, (r, rows, _) in enumerate(group) if any(row.get(name) for row in rows)]
            if not lines:
                continue
            first, rows, _ = group[0]
            lines += sweep_view.published_marks(first.summary, name, points, len(lines))
            scale = plots.scale_of([v for line in lines for v in line["data"]["y"]])
            spec = plots.xy(plots.axis(label, scale="category", values=list(points)),
                            plots.axis(name, scale=scale, zero=scale == "linear"), lines)
            found.append(Figure(spec, name[0].upper() + name[1:], small=True))
    return [Heading("Sweeps"), *found] if found else []


def blocks(results):
    found = sweeps([r for r in results if r.kind == "sweep"])
    of_runs = [r for r in results if r.kind == "run"]
    if len(of_runs) > 1:
        found += runs(of_runs)
    of_sizes = [r for r in results if r.kind == "size"]
    if len(of_sizes) > 1:
        found += sizes(of_sizes)
    configured = [r for r in results if isinstance(r.summary.get("config"), dict)]
    if len(configured) > 1:
        fold = config.fold([r.label for r in configured], [r.summary["config"] for r in configured])
        fold.opened = True
        found.append(fold)
    return found


def drop_repeated(views):
    """Of several results each configuration is in the common table already."""
    with_config = [v for v in views if any(is_config(b) for b in v.blocks)]
    if len(with_config) > 1:
        for view in with_config:
            view.blocks = [b for b in view.blocks if not is_config(b)]


def is_config(block):
    return block.block == "fold" and block.title == config.TITLE
