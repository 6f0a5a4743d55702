"""A run: verdict, results, published numbers, distributions, time series, counters, configuration."""
import re

from . import config, flows_view, network_view, numbers, published, rate_view, recovery_view, replay_view, series_view, waterfall_view
from .blocks import Bullets, Cell, Column, Fold, Heading, Table, View, table_of

STATES = {"complete": "good", "error": "warn", "timeout": "warn", "stuck": "bad", "refused": "bad"}
MEANINGS = {"error": "queue pairs gave up: their messages ended with an error",
            "timeout": "messages were unfinished when the duration ended",
            "stuck": "no progress: packets or messages wait for what never comes",
            "refused": "the chip does not hold the design"}

# Results that an architect looks at first, in this order.
KEY_RESULTS = ("collectives.cct_max", "collectives.cct_mean", "fct.mean", "fct.p99", "fct.slowdown_mean",
               "fct.slowdown_p99", "fct.throughput", "queries.qct_mean", "queries.qct_p99", "senders.tx_share",
               "senders.goodput", "senders.goodput_ratio", "senders.nacks_per_packet", "senders.timeouts",
               "receivers.reorder_mean", "receivers.reorder_max", "flows.fct_p50", "flows.fct_p99")
KEY_COUNT = 8


def result_value(summary, name):
    entry = summary["results"].get(name)
    return entry if isinstance(entry, dict) else {"value": entry, "unit": ""}


def key_figures(summary):
    found = []
    for name in KEY_RESULTS:
        entry = result_value(summary, name)
        if numbers.is_number(entry.get("value")) and len(found) < KEY_COUNT:
            found.append((name, numbers.quantity(entry["value"], entry.get("unit", ""))))
    return found


def outcome(summary):
    """What became of the traffic, a sentence for each kind: collectives, schedules, queries, messages."""
    found = []
    groups = [g["cct_us"] for g in (summary.get("rows") or {}).get("groups", []) if "cct_us" in g]
    ended = [t for t in groups if numbers.is_number(t)]
    if groups:
        many = f"{numbers.number(len(ended))} of {numbers.number(len(groups))} collectives ended"
        found.append(many + (f", the slowest after {numbers.quantity(max(ended), 'us')}." if ended else "."))
    of = {name: result_value(summary, name).get("value") for name in summary["results"]}
    if "schedules.unfinished" in of:
        found.append(f"All ranks of the schedule ended, the last at {numbers.quantity(of['schedules.end_max'], 'us')}."
                     if numbers.is_number(of.get("schedules.end_max"))
                     else f"{numbers.number(of['schedules.unfinished'])} ranks of the schedule did not end.")
    for what, mean, tail in (("queries", "queries.qct_mean", "queries.qct_p99"), ("fct", "fct.mean", "fct.p99")):
        if not numbers.is_number(of.get(f"{what}.completed")):
            continue
        text = f"{numbers.number(of[what + '.completed'])} {'messages' if what == 'fct' else what} completed"
        if of.get(f"{what}.unfinished"):
            text += f", {numbers.number(of[what + '.unfinished'])} did not"
        for key, words in ((mean, "mean"), (tail, "99th percentile")):
            if numbers.is_number(of.get(key)):
                text += f", {words} {numbers.quantity(of[key], 'us')}"
        found.append(text + ".")
    return found


def packets_text(packets):
    dropped = packets.get("dropped") or {}
    causes = [f"{cause} {numbers.number(n)}" for cause, n in dropped.items() if n]
    text = f"{numbers.number(packets.get('created'))} packets created, {numbers.number(packets.get('delivered'))} delivered"
    text += f", {numbers.number(sum(dropped.values()))} dropped ({', '.join(causes)})" if causes else ", none dropped"
    return text + f", {numbers.number(packets.get('in_flight'))} in flight"


