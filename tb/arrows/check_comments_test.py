#!/usr/bin/env python3
"""Comments with one fault each: check_comments.py finds it, and nothing in sources without one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import check_comments  # noqa: E402

GOOD = {"a.cpp": "// Whatever it is.\n// What follows in a block is a sentence of it.\nint a = 0;  ///< Official rate\n"
                 + 'const char* b = "x // What";\n',
        "b.py": "#!/usr/bin/python3\n# Offers\n# Of a sentence before\n" + 'x = "  # What"\n', "c.md": "# What it is\n",
        "tool": "#!/bin/bash\n# Rates\n", "words": "# What\n", "tb/fuzz/corpora/x.toml": "# What\n"}


class Comments(unittest.TestCase):
    def faults(self, **more):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**GOOD, **more}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            return list(check_comments.check(root))

    def test_good_sources_have_no_fault(self):
        self.assertEqual(self.faults(), [])

    def test_each_place_is_found(self):
        for name, text, line, word in (("d.hpp", "int a;\n/// What a does.\nint b;\n", 2, "What"),
                                       ("d.hpp", "int a;  ///< Of all\n/// Not read.\nint b;\n", 1, "Of"),
                                       ("d.hpp", "int a;  ///< all\n/// Nobody reads it.\nint b;\n", 2, "Nobody"),
                                       ("e.py", "def f():\n    # What f does\n    return 1  # one\n", 2, "What"),
                                       ("f.toml", "a = 1  # What a is\n", 1, "What"), ("run", "#!/bin/sh\n# Of all\n", 2, "Of"),
                                       ("CMakeLists.txt", "# What is built\n", 1, "What"), ("g.p4", "// Of a NACK.\n", 1, "Of")):
            with self.subTest(name=name, line=line):
                found = self.faults(**{name: text})
                self.assertEqual([f.split(": ")[0] for f in found], [f"{name}:{line}"])
                self.assertIn(f'"{word}"', found[0])


if __name__ == "__main__":
    unittest.main()
