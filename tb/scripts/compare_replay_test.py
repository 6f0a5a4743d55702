#!/usr/bin/python3
"""scripts/compare_replay: captures made by hand with known differences, and what it says of them."""
import gzip
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "scripts/compare_replay"
sys.path.insert(0, str(ROOT / "scripts"))
from lib.compare_replay import captures, fields, match  # noqa: E402
from lib.common.complaint import Complaint  # noqa: E402


def ipv4(protocol, body, ttl=64, src=1, dst=2, dscp=0, number=7):
    head = struct.pack(">BBHHHBBH", 0x45, dscp << 2 | 2, 20 + len(body), number, 0x4000, ttl, protocol, 0)
    addresses = bytes([10, 0, 0, src, 10, 0, 0, dst])
    total = sum(struct.unpack(">10H", head + addresses))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return head[:10] + struct.pack(">H", ~total & 0xffff) + addresses + body


def udp(dst, body, src=0xc000):
    return struct.pack(">HHHH", src, dst, 8 + len(body), 0) + body


def ethernet(body, kind=0x0800, tag=b"", dst=2):
    return bytes([2, 0, 0, 0, 0, dst, 2, 0, 0, 0, 0, 1]) + tag + struct.pack(">H", kind) + body


def bth(psn, qp=17, opcode=4, payload=b"\1\2\3\4"):
    return struct.pack(">BBHII", opcode, 0, 0xffff, qp, psn) + payload + b"icrc"


def roce(psn, qp=17, ttl=64, tag=b"", dst=2, payload=b"\1\2\3\4" * 8):
    return ethernet(ipv4(17, udp(4791, bth(psn, qp, payload=payload)), ttl, dst=dst), tag=tag, dst=dst)


def pcap(frames, unit=0xa1b23c4d, order="<", link=1, step=1000):
    """Frames, or (frame, length on the wire)."""
    out = struct.pack(order + "IHHiIII", unit, 2, 4, 0, 0, 262144, link)
    for i, frame in enumerate(frames):
        data, length = frame if isinstance(frame, tuple) else (frame, len(frame))
        out += struct.pack(order + "IIII", 5, i * step, len(data), length) + data
    return out


