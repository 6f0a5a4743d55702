#!/usr/bin/python3
"""tb/tools/mutate: which mutations a source has, and what the table says of them. That mutants are built and tried is
left to those who run it: it takes a build of the tests."""
import ast
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tb/tools"), str(ROOT / "scripts")]
from mutation import operators, python, rooms, switches, table  # noqa: E402


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
        for line in ("  SC_HAS_PROCESS(device);", "const int a = f();", "auto b = f();", "Foo bar(3 + x);", "return f();"):
            self.assertNotIn("dropped statement", {m[0] for m in of(line + "\n")}, line)

    def test_applied_is_the_line_with_the_change(self):
        text = "int f() {\n  return a < b ? a : b;\n}\n"
        (m,) = operators.mutations("a.cpp", text)
        self.assertEqual(m.applied(text.splitlines())[1], "  return a <= b ? a : b;")


def of_script(text):
    return {(m.operator, m.line, m.before, m.after) for m in python.mutations("a.py", text)}


class OfScripts(unittest.TestCase):
    def test_of_each_kind(self):
        self.assertEqual(of_script("if a < b and not c:\n    d(2)\n"),
                         {("comparison", 1, "<", "<="), ("logic", 1, "and", "or"), ("logic", 1, "not ", ""),
                          ("constant", 2, "2", "3")})
        self.assertEqual(of_script("x = y // z - True\n"), {("arithmetic", 1, "//", "*"), ("arithmetic", 1, "-", "+"),
                                                            ("constant", 1, "True", "False")})

    def test_a_first_assignment_and_lines_outside_of_functions_are_not_dropped(self):
        text = "f()\ndef g(a):\n    b = a\n    b = c\n    h()\n    a.x = b\n"
        self.assertEqual({(line, before) for kind, line, before, _ in of_script(text) if kind == "dropped statement"},
                         {(4, "b = c"), (5, "h()"), (6, "a.x = b")})

    def test_none_of_what_has_no_other_operator(self):
        for line in ('"a < b"', "# 1 + 2", "f(*a, -b)", 'a / "b"', 'a + f"{b + 1}"', "raise E(1)", "import a", "a is not b",
                     "a not in b", "x: int | None = y"):
            self.assertEqual(of_script(line + "\n"), set(), line)

    def test_a_line_is_reached_with_its_statement(self):
        tree = ast.parse("def f(a):\n    if (a and\n            b):\n        return g(1,\n                 2)\n    return 0\n")
        self.assertEqual([list(python.span(tree, n)) for n in (1, 3, 5, 6)], [[1], [2, 3], [4, 5], [6]])

    def test_lines_of_programs_that_a_test_starts_are_watched(self):
        with tempfile.TemporaryDirectory() as folder:
            scripts = pathlib.Path(folder) / "scripts"
            scripts.mkdir()
            (scripts / "a.py").write_text("def f(x):\n    if x:\n        return 1\n    return 2\nf(0)\n", encoding="utf-8")
            starts = f"import subprocess, sys; subprocess.run([sys.executable, {str(scripts / 'a.py')!r}], check=True)"
            lines = pathlib.Path(folder) / "lines"
            subprocess.run([sys.executable, "-c", starts], check=True, env={
                **os.environ, "PYTHONPATH": str(ROOT / "tb/tools/mutation/watch"), "HORAE_MUTATION_LINES": str(lines),
                "HORAE_MUTATION_SCRIPTS": f"{scripts}/"})
            self.assertEqual(lines.read_text(encoding="utf-8").split(), [f"scripts/a.py:{n}" for n in (1, 5, 2, 4)])


class Rooms(unittest.TestCase):
    def test_each_has_sources_and_tests_that_are_there(self):
        for room in rooms.ROOMS.values():
            files = room.files()
            self.assertTrue(files, room.name)
            for file in files:
                self.assertEqual(rooms.of_file(str(file.relative_to(ROOT))), room, file)
            if room.group == "scripts":
                for test in room.tests:
                    self.assertTrue((ROOT / "tb/scripts" / test).exists(), test)


SAMPLE = """\
int compare(int a, int b) { return a < b; }
int sum(int a, int b) { return 10 - a + b; }
int chain(bool a, bool b, bool c) { return a && b || c; }
int not_all(bool a) { return !a; }
int number() { return 5; }
int add(int a) {
  int x = 1;
  x += a * 3;
  return x;
}
struct Strange {};
Strange operator+(Strange s, int) { return s; }
int strange() {
  Strange s;
  (void)(s + 1);
  return 0;
}
"""
RUN = """
#include <cstdio>
namespace horae_mutation {
int active = 0;
unsigned char marks[64];
unsigned char* reached = marks;
void begin() {}
}
int main() {
  for (int& n = horae_mutation::active; n <= COUNT; ++n) {
    std::printf("%d %d %d %d %d %d\\n", compare(1, 1), sum(2, 3), chain(false, true, false), not_all(true), number(),
                add(4));
  }
  strange();
  for (int n = 1; n <= COUNT; ++n) std::printf("%d", horae_mutation::reached[n]);
}
"""


