"""What the scripts that set published numbers beside ours share: runs of horae that are kept, tables
and plots."""
import concurrent.futures
import csv
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HORAE = ROOT / "build/platforms/horae"


class Runs:
    """Runs of horae by name, each in its folder, as many at once as there are processors."""

    def __init__(self, out, jobs):
        self.out, self.jobs = out, jobs
        self.wanted = {}
        # A copy of its own: a build meanwhile must not change the program half way.
        self.binary = out / "horae"
        if jobs < 1 or not HORAE.exists():
            problem = "--jobs must be 1 or more" if jobs < 1 else f"{HORAE} is not built: scripts/setup, then cmake"
            print(f"{pathlib.Path(sys.argv[0]).name}: {problem}", file=sys.stderr)
            sys.exit(2)
        out.mkdir(parents=True, exist_ok=True)
        shutil.copy2(HORAE, self.binary)
        self.program = hashlib.sha1(self.binary.read_bytes()).hexdigest()
        self.done = {}

    def want(self, name, platform, sets):
        self.wanted[name] = (platform, sets)

    def key(self, platform, sets):
        text = (ROOT / platform).read_bytes() + repr(sets).encode() + self.program.encode()
        return hashlib.sha1(text).hexdigest()

    def folder(self, name):
        return self.out / "runs" / name.replace(" ", "_").replace("/", "_")

    def known(self, name):
        """The summary of a run that is there already, or None."""
        folder = self.folder(name)
        stamp, summary = folder.with_name(folder.name + ".key"), folder / "summary.json"
        if summary.exists() and stamp.exists() and stamp.read_text() == self.key(*self.wanted[name]):
            return json.loads(summary.read_text())
        return None

    def run_one(self, name):
        there = self.known(name)
        if there is not None:
            return there
        platform, sets = self.wanted[name]
        folder = self.folder(name)
        stamp = folder.with_name(folder.name + ".key")
        command = [str(self.binary), "run", platform, "--json", "--no-progress", "--out", str(folder)]
        for s in sets:
            command += ["--set", s]
        stamp.unlink(missing_ok=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if ended.returncode not in (0, 4):
            sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {' '.join(command)}: {ended.stderr.strip()}")
        stamp.write_text(self.key(platform, sets))
        return json.loads(ended.stdout)

    def run_all(self, only):
        """Runs those whose names contain one of `only`; of the others, what is there already."""
        begin = time.monotonic()
        chosen = [n for n in self.wanted if not only or any(o in n for o in only)]
        for name in self.wanted:
            there = None if name in chosen else self.known(name)
            if there is not None:
                self.done[name] = there
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = {pool.submit(self.run_one, name): name for name in chosen}
            for i, future in enumerate(concurrent.futures.as_completed(futures), 1):
                name = futures[future]
                try:
                    self.done[name] = future.result()
                except BaseException:
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
                seconds = time.monotonic() - begin
                print(f"\r{i} of {len(futures)} runs, {seconds:.0f} s: {name}\033[K", end="" if sys.stderr.isatty()
                      else "\n", file=sys.stderr, flush=True)
        print(file=sys.stderr)

    def result(self, name, metric):
        """None where there is no such run, or no such number."""
        summary = self.done.get(name)
        if summary is None:
            return None
        return summary["results"].get(metric, {}).get("value")

    def verdict(self, name):
        return self.done[name]["verdict"] if name in self.done else "not run"


def write(file, text):
    """Whole or not at all."""
    part = file.with_name(file.name + ".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)


def published(name):
    """Rows of tb/validate/NAME.csv."""
    with open(ROOT / f"tb/validate/{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(rows):
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    numeric = range(len(rows[0]) - 3, len(rows[0]))
    lines = []
    for n, row in enumerate(rows):
        lines.append("  ".join(c.rjust(w) if i in numeric else c.ljust(w)
                               for i, (c, w) in enumerate(zip(row, widths))).rstrip())
        if n == 0:
            lines.append("-" * len(lines[0]))
    return "\n".join(lines)


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def save(figure, folder, name):
    figure.tight_layout()
    for ending in ("svg", "png"):
        figure.savefig(folder / f"{name}.{ending}", dpi=130, metadata={"Date": None} if ending == "svg" else {})
    print(f"plot: {folder / name}.svg")


def bars(axes, groups, series, title, unit):
    """`series`: {label: values by group}; None (unfinished, or too few) is marked."""
    width = 0.8 / len(series)
    for i, (label, values) in enumerate(series.items()):
        at = [g + (i - (len(series) - 1) / 2) * width for g in range(len(groups))]
        axes.bar(at, [v or 0 for v in values], width, label=label)
        for x, v in zip(at, values):
            if v is None:
                axes.text(x, 0.02, "none", rotation=90, ha="center", va="bottom", fontsize=6,
                          transform=axes.get_xaxis_transform())
    names = [str(g).replace("upto_", "\u2264 ").replace("above_", "> ") for g in groups]
    axes.set_xticks(range(len(groups)), names, fontsize=8)
    axes.set_title(title, fontsize=10)
    axes.set_ylabel(unit)
    axes.grid(True, axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(fontsize=7)
