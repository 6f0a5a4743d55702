"""What became of a point: how it ended, and its figures."""
import dataclasses
import json
import re
import signal
from typing import Optional

from lib.common.complaint import Complaint, nearest
from lib.common.program import one_line
from lib.common.units import factor

STATUS = {0: "done", 2: "refused", 3: "refused"}
MISSING = object()  # a result that is not there, unlike one that is null
STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


@dataclasses.dataclass
class Point:
    number: int
    parameters: dict
    runs: list                     # of Run, one per command; empty if the configuration was refused
    refused: Optional[str] = None  # why, if a configuration cannot be read
    status: str = "pending"
    reason: str = ""
    lacks: Optional[str] = None    # why its figures do not say what it is worth, of a point that is done
    unfinished: Optional[int] = None  # messages, queries, groups, ranks; None: no run was made
    lost: Optional[int] = None        # packets
    timeouts: Optional[int] = None    # of senders
    values: dict = dataclasses.field(default_factory=dict)
    feasible: bool = False
    pareto: bool = False
    made: list = dataclasses.field(default_factory=list)  # (Run, outcome) of what was made


def find(summary, path):
    """A number of a summary: a result's value by its name, or else the value at a dotted path. Items of a
    list are found by [index], or by the `name`, `profile` or `id` they have."""
    results = summary.get("results", {})
    if path in results:
        return results[path].get("value")
    at = summary
    names = path
    while names:
        if isinstance(at, list):
            item, names = named(at, names)
            if item is MISSING:
                return MISSING
            at = item
            continue
        if not isinstance(at, dict):
            return MISSING
        # The longest key first: names may have dots in them.
        key = max((k for k in at if names == k or names.startswith((k + ".", k + "["))), key=len, default=None)
        if key is None:
            return MISSING
        at, names = at[key], names[len(key):].removeprefix(".")
    return at if at is None or isinstance(at, (int, float, bool)) else MISSING


def unit_of(summary, path):
    """The unit of a result; None of what else `find` finds."""
    return summary.get("results", {}).get(path, {}).get("unit")


def why_none(summary, path):
    """Why a result is none, where it says so."""
    return summary.get("results", {}).get(path, {}).get("none")


def losses(summaries):
    """(unfinished, lost, timeouts) of the runs of a point together; None where none was made."""
    runs = [s for _, s in summaries if s is not None and "packets" in s]
    if not runs:
        return None, None, None
    unfinished = timeouts = 0
    for s in runs:
        results, rows = s["results"], s.get("rows", {})
        unfinished += sum((results.get(name) or {}).get("value") or 0 for name in ("fct.unfinished", "schedules.unfinished"))
        unfinished += sum(row.get("cct_us") is None for row in rows.get("groups", []))
        timeouts += (results.get("senders.timeouts") or {}).get("value") or 0
    lost = sum(n for s in runs for n in s["packets"]["dropped"].values())
    return int(unfinished), lost, int(timeouts)


def named(items, names):
    """The item of a list that a path goes on with, and the rest of the path."""
    match = re.match(r"\[(\d+)\]\.?", names)
    if match:
        index = int(match[1])
        return (items[index], names[match.end():]) if index < len(items) else (MISSING, "")
    for item in items:
        if not isinstance(item, dict):
            continue
        for key in ("name", "profile", "id"):
            value = item.get(key)
            if isinstance(value, str) and value and (names == value or names.startswith(value + ".")):
                return item, names[len(value):].removeprefix(".")
    return MISSING, ""


def paths(summary):
    """Some of what `find` finds, for messages."""
    out = list(summary.get("results", {}))
    for pipeline in summary.get("pipelines", []):
        out += [f"pipelines.{pipeline['name']}.stages_used"]
        out += [f"pipelines.{pipeline['name']}.resources.{r}.used" for r in pipeline.get("resources", {})]
    for nic in summary.get("nics", []):
        out += [f"nics.{nic['profile']}.{k}" for k, v in nic.items() if isinstance(v, (int, float, bool))]
    return out


def reason_of(outcome, summary):
    """Why a run was refused or failed, in one line that is the same wherever it ran."""
    if outcome["signal"] is not None:
        name = signal.Signals(outcome["signal"]).name
        return f"killed by {name}" + (" (out of memory?)" if name == "SIGKILL" else "")
    if outcome["exit"] == 3 and summary is not None:
        for refused in summary.get("refused", []):
            return f"{refused['object']}: {refused['why']}" if refused["object"] else refused["why"]
        for nic in summary.get("nics", []):
            if not nic.get("fits", True):
                return f"{nic['profile']}: {nic['on_chip_bytes']} B must be on a chip of {nic['capacity_bytes']} B"
    if not outcome["stderr"].strip():
        return f"exit code {outcome['exit']}"
    line = one_line(outcome["stderr"])
    return f"no progress: {line}" if outcome["exit"] == 4 and "no progress" not in line else line


