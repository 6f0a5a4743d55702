"""Specifications of figures for js/figure.js: axes and series. What a picture needs, as plain data."""
from . import numbers
from .reduce import short

LOG_FROM = 50  # largest over smallest value from which an axis is logarithmic


def axis(title, unit="", scale="linear", zero=False, column=None, values=None):
    found = {"title": title, "unit": unit, "scale": scale}
    if zero:
        found["zero"] = True
    if column is not None:
        found["column"] = column
    if values is not None:
        found["values"] = values
    return found


def scale_of(values, far=LOG_FROM):
    """log where all values are positive and far apart, else linear."""
    there = [v for v in values if numbers.is_number(v)]
    if there and min(there) > 0 and max(there) / min(there) >= far:
        return "log"
    return "linear"


def series(name, xs, ys, role="line", style=0, **more):
    """`style` numbers colour, shape and dash. More: low, high (a band), label (text of each point),
    mark (published, chosen, refused), off (hidden at first)."""
    data = {"x": short(xs) if not any(isinstance(x, str) for x in xs) else list(xs), "y": short(ys)}
    for key in ("low", "high"):
        values = more.pop(key, None)
        if values is not None:
            data[key] = short(values)
    label = more.pop("label", None)
    if label is not None:
        data["label"] = label
    return {"name": name, "role": role, "style": style, "data": data, **more}


def xy(x, y, all_series, **more):
    return {"kind": "xy", "x": x, "y": y, "series": all_series, **more}


def bars(rows, x, all_series, stacked=False, **more):
    """Horizontal bars; each series has a value per row."""
    return {"kind": "bars", "rows": rows, "x": x, "series": all_series, "stacked": stacked, **more}