def warnings(summary):
    found = []
    verdict = summary["verdict"]
    if verdict in MEANINGS:
        found.append(f"{verdict}: {MEANINGS[verdict]}")
    for name, entry in summary["results"].items():
        value = result_value(summary, name).get("value")
        if name.endswith("unfinished") and name.count(".") == 1 and numbers.is_number(value) and value > 0:
            what = "messages" if name.startswith("fct.") else name.split(".")[0]
            found.append(f"{numbers.number(value)} {what} unfinished: "
                         "means and percentiles leave them out or are missing")
    if verdict == "complete" and summary.get("statistics") and not summary["packets"].get("created"):
        found.append("no packet was created")
    return found + version_warning(summary)


def version_warning(summary):
    if str(summary.get("version", "")).endswith(".modified"):
        return ["built from modified sources: the version does not say which program this was"]
    return []


def facts(summary):
    found = []
    for key, name in (("platform", "platform"), ("seed", "seed"), ("config_hash", "configuration"), ("version", "version")):
        if summary.get(key) not in (None, ""):
            found.append((name, str(summary[key])))
    return found


def traffic_text(keys):
    """What is sent, in words of the platform file."""
    found = []
    i = 0
    while f"traffic[{i}].kind" in keys:
        at = f"traffic[{i}]."
        parts = [keys[at + "kind"]]
        for key in ("operation", "workload", "pattern", "load", "fan_in", "size", "message", "qps", "duration"):
            value = keys.get(at + key)
            if value not in (None, "", "[]"):
                parts.append(f"{key} {value}" if key not in ("operation", "workload", "pattern") else value)
        found.append(" ".join(parts))
        i += 1
    return found


def is_replay(summary):
    kinds = (summary.get("rows") or {}).get("kinds") or []
    return bool(kinds) and all("trace" in row for row in kinds)


def traces_text(summary):
    """What came in, in place of the platform's traffic, which a replay does not send."""
    device = (summary.get("replay") or {}).get("device")
    into = f" of {device}" if device else ""
    return [f"{row['trace']} into port {row['port']}{into}" for row in summary["rows"]["kinds"]]


def asked(summary):
    platform = summary["config"].get("platform", {})
    return str(platform.get("description", "")) if isinstance(platform, dict) else ""


def assumptions(summary):
    platform = summary["config"].get("platform", {})
    if not isinstance(platform, dict):
        return []
    keys = config.flat(summary["config"])
    found = [config.fill(str(a), keys) for a in platform.get("assumptions", [])]
    return [Fold(f"Assumptions ({len(found)}): what has no published value", [Bullets(found)])] if found else []


def results_table(labels, summaries):
    """A row per result, a column per run; rows that are zero or missing everywhere hidden at first."""
    names = dict.fromkeys(n for s in summaries for n in s["results"])
    rows, dull = [], set()
    for name in names:
        entries = [result_value(s, name) for s in summaries]
        unit = next((e.get("unit", "") for e in entries if e.get("unit")), "")
        cells = [Cell(e["value"], numbers.number(e["value"])) if numbers.is_number(e.get("value"))
                 else Cell(None, numbers.NONE, title="no value: nothing was measured, or not everything finished")
                 for e in entries]
        if not any(c.value for c in cells):
            dull.add(len(rows))
        row = [Cell(name, name), Cell(unit, unit)] + cells
        if len(summaries) == 2:
            first, second = (c.value for c in cells)
            ratio = second / first if first and second is not None else None
            row.append(Cell(ratio, numbers.NONE if ratio is None else f"{ratio:.3f}"))
        rows.append(row)
    columns = [Column("result"), Column("unit")]
    columns += [Column(label, True) for label in labels] if len(labels) > 1 else [Column("value", True)]
    if len(labels) == 2:
        columns.append(Column("second / first", True))
    return Table(columns, rows, "Results over the measured window", dull=dull, dull_name="zero or missing results")


def leaves(tree, prefix=""):
    for key, value in tree.items():
        if isinstance(value, dict) and "value" in value and "unit" in value:
            yield f"{prefix}{key}", value["value"], value["unit"]
        elif isinstance(value, dict):
            yield from leaves(value, f"{prefix}{key}.")


