#!/usr/bin/python3
"""`scripts/validate recovery`: is the mechanism found that made the data?

For one hypothesis of each family a point of its space is drawn (its parameters, what is not published, the readings), run,
and what the published experiment would have shown of it takes the place of the published numbers, with their
tolerances. Then every hypothesis is held against these data by `horae explain`, which knows nothing of the
point. Last, the most telling measurement is made at the point, and those that were consistent are held against it too.

With --budgets each question is asked with several numbers of points instead, and the answers go to searches.csv: what a search
of so many points finds of data whose mechanism is known, and whether any search excludes what another one finds."""
import argparse
import collections
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tomllib

from lib.common import installation

import tomli_w  # noqa: E402
from lib.report import numbers  # noqa: E402

PLATFORM = "platforms/cx7_spray.toml"
OBSERVATIONS = "platforms/observations/cx7_spray.toml"
HYPOTHESES = "platforms/hypotheses/cx7_spray.toml"
# One of each family. H3 and H8 never idle the wire: of data in which it idles they can only be the wrong answer.
TRUTHS = ["H1.pending", "H1.ignore", "H2.flush", "H4.lock", "H4.merging_lock", "H5.gap_window", "H5'.from_nack",
          "H6.buffer", "H7.firmware", "H1.pending+H8"]
DRAWN = 8  # points to choose from
# A measurement told afterwards: units and tolerances as of the same quantities in the published numbers.
TOLD = {"tx_share": ("share of line", 0.05), "goodput_ratio": ("ratio", 0.02)}


class Explain:
    """Runs of `horae explain`, with one store."""

    def __init__(self, options):
        self.options = options
        self.out = pathlib.Path(options.out).resolve()
        self.out.mkdir(parents=True, exist_ok=True)

    def run(self, name, points, only, observations, seed=1, experiments=False, earlier=None):
        """The summary's part `infer` and the lines of points.csv; what is there already is not run again.
        `earlier`: the name of an answer to go on from."""
        folder = self.out / name
        if not (folder / "summary.json").exists():
            command = [self.options.program, "explain", PLATFORM, "--points", str(points), "--only", ",".join(only),
                       "--set", f"sim.seed={seed}", "--observations", str(observations),
                       "--hypotheses", HYPOTHESES if experiments else str(self.without_experiments()),
                       "--store", str(self.out / "runs"), "--jobs", str(self.options.jobs),
                       "--out", str(folder), "--no-progress"]
            if earlier:
                command += ["--from", str(self.out / earlier)]
            done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=installation.ROOT)
            if done.returncode != 0:
                sys.exit(f"validate recovery: {done.stderr.strip() or done.stdout.strip()}")
        with open(folder / "summary.json", encoding="utf-8") as file:
            found = json.load(file)["infer"]
        with open(folder / "points.csv", encoding="utf-8", newline="") as file:
            return found, list(csv.DictReader(file))

    def without_experiments(self):
        path = self.out / "hypotheses.toml"
        if not path.exists():
            with open(installation.ROOT / HYPOTHESES, "rb") as file:
                content = tomllib.load(file)
            del content["experiment"]
            path.write_text(tomli_w.dumps(content), encoding="utf-8")
        return path


def observations_file(path, change):
    """The published observations as `change` made them of each, written to `path`."""
    with open(installation.ROOT / OBSERVATIONS, "rb") as file:
        content = tomllib.load(file)
    change(content)
    path.write_text(tomli_w.dumps(content), encoding="utf-8")
    return path


def anything_goes(content):
    for o in content["observation"]:
        o["tolerance"] = 1e4 * o["value"]


def values_of(row):
    return dict(part.split("=", 1) for part in row["values"].split("; "))


