"""Result folders as scripts/report sees them. Everything a user can get wrong ends in BadInput, one line."""
import csv
import difflib
import json
import math
import pathlib
from dataclasses import dataclass, field

SCHEMA = 1  # of summary.json and of study.json


class BadInput(Exception):
    """One line: the place, what was found, what was expected."""


@dataclass
class Result:
    label: str            # unique on the page
    kind: str             # run, sweep, size, curve, explain, published, study
    summary: dict
    folder: pathlib.Path
    points: list = field(default_factory=list)  # of a sweep: Results of its points, in their order
    flows: object = None  # what flows_view read of it


def refuse_constant(name):
    raise ValueError(f"found {name}; expected a number that a double holds")


def finite(text):
    value = float(text)
    if not math.isfinite(value):
        refuse_constant(text)
    return value


def read_json(path):
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text, parse_constant=refuse_constant, parse_float=finite)
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}:{error.colno}: {error.msg}; expected JSON") from None
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "no UTF-8 text"
        raise BadInput(f"{path}: cannot be read: {why}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: {str(error) or 'nested too deeply'}; expected JSON") from None
    if not isinstance(found, dict):
        raise BadInput(f"{path}:1:1: found a {type(found).__name__}; expected an object with \"schema\": {SCHEMA}")
    schema = found.get("schema")
    if schema != SCHEMA or isinstance(schema, bool):
        shown = "no \"schema\"" if "schema" not in found else f"schema {json.dumps(schema)}"
        raise BadInput(f"{path}: found {shown}; expected schema {SCHEMA}")
    return found


# Keys that each kind must have: key -> types. The first kind whose own key is there is it.
KINDS = (
    ("explain", "infer", {"infer": dict}),
    ("curve", "most", {"most": str, "axes": list, "points": list}),
    ("size", "pipelines", {"pipelines": list, "refused": list}),
    ("size", "nics", {"nics": list}),
    ("run", "results", {"platform": str, "config": dict, "verdict": str, "results": dict, "packets": dict}),
    ("published", "validation", {"validation": list}),  # of scripts/validate
)
LISTS = ("validation", "remedies", "refused", "nics", "pipelines")
STUDY = {"study": str, "parameters": list, "objectives": list, "points": list}


def require(path, found, keys):
    for key, kind in keys.items():
        if not isinstance(found.get(key), kind):
            have = f"a {type(found[key]).__name__}" if key in found else "none"
            near = difflib.get_close_matches(key, [k for k in found if k not in keys], 1)
            hint = f"; did you mean \"{near[0]}\"?" if near and key not in found else ""
            raise BadInput(f"{path}: \"{key}\": found {have}; expected a {kind.__name__}{hint}")


def kind_of(path, summary):
    if "explain" in summary and "infer" not in summary:
        raise BadInput(f"{path}: of an earlier horae explain, which made best fits; expected the answer of the present one")
    for kind, mark, keys in KINDS:
        if mark in summary:
            require(path, summary, keys)
            for key in LISTS:
                if not isinstance(summary.get(key, []), list):
                    raise BadInput(f"{path}: \"{key}\": found a {type(summary[key]).__name__}; expected a list")
            rows = summary.get("rows", {})
            if not isinstance(rows, dict):
                raise BadInput(f"{path}: \"rows\": found a {type(rows).__name__}; expected an object")
            for name, entries in rows.items():
                if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
                    raise BadInput(f"{path}: \"rows.{name}\": expected a list of objects")
            return "sweep" if kind == "run" and "sweep" in rows else kind
    raise BadInput(f"{path}: neither of a run, a sweep, a size, an explanation, a curve nor a validation: "
                   f"found keys {', '.join(sorted(summary)) or 'none'}")


def sweep_points(result):
    """Runs of a sweep in the order of its table; points whose folder is gone are left out."""
    for row in result.summary["rows"]["sweep"]:
        label = str(next(iter(row.values()), ""))
        folder = result.folder / "points" / label.replace("/", "_")
        path = folder / "summary.json"
        if path.is_file():
            summary = read_json(path)
            if kind_of(path, summary) == "run":
                result.points.append(Result(label, "run", summary, folder))


def read(folder):
    """A result folder, or a study's, whose path may also be that of its summary.json or study.json."""
    folder = pathlib.Path(folder)
    if folder.is_file() and folder.name in ("summary.json", "study.json"):
        folder = folder.parent
    if not folder.is_dir():
        near = []
        if folder.parent.is_dir():
            there = [p.name for p in folder.parent.iterdir() if p.is_dir()]
            near = difflib.get_close_matches(folder.name, there, 1)
        hint = f"; did you mean '{folder.parent / near[0]}'?" if near else ""
        raise BadInput(f"{folder}: no such folder; expected a result folder{hint}")
    path = folder / "study.json"
    if path.is_file():
        study = read_json(path)
        require(path, study, STUDY)
        for i, point in enumerate(study["points"]):
            if not isinstance(point, dict):
                raise BadInput(f"{path}: points[{i}]: found a {type(point).__name__}; expected an object")
            require(f"{path}: points[{i}]", point, {"number": int, "parameters": dict, "status": str})
        return Result(folder.name, "study", study, folder)
    path = folder / "summary.json"
    if not path.is_file():
        raise BadInput(f"{folder}: no summary.json and no study.json; expected a result folder of "
                       "horae run, replay, size or explain, or of scripts/explore")
    summary = read_json(path)
    result = Result(folder.name, kind_of(path, summary), summary, folder)
    if result.kind == "sweep":
        sweep_points(result)
    return result


def label_all(results):
    """Folder names; where two are equal, with as many parents as tell them apart."""
    parts = [r.folder.resolve().parts for r in results]
    depth = [1] * len(results)
    while True:
        names = ["/".join(p[-d:]) for p, d in zip(parts, depth)]
        again = [i for i, n in enumerate(names) if names.count(n) > 1 and depth[i] < len(parts[i])]
        if not again:
            break
        for i in again:
            depth[i] += 1
    for i, (result, name) in enumerate(zip(results, names)):
        before = names[:i].count(name)
        result.label = name if not before else f"{name} ({before + 1})"


def csv_rows(path, needed):
    """Rows of a CSV file as dicts; a file that is not there has none."""
    if not path.is_file():
        return
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.reader(file, strict=True)
            head = next(reader, None)
            if head is None:
                raise BadInput(f"{path}:1: found an empty file; expected columns {', '.join(needed)}")
            for name in needed:
                if name not in head:
                    near = difflib.get_close_matches(name, head, 1)
                    hint = f"; did you mean '{near[0]}'?" if near else ""
                    raise BadInput(f"{path}:1: no column '{name}'{hint}")
            for row in reader:
                if len(row) != len(head):
                    raise BadInput(f"{path}:{reader.line_num}: found {len(row)} values; expected {len(head)}")
                yield reader.line_num, dict(zip(head, row))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput(f"{path}: cannot be read: {error}") from None


def csv_number(path, line, column, text):
    """A number of a CSV file; None where there is none."""
    if text in ("", "nan", "-nan"):
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.inf
    if not math.isfinite(value):
        raise BadInput(f"{path}:{line}: {column}: found '{text}'; expected a number")
    return value
