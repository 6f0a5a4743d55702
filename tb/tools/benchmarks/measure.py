"""Measures a run: instructions by callgrind, CPU seconds and peak memory by the kernel's accounts."""
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from lib.common.complaint import Complaint

# `horae run` of a platform that is to finish and does not: what was simulated is there all the same.
DONE = (0, 4)


@dataclasses.dataclass(frozen=True)
class Usage:
    cpu_s: float
    peak_rss_mib: float
    output: str


# Runs a command for who asks: the peak memory of a process begins with that of the one that started it, and this
# one is small.
STARTER = """import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024]),
      file=sys.stderr)
"""


def use(words):
    """Runs a command to its end."""
    run = subprocess.run([sys.executable, "-c", STARTER, *[str(w) for w in words]], capture_output=True, text=True,
                         check=False)
    *lines, account = run.stderr.strip().splitlines() or ["?"]
    if run.returncode != 0:
        raise Complaint(f"{words[0]} cannot be run: {account}")
    code, cpu_s, peak_rss_mib = json.loads(account)
    if code not in DONE or not run.stdout.startswith("{"):
        raise Complaint(f"{pathlib.Path(words[0]).name} failed: {(lines or [f'exit code {code}'])[-1]}")
    return Usage(cpu_s, peak_rss_mib, run.stdout)


def instructions(words, only=()):
    """Instructions of a command and what it printed; those in functions of the patterns `only`, if there are any. A
    Complaint where there is no valgrind."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = subprocess.run(["valgrind", "--tool=callgrind", "--child-silent-after-fork=yes",
                                  f"--callgrind-out-file={folder}/out", *[f"--toggle-collect={f}" for f in only],
                                  *[str(w) for w in words]], capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise Complaint("no valgrind; scripts/setup installs it") from None
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode not in DONE or found is None:
        raise Complaint(f"{pathlib.Path(words[0]).name} failed: {(run.stderr.strip().splitlines() or ['?'])[-1]}")
    return int(found[1]), run.stdout


def per_unit(points):
    """What one more unit costs, of two (cost, units): their difference, so that start-up cancels."""
    (cost0, units0), (cost1, units1) = points
    if units1 == units0:
        raise Complaint(f"two runs of different lengths have the same {units0} packet-hops")
    return (cost1 - cost0) / (units1 - units0)


def rate(units, cpu_s, empty_cpu_s):
    """Units per CPU second of a run, without what one takes that does next to nothing."""
    return units / max(cpu_s - empty_cpu_s, 1e-9)


def hops_of(output):
    return json.loads(output)["packet_hops"]


def counted(load, program):
    """Instructions per packet-hop of a load."""
    points = []
    for length in load.counted:
        count, output = instructions(load.command(program, length))
        points.append((count, hops_of(output)))
    return per_unit(points)


def timed(load, program, repeats):
    """(packet-hops per CPU second, CPU seconds of an empty run, peak MiB) of a load: the best of `repeats`."""
    best = min((use(load.command(program, load.timed)) for _ in range(repeats)), key=lambda u: u.cpu_s)
    empty = min(use(load.command(program, load.empty)).cpu_s for _ in range(repeats))
    return rate(hops_of(best.output), best.cpu_s, empty), empty, best.peak_rss_mib
