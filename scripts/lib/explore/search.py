"""A search: Optuna proposes points, a batch at a time.

A batch depends on the study, its seed and what all earlier points gave, and on nothing else: each batch has
a sampler of its own, seeded by the study's seed and the batch's number, and results are told in the order of
points. So nothing of a search is kept but results: whoever resumes it makes the same proposals again, finds
the results that are there, and ends with the same table whatever ran at once or was killed between."""
import hashlib
import warnings

from .points import skipped


def batch_seed(seed, number):
    return int.from_bytes(hashlib.sha256(f"{seed} {number}".encode()).digest()[:4], "big")


class Search:
    def __init__(self, study):
        # Imported here: a second that a grid need not take.
        import optuna  # pylint: disable=import-outside-toplevel
        self.optuna = optuna
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        warnings.filterwarnings("ignore", category=optuna.exceptions.ExperimentalWarning)
        self.study = study
        self.trials = optuna.create_study(
            directions=["maximize" if o.direction == "max" else "minimize" for o in study.objectives])
        self.distributions = {p.name: self.distribution(p) for p in study.parameters}
        self.asked = self.number = 0
        self.pending = []

    def distribution(self, p):
        d = self.optuna.distributions
        if p.choices is not None:
            if p.ordered and len(p.choices) > 1:
                return d.IntDistribution(0, len(p.choices) - 1)
            return d.CategoricalDistribution(list(range(len(p.choices))))
        if p.integer:
            return d.IntDistribution(int(p.low), int(p.high), log=p.log)
        return d.FloatDistribution(p.low, p.high, log=p.log)

    def value(self, p, proposed):
        if p.choices is not None:
            return sorted(p.choices, key=lambda c: c.value)[proposed].value if p.ordered \
                else p.choices[proposed].value
        return p.settled(proposed)

    def sampler(self):
        samplers, seed = self.optuna.samplers, batch_seed(self.study.method.seed, self.number)
        constrained = self.violations if self.study.constraints else None
        if self.study.method.sampler == "tpe":
            return samplers.TPESampler(seed=seed, n_startup_trials=self.study.method.batch,
                                       constraints_func=constrained)
        return samplers.NSGAIISampler(seed=seed, population_size=self.study.method.batch,
                                      constraints_func=constrained)

    def violations(self, trial):
        return trial.user_attrs.get("violations", [1.0])

    def ask(self):
        """The parameters of the next batch, None where the study leaves a point out; [] at the end."""
        count = min(self.study.method.batch, self.study.method.points - self.asked)
        self.trials.sampler = self.sampler()
        self.number += 1
        self.asked += count
        self.pending = [self.trials.ask(self.distributions) for _ in range(count)]
        out = []
        for trial in self.pending:
            values = {p.name: self.value(p, trial.params[p.name]) for p in self.study.parameters}
            out.append(None if skipped(self.study, values) else values)
        return out

    def tell(self, points):
        """What became of the batch, in its order; None for what was left out."""
        for trial, point in zip(self.pending, points):
            values = None
            if point is not None and point.status == "done":
                values = [point.values[o.name] for o in self.study.objectives]
                trial.set_user_attr("violations",
                                    [c.excess(point.values[c.name]) for c in self.study.constraints])
            if values is None or point.lacks or any(v is None for v in values):
                self.trials.tell(trial, state=self.optuna.trial.TrialState.FAIL)
            else:
                self.trials.tell(trial, values)
