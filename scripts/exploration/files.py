"""Files that appear whole or not at all."""
import json
import os


def write_whole(path, text):
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def write_json(path, content):
    write_whole(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def read_json(path):
    """None where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
