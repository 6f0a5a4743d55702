"""horae explain --infer: what share of each hypothesis' space agrees, what that leaves open, what would tell them apart."""
from . import explain_view, numbers, run_view
from .blocks import Cell, Column, Fold, Heading, Table, Text, View, cell


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


def experiments(infer):
    shown = [e for e in infer.get("experiments", []) if e.get("predictions")]
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
    summary, infer = result.summary, result.summary["infer"]
    rows = (summary.get("rows") or {}).get("infer", [])
    by_id = {h["id"]: h for h in infer.get("hypotheses", [])}
    ranked = infer.get("ranked") or list(by_id)
    good, answer = conclusion(by_id, ranked)
    validation = [e for e in summary.get("validation", []) if isinstance(e, dict)]
    facts = explain_view.asked_facts(infer) + run_view.facts(summary)
    key = [("points of a hypothesis", numbers.number(infer.get("points"))), ("different runs", numbers.number(infer.get("runs")))]
    asked = f"which mechanism explains: {infer.get('title', '')} ({infer.get('source', '')})"
    found = View(result.label, "infer", "good" if good else "warn", f"{len(good)} consistent" if good else "none consistent",
                 answer, asked, key, run_view.version_warning(summary), facts)
    found.blocks = [ranking(rows, by_id)] + tolerances(by_id, ranked) + explain_view.observations(validation, ranked)
    found.blocks += experiments(infer)
    found.blocks += [Heading("Hypotheses")] + [hypothesis(by_id[i], n) for n, i in enumerate(ranked, 1) if i in by_id]
    return found