def draw(explain, name, seed, told=None):
    """A point of a hypothesis, and what is observed there. `told`: an experiment that is made there as well."""
    def change(content):
        anything_goes(content)
        if told:
            add_experiment(content, told, dict.fromkeys(TOLD, 0.5))
            for o in content["observation"][-len(TOLD):]:
                o["tolerance"] = 1e4
    folder = f"{name}_{seed}_drawn" + (f"_{told}" if told else "")
    path = observations_file(explain.out / f"{folder}.toml", change)
    _, rows = explain.run(folder, DRAWN, [name], path, seed=seed)
    rows = [r for r in rows if int(r["point"]) < DRAWN]
    # One that has something to explain: the wire idles.
    return next((r for r in rows if 0.3 <= float(r["nocc.tx"]) <= 0.8), rows[0])


def add_experiment(content, experiment, values):
    with open(installation.ROOT / HYPOTHESES, "rb") as file:
        found = next(e for e in tomllib.load(file)["experiment"] if e["id"] == experiment)
    base = next(c for c in content["condition"] if c["id"] == found["condition"])
    condition = {**base, "id": experiment, "title": found["title"], "set": base["set"] + found["set"]}
    content["condition"].append(condition)
    for quantity, value in values.items():
        content["observation"].append({
            "id": f"{experiment}.{quantity}", "condition": experiment, "quantity": quantity, "value": value,
            "unit": TOLD[quantity][0], "rounding": 0.0005, "tolerance": TOLD[quantity][1], "tolerance_why": "as without the change",
            "use": "predict", "source": "measured afterwards"})


def rounded(value, rounding):
    step = 2 * rounding
    return round(value / step) * step


def synthetic(row, told=None, told_row=None):
    def change(content):
        for o in content["observation"]:
            o["value"] = rounded(float(row[o["id"]]), o["rounding"])
            o["source"] = "made with a known mechanism"
        if told:
            add_experiment(content, told, {q: rounded(float(told_row[f"{told}.{q}"]), 0.0005) for q in TOLD})
    return change


def smallest(shares, held=0.9):
    """The indices of the smallest set of values that holds so much, the largest shares first. Equal shares are in it or out of
    it together, since no order among them is known."""
    kept, total = set(), 0.0
    for share in sorted(set(shares), reverse=True):
        if total >= held - 1e-9 * len(shares) or share <= 0:
            break
        alike = [i for i, s in enumerate(shares) if s == share]
        kept.update(alike)
        total += share * len(alike)
    return kept


def covered(unknowns, truth, kinds):
    """How many unknowns of these kinds there are, and how many of them lie in their 90 % ranges: of numbers an interval, of
    other values the smallest set."""
    inside = total = 0
    for u in unknowns:
        if u["kind"] not in kinds or u["name"] not in truth or "accepted" not in u:
            continue
        total += 1
        value = truth[u["name"]]
        if "shares" in u["accepted"]:
            inside += u["values"].index(value) in smallest(u["accepted"]["shares"])
            continue
        low, at, high = (numbers.parsed(v)[0] for v in (u["accepted"]["low"], value, u["accepted"]["high"]))
        slack = 1e-3 * abs(at)  # values are printed with four digits
        inside += low - slack <= at <= high + slack
    return inside, total


def of(found, name):
    return next(h for h in found["hypotheses"] if h["id"] == name)


