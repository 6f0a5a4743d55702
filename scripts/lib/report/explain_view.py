"""horae explain: what share of each hypothesis' space agrees, what that leaves open, what would tell them apart."""
from fractions import Fraction

from . import numbers, plots, published, run_view
from .blocks import Bullets, Cell, Column, Figure, Fold, Heading, Table, Text, View, cell

SHOWN = 4    # hypotheses beside each other in the table of observations
LEAST = 0.0005  # share of time that a bar can show


def share_text(evidence):
    if not evidence:
        return numbers.NONE
    if evidence.get("points"):
        return f"{numbers.number(evidence.get('share'))} \u00b1 {numbers.number(evidence.get('error'))}"
    return f"below {numbers.number(evidence.get('at_most'))}"


def ranking(rows, by_id):
    table = []
    for r in rows:
        name = str(r.get("hypothesis"))
        h = by_id.get(name, {})
        good = h.get("standing") == "consistent"
        evidence = h.get("evidence") or {}
        probability = (h.get("probability") or {}).get("value")
        table.append([cell(r.get("rank")), Cell(name, name), Cell(h.get("title", ""), str(h.get("title", ""))),
                      Cell(evidence.get("share"), share_text(evidence)),
                      Cell(probability, numbers.number(probability) if good else numbers.NONE), cell(r.get("closest")),
                      Cell(r.get("verdict"), ("\u2713 " if good else "") + str(r.get("verdict", "")), "good" if good else "")])
    columns = [Column("rank", True), Column("hypothesis"), Column("mechanism", wide=True), Column("share that agrees"),
               Column("probability", True), Column("closest, tolerances", True), Column("verdict", wide=True)]
    return Table(columns, table, "Ranked by evidence, the share of the space that agrees with every observation; then by "
                 "the closest approach", "probability: if all were as likely before")


def tolerances(by_id, ranked):
    factors = next((h["tolerances"] for h in by_id.values() if h.get("tolerances")), [])
    names = {0.5: "halved", 1: "as declared", 2: "doubled"}
    rows = []
    for i in ranked:
        standings = [str(t.get("standing")) for t in by_id.get(i, {}).get("tolerances", [])]
        if len(set(standings)) > 1:
            rows.append([Cell(i, i)] + [Cell(s, s, "good" if s == "consistent" else "") for s in standings])
    if not rows:
        return [Text("No verdict changes if all tolerances are halved or doubled.")]
    columns = [Column("hypothesis")] + [Column(names.get(t.get("factor"), str(t.get("factor")))) for t in factors]
    return [Table(columns, rows, "Verdicts that change if all tolerances are halved or doubled")]


def interval(i):
    return numbers.NONE if not i else f"{numbers.number(i.get('low'))} to {numbers.number(i.get('high'))}"


def experiments(answered):
    shown = [e for e in answered.get("experiments", []) if e.get("predictions")]
    names = list(dict.fromkeys(p["hypothesis"] for e in shown for p in e["predictions"]))
    rows = []
    for e in shown:
        of = {p["hypothesis"]: p for p in e["predictions"]}
        quantities = [k for k, v in e["predictions"][0].items() if isinstance(v, dict)]
        for n, quantity in enumerate(quantities):
            first = n == 0
            rows.append([Cell(e["id"], str(e.get("title", "")) if first else ""),
                         Cell(e.get("gain_nats"), numbers.number(e.get("gain_nats")) if first else ""),
                         Cell(quantity, quantity.replace("_", " "))]
                        + [Cell((of.get(i, {}).get(quantity) or {}).get("median"), interval(of.get(i, {}).get(quantity)))
                           for i in names])
    if not rows:
        return []
    columns = [Column("what to do", wide=True), Column("gain, nats", True), Column("quantity")] + [Column(n) for n in names]
    return [Heading("What would tell them apart"),
            Table(columns, rows, "Cheapest first, then by expected information gain; 90 % of what each predicts")]


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
            title = f"{numbers.number(e.get('tolerances'))} of what is allowed"
            row.append(Cell(e.get("measured"), text, "good" if within else "bad", title))
        row.append(published.kind_cell(kinds[0]) if len(kinds) == 1 else Cell("differs", "differs"))
        row.append(Cell(first.get("source", ""), str(first.get("source", ""))))
        rows.append(row)
    columns = [Column("observation"), Column("unit"), Column("published", True)] + [Column(n, True) for n in names]
    columns += [Column("kind"), Column("source", wide=True)]
    return [Heading("Published beside ours"),
            Table(columns, rows, f"The closest points of the best {len(names)} hypotheses" if len(names) > 1
                  else "The closest point of the best hypothesis", "\u2713 within rounding and tolerance; points are chosen by "
                  "these numbers")]


def fraction(x):
    if not numbers.is_number(x):
        return str(x)
    found = Fraction(x).limit_denominator(65536)
    return str(found) if float(found) == x and abs(found.numerator) <= 1 else numbers.number(x)


