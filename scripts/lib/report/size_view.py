"""horae size: whether it fits, what is tightest, stage map, objects, NIC memory, remedies."""
from . import numbers, nic_view, published
from .blocks import Bullets, Cell, Column, Figure, Fold, Table, View, cell

# Resources in the vendor's terms.
NAMES = {"sram": "SRAM blocks", "map_ram": "Map RAM blocks", "tcam": "TCAM blocks", "stateful_alu": "stateful ALUs",
         "statistics_alu": "statistics ALUs", "gateway": "gateways", "vliw": "VLIW words",
         "logical_table": "logical tables", "hash_bits": "hash bits", "hash_dist": "hash distribution units",
         "exact_xbar": "exact crossbar bytes", "ternary_xbar": "ternary crossbar bytes",
         "action_data_bus": "action data bus bytes"}


def name_of(resource):
    return NAMES.get(resource, resource.replace("_", " "))


def name_of_objects(resource):
    """Of what one object takes: its VLIW instructions are counted, of which two share a word."""
    return "VLIW instructions" if resource == "vliw" else name_of(resource)


def share(part, whole):
    return part / whole if whole else 0.0


def tightest(pipeline):
    """(share, resource, stage) of what a stage has least of left."""
    best = None
    for stage in pipeline.get("by_stage", []):
        for resource, total in pipeline["resources"].items():
            per_stage = share(total["capacity"], pipeline["stages_used"])
            found = (share(stage.get(resource, 0), per_stage), resource, stage["stage"])
            if best is None or found[0] > best[0]:
                best = found
    return best


def stage_map(pipeline):
    """How full each resource of each stage is; objects by name where the pointer is."""
    stages = pipeline.get("by_stage", [])
    if not stages:
        return []
    resources = [r for r, total in pipeline["resources"].items() if total.get("capacity")]
    cells, texts = [], []
    for resource in resources:
        capacity = share(pipeline["resources"][resource]["capacity"], pipeline["stages_used"])
        cells.append([round(share(s.get(resource, 0), capacity), 4) for s in stages])
        texts.append([stage_text(pipeline, s, resource, capacity) for s in stages])
    spec = {"kind": "heat", "rows": [name_of(r) for r in resources], "columns": [str(s["stage"]) for s in stages],
            "cells": cells, "texts": texts, "column_title": "stage", "legend_title": "of the stage's budget"}
    unused = pipeline["stages"] - pipeline["stages_used"]
    note = f"{unused} more stage{'s' if unused != 1 else ''} of {pipeline['stages']} unused" if unused > 0 else ""
    return [Figure(spec, f"Stage map of {pipeline['name']}", note)]


def stage_text(pipeline, stage, resource, capacity):
    holders = [o["name"] for o in pipeline.get("objects", []) if stage["stage"] in o.get("stages", []) and o.get(resource)]
    text = f"{numbers.number(stage.get(resource, 0))} of {numbers.number(capacity)} {name_of(resource)}"
    if holders:
        text += ": " + ", ".join(holders[:8]) + (f" and {len(holders) - 8} more" if len(holders) > 8 else "")
    return text


def line_of(place):
    """File and line of a place in a source, "mine.p4:12:3"; the path goes, as the page names the file."""
    file, line, _ = (place.rsplit(":", 2) + ["", ""])[:3]
    return file.rsplit("/", 1)[-1], int(line) if line.isdigit() else None


def line_text(place):
    return "{}:{}".format(*line_of(place)) if place else ""


def chain(pipeline):
    """What of the source decides how many stages there are at least: the longest chain, link by link."""
    found = pipeline.get("chain") or {}
    links = [link if isinstance(link, str) else link.get("text", "") for link in found.get("links", [])]
    if not links:
        return []
    return [Bullets([text.replace("`", "") for text in links],
                    f"The longest chain of dependencies of {pipeline['name']} takes {numbers.plain(found.get('stages'))} stages")]


def notes(pipeline):
    """What of a source was taken for something else, with its line."""
    texts = [": ".join(part for part in (line_text(n.get("place")), n.get("object"), n.get("text")) if part)
             for n in pipeline.get("notes", [])]
    return [Fold(f"Taken otherwise than written ({len(texts)})", [Bullets(texts, "")])] if texts else []


