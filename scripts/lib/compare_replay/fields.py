"""A frame as named header fields, in the order in which they stand in it. Layouts: IEEE 802.3 and 802.1Q; RFC 791, 8200,
768, 9293, 7348, 2784, 2890; IBTA vol. 1, 8.3 and 9.2 to 9.6, annexes A16 and A17. A field is named `header.field`;
behind a tunnel's headers the names begin with `inner.`."""
import ipaddress

ROCE_PORT, VXLAN_PORT = 4791, 4789
IPV4, IPV6, ROCEV1, TRANSPARENT_ETHERNET = 0x0800, 0x86dd, 0x8915, 0x6558
VLANS = (0x8100, 0x88a8, 0x9100)
TCP, UDP, GRE, BTH = 6, 17, 47, 0x1b
AETH = {0x0d, 0x0f, 0x10, 0x11, 0x12}
RETH = {0x06, 0x0a, 0x0b, 0x0c}
IMMEDIATE = {0x03, 0x05, 0x09, 0x0b}
CNP = 0x81


class Short(Exception):
    """The frame was captured up to here."""


class Reader:
    def __init__(self, data):
        self.data, self.at, self.prefix, self.fields = data, 0, "", {}

    def take(self, size):
        if self.at + size > len(self.data):
            raise Short
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, size):
        return int.from_bytes(self.take(size), "big")

    def put(self, name, value):
        self.fields[self.prefix + name] = value

    def split(self, header, value, *parts):
        """Fields of a word from its least significant bits on."""
        for name, bits in reversed(parts):
            value, part = value >> bits, value & ((1 << bits) - 1)
            self.put(f"{header}.{name}", part)

    def numbers(self, header, *parts):
        for name, size in parts:
            self.put(f"{header}.{name}", self.number(size))


def ethernet(r):
    r.put("ethernet.dst", r.take(6).hex(":"))
    r.put("ethernet.src", r.take(6).hex(":"))
    kind, tag = r.number(2), 0
    while kind in VLANS:
        header = f"vlan{tag or ''}"
        r.put(f"{header}.tpid", f"{kind:#06x}")
        r.split(header, r.number(2), ("pcp", 3), ("dei", 1), ("vid", 12))
        kind, tag = r.number(2), tag + 1
    r.put("ethernet.type", f"{kind:#06x}")
    network(r, kind)


def network(r, kind):
    if kind == IPV4:
        ipv4(r)
    elif kind == IPV6:
        ipv6(r, "ipv6")
    elif kind == ROCEV1:
        ipv6(r, "grh")


def ipv4(r):
    begin = r.at
    r.split("ipv4", r.number(1), ("version", 4), ("header_words", 4))
    r.split("ipv4", r.number(1), ("dscp", 6), ("ecn", 2))
    r.numbers("ipv4", ("length", 2), ("id", 2))
    r.split("ipv4", r.number(2), ("flags", 3), ("offset", 13))
    r.numbers("ipv4", ("ttl", 1), ("protocol", 1), ("checksum", 2))
    r.put("ipv4.src", str(ipaddress.IPv4Address(r.take(4))))
    r.put("ipv4.dst", str(ipaddress.IPv4Address(r.take(4))))
    get = lambda name: r.fields[r.prefix + "ipv4." + name]  # noqa: E731
    more = get("header_words") * 4 - 20
    if more > 0:
        r.put("ipv4.options", r.take(more).hex())
    if not get("offset") and not get("flags") & 1:
        transport(r, get("protocol"), begin + (get("length") or len(r.data)))


def ipv6(r, header):
    r.split(header, r.number(4), ("version", 4), ("dscp", 6), ("ecn", 2), ("flow_label", 20))
    r.numbers(header, ("length", 2), ("next_header", 1), ("hop_limit", 1))
    r.put(f"{header}.src", str(ipaddress.IPv6Address(r.take(16))))
    r.put(f"{header}.dst", str(ipaddress.IPv6Address(r.take(16))))
    end = r.at + r.fields[r.prefix + f"{header}.length"]
    if header == "ipv6":
        transport(r, r.fields[r.prefix + "ipv6.next_header"], end)
    elif r.fields[r.prefix + "grh.next_header"] == BTH:
        roce(r, end)