def curves(found_by):
    found = []
    for curve in found_by.get("curves", []):
        points = [fraction(p["x"]) for p in curve["points"]]
        for quantity in curve["quantities"]:
            lines = []
            for i, line in enumerate(curve["lines"]):
                values = [v.get(quantity) for v in line["values"]]
                lines.append(plots.series(line["hypothesis"], points, values, "both", i))
            known = [(x, p["published"][quantity]) for x, p in zip(points, curve["points"])
                     if quantity in (p.get("published") or {})]
            if known:
                lines.append(plots.series("published", [x for x, _ in known], [y for _, y in known], "points", len(lines),
                                          mark="published"))
            if lines:
                spec = plots.xy(plots.axis(curve.get("x_title", ""), scale="category", values=points),
                                plots.axis(quantity.replace("_", " "), zero=True), lines)
                found.append(Figure(spec, f"{curve.get('title') or curve['id']}: {quantity.replace('_', ' ')}", small=True))
    return [Heading("Curves at the closest points"), *found] if found else []


def idle(by_id, ranked):
    """Why the wire is idle, a bar per hypothesis and condition."""
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
    return [Heading("Idle time at the closest points"), *found] if found else []


def asked_facts(found):
    facts = [("observations", str(found.get("observations", ""))), ("hypotheses", str(found.get("hypotheses_file", "")))]
    if found.get("counted_once"):
        facts.append(("counted once", "; ".join(f"{r['id']}, said again as {', '.join(r['again'])}" for r in found["counted_once"])))
    return facts


def accepted_text(unknown):
    left = unknown.get("accepted") or {}
    if "shares" in left:
        pairs = zip(unknown.get("values", []), left["shares"])
        return ", ".join(f"{v} {100 * s:.0f} %" for v, s in pairs if s >= 0.005)
    return f"{left.get('low')} to {left.get('high')}" if left else numbers.NONE


def range_text(unknown):
    return ", ".join(map(str, unknown["values"])) if "values" in unknown else f"{unknown.get('low')} to {unknown.get('high')}"


def hypothesis(h, rank):
    blocks = [Text(str(h.get("verdict", "")))]
    if h.get("predictions"):
        rows = [[Cell(u["name"], u["name"]), Cell(u["kind"], u["kind"]), Cell("", accepted_text(u)), Cell("", range_text(u))]
                for u in h.get("unknowns", []) if u.get("kind") != "seed"]
        blocks.append(Table([Column("unknown", wide=True), Column("kind"), Column("what agrees, 90 %", wide=True),
                             Column("of", wide=True)], rows, "Over the accepted points"))
        rows = [[Cell(p["observation"], p["observation"]), cell(p.get("published")), Cell(p.get("median"), interval(p)),
                 cell(p.get("allowed")), Cell(p.get("unit"), str(p.get("unit", "")))] for p in h["predictions"]]
        blocks.append(Table([Column("observation"), Column("published", True), Column("90 % of ours"),
                             Column("allowed", True), Column("unit")], rows, "Observations over the accepted points"))
    elif h.get("closest"):
        at = "; ".join(f"{k} = {v}" for k, v in h["closest"].get("at", {}).items())
        blocks.append(Text(f"Closest at {at}."))
    return Fold(f"{rank}. {h['id']}: {h.get('title', '')}", blocks)


def conclusion(by_id, ranked):
    """Those that agree, and what is to be said first. What a search did not find may still agree."""
    standing = {name: [i for i in ranked if by_id.get(i, {}).get("standing") == name]
                for name in ("consistent", "not found", "excluded", "impossible")}
    good = standing["consistent"]
    answer = (f"{len(good)} of {len(by_id)} hypotheses agree with the published numbers somewhere in their space: "
              + "; ".join(good) + ".") if good else (
              f"No point of any of {len(by_id)} hypotheses agrees with the published numbers.")
    if standing["not found"]:
        answer += f" Not found, which a longer search may find: {'; '.join(standing['not found'])}."
    out = standing["excluded"] + standing["impossible"]
    return good, answer + (f" Excluded or impossible: {'; '.join(out)}." if out else "")


def view(result):
    summary, answered = result.summary, result.summary["infer"]
    rows = (summary.get("rows") or {}).get("infer", [])
    by_id = {h["id"]: h for h in answered.get("hypotheses", [])}
    ranked = answered.get("ranked") or list(by_id)
    good, answer = conclusion(by_id, ranked)
    if answered.get("conclusion"):
        answer = f"{answered['conclusion']} {answer}"
    validation = [e for e in summary.get("validation", []) if isinstance(e, dict)]
    facts = asked_facts(answered) + run_view.facts(summary)
    key = [("points of a hypothesis", numbers.number(answered.get("points"))), ("different runs", numbers.number(answered.get("runs")))]
    asked = f"which mechanism explains: {answered.get('title', '')} ({answered.get('source', '')})"
    found = View(result.label, "explain", "good" if good else "warn", f"{len(good)} consistent" if good else "none consistent",
                 answer, asked, key, run_view.version_warning(summary), facts)
    found.blocks = [ranking(rows, by_id)] + tolerances(by_id, ranked) + observations(validation, ranked)
    found.blocks += curves(answered) + experiments(answered) + idle(by_id, ranked)
    for a in answered.get("arithmetic", []):
        if a.get("text"):
            found.blocks.append(Fold("What the published numbers say alone" + (f": {a['setting']}" if a.get("setting") else ""),
                                     [Bullets([str(t).strip() for t in a["text"]])]))
    found.blocks += [Heading("Hypotheses")] + [hypothesis(by_id[i], n) for n, i in enumerate(ranked, 1) if i in by_id]
    return found
