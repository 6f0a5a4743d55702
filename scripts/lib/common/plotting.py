"""What scripts that draw share: pyplot as we use it, and a picture written whole or not at all, the same bytes each time."""
import pathlib

from lib.common.complaint import Complaint


def pyplot():
    """matplotlib.pyplot without a display, writing the same bytes each time."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "horae"
    import matplotlib.pyplot as plt

    return plt


def picture(option):
    """The file that `-o` names; a Complaint if it is none of a picture."""
    path = pathlib.Path(option)
    if path.suffix not in (".svg", ".png"):
        raise Complaint(f"-o {option}: expected a name ending in .svg or .png")
    return path


def save(figure, path, **how):
    """Writes a figure to `path`; a Complaint if it cannot be written."""
    part = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        figure.savefig(part, metadata={"Date": None} if path.suffix == ".svg" else {}, **how)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise Complaint(f"{path}: {error.strerror}") from error