def recover(explain, name, seed):
    options = explain.options
    truth = draw(explain, name, seed)
    with open(installation.ROOT / HYPOTHESES, "rb") as file:
        everyone = [h["id"] for h in tomllib.load(file)["hypothesis"]]
    label = f"{name}_{seed}"
    data = observations_file(explain.out / f"{label}.toml", synthetic(truth))
    own, _ = explain.run(f"{label}_true", options.points, [name], data)
    others, _ = explain.run(f"{label}_others", options.others, [h for h in everyone if h not in (name, *options.leave)], data)
    mine = of(own, name)
    alike = [h["id"] for h in others["hypotheses"] if h["standing"] == "consistent"]
    result = {"truth": name, "tx": float(truth["nocc.tx"]), "standing": mine["standing"],
              "closest": mine.get("closest", {}).get("tolerances", math.inf),
              "parameters": covered(mine["unknowns"], values_of(truth), {"parameter", "reaction parameter", "reaction"}),
              "all": covered(mine["unknowns"], values_of(truth), {"parameter", "reaction parameter", "reaction", "nuisance"}),
              "excluded": sum(h["standing"] == "excluded" for h in others["hypotheses"]),
              "impossible": sum(h["standing"] == "impossible" for h in others["hypotheses"]), "alike": alike,
              "not_found": [h["id"] for h in others["hypotheses"] if h["standing"] == "not found"]}
    if alike and mine["standing"] == "consistent":
        several, _ = explain.run(f"{label}_experiments", options.points, [name, *alike], data, experiments=True)
        told = max(several["experiments"], key=lambda e: e["gain_nats"] - e["by_chance_nats"])["id"]
        answer = draw(explain, name, seed, told)
        data = observations_file(explain.out / f"{label}_{told}.toml", synthetic(truth, told, answer))
        after, _ = explain.run(f"{label}_after", options.points, [name, *alike], data, earlier=f"{label}_experiments")
        result |= {"told": told, "after": of(after, name)["standing"],
                   "left": [h for h in alike if of(after, h)["standing"] == "consistent"]}
    return result


PUBLISHED = "published"  # the numbers as they are, whose mechanism nobody knows
SEARCHES = ["question", "hypothesis", "asked", "points", "standing", "closest", "own_data", "own_found"]


def search_rows(question, asked, found):
    """Lines of searches.csv: what a search of at most `asked` points says of each hypothesis that is not impossible. `own_found` is of
    `own_data`: how many of them the search is sure to find."""
    for h in found["hypotheses"]:
        if h["standing"] == "impossible":
            continue
        own = h.get("own_data", {"asked": "", "found_at_least": ""})
        yield dict(zip(SEARCHES, (question, h["id"], asked, h["points"], h["standing"], f"{h['closest']['tolerances']:.3f}",
                                  own["asked"], own["found_at_least"])))


def turned(rows):
    """Questions and hypotheses that one search excludes and another one finds, that exclude the mechanism that made the data, or of
    which a search of more points comes less near: it begins with that of fewer. Searches that were not counted point by point are
    of a program that did not do so."""
    of = collections.defaultdict(list)
    for r in rows:
        of[r["question"], r["hypothesis"]].append(r)
    out = []
    for asked, all_of in of.items():
        standings = {r["standing"] for r in all_of}
        near = [float(r["closest"]) for r in sorted(all_of, key=lambda r: int(r["asked"])) if r.get("points")]
        if "excluded" in standings and ("consistent" in standings or asked[0] == asked[1]) or near != sorted(near, reverse=True):
            out.append(asked)
    return out


def by_points(rows):
    """A line for each number of points: how near searches came to data of the mechanism that they were asked for."""
    yield "| points at most | questions | closest, in the middle | at worst | found |"
    yield "|---|---|---|---|---|"
    for asked in sorted({int(r["asked"]) for r in rows}):
        own = [r for r in rows if int(r["asked"]) == asked and r["question"] == r["hypothesis"]]
        if own:
            near = [float(r["closest"]) for r in own]
            found = sum(r["standing"] == "consistent" for r in own)
            yield f"| {asked} | {len(own)} | {statistics.median(near):.2f} | {max(near):.2f} | {found} |"


