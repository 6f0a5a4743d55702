"""Files that appear whole or not at all, also where the machine stops."""
import fcntl
import glob
import hashlib
import json
import os
import socket


def sync(path):
    """What is in a file, or which names are in a folder, is on the disk. A file system that cannot say so is
    believed."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)


def sync_tree(folder):
    """Everything in a folder is on the disk, and its names."""
    for path, _, names in os.walk(folder, topdown=False):
        for name in names:
            sync(os.path.join(path, name))
        sync(path)


def put_whole(path, fill):
    """`fill` writes into an open file beside `path`, which takes its name when it is on the disk. What processes of
    this host that were killed left beside it goes."""
    own = f".{path.name}.{socket.gethostname()}."
    for left in path.parent.glob(glob.escape(own) + "*.part"):
        _remove_left(left, left.name[len(own):-len(".part")])
    part = path.with_name(f"{own}{os.getpid()}.part")
    try:
        with open(part, "wb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)  # as long as it is open it is somebody's
            fill(file)
        # Closed first: a program that is open for writing cannot be run.
        sync(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    sync(path.parent)


def _remove_left(path, pid):
    """Unless its process lives: by its number here, by its lock in another container of this host's name."""
    try:
        os.kill(int(pid), 0)
        return
    except ProcessLookupError:
        pass
    except (ValueError, OverflowError, PermissionError):
        return
    try:
        with open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    except OSError:
        pass


def write_whole(path, text):
    put_whole(path, lambda file: file.write(text.encode("utf-8")))


def write_json(path, content):
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_json(path):
    """None where there is none, or none that can be read."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


def digest(path):
    """Of a file's bytes; None: there is no such file."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return None
