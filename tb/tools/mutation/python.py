"""The mutations of a Python script, of the same operators as those of C++."""
import ast
import io
import keyword
import re
import tokenize

from .operators import BINARY, Mutation

WORDS = {"and": "or", "or": "and", "True": "False", "False": "True"}
SYMBOLS = {**{k: ("comparison", v) for k, v in BINARY["comparison"].items()},
           **{k: ("arithmetic", v) for k, v in BINARY["arithmetic"].items()}, "//": ("arithmetic", "*")}
# Lines that speak to users, or take in other modules: not what a script does.
SKIPPED = re.compile(r"^\s*(import |from |raise |assert |@)|Complaint\(|add_argument\(|help=|epilog=|description=|__name__"
                     r"|sys\.path|dont_write_bytecode")


def mutations(file, text):
    """All mutations of a script with this text, in the order of their places."""
    lines = text.splitlines()
    found = [*_tokens(text), *_statements(ast.parse(text), lines)]
    return [Mutation(file, line, column + 1, operator, before, after, lines[line - 1].strip())
            for line, column, operator, before, after in sorted(found) if not SKIPPED.search(lines[line - 1])]


def _tokens(text):
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type not in (tokenize.NL, tokenize.COMMENT)]
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None]):
        (line, column), word = token.start, token.string
        if token.type == tokenize.OP and word in SYMBOLS and _ends_operand(before):
            # Texts and paths have no other operator: each test that comes past would catch it.
            if SYMBOLS[word][0] == "comparison" or tokenize.STRING not in (before.type, after.type):
                yield line, column, SYMBOLS[word][0], word, SYMBOLS[word][1]
        elif token.type == tokenize.NUMBER and word.isdecimal():
            yield line, column, "constant", word, str(int(word) + 1)
        elif token.type == tokenize.NAME and word in WORDS:
            yield line, column, "logic" if word in ("and", "or") else "constant", word, WORDS[word]
        elif word == "not" and before.string != "is" and after.string != "in" and token.line[column:].startswith("not "):
            yield line, column, "logic", "not ", ""


def _ends_operand(token):
    """Whether an operator after this token has it as its left operand."""
    return token is not None and (token.string in (")", "]", "}") or token.type in (tokenize.NUMBER, tokenize.STRING) or
                                  token.type == tokenize.NAME and not keyword.iskeyword(token.string))


def _statements(tree, lines):
    """Calls and assignments of a line of their own. A name's first assignment is its declaration: without it nothing
    works."""
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        own = sorted((n for n in ast.walk(function) if isinstance(n, ast.stmt)), key=lambda n: n.lineno)
        declared = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
        for node in own:
            names = {n.id for t in getattr(node, "targets", []) for n in ast.walk(t)
                     if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            drops = (isinstance(node, ast.AugAssign) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) or
                     isinstance(node, ast.Assign) and names <= declared)
            declared |= names
            if drops and node.lineno == node.end_lineno and ";" not in lines[node.lineno - 1]:
                yield (node.lineno, node.col_offset, "dropped statement",
                       lines[node.lineno - 1][node.col_offset:node.end_col_offset], "pass")


def span(tree, line):
    """The lines of the statement that a line is in: a test that comes past one of them comes past it."""
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = node.end_lineno if not body else max(node.lineno, body[0].lineno - 1)
            if node.lineno <= line <= end and (best is None or node.lineno >= best[0]):
                best = (node.lineno, end)
    return range(best[0], best[1] + 1) if best else range(line, line + 1)
