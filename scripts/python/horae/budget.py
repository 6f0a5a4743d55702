"""The price of a design as data frames."""
import json
import os
import pathlib
import tempfile

import pandas

from . import command
from .errors import DoesNotFit


class Pipeline:
    """What a pipeline of a design takes of its chip.

    stages      stages used; stages_of_chip: what there is
    resources   a line per resource: used, capacity, percent (of the pipeline), chip_capacity, chip_percent
    objects     a line per object: kind, stages, and what it takes of each resource
    by_stage    a line per stage
    """

    def __init__(self, summary):
        self.summary = summary
        self.name, self.stages, self.stages_of_chip = summary["name"], summary["stages_used"], summary["stages"]
        self.resources = pandas.DataFrame.from_dict(summary["resources"], orient="index")
        self.resources.index.name = "resource"
        self.objects = pandas.DataFrame(summary["objects"])
        if "name" in self.objects:
            self.objects = self.objects.set_index("name")
        self.by_stage = pandas.DataFrame(summary["by_stage"])

    def __repr__(self):
        return f"<horae.Pipeline {self.name}: {self.stages} of {self.stages_of_chip} stages>"


class Budget:
    """What `horae size` says: `pipelines` by name, `fits`, `remedies` where it does not, `summary` as it is."""

    def __init__(self, summary):
        self.summary = summary
        self.pipelines = {p["name"]: Pipeline(p) for p in summary["pipelines"]}
        self.refused, self.remedies = summary["refused"], summary["remedies"]
        self.fits = not self.refused

    @property
    def pipeline(self):
        """The pipeline of a design that has one."""
        (only,) = self.pipelines.values()
        return only

    def __repr__(self):
        return f"<horae.Budget {', '.join(map(repr, self.pipelines.values())) or 'nothing'}{'' if self.fits else ', refused'}>"


def size(design, set=None, *, chip=None, options=()):  # pylint: disable=redefined-builtin
    """Prices a design: a platform file, a P4 source (mine.p4), an objects file (one without [platform]), or a dict laid out as an objects file,
    {"design": [{"name": "mine", "chip": "tofino2", "register": [{"name": "count", "entries": 1024, "width": 32}]}]}. Raises DoesNotFit with the
    Budget in `result`, BadInput, HoraeError."""
    with tempfile.TemporaryDirectory() as scratch:
        if isinstance(design, dict):
            file = pathlib.Path(scratch) / "design.toml"
            file.write_text(toml_document(design), encoding="utf-8")
            design, objects = file, True
        else:
            objects = is_objects_file(design)
        words = ["size", *(["--objects"] if objects else []), design, "--json", *command.overrides(set), *options]
        if chip:
            words += ["--chip", chip]
        text, error = command.call(words, allowed=(DoesNotFit.code,))
    budget = Budget(json.loads(text))
    if error:
        error.args = ("; ".join("{design}: {object}: {resource}: need {need}, have {have}: {why}".format(**r)
                                for r in budget.refused) or "does not fit",)
        error.result = budget
        raise error
    return budget


def most(design, key, over, set=None, *, chip=None):  # pylint: disable=redefined-builtin
    """The largest value of `key` that still fits, over the grid of `over`, {"tor.program.window": [128, 256]}: a line per
    point with the value, the resource that binds and the object it binds at."""
    words = ["size", *(["--objects"] if is_objects_file(design) else []), design, "--json", "--most", key]
    for axis, values in over.items():
        words += ["--over", f"{axis}=" + ",".join(map(str, values))]
    words += command.overrides(set)
    if chip:
        words += ["--chip", chip]
    text, _ = command.call(words)
    points = pandas.DataFrame(json.loads(text)["points"])
    axes = pandas.DataFrame(points.pop("at").tolist())
    return pandas.concat([axes.apply(pandas.to_numeric, errors="ignore"), points], axis=1)


def is_objects_file(path):
    """Whether a file is no platform. One that cannot be read is for the program to refuse."""
    import tomllib  # pylint: disable=import-outside-toplevel
    if not os.path.exists(path):
        return False
    try:
        return "platform" not in tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False


def toml_document(tables, above=""):
    """A dict of values, tables and lists of tables as TOML."""
    text = "".join(f"{key} = {command.toml(value)}\n" for key, value in tables.items() if not is_table(value))
    for key, value in tables.items():
        name = f"{above}.{key}" if above else key
        if isinstance(value, dict):
            text += f"[{name}]\n" + toml_document(value, name)
        elif is_table(value):
            text += "".join(f"[[{name}]]\n" + toml_document(item, name) for item in value)
    return text


def is_table(value):
    """Whether TOML writes it as a table or as a list of tables."""
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))