class Reader:
    """Settles points from a store."""

    def __init__(self, study, store):
        self.study, self.store = study, store

    def settle(self, point):
        """Fills in what is known of the point. Complaint when a run lacks a result that the study names."""
        point.made, point.values, point.reason = [], {}, ""
        if point.refused is not None:
            point.status, point.reason = "refused", point.refused
            self.judge(point, [])
            return
        point.status = "pending"
        summaries = []
        for run in point.runs:
            outcome = self.store.outcome(run.key)
            if outcome is None:
                break
            summary = self.summary(run)
            summaries.append((run, summary))
            point.made.append((run, outcome))
            if outcome["exit"] != 0:
                point.status = STATUS.get(outcome["exit"], "failed")
                point.reason = reason_of(outcome, summary)
                break
        else:
            point.status = "done"
        self.judge(point, summaries)

    def summary(self, run):
        try:
            return json.loads((self.store.place(run.key) / "result/summary.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None

    def judge(self, point, summaries):
        for figure in self.study.figures:
            point.values[figure.name] = self.figure(figure, point, summaries)
        point.unfinished, point.lost, point.timeouts = losses(summaries)
        if point.status == "done":
            point.lacks = self.lacks(point, summaries)
            point.reason = point.lacks or "; ".join(self.without(f, point, summaries) for f in self.study.shown
                                                    if point.values[f.name] is None and self.should_say(f, summaries))
        else:
            point.lacks = None
        point.feasible = point.status == "done" and not point.lacks and all(
            c.holds(point.values[c.name]) for c in self.study.constraints)

    def lacks(self, point, summaries):
        """Why the figures of a point that was made do not say what it is worth; None: they do. A run that did not
        complete says nothing of the messages that it left, and a search would walk towards loss."""
        if not self.study.incomplete_counts:
            for _, summary in summaries:
                verdict = (summary or {}).get("verdict", "complete")
                if verdict != "complete":
                    return f"the run ended with the verdict {verdict}, {point.unfinished} unfinished"
        for figure in [*self.study.objectives, *self.study.constraints]:
            if point.values[figure.name] is None:
                return self.without(figure, point, summaries)
        return None

    def without(self, figure, point, summaries):
        """That a figure has no value, and why where that is known. Of a derived one: which result has none, or that the
        arithmetic has none (a division by zero)."""
        if not figure.result.startswith("derived."):
            why = self.why(figure.result, summaries)
            return f"no {figure.name}" + (f": {why}" if why else "")
        derived = self.derived(figure)
        whys = []
        for result in derived.of.values():
            if self.result(result, None, True, derived.where, point, summaries) is None:
                why = self.why(result, summaries)
                whys.append(f"{result}: {why}" if why else f"no {result}")
        return f"no {figure.name}: " + (", ".join(whys) or f"{derived.expression.text} has no value")

    def should_say(self, figure, summaries):
        """Why it has no value, of a figure that is looked at only. That a point has no such result is no news."""
        return figure.result.startswith("derived.") or self.why(figure.result, summaries)

    @staticmethod
    def why(result, summaries):
        return next(filter(None, (why_none(s, result) for _, s in summaries if s)), None)

    def derived(self, figure):
        name = figure.result[len("derived."):]
        return next(d for d in self.study.derived if d.name == name)

    def figure(self, figure, point, summaries):
        if figure.fits:
            return None if point.status in ("pending", "failed") else 1 if point.status == "done" else 0
        if figure.result.startswith("derived."):
            derived = self.derived(figure)
            names = dict(point.parameters)
            for key, result in derived.of.items():
                names[key] = self.result(result, None, figure.optional, derived.where, point, summaries)
            return number(self.in_unit(number(derived.expression.value(names)), derived.unit or None, figure.unit,
                                       figure.result, figure.where))
        return number(self.result(figure.result, figure.command, figure.optional, figure.where, point, summaries,
                                  figure.unit))

    def in_unit(self, value, found, wanted, result, where):
        times = 1 if found is None else factor(found, wanted)
        if times is None:
            raise Complaint(f"{where}: unit: found \"{wanted}\", but '{result}' is in {found}")
        return value if times == 1 or value is None else value * times

    def result(self, result, command, optional, where, point, summaries, unit=""):
        known = []
        for run, summary in summaries:
            if summary is None or (command is not None and run.kind != command):
                continue
            value = find(summary, result)
            if value is not MISSING:
                return self.in_unit(value, unit_of(summary, result), unit, result, where)
            known += paths(summary)
        # A value that a refused or failed point lacks is no fault of the study.
        if point.status == "done" and not optional:
            raise Complaint(f"{where}: no run has a result '{result}'{nearest(result, known)}" if len(known) < 12 or
                            "did you mean" in nearest(result, known) else
                            f"{where}: no run has a result '{result}'; summary.json of one that ran is in "
                            f"{self.store.place(summaries[-1][0].key) / 'result'}")
        return None


def number(value):
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return value if abs(value) != float("inf") and value == value else None
    return value if isinstance(value, int) else None
