"""The stages of a switch chip as `horae size` accounts for them: for each pipeline what every stage has used of each resource, and
below that which object lies in which stages."""
import json
import pathlib
import subprocess

from lib.common import plotting
from lib.common.complaint import Complaint
from lib.report.size_view import NAMES

OPTIONS = ("output", "objects", "set", "chip", "target", "include", "define", "program")
OUTPUT = "stages.svg"
EXIT_DOES_NOT_FIT = 3

# Pixels.
MARGIN, TITLE, HEAD, RESOURCE, OBJECT, BLOCK_GAP, PANEL_GAP, LEGEND = 20, 26, 22, 23, 17, 16, 34, 20
RIGHT, LEAST_PAGE, MOST_PAGE, LEAST_NAMES, MOST_NAMES = 212, 920, 1600, 158, 258
LEAST_STAGE, MOST_STAGE = 26, 50

BLACK, GREY, RED, LINE, FRAME = "#1a1a1a", "#6a6a6a", "#b71c1c", "#d4d4d4", "#8a8a8a"
UNUSED, PARTLY, WHOLLY, BEYOND = "#f1f1f1", "#b5c7d3", "#7f9db2", "#fbe9e7"
# From the palette of Okabe and Ito, told apart with any colour vision; of different lightness, so that
# they differ in a black and white print too.
GRESS = {"ingress": "#7cc4ee", "egress": "#e08a00"}
# In an object's cell stands the first of these that it has there.
CELL = (("sram", ""), ("tcam", "t"), ("hash_dist", "h"), ("gateway", "g"), ("vliw", "v"))
LEGEND_TEXTS = (
    (PARTLY, 0.55, "part of the stage's capacity used"), (WHOLLY, 1, "all used"), (UNUSED, 1, "stage unused"),
    (GRESS["ingress"], 1, "ingress object"), (GRESS["egress"], 1, "egress object"),
    (BEYOND, 1, "stages that the chip does not have"),
    (None, 0, "Number in an object's cell: SRAM blocks (t: TCAM blocks); of what has neither, h: hash distribution units, "
              "g: gateways or v: VLIW instructions"),
    (None, 0, "Totals are over the stages used"))
UNSPLIT = "No number: in several stages; horae size --json --stages tells what in each"


