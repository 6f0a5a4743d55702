"""Working through a study: its points are built, run somewhere, settled and written."""
import dataclasses

from lib.common.complaint import Complaint
from lib.common.files import read_json
from .outcome import Point, Reader
from .points import grid, latin
from lib.common.program import overrides, shown_path
from .runs import make_run
from .search import Search
from .table import study_json, write_study


class Campaign:
    """`run_all`(lists of runs, watch) makes runs and says whether all are made; `watch`(done, of) may be
    None."""

    def __init__(self, study, program, store, folder):
        self.study, self.program, self.store, self.folder = study, program, store, folder
        self.reader = Reader(study, store)
        self.points = []
        self.retried = set()

    def work(self, run_all, progress):
        """All of it; False if it was stopped on the way."""
        of = self.study.method.points if self.study.method.kind == "search" else None
        for batch, tell in self.batches():
            if not self.make(batch, run_all, progress, of):
                return False
            tell()
        return True

    def batches(self):
        """Points in their order, some at a time, with what to do when they are settled."""
        if self.study.method.kind != "search":
            batch = self.build(grid(self.study) if self.study.method.kind == "grid" else latin(self.study))
            yield batch, lambda: None
            return
        search = Search(self.study)
        known = {}
        while search.asked < self.study.method.points:
            proposed = search.ask()
            fresh = []
            for values in proposed:
                if values is not None and name_of(values) not in known:
                    known[name_of(values)] = None
                    fresh.append(values)
            for point in self.build(fresh):
                known[name_of(point.parameters)] = point

            def tell(proposed=proposed):
                search.tell([None if v is None else known[name_of(v)] for v in proposed])
            yield [p for p in self.points if p.status == "pending"], tell

    def build(self, rows):
        """Points of these parameters. Complaint if the very first ones are all refused: then it is the
        study that is wrong."""
        points = [Point(len(self.points) + i, values, []) for i, values in enumerate(rows)]
        for index, command in enumerate(self.study.commands):
            by_file = {}
            for point in points:
                by_file.setdefault(self.file(command, point.parameters), []).append(point)
            for file, some in by_file.items():
                self.build_some(dataclasses.replace(command, file=file), index, some)
        if points and not self.points and all(p.refused is not None for p in points):
            raise Complaint(points[0].refused)
        for point in points:
            if point.refused is not None:
                point.runs = []
        self.points += points
        return points

    def build_some(self, command, index, points):
        sets = [overrides(self.sets(command, index, p.parameters)).items() for p in points]
        for point, pairs, (config_hash, refused) in zip(points, sets, self.program.configs(command, sets)):
            if refused is not None:
                point.refused = point.refused or refused
                continue
            point.runs.append(make_run(self.program, command, pairs, config_hash, shown_path(command.file)))

    def file(self, command, values):
        """The platform of a point."""
        chosen = [p.choice(values[p.name]) for p in self.study.parameters]
        return next((c.file for c in chosen if c is not None and c.file is not None), command.file)

    def sets(self, command, index, values):
        out = self.study.fixed + command.sets
        for parameter in self.study.parameters:
            if parameter.commands is None or index in parameter.commands:
                out = out + parameter.sets(values[parameter.name])
        return out

    def make(self, batch, run_all, progress, of):
        before = len(self.points) - len(batch)
        total = of or len(self.points)

        def watch(done, running):
            progress.show(before + len(batch) - len(runs) + done, total, running, self.refused_text())

        runs = [p.runs for p in batch if p.refused is None]
        made = run_all(runs, watch)
        for point in batch:
            self.reader.settle(point)
        return made

    def refused_text(self):
        refused = sum(p.refused is not None for p in self.points)
        return f", {refused} refused" if refused else ""

    def settle(self):
        """Whatever is known of all points so far."""
        for point in self.points:
            self.reader.settle(point)

    def forget_failed(self, points):
        """Lets runs that failed be made again, once."""
        for run in (run for runs in points for run in runs):
            outcome = self.store.outcome(run.key) if run.key not in self.retried else None
            self.retried.add(run.key)
            if outcome is not None and outcome["exit"] not in (0, 2, 3):
                self.store.forget(run.key)

    def content(self):
        """What study.json holds."""
        return study_json(self.study, self.points, self.program.version, self.folder, self.store)

    def write(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        return write_study(self.folder, self.study, self.points, self.program.version, self.store)

    def write_unless_less(self):
        """Of a study that was stopped: a table that is there and has more settled points stays."""
        if settled(self.content()["points"]) >= max(1, self.settled_before()):
            self.write()

    def settled_before(self):
        """Points settled in the table that is there."""
        try:
            return settled(read_json(self.folder / "study.json")["points"])
        except (KeyError, TypeError, ValueError):  # none, or not one of ours
            return 0


def settled(points):
    return sum(p["status"] != "pending" for p in points)


def name_of(values):
    return tuple((type(v).__name__, v) for v in values.values())
