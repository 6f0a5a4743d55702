"""Files that appear whole or not at all, also where the machine stops."""
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


def write_whole(path, text):
    part = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        sync(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    sync(path.parent)


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
