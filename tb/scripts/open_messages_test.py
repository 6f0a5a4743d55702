#!/usr/bin/python3
"""Closing a message takes the same work however many others are open, in instructions that callgrind counts.

All messages of a list start at once. Two thousand more of them take as many instructions again, whether they come on
top of one thousand or of three thousand: to look at each open message at each end of one would take four million looks
more."""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
HORAE = os.environ.get("HORAE_PROGRAM", str(ROOT / "build/platforms/horae"))
sys.path[:0] = [str(ROOT / "tb/tools"), str(ROOT / "scripts")]

from benchmarks.measure import instructions  # noqa: E402

PLATFORM = """
[platform]
name = "open"
description = "messages that are all open at once"
[sim]
duration = "100 ms"
stop = "finished"
ideal = "line_rate"
[nic]
kind = "rnic"
[plain]
kind = "switch"
[leaf_spine]
leaves = 2
spines = 1
hosts_per_leaf = 4
host = "nic"
leaf = "plain"
spine = "plain"
[link_default]
rate = "100 Gbps"
delay = "1 us"
[[traffic]]
kind = "flow_list"
file = "open.csv"
"""


class OpenMessages(unittest.TestCase):
    def counted(self, messages):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder)
            (place / "open.toml").write_text(PLATFORM, encoding="utf-8")
            lines = [f"0,h{i % 4},h{4 + i // 4 % 4},1000\n" for i in range(messages)]
            (place / "open.csv").write_text("start_ns,source,destination,bytes\n" + "".join(lines), encoding="utf-8")
            count, output = instructions([HORAE, "run", place / "open.toml", "--no-progress", "--all"])
        self.assertRegex(output, rf"fct\.completed +{messages} ")
        return count

    def test_the_end_of_one_does_not_look_at_the_others(self):
        few, more, most = (self.counted(n) for n in (1000, 3000, 5000))
        self.assertLess((most - more) / (more - few), 1.06)


if __name__ == "__main__":
    if shutil.which("valgrind") is None:
        print("no valgrind: scripts/setup installs it")
        sys.exit(77)
    unittest.main()
