"""The mutations of a C++ source: what one operator, constant or statement less would be.

Sources are laid out by clang-format, so binary operators stand between spaces and template brackets do not."""
import dataclasses
import re

BINARY = {
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "arithmetic": {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+="},
    "logic": {"&&": "||", "||": "&&"},
}
# Texts, messages, descriptions of parameters: what they say is not what the model does.
SKIPPED = re.compile(r"^\s*(#|//|using |namespace |static_assert|throw |\.doc|\.source|\.field|\.choice|\.min =|\.max =)"
                     r"|fmt::format|\.doc =|\.source =|Error\(|template <")
STATEMENT = re.compile(r"^\s*(?!return\b|const\b|auto\b|using\b|break|continue|throw\b|static\b|case\b|default\b|delete\b"
                       r"|SC_HAS_PROCESS\b)"  # a declaration
                       r"(?:(?:\+\+|--)[\w.\->\[\]]+|[A-Za-z_][\w.\->:\[\]()*]*(?:\(.*\)|(?:\+\+|--)| [-+|&^*/]?= .*));$")


@dataclasses.dataclass(frozen=True)
class Mutation:
    """A change of one line. `column` is where it begins, from 1."""
    file: str
    line: int
    column: int
    operator: str
    before: str
    after: str
    text: str  # the line as it is, without its indentation

    def key(self):
        """Stays the same while lines above come and go."""
        return (self.file, self.text, self.column, self.operator, self.before, self.after)

    def applied(self, lines):
        line = lines[self.line - 1]
        at = self.column - 1
        assert line[at:at + len(self.before)] == self.before
        return [*lines[:self.line - 1], line[:at] + self.after + line[at + len(self.before):], *lines[self.line:]]


def code_lines(text):
    """(number, line, code) of each line; code has blanks where texts, characters and comments are."""
    comment, raw = False, False
    for number, line in enumerate(text.splitlines(), 1):
        if raw or comment:
            raw, comment = raw and ')toml"' not in line and ')"' not in line, comment and "*/" not in line
            yield number, line, " " * len(line)
            continue
        raw = bool(re.search(r'R"\w*\(', line)) and ')' not in line.split('R"', 1)[1].split("(", 1)[1]
        comment = "/*" in line and "*/" not in line
        yield number, line, _blanked(line)


def mutations(file, text):
    """All mutations of a source with this text, in the order of their places."""
    out = []
    for number, line, code in code_lines(text):
        if SKIPPED.search(line) or not code.strip():
            continue
        found = [*_binary(code), *_constants(code), *_flags(code), *_statement(code)]
        out += [Mutation(file, number, at + 1, name, line[at:at + length], after, line.strip())
                for at, length, name, after in sorted(found)]
    return out


def of_row(root, row):
    """The mutation of a row of the table, at the line with its text that is nearest to its place; None: it is gone."""
    if not (root / row["file"]).exists():
        return None
    lines = (root / row["file"]).read_text(encoding="utf-8").splitlines()
    at, before = int(row["column"]) - 1, row["before"]
    found = [n for n, line in enumerate(lines, 1) if line.strip() == row["text"] and line[at:at + len(before)] == before]
    if not found:
        return None
    return Mutation(row["file"], min(found, key=lambda n: abs(n - int(row["line"]))), at + 1, row["operator"], before,
                    row["after"], row["text"])


def _blanked(line):
    """The line with texts, characters and its comment as blanks of the same length."""
    line = re.sub(r'\bR"(\w*)\(.*?\)\1"', lambda m: "\0" * len(m[0]), line)
    line = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'', lambda m: "\0" * len(m[0]), line)
    return re.sub(r"//.*$", lambda m: " " * len(m[0]), line)


def _binary(code):
    for name, table in BINARY.items():
        for before, after in table.items():
            for m in re.finditer(r"(?<= )" + re.escape(before) + r"(?= |$)", code):
                # `auto operator + (`, `Type * name` and declarations of operators are none.
                if "operator" not in code:
                    yield m.start(), len(before), name, after


def _constants(code):
    for m in re.finditer(r"(?<![\w.'])(\d+)(u|_ps|_ns|_us|_ms|_B)?(?![\w.'])", code):
        if "enum" not in code and "template" not in code:
            yield m.start(1), len(m[1]), "constant", str(int(m[1]) + 1)


def _flags(code):
    for m in re.finditer(r"\b(true|false)\b", code):
        yield m.start(), len(m[0]), "constant", "false" if m[0] == "true" else "true"
    for m in re.finditer(r"(?<=[( ])!(?=[\w(])", code):
        yield m.start(), 1, "logic", ""


def _statement(code):
    stripped = code.rstrip()
    if not STATEMENT.match(stripped) or stripped.count("(") != stripped.count(")"):
        return
    start = len(code) - len(code.lstrip())
    yield start, len(stripped) - start - 1, "dropped statement", ""
