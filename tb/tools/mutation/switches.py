"""A source with many mutations in it, each behind a switch (mutant schemata): it is compiled once for all of them.

What is written stays on its line, so that a compiler's message about a line tells whose switches do not compile there. An
operator takes the operands that it had; operators behind switches are in switch.hpp."""
import re

from .operators import BINARY, code_lines

NAMES = {"<": "Less", "<=": "LessEqual", ">": "Greater", ">=": "GreaterEqual", "==": "Equal", "!=": "NotEqual",
         "+": "Plus", "-": "Minus", "*": "Times", "/": "Divide", "%": "Remainder", "+=": "PlusAssign", "-=": "MinusAssign"}
OPERATORS = (*BINARY, "constant", "dropped statement")
OPENING, CLOSING = "([{", ")]}"


def switched(text, numbered):
    """The source with the mutations of `numbered`, pairs of a switch's number (from 1) and a mutation of this text.
    Second: the numbers left out, where no operands are found."""
    code, starts = "", []
    for _, line, blank in code_lines(text):
        starts.append(len(code))
        code += blank + "\n"
    edits, left_out = [], []
    for number, m in numbered:
        at = starts[m.line - 1] + m.column - 1
        more = _edits(code, at, m, number) if m.operator in OPERATORS else []
        edits += more
        if not more:
            left_out.append(number)
    return _applied(text, edits), left_out


# An edit: (offset, rank, order, length that is replaced, text). At one offset closing texts come first, inner ones
# before outer ones, then opening ones, outer ones first, then what replaces.
def _close(at, begin, text):
    return (at, 0, -begin, 0, text)


def _open(at, end, text):
    return (at, 1, -end, 0, text)


def _replace(at, length, text):
    return (at, 2, 0, length, text)


def _applied(text, edits):
    out, at = [], 0
    for offset, _, _, length, new in sorted(edits):
        out += [text[at:offset], new]
        at = offset + length
    return "".join(out) + text[at:]


def _edits(code, at, m, n):
    on = f"::horae_mutation::on({n})"
    if m.operator == "dropped statement":
        end = at + len(m.before) + 1  # with its semicolon
        return [_open(at, end, f"{{ if (!{on}) "), _close(end, at, " }")]
    if m.operator == "constant":
        suffix = re.match(r"\w*", code[at + len(m.before):])[0]
        return [_replace(at, len(m.before) + len(suffix), f"({on} ? {m.after}{suffix} : {m.before}{suffix})")]
    if m.before == "!":
        return [_replace(at, 1, f"!(::horae_mutation::Not<{n}>)")]
    if m.operator == "logic":
        begin, end = _left(code, at, m.before), _right(code, at + 2, m.before)
        if begin is None or end is None:
            return []
        kind = "both" if m.before == "&&" else "either"
        return [_open(begin, end, f"::horae_mutation::{kind}<{n}>(static_cast<bool>("),
                _replace(at, 2, "), [&]() -> bool { return static_cast<bool>("),
                _close(end, begin, "); })")]
    # `a < b` becomes `a < Less{} < b`: the same operator on both sides, so operands stay what they are.
    return [_replace(at, len(m.before), f"{m.before} ::horae_mutation::{NAMES[m.before]}<{n}>{{}} {m.before}")]


def _ends_operand(code, at, operator, left):
    """Whether a token of less precedence than && (||) is at this place, outside of brackets."""
    c, two = code[at], code[at:at + 2]
    if c in ",;?":
        return True
    if c == ":":
        return code[at + 1] != ":" and code[at - 1] != ":"
    if c == "=":
        return code[at + 1] != "=" and code[at - 1] not in "=!<>"
    # a && b && c is (a && b) && c: what stands left of an operator belongs to it, what stands right does not.
    if two == "||":
        return operator == "&&" or not left
    return two == "&&" and operator == "&&" and not left


def _left(code, at, operator):
    depth, i = 0, at - 1
    while i >= 0:
        if code[i] in CLOSING:
            depth += 1
        elif code[i] in OPENING:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and _ends_operand(code, i, operator, left=True):
            i += code[i:i + 2] == "||"
            break
        i -= 1
    if i < 0:
        return None
    begin = i + 1
    begin += len(re.match(r"\s*(?:(?:return|co_return|throw)\b)?\s*", code[begin:at])[0])
    return begin if begin < at else None


def _right(code, at, operator):
    depth, i = 0, at
    while i < len(code):
        if code[i] in OPENING:
            depth += 1
        elif code[i] in CLOSING:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and _ends_operand(code, i, operator, left=False):
            break
        i += 1
    if i == len(code):
        return None
    end = at + len(code[at:i].rstrip())
    return end if end > at else None