def ask_with_budgets(explain):
    """Each question with each number of points; what was asked before stays in searches.csv."""
    options = explain.options
    with open(installation.ROOT / HYPOTHESES, "rb") as file:
        everyone = [h["id"] for h in tomllib.load(file)["hypothesis"]]
    rows = []
    for name in options.only or [PUBLISHED, *TRUTHS]:
        data = installation.ROOT / OBSERVATIONS
        if name != PUBLISHED:
            data = observations_file(explain.out / f"{name}_{options.seed}.toml", synthetic(draw(explain, name, options.seed)))
        asked = [name] if options.true_alone and name != PUBLISHED else [h for h in everyone if h not in options.leave]
        for points in options.budgets:
            # Not with the seed of the draw: the point that was drawn would be among the first points of its search.
            found, _ = explain.run(f"{name}_{options.seed}_of_{points}" + ("_alone" if len(asked) == 1 else ""), points, asked, data)
            rows += search_rows(name, points, found)
            with open(explain.out / "searches.csv", "w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, SEARCHES, lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    print("\n".join(by_points(rows)))
    for question, hypothesis in turned(rows):
        print(f"of the data of {question} one search of {hypothesis} turns what another one says")
    return 1 if turned(rows) else 0


def table(results):
    yield "| made with | TX of line | it is | closest | its parameters in 90 % | with nuisances | others excluded | not found | also consistent | told | then it is, and also |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for r in results:
        told = f"| {r['told']} | {r['after']}; {', '.join(r['left']) or 'none'} |" if "told" in r else "| - | - |"
        yield (f"| {r['truth']} | {r['tx']:.2f} | {r['standing']} | {r['closest']:.2f} | {r['parameters'][0]} of {r['parameters'][1]} "
               f"| {r['all'][0]} of {r['all'][1]} | {r['excluded']} and {r['impossible']} impossible | {', '.join(r['not_found']) or 'none'} | {', '.join(r['alike']) or 'none'} {told}")
    right = sum(r["standing"] == "consistent" for r in results)
    yield ""
    yield f"The mechanism that made the data is consistent in {right} of {len(results)}."
    inside, total = (sum(r["parameters"][i] for r in results) for i in (0, 1))
    yield f"Parameters in their 90 % ranges: {inside} of {total}; all of them in " \
          f"{sum(r['parameters'][0] == r['parameters'][1] for r in results)} of {len(results)} questions."


def main():
    parser = argparse.ArgumentParser(prog="validate recovery", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=1000, help="points of the hypothesis that made the data (1000)")
    parser.add_argument("--others", type=int, default=1000, help="points of each other hypothesis (1000)")
    parser.add_argument("--seed", type=int, default=101, help="of the points drawn (101)")
    parser.add_argument("--only", action="append", choices=[*TRUTHS, PUBLISHED], metavar="ID",
                        help=f"only data made with this hypothesis, or (with --budgets) '{PUBLISHED}'; may be repeated")
    parser.add_argument("--budgets", type=lambda text: [int(n) for n in text.split(",")], metavar="N,..",
                        help="ask with each of so many points, into searches.csv, and nothing else")
    parser.add_argument("--true-alone", action="store_true", help="with --budgets: of data that were made only the hypothesis that made them")
    parser.add_argument("--leave", action="append", default=[], metavar="ID", help="holds this hypothesis against nothing")
    parser.add_argument("--out", default="out/recovery", help="result folder; what is there is not run again (out/recovery)")
    parser.add_argument("--jobs", type=int, default=0, help="runs at the same time (0: one per core)")
    parser.add_argument("--program", default=str(installation.find_program()), help="horae")
    options = parser.parse_args()
    if options.budgets is None and PUBLISHED in (options.only or []):
        parser.error(f"--only {PUBLISHED}: expected with --budgets only")
    explain = Explain(options)
    if options.budgets is not None:
        sys.exit(ask_with_budgets(explain))
    results = []
    for name in options.only or TRUTHS:
        results.append(recover(explain, name, options.seed))
        (explain.out / "table.md").write_text("\n".join(table(results)) + "\n", encoding="utf-8")
    (explain.out / "summary.json").write_text(json.dumps({"recovery": results}, indent=1) + "\n", encoding="utf-8")
    print("\n".join(table(results)))


if __name__ == "__main__":
    main()
