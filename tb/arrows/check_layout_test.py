#!/usr/bin/env python3
"""Trees with one fault each: check_layout.py finds it, and nothing in a tree without one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import check_layout  # noqa: E402

GOOD = {"README.md": "x\n", "models/core/README.md": "`codec/` has frames.\n", "models/core/src/a.cpp": "",
        "models/core/src/codec/b.cpp": "", "models/core/include/horae/core/a.hpp": "", "scripts/README.md": "x\n",
        "scripts/run": "#!/bin/bash\n", "scripts/list": "a word\n", "traces/a.csv": "1\n", ".ci/run": "#!/bin/bash\n"}


class Layout(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content, encoding="utf-8")
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            return list(check_layout.check(root))

    def test_a_good_tree_has_no_fault(self):
        self.assertEqual(self.faults(GOOD), [])

    def test_a_folder_that_no_page_describes(self):
        self.assertEqual(self.faults({**GOOD, "models/core/README.md": "Frames.\n"}),
                         ["models/core: README.md does not name `codec/`"])
        self.assertEqual(self.faults({n: t for n, t in GOOD.items() if n != "scripts/README.md"}),
                         ["scripts: no README.md, here or above"])  # that of the root does not count

    def test_a_folder_with_too_many_sources(self):
        most = {f"models/core/src/c{n}.cpp": "" for n in range(check_layout.MOST - 1)}
        self.assertEqual(self.faults({**GOOD, **most}), [])
        self.assertEqual(self.faults({**GOOD, **most, "models/core/src/d.py": ""}),
                         ["models/core/src: 26 sources, at most 25"])


if __name__ == "__main__":
    unittest.main()
