"""Results by what they are of. Workers of several processes and hosts share a store's folder.

    ab/abcdef.../outcome.json   how a run ended
    ab/abcdef.../result/        its result folder, as horae wrote it
    ab/abcdef....claim          who is at it now

A result appears by a rename, whole, when all of it is on the disk. A claim appears by a hard link, with its
owner in it; both are atomic on NFS too. A claim whose owner is dead is taken over: on this host by its process,
on others by its heartbeat, the file's time against that of a file written now (so clocks need not agree).

What cannot be read, or is not what was published (by its digest), is treated as not there: a result is
forgotten and made again, a claim is dead when it has been the same for as long as an owner may be silent."""
import itertools
import json
import os
import pathlib
import shutil
import socket
import sys
import threading
import time

from lib.common.files import digest, sync, sync_tree

HEARTBEAT_S = 10
STALE_S = 90
NUMBERS = itertools.count()  # of files of this process


def started(pid):
    """When a process began, in ticks since boot: a later process of the same number is another one.
    None when there is none."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[19])
    except (OSError, IndexError, ValueError):
        return None


def boot():
    try:
        return pathlib.Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def processes():
    """Which numbers of processes are meant: those of a container are others than its host's."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def read_owner(path):
    """Of a claim; None where it cannot be read. OSError where there is none."""
    try:
        owner = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    kinds = {"host": str, "pid": int, "started": (int, type(None)), "boot": str, "processes": str}
    known = isinstance(owner, dict) and all(isinstance(owner.get(name), kind) for name, kind in kinds.items())
    return owner if known else None


