"""horae explain: the ranking, what each hypothesis meets and misses, curves, experiments, idle time."""
from fractions import Fraction

from . import numbers, plots, published, run_view
from .blocks import Bullets, Cell, Column, Figure, Fold, Heading, Table, Text, View, cell

SHOWN = 4    # hypotheses beside each other in the table of observations
LEAST = 0.0005  # share of time that a bar can show


def mark_of(row):
    return "good" if row.get("consistent") else ""


def ranking(rows, titles):
    table = []
    for r in rows:
        name = str(r.get("hypothesis"))
        rms = r.get("rms")
        table.append([cell(r.get("rank")), Cell(name, name), Cell(titles.get(name, ""), titles.get(name, "")),
                      Cell(r.get("verdict"), ("\u2713 " if r.get("consistent") else "") + str(r.get("verdict", "")),
                           mark_of(r)),
                      Cell(rms, f"{rms:.2f}" if numbers.is_number(rms) else numbers.NONE), cell(r.get("parameters")),
                      cell(r.get("fitted")), cell(r.get("predicted")), Cell(r.get("variant"), str(r.get("variant") or "")),
                      Cell(r.get("reaction"), str(r.get("reaction") or numbers.NONE))])
    columns = [Column("rank", True), Column("hypothesis"), Column("mechanism", wide=True), Column("verdict", wide=True),
               Column("rms", True), Column("parameters", True), Column("fitted", True), Column("predicted", True),
               Column("variant"), Column("reaction")]
    return Table(columns, table, "Ranked: consistent first, then by how far they came, then by the root mean square of "
                 "residual / (rounding + tolerance)")


def rms_figure(rows):
    shown = [r for r in rows if numbers.is_number(r.get("rms")) and r["rms"] > 0]
    if len(shown) < 2:
        return []
    series = []
    for style, (name, wanted) in enumerate((("consistent", True), ("not consistent, or not tested", False))):
        values = [r["rms"] if bool(r.get("consistent")) == wanted else None for r in shown]
        if any(v is not None for v in values):
            series.append({"name": name, "style": style, "values": values, "label": [str(r.get("verdict")) for r in shown]})
    spec = plots.bars([str(r["hypothesis"]) for r in shown],
                      plots.axis("root mean square of residual / allowed", scale=plots.scale_of([r["rms"] for r in shown])),
                      series, dots=True, line=1)
    return [Figure(spec, "How far each hypothesis is from the published numbers",
                   "left of 1: within rounding and tolerance on average; excluded are also those that miss a single one")]


def observations(validation, ranked):
    """Published numbers down, the best hypotheses across."""
    names = [h for h in ranked if any(e.get("hypothesis") == h for e in validation)][:SHOWN]
    ids = list(dict.fromkeys(e["id"] for e in validation if "id" in e))
    rows = []
    for i in ids:
        here = {e.get("hypothesis"): e for e in reversed(validation) if e.get("id") == i}
        first = next(e for e in validation if e.get("id") == i)
        kinds = list(dict.fromkeys(str(here[n].get("kind", "")) for n in names if n in here))
        row = [Cell(i, i), Cell(first.get("unit", ""), str(first.get("unit", ""))), cell(first.get("published"))]
        for name in names:
            e = here.get(name)
            if e is None:
                row.append(Cell(None, numbers.NONE))
                continue
            within = e.get("within")
            text = ("\u2713 " if within else "\u2717 ") + numbers.number(e.get("measured"))
            if len(kinds) > 1:
                text += f" {e.get('kind')}"
            title = (f"{numbers.number(e.get('tolerances'))} of what is allowed, "
                     f"spread over seeds {numbers.number(e.get('spread'))}")
            row.append(Cell(e.get("measured"), text, "good" if within else "bad", title))
        row.append(published.kind_cell(kinds[0]) if len(kinds) == 1 else Cell("differs", "differs"))
        row.append(Cell(first.get("source", ""), str(first.get("source", ""))))
        rows.append(row)
    columns = [Column("observation"), Column("unit"), Column("published", True)] + [Column(n, True) for n in names]
    columns += [Column("kind"), Column("source", wide=True)]
    return [Heading("Published beside ours"),
            Table(columns, rows, f"The best {len(names)} hypotheses" if len(names) > 1 else "The best hypothesis",
                  "\u2713 within rounding, tolerance and twice the spread over seeds; calibrated: fitted to, predicted: not; "
                  "differs: fitted to by one, predicted by another")]


