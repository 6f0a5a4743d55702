"""A study as its TOML file says it, checked against itself; platforms are not looked into."""
import dataclasses
import math
import pathlib
import tomllib
from typing import Optional

from lib.common.complaint import Complaint, nearest
from .expression import Expression
from .parameter import Choice, Parameter, spread, steps, text_of
from lib.common.program import of_configuration
from .reader import read_toml, shown
from .variant import Variant

KINDS = ("run", "size", "explain")
# Options that a command may be given: none that writes elsewhere, nor one that the study sets itself.
OPTIONS = {"run": ("--trace", "--waves", "--pcap", "--from", "--to", "--flow", "--every", "--trace-most"),
           "size": ("--chip", "--stages", "--most", "--over"),
           "explain": ("--observations", "--hypotheses", "--reading", "--only", "--seeds", "--points", "--survivors",
                       "--quick")}


@dataclasses.dataclass
class Command:
    """What is done at a point, in its turn."""
    kind: str
    file: pathlib.Path
    shown: str            # the file as the study names it
    objects: bool = False
    point: Optional[str] = None
    sets: list = dataclasses.field(default_factory=list)  # of (key, text)
    options: list = dataclasses.field(default_factory=list)
    where: str = ""


@dataclasses.dataclass
class Figure:
    """A number of a point: an objective, a constraint, or one that is looked at only."""
    name: str
    result: str
    where: str
    command: Optional[str] = None
    unit: str = ""
    optional: bool = False        # a point may have no such result
    direction: Optional[str] = None  # of objectives: "max" or "min"
    least: Optional[float] = None
    most: Optional[float] = None
    fits: bool = False

    def holds(self, value):
        if value is None:
            return False
        if self.fits:
            return value == 1
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def excess(self, value):
        """How far a constraint is from holding; 0 or less where it holds."""
        if value is None:
            return 1.0
        if self.fits:
            return 1.0 - value
        return max(-1e300 if self.least is None else self.least - value,
                   -1e300 if self.most is None else value - self.most)


@dataclasses.dataclass
class Derived:
    name: str
    expression: Expression
    of: dict  # name in the expression: result
    unit: str
    where: str


@dataclasses.dataclass
class SubGrid:
    """Points of some of the values; of a parameter that it does not name, the first."""
    name: str
    at: dict    # name of a parameter: values
    over: list  # names of parameters of which it takes all


@dataclasses.dataclass
class Skip:
    expression: Expression


@dataclasses.dataclass
class Published:
    id: str
    at: dict
    figure: str
    value: float
    unit: str
    source: str
    kind: str


@dataclasses.dataclass
class Method:
    kind: str = "grid"
    points: int = 0
    seed: int = 1
    sampler: Optional[str] = None
    batch: int = 0


@dataclasses.dataclass
class Study:
    file: str
    name: str
    description: str
    commands: list
    parameters: list
    objectives: list
    constraints: list
    shown: list  # figures that are only looked at
    derived: list
    skips: list
    method: Method
    choose: str
    choose_objective: Optional[str]
    published: list
    fixed: list
    grids: list = dataclasses.field(default_factory=list)
    constants: dict = dataclasses.field(default_factory=dict)
    incomplete_counts: bool = False  # figures of runs that did not complete are taken as they are

    @property
    def figures(self):
        return self.objectives + self.constraints + self.shown


def read_study(path, variant=None, constants=(), values=()):
    """`variant`: the name of one of the study's; `constants`, `values`: of the user, by name."""
    path = pathlib.Path(path)
    root = read_toml(path, str(path))
    told = Variant(root, variant, dict(constants), dict(values))
    if not root.has("study"):
        raise Complaint(f"{path}:1:1: no table [study] with 'name', 'platform' and 'run'")
    about = root.child("study")
    name = about.text("name", required=True)
    if not all(c.isalnum() or c in "_-" for c in name) or name == "store":
        raise about.error("name", f"name: found \"{name}\", expected letters, digits, _ and -: it names a folder")
    name += f"_{variant}" if variant else ""
    study = Study(
        file=path.name, name=name, description=about.text("description"), commands=[], parameters=[], objectives=[],
        constraints=[], shown=[], derived=[], skips=[], method=Method(), choose="knee", choose_objective=None, published=[],
        fixed=about.sets("set"), constants=told.constants)
    study.incomplete_counts = about.choice("incomplete", ("infeasible", "counts"), "infeasible") == "counts"
    study.commands = read_commands(path, root, about)
    about.done()
    for table in root.children("parameter"):
        study.parameters.append(read_parameter(table, study))
    if not study.parameters:
        raise root.error(None, "no [[parameter]]: nothing varies")
    told.restrict(study)
    parameters = {p.name: p for p in study.parameters}
    for table in root.children("derived"):
        study.derived.append(read_derived(table, study, parameters))
    for table in root.children("objective"):
        study.objectives.append(read_objective(table, study))
    for table in root.children("constraint"):
        study.constraints.append(read_constraint(table, study))
    for table in root.children("figure"):
        study.shown.append(read_figure(table, study, True))
        table.done()
    if not study.objectives:
        raise root.error(None, "no [[objective]]: nothing to compare points by")
    show_derived(study)
    for table in root.children("skip"):
        text = table.text("when", required=True)
        study.skips.append(Skip(read_expression(table, "when", text, parameters)))
        table.done()
    study.method = read_method(root.child("method"), study)
    study.grids = [read_grid(table, study, parameters) for table in root.children("grid")]
    read_choice(root.child("choose"), study)
    for table in root.children("published"):
        study.published.append(read_published(table, study, parameters))
    root.done()
    return study


