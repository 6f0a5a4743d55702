"""The curve of `horae size --most KEY --over ... --out DIR`: one line per value of the other axis, each point marked by the
resource that binds there."""
from lib.common import plotting
from lib.common.complaint import Complaint

OPTIONS = ("output", "x", "y")
OUTPUT = "curve.svg"

MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]


def is_number(text):
    """Whether it has a place on a logarithmic axis."""
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False


def draw(source, curve, options):
    """Draws `curve`, the content of `source`."""
    try:
        keys = [axis["key"] for axis in curve["axes"]]
    except (KeyError, TypeError) as error:
        raise Complaint(f"{source}: no curve ({error})") from error
    if not keys:
        raise Complaint(f"{source}: a single limit, no curve; expected one of horae size --most KEY --over KEY=A,B")
    if options.x is None:
        raise Complaint(f"{source}: a curve; expected --x with one of {', '.join(keys)}")
    if options.x not in keys:
        raise Complaint(f"--x {options.x}: expected one of {', '.join(keys)}")
    output = plotting.picture(options.output or OUTPUT)
    plt = plotting.pyplot()
    others = [key for key in keys if key != options.x]
    lines = {}
    values = {point["at"][options.x] for point in curve["points"]}
    if words := [v for v in values if not is_number(v)]:
        raise Complaint(f"--x {options.x}: '{min(words)}' is no number above 0; expected another axis")
    if not any(point["value"] > 0 for point in curve["points"]):
        raise Complaint(f"{source}: nothing fits at any point; there is nothing to draw")
    for point in curve["points"]:
        label = ", ".join(f"{k.rsplit('.', 1)[-1]} {point['at'][k]}" for k in others)
        lines.setdefault(label, []).append((float(point["at"][options.x]), point))
    bindings = sorted({point["binding"] for point in curve["points"]})
    figure, axes = plt.subplots(figsize=(8, 5.2))
    for i, (label, points) in enumerate(lines.items()):
        points.sort(key=lambda p: p[0])
        shown = [(x, p) for x, p in points if p["value"] > 0]
        color = plt.get_cmap("viridis")(i / max(1, len(lines) - 1) * 0.9)
        axes.plot([x for x, _ in shown], [p["value"] for _, p in shown], "-", color=color,
                  label=label or None)
        for x, p in shown:
            axes.plot([x], [p["value"]], MARKERS[bindings.index(p["binding"]) % len(MARKERS)],
                      color=color, markersize=6)
    for i, binding in enumerate(bindings):
        axes.plot([], [], MARKERS[i % len(MARKERS)], color="grey", label=f"binding: {binding}")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    ticks = sorted({x for points in lines.values() for x, _ in points})
    axes.set_xticks(ticks, [f"{t:g}" for t in ticks])
    axes.set_xlabel(options.x.rsplit(".", 1)[-1])
    axes.set_ylabel(options.y or curve["most"])
    axes.set_title(f"largest {curve['most']} that fits ({curve['file']})", fontsize=10)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.grid(True, which="both", color="#dddddd", linewidth=0.6)
    axes.legend(fontsize=8, ncol=2)
    figure.tight_layout()
    plotting.save(figure, output)

