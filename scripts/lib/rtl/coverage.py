"""Which lines of the hardware descriptions run, and which of their bits toggle: Verilator's coverage of tb/rtl."""
import collections
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Tests of wrong hardware, and those that need saved registers.
LEFT_OUT = ("*WrongLine*", "*FindsAWrong*", "*ComparesWordsThatNoAnswerShows*")


def build(root, folder, jobs):
    subprocess.run(["cmake", "-S", root, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DHORAE_TESTS=ON",
                    "-DHORAE_SANITIZE=OFF", "-DHORAE_UNITY=ON", "-DHORAE_RTL=ON", "-DHORAE_RTL_COVERAGE=ON",
                    "-DHORAE_MPI=OFF"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "-j", str(jobs), "--target", "horae_tb_rtl"], check=True)


def points(text):
    """(file, page, what, count) of each point of a file of Verilator's; a point of several instances comes several times."""
    for line in text.splitlines():
        found = re.fullmatch(r"C '(.*)' (\d+)", line)
        if found is None:
            continue
        fields = dict(part.split("\2", 1) for part in found[1].split("\1") if "\2" in part)
        what = (fields.get("l"), fields.get("n"), fields.get("o"))
        yield pathlib.Path(fields.get("f", "")), fields.get("page", "").split("/")[0], what, int(found[2])


def table(root, text):
    """{block: {page: (points run, points)}} of the blocks in models/rtl. Variants of a block, and instances of a module,
    count as one: a point was run if it was in some of them."""
    counts = collections.Counter()
    for file, page, what, count in points(text):
        path = pathlib.Path(os.path.normpath(root / file))
        if path.is_relative_to(root / "models/rtl"):
            counts[path.relative_to(root / "models/rtl").parts[0], page, path.name, what] += count
    out = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for (block, page, *_), count in counts.items():
        out[block][page][0] += count > 0
        out[block][page][1] += 1
    return out


def run(binary, tests_of, data):
    """Runs the tests, each in a process of its own as SystemC needs it; True: all passed."""
    environment = {**os.environ, "HORAE_RTL_COVERAGE": data, "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"}
    good = True
    for test in tests_of(binary, environment):
        if any(fnmatch.fnmatch(test, pattern) for pattern in LEFT_OUT):
            continue
        ended = subprocess.run([binary, "--gtest_brief=1", f"--gtest_filter={test}"], env=environment, capture_output=True,
                               text=True, check=False, errors="replace")
        if ended.returncode != 0:
            print(f"{binary.name} {test}: exit code {ended.returncode}", file=sys.stderr)
            good = False
    return good


def measure(root, folder, jobs, tests_of):
    """Prints the table; True: all tests passed. `tests_of(binary, environment)` lists them."""
    build(root, folder, jobs)
    with tempfile.TemporaryDirectory() as data:
        good = run(folder / "tb/horae_tb_rtl", tests_of, data)
        merged = pathlib.Path(data) / "merged"
        subprocess.run(["verilator_coverage", "--write", merged, *sorted(pathlib.Path(data).glob("*.dat"))], check=True,
                       stdout=subprocess.DEVNULL)
        rows = table(root, merged.read_text(errors="replace"))
    print("| block | lines and branches run | bits toggled |\n|---|---|---|")
    for block, pages in sorted(rows.items()):
        lines = [sum(pages[page][i] for page in ("v_line", "v_branch")) for i in (0, 1)]
        print(f"| `{block}` | {share(*lines)} | {share(*pages['v_toggle'])} |", flush=True)
    return good


def share(run, there):
    return f"{100 * run / there:.1f} % of {there}" if there else "-"