def pcapng(frames, names=("eth0", "eth1")):
    """(interface, frame), on interfaces of these names, with stamps in nanoseconds."""
    def block(kind, body):
        body += bytes(-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
    out = block(0x0a0d0d0a, struct.pack("<IHHq", 0x1a2b3c4d, 1, 0, -1))
    for name in names:
        text = name.encode()
        out += block(1, struct.pack("<HHI", 1, 0, 0) + struct.pack("<HH", 2, len(text)) + text + bytes(-len(text) % 4)
                     + struct.pack("<HHB3x", 9, 1, 9) + bytes(4))
    for i, (interface, data) in enumerate(frames):
        out += block(6, struct.pack("<IIIII", interface, 0, i * 1000, len(data), len(data)) + data)
    return out


class Place(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return str(path)

    def ours(self, frames):
        """The folder of a replay in which these left: (port, frame), in the order of time."""
        ports = {}
        rows = ["packet,in_port,first_bit_out_ps,out_port,verdict"]
        for i, (port, frame) in enumerate(frames):
            ports.setdefault(port, []).append(frame)
            rows.append(f"{i + 1},0,{i * 1000},{port},sent")
        rows.append(f"{len(frames) + 1},0,,,dropped")
        for port in range(3):
            self.write(f"ours/ports/t_{port}.pcap", pcap(ports.get(port, [])))
        self.write("ours/packets.csv", "\n".join(rows) + "\n")
        self.write("ours/summary.json", json.dumps({
            "replay": {"device": "t", "inputs": [{"trace": "in.pcap", "port": 0}]},
            "rows": {"ports": [{"port": i, "neighbour": n} for i, n in enumerate("abc")]}}))
        return str(self.folder / "ours")

    def run_script(self, *words, code):
        run = subprocess.run([str(SCRIPT), *words], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        if code == 2:
            self.assertEqual(run.stdout, "")
            self.assertRegex(run.stderr, r"\Acompare_replay: [^\n]+\n\Z")
            return run.stderr
        self.assertEqual(run.stderr, "")
        return run.stdout

    def compared(self, ours, theirs, *words, code=1):
        """As JSON, with their frames in one file of no port."""
        path = self.write("theirs.pcap", pcap(theirs))
        return json.loads(self.run_script("--ours", self.ours(ours), "--theirs", path, "--json", *words, code=code))


class Differences(Place):
    def test_the_same_bytes_are_equal(self):
        frames = [roce(i) for i in range(5)] + [roce(3), b"\1\2\3", ethernet(b"arp", 0x0806)]
        found = self.compared([(1, f) for f in frames], frames, code=0)
        self.assertEqual((found["equal"], found["matched"], found["equal_packets"]), (True, 8, 8))

    def test_a_field_is_named_with_both_values_and_the_packets(self):
        ours = [roce(i) for i in range(6)]
        theirs = [roce(i, ttl=63 if i in (1, 4) else 64) for i in range(6)]
        found = self.compared([(1, f) for f in ours], theirs)
        self.assertEqual({d["field"] for d in found["differences"]}, {"ipv4.ttl", "ipv4.checksum"})
        self.assertEqual([(d["ours"], d["theirs"], d["our_packet"], d["their_packet"]) for d in found["differences"]
                          if d["field"] == "ipv4.ttl"],
                         [(64, 63, "in.pcap:2", "theirs.pcap:2"), (64, 63, "in.pcap:5", "theirs.pcap:5")])
        self.assertEqual((found["missing"], found["surplus"], found["orders"]), ([], [], []))
        self.compared([(1, f) for f in ours], theirs, "--ignore", "ipv4.ttl,ipv4.checksum", code=0)
        text = self.run_script("--ours", str(self.folder / "ours"), "--theirs", str(self.folder / "theirs.pcap"), code=1)
        self.assertIn("6 packets on both sides: 4 equal, 2 differ; 0 missing (theirs alone), 0 surplus", text)
        self.assertRegex(text, r"\nipv4\.ttl +64 +63 +2  in\.pcap:2, in\.pcap:5\n")

    def test_missing_and_surplus(self):
        found = self.compared([(1, roce(i)) for i in (1, 2, 4)], [roce(i) for i in (1, 3, 4)], "--ignore", "none")
        # PSNs 2 and 3 have the same flow and payload: one packet, by its third key.
        self.assertEqual([(d["field"], d["ours"], d["theirs"]) for d in found["differences"]], [("bth.psn", 2, 3)])
        found = self.compared([(1, roce(i)) for i in (1, 2, 3)], [roce(1)])
        self.assertEqual((found["missing"], found["surplus"]), ([], ["in.pcap:2", "in.pcap:3"]))
        found = self.compared([(1, roce(1))], [roce(1), roce(2, qp=9)])
        self.assertEqual((found["missing"], found["surplus"]), (["theirs.pcap:2"], []))
        found = self.compared([(1, roce(1))], [roce(1), roce(1)])
        self.assertEqual(found["missing"], ["theirs.pcap:2"])

    def test_order_is_of_a_flow(self):
        ours = [(1, roce(i, qp)) for i in range(4) for qp in (17, 18)]
        theirs = [roce(i, 17) for i in (0, 2, 3, 1)] + [roce(i, 18) for i in range(4)]
        found = self.compared(ours, theirs)
        self.assertEqual(found["differences"], [])
        self.assertEqual(found["orders"], [{"flow": ["10.0.0.1", "10.0.0.2", "qp", 17], "packets": 4, "moved": 1,
                                            "first": "in.pcap:3"}])

    def test_equal_stamps_of_several_files_have_no_order(self):
        ours = self.ours([(1, roce(0)), (2, roce(1)), (1, roce(2)), (2, roce(3))])
        one = self.write("one.pcap", pcap([roce(0), roce(2)], step=0))
        two = self.write("two.pcap", pcap([roce(1), roce(3)], step=0))
        turned = self.write("turned.pcap", pcap([roce(3), roce(1)], step=0))
        self.run_script("--ours", ours, "--theirs", one + "@1", "--theirs", two + "@2", code=0)
        self.run_script("--ours", ours, "--theirs", two + "@2", "--theirs", one + "@1", code=0)
        text = self.run_script("--ours", ours, "--theirs", one + "@1", "--theirs", turned + "@2", code=1)
        self.assertIn("1 of 4 packets elsewhere", text)

    def test_a_payload_differs_where_it_does(self):
        ours, theirs = roce(1, payload=b"\1\2\3\4" * 8), roce(1, payload=b"\1\2\3\4" * 7 + b"\1\2\7\4")
        found = self.compared([(1, ours)], [theirs])["differences"]
        self.assertEqual([(d["field"], d["ours"], d["theirs"]) for d in found],
                         [("roce.payload", "32 bytes, 0304 at 30", "32 bytes, 0704 at 30")])

    def test_what_was_not_captured_is_no_difference(self):
        frame = roce(1, payload=bytes(200))
        self.compared([(1, frame)], [(frame[:70], len(frame))], code=0)
        found = self.compared([(1, frame)], [(roce(1, ttl=9, payload=bytes(200))[:60], len(frame))])["differences"]
        self.assertEqual({d["field"] for d in found}, {"ipv4.ttl", "ipv4.checksum"})

    def test_a_tag_put_in(self):
        found = self.compared([(1, roce(1))], [roce(1, tag=b"\x81\x00\x60\x05")])["differences"]
        self.assertEqual({(d["field"], d["ours"], d["theirs"]) for d in found},
                         {("frame.length", 90, 94), ("vlan.tpid", "none", "0x8100"), ("vlan.pcp", "none", 3),
                          ("vlan.dei", "none", 0), ("vlan.vid", "none", 5)})

    def test_ports(self):
        ours = self.ours([(1, roce(1)), (2, roce(2, dst=3)), (1, roce(3))])
        one = self.write("one.pcap", pcap([roce(1), roce(3)]))
        two = self.write("two.pcap", gzip.compress(pcap([roce(2, dst=3)])))
        self.run_script("--ours", ours, "--theirs", one + "@1", "--theirs", two + "@c", code=0)
        text = self.run_script("--ours", ours, "--theirs", one + "@1", "--theirs", two + "@b", code=1)
        self.assertRegex(text, r"\negress\.port +2 +1 +1  in\.pcap:2\n")
        both = self.write("both.pcapng", pcapng([(0, roce(1)), (1, roce(2, dst=3)), (0, roce(3))]))
        words = ["--ours", ours, "--theirs", both, "--interface", "eth0=1", "--interface"]
        self.run_script(*words, "1=c", code=0)
        self.run_script(*words, "eth1=b", code=1)
        self.assertIn("no packet of this interface; there are 0, 1, eth0, eth1",
                      self.run_script(*words, "eth2=b", code=2))


class Reads(Place):
    def test_tunnels_and_both_versions(self):
        inner = roce(9, qp=5)
        vxlan = fields.decode(ethernet(ipv4(17, udp(4789, b"\x08\0\0\0\0\0\x2a\0" + inner), src=8, dst=9)))
        self.assertEqual((vxlan["vxlan.vni"], vxlan["inner.bth.psn"], vxlan["ipv4.dst"], vxlan["inner.ipv4.dst"]),
                         (42, 9, "10.0.0.9", "10.0.0.2"))
        gre = fields.decode(ethernet(ipv4(47, b"\x20\0\x65\x58\0\0\x07\x01" + inner)))
        self.assertEqual((gre["gre.type"], gre["gre.key"], gre["inner.bth.dest_qp"]), ("0x6558", 0x701, 5))
        self.assertEqual(fields.flow_of(gre), ("10.0.0.1", "10.0.0.2", "qp", 5))
        grh = struct.pack(">IHBB", 6 << 28 | 1 << 20, 20, 0x1b, 64) + bytes(31) + b"\1" + bytes(15) + b"\2"
        first = fields.decode(ethernet(grh[:40] + bth(4), 0x8915))
        self.assertEqual((first["grh.hop_limit"], first["bth.psn"]), (64, 4))

    def test_captures_of_any_order_and_unit(self):
        for order in "<>":
            for unit, ns in ((0xa1b2c3d4, 1000), (0xa1b23c4d, 1)):
                frames = captures.read(self.write("a.pcap", pcap([b"ab", b"cd"], unit, order, step=7)))
                self.assertEqual([(f.number, f.time_ns, f.data) for f in frames],
                                 [(1, 5 * 10**9, b"ab"), (2, 5 * 10**9 + 7 * ns, b"cd")])

    def test_cut_files_are_one_line(self):
        for whole in (pcap([roce(1), roce(2)]), pcapng([(0, roce(1)), (1, roce(2))]), gzip.compress(pcap([roce(1)]))):
            good = captures.read(self.write("good", whole))
            for cut in range(len(whole)):
                path = self.write("cut", whole[:cut])
                try:
                    self.assertLess(len(captures.read(path)), len(good))
                except Complaint as error:
                    self.assertRegex(str(error), r"\A[^\n]*/cut: [^\n]+\Z")

    def test_what_is_wrong_with_the_command(self):
        ours = self.ours([(1, roce(1))])
        theirs = self.write("theirs.pcap", pcap([roce(1)]))
        for words, what in ((["--theirs", theirs], "expected --ours DIR, or the arguments of horae replay"),
                            (["--ours", ours], "--theirs"),
                            (["--ours", ours, "--theirs", theirs + "x"], "cannot be read: No such file"),
                            (["--ours", ours, "--theirs", theirs + "@7"], "no port '7'; expected one of 0, 1, 2, a, b"),
                            (["--ours", str(self.folder), "--theirs", theirs], "expected the result folder of a replay"),
                            (["--theirs", theirs, "--program", "/none", "--", "x"], "--program /none: No such file")):
            self.assertIn(what, self.run_script(*words, code=2))
        radio = self.write("radio.pcap", pcap([], link=105))
        self.assertIn("link type 105; expected 1, Ethernet", self.run_script("--ours", ours, "--theirs", radio, code=2))
        self.write("ours/summary.json", "{}")
        self.assertIn("not the result folder of a replay", self.run_script("--ours", ours, "--theirs", theirs, code=2))


class WithHorae(Place):
    """Against what `horae replay` itself makes of a capture."""
    PLATFORM = """[platform]
name = "three"
[host]
kind = "host"
[chip]
kind = "tofino"
program = { name = "forward" }
[[device]]
names = ["a", "b", "c"]
profile = "host"
[[device]]
names = ["t"]
profile = "chip"
""" + "".join(f'[[link]]\nbetween = ["{h}", "t"]\n' for h in "abc")

    def test_forward(self):
        horae = os.environ.get("HORAE_PROGRAM", str(ROOT / "build/platforms/horae"))
        frames = [roce(i, dst=2 + i % 2) for i in range(10)]
        words = ["--program", horae, "--", self.write("in.pcap", pcap(frames)) + "@a", "--platform",
                 self.write("three.toml", self.PLATFORM)]
        to_b = self.write("b.pcap", pcap(frames[0::2]))
        to_c = self.write("c.pcap", pcap(frames[1::2]))
        self.run_script("--theirs", to_b + "@b", "--theirs", to_c + "@c", *words, code=0)
        changed = self.write("d.pcap", pcap([roce(i, dst=3, ttl=63) for i in (1, 3, 7, 9)]))
        found = json.loads(self.run_script("--json", "--theirs", to_b + "@b", "--theirs", changed + "@b", *words, code=1))
        self.assertEqual(found["surplus"], ["in.pcap:6"])
        self.assertEqual({(d["field"], d["ours"], d["theirs"]) for d in found["differences"]
                          if d["field"] != "ipv4.checksum"}, {("egress.port", "2", "1"), ("ipv4.ttl", 64, 63)})
        self.assertEqual(len(found["differences"]), 12)
        words[3] = self.write("none.pcap", b"") + "@a"
        self.assertIn("compare_replay: horae replay: ", self.run_script("--theirs", to_b, *words, code=2))


if __name__ == "__main__":
    unittest.main()
