"""scripts/validate NAME for what is data: tb/validate/NAME.toml."""
import argparse
import os
import pathlib
import sys

from lib.explore.campaign import Campaign
from lib.common.complaint import EXIT_BAD_INPUT, Complaint
from lib.explore.execution import EXIT_INTERRUPTED, ROOT, Execution, add_options, folder, interruptible, whole
from lib.common.files import write_json, write_whole
from lib.explore.points import grid, subgrids
from lib.common.progress import Progress
from lib.explore.reader import read_toml
from lib.explore.study import read_study
from lib.explore.variant import filled
from lib.common.installation import results_folder

from . import marks, plots, published, readings, sources, tables, verdicts

STUDIES = ROOT / "platforms/studies/validate"
TOPICS = ROOT / "tb/validate"
READINGS = "readings"  # the name of their study


def arguments(name, words, root):
    parser = argparse.ArgumentParser(
        prog=f"validate {name}", formatter_class=argparse.RawDescriptionHelpFormatter,
        description=root.text("description") + "\nRuns are kept in the store of scripts/explore: what is there is not run "
        "again, and what was stopped goes on.")
    parser.add_argument("--quick", action="store_true", help=root.text("quick"))
    for constant, words_of_it in root.get("options", dict, {}).items():
        parser.add_argument(f"--{constant}", metavar="VALUE", help=words_of_it)
    parser.add_argument("--seeds", type=whole(1), help="so many seeds: means, or medians and ranges")
    if root.has("readings"):
        parser.add_argument("--readings", action="store_true", help="also the readings of the paper: what it does not print, as "
                            "parameters of a study; which of them reproduces how many numbers")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT",
                        help="only runs whose names contain this text; several: any of them; of the rest what is there "
                             "already. --names lists them")
    parser.add_argument("--names", action="store_true", help="print the names of all runs, and run nothing")
    parser.add_argument("--out", metavar="DIR", help=f"folder of tables and figures (out/{name}; quick: out/{name}_quick)")
    parser.add_argument("--store", metavar="DIR", default=str(results_folder() / "explore"),
                        help="folder of studies, with the store of results in it (out/explore)")
    add_options(parser)
    return parser.parse_args(words)


def studies_of(root, options, told_readings):
    """By the names that tables use. A constant of the user goes to every study that has it."""
    given = {c: getattr(options, c) for c in root.get("options", dict, {}) if getattr(options, c) is not None}
    out = {}
    files = dict(root.get("studies", dict, required=True))
    if getattr(options, "readings", False):
        files[READINGS] = told_readings["study"]
    for name, file in files.items():
        path = pathlib.Path(os.path.relpath(root.folder / file if (root.folder / file).is_file() else STUDIES / file))
        told = read_toml(path, str(path))
        taken = {c: v for c, v in given.items() if c in told.get("constants", dict, {})}
        seeds = any(t.text("name") == "seed" for t in told.children("parameter"))
        values = {"seed": list(range(1, options.seeds + 1))} if options.seeds and seeds else {}
        quick = options.quick and "quick" in told.get("variant", dict, {})
        out[name] = read_study(path, "quick" if quick else None, taken, values)
    return out


def names_of(study):
    """Of each point, by its values: its grid and the values that this names."""
    out = {}
    for name, named, rows in subgrids(study):
        for row in rows:
            label = " ".join([study.name, *([name] if name else []), *[str(row[n]) for n in named]])
            out.setdefault(tuple(row.items()), []).append(label)
    return out


def execute(studies, options):
    """Campaigns by name, settled; whether all that is wanted was made."""
    execution = Execution(options, folder(options.store, "--store"), options.names)
    campaigns, chosen = {}, []
    for name, study in studies.items():
        campaign = Campaign(study, execution.program, execution.store, execution.base / study.name)
        campaigns[name] = campaign
        names = names_of(study)
        campaign.build(grid(study))
        for point in campaign.points:
            labels = names[tuple(point.parameters.items())]
            if options.names:
                print("\n".join(labels))
            if not options.only or any(o in label for o in options.only for label in labels):
                chosen += [point.runs] if point.refused is None else []
    if options.names:
        return campaigns, True
    if options.only and not chosen:
        raise Complaint(f"--only: no run has '{options.only[0]}' in its name; --names lists them")
    if options.retry_failed:
        for campaign in campaigns.values():
            campaign.forget_failed([p.runs for p in campaign.points])
    progress = Progress(not options.no_progress)
    try:
        complete = execution.run_all(options.folder.name, chosen,
                                     lambda done, running: progress.show(done, len(chosen), running))
    except KeyboardInterrupt:
        complete = False
    for campaign in campaigns.values():
        campaign.settle()
        campaign.write_unless_less()
    if complete:
        progress.show(len(chosen), len(chosen), 0, final=True)
    return campaigns, complete


