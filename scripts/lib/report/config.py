"""The effective configuration: flat, beside those of other results, and in texts with {keys}."""
import re

from . import numbers
from .blocks import Cell, Column, Fold, Table

LONG = 160  # characters of a value that are shown


def flat(config, prefix=""):
    """{key: text} with keys as --set takes them: nic.reliability.window, traffic[0].qps."""
    found = {}
    for key, value in config.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            found.update(flat(value, f"{name}."))
        elif isinstance(value, list) and any(isinstance(v, dict) for v in value):
            for i, entry in enumerate(value):
                if isinstance(entry, dict):
                    found.update(flat(entry, f"{name}[{i}]."))
                else:
                    found[f"{name}[{i}]"] = text_of(entry)
        else:
            found[name] = text_of(value)
    return found


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(text_of(v) for v in value) + "]"
    return "null" if value is None else str(value)


def shown(text):
    if text is None:
        return Cell(None, numbers.NONE)
    if len(text) <= LONG:
        return Cell(text, text)
    return Cell(text, text[:LONG] + "\u2026", title=f"{len(text)} characters; the CSV has all")


def fill(text, keys):
    """{key} replaced by the value in effect."""
    return re.sub(r"\{([^{}]+)\}", lambda m: keys.get(m[1], m[0]), text)


def left_out(key):
    return key.startswith(("platform.", "sweep.", "explain.", "size."))


TITLE = "Effective configuration"


def fold(labels, configs):
    """Every key with its value in each result; what differs is marked."""
    title = TITLE
    flats = [flat(c) for c in configs]
    keys = [k for k in dict.fromkeys(k for f in flats for k in f) if not left_out(k)]
    rows, marked, same = [], {}, set()
    for key in keys:
        values = [f.get(key) for f in flats]
        if len(set(values)) > 1:
            marked[len(rows)] = "differs"
        else:
            same.add(len(rows))
        rows.append([Cell(key, key)] + [shown(v) for v in values])
    columns = [Column("key")] + [Column(label, wide=True) for label in labels]
    if len(labels) == 1:
        columns = [Column("key"), Column("value", wide=True)]
        table = Table(columns, rows)
    else:
        # Rows that differ come first.
        order = sorted(range(len(rows)), key=lambda i: (i in same, i))
        table = Table(columns, [rows[i] for i in order], marked={n: "differs" for n in range(len(marked))},
                      dull={n for n, i in enumerate(order) if i in same} if marked else set(),
                      dull_name="keys that are equal")
        table.note = (f"{len(marked)} of {len(rows)} keys differ, and are marked." if marked
                      else f"All {len(rows)} keys are equal.")
        title += f": {len(marked)} of {len(rows)} keys differ"
    return Fold(title, [table])
