"""Studies as data frames."""
import pathlib
import subprocess
import sys
import tempfile
import tomllib

import pandas

from .command import HERE, find_program
from .errors import BY_CODE, HoraeError


def explore(study, *, out=None, options=()):
    """Runs a study file (platforms/studies) with scripts/explore, and gives its points: a column per parameter and
    objective. `out`: folder with the store of runs, which a later call resumes."""
    script = HERE.parents[2] / "explore"
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(out or scratch)
        done = subprocess.run([sys.executable, script, study, "--out", place, "--program", find_program(), "--no-progress",
                               *map(str, options)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines()
            raise BY_CODE.get(done.returncode, HoraeError)(lines[-1] if lines else f"explore ended with {done.returncode}")
        name = tomllib.loads(pathlib.Path(study).read_text(encoding="utf-8"))["study"]["name"]
        return pandas.read_csv(place / name / "points.csv")
