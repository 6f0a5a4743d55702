"""What was found, for people and as JSON."""
from collections import Counter

SHOWN = 5  # packets named


def named(packets):
    more = "" if len(packets) <= SHOWN else ", ..."
    return ", ".join(p.shown() for p in packets[:SHOWN]) + more


def counted(n, what):
    return f"{n} {what}{'' if n == 1 else 's'}"


def values_of(found, most):
    """[(our value, their value, packets, first packets of ours)], the most frequent first, and how many are left."""
    count = Counter((a, b) for a, b, _, _ in found)
    rows = [(a, b, n, [m for x, y, m, _ in found if (x, y) == (a, b)][:SHOWN]) for (a, b), n in count.most_common(most)]
    return rows, len(count) - len(rows)


def is_equal(result):
    return not (result.differences or result.missing or result.surplus or result.orders)


def flow_text(flow):
    return f"{flow[0]} > {flow[1]}" + (f" queue pair {flow[3]}" if flow[2] == "qp" else
                                       f" ports {flow[2]} > {flow[3]}" if flow[2] is not None else "")


def text(result, most):
    differ = len(result.pairs) - result.equal
    lines = [f"{counted(len(result.pairs), 'packet')} on both sides: {result.equal} equal, {differ} differ; "
             f"{len(result.missing)} missing (theirs alone), {len(result.surplus)} surplus (ours alone), "
             f"{counted(len(result.orders), 'flow')} in another order"]
    if result.differences:
        lines += ["", f"{'field':26} {'ours':>20} {'theirs':>20} {'packets':>8}  first"]
    for name, found in result.differences.items():
        rows, left = values_of(found, most)
        for a, b, n, first in rows:
            lines.append(f"{name:26} {a!s:>20} {b!s:>20} {n:8}  {named(first)}{', ...' if n > len(first) else ''}")
        if left:
            lines.append(f"{name:26} and {counted(left, 'other pair')} of values in "
                         f"{counted(len(found) - sum(r[2] for r in rows), 'packet')}")
    for title, packets in (("missing", result.missing), ("surplus", result.surplus)):
        if packets:
            lines += ["", f"{title}: {named(packets)}"]
    for flow, n, moved, first in result.orders:
        lines += ["", f"order: {flow_text(flow)}: {moved} of {counted(n, 'packet')} elsewhere, first {first.shown()}"]
    return "\n".join(lines)


def as_json(result):
    return {"schema": 1, "equal": is_equal(result), "matched": len(result.pairs), "equal_packets": result.equal,
            "differences": [{"field": name, "ours": a, "theirs": b, "our_packet": m.shown(), "their_packet": o.shown()}
                            for name, found in result.differences.items() for a, b, m, o in found],
            "missing": [p.shown() for p in result.missing], "surplus": [p.shown() for p in result.surplus],
            "orders": [{"flow": list(flow), "packets": n, "moved": moved, "first": first.shown()}
                       for flow, n, moved, first in result.orders]}
