"""Frames of captures: pcap and pcapng of Ethernet, packed with gzip or not."""
import gzip
import struct
from dataclasses import dataclass

from lib.common.complaint import Complaint

ETHERNET = 1
CLASSIC = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}  # magic number: ns of a unit of its stamps
SECTION, INTERFACE, SIMPLE, ENHANCED = 0x0a0d0d0a, 1, 3, 6  # draft-ietf-opsawg-pcapng, section 4
OPTION_NAME, OPTION_RESOLUTION = 2, 9


@dataclass
class Frame:
    number: int  # in its file, from 1
    time_ns: int
    data: bytes  # what was captured,
    length: int  # of this on the wire
    interface: str = None  # of pcapng: its number
    name: str = None  # and its name, where it has one


def content(path):
    try:
        with open(path, "rb") as file:
            data = file.read()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, gzip.zlib.error) as error:
        raise Complaint(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


class Bytes:
    """What is left of a file; an end in the middle of something is a complaint."""

    def __init__(self, path, data):
        self.path, self.data, self.at, self.packet = path, data, 0, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, size, what):
        if size < 0 or self.left() < size:
            raise self.wrong(f"{what} of {size} bytes, of which {self.left()} are there")
        self.at += size
        return self.data[self.at - size:self.at]

    def wrong(self, what):
        return Complaint(f"{self.path}: packet {self.packet} at byte {self.at}: {what}")


def check_link(source, link):
    if link != ETHERNET:
        raise Complaint(f"{source.path}: link type {link}; expected 1, Ethernet")


def classic(source, order, unit):
    header = struct.unpack(order + "IHHiIII", source.take(24, "a file header"))
    check_link(source, header[6] & 0xffff)
    frames = []
    while source.left():
        source.packet += 1
        seconds, fraction, kept, length = struct.unpack(order + "IIII", source.take(16, "a record header"))
        frames.append(Frame(source.packet, seconds * 10**9 + fraction * unit, source.take(kept, "a record"), length))
    return frames


def options(order, data):
    found = {}
    while len(data) >= 4:
        code, size = struct.unpack(order + "HH", data[:4])
        if code == 0:
            break
        found[code] = data[4:4 + size]
        data = data[4 + (size + 3) // 4 * 4:]
    return found


def per_second(option):
    value = option[0] if option else 6
    return 2**(value & 0x7f) if value & 0x80 else 10**value


def next_generation(source):
    frames, order, interfaces = [], "<", []
    while source.left():
        kind = source.data[source.at:source.at + 4]
        if kind == b"\x0a\x0d\x0d\x0a":
            order = ">" if source.data[source.at + 8:source.at + 12] == b"\x1a\x2b\x3c\x4d" else "<"
            interfaces = []
        kind, size = struct.unpack(order + "II", source.take(8, "a block header"))
        if size < 12 or size % 4:
            raise source.wrong(f"a block of {size} bytes")
        body = source.take(size - 8, "a block")[:-4]
        if kind in (ENHANCED, SIMPLE):
            source.packet += 1
        least = {INTERFACE: 8, ENHANCED: 20, SIMPLE: 4}.get(kind, 0)
        if len(body) < least:
            raise source.wrong(f"a block of type {kind} of {size} bytes; expected {least + 12}")
        if kind == INTERFACE:
            check_link(source, struct.unpack(order + "H", body[:2])[0])
            interfaces.append(options(order, body[8:]))
        elif kind == ENHANCED:
            which, high, low, kept, length = struct.unpack(order + "IIIII", body[:20])
            if which >= len(interfaces) or kept > len(body) - 20:
                raise source.wrong("a packet longer than its block, or of an interface that was not described")
            about = interfaces[which]
            stamp = (high << 32 | low) * 10**9 // per_second(about.get(OPTION_RESOLUTION))
            name = about.get(OPTION_NAME, b"").decode(errors="replace").rstrip("\0") or None
            frames.append(Frame(source.packet, stamp, body[20:20 + kept], length, str(which), name))
        elif kind == SIMPLE:
            length, = struct.unpack(order + "I", body[:4])
            frames.append(Frame(source.packet, 0, body[4:4 + length], length, "0"))
    return frames


def read(path):
    """All frames of a file; Complaint for what is none."""
    source = Bytes(path, content(path))
    if source.data[:4] == b"\x0a\x0d\x0d\x0a":
        return next_generation(source)
    for order in "<>":
        magic = struct.unpack(order + "I", source.data[:4].ljust(4, b"\0"))[0]
        if magic in CLASSIC:
            return classic(source, order, CLASSIC[magic])
    raise Complaint(f"{path}: neither pcap nor pcapng; expected one, packed with gzip or not")
