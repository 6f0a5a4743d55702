"""The closest point of each hypothesis: `curves`, each quantity of each curve with a line per hypothesis and
the published points; `idle`, why each leaves the wire idle."""
from .drawing import MARKERS, label_of, legend_below, save


def draw_curve(axes, curve, quantity, colors):
    positions = list(range(len(curve["points"])))
    for i, line in enumerate(curve["lines"]):
        shown = [(p, v[quantity]) for p, v in zip(positions, line["values"]) if v.get(quantity) is not None]
        axes.plot([p for p, _ in shown], [y for _, y in shown], color=colors[line["hypothesis"]],
                  marker=MARKERS[i % len(MARKERS)], markersize=5, linewidth=1.2, label=line["hypothesis"])
    published = [(p, point["published"][quantity])
                 for p, point in zip(positions, curve["points"]) if quantity in point["published"]]
    if published:
        axes.plot([p for p, _ in published], [y for _, y in published], "k*", markersize=13,
                  zorder=5, label="published")
    axes.set_xticks(positions, [label_of(point["x"]) for point in curve["points"]])
    axes.set_xlabel(curve["x_title"])
    axes.set_ylabel(quantity)
    axes.set_title(curve["title"] or curve["id"], fontsize=10)
    axes.set_ylim(0, axes.get_ylim()[1] * 1.05)
    axes.grid(True, color="#dddddd", linewidth=0.6)


def draw_curves(plt, found, folder, colors):
    curves = [c for c in found.get("curves", []) if c["lines"]]
    if not curves:
        return
    columns = max(len(c["quantities"]) for c in curves)
    figure, grid = plt.subplots(len(curves), columns, squeeze=False,
                                figsize=(5.2 * columns, 3.8 * len(curves)))
    for row, curve in zip(grid, curves):
        for axes in row[len(curve["quantities"]):]:
            axes.set_visible(False)
        for axes, quantity in zip(row, curve["quantities"]):
            draw_curve(axes, curve, quantity, colors)
    entries = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    legend_below(figure, entries.values(), entries.keys())
    save(figure, folder, "curves")


def draw_idle(plt, found, folder):
    order = found["ranked"]
    hypotheses = sorted((h for h in found["hypotheses"] if h.get("idle")), key=lambda h: order.index(h["id"]))
    conditions, causes = [], []
    for h in hypotheses:
        for condition, shares in h["idle"].items():
            there = [c for c, share in shares.items() if share > 0.0005]
            if there and condition not in conditions:  # nowhere idle: an empty panel
                conditions.append(condition)
            causes += [c for c in there if c not in causes]
    if not conditions:
        return
    figure, grid = plt.subplots(1, len(conditions), squeeze=False, sharey=True,
                                figsize=(1.8 + 3.2 * len(conditions), 1.2 + 0.45 * len(hypotheses)))
    rows = list(range(len(hypotheses)))[::-1]
    for axes, condition in zip(grid[0], conditions):
        left = [0.0] * len(hypotheses)
        for i, cause in enumerate(causes):
            shares = [h["idle"].get(condition, {}).get(cause, 0.0) for h in hypotheses]
            axes.barh(rows, shares, left=left, color=plt.get_cmap("tab10")(i), label=cause)
            left = [a + b for a, b in zip(left, shares)]
        axes.set_xlim(0, 1)
        axes.set_xlabel("share of time idle")
        axes.set_title(condition, fontsize=10)
        axes.set_yticks(rows, [h["id"] for h in hypotheses])
        axes.grid(True, axis="x", color="#dddddd", linewidth=0.6)
    if causes:
        grid[0][-1].legend(fontsize=8)
    save(figure, folder, "idle")


def draw(plt, found, folder):
    colors = {name: plt.get_cmap("tab10")(i % 10) for i, name in enumerate(found.get("survivors", []))}
    draw_curves(plt, found, folder, colors)
    draw_idle(plt, found, folder)
