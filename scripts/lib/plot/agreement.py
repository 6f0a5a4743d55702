"""Over everything that was not published: `agreement`, how near each hypothesis comes and how much of
its space agrees; `gains`, what each further measurement would tell; `predictions`, the intervals of the
most telling ones, hypotheses side by side."""
from .drawing import save

COLOURS = {"consistent": "#2a7f62", "not found": "#c99a2e", "excluded": "#b5533c"}
MOST_SHOWN = 4  # experiments in `predictions`


def draw_agreement(plt, found, folder):
    by_name = {h["id"]: h for h in found["hypotheses"]}
    shown = [by_name[name] for name in found["ranked"] if "closest" in by_name[name]]
    if not shown:
        return
    rows = list(range(len(shown)))[::-1]
    figure, (near, share) = plt.subplots(1, 2, sharey=True,
                                         figsize=(9.5, 1.6 + 0.32 * len(shown)))
    for row, h in zip(rows, shown):
        colour = COLOURS.get(h["standing"], "#777777")
        near.plot([h["closest"]["tolerances"]], [row], "o", color=colour, markersize=6)
        evidence = h["evidence"]
        if evidence["share"] > 0:
            # At a tenth where the error reaches zero: a logarithmic axis has none.
            low = max(evidence["share"] - evidence["error"], evidence["share"] / 10)
            share.errorbar([evidence["share"]], [row], color=colour, marker="o", capsize=3,
                           xerr=[[evidence["share"] - low], [evidence["error"]]])
        else:
            share.plot([evidence["at_most"]], [row], marker="<", color=colour, linestyle="")
    near.axvline(1, color="black", linewidth=0.8)
    near.set_xscale("log")
    near.set_xlabel("closest approach, tolerances (1: agrees)")
    near.set_yticks(rows, [h["id"] for h in shown])
    share.set_xscale("log")
    share.set_xlabel("share of the space that agrees (arrow: at most)")
    for axes in (near, share):
        axes.grid(True, axis="x", color="#dddddd", linewidth=0.6)
    for standing, colour in COLOURS.items():
        near.plot([], [], "o", color=colour, label=standing)
    near.legend(fontsize=8)
    save(figure, folder, "agreement")


def draw_gains(plt, found, folder):
    experiments = found.get("experiments") or []
    if not experiments:
        return
    rows = list(range(len(experiments)))[::-1]
    figure, axes = plt.subplots(figsize=(9.5, 1.4 + 0.26 * len(experiments)))
    axes.barh(rows, [e["gain_nats"] for e in experiments], color="#4477aa", height=0.65,
              label="expected gain")
    axes.plot([e["by_chance_nats"] for e in experiments], rows, "|", color="#b5533c",
              markersize=11, markeredgewidth=2, label="by chance, with so few points")
    axes.axvline(experiments[0]["most_nats"], color="black", linewidth=0.8,
                 label="certainty which it is")
    axes.set_yticks(rows, [e["title"] for e in experiments], fontsize=8)
    axes.set_xlabel("information about which hypothesis it is, nats; cheapest experiments first")
    axes.set_xlim(0, None)
    axes.grid(True, axis="x", color="#dddddd", linewidth=0.6)
    axes.legend(fontsize=8, loc="lower left", bbox_to_anchor=(0, 1.0), ncol=3, frameon=False)
    save(figure, folder, "gains")


def draw_predictions(plt, found, folder):
    told = sorted(found.get("experiments") or [],
                  key=lambda e: e["by_chance_nats"] - e["gain_nats"])[:MOST_SHOWN]
    told = [e for e in told if e["predictions"]]
    if not told:
        return
    quantities = [k for k, v in told[0]["predictions"][0].items() if isinstance(v, dict)]
    names = []
    for e in told:
        names += [p["hypothesis"] for p in e["predictions"] if p["hypothesis"] not in names]
    colours = {name: plt.get_cmap("tab10")(i % 10) for i, name in enumerate(names)}
    figure, grid = plt.subplots(len(told), len(quantities), squeeze=False,
                                figsize=(4.0 * len(quantities), len(told) * (0.9 + 0.22 * len(names))))
    for n, (line, e) in enumerate(zip(grid, told), 1):
        rows = list(range(len(e["predictions"])))[::-1]
        for axes, quantity in zip(line, quantities):
            for row, p in zip(rows, e["predictions"]):
                interval = p[quantity]
                axes.plot([interval["low"], interval["high"]], [row, row], linewidth=5,
                          solid_capstyle="butt", color=colours[p["hypothesis"]])
                axes.plot([interval["median"]], [row], "|", color="black", markersize=8)
            axes.set_yticks(rows, [p["hypothesis"] for p in e["predictions"]]
                            if axes is line[0] else [""] * len(rows), fontsize=8)
            axes.set_ylim(-0.7, len(rows) - 0.3)
            axes.grid(True, axis="x", color="#dddddd", linewidth=0.6)
            axes.tick_params(axis="x", labelsize=8)
            if n == len(told):
                axes.set_xlabel(quantity, fontsize=9)
        line[0].set_title(e["title"], fontsize=9, loc="left")
    save(figure, folder, "predictions")


def draw(plt, found, folder):
    draw_agreement(plt, found, folder)
    draw_gains(plt, found, folder)
    draw_predictions(plt, found, folder)
