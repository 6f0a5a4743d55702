#!/usr/bin/python3
"""tb/tools/kill_anywhere finds a program that writes its result file by file, in its place."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
EXIT_SKIPPED = 77

# Writes four files where they belong, and asks nothing of what is there: it refuses a folder that exists.
CARELESS = """#!/usr/bin/python3 -IS
import os
if not os.path.exists("out"):
    os.mkdir("out")
    for name in "abcd":
        for again in range(50):
            with open("out/" + name, "w") as file:
                file.write(name * again)
"""


class Finds(unittest.TestCase):
    def test_a_program_that_leaves_half_a_result(self):
        with tempfile.TemporaryDirectory() as folder:
            careless = pathlib.Path(folder) / "horae"
            careless.write_text(CARELESS, encoding="utf-8")
            careless.chmod(0o755)
            ended = subprocess.run([ROOT / "tb/tools/kill_anywhere", "run", "--count", "6", "--program", careless],
                                   capture_output=True, text=True, check=False)
        if ended.returncode == EXIT_SKIPPED:
            print(ended.stdout)
            sys.exit(EXIT_SKIPPED)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertIn("after the kill a mixed result", ended.stdout)
        self.assertIn("then ", ended.stdout)


if __name__ == "__main__":
    unittest.main()
