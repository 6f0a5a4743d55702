#!/usr/bin/python3
"""tb/tools/soak_memory sees a program whose memory grows with its packets, and passes one whose does not."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]

# A run of 50 steps, which keeps so many bytes of each.
PROGRAM = """#!/usr/bin/python3 -IS
import sys, time
kept = []
if "--no-progress" not in sys.argv:
    for step in range(50):
        kept.append(b"x" * {kept})
        sys.stderr.write("%.1f %%\\r" % (2 * step + 2))
        sys.stderr.flush()
        time.sleep(0.06)
print('{{"packet_hops": 20000, "packets": {{"dropped": {{}}}}}}')
"""


class Looks(unittest.TestCase):
    def run_with(self, kept):
        with tempfile.TemporaryDirectory() as folder:
            horae = pathlib.Path(folder) / "horae"
            horae.write_text(PROGRAM.format(kept=kept), encoding="utf-8")
            horae.chmod(0o755)
            return subprocess.run([ROOT / "tb/tools/soak_memory", "--hops", "20000", "--program", horae], capture_output=True,
                                  text=True, check=False)

    def test_memory_that_grows(self):
        ended = self.run_with(100_000)
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)

    def test_memory_that_does_not(self):
        ended = self.run_with(0)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("second half: +0 KiB", ended.stdout)


if __name__ == "__main__":
    unittest.main()