class Canvas:
    """Rectangles and texts on a matplotlib figure, in pixels from the upper left corner."""

    def __init__(self):
        import matplotlib

        matplotlib.use("Agg")
        matplotlib.rcParams.update({"svg.hashsalt": "horae", "font.family": "DejaVu Sans"})  # the same bytes each time
        from matplotlib import figure, font_manager, patches, textpath

        self.figure = figure.Figure(dpi=100)
        self.patches, self.properties, self.paths = patches, font_manager.FontProperties, textpath.TextToPath()

    def fill(self, x, y, width, height, colour, frame=None):
        self.figure.add_artist(self.patches.Rectangle(
            (x, y), width, height, facecolor=colour, edgecolor=frame or "none", linewidth=0.7, transform=self.pixels))

    def font(self, size, bold):
        return self.properties(family="DejaVu Sans", size=size * 0.72, weight="bold" if bold else "normal")  # in points

    def text(self, x, middle, words, size=11, bold=False, align="left", colour=BLACK):
        """Text with the middle of its capitals at `middle`."""
        self.figure.text(x, middle + 0.36 * size, words, transform=self.pixels, color=colour, ha=align, va="baseline",
                         fontproperties=self.font(size, bold), parse_math=False)

    def width(self, words, size=11, bold=False):
        return self.paths.get_text_width_height_descent(words, self.font(size, bold), False)[0] * 100 / 72

    def fitted(self, words, room, size=10, bold=False):
        """The text, or as much of its beginning and end as has room: names of pieces differ at the end."""
        kept = len(words)
        shown = words
        while kept > 1 and self.width(shown, size, bold) > room:
            kept -= 1
            shown = words[:kept - kept // 3] + "\u2026" + words[len(words) - kept // 3:]
        return shown

    def page(self, width, height):
        from matplotlib import transforms

        self.figure.set_size_inches(width / 100, height / 100)
        self.pixels = transforms.Affine2D().scale(1 / width, -1 / height).translate(0, 1) + self.figure.transFigure


class Layout:
    """Sizes that all panels share, so that their stages stand below one another."""

    def __init__(self, pipelines, canvas):
        self.resources = [r for r in pipelines[0]["resources"] if any(p["resources"][r]["used"] for p in pipelines)]
        self.columns = max(max(p["stages"], p["stages_used"], 1) for p in pipelines)
        wide = [canvas.width(title_of(r)) + 24 + canvas.width(f"of {capacity(p, r)}", 10)
                for p in pipelines for r in self.resources]
        wide += [8 + canvas.width(o["name"], 10) for p in pipelines for o in p["objects"]]
        self.grid = MARGIN + min(max([LEAST_NAMES, *wide]), MOST_NAMES)
        room = MOST_PAGE - MARGIN - self.grid - RIGHT
        self.stage = min(max(room // self.columns, LEAST_STAGE), MOST_STAGE)
        self.right = max(self.grid + self.stage * self.columns + RIGHT, LEAST_PAGE)


def title_of(resource):
    # An object has instructions, of which two may share a word; a stage has words.
    return "VLIW words" if resource == "vliw" else NAMES.get(resource, resource)


def capacity(pipeline, resource):
    """Of one stage."""
    return pipeline["resources"][resource]["chip_capacity"] // pipeline["stages"]


def cell_text(canvas, amounts, room):
    shown = [f"{amounts[r]}{letter}" for r, letter in CELL if amounts.get(r)]
    if amounts.get("sram") and amounts.get("tcam"):
        both = "+".join(shown[:2])
        return both if canvas.width(both, 10) <= room else shown[1]
    return shown[0] if shown else ""


class Panel:
    """One pipeline."""

    def __init__(self, pipeline, refused, layout, canvas):
        self.pipeline, self.refused, self.layout, self.canvas = pipeline, refused, layout, canvas
        self.used, self.chip = pipeline["stages_used"], pipeline["stages"]
        self.columns = max(self.chip, self.used)
        self.end = layout.grid + layout.stage * self.columns
        self.by_gress = {g: [o for o in pipeline["objects"] if o["gress"] == g] for g in GRESS}
        self.by_gress = {g: objects for g, objects in self.by_gress.items() if objects}
        self.resources_height = HEAD + RESOURCE * len(layout.resources)
        self.objects_height = HEAD + OBJECT * (len(pipeline["objects"]) + len(self.by_gress))
        self.height = TITLE + self.resources_height + BLOCK_GAP + self.objects_height

    def x(self, stage):
        return self.layout.grid + self.layout.stage * stage

    def draw(self, top):
        self.title(top + TITLE / 2)
        self.resources(top + TITLE)
        self.objects(top + TITLE + self.resources_height + BLOCK_GAP)

    def title(self, middle):
        p = self.pipeline
        stages = (f"{self.used} stages needed, the chip has {self.chip}" if self.used > self.chip else
                  f"{self.used} of {self.chip} stages used")
        cycles = p["latency_cycles"]
        rest = (f" on {p['chip']}: {stages}; MAU cycles: {cycles['ingress']} ingress, {cycles['egress']} egress"
                + ("; does not fit" if self.refused else ""))
        name = self.canvas.fitted(p["name"], self.layout.right - MARGIN - self.canvas.width(rest, 15, True), 15, True)
        self.canvas.text(MARGIN, middle, name + rest, 15, True, colour=RED if self.refused else BLACK)

    def ground(self, top, height, what):
        """Numbers of the stages, and the ground, lines and frame of a block, below all that stands on them."""
        self.canvas.text(MARGIN, top + HEAD / 2, what, bold=True)
        for s in range(self.columns):
            used, past = s < self.used, s >= self.chip
            self.canvas.text(self.x(s + 0.5), top + HEAD / 2, str(s), bold=used, align="center",
                             colour=RED if past else BLACK if used else GREY)
            self.canvas.fill(self.x(s), top + HEAD, self.layout.stage, height - HEAD,
                             BEYOND if past else "white" if used else UNUSED, LINE)

    def frame(self, top, height):
        self.canvas.fill(self.layout.grid, top + HEAD, self.end - self.layout.grid, height - HEAD, "none", FRAME)
        if self.used > self.chip:
            self.canvas.fill(self.x(self.chip) - 1, top + 3, 3, height - 2, RED)

    def row_line(self, y):
        self.canvas.fill(self.layout.grid, y, self.end - self.layout.grid, 1, LINE)

    def resources(self, top):
        c, right = self.canvas, self.end + RIGHT
        self.ground(top, self.resources_height, "resources by stage" if self.layout.resources else "no resource is used")
        c.text(right - 78, top + HEAD / 2, "used / capacity", bold=True, align="right")
        c.text(right, top + HEAD / 2, "per cent", bold=True, align="right")
        for i, resource in enumerate(self.layout.resources):
            y = top + HEAD + RESOURCE * i
            total, most = self.pipeline["resources"][resource], capacity(self.pipeline, resource)
            if i > 0:
                self.row_line(y)
            c.text(MARGIN, y + RESOURCE / 2, title_of(resource))
            c.text(self.layout.grid - 8, y + RESOURCE / 2, f"of {most}", 10, align="right", colour=GREY)
            for stage in self.pipeline["by_stage"]:
                self.amount(stage["stage"], y, stage[resource], most)
            c.text(right - 78, y + RESOURCE / 2, f"{total['used']} / {total['capacity']}", align="right")
            c.text(right, y + RESOURCE / 2, f"{total['percent']:.2f}", align="right")
        self.frame(top, self.resources_height)

    def amount(self, stage, y, used, most):
        """A stage's cell, filled from below as far as its resource is used."""
        if used == 0:
            return
        height = (RESOURCE - 2) * (min(1, used / most) if most > 0 else 1)
        self.canvas.fill(self.x(stage) + 2, y + RESOURCE - height, self.layout.stage - 3, height,
                         WHOLLY if used >= most else PARTLY)
        self.canvas.text(self.x(stage + 0.5), y + RESOURCE / 2, str(used), 10, align="center")

    def objects(self, top):
        self.ground(top, self.objects_height, "objects by stage")
        self.canvas.text(self.end + 12, top + HEAD / 2, "kind", bold=True)
        y = top + HEAD
        for gress, objects in self.by_gress.items():
            count = self.pipeline["gress_stages"][gress]
            self.canvas.fill(self.layout.grid, y, self.end - self.layout.grid, OBJECT, UNUSED)
            self.canvas.text(MARGIN, y + OBJECT / 2, gress, 10, True)
            self.canvas.text(self.layout.grid + 8, y + OBJECT / 2, f"in {count} stage{'' if count == 1 else 's'}", 10,
                             colour=GREY)
            for o in objects:
                y += OBJECT
                self.row_line(y)
                self.row(y, o)
            y += OBJECT
        self.frame(top, self.objects_height)

    def row(self, y, o):
        c, middle, stages = self.canvas, y + OBJECT / 2, o["stages"]
        against = [r for r in self.refused if r["object"] == o["name"] or r["object"].startswith(o["name"] + "[")]
        # Without a reason of its own, an object that has no place waits for one that is refused.
        refused = against or (not stages and self.refused) or (stages and stages[-1] >= self.chip)
        c.text(MARGIN, middle, c.fitted(o["name"], self.layout.grid - MARGIN - 8), 10, colour=RED if refused else BLACK)
        # In one stage it has its total. In several, `horae size --stages` says what in each.
        parts = o.get("by_stage") or [{**o, "stage": s} if len(stages) == 1 else {"stage": s} for s in stages]
        for part in parts:
            c.fill(self.x(part["stage"]) + 2, y + 2, self.layout.stage - 3, OBJECT - 3, GRESS[o["gress"]])
            c.text(self.x(part["stage"] + 0.5), middle + 0.5, cell_text(c, part, self.layout.stage - 6), 10, align="center")
        kind = o["kind"]
        if refused and stages:
            kind += f": refused, {against[0]['resource']}" if against else ": refused"
        c.text(self.end + 12, middle, c.fitted(kind, RIGHT - 12), 10, colour=RED if refused else GREY)
        if not stages:
            why = (f"refused: {against[0]['why']}" if against else
                   "not placed: waits for what is refused" if refused else "needs no stage")
            c.text(self.layout.grid + 8, middle, c.fitted(why, self.end - self.layout.grid - 16), 10,
                   colour=RED if refused else GREY)


def legend(canvas, right, beyond, unsplit):
    """What colours and letters mean: (x, row, colour, filled, text), in as many rows as the width makes necessary."""
    x, row, out = MARGIN, 0, []
    for colour, filled, words in LEGEND_TEXTS + (((None, 0, UNSPLIT),) if unsplit else ()):
        if colour == BEYOND and not beyond:
            continue
        width = (32 if colour else 0) + canvas.width(words, 10)
        if x > MARGIN and x + width > right:
            x, row = MARGIN, row + 1
        out.append((x, row, colour, filled, words))
        x += width + 22
    return out


def draw_ledger(ledger, output):
    canvas, pipelines = Canvas(), ledger["pipelines"]
    layout = Layout(pipelines, canvas)
    panels = [Panel(p, [r for r in ledger["refused"] if r["design"] == p["name"]], layout, canvas) for p in pipelines]
    unsplit = any(len(o["stages"]) > 1 and "by_stage" not in o for p in pipelines for o in p["objects"])
    entries = legend(canvas, layout.right, any(p.used > p.chip for p in panels), unsplit)
    below = MARGIN + sum(p.height + PANEL_GAP for p in panels) - PANEL_GAP + BLOCK_GAP
    canvas.page(layout.right + MARGIN, below + LEGEND * (entries[-1][1] + 1) + MARGIN)
    top = MARGIN
    for panel in panels:
        panel.draw(top)
        top += panel.height + PANEL_GAP
    for x, row, colour, filled, words in entries:
        middle = below + LEGEND * (row + 0.5)
        if colour:
            canvas.fill(x, middle + 6.5 - 13 * filled, 26, 13 * filled, colour)
            canvas.fill(x, middle - 6.5, 26, 13, "none", FRAME)
        canvas.text(x + (32 if colour else 0), middle, words, 10)
    plotting.save(canvas.figure, output)


def ledger_of(options):
    """The ledger, and the exit code of horae where it was asked."""
    source = pathlib.Path(options.source)
    if source.suffix in (".toml", ".p4"):
        command = [options.program, "size", *(["--objects"] if options.objects else []), str(source), "--json", "--stages",
                   "--no-remedies", "--no-progress"]
        command += [word for s in options.set for word in ("--set", s)] + (["--chip", options.chip] if options.chip else [])
        command += [word for s in options.include for word in ("-I", s)] + [word for s in options.define for word in ("-D", s)]
        command += ["--target", options.target] if options.target else []
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode not in (0, 1, EXIT_DOES_NOT_FIT):
            raise Complaint(ended.stderr.strip().removeprefix("horae: "))
        return json.loads(ended.stdout), ended.returncode
    if options.objects or options.set or options.chip or options.include or options.define or options.target:
        raise Complaint(f"{source}: found a ledger, expected PLATFORM.toml with --objects, --set or --chip, or PROGRAM.p4 with "
                        "--target, -I or -D")
    try:
        ledger = json.loads((source / "ledger.json" if source.is_dir() else source).read_text(encoding="utf-8"))
        if not any(p["by_stage"] for p in ledger["pipelines"]):
            raise KeyError("no stage is used")
        return ledger, 0
    except (ValueError, KeyError, TypeError) as error:
        raise Complaint(f"{source}: no ledger of horae size --json ({error})") from error


def draw(options):
    """Draws the stages of options.source; the exit code of horae where it was asked."""
    output = plotting.picture(options.output or OUTPUT)
    ledger, code = ledger_of(options)
    draw_ledger(ledger, output)
    return code