class Switches(unittest.TestCase):
    """All mutations of a source compiled at once: each, switched on, is the source with that change and no other."""
    USUAL = {"compare": 0, "sum": 11, "chain": 0, "not_all": 0, "number": 5, "add": 13}
    CHANGED = {("compare", "<"): 1, ("sum", "10"): 12, ("sum", "-"): 15, ("sum", "+"): 5, ("chain", "&&"): 1,
               ("not_all", "!"): 1, ("number", "5"): 6, ("add", "1"): 14, ("add", "+="): -11, ("add", "*"): 8,
               ("add", "3"): 17, ("add", "x += a * 3"): 1}

    def test_each_is_the_change_and_no_other(self):
        found = operators.mutations("a.cpp", SAMPLE)
        # `return 0` of strange(), which prints nothing, is let alone.
        found = [m for m in found if m.text != "return 0;"]
        code, left_out = switches.switched(SAMPLE, list(enumerate(found, 1)))
        self.assertEqual(left_out, [])
        self.assertEqual(len(code.splitlines()), len(SAMPLE.splitlines()))
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "sample.cpp"
            source.write_text(code + RUN.replace("COUNT", str(len(found))), encoding="utf-8")
            subprocess.run(["c++", "-std=c++20", "-w", "-include", ROOT / "tb/tools/mutation/switch.hpp", source, "-o",
                            source.with_suffix("")], check=True)
            *rows, marks = subprocess.run([source.with_suffix("")], capture_output=True, text=True,
                                          check=True).stdout.splitlines()
        rows = [dict(zip(self.USUAL, map(int, row.split()))) for row in rows]
        self.assertEqual(rows[0], self.USUAL)
        functions = [re.search(r"(\w+)\(", line)[1] if line.startswith("int ") else None for line in SAMPLE.splitlines()]
        tried = set()
        for m, row in zip(found, rows[1:]):
            name = next(f for f in functions[m.line - 1::-1] if f)
            tried.add((name, m.before))
            self.assertEqual(row, {**self.USUAL, name: self.CHANGED.get((name, m.before), self.USUAL.get(name))}
                             if name in self.USUAL else self.USUAL, m)
        self.assertLessEqual(set(self.CHANGED), tried)
        # No test comes past what is not run; and what the types do not have is no mutation of theirs.
        self.assertEqual(marks[[m.before for m in found].index("+", [m.text for m in found].index("(void)(s + 1);"))], "3")
        self.assertEqual(set(marks), {"1", "3"})

    def test_operands_of_logic_end_where_they_should(self):
        line = "  const bool x = f(a || b, c) && (d || e) || g[h && i];"
        (m,) = [m for m in operators.mutations("a.cpp", line + "\n") if m.column == line.index("&& (") + 1]
        self.assertEqual(switches.switched(line, [(1, m)])[0],
                         "  const bool x = ::horae_mutation::both<1>(static_cast<bool>(f(a || b, c) ), [&]() -> bool { return "
                         "static_cast<bool>( (d || e)); }) || g[h && i];")


class OfARow(unittest.TestCase):
    def test_is_found_where_lines_have_come_and_gone(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.cpp").write_text("x();\n// new\n  f(1);\n\n  f(1);\n", encoding="utf-8")
            row = {"file": "a.cpp", "line": "2", "column": "5", "operator": "constant", "before": "1", "after": "2",
                   "text": "f(1);"}
            self.assertEqual(operators.of_row(root, row).line, 3)
            self.assertEqual(operators.of_row(root, {**row, "line": "6"}).line, 5)
            self.assertIsNone(operators.of_row(root, {**row, "text": "f(3);"}))


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
                self.row(verdict="survived", judged="test A.C"), self.row(verdict="invalid"), self.row(verdict="untried"),
                self.row(operator="by hand")]
        self.assertIn("core                4       2           1          1   66 %", table.summary(rows))
        self.assertIn("by hand             1       1           0          0  100 %", table.summary(rows))


class TheTable(unittest.TestCase):
    def test_of_the_project_is_in_order_and_what_it_names_is_there(self):
        rows = table.read(ROOT / "tb/mutation.csv")
        self.assertEqual(len({table.key(r) for r in rows}), len(rows))
        for r in rows:
            self.assertIn(r["verdict"], ("caught", "survived", "invalid", "untried"))
            self.assertTrue((ROOT / r["file"]).exists(), r["file"])
            if r["judged"].startswith("test "):
                suite, name = r["judged"].removeprefix("test ").split("/")[-1].split(".")
                tests = subprocess.run(["grep", "-rlE", rf"TEST.*\({suite}, *{name}\)", ROOT / "tb"],
                                       capture_output=True, text=True, check=False)
                self.assertTrue(tests.stdout, r["judged"])


class Command(unittest.TestCase):
    def run_(self, *options):
        return subprocess.run([ROOT / "tb/tools/mutate", *options], capture_output=True, text=True, check=False)

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
