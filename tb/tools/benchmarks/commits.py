"""Commits, and the program of one: this checkout's, or one built beside it."""
import contextlib
import datetime
import pathlib
import subprocess
import tempfile

from benchmarks.loads import ROOT
from lib.common.complaint import Complaint

SHORT = 9


def start(words):
    try:
        return subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    except OSError as e:
        raise Complaint(f"{words[0]} cannot be run: {e.strerror}") from None


def git(*words, root=ROOT):
    run = start(["git", "-C", str(root), *words])
    if run.returncode != 0:
        raise Complaint(f"git {words[0]}: {(run.stderr.strip().splitlines() or ['failed'])[-1]}")
    return run.stdout.strip()


def commit_of(name):
    """The whole hash of what a user names."""
    try:
        return git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    except Complaint:
        raise Complaint(f"'{name}' is no commit of this repository") from None


def here():
    """(what lines of this checkout are recorded as, today). A + after the hash: something in it is changed."""
    changed = any(not line.endswith("speed.csv") for line in git("status", "--porcelain").splitlines())
    return git("rev-parse", "HEAD")[:SHORT] + ("+" if changed else ""), datetime.date.today().isoformat()


def require_built(program):
    """Refuses a program that is not of the commit that lines are recorded as."""
    version = start([program, "--version"]).stdout.strip()
    if git("rev-parse", "HEAD")[:SHORT] not in version:
        raise Complaint(f"{program} is {version or 'of no version'}, not of the present commit; build it, or leave out --no-build")


def build(root, folder):
    """The program of the sources in `root`, built in `folder`."""
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DHORAE_TESTS=OFF", "-DHORAE_UNITY=ON"]
    for words in (["cmake", "-S", root, "-B", folder, *([] if (folder / "build.ninja").exists() else options)],
                  ["cmake", "--build", folder, "--target", "horae"]):
        run = start(words)
        if run.returncode != 0:
            raise Complaint(f"{root} does not build: {((run.stdout + run.stderr).strip().splitlines() or ['failed'])[-1]}")
    return folder / "platforms/horae"


@contextlib.contextmanager
def built(commit):
    """The program of a commit, in a checkout that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="horae_bench_") as folder:
        tree = pathlib.Path(folder) / "tree"
        git("worktree", "add", "--detach", "--quiet", str(tree), commit)
        try:
            yield build(tree, pathlib.Path(folder) / "build")
        finally:
            git("worktree", "remove", "--force", str(tree))
