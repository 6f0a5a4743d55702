"""The answer of `horae explain --out DIR`, into DIR/plots (SVG and PNG): `agreement`, how near each hypothesis comes and how much
of its space agrees; `gains`, what each further measurement would tell; `predictions`, the intervals of the most telling ones;
`curves`, each quantity of each curve with a line per hypothesis and the published points; `idle`, why each hypothesis leaves the
wire idle."""
import os

from lib.common import plotting
from lib.common.complaint import Complaint
from lib.plot import agreement, curves

OPTIONS = ()


def draw(folder, answer):
    """Draws `answer`, the content of the folder's summary."""
    try:
        found = answer["infer"]
    except (KeyError, TypeError) as error:
        raise Complaint(f"{folder}: no explanation ({error})") from error
    plots = os.path.join(folder, "plots")
    try:
        os.makedirs(plots, exist_ok=True)
    except OSError as error:
        raise Complaint(f"{plots}: {error.strerror}") from error
    plt = plotting.pyplot()
    agreement.draw(plt, found, plots)
    curves.draw(plt, found, plots)
