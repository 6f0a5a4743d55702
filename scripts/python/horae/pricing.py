"""Prices in this process: a thousand designs a second, equal to those of `horae size`."""
import functools
import importlib.util
import json
import pathlib

from .errors import DoesNotFit, HoraeError

HERE = pathlib.Path(__file__).resolve()


@functools.cache
def _library():
    """Beside this file in an installation, in build/ of a checkout."""
    for folder in (HERE.parent, HERE.parents[3] / "build/python"):
        for file in sorted(folder.glob("_pricing.*so")):
            spec = importlib.util.spec_from_file_location("horae._pricing", file)
            try:
                library = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(library)
            except ImportError as error:
                raise HoraeError(f"horae.price: {file} cannot be loaded: {error}") from None
            return library
    raise HoraeError("horae.price: built without pybind11; install it (scripts/setup) and build the target horae_pricing, "
                     "or use horae.size")


class Price:
    """What a pipeline takes of its chip.

    name, stages, cycles   of the design; stages used; MAU cycles of ingress and egress
    fits, refused          refused: what lacks what, as `horae size --json` has it
    summary                all of it, as `horae size --json` has it in `pipelines`
    resources, objects     of it: used, capacity, ... by resource; the list of objects
    """

    def __init__(self, price):
        self._price = price
        self.name, self.stages, self.cycles, self.fits = price.name, price.stages, tuple(price.cycles), price.fits

    @functools.cached_property
    def summary(self):
        return json.loads(self._price.json())

    @functools.cached_property
    def refused(self):
        return json.loads(self._price.refused_json())

    @property
    def resources(self):
        return self.summary["resources"]

    @property
    def objects(self):
        return self.summary["objects"]

    def __repr__(self):
        return f"<horae.Price {self.name}: {self.stages} stages{'' if self.fits else ', refused'}>"


def price(design, *, chip=None, check=True):
    """Prices a dict laid out as an objects file, without a process or a file. Returns its Price, or, of one with a list
    under "design", a list of them. Raises BadInput, and with `check` DoesNotFit with the Price in `result`."""
    prices = [Price(p) for p in _library().price(design, chip)]
    for one in prices:
        if one.fits or not check:
            continue
        error = DoesNotFit("; ".join("{design}: {object}: {resource}: need {need}, have {have}: {why}".format(**r)
                                     for r in one.refused))
        error.result = one
        raise error
    return prices if "design" in design else prices[0]