def validate(path, words):
    root = read_toml(path, os.path.relpath(path))
    root.folder = path.parent
    options = arguments(path.stem, words, root)
    options.folder = folder(options.out or results_folder() / (path.stem + ("_quick" if options.quick else "")), "--out")
    told_readings = readings.read(root.child("readings"))
    studies = studies_of(root, options, told_readings)
    rules = [sources.read_rule(t) for t in root.children("rule")]
    wanted = [spec for t in root.children("table") for spec in tables.read_table(t)]
    figures = [{"name": t.text("name"), "columns": t.whole("columns"), "size": t.get("size", list), "widths": t.get("widths", list)}
               for t in root.children("plot")]
    names, compare = root.get("names", dict, {}), root.choice("compare", ("difference", "ratio"), "ratio")
    median = root.choice("over_seeds", ("mean", "median"), "mean") == "median"
    footer, missing = root.text("footer"), []
    from_elsewhere = root.children("source")
    root.done()
    campaigns, complete = execute(studies, options)
    if options.names:
        return 0
    if not complete:
        print("\nvalidate: interrupted; the same command goes on", file=sys.stderr)
        return EXIT_INTERRUPTED
    cubes = {name: sources.studied(campaign, rules) for name, campaign in campaigns.items()}
    cubes.update(sources.read_source(t, missing) for t in from_elsewhere)
    paper = marks.read(path.with_suffix(".csv"), names)
    grids = [tables.make(spec, cubes, median, paper) for spec in wanted]
    rows = published.rows(path.with_suffix(".csv"), cubes, names, median)
    compared = published.text(rows, compare)
    text = "\n\n".join([*[tables.text(g) for g in grids if g.print],
                        tables.aligned(compared, lambda i: i >= 2, rule=True)]) + "\n"
    if missing:
        text += "\nnot run:\n" + "".join(f"  {m}\n" for m in missing)
    text += "\n" + verdicts.line(path.stem, verdicts.counted(rows)) + "\n"
    if any(r["verdict"] == verdicts.UNDECIDED and r.get("seeds", 1) < 5 for r in rows):
        text += "fewer than five seeds decide nothing\n"
    constants = {}
    for study in reversed(studies.values()):
        constants.update(study.constants)
    text += "\n" + filled(footer, constants) + (f", {options.seeds} seeds" if options.seeds else "") + "\n"
    print(text)
    options.folder.mkdir(parents=True, exist_ok=True)
    write_whole(options.folder / "table.txt", text)
    write_whole(options.folder / "published.md", published.markdown(rows))
    if READINGS in studies:
        found = readings.compare(told_readings, path.with_suffix(".csv"), cubes, cubes[READINGS], names, median)
        write_whole(options.folder / "readings.md", readings.markdown(told_readings, found))
        print(readings.markdown(told_readings, found))
    write_json(options.folder / "summary.json", {"schema": 1, "validation": rows})
    drawn = options.folder / "plots"
    drawn.mkdir(exist_ok=True)
    for told in figures:
        plots.draw(told, grids, drawn)
    failed = [(c.study.name, p) for c in campaigns.values() for p in c.points if p.status in ("failed", "refused")]
    for study, point in failed:
        if point.reason.startswith("no progress"):
            continue  # its verdict is in the tables
        print(f"validate: {study}, point {point.number}: {point.reason}", file=sys.stderr)
    return 0 if all(p.reason.startswith("no progress") for _, p in failed) else 1


def main():
    interruptible()
    path = pathlib.Path(sys.argv[1])
    if path.suffix != ".toml":
        path = TOPICS / f"{path}.toml"
    try:
        return validate(path, sys.argv[2:])
    except Complaint as e:
        print(f"validate: {e}", file=sys.stderr)
    except OSError as e:
        print(f"validate: {e.filename or 'a file'}: {e.strerror or e}", file=sys.stderr)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    return EXIT_BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
