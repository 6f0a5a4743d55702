"""Figures as scripts draw them, before they are written: their axes are asked, not their pictures."""
import pathlib
import runpy
import sys
from unittest import mock

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "scripts"
sys.path.insert(0, str(SCRIPTS))

from lib.common import plotting  # noqa: E402


class Saved:
    """While it lasts, figures are kept in `found`, by the name of their file, in place of being written."""

    def __enter__(self):
        self.found = {}
        self.patch = mock.patch.object(plotting, "save", lambda figure, path,
                                       **how: self.found.setdefault(pathlib.Path(path).name, figure))
        self.patch.start()
        return self.found

    def __exit__(self, *_):
        self.patch.stop()


def of(script, *words):
    """The figures of a script of these words."""
    with Saved() as found, mock.patch.object(sys, "argv", [script, *map(str, words)]):
        try:
            runpy.run_path(str(SCRIPTS / script), run_name="__main__")
        except SystemExit as ended:
            assert not ended.code, ended.code
    return found


def lines(axes):
    """Label, xs, ys and marker of each line that has points."""
    return [(line.get_label(), list(map(float, line.get_xdata())), list(map(float, line.get_ydata())), line.get_marker())
            for line in axes.lines if len(line.get_xdata())]


def bars(axes):
    """Left, bottom, width and height of each bar, by label of its row of bars."""
    return {c.get_label(): [tuple(round(float(v), 6) for v in (*p.get_xy(), p.get_width(), p.get_height())) for p in c.patches]
            for c in axes.containers if hasattr(c, "patches")}


def ticks(axis):
    return [float(t) for t in axis.get_ticklocs()], [t.get_text() for t in axis.get_ticklabels()]


def legend(axes):
    found = axes.get_legend()
    return [t.get_text() for t in found.get_texts()] if found else []
