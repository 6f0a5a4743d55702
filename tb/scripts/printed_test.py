#!/usr/bin/python3
"""What runs print: each number of them recomputed, apart from the code that prints it; and no name of a result or a
column of rows without a test.

A name has a test if its value was recomputed here (tb/scripts/printed.py) and was not zero, or if the name stands in an
EXPECT_EQ, EXPECT_NEAR or EXPECT_DOUBLE_EQ of a test in C++: not in a list, a comparison of sizes or a comment. Counters
of switch programs (DEVICE.program.NAME) and columns of groups are asked for by their last part."""
import collections
import os
import pathlib
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tb/tools"), str(ROOT / "scripts"), str(HERE)]
from lawful import platform as lawful  # noqa: E402
from lawful.runs import Subject  # noqa: E402
import printed  # noqa: E402

PROGRAM = os.environ["HORAE_PROGRAM"]
# Among the first 400 random platforms of seed 1 (and one beyond, for several ports): every name that they print, and each that is not
# zero in two of them is so in two of these.
PLATFORMS = (14, 28, 31, 33, 39, 41, 50, 51, 61, 84, 109, 115, 116, 127, 187, 208, 225, 234, 236, 262, 285, 291, 325, 337,
             348, 355, 364, 365, 388, 665, 695)
CUT = ("200 us", 262, 388)  # platforms whose arrivals are over by then, and not all their messages
GIVES_UP = (0, 25, 39)  # platforms of transports that may, given a timeout of 8 us and no retry
# Platforms given SENDs to few receive WQEs: RNR NAKs, queue pairs that give up, waits for reads of WQEs.
SENDS = (28, 33, 61, 109)
PAUSED = 94  # a platform with PFC, given an incast whose end is that of the measured time
NAMES = 280  # kinds of names that these print; fewer: the platforms no longer print all


def platform(seed, number):
    """Without events, whose results and rows are asked for in tb/platforms/network/events_test.cpp."""
    out = lawful.platform(seed, number)
    out.pop("event", None)
    return out


def asserted():
    """Texts within assertions of a value."""
    found = set()
    for file in (ROOT / "tb").rglob("*.[ch]pp"):
        text = file.read_text(encoding="utf-8")
        for m in re.finditer(r"\b(?:EXPECT|ASSERT)_(?:EQ|NEAR|DOUBLE_EQ)\s*\(", text):
            depth, end = 1, m.end()
            while depth and end < len(text):
                depth += (text[end] == "(") - (text[end] == ")")
                end += 1
            found |= set(re.findall(r'"([\w.]+)"', text[m.end():end]))
    return found


def has_test(kind, literals):
    if kind.startswith("DEVICE.program."):
        return any(x.split(".")[-1] == kind.split(".")[-1] for x in literals)
    if kind.startswith("rows.groups."):
        return kind.split(".")[-1] in literals
    return any(x == kind or kind.startswith("DEVICE.") and x.endswith(kind.removeprefix("DEVICE")) for x in literals)


def runs():
    for number in PLATFORMS:
        yield f"platform {number}", platform(1, number)
    for number in CUT[1:]:
        cut = platform(1, number)
        cut["sim"]["duration"] = CUT[0]
        cut["sim"].pop("stuck_after", None)
        yield f"platform {number}, cut", cut
    for number in GIVES_UP:
        gone = platform(1, number)
        gone["nic"].setdefault("reliability", {}).update(ack_timeout=1, retry_count=0)
        yield f"platform {number}, whose queue pairs give up", gone
    for number in SENDS:
        for depth, retries in ((1, 7), (1, 0), (40, 7)):
            yield f"platform {number}, with SENDs, depth {depth}, {retries} retries", sending(number, depth, retries)
        atomics = sending(number, 1, 7)
        atomics["nic"]["atomics"] = {"slots": 4, "hold": "1 us"}
        atomics["traffic"][0].update(verb="fetch_add", message="8 B")
        yield f"platform {number}, with atomics", atomics
        datagrams = sending(number, 2, 7)
        datagrams["link_default"]["loss"] = 0.02
        datagrams["nic"]["tx_latency"] = "200 ns"
        datagrams["traffic"][0].update(service="uc", message="20 KB")
        yield f"platform {number}, with UC", datagrams
    paused = platform(1, PAUSED)
    paused["traffic"] = [{"kind": "messages", "pattern": "incast", "fan_in": 3, "message": "64 KiB", "count": 2, "depth": 2,
                          "qps": 1, "start": "0 ns", "traffic_class": 3}]
    yield f"platform {PAUSED}, paused", paused


def sending(number, depth, retries):
    out = platform(1, number)
    nic = out["nic"]
    nic.update(transport="go_back_n", host="pcie", congestion={"algorithm": "none"},
               receive={"depth": depth, "prefetch": 1, "post": "3 us"})
    for key in ("entropy", "ordering"):
        nic.pop(key, None)
    nic.setdefault("reliability", {}).update(min_rnr_timer=1, rnr_retry=retries)
    out["traffic"] = [{"kind": "messages", "pattern": "incast", "fan_in": 2, "message": "300 B", "count": 6, "depth": 6,
                       "qps": 1, "start": "0 ns", "verb": "send"}]
    return out


def near(name, value, expected):
    """flows.csv has a mean depth of reordering with three decimals, times with six; percentiles of a table's latency are
    those of a histogram, in steps of about 1 %."""
    if value is None or expected is None or isinstance(expected, str):
        return value == expected
    apart = 6e-4 if name.endswith("reorder_mean") else 2e-2 if ".latency_p" in name else 2e-6
    return abs(value - expected) <= apart * max(1, abs(expected))


class Printed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kinds, cls.recomputed, cls.wrong = set(), collections.Counter(), []
        for what, text in runs():
            with tempfile.TemporaryDirectory() as place:
                ended = Subject(PROGRAM, text, place).base
                assert ended.summary is not None, f"{what}: {ended.err}"
                cls.compare(what, ended.summary, printed.Run(ended.summary, ended.flows()))

    @classmethod
    def compare(cls, what, summary, run):
        for kind, name, value in printed.printed(summary):
            cls.kinds.add(kind)
            if name is None:
                _, table, column = kind.split(".")
                if any(column not in row for row in run.rows.get(table, [{}])):
                    continue
                pairs = list(zip(value, (row[column] for row in run.rows[table])))
                same = len(value) == len(run.rows[table])
            elif name not in run.expected:
                continue
            else:
                pairs, same = [(value, run.expected[name])], True
            if not same or not all(near(kind, v, e) for v, e in pairs):
                cls.wrong.append(f"{what}: {name or kind}: printed and recomputed {pairs[:3]}")
            cls.recomputed[kind] += any(v not in (0, None) for v, _ in pairs)

    def test_as_recomputed(self):
        self.assertEqual(self.wrong, [])

    def test_no_name_without_a_test(self):
        literals = asserted()
        without = sorted(k for k in self.kinds if not self.recomputed[k] and not has_test(k, literals))
        self.assertEqual(without, [])
        self.assertGreaterEqual(len(self.kinds), NAMES)

    def test_a_mention_is_no_test(self):
        literals = asserted()
        self.assertIn("senders.idle_recovery", literals)
        self.assertFalse(has_test("DEVICE.program.no_such_counter", literals))
        self.assertTrue(has_test("DEVICE.program.epochs", {"epochs"}))
        self.assertFalse(has_test("fct.epochs", {"epochs"}))


if __name__ == "__main__":
    unittest.main()