def fraction(x):
    if not numbers.is_number(x):
        return str(x)
    found = Fraction(x).limit_denominator(65536)
    return str(found) if float(found) == x and abs(found.numerator) <= 1 else numbers.number(x)


def curves(explain):
    found = []
    for curve in explain.get("curves", []):
        points = [fraction(p["x"]) for p in curve["points"]]
        for quantity in curve["quantities"]:
            lines = []
            for i, line in enumerate(curve["lines"]):
                values = [v.get(quantity) or {} for v in line["values"]]
                mean = [v.get("mean") for v in values]
                low = [m - (v.get("spread") or 0) if m is not None else None for m, v in zip(mean, values)]
                high = [m + (v.get("spread") or 0) if m is not None else None for m, v in zip(mean, values)]
                lines.append(plots.series(line["hypothesis"], points, mean, "both", i, low=low, high=high))
            known = [(x, p["published"][quantity]) for x, p in zip(points, curve["points"])
                     if quantity in (p.get("published") or {})]
            if known:
                lines.append(plots.series("published", [x for x, _ in known], [y for _, y in known], "points", len(lines),
                                          mark="published"))
            if lines:
                spec = plots.xy(plots.axis(curve.get("x_title", ""), scale="category", values=points),
                                plots.axis(quantity.replace("_", " "), zero=True), lines)
                found.append(Figure(spec, f"{curve.get('title') or curve['id']}: {quantity.replace('_', ' ')}", small=True))
    return [Heading("Curves"), *found] if found else []


def experiments(explain):
    survivors = explain.get("survivors", [])
    rows = []
    for e in explain.get("experiments", []):
        best = max(e.get("pairs", []), key=lambda p: p.get("separation") or 0, default=None)
        outcome = []
        for name in survivors:
            values = (e.get("outcomes") or {}).get(name, {})
            quantity = best["quantity"] if best else next(iter(values), "")
            mean = (values.get(quantity) or {}).get("mean")
            outcome.append(Cell(mean, f"{quantity.replace('_', ' ')} {numbers.number(mean)}" if quantity else ""))
        rows.append([Cell(e["id"], e["id"]), Cell(e.get("title"), str(e.get("title", ""))),
                     Cell(e.get("least_separation"), numbers.number(e.get("least_separation"))),
                     cell(e.get("pairs_separated"))] + outcome)
    if not rows:
        return []
    columns = [Column("experiment"), Column("what to do", wide=True), Column("least separation, sigma", True),
               Column("pairs told apart", True)] + [Column(s) for s in survivors]
    return [Heading("Experiments that would tell them apart"),
            Table(columns, rows, "Ranked by the least separation over all pairs of hypotheses that survive" if len(survivors) > 1
                  else "One hypothesis survives: what it predicts")]


def idle(explain, ranked):
    """Why the wire is idle, a bar per hypothesis and condition."""
    by_id = {h["id"]: h for h in explain.get("hypotheses", [])}
    found = []
    conditions = list(dict.fromkeys(c for h in by_id.values() for c in (h.get("idle") or {})))
    for condition in conditions:
        known = [h for h in ranked if condition in (by_id.get(h, {}).get("idle") or {})]
        rows = [h for h in known if any(s > LEAST for s in by_id[h]["idle"][condition].values())]
        causes = list(dict.fromkeys(c for h in rows for c, s in by_id[h]["idle"][condition].items() if s > LEAST))
        if not causes:
            continue
        series = [{"name": c.replace("_", " "), "style": i,
                   "values": [round(by_id[h]["idle"][condition].get(c, 0), 5) for h in rows]} for i, c in enumerate(causes)]
        spec = plots.bars(rows, plots.axis("share of time idle", zero=True), series, True)
        never = len(known) - len(rows)
        note = f"{never} more hypothes{'es' if never > 1 else 'is'}: never idle" if never else ""
        found.append(Figure(spec, f"Why the wire is idle: {condition}", note, small=True))
    return [Heading("Idle time"), *found] if found else []


def plausible_text(found):
    """The range around the fitted value; a bound of the search is said to be one."""
    ends = [f"{found.get(e)}{' (bound)' if found.get(f'{e}_is_bound') else ''}" for e in ("low", "high")]
    return " \u2026 ".join(ends)


