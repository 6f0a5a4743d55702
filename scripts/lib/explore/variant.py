"""What a study may be told beside its file: constants in its texts, and the values that parameters take.

`[constants]` are numbers and texts; `${expression}` in any text of the file stands for what it gives. A
`[variant.NAME]` has constants and values of its own."""
import re

from lib.common.complaint import Complaint, nearest
from .expression import Expression

PLACE = re.compile(r"\$\{([^}]*)\}")


class Variant:
    """Of the study in `root`: the variant of this name (None: as the file stands), then what the user says."""

    def __init__(self, root, name, constants, values):
        self.constants = dict(root.child("constants").content)
        self.values = {}
        self.where = ""  # the values of the variant
        variants = root.child("variant")
        if name is not None and name not in variants.content:
            raise Complaint(f"--variant {name}: {root.places.file} has none of this name"
                            f"{nearest(name, variants.content)}")
        for each in variants.content:
            table = variants.child(each)
            changed, taken = table.get("constants", dict, {}), table.get("values", dict, {})
            table.done()
            for key in changed:
                if key not in self.constants:
                    raise table.error("constants", f"constants: unknown constant '{key}'{nearest(key, self.constants)}")
            if each == name:
                self.constants.update(changed)
                self.values.update(taken)
                self.where = f"{root.places.text(table.path + ('values',))}: values"
        for key, value in constants.items():
            if key not in self.constants:
                raise Complaint(f"--constant {key}: {root.places.file} has none of this name{nearest(key, self.constants)}")
            self.constants[key] = typed(value)
        self.values.update(values)
        self.said = set(values)
        for key, value in root.content.items():
            if key not in ("constants", "variant"):
                try:
                    root.content[key] = filled(value, self.constants)
                except ValueError as e:
                    raise Complaint(f"{root.places.text((key,))}: {e}") from e

    def restrict(self, study):
        """Leaves its parameters the values that it takes."""
        parameters = {p.name: p for p in study.parameters}
        for name, values in self.values.items():
            where = "--values" if name in self.said else self.where
            if name not in parameters:
                raise Complaint(f"{where}: {study.file} has no parameter '{name}'{nearest(name, parameters)}")
            try:
                parameters[name].restrict(values if isinstance(values, list) else [values])
            except ValueError as e:
                raise Complaint(f"{where} of {name}: {e}") from e


def filled(value, constants):
    """`value` with what places in its texts stand for; of a text that is one place, that itself. ValueError."""
    if isinstance(value, dict):
        return {k: filled(v, constants) for k, v in value.items()}
    if isinstance(value, list):
        return [filled(v, constants) for v in value]
    if not isinstance(value, str):
        return value
    whole = PLACE.fullmatch(value)
    return value_of(whole, constants) if whole else PLACE.sub(lambda match: shown(value_of(match, constants)), value)


def value_of(match, constants):
    expression = Expression(match[1])
    for name in expression.names:
        if name not in constants:
            raise ValueError(f"{match[0]}: unknown constant '{name}'{nearest(name, constants)}")
    value = expression.value(constants)
    if value is None:
        raise ValueError(f"{match[0]} has no value")
    return value


def shown(value):
    return f"{value:.12g}" if isinstance(value, float) else f"{value}"


def typed(value):
    """A text of the command line: a number where it is one."""
    for kind in (int, float):
        try:
            return kind(value)
        except (TypeError, ValueError):
            pass
    return value