class Store:
    """`stale_s`: how long an owner on another host may be silent."""

    def __init__(self, folder, heartbeat_s=HEARTBEAT_S, stale_s=STALE_S, read_only=False):
        self.folder = pathlib.Path(folder)
        if not read_only:
            self.folder.mkdir(parents=True, exist_ok=True)
        self.heartbeat_s, self.stale_s = heartbeat_s, stale_s
        self.owner = {"host": socket.gethostname(), "pid": os.getpid(), "started": started(os.getpid()), "boot": boot(),
                      "processes": processes()}
        self.read_only = read_only
        self.checked = set()  # keys of results that were found whole
        self.complained = set()
        self.seen = {}  # of claims that another host has: their time, and when that was first seen
        self.lock = threading.Lock()
        self.held = set()
        self.beating = None

    def place(self, key):
        return self.folder / key[:2] / key

    def outcome(self, key):
        """How the run of `key` ended, or None. A result that cannot be believed is forgotten, with one line."""
        try:
            outcome = json.loads((self.place(key) / "outcome.json").read_text(encoding="utf-8"))
            fault = self.fault(key, self.place(key), outcome) if key not in self.checked else None
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ValueError:
            outcome, fault = None, "outcome.json cannot be read"
        if fault is None:
            self.checked.add(key)
            return outcome
        self.checked.discard(key)
        if key not in self.complained:
            self.complained.add(key)
            print(f"explore: {self.place(key)}: {fault}: as if the run had not been made", file=sys.stderr)
        if not self.read_only:
            self.forget(key, unless_whole=True)
        return None

    @staticmethod
    def fault(key, place, outcome):
        """Why a result cannot be believed, or None."""
        kinds = {"exit": int, "stderr": str, "signal": (int, type(None)), "arguments": list}
        if not isinstance(outcome, dict) or "exit" not in outcome or not all(
                isinstance(outcome[name], kind) for name, kind in kinds.items() if name in outcome):
            return "outcome.json is not an outcome"
        if outcome.get("key", key) != key:
            return "outcome.json is another run's"
        path = place / "result/summary.json"
        there = digest(path)
        if "summary_sha256" in outcome:
            return None if outcome["summary_sha256"] == there else "result/summary.json is not the one that the run wrote"
        if there is None:  # from here on of a version that kept no digest
            return "no result/summary.json" if outcome["exit"] == 0 else None
        try:
            json.loads(path.read_text(encoding="utf-8"))
            return None
        except ValueError:
            return "result/summary.json cannot be read"

    # --- claims

    def claim(self, key):
        """Whether the run of `key` is this caller's to make."""
        path = self._claim_path(key)
        path.parent.mkdir(exist_ok=True)
        if not self._link(path) and not self._take_over(path):
            return False
        with self.lock:
            self.held.add(key)
            if self.beating is None:
                self.beating = threading.Thread(target=self._beat, daemon=True)
                self.beating.start()
        if self.outcome(key) is not None:  # it came while we asked
            self.release(key)
            return False
        return True

    def release(self, key):
        """Gives up a claim; one that another has taken over meanwhile is his."""
        with self.lock:
            self.held.discard(key)
        path = self._claim_path(key)
        try:
            owner = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return
        if isinstance(owner, dict) and all(owner.get(name) == value for name, value in self.owner.items()):
            path.unlink(missing_ok=True)

    def _claim_path(self, key):
        return self.folder / key[:2] / f"{key}.claim"

    def _own_file(self, path):
        """A new file that says whose it is."""
        own = path.with_name(f".{path.name}.{self.owner['host']}.{os.getpid()}.{next(NUMBERS)}")
        try:
            own.write_text(json.dumps({**self.owner, "time": time.time()}) + "\n", encoding="utf-8")
        except OSError:
            own.unlink(missing_ok=True)
            raise
        return own

    def _link(self, path):
        own = self._own_file(path)
        try:
            os.link(own, path)
            return True
        except FileExistsError:
            return False
        finally:
            own.unlink()

    def _dead(self, path):
        """Whether the owner of a claim is; False when that cannot be told. Who cannot be read is told by time."""
        try:
            beat = path.stat().st_mtime
            owner = read_owner(path)
        except FileNotFoundError:
            self.seen.pop(path, None)
            return False
        if self._is_here(owner):
            return started(owner["pid"]) != owner["started"]
        return self._silent(path, beat) or self._stands_still(path, beat)

    def _is_here(self, owner):
        """Whether the processes that are seen here tell if an owner lives."""
        return owner is not None and all(owner[name] == self.owner[name] for name in ("host", "boot", "processes"))

    def _stands_still(self, path, beat):
        """Whether a claim has had the same time for too long, by our own clock: its time may lie ahead."""
        then, since = self.seen.get(path, (None, 0.0))
        if then != beat:
            self.seen[path] = (beat, time.monotonic())
            return False
        return time.monotonic() - since > self.stale_s

    def _silent(self, path, since):
        """Whether a file time is too long ago, by the clock of whoever keeps the files."""
        now = self._own_file(path)
        try:
            return now.stat().st_mtime - since > self.stale_s
        finally:
            now.unlink()

    def _take_over(self, path):
        """One process at a time may replace a dead owner's claim, and looks again before it does."""
        if not self._dead(path):
            return False
        guard = path.with_name(path.name + ".takeover")
        if not self._link(guard):
            if self._dead(guard):
                guard.unlink(missing_ok=True)
            return False
        try:
            if not self._dead(path):
                return False
            self._own_file(path).replace(path)
            return True
        finally:
            guard.unlink(missing_ok=True)

    def _beat(self):
        while True:
            time.sleep(self.heartbeat_s)
            with self.lock:
                held = list(self.held)
            for key in held:
                try:
                    os.utime(self._claim_path(key))
                except OSError:  # gone, or a server that does not answer now: the next beat
                    pass

    # --- results

    def workplace(self, key):
        """A folder for the run of `key`, to be published or discarded."""
        if key in self.held:  # then one without an owner is of whoever had the claim and died before it wrote it
            for path in (self.folder / "under_way").glob(f"{key}.*"):
                if not (path / "owner").exists():
                    shutil.rmtree(path, ignore_errors=True)
        unique = f"{self.owner['started']}.{next(NUMBERS)}"  # containers of one name have equal processes
        path = self.folder / "under_way" / f"{key}.{self.owner['host']}.{os.getpid()}.{unique}"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        (path / "owner").write_text(json.dumps(self.owner) + "\n", encoding="utf-8")
        return path

    def publish(self, key, workplace, outcome):
        """Makes the workplace the result of `key`. A result that is there stays; what is there and is none goes."""
        place = self.place(key)
        place.parent.mkdir(exist_ok=True)
        whole = {**outcome, "key": key, "summary_sha256": digest(workplace / "result/summary.json")}
        try:
            (workplace / "outcome.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
            sync_tree(workplace)
            self._put(workplace, place)
        except OSError:
            if self.outcome(key) is None:
                if not (workplace / "outcome.json").exists():
                    raise
                self.forget(key, unless_whole=True)
                self._put(workplace, place)
            else:
                shutil.rmtree(workplace, ignore_errors=True)
        (place / "owner").unlink(missing_ok=True)

    @staticmethod
    def _put(workplace, place):
        workplace.rename(place)
        sync(place.parent)

    def forget(self, key, unless_whole=False):
        """Removes a result, so that its run is made again. `unless_whole`: another may have made it meanwhile."""
        self.checked.discard(key)
        gone = self.workplace(f"forgotten_{key}")  # not the run's, which a sweep takes once it has an outcome
        try:
            self.place(key).rename(gone / "old")
            if unless_whole and self._is_whole(key, gone / "old"):
                (gone / "old").rename(self.place(key))
        except OSError:  # gone, or another one has come
            pass
        shutil.rmtree(gone, ignore_errors=True)

    def _is_whole(self, key, place):
        try:
            return self.fault(key, place, json.loads((place / "outcome.json").read_text(encoding="utf-8"))) is None
        except (OSError, ValueError):
            return False

    def sweep(self):
        """Removes what dead processes were at: on this host those that are gone; elsewhere what has an
        outcome, or is old and claimed by nobody."""
        for path in (self.folder / "under_way").glob("*"):
            try:
                owner = read_owner(path / "owner")
            except OSError:
                owner = None  # it died before it said who it is, or is about to say
            if self._is_here(owner):
                left = started(owner["pid"]) != owner["started"]
            else:
                left = self._is_left(path)
            if left:
                shutil.rmtree(path, ignore_errors=True)
        # Parts of claims, and the guard of a takeover.
        for pattern in (".now.*", "*/.*.claim*", "*/*.takeover"):
            for path in self.folder.glob(pattern):
                if self._dead(path):
                    path.unlink(missing_ok=True)
        # Whoever had it died between its result and its release: nobody asks for the claim of a run that is made.
        for path in self.folder.glob("*/*.claim"):
            if self.outcome(path.stem) is not None and self._take_over(path):
                self.release(path.stem)

    def _is_left(self, path):
        key = path.name.split(".")[0]
        if self.outcome(key) is not None:
            return True
        try:
            since = path.stat().st_mtime
        except FileNotFoundError:
            return False
        return not self._claim_path(key).exists() and self._silent(self.folder / "now", since)
