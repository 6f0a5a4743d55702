"""Reading tables of a TOML file: every fault is one line with its place, and no key goes unread."""
import pathlib
import re
import sys
import tomllib

from lib.common.complaint import Complaint, nearest
from .places import Places

LARGEST = sys.float_info.max  # whole numbers of TOML may be larger
NAMES = {str: "a text in quotes", bool: "true or false", int: "a whole number", float: "a number", list: "a list",
         dict: "a table"}


def shown(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    return {dict: "a table", list: "a list"}.get(type(value), str(value))


class Table:
    """One table. Keys that are asked for are known; `done` refuses the others."""

    def __init__(self, places, path, content):
        self.places, self.path, self.content = places, tuple(path), content
        self.known = []

    def error(self, key, message):
        return Complaint(f"{self.places.text(self.path + ((key,) if key else ()))}: {message}")

    def has(self, key):
        if key not in self.known:
            self.known.append(key)
        return key in self.content

    def get(self, key, kinds, default=None, required=False):
        kinds = kinds if isinstance(kinds, tuple) else (kinds,)
        if not self.has(key):
            if required:
                self.done(keys_only=True)
                raise self.error(None, f"{self.title()} has no '{key}', {' or '.join(NAMES[k] for k in kinds)}")
            return default
        value = self.content[key]
        right = any(type(value) is k or (k is float and type(value) is int) for k in kinds)
        if not right:
            raise self.error(key, f"{key}: found {shown(value)}, expected {' or '.join(NAMES[k] for k in kinds)}")
        return value

    def text(self, key, default="", required=False):
        value = self.get(key, str, default, required)
        if required and not value:
            raise self.error(key, f"{key}: found an empty text, expected one")
        return value

    def number(self, key, default=None, required=False):
        value = self.get(key, float, default, required)
        if value is not None and not -LARGEST <= value <= LARGEST:
            raise self.error(key, f"{key}: found {shown(value)}, expected a finite number")
        return value

    def whole(self, key, default=None, least=1, required=False):
        value = self.get(key, int, default, required)
        if value is not None and value < least:
            raise self.error(key, f"{key}: found {value}, expected {least} or more")
        return value

    def flag(self, key, default=False):
        return self.get(key, bool, default)

    def texts(self, key):
        values = self.get(key, list, [])
        for value in values:
            if not isinstance(value, str):
                raise self.error(key, f"{key}: found {shown(value)}, expected texts in quotes")
        return values

    def sets(self, key):
        """KEY=VALUE texts as pairs."""
        out = []
        for text in self.texts(key):
            name, equals, value = text.partition("=")
            if not equals or not name.strip():
                raise self.error(key, f"{key}: found \"{text}\", expected \"KEY=VALUE\"")
            out.append((name.strip(), value))
        return out

    def choice(self, key, known, default=None, required=False):
        value = self.get(key, str, default, required)
        if value is not None and value not in known:
            raise self.error(key, f"{key}: found \"{value}\"{nearest(value, known)}")
        return value

    def child(self, key):
        return Table(self.places, self.path + (key,), self.get(key, dict, {}))

    def children(self, key):
        """[[key]] tables."""
        if not self.has(key):
            return []
        value = self.content[key]
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.error(key, f"{key}: found {shown(value)}, expected [[{key}]] tables")
        return [Table(self.places, self.path + (key, i), v) for i, v in enumerate(value)]

    def title(self):
        names = [p for p in self.path if isinstance(p, str)]
        if not names:
            return "the file"
        listed = isinstance(self.path[-1], int)
        return f"[[{'.'.join(names)}]]" if listed else f"[{'.'.join(names)}]"

    def done(self, keys_only=False):
        """Refuses keys that nothing asked for. `keys_only`: those that are near one that was asked for."""
        for key in self.content:
            if key in self.known:
                continue
            hint = nearest(key, self.known)
            if keys_only and "did you mean" not in hint:
                continue
            raise self.error(key, f"unknown key '{key}' in {self.title()}{hint}")


def read_toml(path, shown_as):
    """The root table of a file."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        why = e.strerror if isinstance(e, OSError) and e.strerror else "no UTF-8 text"
        raise Complaint(f"{shown_as}: cannot be read: {why}") from e
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as e:
        message = str(e)
        at = re.search(r"\s*\(at line (\d+), column (\d+)\)", message)
        if at:
            raise Complaint(f"{shown_as}:{at[1]}:{at[2]}: {message[:at.start()]}") from e
        lines = text.count("\n") + 1
        raise Complaint(f"{shown_as}:{lines}:1: {message.replace(' (at end of document)', ' at the end')}") from e
    return Table(Places(shown_as, text), (), content)
