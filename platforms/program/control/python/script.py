"""Runs scripts one after the other in one state, and says what they left."""
import functools
import os
import platform
import socket
import sys
import time
import types

from horae_bfrt import values
from horae_bfrt.rows import Steps, rows_of
from horae_bfrt.tree import Model

OWN = "<horae>"  # our files are named so
LONGEST_S = 10.0


class ControlEnds(BaseException):
    """The script goes on no further; no fault of it."""


class MainName(str):
    """`__name__` of a script: versions of the vendor's tool have "__main__" or "__bfrtcli__"; it is equal to both."""

    def __eq__(self, other):
        return other in ("__main__", "__bfrtcli__")

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__


class Control:
    """What tables know of the script: where it is, its clock, what it is told in the end."""

    def __init__(self, view):
        self.pipes, self.tofino2 = view["pipes"], view["tofino2"]
        self.clock_s, self.notes, self._ignored, self.asked_host = 0.0, [], {}, False
        self.before_sleep, self._calls = lambda: None, 0

    def place(self):
        """File, line and column of the user's line that runs, and a number that no other call gets."""
        self._calls += 1
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename.startswith("<"):  # ours, or exec of a text
            frame = frame.f_back
        return (frame.f_code.co_filename, frame.f_lineno, column_of(frame.f_code, frame.f_lasti),
                self._calls)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def ignored(self, path):
        self._ignored[path] = self._ignored.get(path, 0) + 1

    def targets(self, table, named):
        if named.get("pipe") not in (None, 0xFFFF):
            self.note(f"{table.name}: pipe={named['pipe']} is taken as all pipes")

    def reads(self, table):
        """Packets change registers and counters, so after a sleep nobody here knows what is in them."""
        if self.clock_s > 0 and table.kind in ("REGISTER", "COUNTER"):
            raise ControlEnds(f"ends here: it reads {table.name} after a sleep, when packets may have changed it")

    def sleep(self, seconds):
        """Does not wait: the script's clock goes on, and what follows happens at that time of the simulation."""
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        self.before_sleep()
        self.clock_s += seconds
        if self.clock_s > LONGEST_S:
            raise ControlEnds(f"ends here: it has slept for more than {LONGEST_S:g} s")

    def all_notes(self):
        calls = [f"bfrt.{path}() is not modelled: {n} call{'' if n == 1 else 's'} did nothing"
                 for path, n in sorted(self._ignored.items())]
        return self.notes + calls


@functools.lru_cache(4096)
def column_of(code, instruction):
    try:
        for i, position in enumerate(code.co_positions()):
            if 2 * i == instruction and position[2] is not None:
                return position[2] + 1
    except AttributeError:  # Python before 3.11
        pass
    return 1


def _module(name, **content):
    if name in sys.modules:
        return
    try:
        __import__(name)
    except ImportError:
        made = types.ModuleType(name)
        made.__dict__.update(content)
        sys.modules[name] = made


def _surroundings(control, root, hostname):
    """What scripts expect around them."""
    _module("netaddr", IPAddress=values.IPAddress, EUI=values.EUI)
    cli = types.ModuleType("bfrtcli")
    cli.__dict__.update(bfrt=root, os=os, sys=sys, BfRtTableError=values.BfRtTableError)
    sys.modules["bfrtcli"] = cli
    table = types.ModuleType("bfrtTable")
    table.BfRtTableError = values.BfRtTableError
    sys.modules["bfrtTable"] = table
    time.sleep = control.sleep
    own_name = hostname or socket.gethostname()

    def name_of_host(*_):
        control.asked_host = True
        return own_name

    socket.gethostname = socket.getfqdn = platform.node = name_of_host


def _fault(path, error, control):
    """Place and text of what a script ended by: the last line of it that ran."""
    if isinstance(error, SyntaxError) and error.filename and not error.filename.startswith(OWN):
        return {"at": [error.filename, error.lineno or 0, error.offset or 0], "message": error.msg}
    at, trace = [path, 0, 0], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(OWN) and os.path.exists(code.co_filename):
            if code.co_filename == path or not code.co_filename.startswith((sys.prefix, "/usr")):
                at = [code.co_filename, trace.tb_lineno, column_of(code, trace.tb_lasti)]
        trace = trace.tb_next
    if isinstance(error, SystemExit):
        hint = "; it asked for the host's name, which may be given" if control.asked_host else ""
        return {"at": at, "message": f"the script ended itself by exit code {error.code}{hint}"}
    at = getattr(error, "at", at)
    text = " ".join(str(error).split())
    own = isinstance(error, (values.BfRtTableError, AttributeError, TypeError))
    return {"at": at, "message": text if own and text else f"{type(error).__name__}: {text}"}


def run(request):
    """Answer to a request: what is left in the end, the steps to it by their times, notes; or the fault that the
    scripts ended by."""
    view, control = request["view"], Control(request["view"])
    model, steps = Model(control, view), Steps()
    control.before_sleep = lambda: steps.take(control.clock_s, rows_of(model, view))
    root, fault = model.root(), None
    _surroundings(control, root, request.get("hostname"))
    for path in request["scripts"]:
        sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
        sys.argv = [path]
        names = {"__name__": MainName("__main__"), "__file__": path, "bfrt": root, "ip": values.ip, "mac": values.mac}
        main = types.ModuleType("__main__")
        main.__dict__.update(names)
        sys.modules["__main__"] = main
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
            exec(compile(text, path, "exec"), main.__dict__)
        except ControlEnds as end:
            where = _fault(path, end, control)["at"]
            control.note(f"{where[0]}:{where[1]}:{where[2]}: {end}")
        except SystemExit as end:
            if end.code not in (None, 0):
                fault = _fault(path, end, control)
                break
        except Exception as error:  # whatever the script raises
            fault = _fault(path, error, control)
            break
    if fault:
        return {"notes": control.all_notes(), "fault": fault}
    rows = rows_of(model, view)
    try:
        steps.take(control.clock_s, rows)
    except values.BfRtTableError as error:
        return {"notes": control.all_notes(), "fault": _fault(request["scripts"][-1], error, control)}
    return {"rows": rows, "steps": steps.all, "notes": control.all_notes()}
