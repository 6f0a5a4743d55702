#!/usr/bin/python3
"""What the tests of scripts/report give it: real results of short runs, and studies. As a program: makes the results in
a folder, anew."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
REPORT = ROOT / "scripts/report"
HORAE = os.environ.get("HORAE_PROGRAM", str(ROOT / "build/platforms/horae"))
NAME = "</script><script>window.hurt = 1</script><img src=x onerror=\"window.hurt = 1\">"

HOSTILE = "<b onclick=window.hurt=1>"

STUDY = """[study]
name = "explored"
platform = "{root}/platforms/themis_tor.toml"
run = ["size"]
[[parameter]]
name = "qps"
key = "tor.program.qps_per_nic"
values = [100, 400, 4000]
[[parameter]]
name = "paths"
key = "tor.program.paths"
values = [64, 128]
[[objective]]
name = "map_ram"
result = "pipelines.tor.resources.map_ram.used"
direction = "min"
unit = "blocks"
[[objective]]
name = "stages"
result = "pipelines.tor.stages_used"
direction = "min"
"""

SHORT = ["--set", "sim.duration=300us", "--set", "sim.warmup=100us"]
RESULTS = {
    "run": ["run", "platforms/themis_tor.toml", *SHORT, "--set", "sim.sample=20us"],
    "messages": ["run", "platforms/eunomia_incast.toml", "--set", "traffic[0].duration=60us", "--set", "sim.warmup=20us",
                 "--set", "sim.sample=20us"],
    "sweep": ["run", "platforms/cx7_spray.toml", *SHORT],
    "size": ["size", "platforms/themis_tor.toml"],
    "refused": ["size", "platforms/themis_tor.toml", "--set", "tor.program.qps_per_nic=4000"],
    "source": ["size", "platforms/p4/sketch/sketch.p4"],
    "nic": ["size", "--nic", "connectx7", "--qps", "5000"],
    "curve": ["size", "platforms/themis_tor.toml", "--most", "tor.program.qps_per_nic", "--over",
              "tor.program.paths=64,128", "--over", "tor.program.window=128,512"],
    "replay": ["replay", "traces/loss.pcap@h0", "--platform", "platforms/themis_tor.toml", "--device", "leaf0"],
    "explain": ["explain", "platforms/cx7_spray.toml", "--points", "8", "--only", "H4.lock,H3", "--seeds", "1"],
}


def horae(out, arguments):
    """A result folder; also of what is refused."""
    ended = subprocess.run([HORAE, *arguments, "--no-progress", "--out", str(out)], cwd=ROOT, capture_output=True, text=True,
                           check=False)
    if ended.returncode not in (0, 1, 3) or not (out / "summary.json").is_file():
        sys.exit(f"{HORAE} {' '.join(arguments)}: {ended.returncode}: {ended.stderr}")


def hostile(folder):
    """A platform whose names would be markup if nobody escaped them."""
    text = (ROOT / "platforms/cx7_spray.toml").read_text(encoding="utf-8")
    quoted = NAME.replace("\"", "\\\"")
    platform = folder / "hostile.toml"
    platform.write_text(text.replace('name = "cx7_spray"', f'name = "{quoted}"')
                        .replace('description = "', f'description = "{quoted} '), encoding="utf-8")
    horae(folder / HOSTILE, ["run", str(platform), "--point", "1", *SHORT])


def results(folder):
    """By name; those that are made already ($HORAE_REPORT_RESULTS), or made into the folder."""
    made = os.environ.get("HORAE_REPORT_RESULTS")
    folder = pathlib.Path(made) if made else folder
    if not made:
        make(folder)
    return {**{name: folder / name for name in RESULTS}, "hostile": folder / HOSTILE, "explored": folder / "explore/explored"}


def make(folder):
    for name, arguments in RESULTS.items():
        horae(folder / name, arguments)
    hostile(folder)
    explored(folder)


def explored(folder):
    """A study that scripts/explore made, of which some points do not fit."""
    file = folder / "explored.toml"
    file.write_text(STUDY.format(root=ROOT), encoding="utf-8")
    ended = subprocess.run([str(ROOT / "scripts/explore"), str(file), "--program", HORAE, "--out", str(folder / "explore"),
                            "--no-progress"], capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"scripts/explore: {ended.returncode}: {ended.stderr}")


def study(folder, count):
    """As scripts/explore writes it: some refused, one failed, a front of two objectives."""
    draw = random.Random(1)
    points = []
    for number in range(count):
        parameters = {"qps": draw.choice([256, 512, 1024, 2048]), "rto": draw.choice(["100 us", "1 ms", "4 ms"]),
                      "engine": draw.choice(["static", "irn", "eunomia"]), "load": round(draw.uniform(0.1, 0.9), 3)}
        point = {"number": number, "parameters": parameters, "status": "done", "reason": "", "feasible": True,
                 "pareto": False, "config_hash": "", "folder": f"../store/{number}"}
        blocks = parameters["qps"] // 16 + draw.randint(0, 9)
        point["values"] = {"goodput": round(50 + draw.random() * blocks, 3), "map_ram": blocks, "p99": round(draw.uniform(10, 99), 1)}
        if blocks > 130:
            point.update(status="refused", feasible=False, reason=f"map_ram: need {blocks}, have 130")
            point["values"] = {"goodput": None, "map_ram": blocks, "p99": None}
        points.append(point)
    points[1].update(status="failed", feasible=False, reason="stuck", values=dict.fromkeys(points[1]["values"]))
    done = sorted((p for p in points if p["feasible"]), key=lambda p: (p["values"]["map_ram"], -p["values"]["goodput"]))
    best = -1
    for point in done:
        if point["values"]["goodput"] > best:
            best, point["pareto"] = point["values"]["goodput"], True
    front = [p["number"] for p in points if p["pareto"]]
    content = {
        "schema": 1, "study": "budget", "file": "budget.toml", "description": "How many queue pairs fit", "version": "0.1.0",
        "method": {"kind": "latin", "seed": 1, "points": count},
        "commands": [{"command": "size", "file": "themis_tor.toml", "point": None, "set": []}],
        "parameters": [{"name": n, "key": f"tor.{n}", "unit": "", "doc": f"what {n} is"} for n in points[0]["parameters"]],
        "objectives": [{"name": "goodput", "result": "senders.goodput", "direction": "max", "unit": "Gbps"},
                       {"name": "map_ram", "result": "pipelines.tor.resources.map_ram.used", "direction": "min", "unit": "blocks"}],
        "constraints": [{"name": "p99", "result": "fct.p99", "unit": "us", "least": None, "most": 100, "fits": None}],
        "fixed": ["sim.duration=2ms"], "points": points, "pareto": front, "chosen": front[len(front) // 2],
        "chosen_why": "knee: least distance to the best of each objective",
        "published": [{"id": "b", "published": 100, "measured": 80, "unit": "blocks", "source": "a paper", "kind": "predicted"}]}
    folder.mkdir()
    (folder / "study.json").write_text(json.dumps(content), encoding="utf-8")
    return content


def hostile_study(folder):
    """Names that would be markup, where they come into the data of figures."""
    content = study(folder, 50)
    content["description"] = content["parameters"][0]["name"] = content["objectives"][0]["unit"] = NAME
    for point in content["points"]:
        point["parameters"] = {NAME: NAME if point["number"] % 2 else "irn", **point["parameters"]}
        point["reason"] = NAME if point["status"] == "refused" else ""
    (folder / "study.json").write_text(json.dumps(content), encoding="utf-8")


def report(arguments, cwd=None):
    return subprocess.run([str(REPORT), *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    pathlib.Path(sys.argv[1]).mkdir(parents=True)
    make(pathlib.Path(sys.argv[1]))
