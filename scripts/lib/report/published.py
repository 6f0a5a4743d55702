"""Published numbers beside ours: table, ratios as a picture, one sentence."""
import math

from . import numbers, plots
from .blocks import Cell, Column, Figure, Heading, Table, View


def ratio_of(ours, published):
    if not numbers.is_number(ours) or not numbers.is_number(published) or published == 0:
        return None
    return ours / published


def difference(ours, published, unit):
    if not numbers.is_number(ours) or not numbers.is_number(published):
        return Cell(None, numbers.NONE)
    value = ours - published
    sign = "+" if value > 0 else ""
    return Cell(value, sign + numbers.number(value))


def kind_cell(kind):
    return Cell(kind, kind, f"kind kind-{kind}" if kind in ("calibrated", "predicted") else "") if kind \
        else Cell(None, numbers.NONE)


def entries(validation, ours="measured"):
    """Lists of JSON as they are in run's, size's and study's files, in one form."""
    found = []
    for entry in validation:
        if isinstance(entry, dict):
            found.append({**entry, "ours": entry.get(ours, entry.get("ours"))})
    return found


def name_of(entry):
    name = str(entry.get("id") or entry.get("quantity") or "")
    return f"{entry['design']} {name}" if entry.get("design") and not entry.get("id") else name


def table(found):
    extra = [k for k in ("quantity", "point", "metric", "hypothesis", "condition")
             if any(e.get(k) not in (None, "") and e.get(k) != name_of(e) for e in found)]
    last = [k for k in ("source", "note") if any(e.get(k) for e in found)]
    columns = [Column("published number")] + [Column(k) for k in extra]
    columns += [Column("published", True), Column("ours", True), Column("unit"), Column("ours \u2212 published", True),
                Column("ratio", True), Column("kind")] + [Column(k, wide=True) for k in last]
    rows = []
    for e in found:
        ratio = ratio_of(e["ours"], e.get("published"))
        row = [Cell(name_of(e), name_of(e))] + [Cell(str(e.get(k) or ""), str(e.get(k) or "")) for k in extra]
        row += [number_cell(e.get("published")), number_cell(e["ours"]), Cell(e.get("unit") or "", e.get("unit") or ""),
                difference(e["ours"], e.get("published"), e.get("unit")),
                Cell(ratio, numbers.NONE if ratio is None else f"{ratio:.3f}"), kind_cell(e.get("kind"))]
        row += [Cell(str(e.get(k) or ""), str(e.get(k) or "")) for k in last]
        rows.append(row)
    return Table(columns, rows, "Published beside ours")


def number_cell(value):
    return Cell(value, numbers.number(value)) if numbers.is_number(value) else Cell(None, numbers.NONE)


def figure(found):
    """Ratios on one axis, from three on; zero and missing ones are in the table only."""
    shown = [(e, ratio_of(e["ours"], e.get("published"))) for e in found]
    shown = [(e, r) for e, r in shown if r is not None and r > 0]
    if len(shown) < 3 or len(shown) > 60:
        return None
    rows = []
    for e, _ in shown:
        name = name_of(e)
        name += "".join(f" · {e[k]}" for k in ("hypothesis",) if e.get(k))
        while name in rows:
            name += " "
        rows.append(name)
    all_series = []
    for style, kind in enumerate(sorted({e.get("kind") or "" for e, _ in shown})):
        values = [r if (e.get("kind") or "") == kind else None for e, r in shown]
        labels = [f"published {numbers.number(e.get('published'))}, ours {numbers.number(e['ours'])} {e.get('unit') or ''}"
                  for e, _ in shown]
        all_series.append({"name": kind or "ours / published", "style": style, "values": values, "label": labels})
    ratios = [r for _, r in shown]
    scale = "log" if max(ratios) / min(ratios) > 5 else "linear"
    spec = plots.bars(rows, plots.axis("ours / published", scale=scale), all_series, dots=True, line=1)
    left = len(found) - len(shown)
    note = f"{left} without a positive ratio {'are' if left > 1 else 'is'} in the table only" if left else ""
    return Figure(spec, "Ratio of ours to the published number", note)


def sentence(found):
    """One line for the card; nothing where there is nothing."""
    ratios = sorted((ratio_of(e["ours"], e.get("published")) for e in found), key=lambda r: (r is None, r))
    known = [r for r in ratios if r is not None and math.isfinite(r) and r > 0]
    turned = sum(1 for r in ratios if r is not None and r < 0)
    equal = sum(1 for e in found if numbers.is_number(e["ours"]) and e["ours"] == e.get("published"))
    if not found:
        return ""
    text = f"{len(found)} published number{'s' if len(found) != 1 else ''}"
    if known:
        text += f", ours over published {known[0]:.2f}" + (f" to {known[-1]:.2f}" if len(known) > 1 else "")
    if equal:
        text += f", {equal} equal"
    if turned:
        text += f", {turned} of the other sign"
    missing = sum(1 for e in found if not numbers.is_number(e["ours"]))
    if missing:
        text += f", {missing} without a number of ours"
    return text


def blocks(validation, ours="measured"):
    found = entries(validation, ours)
    if not found:
        return []
    picture = figure(found)
    return [Heading("Published beside ours")] + ([picture] if picture else []) + [table(found)]


def view(result):
    """The summary of scripts/validate: nothing but published numbers beside ours."""
    validation = result.summary["validation"]
    found = entries(validation)
    missing = sum(1 for e in found if not numbers.is_number(e["ours"]))
    kinds = [str(e.get("kind") or "") for e in found]
    answer = f"{sentence(found)}." if found else "Nothing is compared."
    page = View(result.label, "validation", "warn" if missing else "good", f"{len(found) - missing} of {len(found)} compared",
                answer, "how ours compares with what was published",
                [(k, numbers.number(kinds.count(k))) for k in dict.fromkeys(kinds) if k],
                [f"published numbers without one of ours: {missing}"] if missing else [])
    page.blocks = blocks(validation)
    return page