def counters(summary):
    """Counters over all devices of a kind: sum, least and most with the device that has it."""
    statistics = summary.get("statistics") or {}
    found = {}
    for device in sorted(statistics, key=series_view.natural):
        if not isinstance(statistics[device], dict):
            continue
        for name, value, unit in leaves(statistics[device]):
            if numbers.is_number(value):
                key = (re.sub(r"\d+", "*", device), re.sub(r"\d+", "*", name))
                found.setdefault(key, (unit, []))[1].append((value, f"{device}.{name}"))
    rows, dull = [], set()
    for (device, name), (unit, values) in found.items():
        least = min(values, key=lambda v: v[0])
        most = max(values, key=lambda v: v[0])
        if not any(v for v, _ in values):
            dull.add(len(rows))
        total = sum(v for v, _ in values)
        rows.append([Cell(device, device), Cell(name, name), Cell(unit, unit), Cell(len(values), str(len(values))),
                     Cell(total, numbers.number(total)), Cell(least[0], numbers.number(least[0])),
                     Cell(most[0], numbers.number(most[0])), Cell(most[1], most[1] if most[0] else "")])
    if not rows:
        return []
    columns = [Column("device"), Column("counter"), Column("unit"), Column("objects", True), Column("sum", True),
               Column("least", True), Column("most", True), Column("most at")]
    table = Table(columns, rows, "Counters over the whole run, by kind of device (* stands for a number)", dull=dull,
                  dull_name="counters that are zero everywhere")
    return [Fold(f"Device counters ({len(rows)})", [table])]


def other_rows(summary, skip=()):
    found = []
    for name, rows in (summary.get("rows") or {}).items():
        if name not in skip and rows:
            found.append(table_of(rows, name.replace("_", " ").capitalize()))
    return found


def flows_of(result):
    if result.flows is None:
        result.flows = flows_view.read(result.label, result.folder, result.summary.get("measured_from_ps", 0))
    return result.flows


def detail(result):
    """Everything below the card of one run."""
    summary = result.summary
    blocks = published.blocks(summary.get("validation", []))
    flows = flows_of(result)
    pictures = flows_view.distributions([flows]) + flows_view.over_size([flows])
    if pictures:
        blocks += [Heading("Messages" if flows.sizes else "Connections")] + pictures
        worst = flows_view.slowest(flows)
        if worst:
            blocks.append(Fold("The slowest messages", worst))
    blocks += rate_view.blocks(summary) + waterfall_view.blocks(result.folder) + recovery_view.blocks(result.folder) + rate_view.ledger(summary)
    blocks += replay_view.blocks(result.folder)
    if flows_view.has_ranks(summary):
        blocks += flows_view.ranks(result.folder, (summary.get("sim_time_ps") or 0) / 1e6)
    series = series_view.read(result.folder)
    blocks += network_view.blocks(result.folder, series)
    over_time = series_view.figures(series)
    if over_time:
        blocks += [Heading("Over time")] + over_time
    blocks += other_rows(summary)
    blocks += [Heading("Results"), results_table([result.label], [summary])]
    blocks += counters(summary)
    blocks += assumptions(summary)
    return blocks + [config.fold([result.label], [summary["config"]])]


def view(result):
    summary = result.summary
    verdict = summary["verdict"]
    keys = config.flat(summary["config"])
    when = numbers.quantity(summary.get("sim_time_ps"), "ps")
    answer = " ".join([*outcome(summary), f"{packets_text(summary['packets'])}, in {when} of simulated time."])
    compared = published.sentence(published.entries(summary.get("validation", [])))
    replay = is_replay(summary)
    found = View(result.label, "replay" if replay else "run", STATES.get(verdict, "warn"), verdict, answer, asked(summary),
                 key_figures(summary), warnings(summary), facts(summary), detail(result))
    if compared:
        found.facts.insert(0, ("published", compared))
    sent = traces_text(summary) if replay else traffic_text(keys)
    if sent:
        found.facts.insert(0, ("traces" if replay else "traffic", "; ".join(sent)))
    return found