def transport(r, protocol, end):
    if protocol == UDP:
        begin = r.at
        r.numbers("udp", ("src", 2), ("dst", 2), ("length", 2), ("checksum", 2))
        port = r.fields[r.prefix + "udp.dst"]
        if port == ROCE_PORT:
            roce(r, min(end, begin + (r.fields[r.prefix + "udp.length"] or end)))
        elif port == VXLAN_PORT and not r.prefix:
            r.numbers("vxlan", ("flags", 1), ("reserved", 3), ("vni", 3), ("reserved8", 1))
            r.prefix = "inner."
            ethernet(r)
    elif protocol == TCP:
        r.numbers("tcp", ("src", 2), ("dst", 2), ("sequence", 4), ("acknowledgment", 4), ("offset_flags", 2),
                  ("window", 2), ("checksum", 2), ("urgent", 2))
    elif protocol == GRE and not r.prefix:
        flags = r.number(2)
        r.put("gre.flags", f"{flags:#06x}")
        kind = r.number(2)
        r.put("gre.type", f"{kind:#06x}")
        for bit, name in ((0x8000, "checksum"), (0x2000, "key"), (0x1000, "sequence")):
            if flags & bit:
                r.numbers("gre", (name, 4))
        r.prefix = "inner."
        ethernet(r) if kind == TRANSPARENT_ETHERNET else network(r, kind)


def roce(r, end):
    opcode = r.number(1)
    r.put("bth.opcode", opcode)
    r.split("bth", r.number(1), ("solicited", 1), ("migration", 1), ("pad", 2), ("version", 4))
    r.numbers("bth", ("pkey", 2))
    r.split("bth", r.number(1), ("fecn", 1), ("becn", 1), ("reserved6", 6))
    r.numbers("bth", ("dest_qp", 3))
    r.split("bth", r.number(1), ("ack_request", 1), ("reserved7", 7))
    r.numbers("bth", ("psn", 3))
    if opcode in RETH:
        r.numbers("reth", ("address", 8), ("key", 4), ("length", 4))
    if opcode in AETH:
        r.numbers("aeth", ("syndrome", 1), ("msn", 3))
    if opcode in IMMEDIATE:
        r.numbers("immediate", ("data", 4))
    if opcode == CNP:
        r.put("cnp.reserved", r.take(16).hex())
    if end - 4 < r.at or len(r.data) < end:
        return
    r.put("roce.payload", r.take(end - 4 - r.at).hex())
    r.put("roce.icrc", f"{r.number(4):#010x}")


def decode(data):
    """{name: value} of a frame; what no header takes is `rest`."""
    r = Reader(data)
    try:
        ethernet(r)
    except Short:
        pass
    if r.at < len(data):
        r.prefix = ""
        r.put("frame.rest", data[r.at:].hex())
    return r.fields


def innermost(fields, name):
    return fields.get("inner." + name, fields.get(name))


def flow_of(fields):
    """Addresses of the innermost packet, and the queue pair or ports."""
    def of(*names):
        return next((v for v in (innermost(fields, n) for n in names) if v is not None), None)
    ends = of("ipv4.src", "ipv6.src", "grh.src", "ethernet.src"), of("ipv4.dst", "ipv6.dst", "grh.dst", "ethernet.dst")
    qp = innermost(fields, "bth.dest_qp")
    ports = ("qp", qp) if qp is not None else (of("udp.src", "tcp.src"), of("udp.dst", "tcp.dst"))
    return ends + ports


def identity_of(fields):
    """What stays of a packet whatever a switch does to it: its flow and its place there; None: no such."""
    opcode = innermost(fields, "bth.opcode")
    if opcode is not None:
        return flow_of(fields) + (opcode, innermost(fields, "bth.psn"), innermost(fields, "aeth.syndrome"))
    if innermost(fields, "tcp.sequence") is not None:
        return flow_of(fields) + (innermost(fields, "tcp.sequence"), innermost(fields, "ipv4.id"))
    if innermost(fields, "ipv4.id"):
        return flow_of(fields) + (innermost(fields, "ipv4.protocol"), innermost(fields, "ipv4.id"))
    return None
