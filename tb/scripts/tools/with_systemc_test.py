#!/usr/bin/python3
"""tb/tools/with_systemc: which SystemC it finds in a folder, what it says to pkg-config, what it refuses."""
import importlib.machinery
import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOL = ROOT / "tb/tools/with_systemc"

loader = importlib.machinery.SourceFileLoader("with_systemc", str(TOOL))
with_systemc = importlib.util.module_from_spec(importlib.util.spec_from_loader("with_systemc", loader))
loader.exec_module(with_systemc)


class Finds(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.home = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def header(self, text):
        place = self.home / "include/sysc/kernel/sc_ver.h"
        place.parent.mkdir(parents=True)
        place.write_text(text)

    def library(self, name):
        place = self.home / name
        place.parent.mkdir(parents=True)
        place.touch()
        return place

    def refused(self):
        ended = subprocess.run([TOOL, self.home], capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stderr.count("\n")), (2, 1), ended.stderr)
        return ended.stderr

    def test_version_and_library(self):
        self.header("#define SC_VERSION_MAJOR         3\n#define SC_VERSION_MINOR         0\n# define SC_VERSION_PATCH         2\n")
        library = self.library("lib-linux64/libsystemc.so")
        self.assertEqual(with_systemc.installed(self.home), ("3.0.2", library))
        (self.home / "systemc.pc").write_text(with_systemc.pkg_config_file(self.home, "3.0.2", library))
        def said(*options):
            return subprocess.run(["pkg-config", *options, "systemc"], capture_output=True, text=True, check=True,
                                  env={"PATH": "/usr/bin:/bin", "PKG_CONFIG_PATH": str(self.home)}).stdout.split()
        self.assertEqual(said("--modversion"), ["3.0.2"])
        self.assertEqual(said("--cflags", "--libs"), [f"-I{self.home}/include", f"-L{library.parent}", f"-Wl,-rpath,{library.parent}",
                                                      "-lsystemc", "-lpthread"])

    def test_what_is_no_installation(self):
        self.assertIn("no include/sysc/kernel/sc_ver.h; expected a folder that SystemC is installed in", self.refused())
        self.header("#define SC_VERSION_MAJOR 3\n")
        self.assertIn("no SC_VERSION_MAJOR, _MINOR and _PATCH", self.refused())
        (self.home / "include/sysc/kernel/sc_ver.h").write_text(
            "#define SC_VERSION_MAJOR 3\n#define SC_VERSION_MINOR 0\n#define SC_VERSION_PATCH 2\n")
        self.assertIn("no lib*/libsystemc.so or .a", self.refused())


if __name__ == "__main__":
    unittest.main()
