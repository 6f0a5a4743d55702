"""Verdicts as the pages of platforms/ have them: a line for each published number, the table that counts them, and what the
same rule gives to the same numbers shuffled and negated."""
import collections
import dataclasses
import re
import sys

from lib.explore.execution import ROOT

from . import verdicts
from .verdicts import CALIBRATED, IDENTITY, NONE, NOT, ORDERING, PREDICTED, REPRODUCED, UNDECIDED, WORDS

PAGES = {"themis": "Themis (packet-spraying paper)", "eunomia": "Eunomia", "reps": "REPS", "longhaul": "PNP and TRP (long-haul paper)"}
LINE = re.compile(r"\| ((?:\w+\.)+\w+) \| (.*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|")
KIND = re.compile(r" \((calibrated|identity|at most|at least)\)")
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
OURS = re.compile(rf"(?:({NUMBER}) )?(\S+)?(?: ?\(({NUMBER}) to ({NUMBER})\))?")
LEAST_SEEDS = 5


@dataclasses.dataclass
class Line:
    """Of a published number, as its page has it. `held`: as of `verdicts.verdict`."""
    what: str
    published: float
    unit: str
    held: tuple
    verdict: str
    why: str
    kind: str
    sense: str

    def judged(self):
        """What the rule says of the numbers that are printed."""
        return verdicts.verdict(self.published, self.unit, self.held, self.what, self.sense, self.why if self.verdict == WORDS[-1] else "")


def read(what, published, ours, seeds, said):
    number, unit = published.split(" ")
    found = OURS.fullmatch(ours)
    held = None
    if found and (found[1] or found[3]):
        held = (float(found[3]), float(found[4])) if found[3] else (float(found[1]),) * 2
        if seeds and ("median alone" in seeds or int(re.match(r"\d+", seeds)[0]) < LEAST_SEEDS):
            held = ()
    verdict, _, why = (part.strip() for part in said.partition(":"))
    marks = KIND.findall(what)
    return Line(what, float(number), unit, held, verdict, why, next((m for m in marks if m in verdicts.KINDS), PREDICTED),
                verdicts.sense_of(what, next((m for m in marks if m in verdicts.SENSES), "")))


def lines(text):
    """Of each id of a page its Line."""
    found = {}
    for match in map(LINE.fullmatch, text.splitlines()):
        if match and match[1] not in found and re.split("[*:]", match[6])[0].strip() in (*WORDS, NONE):
            found[match[1]] = read(*(match[i].strip() for i in range(2, 7)))
    return found


def of_all(root=ROOT):
    return {page: lines((root / f"platforms/evaluations/{page}.md").read_text(encoding="utf-8")) for page in PAGES}


def rows_of(cells):
    return "\n".join("| " + " | ".join(str(c) for c in row) + " |" for row in cells).replace("| --- ", "|---").replace("--- |", "---|")


def front(found):
    """The table that counts verdicts: of predicted numbers; calibrated ones and identities apart."""
    out = [["paper", "predicted", REPRODUCED, "of these bounds", ORDERING, NOT, UNDECIDED, WORDS[-1], NONE,
            "calibrated, reproduced", "identities, reproduced"], ["---"] * 11]
    total = collections.Counter()
    for page, title in PAGES.items():
        by = {kind: [f for f in found[page].values() if f.kind == kind] for kind in verdicts.KINDS}
        words = collections.Counter(f.verdict for f in by[PREDICTED])
        counts = {"predicted": len(by[PREDICTED]), **{w: words[w] for w in (*WORDS, NONE)},
                  "bounds": sum(f.verdict == REPRODUCED and bool(f.sense) for f in by[PREDICTED])}
        for kind in (CALIBRATED, IDENTITY):
            counts |= {kind: len(by[kind]), f"{kind} held": sum(f.verdict == REPRODUCED for f in by[kind])}
        total.update(counts)
        out.append([f"[{title}]({page}.md)", *cells_of(counts)])
    return rows_of([*out, ["all", *cells_of(total)]])


def cells_of(counts):
    return [counts["predicted"], counts[REPRODUCED], counts["bounds"], *[counts[w] for w in (ORDERING, NOT, UNDECIDED, WORDS[-1], NONE)],
            *[f"{counts[kind]}, {counts[f'{kind} held']}" for kind in (CALIBRATED, IDENTITY)]]


def effects_of(found):
    """Predicted effects of which ours has an interval; bounds have no size that could be met by chance."""
    return [(f.published, f.unit, f.held, f.what) for of in found.values() for f in of.values()
            if f.kind == PREDICTED and not f.sense and f.held and verdicts.even(f.unit, f.what) is not None]


def control(found):
    """What the rule gives to the published effects, to the same ones shuffled among the rows, and negated."""
    effects = effects_of(found)
    out = [[f"{len(effects)} effects", REPRODUCED, ORDERING, NOT, UNDECIDED], ["---"] * 5]
    for name, words in verdicts.control(effects).items():
        out.append([name, *[f"{words[w]:.1f}" if name == "shuffled" else words[w] for w in (REPRODUCED, ORDERING, NOT, UNDECIDED)]])
    return rows_of(out)


if __name__ == "__main__":
    pages = of_all()
    print(front(pages))
    print()
    print(control(pages))
    wrong = [(name, f) for of in pages.values() for name, f in of.items() if f.verdict != f.judged()]
    for name, f in wrong:
        print(f"validate verdicts: {name}: the page says '{f.verdict}', its numbers say '{f.judged()}'", file=sys.stderr)
    sys.exit(1 if wrong else 0)