def object_map(pipeline):
    """Which object lies in which stages, by gress."""
    objects = [o for o in pipeline.get("objects", []) if o.get("stages")]
    if not objects or not pipeline.get("by_stage"):
        return []
    columns = [s["stage"] for s in pipeline["by_stage"]]
    texts = []
    for o in objects:
        amounts = ", ".join(f"{numbers.number(o[r])} {name_of_objects(r)}" for r in pipeline["resources"] if o.get(r))
        text = ", ".join(part for part in (line_text(o.get("place")), o.get("kind", ""), o.get("gress", "")) if part)
        text = f"{text}; in all {amounts}"
        texts.append([text if c in o["stages"] else None for c in columns])
    spec = {"kind": "heat", "rows": [o["name"] for o in objects], "columns": [str(c) for c in columns],
            "cells": [[1 if c in o["stages"] else None for c in columns] for o in objects],
            "classes": [o.get("gress", "") for o in objects], "texts": texts, "column_title": "stage"}
    return [Fold(f"Where each object lies ({len(objects)})", [Figure(spec, f"Objects of {pipeline['name']} by stage")])]


def totals(pipeline):
    rows = []
    for resource, t in pipeline["resources"].items():
        rows.append([Cell(name_of(resource), name_of(resource)), cell(t["used"]), cell(t["capacity"]),
                     Cell(t["percent"], f"{t['percent']:.2f}"), cell(t.get("chip_capacity")),
                     Cell(t.get("chip_percent"), f"{t['chip_percent']:.2f}" if numbers.is_number(t.get("chip_percent"))
                          else numbers.NONE)])
    columns = [Column("resource"), Column("used", True), Column("in the stages used", True), Column("%", True),
               Column("in the chip", True), Column("% of the chip", True)]
    return Table(columns, rows, f"Resources of {pipeline['name']}, one pipeline")


def objects_table(pipeline):
    objects = pipeline.get("objects", [])
    if not objects:
        return []
    used = [r for r in pipeline["resources"] if any(o.get(r) for o in objects)]
    placed = any(o.get("place") for o in objects)
    rows = []
    for o in objects:
        stages = o.get("stages", [])
        text = ", ".join(str(s) for s in stages)
        source = [Cell(line_of(o["place"])[1] if o.get("place") else None, line_text(o.get("place")))] if placed else []
        rows.append([Cell(o["name"], o["name"]), *source, Cell(o.get("kind"), o.get("kind", "")),
                     Cell(o.get("gress"), o.get("gress", "")), Cell(min(stages, default=None), text)]
                    + [cell(o.get(r, 0)) for r in used])
    columns = [Column("object"), *([Column("source line")] if placed else []), Column("kind"), Column("gress"),
               Column("stages")] + [Column(name_of_objects(r), True) for r in used]
    note = "Two VLIW instructions share a word." if "vliw" in used else ""
    return [Fold(f"What each object takes ({len(objects)})", [Table(columns, rows, note=note)])]


def accounts(pipeline):
    found = pipeline.get("accounts") or {}
    rows = [[Cell(k, k.replace("_", " ")), cell(a.get("value")), Cell(a.get("unit", ""), a.get("unit", "")),
             Cell(a.get("how", ""), a.get("how", ""))] for k, a in found.items() if isinstance(a, dict)]
    if not rows:
        return []
    return [Table([Column("amount"), Column("value", True), Column("unit"), Column("how it is counted", wide=True)], rows,
                  "Memory of what it serves")]


def remedies_text(remedies):
    texts = []
    for changes in remedies:
        changes = changes if isinstance(changes, list) else [changes]
        texts.append(" and ".join(f"{c.get('key')} = {numbers.plain(c.get('fits'))} (now {numbers.plain(c.get('now'))})"
                                  for c in changes))
    return texts


