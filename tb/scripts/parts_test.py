#!/usr/bin/python3
"""CTest runs some files of tests part by part. What no part names would never run."""
import ast
import pathlib
import re
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def lists(text):
    """Variables that are set to lists, with what is appended to them."""
    found = {}
    for name, items in re.findall(r"(?:set|list)\((?:APPEND )?(\w+) ([^)]*)\)", text):
        found.setdefault(name, []).extend(items.split())
    return found


def parts(text):
    """By file of tests that is run by parts, the parts: a class or CLASS.TEST."""
    found = {}
    for items, body in re.findall(r"foreach\(part\s+([^)]*)\)(.*?)endforeach", text, re.DOTALL):
        named = items.split()
        if named[:2] == ["IN", "LISTS"]:
            named = lists(text)[named[2]]
        for file, before in re.findall(r"\}/((?:\w+/)?\w+_test\.py)\s+([\w.]*)\$\{part\}", body):
            found.setdefault(file, set()).update(before + n for n in named)
    return found


def missing(source, named):
    """Tests of a source that no part names."""
    for group in ast.parse(source).body:
        for test in group.body if isinstance(group, ast.ClassDef) else []:
            if isinstance(test, ast.FunctionDef) and test.name.startswith("test") \
                    and not {group.name, f"{group.name}.{test.name}"} & named:
                yield f"{group.name}.{test.name}"


class Parts(unittest.TestCase):
    def test_every_test_is_in_a_part(self):
        text = (HERE / "CMakeLists.txt").read_text(encoding="utf-8")
        by_file = parts(text)
        self.assertGreater(len(by_file), 7)
        for file, named in by_file.items():
            with self.subTest(file):
                self.assertEqual(list(missing((HERE / file).read_text(encoding="utf-8"), named)), [])

    def test_one_that_is_left_out_is_found(self):
        source = "class A:\n  def test_a(self): pass\n  def test_b(self): pass\nclass B:\n  def test_c(self): pass\n"
        self.assertEqual(list(missing(source, {"A"})), ["B.test_c"])
        self.assertEqual(list(missing(source, {"A.test_b", "B"})), ["A.test_a"])
        text = "set(parts X Y)\nlist(APPEND parts Z)\nforeach(part IN LISTS parts)\nadd_test(${D}/a_test.py ${part})\nendforeach()\n" \
               "foreach(part one two)\nadd_test(${D}/b_test.py\n C.test_${part})\nendforeach()"
        self.assertEqual(parts(text), {"a_test.py": {"X", "Y", "Z"}, "b_test.py": {"C.test_one", "C.test_two"}})


if __name__ == "__main__":
    unittest.main()