def read_commands(path, root, about):
    """Those of [study], or the [[command]] tables."""
    tables = root.children("command")
    out = []
    if tables:
        for key in ("platform", "objects", "run", "point"):
            if about.has(key):
                raise about.error(key, f"{key}: found beside [[command]], expected in each of those")
        for table in tables:
            kind = table.choice("kind", KINDS, required=True)
            options = table.texts("options")
            for option in (o.partition("=")[0] for o in options if o.startswith("-")):
                if option not in OPTIONS[kind]:
                    raise table.error("options", f"options: found \"{option}\"; expected one of "
                                      f"{', '.join(OPTIONS[kind])}")
            try:
                list(of_configuration(options))
            except ValueError as e:
                raise table.error("options", f"options: \"{e}\" has no value, expected \"{e}=FILE\"") from e
            out.append(read_command(path, table, kind, table.sets("set"), options))
            table.done()
        return out
    kinds = about.get("run", (str, list), "run")
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind not in KINDS:
            raise about.error("run", f"run: found {shown(kind)}{nearest(kind, KINDS)}")
        out.append(read_command(path, about, kind, [], []))
    if not out:
        raise about.error("run", f"run: found an empty list; expected some of {', '.join(KINDS)}")
    return out


def is_file(path):
    """False also for what can be none: names that are too long, folders on the way that are files."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_command(path, table, kind, sets, options):
    objects = table.has("objects")
    if objects == table.has("platform"):
        raise table.error("objects" if objects else None, "expected one of platform = \"FILE\" and objects = \"FILE\"")
    key = "objects" if objects else "platform"
    if objects and kind != "size":
        raise table.error("objects", f"objects: an objects file is for \"size\", found \"{kind}\"")
    file = path.parent / table.text(key, required=True)
    if not is_file(file):
        raise table.error(key, f"{key} = \"{table.content[key]}\": no file {file}")
    point = table.text("point", None)
    sets = list(sets)
    if kind == "run" and point is None and has_sweep(file):
        # One run of the platform as it stands.
        sets = [("sweep.point", "[]"), ("sweep.published", "[]")] + sets
    return Command(kind, file, table.content[key], objects, point if kind == "run" else None, sets, options,
                   table.places.text(table.path + (key,)))


def has_sweep(file):
    """What is wrong with a platform, horae will say."""
    try:
        return "sweep" in tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def read_parameter(table, study):
    name = table.text("name", required=True)
    if not name.isidentifier():
        raise table.error("name", f"name: found \"{name}\", expected letters, digits and _: expressions use it")
    if any(p.name == name for p in study.parameters):
        raise table.error("name", f"two parameters are called '{name}'")
    keys = [table.text("key")] if table.has("key") else table.texts("keys")
    parameter = Parameter(name, keys, table.text("unit"), table.text("doc"))
    if table.has("commands"):
        kinds = [c.kind for c in study.commands]
        for kind in table.texts("commands"):
            if kind not in kinds:
                raise table.error("commands", f"commands: found \"{kind}\"{nearest(kind, kinds)}")
        parameter.commands = [i for i, kind in enumerate(kinds) if kind in table.texts("commands")]
    if table.has("values"):
        for key in ("from", "to", "step", "scale", "count", "integer"):
            if table.has(key):
                raise table.error(key, f"{key}: found beside 'values', expected one or the other")
        parameter.choices = read_values(table, parameter, pathlib.Path(table.places.file).parent)
    else:
        read_range(table, parameter)
    parameter.average = table.flag("average")
    parameter.known = list(parameter.choices or [])
    if not keys and (parameter.choices is None or not all(c.labelled for c in parameter.choices)):
        raise table.error(None, f"[[parameter]] '{name}' has no 'key', the key of the platform that it sets")
    table.done()
    return parameter


def read_values(table, parameter, study_folder):
    values = table.get("values", list)
    if not values:
        raise table.error("values", "values: found an empty list, expected one value or more")
    choices = []
    for value in values:
        if isinstance(value, dict):
            inline = type(table)(table.places, table.path + ("values",), value)
            label = inline.get("label", (str, int, float), required=True)
            if not inline.has("set") and not inline.has("platform"):
                raise table.error("values", f"values: '{label}' sets nothing: expected set = [\"KEY=VALUE\"], or an "
                                            "empty list for the platform as it stands")
            file = None
            if inline.has("platform"):
                file = pathlib.Path(study_folder) / inline.text("platform", required=True)
                if not is_file(file):
                    raise table.error("values", f"platform = \"{inline.content['platform']}\": no file {file}")
            choices.append(Choice(label, inline.sets("set"), file, True))
            inline.done()
        elif isinstance(value, float) and not math.isfinite(value):
            raise table.error("values", f"values: found {value}, expected a finite number")
        elif isinstance(value, (str, int, float, bool)):
            choices.append(Choice(value, [(key, text_of(value, parameter.unit)) for key in parameter.keys]))
        else:
            raise table.error("values", f"values: found {shown(value)}, expected texts, numbers, true, false or "
                                        "{ label = ..., set = [\"KEY=VALUE\"] }")
    seen = []
    for choice in choices:
        # 1 and 1.0 are one value, 1 and true are not.
        value = (isinstance(choice.value, bool), choice.value)
        if value in seen:
            raise table.error("values", f"values: {shown(choice.value)} is there twice")
        seen.append(value)
    return choices


def read_range(table, parameter):
    low, high = table.number("from", required=True), table.number("to", required=True)
    if not low < high:
        raise table.error("to", f"to: found {high}, expected more than from = {low}")
    parameter.log = table.choice("scale", ("linear", "log"), "linear") == "log"
    if parameter.log and low <= 0:
        raise table.error("from", f"from: found {low}, expected more than 0 with scale = \"log\"")
    parameter.integer = table.flag("integer")
    step, count = table.number("step"), table.whole("count", least=2)
    if step is not None and (count is not None or parameter.log):
        raise table.error("step", "step: expected neither 'count' nor scale = \"log\" beside it")
    for key, value in (("from", low), ("to", high), ("step", step)):
        if parameter.integer and value is not None and value != int(value):
            raise table.error(key, f"{key}: found {value}, expected a whole number with integer = true")
    if step is not None and step <= 0:
        raise table.error("step", f"step: found {step}, expected more than 0")
    values = None
    try:
        if step is not None:
            values = steps(low, high, step)
        elif count is not None:
            values = spread(low, high, count, parameter.log, parameter.integer)
    except ValueError as e:
        key = "step" if step is not None else "count"
        raise table.error(key, f"{key}: {e}") from e
    if values is None:
        parameter.low, parameter.high = low, high
    else:
        parameter.choices = [Choice(v, [(key, text_of(v, parameter.unit)) for key in parameter.keys]) for v in values]


def read_expression(table, key, text, names):
    try:
        expression = Expression(text)
    except ValueError as e:
        raise table.error(key, f"{key}: {e}") from e
    for name in expression.names:
        if name not in names:
            raise table.error(key, f"{key}: unknown name '{name}'{nearest(name, names)}")
    return expression


def read_derived(table, study, parameters):
    name = table.text("name", required=True)
    if any(d.name == name for d in study.derived):
        raise table.error("name", f"two derived figures are called '{name}'")
    of = table.get("of", dict, {})
    for key, value in of.items():
        if not isinstance(value, str):
            raise table.error("of", f"of: '{key}': found {shown(value)}, expected a result in quotes")
        if key in parameters:
            raise table.error("of", f"of: '{key}' is a parameter already")
    expression = read_expression(table, "value", table.text("value", required=True), [*parameters, *of])
    out = Derived(name, expression, of, table.text("unit"), table.places.text(table.path))
    table.done()
    return out


def show_derived(study):
    """Derived figures that no other figure is of are looked at as well."""
    shown_already = {f.result for f in study.figures}
    for d in study.derived:
        result = f"derived.{d.name}"
        if result not in shown_already:
            name = result if any(f.name == d.name for f in study.figures) else d.name
            study.shown.append(Figure(name, result, d.where, unit=d.unit, optional=True))


def read_figure(table, study, needs_name):
    result = table.text("result", required=needs_name)
    name = table.text("name", result)
    if name and any(f.name == name for f in study.figures):
        raise table.error("name" if table.has("name") else "result", f"two figures are called '{name}'")
    figure = Figure(name, result, table.places.text(table.path + ("result",)), unit=table.text("unit"),
                    optional=table.flag("optional"))
    if table.has("command"):
        figure.command = table.choice("command", [c.kind for c in study.commands])
    if result.startswith("derived."):
        known = [d.name for d in study.derived]
        if result[len("derived."):] not in known:
            raise table.error("result", f"result: no derived figure "
                                        f"'{result[len('derived.'):]}'{nearest(result[len('derived.'):], known)}")
    return figure


def read_objective(table, study):
    figure = read_figure(table, study, True)
    figure.direction = table.choice("direction", ("max", "min"), required=True)
    table.done()
    return figure


def read_constraint(table, study):
    fits = table.flag("fits")
    figure = read_figure(table, study, not fits)
    figure.fits = fits
    figure.least, figure.most = table.number("least"), table.number("most")
    if fits:
        if figure.result or figure.least is not None or figure.most is not None:
            raise table.error("fits", "fits: expected no 'result', 'least' or 'most' beside it")
        figure.name = figure.name or "fits"
    elif figure.least is None and figure.most is None:
        raise table.error(None, f"[[constraint]] '{figure.name}' has neither 'least' nor 'most'")
    table.done()
    return figure


def read_grid(table, study, parameters):
    if study.method.kind != "grid":
        raise table.error(None, "[[grid]]: expected with [method] kind = \"grid\" only")
    at = {}
    for key, value in table.get("at", dict, {}).items():
        if key not in parameters:
            raise table.error("at", f"at: unknown parameter '{key}'{nearest(key, parameters)}")
        at[key] = value if isinstance(value, list) else [value]
        for each in at[key]:
            if parameters[key].choice(each) is None:
                known = [c.value for c in parameters[key].known]
                raise table.error("at", f"at: '{key}' has no value {shown(each)}{nearest(each, known)}")
    over = table.texts("over")
    for key in over:
        if key not in parameters or key in at:
            raise table.error("over", f"over: '{key}' is in 'at' too" if key in at else
                              f"over: unknown parameter '{key}'{nearest(key, parameters)}")
    out = SubGrid(table.text("name"), at, over)
    table.done()
    return out


def read_method(table, study):
    method = Method(table.choice("kind", ("grid", "latin", "search"), "grid"))
    method.seed = table.whole("seed", 1, least=0)
    if method.kind == "grid":
        for parameter, where in zip(study.parameters, range(len(study.parameters))):
            if parameter.choices is None:
                raise Complaint(f"{table.places.text(('parameter', where))}: parameter '{parameter.name}' has no "
                                "'step' or 'count': a grid needs its values (or [method] kind = \"latin\" or "
                                "\"search\")")
        for key in ("points", "sampler", "batch"):
            if table.has(key):
                raise table.error(key, f"{key}: a grid has none; expected kind = \"latin\" or \"search\" with it")
    else:
        method.points = table.whole("points", required=True)
    if method.kind == "search":
        method.sampler = table.choice("sampler", ("nsga2", "tpe"), "nsga2")
        method.batch = table.whole("batch", 12, least=2)
    elif method.kind == "latin":
        for key in ("sampler", "batch"):
            if table.has(key):
                raise table.error(key, f"{key}: expected with kind = \"search\" only")
    table.done()
    return method


def read_choice(table, study):
    study.choose = table.choice("rule", ("knee", "best"), "knee")
    names = [o.name for o in study.objectives]
    study.choose_objective = table.choice("objective", names)
    if study.choose == "best" and study.choose_objective is None:
        study.choose_objective = names[0]
    if study.choose == "knee" and study.choose_objective is not None:
        raise table.error("objective", "objective: expected with rule = \"best\" only")
    table.done()


def read_published(table, study, parameters):
    at = table.get("at", dict, required=True)
    for key in at:
        if key not in parameters:
            raise table.error("at", f"at: unknown parameter '{key}'{nearest(key, parameters)}")
    out = Published(table.text("id", required=True), at,
                    table.choice("figure", [f.name for f in study.figures], required=True),
                    table.number("value", required=True), table.text("unit"), table.text("source", required=True),
                    table.choice("kind", ("predicted", "calibrated"), "predicted"))
    table.done()
    return out
