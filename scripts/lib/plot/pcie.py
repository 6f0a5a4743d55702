"""The table of `scripts/validate pcie`: read and write bandwidth over transfer size, the model as marks on the lines of its closed
form, published values as crosses."""
from lib.common import plotting

OPTIONS = ("output",)
OUTPUT = "pcie.svg"
COLUMNS = ["gen", "lanes", "mps", "mrrs", "size", "read formula", "read model", "read published",
           "write formula", "write model", "write published"]


def rows_of(text):
    """The rows of the table in what the test printed."""
    rows = []
    for line in text.splitlines():
        cells = line.split()
        if len(cells) == len(COLUMNS) and cells[0].isdigit():
            rows.append(dict(zip(COLUMNS, (None if c == "-" else float(c) for c in cells))))
    return rows


def draw(rows, options):
    output = plotting.picture(options.output or OUTPUT)
    plt = plotting.pyplot()
    links = sorted({(r["gen"], r["lanes"], r["mps"], r["mrrs"]) for r in rows})
    figure, plots = plt.subplots(1, 2, figsize=(11, 5.2), sharey=True)
    for axes, direction in zip(plots, ["read", "write"]):
        for i, link in enumerate(links):
            of_link = [r for r in rows if (r["gen"], r["lanes"], r["mps"], r["mrrs"]) == link]
            sizes = [r["size"] for r in of_link]
            color = plt.get_cmap("tab10")(i)
            axes.plot(sizes, [r[direction + " formula"] for r in of_link], "-", color=color,
                      label="Gen%d x%d, MPS %d, MRRS %d" % link)
            axes.plot(sizes, [r[direction + " model"] for r in of_link], "o", color=color,
                      markersize=4)
            known = [r for r in of_link if r[direction + " published"] is not None]
            axes.plot([r["size"] for r in known], [r[direction + " published"] for r in known], "x",
                      color="black", markersize=7)
        axes.set_xscale("log", base=2)
        axes.set_xlabel(f"size of a DMA {direction}, bytes")
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.grid(True, color="#dddddd", linewidth=0.6)
    plots[0].set_ylim(bottom=0)
    plots[0].set_ylabel("Gb/s of data")
    plots[0].plot([], [], "x", color="black", label="pcie-bench/pcie-model")
    plots[0].plot([], [], "o", color="grey", markersize=4, label="model (lines: closed form)")
    plots[0].legend(fontsize=7, ncol=2, loc="upper center", bbox_to_anchor=(0.5, 0.72))
    figure.tight_layout()
    plotting.save(figure, output)

