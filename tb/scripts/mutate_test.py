#!/usr/bin/python3
"""scripts/mutate: which mutations a source has, and what the table says of them. That mutants are built and tried is
left to those who run it: it takes a build of the tests."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from mutation import operators, table  # noqa: E402


def of(text):
    return {(m.operator, m.line, m.before, m.after) for m in operators.mutations("a.cpp", text)}


class Operators(unittest.TestCase):
    def test_of_each_kind(self):
        self.assertEqual(of("  if (a < b && !c) return 2;\n"),
                         {("comparison", 1, "<", "<="), ("logic", 1, "&&", "||"), ("logic", 1, "!", ""),
                          ("constant", 1, "2", "3")})
        self.assertEqual(of("  x += y * z;\n"), {("arithmetic", 1, "+=", "-="), ("arithmetic", 1, "*", "+"),
                                                 ("dropped statement", 1, "x += y * z", "")})
        self.assertEqual(of("  ++n;\n"), {("dropped statement", 1, "++n", "")})
        self.assertEqual(of("  flag_ = true;\n"), {("constant", 1, "true", "false"),
                                                   ("dropped statement", 1, "flag_ = true", "")})

    def test_none_of_what_is_no_arithmetic(self):
        for line in ("#include <a>", "// a < b", 'f("a < b");  // 3 + 4', "std::vector<int> a;", "return;",
                     "auto operator<=>(const A&) const = default;", '  .field("a", {.min = 3})',
                     "throw Error(1 + 2);", "Bytes b64 = 0x12;"):
            found = {m for m in of(line + "\n") if m[0] != "dropped statement"}
            self.assertEqual(found, set(), line)

    def test_a_declaration_is_not_dropped(self):
        for line in ("const int a = f();", "auto b = f();", "Foo bar(3 + x);", "return f();"):
            self.assertNotIn("dropped statement", {m[0] for m in of(line + "\n")}, line)

    def test_applied_is_the_line_with_the_change(self):
        text = "int f() {\n  return a < b ? a : b;\n}\n"
        (m,) = operators.mutations("a.cpp", text)
        self.assertEqual(m.applied(text.splitlines())[1], "  return a <= b ? a : b;")


class Table(unittest.TestCase):
    def row(self, **more):
        return {"room": "core", "file": "a.cpp", "line": 3, "column": 5, "operator": "constant", "before": "1",
                "after": "2", "text": "f(1);", "verdict": "caught", "by": "A.B", "judged": "", **more}

    def test_is_read_as_written_in_the_order_of_places(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "t.csv"
            table.write(file, [self.row(line=20), self.row(line=3, text='g("a, b");')])
            rows = table.read(file)
            self.assertEqual([r["line"] for r in rows], ["3", "20"])
            self.assertEqual(table.key(rows[0])[1], 'g("a, b");')

    def test_counts(self):
        rows = [self.row(), self.row(verdict="survived"), self.row(verdict="survived", judged="equivalent: why"),
                self.row(verdict="survived", judged="test A.C"), self.row(verdict="invalid")]
        self.assertIn("core                4       2           1          1   67 %", table.summary(rows))


class TheTable(unittest.TestCase):
    def test_of_the_project_is_in_order_and_what_it_names_is_there(self):
        rows = table.read(ROOT / "tb/mutation.csv")
        self.assertEqual(len({table.key(r) for r in rows}), len(rows))
        for r in rows:
            self.assertIn(r["verdict"], ("caught", "survived", "invalid"))
            self.assertTrue((ROOT / r["file"]).exists(), r["file"])
            if r["judged"].startswith("test "):
                suite, name = r["judged"].removeprefix("test ").split("/")[-1].split(".")
                tests = subprocess.run(["grep", "-rlE", rf"TEST.*\({suite}, *{name}\)", ROOT / "tb"],
                                       capture_output=True, text=True, check=False)
                self.assertTrue(tests.stdout, r["judged"])


class Command(unittest.TestCase):
    def run_(self, *options):
        return subprocess.run([ROOT / "scripts/mutate", *options], capture_output=True, text=True, check=False)

    def test_lists_the_same_in_the_same_order(self):
        one, two = (self.run_("--list", "--rooms", "core").stdout for _ in range(2))
        self.assertEqual(one, two)
        self.assertGreater(len(one.splitlines()), 500)

    def test_an_unknown_room_is_one_line(self):
        ended = self.run_("--rooms", "cores")
        self.assertEqual((ended.returncode, ended.stderr),
                         (2, "mutate: --rooms cores: unknown room, did you mean 'core'?\n"))


if __name__ == "__main__":
    unittest.main()
