"""Makes a platform that breaks a law as small as it goes: tables and keys are left out, numbers made smaller, while
the same law is broken in the same way."""
import copy
import re


def shape(violation):
    """What the violation says, without its numbers."""
    return re.sub(r"[0-9.]+", "N", violation)[:60]


def shrunk(platform, breaks, most):
    """The smallest platform found with breaks(platform) true, in at most so many tries."""
    tries = 0
    changed = True
    while changed:
        changed = False
        for candidate in _smaller(platform):
            if tries == most:
                return platform
            tries += 1
            if breaks(candidate):
                platform, changed = candidate, True
                break
    return platform


def _smaller(platform):
    """Candidates, those that leave out most first."""
    paths = sorted(_paths(platform, ()), key=lambda p: (-_size(_at(platform, p)), len(p)))
    for path in paths:
        if path[0] == "platform":
            continue
        other = copy.deepcopy(platform)
        _at(other, path[:-1]).__delitem__(path[-1])
        yield other
    for path in paths:
        for value in _simpler(_at(platform, path)):
            other = copy.deepcopy(platform)
            _at(other, path[:-1])[path[-1]] = value
            yield other


def _paths(value, path):
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from _paths(inner, (*path, key))


def _at(value, path):
    for key in path:
        value = value[key]
    return value


def _size(value):
    return 1 + sum(map(_size, value.values() if isinstance(value, dict) else value)) if isinstance(value, (dict, list)) else 1


def _simpler(value):
    """Smaller numbers, with the unit if there is one."""
    if isinstance(value, bool) or isinstance(value, float):
        return
    text = re.fullmatch(r"(\d+)( .*)?", str(value))
    if not text:
        return
    number, unit = int(text[1]), text[2] or ""
    seen = {number}
    for smaller in (0, 1, int(f"{number:.0e}".split("e")[0]) * 10 ** (len(str(number)) - 1), number // 2, number - 1):
        if 0 <= smaller < number and smaller not in seen:
            seen.add(smaller)
            yield f"{smaller}{unit}" if isinstance(value, str) else smaller
