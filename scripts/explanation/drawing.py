"""What the pictures share: a label, and how a figure is written."""
import os
from fractions import Fraction

MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]


def pyplot():
    """matplotlib.pyplot without a display, writing the same bytes each time."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "horae"
    import matplotlib.pyplot as plt

    return plt


def label_of(x):
    """1/256 rather than 0.00390625, where it is such a fraction."""
    fraction = Fraction(x).limit_denominator(65536)
    return str(fraction) if float(fraction) == x and fraction.numerator <= 1 else f"{x:g}"


def save(figure, folder, name):
    figure.tight_layout()
    for ending in ("svg", "png"):
        path = os.path.join(folder, f"{name}.{ending}")
        figure.savefig(path, dpi=150, bbox_inches="tight",
                       metadata={"Date": None} if ending == "svg" else {})
        print(path)


def legend_below(figure, handles, labels):
    """Below the panels: a star in a legend would look like a published point."""
    figure.legend(handles, labels, fontsize=8, ncol=4, loc="upper center",
                  bbox_to_anchor=(0.5, 0.0))
