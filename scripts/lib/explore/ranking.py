"""Which points are worth a look: the Pareto front, and one that is chosen from it."""


def signed(study, point):
    """Objectives as numbers of which less is better; None without all of them."""
    values = [point.values[o.name] for o in study.objectives]
    if any(v is None for v in values):
        return None
    return [-v if o.direction == "max" else v for o, v in zip(study.objectives, values)]


def dominates(a, b):
    return all(x <= y for x, y in zip(a, b)) and any(x < y for x, y in zip(a, b))


def mark_front(study, points):
    """Feasible points that no feasible point beats; equal ones are all on it."""
    costs = {p.number: signed(study, p) for p in points if p.feasible}
    for point in points:
        cost = costs.get(point.number)
        point.pareto = cost is not None and not any(
            other is not None and dominates(other, cost) for other in costs.values())
    return [p.number for p in points if p.pareto]


def choose(study, points):
    """(number or None, why)."""
    front = [p for p in points if p.pareto]
    if not front:
        return None, "no feasible point has all objectives"
    if study.choose == "best":
        objective = next(o for o in study.objectives if o.name == study.choose_objective)
        sign = -1 if objective.direction == "max" else 1
        best = min(front, key=lambda p: (sign * p.values[objective.name], p.number))
        way = "largest" if objective.direction == "max" else "smallest"
        return best.number, f"{way} {objective.name} of the feasible points"
    costs = {p.number: signed(study, p) for p in front}
    low = [min(c[i] for c in costs.values()) for i in range(len(study.objectives))]
    high = [max(c[i] for c in costs.values()) for i in range(len(study.objectives))]

    def distance(point):
        return sum(((c - a) / (b - a)) ** 2 if b > a else 0
                   for c, a, b in zip(costs[point.number], low, high)) ** 0.5

    # Rounded, so that the last bit of a sum decides nothing.
    best = min(front, key=lambda p: (round(distance(p), 9), p.number))
    return best.number, ("knee: least distance to the best of each objective, each scaled to its range on the "
                         "Pareto front")
