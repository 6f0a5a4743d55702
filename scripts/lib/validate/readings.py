"""Readings of a paper: what it does not print, as parameters of a study with few values each. `[readings]` of a topic
names the study, the parameters, and the study of the topic in whose place it stands. Of each combination that was run,
one for the whole paper, the published numbers are compared again, of the seeds that were run; the best one is a calibrated result."""
import collections

from . import published, verdicts
from .cube import Cube


def read(table):
    """None where a topic has none."""
    if not table.content:
        return None
    out = {"study": table.text("study", required=True), "over": table.texts("over"),
           "instead_of": table.text("instead_of", required=True)}
    table.done()
    return out


def combinations(cube, over):
    return list(dict.fromkeys(tuple(c.parameters[n] for n in over) for c in cube.cells if c.status != "not run"))


def compare(told, path, cubes, cube, names, median):
    """Of each reading its rows, of those numbers that the study gives. The first is the paper as the platform has it."""
    out = []
    for values in combinations(cube, told["over"]):
        at = dict(zip(told["over"], values))
        cells = [c for c in cube.cells if all(c.parameters[k] == v for k, v in at.items())]
        some = Cube(cube.name, cells, cube.averaged, in_part=True)
        rows = published.rows(path, {**{n: Cube(n, []) for n in cubes}, told["instead_of"]: some}, names, median,
                              of_these_seeds=True)
        out.append((at, [r for r in rows if r["verdict"] != verdicts.NONE]))
    return out


def ranked(found):
    """Of those that say something of every number that any says something of: most reproduced first, then most in order."""
    most = max((len(rows) for _, rows in found), default=0)
    def key(entry):
        words = collections.Counter(r["verdict"] for r in entry[1])
        return (-words[verdicts.REPRODUCED], -words[verdicts.ORDERING])
    return sorted((e for e in found if len(e[1]) == most), key=key)


def markdown(told, found):
    """A line for each reading, the best first, and the numbers of the best one."""
    order = ranked(found)
    left = len(found) - len(order)
    lines = ["| " + " | ".join(told["over"]) + " | " + " | ".join(verdicts.WORDS[:4]) + " |", "|" + "---|" * (len(told["over"]) + 4)]
    for at, rows in order:
        words = collections.Counter(r["verdict"] for r in rows)
        lines.append("| " + " | ".join(str(v) for v in at.values()) + " | " +
                     " | ".join(str(words[w]) for w in verdicts.WORDS[:4]) + " |")
    text = "\n".join(lines) + "\n"
    if left:
        text += f"\n{left} readings were run in part\n"
    if order:
        best = [{**r, "kind": "calibrated"} for r in order[0][1]]
        text += "\nThe best: " + ", ".join(f"{k} {v}" for k, v in order[0][0].items()) + "\n\n" + published.markdown(best)
    return text
