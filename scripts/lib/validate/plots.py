"""Figures of a validation: what tables hold as bars or lines, and panels of the files beside results."""
import csv
import re

from lib.common import plotting


def save(figure, folder, name):
    figure.tight_layout()
    for ending in ("svg", "png"):
        plotting.save(figure, folder / f"{name}.{ending}", dpi=130)
    print(f"plot: {folder / name}.svg")


def bars(axes, grid):
    """Groups by column, a bar per row; none (unfinished, or too few) is marked."""
    width = 0.8 / len(grid.rows)
    for i, (label, values) in enumerate(zip(grid.rows, grid.values)):
        at = [g + (i - (len(grid.rows) - 1) / 2) * width for g in range(len(grid.columns))]
        axes.bar(at, [v or 0 for v in values], width, label=str(label))
        ranges = [(x, s) for x, s in zip(at, grid.spreads[i]) if s and s.count > 1] if grid.spreads else []
        if ranges:
            axes.errorbar([x for x, _ in ranges], [s.median for _, s in ranges],
                          [[s.median - s.least for _, s in ranges], [s.most - s.median for _, s in ranges]],
                          fmt="none", ecolor="#333333", elinewidth=0.8)
        stars(axes, at, grid.published[i] if grid.published else [])
        for x, v in zip(at, values):
            if v is None:
                axes.text(x, 0.02, "none", rotation=90, ha="center", va="bottom", fontsize=6,
                          transform=axes.get_xaxis_transform())
    names = [str(g).replace("upto_", "\u2264 ").replace("above_", "> ") for g in grid.columns]
    axes.set_xticks(range(len(grid.columns)), names, fontsize=8)
    if grid.drawn.get("log") and any(v for values in grid.values for v in values):
        axes.set_yscale("log")
    axes.grid(True, axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)


def stars(axes, at, published):
    """Published numbers, where there are some; one entry of the legend."""
    known = [(float(x), v) for x, v in zip(at, published) if v is not None]
    if known:
        named = "published" in axes.get_legend_handles_labels()[1]
        axes.plot(*zip(*known), linestyle="none", marker="*", markersize=9, color="black", markeredgecolor="white", markeredgewidth=0.5,
                  zorder=5, label="_published" if named else "published")


def lines(axes, grid):
    for i, (label, values) in enumerate(zip(grid.rows, grid.values)):
        stars(axes, grid.columns, grid.published[i] if grid.published else [])
        known = sorted((float(x), v) for x, v in zip(grid.columns, values) if v is not None)
        if known:
            axes.plot(*zip(*known), marker="o", markersize=3, label=str(label))
    if grid.drawn.get("log_x"):
        axes.set_xscale("log", base=2)
    if grid.drawn.get("log_y"):
        axes.set_yscale("log")
    axes.grid(True, color="#dddddd", linewidth=0.6)


def shares(axes, told, folders):
    """Of each result the distribution of a column of one of its files."""
    for label, folder in folders:
        values = sorted(float(row[told["column"]]) * told["scale"] for row in rows_of(folder, told["file"])
                        if row[told["column"]])
        axes.plot(values, [(i + 1) / len(values) for i in range(len(values))], label=str(label))
    axes.grid(True, color="#dddddd", linewidth=0.6)


def series(axes, told, folders):
    """Of each result the mean over objects of a quantity, over time in ms."""
    for label, folder in folders:
        at = {}
        for row in rows_of(folder, told["file"]):
            if row["quantity"] == told["quantity"] and re.fullmatch(told["objects"], row["object"]):
                at.setdefault(float(row["time_us"]), []).append(float(row["value"]))
        scale = told.get("scale", 1)
        axes.plot([t / 1e3 for t in sorted(at)], [scale * sum(at[t]) / len(at[t]) for t in sorted(at)], label=str(label),
                  linewidth=0.8)
    axes.grid(True, color="#dddddd", linewidth=0.6)


def rows_of(folder, name):
    if folder is None or not (folder / name).exists():
        return []
    with open(folder / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def titled(axes, told):
    axes.set_title(told.get("title", ""), fontsize=10)
    axes.set_xlabel(told.get("x", ""))
    axes.set_ylabel(told.get("y", ""))
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=7)


def draw(told, grids, folder):
    """[[plot]]: panels from left to right and from above in the order of their tables."""
    plt = plotting.pyplot()
    panels = []
    for grid in (g for g in grids if g.plot == told["name"] and g.columns and g.rows):
        if grid.drawn:
            panels.append((grid.drawn, lambda axes, g=grid: {"bars": bars, "lines": lines}[g.drawn["kind"]](axes, g)))
        if grid.beside:
            panels.append((grid.beside, lambda axes, g=grid: {"shares": shares, "series": series}[g.beside["kind"]](
                axes, g.beside, g.folders)))
    if not panels:
        return
    columns = told["columns"]
    figure, axes = plt.subplots(-(-len(panels) // columns), columns, squeeze=False, figsize=told["size"],
                                gridspec_kw={"width_ratios": told["widths"] or [1] * columns})
    for i, each in enumerate(axes.flat):
        if i >= len(panels):
            each.set_visible(False)
            continue
        panels[i][1](each)
        titled(each, panels[i][0])
    save(figure, folder, told["name"])
    plt.close(figure)
