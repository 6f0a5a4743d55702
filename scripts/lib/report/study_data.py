"""The points of a study by class, as columns that all of its figures share."""
from . import numbers, plots
from .reduce import rounded, short

# Classes of points in the order they are drawn; the last ones on top.
CLASSES = ("pending", "failed", "refused", "infeasible", "dominated", "pareto", "chosen")
NAMES = {"pareto": "Pareto front", "infeasible": "infeasible"}
STYLES = {"dominated": 5, "pareto": 0, "chosen": 1, "refused": 3, "infeasible": 4, "failed": 2, "pending": 6}
TICKS = 12    # different values of a parameter that each get a tick
LOG_FROM = 8  # largest over smallest value of a parameter from which its axis is logarithmic


def class_of(study, point):
    status = point["status"]
    if status != "done":
        return status if status in CLASSES else "failed"
    if point["number"] == study.get("chosen"):
        return "chosen"
    if point.get("pareto"):
        return "pareto"
    return "dominated" if point.get("feasible", True) else "infeasible"


def named(entries):
    """{name: entry} of a list of objects."""
    return {str(e["name"]): e for e in entries if isinstance(e, dict) and "name" in e}


class Data:
    """The study's points by class, as columns: what all of its figures share."""

    def __init__(self, study, block):
        self.study, self.block = study, block
        self.parameters = named(study["parameters"])
        for point in study["points"]:
            for name in point["parameters"]:
                self.parameters.setdefault(name, {"name": name})
        self.objectives = named(study["objectives"])
        self.values = dict.fromkeys(self.objectives)
        for point in study["points"]:
            self.values.update(dict.fromkeys(point.get("values") or {}))
        known = [e for key in ("constraints", "derived", "figures", "objectives") for e in study.get(key) or []]
        # Losses in studies of runs; older files have none.
        self.losses = [n for n in ("unfinished", "lost", "timeouts")
                       if any(p.get(n) is not None for p in study["points"])]
        self.units = {e["name"]: str(e.get("unit") or "") for e in known if isinstance(e, dict) and "name" in e}
        self.axes = {n: self.parameter_axis(n) for n in self.parameters}
        self.rows = {c: [p for p in study["points"] if class_of(study, p) == c] for c in CLASSES}

    def parameter_axis(self, name):
        found = [p["parameters"].get(name) for p in self.study["points"]]
        distinct = list(dict.fromkeys(v for v in found if v is not None))
        parsed = [numbers.parsed(v) for v in distinct]
        parsed = [(rounded(p[0]), p[1]) if p else None for p in parsed]  # as the points are, to be found among them
        title, unit = name, str(self.parameters[name].get("unit") or "")
        if distinct and all(parsed) and len({u for _, u in parsed}) == 1:
            values = sorted({v for v, _ in parsed})
            base = parsed[0][1]
            if values[0] == 0 and 1 < len(values) <= TICKS and values[-1] >= LOG_FROM * values[1]:
                # Far apart, and no logarithm of zero: side by side.
                order = [numbers.plain(t) for _, t in sorted(zip(parsed, distinct), key=lambda e: e[0][0])]
                return plots.axis(title, unit, "category", column=f"p:{name}", values=order)
            axis = plots.axis(title, base or unit, plots.scale_of(values, LOG_FROM if len(values) > 2 else plots.LOG_FROM),
                              column=f"p:{name}")
            if len(values) <= TICKS:
                texts = {v: str(t) if isinstance(t, str) else numbers.number(t) for (v, _), t in zip(parsed, distinct)}
                axis["ticks"], axis["texts"] = values, [texts[v] for v in values]
            if base and len(values) <= TICKS:
                axis["unit"] = ""
            return axis
        order = [numbers.plain(v) for v in distinct]
        return plots.axis(title, unit, "category", column=f"p:{name}", values=order)

    def is_number(self, name):
        return all(numbers.parsed(p["parameters"].get(name)) for p in self.study["points"])

    def moving(self):
        """Values that are not the same in every point."""
        done = [p.get("values") or {} for p in self.study["points"] if p["status"] == "done"]
        return [n for n in self.values if len({v.get(n) for v in done}) > 1]

    def on_axis(self, name, value):
        axis = self.axes[name]
        if value is None:
            return None
        return numbers.plain(value) if axis["scale"] == "category" else numbers.parsed(value)[0]

    def value_axis(self, name):
        values = [(p.get("values") or {}).get(name) for p in self.study["points"] if p["status"] == "done"]
        title = name
        if name in self.objectives:
            title += " (less is better)" if self.objectives[name].get("direction") == "min" else " (more is better)"
        axis = plots.axis(title, self.units.get(name, ""), plots.scale_of(values), column=f"v:{name}")
        return {**axis, "short": name}

    def columns(self):
        found = [{"key": "n", "title": "point", "unit": ""}]
        for n, axis in self.axes.items():
            known = {k: axis[k] for k in ("ticks", "texts") if k in axis}  # "100 us", where the number is of seconds
            found.append({"key": f"p:{n}", "title": n, "unit": axis["unit"], **known})
        found += [{"key": f"v:{n}", "title": n, "unit": self.units.get(n, "")} for n in self.values]
        found += [{"key": n, "title": n, "unit": ""} for n in self.losses]
        if any(p.get("reason") for p in self.study["points"]):
            found.append({"key": "reason", "title": "", "unit": ""})
        return found

    def shared(self):
        """For the page, once."""
        rows = {}
        for name, points in self.rows.items():
            columns = {"n": [p["number"] for p in points]}
            for n in self.parameters:
                columns[f"p:{n}"] = short([self.on_axis(n, p["parameters"].get(n)) for p in points])
            for n in self.values:
                # Values counted for a refused design are no values of it.
                columns[f"v:{n}"] = short([(p.get("values") or {}).get(n) if p["status"] == "done" else None for p in points])
            for n in self.losses:
                columns[n] = short([p.get(n) for p in points])
            pages = [p.get("page", "") for p in points]
            if any(pages):
                columns["page"] = pages
            reasons = [str(p.get("reason") or "")[:160] for p in points]
            if any(reasons):
                columns["reason"] = reasons
            rows[name] = columns
        return {"columns": self.columns(), "rows": rows}

    def series(self, only=CLASSES, **more):
        return [{"name": self.counted(c), "role": "points", "style": STYLES[c], "source": f"{self.block}/{c}", "mark": c, **more}
                for c in only if self.rows[c]]

    def counted(self, name):
        """In a legend. The chosen point is on the front too, and counted there."""
        if name == "pareto":
            return f"{NAMES[name]} ({len(self.rows[name]) + len(self.rows['chosen'])})"
        if name == "chosen" and self.rows["pareto"]:
            return "chosen, of the front"
        return f"{NAMES.get(name, name)} ({len(self.rows[name])})"
