#!/usr/bin/python3 -B
"""Studies' expressions, and studies around them, out of seeded generators: each has the value that Python gives it,
or is refused in one line. HORAE_EXPRESSIONS=100000 tries so many of each kind (default 1500)."""
import ast
import math
import os
import pathlib
import random
import sys
import tempfile
import unittest
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
from lib.common.complaint import Complaint  # noqa: E402
from lib.explore.expression import MOST_BITS, Expression  # noqa: E402
from lib.explore.study import read_study  # noqa: E402

COUNT = int(os.environ.get("HORAE_EXPRESSIONS", "1500"))
NAMES = {"paths": 8, "qps": 3, "load": 0.75, "loss": -1e-4, "on": True, "kind": "spray"}
STUDY = """[study]
name = "s"
platform = "p.toml"
set = ["sim.duration=${length * 10}us"]
[constants]
length = 3
label = "small"
[[parameter]]
name = "paths"
key = "switch.paths"
values = [4, "${length + 5}", 16]
[[parameter]]
name = "load"
key = "traffic[0].load"
from = 0.1
to = 0.9
step = 0.2
[variant.quick]
constants = { length = 1 }
values = { paths = [4] }
[[derived]]
name = "cost"
value = "rate / max(paths, 1) ** 2 - (load if_not 0.5)"
of = { rate = "senders.tx_rate" }
[[skip]]
when = "paths > 8 and load in [0.1, 0.5] or not (paths - 4) % 3 == 0"
[[objective]]
name = "rate"
result = "senders.tx_rate"
direction = "max"
[[objective]]
result = "derived.cost"
direction = "min"
""".replace("(load if_not 0.5)", "(load - 0.5)")


