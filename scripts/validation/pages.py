"""Verdicts as the pages of platforms/ have them: a line for each published number, and the table that counts them."""
import collections
import re
import sys

from exploration.execution import ROOT

from .verdicts import NONE, WORDS

PAGES = {"themis": "Themis (packet-spraying paper)", "eunomia": "Eunomia", "reps": "REPS"}
LINE = re.compile(r"\| ((?:\w+\.)+\w+) \| (.*) \| ([^|]*) \|")


def lines(text):
    """Of each id of a page: its cells, and its verdict without star and reason."""
    found = {}
    for match in map(LINE.fullmatch, text.splitlines()):
        if match:
            verdict = re.split(r"[*:]", match[3])[0].strip()
            if match[1] not in found and verdict in (*WORDS, NONE):
                found[match[1]] = ([c.strip() for c in match[2].split("|")], verdict, "*" in match[3].split(":")[0])
    return found


def front(root=ROOT):
    """The table that counts verdicts: of predicted numbers, and of calibrated ones that are reproduced."""
    out = ["| paper | numbers | reproduced | of these weak (*) | ordering only | not reproduced | not comparable | no number | calibrated, of them reproduced |",
           "|---|---|---|---|---|---|---|---|---|"]
    for page, title in PAGES.items():
        found = lines((root / f"platforms/{page}.md").read_text(encoding="utf-8"))
        predicted = [f for f in found.values() if "(calibrated)" not in f[0][0]]
        calibrated = [f for f in found.values() if "(calibrated)" in f[0][0]]
        words = collections.Counter(f[1] for f in predicted)
        weak = sum(f[1] == WORDS[0] and f[2] for f in predicted)
        cells = [f"[{title}]({page}.md)", len(found), words[WORDS[0]], weak, *[words[w] for w in (*WORDS[1:], NONE)],
                 f"{len(calibrated)}, {sum(f[1] == WORDS[0] for f in calibrated)}"]
        out.append("| " + " | ".join(str(c) for c in cells) + " |")
    return "\n".join(out)


if __name__ == "__main__":
    print(front())
    sys.exit(0)
