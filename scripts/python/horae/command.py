"""The program as a child process."""
import json
import os
import pathlib
import shutil
import subprocess

from .errors import BY_CODE, HoraeError

HERE = pathlib.Path(__file__).resolve()


def find_program():
    """$HORAE, else the program of the checkout or installation that this package lies in, else that of the PATH."""
    places = [os.environ.get("HORAE"), HERE.parents[3] / "build/platforms/horae", HERE.parents[3] / "bin/horae",
              shutil.which("horae")]
    for place in places:
        if place and os.access(place, os.X_OK):
            return str(place)
    raise HoraeError("horae: program not found; build it with scripts/build, or name it in $HORAE")


def overrides(values):
    """`--set` for each item of a dict: texts as they are, other values as TOML."""
    words = []
    for key, value in (values or {}).items():
        words += ["--set", f"{key}={value if isinstance(value, str) else toml(value)}"]
    return words


def toml(value):
    """A value as TOML writes it in an override."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }"
    return repr(value)


def call(arguments, allowed=()):
    """Standard output of `horae ARGUMENTS`, and the exception of its exit code, or None. Raises unless the code is 0 or
    among `allowed`."""
    done = subprocess.run([find_program(), *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout, None
    lines = done.stderr.strip().splitlines() or done.stdout.strip().splitlines()
    error = BY_CODE.get(done.returncode, HoraeError)(lines[-1] if lines else f"horae ended with code {done.returncode}")
    error.said = done.stderr
    if done.returncode not in allowed or not done.stdout:
        raise error
    return done.stdout, error