class Drawn:
    """Expressions in which every part has the type that it needs."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self, depth):
        draw = self.random
        if depth == 0 or draw.random() < 0.2:
            return draw.choice(["paths", "qps", "load", "loss", "on", str(draw.randrange(100)), f"{draw.random() * 9:.3g}",
                                "True", "1_000", "0x1f", "2.5e-3"])
        a, b = self.number(depth - 1), self.number(depth - 1)
        kind = draw.randrange(12)
        if kind < 6:
            return f"{a} {draw.choice(['+', '-', '*', '/', '//', '%'])} {b}"
        if kind == 6:
            return f"({a}) ** {draw.choice(['2', '3', '-1', '0.5', 'qps'])}"
        if kind == 7:
            return f"{draw.choice('-+')}{a}"
        if kind == 8:
            return f"{draw.choice(['min', 'max'])}({a}, {b})"
        if kind == 9:
            return f"abs({a})"
        return f"({a})" if kind == 10 else f"({self.truth(depth - 1)})"

    def truth(self, depth):
        draw = self.random
        kind = draw.randrange(7) if depth > 0 else 0
        if kind < 2:
            signs = ["<", "<=", ">", ">=", "==", "!="]
            more = f" {draw.choice(signs)} {self.number(depth // 2)}" if draw.random() < 0.2 else ""
            return f"{self.number(depth // 2)} {draw.choice(signs)} {self.number(depth // 2)}{more}"
        if kind == 2:
            return f"{draw.choice(['kind', self.text()])} {draw.choice(['==', '!=', 'in', 'not in'])} {self.text()}"
        if kind == 3:
            return f"{self.number(depth - 1)} {draw.choice(['in', 'not in'])} [{self.number(0)}, {self.number(0)}, 3]"
        if kind == 4:
            return f"not ({self.truth(depth - 1)})"
        return f"({self.truth(depth - 1)}) {draw.choice(['and', 'or'])} ({self.truth(depth - 1)})"

    def text(self):
        return self.random.choice(["'spray'", '"ecmp"', "'sp' + 'ray'", "'ray'"])

    def soup(self):
        """Words in any order."""
        words = [*NAMES, "min", "max(", "abs", "(", ")", "[", "]", ",", "+", "-", "*", "**", "/", "//", "%", "@", "<", ">=", "==",
                 "!", ":=", "=", "in", "not", "and", "or", "if", "else", "for", "lambda x: x", "is", "await", "yield", "f'{paths}'",
                 "'", '"', "'''", "\\", "\n", "\t", "\0", " ", "#", ";", ":", ".", "..", "...", "__import__", "()", ".real", "{}",
                 "1e400", "9" * 400, "10**400", "0b", "0777", "1j", "b'x'", "é", "ａｂｓ", "\ud800", "\x1b[2J", "_", "**paths",
                 "*[1]", "None", "~", "<<", "|", "x.y", "'%s'", "a=1"]
        return "".join(self.random.choice(words) + self.random.choice(["", " "]) for _ in range(self.random.randrange(1, 12)))

    def damaged(self, text):
        """With a few signs lost, doubled, changed or moved."""
        signs = list(text)
        for _ in range(self.random.randrange(1, 4)):
            at, other = self.random.randrange(len(signs) + 1), self.random.randrange(len(signs) + 1)
            kind = self.random.randrange(5)
            if kind == 0:
                del signs[at:at + self.random.randrange(1, 4)]
            elif kind == 1:
                signs[at:at] = signs[other:other + self.random.randrange(1, 30)]
            elif kind == 2:
                signs[at:at + 1] = self.random.choice(["(", ")", "'", '"', "$", "{", "}", "\n", "=", "[", "]", "9", "-", ".", "é",
                                                       "\\", "**", "e9", "true", "\x7f"])
            elif kind == 3:
                signs[at:at] = self.soup()
            else:
                signs = signs[:at] + signs[other:]
            signs = signs or ["1"]
        return "".join(signs)


class Truths(ast.NodeTransformer):
    """`and` and `or` of a study say whether, not which."""

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        return ast.Call(func=ast.Name(id="bool", ctx=ast.Load()), args=[node], keywords=[])


def by_python(tree):
    try:
        code = compile(ast.fix_missing_locations(ast.Expression(Truths().visit(tree))), "", "eval")
        return eval(code, {"__builtins__": {"min": min, "max": max, "abs": abs, "bool": bool}}, NAMES)  # pylint: disable=eval-used
    except (ArithmeticError, TypeError, ValueError):
        return None


def no_number(value):
    """What a study takes for none: nothing, not real, infinite, or larger than floating point."""
    if isinstance(value, int):
        return value.bit_length() > MOST_BITS
    return value is None or isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value))


def is_line(complaint):
    """Not of a traceback, and nothing that steers a terminal."""
    return 0 < len(str(complaint)) < 4000 and str(complaint).isprintable()


def parts(text):
    return [n for n in ast.walk(ast.parse(text, mode="eval").body) if isinstance(n, ast.expr)]


class Expressions(unittest.TestCase):
    def test_a_value_is_that_of_python(self):
        drawn, values = Drawn("values"), 0
        for number in range(COUNT):
            text = drawn.truth(4) if number % 3 == 0 else drawn.number(4)
            value = Expression(text).value(NAMES)
            expected = by_python(ast.parse(text, mode="eval").body)
            if value is None:
                self.assertTrue(no_number(expected) or any(no_number(by_python(p)) for p in parts(text)), text)
            else:
                self.assertEqual((type(value), value), (type(expected), expected), text)
                values += 1
        self.assertGreater(values, COUNT // 2)  # else nothing is compared

    def test_signs_that_break_a_line_are_written(self):
        with self.assertRaises(ValueError) as refused:
            Expression("1 +\n\x1b[2J \ud800é +")
        self.assertEqual(str(Complaint(refused.exception)), "'1 +\\x0a\\x1b[2J \\ud800é +' is no expression")

    def test_what_is_none_is_refused_in_one_line(self):
        drawn, refused = Drawn("damage"), 0
        for number in range(COUNT):
            text = drawn.soup() if number % 2 else drawn.damaged(drawn.truth(3))
            try:
                with warnings.catch_warnings(record=True) as warned:
                    warnings.simplefilter("always")
                    expression = Expression(text)
            except ValueError as e:
                self.assertTrue(is_line(Complaint(e)), text)  # as whoever asks says it
                self.assertEqual(warned, [], text)  # each would be a line of its own
                refused += 1
                continue
            self.assertEqual(warned, [], text)
            if any(name not in NAMES for name in expression.names):
                continue  # whoever asks says so
            value = expression.value(NAMES)
            self.assertIsInstance(value, (type(None), bool, int, float, str, list), text)
            self.assertTrue(value is None or not no_number(value), text)
        self.assertGreater(refused, COUNT // 4)


class Studies(unittest.TestCase):
    def test_a_file_of_an_impossible_name_is_not_there(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "s.toml"
            for name in ("p" * 300, "s.toml/p.toml"):
                path.write_text(STUDY.replace("p.toml", name), encoding="utf-8")
                with self.assertRaisesRegex(Complaint, "s.toml:3:1: platform = .*: no file "):
                    read_study(path)

    def test_values_of_a_variant_have_their_place(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "p.toml").write_text("", encoding="utf-8")
            path = pathlib.Path(folder) / "s.toml"
            path.write_text(STUDY.replace("paths = [4] }", "path = [4] }"), encoding="utf-8")
            with self.assertRaisesRegex(Complaint, "s.toml:20:1: values: s.toml has no parameter 'path', did you mean 'paths'"):
                read_study(path, "quick")

    def test_a_damaged_study_is_read_or_refused_in_one_line(self):
        drawn, refused = Drawn("studies"), 0
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "p.toml").write_text("", encoding="utf-8")
            path = pathlib.Path(folder) / "s.toml"
            for number in range(COUNT // 2):
                text = drawn.damaged(STUDY) if number else STUDY
                path.write_text(text, encoding="utf-8", errors="surrogatepass")
                try:
                    study = read_study(path, drawn.random.choice([None, None, "quick"]) if number else "quick")
                except Complaint as complaint:
                    self.assertTrue(str(complaint).startswith(str(path)) or "--variant" in str(complaint), complaint)
                    self.assertTrue(is_line(complaint), text)
                    refused += 1
                    self.assertGreater(number, 0, complaint)
                    continue
                self.assertTrue(study.parameters and study.objectives, text)
        self.assertGreater(refused, COUNT // 10)


if __name__ == "__main__":
    unittest.main()
