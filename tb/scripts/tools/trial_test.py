#!/usr/bin/python3
"""Parts of tb/tools/mutate in its own process: places of operators, which lines are whose, batches, how tests are tried and in which order; a
small project is mutated from its copy to its table."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tb/tools"), str(ROOT / "scripts")]

from lib.common.complaint import Complaint  # noqa: E402
from mutation import building, operators, python, rooms, script_trial, switches, table, trial  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("mutate", str(ROOT / "tb/tools/mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", LOADER))
LOADER.exec_module(mutate)


class InFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def write(self, name, text, executable=False):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if executable:
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path


def found(text):
    return [(m.line, m.column, m.operator, m.before, m.after) for m in operators.mutations("a.cpp", text)]


class Places(unittest.TestCase):
    def test_where_each_begins(self):
        self.assertEqual(found("int f() {\n  n += a - 1;\n  return !b;\n}\n"), [(2, 3, "dropped statement", "n += a - 1", ""),
            (2, 5, "arithmetic", "+=", "-="), (2, 10, "arithmetic", "-", "+"), (2, 12, "constant", "1", "2"),
                                                                              (3, 10, "logic", "!", "")])
        for before, after in (("<", "<="), ("<=", "<"), (">", ">="), (">=", ">"), ("==", "!="), ("!=", "=="), ("+", "-"),
                              ("-", "+"), ("*", "+"), ("/", "*"), ("%", "/"), ("&&", "||"), ("||", "&&")):
            self.assertEqual([m[2:] for m in found(f"  return a {before} b;\n")],
                             [(next(k for k, v in operators.BINARY.items() if before in v), before, after)])

    def test_what_is_no_operand_is_let_alone(self):
        for line in ("  a *b;", "Type operator+(Type a);", "enum class A { x = 1 };", "template <int n = 3>", "  return 1.5;",
                     "  return a.b3;", "  return 1'000;", "  f(\"1 + 2\", 'a');", "using A = B<3>;", "  default: return;"):
            self.assertEqual([m for m in found(line + "\n") if m[2] != "dropped statement"], [], line)
        self.assertEqual([m[3:] for m in found("  x = 5_us + 3u;\n") if m[2] == "constant"], [("5", "6"), ("3", "4")])
        for line, dropped in (("  f();", True), ("  a->b(c)[d] = 5;", True), ("  --n;", True), ("  n++;", True),
                              ("  return f();", False), ("  f(a,", False), ("  Foo foo(1);", False),
                              ("  static int a = f();", False), ("  delete p;", False),
                              ("  break;", False), ("  a |= b;", True), ("  f((a);", False)):
            self.assertEqual(any(m[2] == "dropped statement" for m in found(line + "\n")), dropped, line)

    def test_texts_and_comments_of_several_lines(self):
        text = 'a = 1; /* 2\n3 */ \nb = R"toml(\nx = 4\n)toml";\nc = R"(5)" + 6;\n/* 7 */ d = 8;\ne = 9;\n'
        self.assertEqual([(n, code.strip("\0 ").strip()) for n, _, code in operators.code_lines(text) if code.strip("\0 ")][-1],
                         (8, "e = 9;"))
        self.assertEqual([m[3] for m in found(text) if m[2] == "constant" and m[0] not in (1, 7)], ["6", "9"])
        self.assertEqual([len(line) == len(code) for _, line, code in operators.code_lines(text)], [True] * 8)
        self.assertNotIn("2", [m[3] for m in found("a(b);  // 2 + 3\n")])

    def test_a_line_with_its_change(self):
        m = operators.Mutation("f", 2, 3, "constant", "1", "2", "a 1")
        self.assertEqual(m.applied(["x", "a 1", "y"]), ["x", "a 2", "y"])
        with self.assertRaises(AssertionError):
            m.applied(["x", "a 3", "y"])
        self.assertEqual(m.key(), ("f", "a 1", 3, "constant", "1", "2"))

    def test_of_scripts(self):
        def of(text):
            return [(m.line, m.column, m.operator, m.before, m.after, m.text) for m in python.mutations("a.py", text)]
        self.assertEqual(of("def f(a):\n    return (a\n            + 12) * [3][0]\n"),
                         [(3, 13, "arithmetic", "+", "-", "+ 12) * [3][0]"), (3, 15, "constant", "12", "13", "+ 12) * [3][0]"),
                          (3, 19, "arithmetic", "*", "+", "+ 12) * [3][0]"),
                                                                                             (3, 22, "constant", "3", "4",
                                                                                                 "+ 12) * [3][0]"),
                                                                                                 (3, 25, "constant", "0", "1",
                                                                                                     "+ 12) * [3][0]")])
        self.assertEqual(of("x = 0x10 + 1.5 + 'a' % b\ny = a if not b else True\n"),
                         [(1, 10, "arithmetic", "+", "-", "x = 0x10 + 1.5 + 'a' % b"),
                          (2, 10, "logic", "not ", "", "y = a if not b else True"), (2, 21, "constant", "True", "False",
                              "y = a if not b else True")])
        self.assertEqual([m[2:5]
                          for m in of("def f(a):\n    a.b = 1; c()\n    g()\n    x, a = 1, 2\n    a = (3,\n         4)\n    a += 5\n")], [
            ("constant", "1", "2"), ("dropped statement", "g()", "pass"), ("constant", "1", "2"), ("constant", "2", "3"),
            ("constant", "3", "4"), ("constant", "4", "5"), ("dropped statement", "a += 5", "pass"), ("arithmetic", "+=", "-="),
            ("constant", "5", "6")])

    def test_lines_of_a_statement(self):
        tree = __import__("ast").parse("class A:\n    x = 1\n\n    def f(self,\n          b):\n        for i in b:\n            g(i)\n\n\nif x:\n    y = (1,\n         2)\n")
        self.assertEqual([list(python.span(tree, n)) for n in (1, 2, 4, 5, 6, 7, 10, 11, 12, 99)],
                         [[1], [2], [4, 5], [4, 5], [6], [7], [10], [11, 12], [11, 12], [99]])


class Switched(unittest.TestCase):
    def of(self, line, before, after=None):
        code = "{\n" + line + "\n"
        m = next(m for m in operators.mutations("a.cpp", code) if m.before == before and after in (None, m.after))
        text, left_out = switches.switched(code, [(7, m)])
        return text.removeprefix("{\n").rstrip("\n").replace("::horae_mutation::", "@"), left_out

    def test_texts_of_each_kind(self):
        self.assertEqual(self.of("  f(a);", "f(a)"), ("  { if (!@on(7)) f(a); }", []))
        self.assertEqual(self.of("  x = 5_us;", "5"), ("  x = (@on(7) ? 6_us : 5_us);", []))
        self.assertEqual(self.of("  return !a;", "!"), ("  return !(@Not<7>)a;", []))
        self.assertEqual(self.of("  return a % b;", "%"), ("  return a % @Remainder<7>{} % b;", []))
        for before, name in switches.NAMES.items():
            self.assertEqual(self.of(f"  x {before} b;", before)[0], f"  x {before} @{name}<7>{{}} {before} b;")

    def test_operands_of_and_and_or(self):
        def both(line, before="&&"):
            text, left_out = self.of(line, before)
            self.assertEqual(left_out, [])
            kind, left, right = re.search(r"@(\w+)<7>\(static_cast<bool>\((.*?)\), \[&\]\(\) -> bool \{ return static_cast<bool>\((.*?)\); \}\)", text).groups()
            return kind, left.strip(), right.strip()
        self.assertEqual(both("  return a && b || c;"), ("both", "a", "b"))
        self.assertEqual(both("  return a && b || c;", "||"), ("either", "a && b", "c"))
        self.assertEqual(both("  return c || a && b;"), ("both", "a", "b"))
        self.assertEqual(both("  x = a == b && f(c, d)[e];"), ("both", "a == b", "f(c, d)[e]"))
        self.assertEqual(both("  g(x, a && !b, y);"), ("both", "a", "!b"))
        self.assertEqual(both("  return q ? a && b : c;"), ("both", "a", "b"))
        self.assertEqual(both("  return q ? c : n::a && b;"), ("both", "n::a", "b"))
        self.assertEqual(both("  if (a <= b && c >= d) return;"), ("both", "a <= b", "c >= d"))
        self.assertEqual(both("  if (f([&] { return 1; }) && c) return;"), ("both", "f([&] { return 1; })", "c"))
        line = "{ return a && b && c;"
        first, second = [m for m in operators.mutations("a.cpp", line + "\n") if m.before == "&&"]
        self.assertIn("(static_cast<bool>(a && b ),", switches.switched(line + "\n", [(1, second)])[0])
        self.assertIn("return static_cast<bool>( b); }) && c", switches.switched(line + "\n", [(1, first)])[0])
        text, left_out = switches.switched(line + "\n", [(1, first), (2, second)])
        self.assertEqual((text.count("both<1>"), text.count("both<2>"), text.count("("), left_out), (1, 1, text.count(")"), []))

    def test_several_at_one_place(self):
        """What closes comes first, then what opens, outer ones first, then what replaces."""
        def of(line):
            found = operators.mutations("a.cpp", line + "\n")
            text, left_out = switches.switched(line + "\n", list(enumerate(found, 1)))
            self.assertEqual(left_out, [])
            return text.rstrip("\n").replace("::horae_mutation::", "@")
        both = "static_cast<bool>("
        self.assertEqual(of("{ return !a && b;"),
                         f"{{ return @both<2>({both}!(@Not<1>)a ), [&]() -> bool {{ return {both} b); }});")
        self.assertEqual(of("{ return a && 1;"),
                         f"{{ return @both<1>({both}a ), [&]() -> bool {{ return {both} (@on(2) ? 2 : 1)); }});")
        self.assertEqual(of("{\n  f(a || b);").splitlines()[1],
                         f"  {{ if (!@on(1)) f(@either<2>({both}a ), [&]() -> bool {{ return {both} b); }})); }}")
        self.assertEqual(of("{ return a && b && c;"),
                         f"{{ return @both<2>({both}@both<1>({both}a ), [&]() -> bool {{ return {both} b); }}) ), "
                         f"[&]() -> bool {{ return {both} c); }});")

    def test_what_has_no_operands_is_left_out(self):
        for line in ("&& b;", "a &&"):
            m = operators.Mutation("a.cpp", 1, line.index("&&") + 1, "logic", "&&", "||", line)
            self.assertEqual(switches.switched(line, [(3, m)]), (line if line.endswith("\n") else line, [3]))
        odd = operators.Mutation("a.cpp", 1, 1, "by hand", "a", "b", "a")
        self.assertEqual(switches.switched("a\n", [(4, odd)]), ("a\n", [4]))


class Buildings(InFolder):
    def of(self, commands):
        self.write("build/compile_commands.json", json.dumps(commands))
        return building.Building(self.folder / "build", self.folder / "work")

    def test_its_folder_may_be_there(self):
        self.assertEqual([self.of([]).work.is_dir() for _ in range(2)], [True, True])

    def test_the_command_of_a_source(self):
        unity = self.write("build/x/Unity/u.cxx", f'#include "{self.folder}/a.cpp"\n#include "{self.folder}/b.cpp"\n')
        alone = {"file": f"{self.folder}/c.cpp", "command": "c++ -O2 -g -Wall -DX=1 -fPIC -o c.o -c c.cpp", "directory": "d"}
        together = {"file": str(unity), "command": "ccache c++ -c u", "directory": "d"}
        b = self.of([alone, together])
        self.assertEqual(b.of_source(self.folder / "c.cpp"), (alone, [self.folder / "c.cpp"]))
        self.assertEqual(b.of_source(self.folder / "b.cpp"), (together, [self.folder / "a.cpp", self.folder / "b.cpp"]))
        with self.assertRaisesRegex(building.Failed, "nothing compiles it"):
            b.of_source(self.folder / "d.cpp")
        self.assertEqual(building._words(alone), ("c++", "-DX=1"))

    def test_paths_beside_a_source_are_whole(self):
        self.write("beside.hpp", "")
        self.assertEqual(building._with_whole_paths('#include "beside.hpp"\n#include "far/x.hpp"\n#include <y>\n', self.folder),
                         f'#include "{self.folder}/beside.hpp"\n#include "far/x.hpp"\n#include <y>\n')

    def test_what_no_switch_is_for(self):
        def of(text, operator="constant", before="3"):
            return building._constant_expression(operators.Mutation("f", 1, 1, operator, before, "4", text))
        self.assertEqual([of("case 3: return;"), of("enum A { x = 3 };"), of("constexpr int a = 3;"),
                          of("std::array<int, 3> a;"), of("cases(3);"), of("a < 3"), of("std::array<int, 3> a;", "arithmetic"),
                          of("std::array<int, 33> a;")],
                         [True, True, True, True, False, False, False, False])

    def test_whose_switches_a_compiler_names(self):
        messages = "/w/0/a.cpp:12:3: error: x\nIn file /w/0/a.cpp:99:\n/w/1/b.cpp:5:1: note: y\n   /w/0/a.cpp:7:1: no\n"
        self.assertEqual(building._at_fault(messages, [(1, 12, pathlib.Path("/w/0/a.cpp")), (2, 5, pathlib.Path("/w/1/b.cpp")),
                                                       (3, 5, pathlib.Path("/w/0/a.cpp")), (4, 7, pathlib.Path("/w/0/a.cpp"))]),
                                                       {1, 2})

    def test_a_run_that_fails(self):
        building.run(["true"], self.folder)
        with self.assertRaisesRegex(building.Failed, "why"):
            building.run(["sh", "-c", "echo why >&2; exit 1"], self.folder)

    @unittest.skipUnless(shutil.which("c++"), "no compiler")
    def test_an_object_with_switches_and_those_that_do_not_compile(self):
        self.write("b.hpp", "int g();\n")
        source = self.write("a.cpp",
                            '#include "b.hpp"\nint f(int a) {\n  static const int n = 2;\n  char text[n + 1];\n  return a + g() - static_cast<int>(sizeof(text));\n}\n')
        b = self.of([{"file": str(source), "command": f"c++ -std=c++20 -o a.o -c {source}", "directory": str(self.folder)}])
        numbered = list(enumerate(operators.mutations("a.cpp", source.read_text()), 1))
        objects, left_out = b.switched(self.folder, "n", numbered)
        self.assertEqual(list(objects.values()), ["a.cpp"])
        self.assertTrue(next(iter(objects)).exists())
        by_text = {(m.text, m.before): n for n, m in numbered}
        self.assertNotIn(by_text["return a + g() - static_cast<int>(sizeof(text));", "+"], left_out)
        with self.assertRaises(building.Failed):
            b.changed(source, "int f( {", self.folder / "work/x.o")
        self.assertTrue(b.changed(source, '#include "b.hpp"\nint f(int a) { return a; }\n', self.folder / "work/x.o").exists())


class Links(InFolder):
    def of(self):
        self.write("build/compile_commands.json", "[]")
        return building.Building(self.folder / "build", self.folder / "work")

    def test_a_binary_is_linked_with_these_objects_before_its_libraries(self):
        self.write("bin/ninja",
                   "#!/bin/sh\necho compile\necho ': && c++ -O2 main.o -o tb/x libhorae_tb_systemc_main.a liba.a -lm && :'\n",
                   True)
        b, asked = self.of(), []
        with mock.patch.dict(os.environ, {"PATH": f"{self.folder}/bin:/usr/bin:/bin"}), mock.patch.object(b, "marks",
            lambda: "marks.o"), \
                mock.patch.object(b, "runner", lambda systemc: [f"runner.{systemc}"]), mock.patch.object(building, "run",
                    lambda *a: asked.append(a)):
            self.assertEqual(b.link_command("tb/x"), ["c++", "-O2", "main.o", "-o", "tb/x", "libhorae_tb_systemc_main.a",
                                                      "liba.a", "-lm"])
            self.assertEqual(b.link("tb/x", ["m.o"], "out"), "out")
            b.link("platforms/horae", ["m.o"], "out")
        more = ["-Wl,--allow-multiple-definition,--strip-debug", "libhorae_tb_systemc_main.a", "liba.a", "-lm"]
        self.assertEqual(asked, [(["c++", "-O2", "main.o", "-o", "out", "m.o", "marks.o", "runner.True", *more], b.build),
                                 (["c++", "-O2", "main.o", "-o", "out", "m.o", "marks.o", *more], b.build)])

    def test_units_are_compiled_as_the_build_does_and_interposable(self):
        b, asked = self.of(), []
        entry = {"command": "c++ -O3 -Wall -DX -c a.cpp -o a.o", "directory": "d"}
        with mock.patch.object(building, "run", lambda *a: asked.append(a)), mock.patch.object(building.shutil, "which",
            lambda name: None):
            self.assertEqual(b.compile(entry, "f.cpp", "t.o", ["-include", "h"]), "t.o")
        with mock.patch.object(building, "run", lambda *a: asked.append(a)), mock.patch.object(building.shutil, "which",
            lambda name: "/bin/x"):
            b.compile(entry, "f.cpp", "t.o")
            b.compile({**entry, "command": "ccache c++ -DX"}, "f.cpp", "t.o")
        rest = [*building.INTERPOSABLE, "-o", "t.o", "-c", "f.cpp"]
        self.assertEqual(asked[0], (["c++", "-DX", *building.INTERPOSABLE, "-include", "h", "-o", "t.o", "-c", "f.cpp"], "d"))
        self.assertEqual([words for words, _ in asked[1:]], [["ccache", "c++", "-DX", *rest]] * 2)

    def test_helpers_are_compiled_as_the_mains_of_tests(self):
        self.write("build/compile_commands.json", json.dumps([
            {"file": str((self.folder / "tb/support").resolve() / f"{n}_main.cpp"), "command": f"{n} -c x", "directory": "d"}
            for n in ("plain", "systemc")]))
        b, asked = building.Building(self.folder / "build", self.folder / "work"), []
        with mock.patch.object(b, "compile", lambda entry, file, target,
                               options=(): asked.append((entry["command"].split()[0], pathlib.Path(file).name, target.name,
                                                         len(options))) or target):
            b.marks(), b.program_path()
            self.assertEqual([o.name for o in b.runner(True)], ["systemc_main.o", "runner.o"])
            self.assertEqual([o.name for o in b.runner(False)], ["plain_main.o", "runner.o"])
        self.assertEqual(asked, [("plain", "marks.cpp", "marks.o", 0), ("plain", "program.cpp", "program.o", 0),
                                 ("systemc", "systemc_main.cpp", "systemc_main.o", 2),
                                 ("systemc", "runner.cpp", "runner.o", 0), ("plain", "plain_main.cpp", "plain_main.o", 2),
                                 ("plain", "runner.cpp", "runner.o", 0)])

    def test_what_does_not_compile_behind_a_switch_is_left_out(self):
        source = self.write("a.cpp", "const int n = 1;\nint f() {\n  return n + 2;\n}\n")
        b, tries = self.of(), []
        numbered = list(enumerate(operators.mutations("a.cpp", source.read_text()), 1))
        def compiles(messages):
            def compile_(entry, file, target, options):
                tries.append((file.parent / "0/a.cpp").read_text())
                if messages:
                    raise building.Failed(messages.pop(0).replace("UNIT", str(file.parent)))
                return target
            return compile_
        def switched(*messages):
            tries.clear()
            with mock.patch.object(b, "of_source", lambda s: ({"command": "c++ x", "file": str(source)},
                                                              [source])), mock.patch.object(b, "compile",
                                                                  compiles(list(messages))):
                return b.switched(self.folder, "n", numbered)
        objects, out = switched()
        self.assertEqual((list(objects.values()), out, len(tries)), (["a.cpp"], set(), 1))
        self.assertEqual(next(iter(objects)).relative_to(b.work), pathlib.Path("n/0/unit.o"))
        self.assertEqual(switched("UNIT/0/a.cpp:3:5: error: x\n")[1], {n for n, m in numbered if m.line == 3})
        self.assertEqual(len(tries), 2)
        self.assertEqual(switched("elsewhere: error\n")[1],
                         {n for n, m in numbered if m.line == 1})  # what is constant may be asked for there
        with self.assertRaisesRegex(building.Failed, "elsewhere"):
            switched(*["elsewhere: error\n"] * 3)


class Order(InFolder):
    def trial(self, tests, **more):
        t = object.__new__(trial.Trial)
        t.tests, t.root, t.left_out, t.numbers, t.binaries, t.files, t.factor, t.longest = tests, self.folder, set(), {}, {k: self.folder / k for k in tests}, {}, 4, float("inf")
        t.most = float("inf")
        t.building, t.environment, t.scripts = types.SimpleNamespace(work=self.folder, build=self.folder / "build"), {}, None
        for name, value in more.items():
            setattr(t, name, value)
        return t

    def test_those_that_name_the_source_first_then_the_quick(self):
        self.write("tb/core/rate_test.cpp", "TEST(Rate, One) {}\nTEST_P(Rates, Two) {}\n")
        self.write("tb/core/other_test.cpp", '#include "rate.hpp"\nTEST_F(Other, X) {}\n')
        self.write("tb/core/far_test.cpp", "TEST(Far, X) {}\n")
        t = self.trial({})
        self.assertEqual(t._near("horae_tb_core", pathlib.Path("x/rate.cpp")), {"Rate", "Rates", "Other"})
        tests = [trial.Test(n, s, frozenset(), frozenset()) for n, s in (("Far.X", 0.01), ("Rate.One", 9),
                                                                         ("All/Rates.Two/0", 0.1), ("Other.X", 1))]
        self.assertEqual([x.name for x in t._in_order("horae_tb_core", pathlib.Path("rate.cpp"), tests)],
                         ["All/Rates.Two/0", "Other.X", "Rate.One", "Far.X"])
        tests = [trial.Test(n, s, frozenset(), frozenset()) for n, s in (("Far.X", 0.01), ("All/Texts.AreAsTheyStand/a", 1.5),
                                                                         ("Far.Y", 9), ("Rate.One", 0.5))]
        names = lambda: [x.name for x in t._in_order("horae_tb_core", pathlib.Path("rate.cpp"), tests)]
        self.assertEqual(names(), ["Rate.One", "All/Texts.AreAsTheyStand/a", "Far.X", "Far.Y"])
        for most, of in ((2.01, 4), (2.0, 3), (1.9, 2), (0, 1)):
            t.most = most
            self.assertEqual(len(names()), of, most)
        self.assertEqual([trial._suite(n) for n in ("A.B", "P/A.B/0", "A/0.B", "P/A/0.B")], ["A", "A", "A", "A"])

    def binary(self, text):
        return self.write("binary",
                          f"#!/usr/bin/python3\nimport os, sys\nreport = open(os.environ['HORAE_MUTATION_REPORT'], 'w')\ntests = open(os.environ['HORAE_MUTATION_TESTS']).read().split('\\n')[:-1]\n{text}\n", True)

    def test_the_first_that_fails_catches(self):
        t = self.trial({})
        tests = [trial.Test(n, s, frozenset(), frozenset()) for n, s in (("a", 0.1), ("b", 1.0), ("c", 0.0))]
        tell = "def tell(n, how):\n    report.write(f'{n}\\t{how}\\t0.1\\t0\\n')\n"
        for text, by in ((tell + "for x in tests: tell(x.split()[1], 'passed')", None),
                         (tell + "tell('a', 'passed'); tell('b', 'failed')", "b"),
                         (tell + "tell('a', 'signal 11')", "a (signal 11)"), ("", "before any test"),
                         (tell + "tell('a', 'passed'); tell('b', 'timeout')", "b (timeout)"),
                         (tell + "tell('a', 'passed'); report.write('half')", "a (passed)")):
            self.assertEqual(t._caught(self.binary(text), tests, {}, self.folder), by, text)
        self.assertEqual((self.folder / "tests").read_text(), "2 a\n6 b\n2 c\n")
        self.assertEqual(t._run(self.write("silent", "#!/bin/sh\n", True), [], {}, self.folder), [])

    def test_a_profile_is_kept_while_the_binary_is_the_same(self):
        t = self.trial({})
        binary = self.binary("report.write('A.B\\tpassed\\t0.5\\t0103\\nA.C\\tpassed\\t0.25\\t0000\\n')\nopen('ran', 'a').write('x')")
        self.write("build/platforms/program/results/version.cpp", 'return "1.0+a";\n')
        with mock.patch.object(t, "_unchanged",
                               lambda *a: [["A.B", "passed", "0.5", "0103"], ["A.C", "passed", "0.25", "0000"]]):
            first = t._profile(binary)
        self.assertEqual(first, [trial.Test("A.B", 0.5, frozenset({1, 3}), frozenset({3})), trial.Test("A.C", 0.25, frozenset(),
            frozenset())])
        with mock.patch.object(t, "_unchanged", lambda b, known: self.assertEqual(set(known), {"A.B", "A.C"}) or []):
            self.assertEqual(t._profile(binary), first)
            with open(binary, "a", encoding="utf-8") as file:
                file.write("1.0+a")  # the version is none of its code
            self.assertEqual(t._profile(binary), first)
        binary.write_text("other")
        with mock.patch.object(t, "_unchanged", lambda *a: [["A.B", "failed", "0.5", "0"]]), self.assertRaisesRegex(
                building.Failed, "binary: A.B: failed: it must pass"):
            t._profile(binary)
        t.longest = 1.0
        with mock.patch.object(t, "_unchanged", lambda *a: [["A.B", "failed", "0.5", "0"], ["A.C", "passed", "1.5", "0"]]), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(t._profile(binary), [])
        self.assertIn("A.B: failed with nothing changed: left out", said.getvalue())
        t.tests = {"x": first, "y": first[:1]}
        self.assertEqual(t.seconds(), 1.25)

    def test_what_lasts_too_long_is_left_out(self):
        t = self.trial({}, longest=2.0, without={"Slow"}, at_once=1)
        listed = "#!/bin/sh\n[ -n \"$HORAE_MUTATION_LIST\" ] && echo 'A.A A.B A.C A.E Slow.A'\n"
        self.write("seconds.json", '{"A.B": 2.5, "A.C": 2.0}')
        asked = []

        def run(binary_, tests, environment, place):
            asked.append((tests, environment["HORAE_MUTATION_TO_END"]))
            return [["A.A", "passed", "3.0", "1"], ["A.C", "failed", "0.5", "1"], ["A.D", "timeout", "2.0", "1"]]
        with mock.patch.object(t, "_run", run):
            found = t._unchanged(self.write(f"x_{rooms.PROGRAM_TESTS}", listed, True), {"A.E": 1})
            self.assertEqual([x[0] for x in found], ["A.A", "A.C", "A.D"])
            self.assertEqual(asked, [([(3, "A.A"), (3, "A.C")], "1")])
            self.assertEqual(json.loads((self.folder / "seconds.json").read_text()), {"A.A": 3.0, "A.B": 2.5, "A.C": 2.0,
                "A.D": 2.0})
            t.longest = float("inf")
            t._unchanged(self.write("horae_tb_run", listed, True), {"A.E": 1})
            self.assertEqual([n for _, n in asked[1][0]], ["A.A", "A.B", "A.C", "Slow.A"])
            self.assertEqual(asked[1][0][0][0], 3600)
            self.assertEqual(t._unchanged(self.folder / "horae_tb_run", dict.fromkeys("A.A A.B A.C A.E Slow.A".split())), [])

    def test_a_profile_is_taken_by_as_many_processes_as_verdicts(self):
        t = self.trial({}, at_once=2)
        listed = self.write("horae_tb_run", "#!/bin/sh\n[ -n \"$HORAE_MUTATION_LIST\" ] && echo 'A.A A.B A.C'\n", True)
        asked = []

        def run(binary_, tests, environment, place):
            asked.append(([name for _, name in tests], environment["HORAE_MUTATION_MARKS"] == str(place / "marks"), place))
            return [[name, "passed", "0.5", "1"] for _, name in tests]
        with mock.patch.object(t, "_run", run):
            found = t._unchanged(listed, {})
        self.assertEqual([x[0] for x in found], ["A.A", "A.C", "A.B"])
        self.assertEqual(sorted(x[:2] for x in asked), [(["A.A", "A.C"], True), (["A.B"], True)])
        self.assertNotEqual(asked[0][2], asked[1][2])

    def test_tests_of_what_cannot_be_switched(self):
        passes = [trial.Test("A", 1, frozenset({3}), frozenset()), trial.Test("B", 1, frozenset({4}), frozenset())]
        t = self.trial({"horae_tb_run": passes, rooms.PROGRAM_TESTS: passes, "horae_tb_core": passes},
                       files={3: "platforms/program/run/src/a.cpp", 4: "platforms/program/run/src/b.cpp"})
        found = t._of_source("platforms/program/run/src/a.cpp")
        self.assertEqual({k: [x.name for x in v] for k, v in found.items()},
                         {"horae_tb_run": ["A", "B"], rooms.PROGRAM_TESTS: ["A"]})
        t.left_out = {3}
        self.assertEqual([x.name for x in t._of_source("platforms/program/run/src/a.cpp")[rooms.PROGRAM_TESTS]], ["A", "B"])

    def test_a_trial_numbers_its_mutations_and_profiles_its_binaries(self):
        found_ = [operators.Mutation(f, n, 1, "constant", "1", "2", str(n)) for n, f in ((5, "models/core/src/a.cpp"),
            (9, "models/core/src/b.cpp"))]
        build = types.SimpleNamespace(work=self.folder, build=self.folder, switched=lambda root, name,
                                      numbered: ({"o": numbered[0][1].file}, {2}))
        profiled = []
        def made(*more):
            with mock.patch.object(trial.Trial, "_linked", lambda t, binary, objects, name: self.folder / f"{name}_{binary}"), \
                    mock.patch.object(trial.Trial, "_profile", lambda t, binary: profiled.append(binary.name)
                                      or [binary.parent.is_dir()]):
                return trial.Trial(build, self.folder, 4, 9, "n", found_, ["horae_tb_core"], *more)
        t = made()
        self.assertEqual((list(t.numbers.values()), t.files, t.left_out, t.objects),
                         ([1, 2], {1: found_[0].file, 2: found_[1].file}, {2}, {"o": found_[0].file}))
        self.assertEqual((t.numbers[found_[1].key()], t.factor, t.longest, t.scripts, t.without), (2, 4, 9, None, set()))
        self.assertEqual((profiled, t.tests), (["n_horae_tb_core"], {"horae_tb_core": [True]}))
        self.assertEqual(made(True).left_out, {1, 2})
        self.assertEqual(t.at_once, len(os.sched_getaffinity(0)))

    def test_binaries_have_the_objects_of_their_rooms(self):
        linked = []
        build = types.SimpleNamespace(work=self.folder / "w", build=self.folder / "b", link=lambda *a: linked.append(a)
                                      or a[-1], program_path=lambda: "path.o")
        self.write("b/platforms/x.so", "")
        (self.folder / "w").mkdir()
        t = self.trial({}, building=build)
        objects = {"core.o": "models/core/src/a.cpp", "policy.o": "models/policy/src/a.cpp"}
        self.assertEqual(t._linked("horae_tb_core", objects, "n"), self.folder / "w/n_horae_tb_core")
        t._linked(rooms.PROGRAM_TESTS, objects, "n")
        program = self.folder / "w/n_program/horae"
        self.assertEqual(linked, [("tb/horae_tb_core", ["core.o"], self.folder / "w/n_horae_tb_core"),
                                  ("platforms/horae", objects, program),
                                  (f"tb/{rooms.PROGRAM_TESTS}", ["path.o"], self.folder / f"w/n_{rooms.PROGRAM_TESTS}")])
        self.assertTrue((program.parent / "x.so").is_symlink())
        self.assertEqual(t._program("n"), program)  # again

    def test_verdicts(self):
        m = operators.Mutation("models/core/src/a.cpp", 1, 1, "constant", "1", "2", "1")
        self.write("models/core/src/a.cpp", "1\n")
        def verdict(caught=None, left_out=(), compiles=True, **passes):
            t = self.trial({k: [trial.Test("T.T", 1, frozenset(v[0]), frozenset(v[1]))] for k, v in passes.items()},
                           numbers={m.key(): 5}, left_out=set(left_out), files={5: m.file})
            t.building = types.SimpleNamespace(work=self.folder, changed=lambda *a: None
                                               if compiles else (_ for _ in ()).throw(building.Failed("x")))
            with mock.patch.object(t, "_caught", lambda binary, tests, environment, place: caught), mock.patch.object(t,
                "_linked",
                lambda *a: self.folder / "linked"), mock.patch.object(t, "_program", lambda name: "p"):
                t.objects = {}
                return t.verdict(m)
        name = "horae_tb_core"
        self.assertEqual(verdict("T.T", **{name: ((5,), ())}), ("caught", "T.T"))
        self.assertEqual(verdict(None, **{name: ((5,), ())}), ("survived", name))
        self.assertEqual(verdict(None, **{name: ((5,), (5,))}), ("invalid", ""))
        self.assertEqual(verdict(None, **{name: ((4,), ())}), ("survived", f"no test of {name} comes to it"))
        self.assertEqual(verdict(None, compiles=False, **{name: ((4,), ())}), ("invalid", ""))
        self.assertEqual(verdict("T.T", left_out=(5,), **{name: ((4,), ())}), ("caught", "T.T"))


TESTS = """#!/usr/bin/python3
import os, pathlib, sys, unittest
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import small
class A(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(small.add(2, 3), 5)
    def test_slow(self):
        self.assertTrue(small.loop(3))
    def test_broken(self):
        self.fail()
if __name__ == "__main__":
    unittest.main()
"""
SMALL = "def add(a, b):\n    return a + b\n\n\ndef loop(n):\n    while n > 0:\n        n -= 1\n    return True\n\n\ndef never(a):\n    return a - 1\n"


class OfScripts(InFolder):
    def test_a_project_of_one_file(self):
        self.write("scripts/small.py", SMALL)
        self.write("tb/scripts/small_test.py", TESTS, True)
        self.write("left/out", "")
        self.write(".gitignore", "left/\nbuild/\n")
        (self.folder / "build").mkdir()
        subprocess.run(["git", "init", "-q", self.folder], check=True)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            t = script_trial.ScriptTrial(self.folder, self.folder / "build", 1, 60, ["small_test.py"])
        self.assertIn("A.test_broken fails unchanged in the copy: left out", said.getvalue())
        self.assertFalse((t.copy / "left").exists())
        tests = {x.name: x.passes for x in t.tests["small_test.py"]}
        self.assertEqual(set(tests), {"A.test_sum", "A.test_slow"})
        self.assertLessEqual({"scripts/small.py:2"}, tests["A.test_sum"])
        self.assertNotIn("scripts/small.py:6", tests["A.test_sum"])
        self.assertTrue(0 < t.seconds() < 10)
        by = {(m.line, m.before): m for m in python.mutations("scripts/small.py", SMALL)}
        self.assertEqual(t.verdict(by[2, "+"]), ("caught", "small_test.py A.test_sum"))
        self.assertEqual(t.verdict(by[6, ">"]), ("survived", "small_test.py"))
        self.assertEqual(t.verdict(by[12, "-"]), ("survived", "no test comes to it"))
        self.assertEqual(t.verdict(operators.Mutation("scripts/small.py", 2, 12, "constant", "a", "a a", "return a + b")),
                         ("invalid", ""))
        self.assertEqual((t.copy / "scripts/small.py").read_text(), SMALL)
        # Another trial takes its profile from there, until the script is another one.
        with mock.patch.object(script_trial.ScriptTrial, "_passes", lambda *a: self.fail()):
            script_trial.ScriptTrial(self.folder, self.folder / "build", 4, 60, ["small_test.py"])
        self.write("scripts/small.py", SMALL + "\n")
        with mock.patch.object(script_trial.ScriptTrial, "_passes",
                               lambda *a: False), contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(script_trial.ScriptTrial(self.folder, self.folder / "build", 4, 60, ["small_test.py"]).tests,
                             {"small_test.py": []})


class Command(InFolder):
    def options(self, *words):
        with mock.patch.object(sys, "argv", ["mutate", *words]):
            return mutate.arguments()

    def test_rooms_and_groups(self):
        found_ = self.options("--rooms", "scripts,core,scripts")
        self.assertEqual(found_.rooms, [r.name for r in rooms.ROOMS.values() if r.group == "scripts"] + ["core"])
        self.assertEqual((found_.seed, found_.count, found_.factor, found_.again, found_.alone, found_.files),
                         (1, 20, 4, False, False, ""))
        self.assertEqual(self.options().rooms, rooms.DEFAULT.split(","))
        self.assertEqual({r.group for r in rooms.ROOMS.values()}, set(rooms.GROUPS))
        for file, room in (("models/core/src/a.cpp", "core"), ("platforms/program/run/src/x.cpp", "run"),
                           ("scripts/report", "report"), ("scripts/lib/common/x.py", "common"), ("tb/tools/lawful/x.py", "lawful"), ("tb/tools/mutate", "mutation")):
            self.assertEqual(rooms.of_file(file).name, room)

    def test_rooms_take_turns(self):
        options = self.options("--rooms", "benchmarks,plot", "--count", "7", "--seed", "5")
        by_room = mutate.in_order(options)
        self.assertEqual(by_room, mutate.in_order(options))
        other = mutate.in_order(self.options("--rooms", "plot", "--seed", "6"))["plot"]
        self.assertEqual(({m.key() for m in other}, other == by_room["plot"]), ({m.key() for m in by_room["plot"]},
            False))
        now = mutate.chosen(options, by_room, [])
        self.assertEqual([len(now[r]) for r in ("benchmarks", "plot")], [4, 3])
        self.assertEqual(now["plot"], by_room["plot"][:3])
        first = now["plot"][0]
        row = {"room": "plot", "file": first.file, "line": first.line, "column": first.column, "operator": first.operator,
               "before": first.before, "after": first.after, "text": first.text, "verdict": "survived", "judged": ""}
        self.assertEqual(mutate.chosen(options, by_room, [row])["plot"], by_room["plot"][1:4])
        options.again = True
        self.assertEqual(mutate.chosen(options, by_room, [row])["plot"], [first])
        for change in ({"verdict": "caught"}, {"judged": "equivalent: x"}, {"room": "lawful"}, {"text": "gone"}):
            self.assertEqual(mutate.chosen(options, by_room, [{**row, **change}])["plot"], [])
        options.files = "nowhere"
        self.assertEqual(mutate.chosen(options, by_room, [row])["plot"], [])
        self.assertEqual(mutate.in_order(self.options("--rooms", "benchmarks", "--files", "loads.py"))["benchmarks"][0].file,
                         "tb/tools/benchmarks/loads.py")

    def test_batches(self):
        many = [operators.Mutation("f", i, 1, "constant", "1", "2", str(i)) for i in range(300)]
        self.assertEqual([(n, len(b), t) for n, b, t in mutate.batches(many, many[:4], 128)], [("0", 128, many[:4])])
        self.assertEqual([(n, b, t) for n, b, t in mutate.batches(many, many[:3], 128)], [("other0", many[:3], many[:3])])
        found_ = list(mutate.batches(many, [*many[:5], many[200], *many[256:260]], 128))
        self.assertEqual([(n, len(b), len(t)) for n, b, t in found_], [("0", 128, 5), ("2", 44, 4), ("other0", 1, 1)])

    def test_a_verdict_is_entered_and_what_was_judged_stays(self):
        options = types.SimpleNamespace(table=self.folder / "t.csv")
        m = operators.Mutation("scripts/report", 5, 3, "constant", "1", "2", "x")
        mutate.entered(options, m, "survived", "report_test.py")
        rows = table.read(options.table)
        self.assertEqual((len(rows), rows[0]["room"], rows[0]["verdict"], rows[0]["by"]),
                         (1, "report", "survived", "report_test.py"))
        rows[0]["judged"] = "equivalent: y"
        table.write(options.table, rows)
        mutate.entered(options, operators.Mutation("scripts/report", 9, 3, "constant", "1", "2", "x"), "caught", "z")
        mutate.entered(options, operators.Mutation("scripts/report", 9, 3, "constant", "1", "2", "other"), "caught", "z")
        rows = table.read(options.table)
        self.assertEqual([(r["line"], r["verdict"], r["judged"]) for r in rows],
                         [("9", "caught", ""), ("9", "caught", "equivalent: y")] if rows[0]["text"] == "other" else [("9",
                             "caught", "equivalent: y"), ("9", "caught", "")])

    def test_what_it_needs(self):
        with mock.patch.object(sys, "argv", ["mutate", "--build", str(self.folder), "--rooms",
                                             "benchmarks"]), self.assertRaisesRegex(Complaint, "no compile_commands.json"):
            mutate.main()
        self.assertEqual(mutate.first_error("a\nb: error: c\nd"), "b: error: c")
        self.assertEqual(mutate.first_error("a\nb"), "a")
        with self.assertRaisesRegex(Complaint, f"--build {self.folder}: has no tb/horae_tb_core: build it"):
            mutate.trial_of(types.SimpleNamespace(build=self.folder), "core", "0",
                            [operators.Mutation("models/core/src/a.cpp", 1, 1, "constant", "1", "2", "x")])

    def test_a_round_from_the_list_to_the_table(self):
        self.write("compile_commands.json", "[]")
        asked = []

        class Stand:
            left_out, at_once = (), 1
            def __init__(self, root, build, factor, longest, tests):
                asked.append((factor, longest, tests))
            def seconds(self):
                return 3
            def verdict(self, m):
                return ("caught", "x") if m.operator == "constant" else ("survived", "y")
        words = ["mutate", "--build", str(self.folder), "--rooms", "benchmarks,plot", "--count", "6", "--table",
                 str(self.folder / "t.csv"), "--longest", "5"]
        with mock.patch.object(sys, "argv", words), mock.patch.object(mutate, "ScriptTrial",
                                                                      Stand), contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(mutate.main(), 0)
        rows = table.read(self.folder / "t.csv")
        self.assertEqual(len(rows), 6)
        self.assertEqual({r["verdict"] for r in rows if r["operator"] == "constant"} | {"caught"}, {"caught"})
        self.assertTrue(said.getvalue().startswith("scripts: 6 mutations, 0 of them not behind switches; 3 s of tests\ntb/tools/"))
        self.assertTrue(said.getvalue().endswith(table.summary(rows) + "\n"))
        self.assertEqual((asked[0][:2], asked[0][2]),
                         ((4, 5), [*rooms.ROOMS["benchmarks"].tests, *rooms.ROOMS["plot"].tests]))
        with mock.patch.object(sys, "argv", ["mutate", "--summary", "--table",
                                             str(self.folder / "t.csv")]), contextlib.redirect_stdout(io.StringIO()) as said:
            mutate.main()
        self.assertEqual(said.getvalue(), table.summary(rows) + "\n")
        with mock.patch.object(sys, "argv", [*words, "--list"]), contextlib.redirect_stdout(io.StringIO()) as said:
            mutate.main()
        self.assertIn(": constant: '", said.getvalue())
        self.assertTrue(os.access(ROOT / "tb/tools/mutate", os.X_OK))


class Tables(InFolder):
    def row(self, **more):
        return {"room": "core", "file": "a.cpp", "line": 3, "column": 5, "operator": "constant", "before": "1", "after": "2",
                "text": "f(1);", "verdict": "caught", "by": "A.B", "judged": "", **more}

    def test_in_the_order_of_places(self):
        rows = [self.row(room="b"), self.row(line=10), self.row(line=9, column=7), self.row(line=9, column=5, after="3"),
                self.row(line=9), self.row(file="0.cpp", line=99)]
        table.write(self.folder / "t.csv", rows)
        self.assertEqual([(r["room"], r["file"], r["line"], r["column"], r["after"])
                          for r in table.read(self.folder / "t.csv")],
                         [("core" if r != "b" else "b", *rest) for r, *rest in (("b", "a.cpp", "3", "5", "2"),
                             ("core", "0.cpp", "99", "5", "2"), ("core", "a.cpp", "9", "5", "2"),
                             ("core", "a.cpp", "9", "5", "3"), ("core", "a.cpp", "9", "7", "2"),
                             ("core", "a.cpp", "10", "5", "2"))])
        self.assertEqual(table.read(self.folder / "none.csv"), [])

    def test_the_summary(self):
        rows = [self.row(), self.row(verdict="survived"), self.row(room="x", verdict="survived", judged="equivalent: y"),
                self.row(operator="by hand", verdict="survived"), self.row(operator="by hand", verdict="untried")]
        self.assertEqual(table.summary(rows).splitlines(), ["room        mutations  caught  equivalent  survivors  score",
                                                            "core                2       1           0          1   50 %",
                                                            "x                   1       0           1          0   none",
                                                           "all                 3       1           1          1   50 %",
                                                           "by hand             1       0           0          1    0 %"])
        self.assertNotIn("by hand", table.summary(rows[:3]))


if __name__ == "__main__":
    unittest.main()
