"""What a user got wrong: one line with its place, exit code 2."""
import argparse
import difflib

EXIT_BAD_INPUT = 2


def printable(text):
    """With signs that would break the line, or steer a terminal, written as horae does: \\x0a."""
    def shown(sign):
        code = ord(sign)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return "".join(c if c.isprintable() else shown(c) for c in text)


class Complaint(Exception):
    """The line, without the program's name. What a file says in it may be anything."""

    def __init__(self, line):
        super().__init__(printable(str(line)))


class Parser(argparse.ArgumentParser):
    """Wrong arguments are a complaint as well."""

    def error(self, message):
        raise Complaint(message)


def nearest(name, known):
    """', did you mean 'x'?', or the names there are, as horae says it."""
    known = [str(k) for k in known]
    near = difflib.get_close_matches(str(name), known, n=1)
    if near:
        return f", did you mean '{near[0]}'?"
    return f"; expected one of {', '.join(known)}" if known else ""
