"""Results by what they are of. Workers of several processes and hosts share a store's folder.

    ab/abcdef.../outcome.json   how a run ended
    ab/abcdef.../result/        its result folder, as horae wrote it
    ab/abcdef....claim          who is at it now

A result appears by a rename, whole. A claim appears by a hard link, with its owner in it; both are atomic
on NFS too. A claim whose owner is dead is taken over: on this host by its process, on others by its
heartbeat, the file's time against that of a file written now (so clocks need not agree)."""
import itertools
import json
import os
import pathlib
import shutil
import socket
import threading
import time

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


class Store:
    """`stale_s`: how long an owner on another host may be silent."""

    def __init__(self, folder, heartbeat_s=HEARTBEAT_S, stale_s=STALE_S, read_only=False):
        self.folder = pathlib.Path(folder)
        if not read_only:
            self.folder.mkdir(parents=True, exist_ok=True)
        self.heartbeat_s, self.stale_s = heartbeat_s, stale_s
        self.owner = {"host": socket.gethostname(), "pid": os.getpid(), "started": started(os.getpid()), "boot": boot()}
        self.lock = threading.Lock()
        self.held = set()
        self.beating = None

    def place(self, key):
        return self.folder / key[:2] / key

    def outcome(self, key):
        """How the run of `key` ended, or None."""
        try:
            return json.loads((self.place(key) / "outcome.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None

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
        if all(owner.get(name) == value for name, value in self.owner.items()):
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
        """Whether the owner of a claim is; False when that cannot be told."""
        try:
            owner = json.loads(path.read_text(encoding="utf-8"))
            beat = path.stat().st_mtime
        except (FileNotFoundError, ValueError):  # gone, or not all of it seen yet
            return False
        if self._is_here(owner):
            return started(owner["pid"]) != owner["started"]
        return self._silent(path, beat)

    def _is_here(self, owner):
        """Whether the processes of this host tell if an owner lives."""
        return owner["host"] == self.owner["host"] and (owner["boot"] == self.owner["boot"] or not owner["boot"])

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
        path = self.folder / "under_way" / f"{key}.{self.owner['host']}.{os.getpid()}"
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        (path / "owner").write_text(json.dumps(self.owner) + "\n", encoding="utf-8")
        return path

    def publish(self, key, workplace, outcome):
        """Makes the workplace the result of `key`. A result that is there stays."""
        place = self.place(key)
        place.parent.mkdir(exist_ok=True)
        try:
            (workplace / "outcome.json").write_text(json.dumps(outcome, indent=1) + "\n", encoding="utf-8")
            workplace.rename(place)
        except OSError:
            if self.outcome(key) is None:
                raise
            shutil.rmtree(workplace, ignore_errors=True)
        (place / "owner").unlink(missing_ok=True)

    def forget(self, key):
        """Removes a result, so that its run is made again."""
        gone = self.workplace(f"forgotten_{key}")  # not the run's, which a sweep takes once it has an outcome
        try:
            self.place(key).rename(gone / "old")
        except FileNotFoundError:
            pass
        shutil.rmtree(gone)

    def sweep(self):
        """Removes what dead processes were at: on this host those that are gone; elsewhere what has an
        outcome, or is old and claimed by nobody."""
        for path in (self.folder / "under_way").glob("*"):
            try:
                owner = json.loads((path / "owner").read_text(encoding="utf-8"))
            except (OSError, ValueError):
                owner = None  # it died before it said who it is, or is about to say
            if owner is not None and self._is_here(owner):
                left = started(owner["pid"]) != owner["started"]
            else:
                left = self._is_left(path)
            if left:
                shutil.rmtree(path, ignore_errors=True)

    def _is_left(self, path):
        key = path.name.split(".")[0]
        if self.outcome(key) is not None:
            return True
        try:
            since = path.stat().st_mtime
        except FileNotFoundError:
            return False
        return not self._claim_path(key).exists() and self._silent(self.folder / "now", since)
