#!/usr/bin/python3 -B
"""The example of models/facade: a testbench in SystemVerilog that asks the library, and what the library shows."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FACADE = pathlib.Path(__file__).resolve().parents[2] / "models/facade"
VERILATOR, LIBRARY = sys.argv[1:3]


def run(*command, cwd=None):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, cwd=cwd,
                          env={**os.environ, "OBJCACHE": os.environ.get("OBJCACHE", "ccache")})


class Example:
    """An example: its block, and a testbench that asks the library."""
    name = ""
    defines = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        # The command of the page; optimizing would take longer than the run.
        made = run(VERILATOR, "--binary", "--top-module", f"{cls.name}_tb", *cls.defines, FACADE / "sv/horae_pkg.sv",
                   FACADE / f"example/{cls.name}.sv", FACADE / f"example/{cls.name}_tb.sv",
                   "-LDFLAGS", f"{LIBRARY} -Wl,-rpath,{os.path.dirname(LIBRARY)}",
                   "-MAKEFLAGS", "OPT_FAST=-O0 OPT_GLOBAL=-O0 OPT_SLOW=-O0", cwd=cls.folder.name)
        assert made.returncode == 0, made.stdout + made.stderr
        assert "%Warning" not in made.stderr, made.stderr
        cls.testbench = pathlib.Path(cls.folder.name) / f"obj_dir/V{cls.name}_tb"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def simulate(self, *plusargs):
        return run(self.testbench, *plusargs, cwd=self.folder.name)

    def alike(self, words):
        """The numbers of the line at the end."""
        done = self.simulate()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = [line for line in done.stdout.splitlines() if words in line]
        self.assertEqual(len(said), 1)
        return said, [int(word) for word in said[0].replace(",", " ").replace(":", " ").split() if word.isdigit()]

    def differs(self, text, *plusargs):
        done = self.simulate(*plusargs)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(text, done.stdout + done.stderr)


class Ordering(Example, unittest.TestCase):
    name = "reorder_window"

    def test_the_block_is_the_model(self):
        said, cases = self.alike("answered alike")
        self.assertTrue(said[0].startswith("20000 packets"), said[0])
        cases = cases[1:]
        self.assertEqual(len(cases), 4)
        self.assertGreater(min(cases), 200, said[0])
        self.assertEqual(sum(cases), 20000)

    def test_another_model_is_told_apart(self):
        self.differs("reorder_window says", "+settings=engine=static bits=15")

    def test_settings_are_refused_in_the_models_words(self):
        self.differs("did you mean 'static'?", "+settings=engine=statik")

    def test_the_library_shows_nothing_else(self):
        names = [line.split()[-1] for line in run("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines()]
        self.assertIn("horae_ordering_packet", names)
        self.assertEqual([name for name in names if not name.startswith("horae_")], [])


class Sender(Example, unittest.TestCase):
    name = "packetizer"

    def test_the_block_is_the_model(self):
        said, (packets, again, naks, timeouts, messages) = self.alike("packets sent alike")
        self.assertGreater(packets, 10000, said[0])
        self.assertGreater(again, 2000, said[0])
        self.assertGreater(naks, 1000, said[0])
        self.assertGreater(timeouts, 100, said[0])
        self.assertGreater(messages, 1000, said[0])

    def test_another_model_is_told_apart(self):
        for settings in ("transport=rnic_sr mtu=1KiB reliability.window=16", "transport=go_back_n mtu=512B reliability.window=16",
                         "transport=go_back_n mtu=1KiB reliability.window=17"):
            with self.subTest(settings):
                self.differs("; Horae ", f"+settings={settings}")

    def test_settings_are_refused_in_the_models_words(self):
        self.differs("did you mean 'go_back_n'?", "+settings=transport=go_back")


class WrongSender(Example, unittest.TestCase):
    name = "packetizer"
    defines = ("-DPACKETIZER_BREAK",)

    def test_a_wrong_line_is_found(self):
        self.differs("packetizer sends PSN")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
