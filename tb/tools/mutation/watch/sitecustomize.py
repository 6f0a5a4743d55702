"""Which lines of scripts a process of Python comes past. Python runs this file at its start where it is on its path."""
import os
import sys
import threading

# Whole paths of folders, with a slash at their ends, each below the first one's parent.
FILE, BELOW = os.environ.get("HORAE_MUTATION_LINES"), tuple(filter(None, os.environ.get("HORAE_MUTATION_SCRIPTS", "").split(os.pathsep)))
SEEN, ROOT = set(), len(BELOW[0]) - len("scripts/") if BELOW else 0


def _line(frame, event, _):
    if event == "line":
        where = (frame.f_code.co_filename, frame.f_lineno)
        if where not in SEEN:
            SEEN.add(where)
            # At once: a process may end in any way.
            os.write(OUT, f"{where[0][ROOT:]}:{where[1]}\n".encode())
    return _line


def _call(frame, event, _):
    return _line if frame.f_code.co_filename.startswith(BELOW) else None


if FILE and BELOW:
    OUT = os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    threading.settrace(_call)
    sys.settrace(_call)
