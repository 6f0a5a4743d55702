"""Arithmetic of a study file ("paths * qps > 4096"): numbers, texts and names, nothing else of Python."""
import ast
import math
import operator
import warnings

MOST_SIGNS = 2000  # of an expression
MOST_DEPTH = 100   # of one in another
MOST_BITS = 1000   # of a whole number: what a floating-point number reaches


def of_numbers(function):
    """Texts and lists are not multiplied, nor formatted by %."""
    def apply(a, b):
        if isinstance(a, (str, list, tuple)) or isinstance(b, (str, list, tuple)):
            raise TypeError
        return bounded(function(a, b))
    return apply


def bounded(value):
    """ArithmeticError beyond the numbers that there are."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise ArithmeticError
    if isinstance(value, complex) or (isinstance(value, float) and not math.isfinite(value)):
        raise ArithmeticError
    return value


def power(a, b):
    # Before it is worked out, which would take as long as the number is.
    if isinstance(a, int) and isinstance(b, int) and b > 0 and abs(a) > 1 and b * (a.bit_length() - 1) > MOST_BITS:
        raise ArithmeticError
    return a ** b


BINARY = {ast.Add: operator.add, ast.Sub: of_numbers(operator.sub), ast.Mult: of_numbers(operator.mul),
          ast.Div: of_numbers(operator.truediv), ast.FloorDiv: of_numbers(operator.floordiv),
          ast.Mod: of_numbers(operator.mod), ast.Pow: of_numbers(power)}
COMPARE = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
           ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
FUNCTIONS = {"min": min, "max": max, "abs": abs}


class Expression:
    """ValueError when `text` is no expression. `names` are what it uses. `functions`: of whoever asks, beside those
    of studies; these may be called with named arguments."""

    def __init__(self, text, functions=None):
        self.text = text
        self.functions = {**FUNCTIONS, **(functions or {})}
        if len(text) > MOST_SIGNS:
            raise ValueError(f"'{text[:20]}...' is an expression of {len(text)} signs, expected {MOST_SIGNS} at most")
        try:
            with warnings.catch_warnings():  # of dubious numbers and texts: lines of their own
                warnings.simplefilter("ignore")
                self.tree = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError) as e:
            raise ValueError(f"'{text}' is no expression") from e
        except (RecursionError, MemoryError) as e:
            raise self._too_deep() from e
        self.names = []
        self._check(self.tree, 0)

    def _too_deep(self):
        return ValueError(f"'{self.text[:20]}...': expected {MOST_DEPTH} expressions in each other at most")

    def _check(self, node, depth):
        if depth > MOST_DEPTH:
            raise self._too_deep()
        if isinstance(node, ast.Call):
            known = isinstance(node.func, ast.Name) and node.func.id in self.functions
            if not known or (node.keywords and (node.func.id in FUNCTIONS or any(k.arg is None for k in node.keywords))):
                raise ValueError(f"'{self.text}': expected no functions but {', '.join(self.functions)}")
            children = node.args + [k.value for k in node.keywords]
        elif isinstance(node, ast.Name):
            if node.id not in self.names:
                self.names.append(node.id)
            return
        elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str)):
            return
        elif isinstance(node, (ast.List, ast.Tuple)):
            children = node.elts
        elif isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            children = [node.left, node.right]
        elif isinstance(node, ast.UnaryOp) and type(node.op) in UNARY:
            children = [node.operand]
        elif isinstance(node, ast.BoolOp):
            children = node.values
        elif isinstance(node, ast.Compare) and all(type(op) in COMPARE for op in node.ops):
            children = [node.left, *node.comparators]
        else:
            raise ValueError(f"'{self.text}': expected numbers, texts, names, + - * / // % **, comparisons, "
                             f"and, or, not, in, {', '.join(self.functions)}")
        for child in children:
            self._check(child, depth + 1)

    def value(self, names):
        """None where a name has no value, or the arithmetic has none (a division by zero)."""
        if any(names[n] is None for n in self.names):
            return None
        try:
            return bounded(self._value(self.tree, names))
        except (ArithmeticError, TypeError, ValueError):
            return None

    def _value(self, node, names):
        def of(child):
            return self._value(child, names)
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return names[node.id]
        if isinstance(node, (ast.List, ast.Tuple)):
            return [of(e) for e in node.elts]
        if isinstance(node, ast.Call):
            return self.functions[node.func.id](*[of(a) for a in node.args], **{k.arg: of(k.value) for k in node.keywords})
        if isinstance(node, ast.BinOp):
            return bounded(BINARY[type(node.op)](of(node.left), of(node.right)))
        if isinstance(node, ast.UnaryOp):
            return UNARY[type(node.op)](of(node.operand))
        if isinstance(node, ast.BoolOp):
            values = (of(v) for v in node.values)
            return all(values) if isinstance(node.op, ast.And) else any(values)
        left = of(node.left)
        for op, right in zip(node.ops, node.comparators):
            right = of(right)
            if not COMPARE[type(op)](left, right):
                return False
            left = right
        return True
