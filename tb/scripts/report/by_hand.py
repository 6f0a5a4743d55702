"""Results made by hand for the tests of scripts/report, and what these ask of blocks, tables and figures."""
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from lib.report import inputs  # noqa: E402

NONE, THIN, MINUS, SPACE = "\u2013", "\u202f", "\u2212", "\u00a0"
FLOWS = "flow,sender,receiver,fct_us,slowdown,size_bytes,first_post_us,message_p99_us,mean_rate_gbps\n"


def texts(table):
    return [[c.text for c in row] for row in table.rows]


def heads(table):
    return [c.title for c in table.columns]


def numeric(table):
    return [c.title for c in table.columns if c.numeric]


def result(kind, summary, label="r", folder="/nowhere"):
    return inputs.Result(label, kind, summary, pathlib.Path(folder))


def of_kind(found, block):
    return [b for b in found if b.block == block]


def lines(figure):
    """Name, xs and ys of each series of a figure of lines."""
    return [(s["name"], s["data"]["x"], s["data"]["y"]) for s in figure.spec["series"]]


class InFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")


def run(**more):
    return {"platform": "p", "verdict": "complete", "sim_time_ps": 2_000_000_000, "config": {}, "seed": 3, "version": "1.0",
            "packets": {"created": 5000, "delivered": 4000, "dropped": {"queue": 7, "loss": 3, "none": 0}, "in_flight": 990},
            "results": {"senders.goodput": {"value": 1.5, "unit": "Gbps"}, "fct.p99": {"value": None, "unit": "us"},
                        "fct.mean": {"value": 0, "unit": "us"},
                        "count": 7}, **more}
