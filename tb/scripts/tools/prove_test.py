#!/usr/bin/python3
"""tb/tools/prove: rules hold of the hardware, and are found broken in a copy of it where they are.

Making a circuit takes Yosys half a minute: HORAE_PROOFS=1 asks for it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
RTL = ROOT / "models/rtl/eunomia"
EXIT_SKIPPED = 77

# By rule (taken_was_free is asked, but no copy breaks it soon): a module, a line of it, and what stands there in the copy.
BROKEN = {
    "answer_was_asked": ("packet_driver", "assign response_valid = state == RESPOND;",
                         "assign response_valid = state == RESPOND || (state == WAIT && request_valid && request_close);"),
    "one_at_a_time": ("packet_driver", "assign request_ready = state == WAIT;",
                      "assign request_ready = state == WAIT || state == TRACK;"),
    "answer_stays": ("packet_driver", "default: if (response_ready) state <= WAIT;", "default: state <= WAIT;"),
    "done_was_started": ("hd_bitmap", "assign done = state == ANSWER;",
                         "assign done = state == ANSWER || (state == IDLE && last);"),
    "done_was_asked": ("memory_controller", "    done = 1'b0;\n    failed = 1'b0;",
                       "    done = state == IDLE && !command_valid && connection == '0;\n    failed = 1'b0;"),
    "taken_fits": ("run_search", "16'(BLOCKS - 1) - last_looked_at", "16'(BLOCKS) - last_looked_at"),
}


def prove(*options):
    ended = subprocess.run([ROOT / "tb/tools/prove", *map(str, options)], capture_output=True, text=True, check=False)
    if ended.returncode == EXIT_SKIPPED:
        print(ended.stdout)
        sys.exit(EXIT_SKIPPED)
    return ended


def outcomes(ended):
    return dict(re.findall(r"^\| `(\w+)` \|[^|]*\| (\w+)", ended.stdout, re.MULTILINE))


class Refuses(unittest.TestCase):
    def test_what_it_does_not_know(self):
        self.assertIn("answer_is_asked: unknown rule, did you mean 'answer_was_asked'?", prove("answer_is_asked").stderr)
        ended = prove("--rtl", ROOT / "tb")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no eunomia_pkg.sv in it", ended.stderr)

    def test_lines_that_the_copies_change_are_there(self):
        for module, line, _ in BROKEN.values():
            self.assertEqual((RTL / f"{module}.sv").read_text(encoding="utf-8").count(line), 1, line)


@unittest.skipUnless(os.environ.get("HORAE_PROOFS"), "HORAE_PROOFS=1 makes circuits, for minutes")
class Proves(unittest.TestCase):
    def test_what_holds(self):
        ended = prove(*BROKEN)
        self.assertEqual(outcomes(ended), {rule: "holds" for rule in BROKEN}, ended.stdout + ended.stderr)

    def test_what_is_broken(self):
        with tempfile.TemporaryDirectory() as name:
            copy = pathlib.Path(name)
            for file in RTL.glob("*.sv"):
                shutil.copy(file, copy)
            for module, line, other in BROKEN.values():
                file = copy / f"{module}.sv"
                file.write_text(file.read_text(encoding="utf-8").replace(line, other), encoding="utf-8")
            ended = prove("--rtl", copy, *BROKEN)
        self.assertEqual(outcomes(ended), {rule: "broken" for rule in BROKEN}, ended.stdout + ended.stderr)
        self.assertEqual(ended.returncode, 1)


if __name__ == "__main__":
    unittest.main()
