"""A run as data frames."""
import json
import pathlib
import tempfile

import pandas

from . import command
from .errors import Stuck


class Run:
    """What a run gave. Units stand beside values, or in `frame.attrs["units"]` by column.

    summary   summary.json as it is
    results   a line per result: value (None where nothing was measured), unit
    flows     a line per connection or message; None if the run kept no such file
    series    samples over time, with `sim.sample`; None without
    """

    def __init__(self, summary, flows=None, series=None, links=None):
        self.summary, self.flows, self.series, self.links = summary, flows, series, links
        self.results = pandas.DataFrame.from_dict(summary["results"], orient="index", columns=["value", "unit"])
        self.results.index.name = "result"

    @property
    def verdict(self):
        """complete, timeout or stuck."""
        return self.summary["verdict"]

    def __getitem__(self, name):
        """The value of one result, in its unit."""
        return self.summary["results"][name]["value"]

    def rows(self, table):
        """A table of the summary's `rows`, such as "ranks"."""
        return pandas.DataFrame(self.summary["rows"][table])

    def __repr__(self):
        return f"<horae.Run {self.summary['platform']}: {self.verdict}, {len(self.results)} results>"


def read(folder):
    """A result folder of `horae run --out` as a Run."""
    folder = pathlib.Path(folder)

    def table(name):
        return pandas.read_csv(folder / name) if (folder / name).exists() else None
    return Run(json.loads((folder / "summary.json").read_text()), table("flows.csv"), table("series.csv"), table("links.csv"))


def run(platform, set=None, *, out=None, jobs=None, options=()):  # pylint: disable=redefined-builtin
    """Simulates a platform file with overrides, {"nic.mtu": "4 KiB"}. Texts are as `--set` takes them. `out`: keeps the
    result folder there. Raises BadInput, DoesNotFit, Stuck (with the run in `result`), HoraeError."""
    with tempfile.TemporaryDirectory() as scratch:
        place = pathlib.Path(out or pathlib.Path(scratch) / "run")
        words = ["run", platform, "--out", place, "--no-progress", *command.overrides(set), *options]
        if jobs:
            words += ["--jobs", jobs]
        _, error = command.call(words, allowed=(Stuck.code,))
        result = read(place)
    if error:
        error.result = result
        raise error
    return result