def refused_blocks(summary):
    refused = summary.get("refused", [])
    if not refused:
        return []
    rows = []
    for r in refused:
        need, have = r.get("need"), r.get("have")
        short = need - have if numbers.is_number(need) and numbers.is_number(have) else None
        rows.append([Cell(r.get("object"), str(r.get("object", ""))),
                     Cell(r.get("resource"), name_of(str(r.get("resource", "")))),
                     cell(r.get("stage")) if r.get("stage") is not None else Cell(None, "any"),
                     cell(need), cell(have), cell(short), Cell(r.get("why"), r.get("why") or ""),
                     Cell(r.get("rewrite"), r.get("rewrite") or "")])
    columns = [Column("object"), Column("resource"), Column("stage", True), Column("need", True), Column("have", True),
               Column("shortfall", True), Column("why", wide=True), Column("instead", wide=True)]
    blocks = [Table(columns, rows, "What does not fit")]
    texts = remedies_text(summary.get("remedies", []))
    if texts:
        blocks.append(Bullets(texts, "It would fit with one of these"))
    return blocks


def view(result):
    summary = result.summary
    pipelines, nics = summary.get("pipelines", []), summary.get("nics", [])
    refused = summary.get("refused", [])
    full = [n for n in nics if not n.get("fits", True)]
    answers, key = [], []
    for p in pipelines:
        tight = tightest(p)
        answers.append(f"{p['name']}: {p['stages_used']} of {p['stages']} stages of {p.get('chip', summary.get('chip', ''))}"
                       + (" hold what could be placed" if refused else "")
                       + (f"; fullest is stage {tight[2]} with {tight[0]:.0%} of its {name_of(tight[1])}" if tight else ""))
        key.append((f"{p['name']}: stages", f"{p['stages_used']} of {p['stages']}"))
        cycles = p.get("latency_cycles") or {}
        for gress, n in cycles.items():
            key.append((f"{p['name']}: {gress} latency", f"{numbers.number(n)}\u00a0cycles"))
        for resource in sorted(p["resources"], key=lambda r: -p["resources"][r]["percent"])[:3]:
            total = p["resources"][resource]
            key.append((f"{p['name']}: {name_of(resource)}", f"{numbers.number(total['used'])} ({total['percent']:.1f} %)"))
    for n in nics:
        answers.append(nic_view.sentence(n))
        total = numbers.of_bytes(n["capacity_bytes"]).replace("\u00a0", " ")
        key.append((f"{n['profile']}: chip memory", f"{nic_view.percent(n):.1f} % of {total}"))
    verdict = "fits" if not refused and not full else "does not fit"
    warned = [f"{r.get('object')}: {name_of(str(r.get('resource', '')))}, need {numbers.plain(r.get('need'))}, have "
              f"{numbers.plain(r.get('have'))}" for r in refused[:4]]
    if len(refused) > 4:
        warned.append(f"and {len(refused) - 4} more that do not fit")
    warned += [f"{n['profile']}: its queue pairs need more than the chip has" for n in full]
    warned += [f"{n['profile']}: contexts do not all stay in the cache ({nic_view.limit(n, 'most_queue_pairs_cached')} "
               f"of {numbers.number(n['queue_pairs'])} queue pairs would)" for n in nics
               if n.get("fits", True) and not n.get("all_cached", True)]
    if verdict == "fits" and warned:
        verdict = "fits, but not all contexts in the cache"
    compared = published.sentence(published.entries(summary.get("validation", []), "ours"))
    facts = [(k, str(summary[k])) for k in ("file", "chip") if summary.get(k)]
    if refused:
        warned.append("what was not placed is not counted in the amounts below")
    elif compared:
        facts.append(("published", compared))
    found = View(result.label, "size", "bad" if refused or full else "warn" if warned else "good", verdict,
                 ". ".join(answers) + ".", f"the price of {summary.get('file') or ', '.join(n['profile'] for n in nics)}",
                 key[:8], warned, facts)
    found.blocks = refused_blocks(summary)
    for p in pipelines:
        found.blocks += stage_map(p) + [totals(p)] + accounts(p) + chain(p) + object_map(p) + objects_table(p) + notes(p)
    found.blocks += published.blocks(summary.get("validation", []), "ours")
    if nics:
        found.blocks += nic_view.blocks(nics)
    return found