def parameters_table(fit):
    rows = []
    for p in (fit.get("parameters") or []) + (fit.get("reaction_parameters") or []):
        plausible = p.get("plausible")
        text = plausible_text(plausible) if isinstance(plausible, dict) else numbers.plain(plausible)
        rows.append([Cell(p.get("key"), str(p.get("key"))), Cell(p.get("value"), str(p.get("value"))),
                     Cell(text, text if plausible else numbers.NONE),
                     Cell(p.get("low"), f"{p.get('low')} \u2026 {p.get('high')}")])
    return Table([Column("parameter"), Column("fitted"), Column("plausible"), Column("searched")], rows)


def hypothesis(h, rank):
    blocks = [Text(str(h.get("mechanism", "")))]
    best = next((v for v in h.get("variants", []) if v.get("variant") == h.get("best_variant")), None)
    if best:
        fits = [f for f in [best.get("without_reaction")] if f] + list(best.get("with_reactions") or [])
        fits = [f for f in fits if isinstance(f, dict)]
        for f in fits:
            if not f.get("parameters") and not f.get("reaction_parameters"):
                continue
            table = parameters_table(f)
            table.caption = (f"{best['variant']}, " + (f"with {f['reaction']}" if f.get("reaction") else "without reaction")
                             + (", consistent" if f.get("consistent") else "")
                             + ("" if f.get("converged", True) else ", search cut short"))
            blocks.append(table)
    turned = [f"{r.get('reading')}: {r.get('verdict')}" for r in h.get("other_readings", []) if r.get("changes")]
    if turned:
        blocks.append(Bullets(turned, "Read the other way, the verdict turns"))
    return Fold(f"{rank}. {h['id']}: {h.get('title', '')}", blocks)


def asked_facts(found):
    """What was asked, of fits or inference."""
    facts = [("observations", str(found.get("observations", ""))), ("hypotheses", str(found.get("hypotheses_file", "")))]
    if found.get("counted_once"):
        facts.append(("counted once", "; ".join(f"{r['id']}, said again as {', '.join(r['again'])}" for r in found["counted_once"])))
    return facts


def view(result):
    summary, explain = result.summary, result.summary["explain"]
    rows = (summary.get("rows") or {}).get("explain", [])
    validation = [e for e in summary.get("validation", []) if isinstance(e, dict)]
    ranked = explain.get("ranked") or [str(r.get("hypothesis")) for r in rows]
    by_id = {h["id"]: h for h in explain.get("hypotheses", [])}
    titles = {i: str(h.get("title", "")) for i, h in by_id.items()}
    good = [str(r["hypothesis"]) for r in rows if r.get("consistent")]
    if good:
        answer = (f"{len(good)} of {len(rows)} hypotheses can show the published numbers: "
                  + "; ".join(f"{g} ({titles.get(g, '')})" for g in good) + ".")
    else:
        answer = f"None of {len(rows)} hypotheses can show the published numbers."
        if rows:
            answer += f" Nearest is {rows[0].get('hypothesis')} ({titles.get(str(rows[0].get('hypothesis')), '')})."
    best = max(explain.get("experiments", []), key=lambda e: e.get("least_separation") or 0, default=None)
    if best and len(good) > 1 and best.get("least_separation"):
        answer += f" What would tell them apart best: {best.get('title')}."
    warned = []
    if explain.get("quick"):
        warned.append("a quick search: what it excludes with \u201csearch cut short\u201d may be consistent after a longer one")
    warned += run_view.version_warning(summary)
    untested = sum(1 for r in rows if "not tested" in str(r.get("verdict")))
    if untested:
        warned.append(f"{untested} hypotheses were not tested with congestion control")
    facts = asked_facts(explain) + run_view.facts(summary)
    key = [("different runs", numbers.number(explain.get("runs"))), ("seeds", numbers.number(explain.get("seeds")))]
    asked = f"which mechanism explains: {explain.get('title', '')} ({explain.get('source', '')})"
    found = View(result.label, "explain", "good" if good else "warn", f"{len(good)} consistent" if good else "none consistent",
                 answer, asked, key, warned, facts)
    found.blocks = [ranking(rows, titles)] + rms_figure(rows) + observations(validation, ranked) + curves(explain)
    found.blocks += experiments(explain) + idle(explain, ranked)
    for a in explain.get("arithmetic", []):
        found.blocks.append(Fold(f"What the published numbers exclude alone: {a.get('variant')}",
                                 [Bullets([str(t).strip() for t in a.get("text", [])])]))
    found.blocks += [Heading("Hypotheses")] + [hypothesis(by_id[i], n) for n, i in enumerate(ranked, 1) if i in by_id]
    return found
