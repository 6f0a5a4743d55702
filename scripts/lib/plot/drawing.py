"""What the pictures share: a label, a legend, and how a figure is written."""
import pathlib
from fractions import Fraction

from lib.common import plotting

MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]


def label_of(x):
    """1/256 rather than 0.00390625, where it is such a fraction."""
    fraction = Fraction(x).limit_denominator(65536)
    return str(fraction) if float(fraction) == x and fraction.numerator <= 1 else f"{x:g}"


def save(figure, folder, name):
    figure.tight_layout()
    for ending in ("svg", "png"):
        path = pathlib.Path(folder) / f"{name}.{ending}"
        plotting.save(figure, path, dpi=150, bbox_inches="tight")
        print(path)


def legend_below(figure, handles, labels):
    """Below the panels: a star in a legend would look like a published point."""
    figure.legend(handles, labels, fontsize=8, ncol=4, loc="upper center",
                  bbox_to_anchor=(0.5, 0.0))
