"""A parameter of a study: the values it may take, and what each sets."""
import dataclasses
import math
import pathlib
from typing import Optional

from lib.common.complaint import nearest

EXACT = 12  # significant digits of steps: what a decimal fraction's last bits are rounded away by
MOST_VALUES = 1_000_000  # of a parameter
DIGITS = 4  # of values between two bounds: what an architect would type, and the same on any machine


def rounded(value, digits=DIGITS):
    """`value` with a few significant digits; a whole number as one."""
    value = float(f"{value:.{digits}g}")
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def text_of(value, unit):
    """As `--set` takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return f"{value} {unit}" if unit else f"{value}"


@dataclasses.dataclass
class Choice:
    """A value with what it sets."""
    value: object  # a number, a text or a flag: what tables show
    sets: list     # of (key, text)
    file: Optional[pathlib.Path] = None  # the platform of points with it, where it is not the study's
    labelled: bool = False  # its sets are its own, not those of the parameter's keys


@dataclasses.dataclass
class Parameter:
    """With `choices`, in their order; or any number from `low` to `high`."""
    name: str
    keys: list
    unit: str = ""
    doc: str = ""
    commands: Optional[list] = None  # indices of commands that it is for; None: all
    choices: Optional[list] = None
    low: float = 0
    high: float = 0
    log: bool = False
    integer: bool = False
    average: bool = False  # a repetition: comparisons are of means over its values
    known: list = dataclasses.field(default_factory=list)  # all choices of the file, and those of the user

    def restrict(self, values):
        """Only these of its choices; of a parameter without labels others too. ValueError for an unknown label."""
        if self.choices is None:
            raise ValueError(f"'{self.name}' has a range, expected a parameter with values")
        chosen = []
        for value in values:
            choice = next((c for c in self.known if str(c.value) == str(value)), None)
            if choice is None:
                if not self.keys:
                    raise ValueError(f"found '{value}'{nearest(value, [c.value for c in self.known])}")
                choice = Choice(value, [(key, text_of(value, self.unit)) for key in self.keys])
                self.known.append(choice)
            chosen.append(choice)
        self.choices = chosen

    def choice(self, value):
        """The one with this value, or None."""
        return next((c for c in self.known if c.value == value and isinstance(c.value, bool) == isinstance(value, bool)),
                    None)

    @property
    def ordered(self):
        """Whether nearer choices are more alike."""
        return self.choices is None or all(
            isinstance(c.value, (int, float)) and not isinstance(c.value, bool) for c in self.choices)

    def value_at(self, share):
        """The value at a share of the range, from 0 to less than 1."""
        if self.choices is not None:
            return self.choices[min(int(share * len(self.choices)), len(self.choices) - 1)].value
        if self.log:
            value = self.low * math.exp(share * math.log(self.high / self.low))
        elif self.integer:
            return int(self.low) + int(share * (int(self.high) - int(self.low) + 1))
        else:
            value = self.low + share * (self.high - self.low)
        return self.settled(value)

    def settled(self, value):
        """A number within the bounds as it is set."""
        value = round(value) if self.integer else rounded(value)
        return min(max(value, self.low), self.high)

    def sets(self, value):
        choice = self.choice(value)
        return choice.sets if choice is not None else [(key, text_of(value, self.unit)) for key in self.keys]


def steps(low, high, step):
    """From `low` to `high`, both included where the steps meet it."""
    count = math.floor((high - low) / step + 1e-9) + 1
    if count > MOST_VALUES:
        raise ValueError(f"{count} values, expected {MOST_VALUES} at most")
    return [rounded(low + i * step, EXACT) for i in range(count)]


def spread(low, high, count, log, integer):
    """So many values from `low` to `high`, both included; those that round to the same are one."""
    if count > MOST_VALUES:
        raise ValueError(f"{count} values, expected {MOST_VALUES} at most")
    values = []
    for i in range(count):
        share = i / (count - 1)
        value = low * (high / low) ** share if log else low + share * (high - low)
        value = round(value) if integer else rounded(value)
        if value not in values:
            values.append(value)
    return values
