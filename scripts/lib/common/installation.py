"""Where things are: in a checkout (build/platforms/horae) or in an installation (bin/horae). Imported before anything that
Debian's Python does not bring: a module that is missing is then one line and not a traceback."""
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILT = ROOT / "build/platforms/horae"
PACKAGES = {"matplotlib": "python3-matplotlib", "numpy": "python3-numpy", "scipy": "python3-scipy",
            "optuna": "python3-optuna", "jinja2": "python3-jinja2", "tomli_w": "python3-tomli-w",
            "tomllib": "python3 of 3.11 or newer"}


def is_installed():
    """Whether this is an unpacked package, with nothing to build."""
    return not (ROOT / "CMakeLists.txt").exists()


def find_program():
    """The program that scripts run: that of the installation or of the PATH; in a checkout the one that is built there,
    or would be."""
    if not is_installed():
        return BUILT
    beside = ROOT / "bin/horae"
    return beside if beside.exists() else pathlib.Path(shutil.which("horae") or beside)


def results_folder():
    """Where results go unless told: out/ of the checkout, or of the current folder, since an installation may be
    somebody else's."""
    return (pathlib.Path.cwd() if is_installed() else ROOT) / "out"


def _say_missing(kind, error, traceback):
    top = (getattr(error, "name", None) or "").split(".")[0]
    if issubclass(kind, ModuleNotFoundError) and top in PACKAGES:
        print(f"{sys.argv[0]}: needs the Python module '{top}' (Debian: {PACKAGES[top]})", file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, traceback)


sys.excepthook = _say_missing
