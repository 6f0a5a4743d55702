#!/usr/bin/env python3
"""Pages with one fault each: check_pages.py finds it, and nothing in a page without one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import check_pages  # noqa: E402

GOOD = """# Title

## Two words

[a page](models/page.md), [its heading](models/page.md#a-heading), [here](#two-words), [the web](https://example.org)
`scripts/run`, `models/<room>/`, `platforms/*.toml`, `build/platforms/horae`

    scripts/run models/page.md --out out/x && build/platforms/horae run

<!-- the file: models/code.cpp -->
```cpp
int main() {}
```

    build/platforms/horae run a.toml --out out/a     # and again
    build/platforms/horae run a.toml --out out/b

Once more:

    build/platforms/horae run a.toml --out out/a

| file | what |
|---|---|
| `a` | `a.toml` |
"""
LISTING = "| file |\n|---|\n| `a.toml` |\n| [`program/`](program/x) |\n"


class Pages(unittest.TestCase):
    def faults(self, text, **more):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in {"README.md": text, "models/page.md": "# A heading\n", "models/code.cpp": "int main() {}\n",
                                  "scripts/run": "", **more}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            return check_pages.check(root)

    def test_a_good_page_has_no_fault(self):
        self.assertEqual(self.faults(GOOD), [])

    def test_one_fault_is_found(self):
        for good, bad, said in [
                ("(models/page.md)", "(models/pages.md)", "README.md: links to models/pages.md, which is not there"),
                ("#a-heading", "#another", "README.md: links to models/page.md#another; page.md has no such heading"),
                ("(#two-words)", "(#three)", "README.md: links to #three; README.md has no such heading"),
                ("`scripts/run`", "`scripts/walk`", "README.md: names scripts/walk, which is not there"),
                ("    scripts/run", "    scripts/walk", "README.md: names scripts/walk, which is not there"),
                ("int main() {}\n```", "int main() { }\n```", "README.md: line 12: the block differs from models/code.cpp, line 1"),
                ("int main() {}\n```", "```", "README.md: line 12: the block differs from models/code.cpp, line 1"),
                ("int main() {}\n```", "int main() {}\n\n```", "README.md: line 13: the block differs from models/code.cpp, line 2"),
                ("models/code.cpp", "models/coda.cpp", "README.md: line 10: models/coda.cpp is not there"),
                ("```cpp\n", "", "README.md: line 10: no fenced block follows"),
                ("out/b", "out/a", "README.md: has several commands of one block that write out/a"),
                ("| `a` |", "\n| `a` |", "README.md: has a row outside a table: | `a` | `a.toml` |"),
        ]:
            with self.subTest(bad=bad):
                self.assertIn(good, GOOD)
                self.assertEqual(self.faults(GOOD.replace(good, bad, 1)), [said])

    def test_a_listing_lacks_nothing_and_has_nothing_twice(self):
        def faults(listing):
            return self.faults("x\n", **{"platforms/README.md": listing, "platforms/a.toml": "", "platforms/program/x": ""})
        self.assertEqual(faults(LISTING), [])
        for name, row in (("a.toml", "| `a.toml` |\n"), ("program/", "| [`program/`](program/x) |\n")):
            with self.subTest(name):
                self.assertEqual(faults(LISTING.replace(row, "")), [f"platforms/README.md: has nothing of {name}"])
        self.assertEqual(faults(LISTING + "| `program/` |\n"), ["platforms/README.md: has several rows of `program/`"])

    def test_a_long_readme_is_found(self):
        lines = check_pages.README_LINES + 1
        self.assertEqual(self.faults("x\n" * lines), [f"README.md: {lines} lines, at most {lines - 1}"])
        self.assertEqual(self.faults("x\n" * (lines - 1)), [])


if __name__ == "__main__":
    unittest.main()
