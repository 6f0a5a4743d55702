#!/usr/bin/python3
"""Parts of scripts/compare_replay and scripts/compare_stages: each header field at its bits, which packet is which against all ways of
matching, captures of each kind, and the tables that are printed."""
import contextlib
import gzip
import importlib.machinery
import importlib.util
import io
import itertools
import json
import pathlib
import random
import struct
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))
from lib.compare_replay import captures, fields, match, text  # noqa: E402
from lib.common.complaint import Complaint  # noqa: E402


def loaded(script):
    loader = importlib.machinery.SourceFileLoader(script, str(SCRIPTS / script))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(script, loader))
    loader.exec_module(module)
    return module


compare_stages = loaded("compare_stages")
compare_replay = loaded("compare_replay")
MACS = bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])


def ethernet(kind, body, tags=b""):
    return MACS + tags + struct.pack(">H", kind) + body


def ipv4(protocol, body, flags=2, offset=0, length=None, options=b"", number=7):
    return struct.pack(">BBHHHBBH", 4 << 4 | 5 + len(options) // 4, 46 << 2 | 3, 20 + len(options)
                       + len(body) if length is None else length, number, flags << 13 | offset, 9, protocol, 0x1234) \
        + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + options + body


def ipv6(protocol, body, length=None):
    return struct.pack(">IHBB", 6 << 28 | 46 << 22 | 1 << 20 | 0xabcde, len(body) if length is None else length, protocol,
                       5) + bytes(15) + b"\1" + bytes(15) + b"\2" + body


def udp(port, body, length=None):
    return struct.pack(">HHHH", 0xc001, port, 8 + len(body) if length is None else length, 0xbeef) + body


def bth(opcode, more=b"", flags=0, psn=5, qp=17, ack=0, ecn=0):
    return struct.pack(">BBHII", opcode, flags, 0xffff, ecn << 24 | qp, ack << 24 | psn) + more


class Fields(unittest.TestCase):
    def test_of_ethernet_and_its_tags(self):
        found = fields.decode(ethernet(0x0806, b"rest", struct.pack(">HHHH", 0x88a8, 5 << 13 | 1 << 12 | 100, 0x8100, 7)))
        self.assertEqual(list(found.items()), [
            ("ethernet.dst", "01:02:03:04:05:06"), ("ethernet.src", "07:08:09:0a:0b:0c"), ("vlan.tpid", "0x88a8"),
            ("vlan.vid", 100), ("vlan.dei", 1), ("vlan.pcp", 5),
            ("vlan1.tpid", "0x8100"), ("vlan1.vid", 7), ("vlan1.dei", 0), ("vlan1.pcp", 0), ("ethernet.type", "0x0806"),
            ("frame.rest", b"rest".hex())])
        three = fields.decode(ethernet(0x0806, b"", struct.pack(">HHHHHH", 0x9100, 1, 0x8100, 2, 0x8100, 3)))
        self.assertEqual([three[f"vlan{n}.vid"] for n in ("", 1, 2)], [1, 2, 3])

    def test_of_ipv4_and_its_options(self):
        found = fields.decode(ethernet(0x0800, ipv4(99, b"xy", options=bytes(range(8)))))
        self.assertEqual({k: v for k, v in found.items() if k.startswith("ipv4")}, {
            "ipv4.version": 4, "ipv4.header_words": 7, "ipv4.dscp": 46, "ipv4.ecn": 3, "ipv4.length": 30, "ipv4.id": 7,
            "ipv4.flags": 2, "ipv4.offset": 0, "ipv4.ttl": 9,
            "ipv4.protocol": 99, "ipv4.checksum": 0x1234, "ipv4.src": "10.0.0.1", "ipv4.dst": "10.0.0.2",
            "ipv4.options": bytes(range(8)).hex()})
        self.assertEqual(found["frame.rest"], b"xy".hex())
        self.assertNotIn("ipv4.options", fields.decode(ethernet(0x0800, ipv4(99, b""))))
        self.assertEqual(fields.decode(ethernet(0x0800, ipv4(99, b"", options=b"abcd")))["ipv4.options"], b"abcd".hex())

    def test_of_a_fragment_no_transport_is_known(self):
        for flags, offset, known in ((2, 0, True), (0, 0, True), (1, 0, False), (3, 0, False), (0, 1, False)):
            found = fields.decode(ethernet(0x0800, ipv4(17, udp(53, b""), flags, offset)))
            self.assertEqual("udp.src" in found, known, (flags, offset))

    def test_of_ipv6_and_grh(self):
        found = fields.decode(ethernet(0x86dd, ipv6(6, struct.pack(">HHIIHHHH", 1, 2, 3, 4, 0x5018, 5, 6, 7))))
        self.assertEqual({k: v for k, v in found.items() if not k.startswith("ethernet")}, {
            "ipv6.version": 6, "ipv6.dscp": 46, "ipv6.ecn": 1, "ipv6.flow_label": 0xabcde, "ipv6.length": 20,
            "ipv6.next_header": 6, "ipv6.hop_limit": 5, "ipv6.src": "::1", "ipv6.dst": "::2",
            "tcp.src": 1, "tcp.dst": 2, "tcp.sequence": 3, "tcp.acknowledgment": 4, "tcp.offset_flags": 0x5018, "tcp.window": 5,
            "tcp.checksum": 6, "tcp.urgent": 7})
        body = bth(4, b"datacrc!")
        found = fields.decode(ethernet(0x8915, ipv6(0x1b, body)))
        self.assertEqual((found["grh.src"], found["bth.psn"], found["roce.payload"], found["roce.icrc"]),
                         ("::1", 5, b"data".hex(), "0x63726321"))
        self.assertNotIn("bth.psn", fields.decode(ethernet(0x8915, ipv6(0x1a, body))))
        self.assertNotIn("bth.psn", fields.decode(ethernet(0x86dd, ipv6(0x1b, body))))
        over = fields.decode(ethernet(0x86dd, ipv6(17, udp(4791, body))))
        self.assertEqual((over["bth.psn"], over["roce.payload"]), (5, b"data".hex()))

    def test_each_bit_of_a_base_transport_header(self):
        found = fields.decode(ethernet(0x0800, ipv4(17, udp(4791, bth(4, b"crc!", 0xb5, 0x123456, 0xabcdef, 0x81, 0xc1)))))
        self.assertEqual({k[4:]: v for k, v in found.items() if k.startswith("bth")}, {
            "opcode": 4, "version": 5, "pad": 3, "migration": 0, "solicited": 1, "pkey": 0xffff, "reserved6": 1, "becn": 1,
            "fecn": 1, "dest_qp": 0xabcdef, "reserved7": 1, "ack_request": 1, "psn": 0x123456})
        self.assertEqual((found["udp.src"], found["udp.dst"], found["udp.length"], found["udp.checksum"],
                          found["roce.payload"]), (0xc001, 4791, 24, 0xbeef, ""))

    def test_headers_that_an_opcode_has(self):
        """IBTA vol. 1, table 38: which operations have which extended headers."""
        reth, aeth, imm = {6, 10, 11, 12}, {13, 15, 16, 17, 18}, {3, 5, 9, 11}
        for opcode in range(0, 32):
            body = bth(opcode, (struct.pack(">QII", 1, 2, 3) if opcode in reth else b"")
                       + (struct.pack(">I", 0x61000007) if opcode in aeth else b"")
                       + (struct.pack(">I", 9) if opcode in imm else b"") + b"pay!" + b"icrc")
            found = fields.decode(ethernet(0x0800, ipv4(17, udp(4791, body))))
            self.assertEqual((found.get("reth.address"), found.get("reth.key"), found.get("reth.length")),
                             (1, 2, 3) if opcode in reth else (None,) * 3, opcode)
            self.assertEqual((found.get("aeth.syndrome"), found.get("aeth.msn")), (0x61, 7) if opcode in aeth else (None, None),
                             opcode)
            self.assertEqual(found.get("immediate.data"), 9 if opcode in imm else None, opcode)
            self.assertEqual(found["roce.payload"], b"pay!".hex(), opcode)
            self.assertNotIn("cnp.reserved", found)
        cnp = fields.decode(ethernet(0x0800, ipv4(17, udp(4791, bth(0x81, bytes(range(16)) + b"icrc")))))
        self.assertEqual((cnp["cnp.reserved"], cnp["roce.payload"]), (bytes(range(16)).hex(), ""))

    def test_padding_is_the_rest_and_lengths_end_the_payload(self):
        whole = ethernet(0x0800, ipv4(17, udp(4791, bth(4, b"dataicrc"))))
        found = fields.decode(whole + b"pad")
        self.assertEqual((found["roce.payload"], found["frame.rest"]), (b"data".hex(), b"pad".hex()))
        # The smaller of two lengths; none if one is zero.
        for outer, inner, payload in ((None, 8 + 12 + 6, b"da"), (None, 0, b"data"), (20 + 8 + 12 + 5, None, b"d"),
                                      (0, None, b"data")):
            frame = ethernet(0x0800, ipv4(17, udp(4791, bth(4, b"dataicrc"), inner), length=outer))
            self.assertEqual(fields.decode(frame)["roce.payload"], payload.hex(), (outer, inner))
        short = fields.decode(ethernet(0x0800, ipv4(17, udp(4791, bth(4, b"icr")))))
        self.assertNotIn("roce.payload", short)
        self.assertEqual(short["frame.rest"], b"icr".hex())
        self.assertNotIn("roce.icrc", fields.decode(whole[:-1]))

    def test_a_frame_that_is_cut_has_what_is_there(self):
        whole = ethernet(0x0800, ipv4(17, udp(4791, bth(0x0c, struct.pack(">QII", 1, 2, 3) + b"icrc"))))
        full = fields.decode(whole)
        before = 0
        for cut in range(len(whole) + 1):
            found = fields.decode(whole[:cut])
            known = {k: v for k, v in found.items() if k != "frame.rest"}
            self.assertLessEqual(known.items(), full.items())
            self.assertGreaterEqual(len(known), before)
            before = len(known)

    def test_tunnels(self):
        inner = ethernet(0x0800, ipv4(17, udp(4791, bth(4, b"dataicrc"))))
        vxlan = fields.decode(ethernet(0x0800, ipv4(17, udp(4789, b"\x08\0\0\1\0\0\x2a\3" + inner))))
        self.assertEqual([vxlan[f"vxlan.{n}"] for n in ("flags", "reserved", "vni", "reserved8")], [8, 1, 42, 3])
        self.assertEqual((vxlan["inner.bth.psn"], vxlan["inner.udp.dst"], vxlan["udp.dst"]), (5, 4791, 4789))
        twice = fields.decode(ethernet(0x0800,
                                       ipv4(17, udp(4789, bytes(8) + ethernet(0x0800, ipv4(17, udp(4789, bytes(8) + inner)))))))
        self.assertNotIn("inner.vxlan.vni", twice)  # one tunnel only
        for flags, more in ((0, b""), (0x8000, b"\0\0\0\1"), (0x2000, b"\0\0\0\2"), (0x1000, b"\0\0\0\3"),
                            (0xb000, b"\0\0\0\1\0\0\0\2\0\0\0\3")):
            found = fields.decode(ethernet(0x0800, ipv4(47, struct.pack(">HH", flags, 0x0800) + more + ipv4(17, udp(53, b"")))))
            self.assertEqual((found["gre.flags"], found["gre.type"], found["inner.ipv4.dst"]),
                             (f"{flags:#06x}", "0x0800", "10.0.0.2"), flags)
            self.assertEqual([found.get(f"gre.{n}") for n in ("checksum", "key", "sequence")],
                             [n if flags & bit else None for bit, n in ((0x8000, 1), (0x2000, 2), (0x1000, 3))])
        bridged = fields.decode(ethernet(0x0800, ipv4(47, struct.pack(">HH", 0, 0x6558) + inner)))
        self.assertEqual(bridged["inner.ethernet.src"], "07:08:09:0a:0b:0c")
        again = fields.decode(ethernet(0x0800, ipv4(47, struct.pack(">HH", 0, 0x0800) + ipv4(47, struct.pack(">HH", 0, 0x0800)
            + ipv4(6, b"")))))
        self.assertNotIn("inner.gre.type", again)

    def test_flows_and_identities(self):
        def of(frame):
            found = fields.decode(frame)
            return fields.flow_of(found), fields.identity_of(found)
        four = ("10.0.0.1", "10.0.0.2")
        ack = ethernet(0x0800, ipv4(17, udp(4791, bth(0x11, struct.pack(">I", 0x61000007) + b"icrc"))))
        self.assertEqual(of(ack), ((*four, "qp", 17), (*four, "qp", 17, 0x11, 5, 0x61)))
        tcp = struct.pack(">HHIIHHHH", 1, 2, 3, 4, 0x5018, 5, 6, 7)
        self.assertEqual(of(ethernet(0x0800, ipv4(6, tcp))), ((*four, 1, 2), (*four, 1, 2, 3, 7)))
        self.assertEqual(of(ethernet(0x86dd, ipv6(6, tcp))), (("::1", "::2", 1, 2), ("::1", "::2", 1, 2, 3, None)))
        self.assertEqual(of(ethernet(0x0800, ipv4(17, udp(53, b"")))), ((*four, 0xc001, 53), (*four, 0xc001, 53, 17, 7)))
        self.assertEqual(of(ethernet(0x0800, ipv4(17, udp(53, b""), number=0))), ((*four, 0xc001, 53), None))
        self.assertEqual(of(ethernet(0x0806, b"x")), (("07:08:09:0a:0b:0c", "01:02:03:04:05:06", None, None), None))


def packet(place, data, port=None, length=None, stamp=None, source="s"):
    return match.Packet(place, place + 1, source, data, len(data) if length is None else length, port, stamp or (place, 0))


def write(psn, payload=b"data", qp=17):
    return ethernet(0x0800, ipv4(17, udp(4791, bth(4, payload + b"icrc", psn=psn, qp=qp))))


class Matches(unittest.TestCase):
    def test_a_longest_ascending_row_is_kept(self):
        rng = random.Random(4)
        for n in range(8):
            for _ in range(40):
                numbers = rng.sample(range(20), n)
                kept = sorted(match.in_order(numbers))
                self.assertEqual([numbers[i] for i in kept], sorted(numbers[i] for i in kept))
                longest = max(k for k in range(n + 1) if any(list(row) == sorted(row) for row in itertools.combinations(numbers,
                    k)))
                self.assertEqual(len(kept), longest, numbers)

    def test_equal_bytes_by_the_same_port_first(self):
        ours = [packet(0, b"x", "1"), packet(1, b"x", "2")]
        theirs = [packet(0, b"x", "2"), packet(1, b"x", "1")]
        pairs, surplus, missing = match.matched(ours, theirs)
        self.assertEqual([(a.place, b.place) for a, b in pairs], [(0, 1), (1, 0)])
        self.assertEqual((surplus, missing), ([], []))

    def test_the_first_with_the_first_of_those_that_are_alike(self):
        ours, theirs = [packet(i, write(7)) for i in range(3)], [packet(i, write(7)) for i in range(4)]
        pairs, surplus, missing = match.matched(ours, theirs)
        self.assertEqual(([(a.place, b.place) for a, b in pairs], surplus, [p.place for p in missing]),
                         ([(0, 0), (1, 1), (2, 2)], [], [3]))
        pairs, surplus, _ = match.matched(theirs, ours)
        self.assertEqual([p.place for p in surplus], [3])

    def test_by_number_then_by_payload(self):
        ours = [packet(0, write(1, b"aaaa")), packet(1, write(2, b"bbbb")), packet(2, write(3, b"cccc", qp=9))]
        theirs = [packet(0, write(1, b"zzzz")), packet(1, write(9, b"bbbb")), packet(2, write(3, b"dddd", qp=8))]
        pairs, surplus, missing = match.matched(ours, theirs)
        self.assertEqual([(a.place, b.place) for a, b in pairs], [(0, 0), (1, 1)])
        self.assertEqual(([p.place for p in surplus], [p.place for p in missing]), ([2], [2]))

    def test_differences_of_long_values_begin_where_they_do(self):
        self.assertEqual(match.difference("n", "a" * 40, "b" * 40), ("a" * 40, "b" * 40))
        mine, other = "00" * 21, "00" * 20 + "f0"
        self.assertEqual(match.difference("n", mine, other), ("21 bytes, 00 at 20", "21 bytes, f0 at 20"))
        self.assertEqual(match.difference("n", "00" * 10 + "0a" + "11" * 10, "00" * 10 + "0b" + "11" * 10)[0],
                         "21 bytes, 0a111111 at 10")
        self.assertEqual(match.difference("n", "00" * 21, "00" * 10), ("21 bytes, 00000000 at 10", "10 bytes, none at 10"))

    def test_ports_and_lengths(self):
        mine, other = packet(0, b"x" * 20, "1"), packet(0, b"x" * 20, "2", 30)
        self.assertEqual(match.compare(mine, other), [("frame.length", 20, 30), ("egress.port", "1", "2")])
        self.assertEqual(match.compare(packet(0, b"x", None), packet(0, b"x", "2")), [])
        self.assertEqual(match.compare(packet(0, b"x", "2"), packet(0, b"x", None)), [])

    def test_what_was_not_captured_is_no_difference(self):
        whole = write(1, b"abcdefgh" * 4)
        for cut in range(14, len(whole)):
            part = packet(0, whole[:cut], None, len(whole))
            self.assertEqual(match.compare(packet(0, whole), part), [], cut)
            self.assertEqual(match.compare(part, packet(0, whole)), [], cut)
        other = bytearray(whole)
        other[15] ^= 4
        self.assertEqual([n for n, _, _ in match.compare(packet(0, bytes(other)), packet(0, whole[:40], None, len(whole)))],
                         ["ipv4.dscp"])
        tagged = packet(0, ethernet(0x0806, b"ab", struct.pack(">HH", 0x8100, 7)))
        found = match.compare(packet(0, ethernet(0x0806, b"ab")), tagged)
        self.assertEqual(found[1:], [("vlan.tpid", "none", "0x8100"), ("vlan.vid", "none", 7), ("vlan.dei", "none", 0),
                                     ("vlan.pcp", "none", 0)])
        self.assertEqual([d[1:] for d in match.compare(tagged, packet(0, ethernet(0x0806, b"ab"))) if d[0] == "vlan.vid"],
                         [(7, "none")])
        self.assertEqual(match.compare(packet(0, ethernet(0x0806, b"ab")), packet(0, ethernet(0x0806, b"ax")))[0],
                         ("frame.rest", "6162", "6178"))

    def test_of_one_time_only_one_file_has_an_order(self):
        def ranks(*stamps):
            return match.ranks_of([(packet(i, b""), packet(place, b"", stamp=stamp)) for i,
                                   (place, stamp) in enumerate(stamps)])
        self.assertEqual(ranks((0, (1, 0)), (1, (2, 0))), [0, 1])
        self.assertEqual(ranks((1, (2, 0)), (0, (1, 0))), [1, 0])
        self.assertEqual(ranks((1, (5, 1)), (0, (5, 0))), [0, 1])  # two files: ours
        self.assertEqual(ranks((1, (5, 0)), (0, (5, 0))), [1, 0])  # one file: its own
        self.assertEqual(ranks((3, (5, 0)), (0, (5, 1)), (1, (5, 1)), (2, (5, 0))), [3, 0, 1, 2])

    def test_orders_are_of_flows_with_the_fewest_to_move(self):
        flow = fields.flow_of(fields.decode(write(0)))
        pairs = [(packet(i, write(i)), packet(p, write(i))) for i, p in enumerate((0, 4, 1, 2, 3))]
        found, = match.orders(pairs)
        self.assertEqual((found[:3], found[3].place), ((flow, 5, 1), 1))
        self.assertEqual(match.orders([(packet(i, write(i, qp=i)), packet(9 - i, write(i, qp=i))) for i in range(5)]), [])

    def test_the_result(self):
        ours, theirs = [packet(i, write(i)) for i in range(3)], [packet(0, write(0)), packet(1, write(1, b"dat\xff")),
                                                                 packet(2, b"odd")]
        found = match.result_of(ours, theirs, lambda name: name == "udp.checksum")
        self.assertEqual((len(found.pairs), found.equal, set(found.differences), [p.place for p in found.missing],
                          [p.place for p in found.surplus]), (2, 1, {"roce.payload"}, [2], [2]))
        self.assertEqual(match.result_of(ours, theirs, lambda name: name == "roce.payload").equal, 2)


class Texts(unittest.TestCase):
    def result(self, **more):
        return match.Result(**{"pairs": [1, 2, 3], "equal": 2, "differences": {}, "missing": [], "surplus": [], "orders": [],
                               **more})

    def test_the_head_counts(self):
        self.assertEqual(text.text(self.result(), 5),
                         "3 packets on both sides: 2 equal, 1 differ; 0 missing (theirs alone), 0 surplus (ours alone), 0 flows in another order")
        self.assertTrue(text.text(self.result(pairs=[1], orders=[((1, 2, None, None), 2, 1, packet(3, b""))]),
                                  5).startswith("1 packet on"))
        for what in ("differences", "missing", "surplus", "orders"):
            self.assertEqual(text.is_equal(self.result(**{what: {"x": 1} if what == "differences" else [1]})), False)
        self.assertTrue(text.is_equal(self.result()))

    def test_values_most_frequent_first(self):
        p = [packet(i, b"") for i in range(20)]
        found = [(1, 2, p[i], p[i]) for i in range(7)] + [(3, 4, p[8], p[8])] * 2 + [(5, 6, p[9], p[9])]
        self.assertEqual(text.values_of(found, 2), ([(1, 2, 7, p[:5]), (3, 4, 2, [p[8], p[8]])], 1))
        lines = text.text(self.result(differences={"ipv4.ttl": found}), 2).splitlines()
        self.assertEqual(lines[2].split(), "field ours theirs packets first".split())
        self.assertEqual([line.split() for line in lines[3:]], ["ipv4.ttl 1 2 7 s:1, s:2, s:3, s:4, s:5, ...".split(),
                                                                "ipv4.ttl 3 4 2 s:9, s:9".split(),
                                                                "ipv4.ttl and 1 other pair of values in 1 packet".split()])

    def test_packets_and_flows_are_named(self):
        p = [packet(i, b"") for i in range(6)]
        orders = [(("a", "b", "qp", 7), 5, 2, p[1]), (("a", "b", 1, 2), 1, 1, p[2]), (("a", "b", None, None), 3, 1, p[3])]
        lines = text.text(self.result(missing=p, surplus=p[:5], orders=orders), 5).splitlines()
        self.assertEqual(lines[1:], ["", "missing: s:1, s:2, s:3, s:4, s:5, ...", "", "surplus: s:1, s:2, s:3, s:4, s:5", "",
                                     "order: a > b queue pair 7: 2 of 5 packets elsewhere, first s:2",
                                     "", "order: a > b ports 1 > 2: 1 of 1 packet elsewhere, first s:3", "",
                                     "order: a > b: 1 of 3 packets elsewhere, first s:4"])
        told = text.as_json(self.result(missing=p[:1], surplus=p[1:2], orders=orders[:1],
                                        differences={"f": [(1, 2, p[0], p[3])]}))
        self.assertEqual(told, {"schema": 1, "equal": False, "matched": 3, "equal_packets": 2,
                                "differences": [{"field": "f", "ours": 1, "theirs": 2, "our_packet": "s:1",
                                                 "their_packet": "s:4"}],
                                "missing": ["s:1"], "surplus": ["s:2"],
                                "orders": [{"flow": ["a", "b", "qp", 7], "packets": 5, "moved": 2, "first": "s:2"}]})


class InFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def write(self, name, data):
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        return self.folder / name


class Captures(InFolder):
    def block(self, order, kind, body, size=None):
        body += bytes(-len(body) % 4)
        size = len(body) + 12 if size is None else size
        return struct.pack(order + "II", kind, size) + body + struct.pack(order + "I", size)

    def section(self, order):
        return self.block(order, 0x0a0d0d0a, struct.pack(order + "IHHq", 0x1a2b3c4d, 1, 0, -1))

    def interface(self, order, options=b"", link=1):
        return self.block(order, 1, struct.pack(order + "HHI", link, 0, 0) + options)

    def enhanced(self, order, stamp, data, length=None, which=0, kept=None):
        return self.block(order, 6, struct.pack(order + "IIIII", which, stamp >> 32, stamp & 0xffffffff,
                                                len(data) if kept is None else kept, length or len(data)) + data)

    def test_pcapng_of_both_orders_with_names_and_resolutions(self):
        for order in "<>":
            def option(code, value):
                return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)
            blocks = self.section(order) + self.interface(order, option(2, b"eth\0") + option(9, b"\x03") + bytes(4)
                                                          + option(2, b"no")) + self.interface(order,
                                                              option(9, b"\x8a")) + self.interface(order)
            blocks += self.enhanced(order, 7, b"abc", 9) + self.enhanced(order, 1 << 33, b"d", which=1) + self.enhanced(order,
                5, b"e", which=2)
            blocks += self.block(order, 3, struct.pack(order + "I", 99) + b"simple!!") + self.block(order, 99, b"skipped.")
            found = captures.read(self.write("a", blocks))
            self.assertEqual([(f.number, f.time_ns, f.data, f.length, f.interface, f.name) for f in found],
                             [(1, 7_000_000, b"abc", 9, "0", "eth"), (2, (1 << 33) * 10**9 // 1024, b"d", 1, "1", None),
                              (3, 5000, b"e", 1, "2", None), (4, 0, b"simple!!", 99, "0", None)])

    def test_sections_have_interfaces_of_their_own(self):
        two = self.section("<") + self.interface("<") + self.enhanced("<", 1, b"a") + self.section(">")
        self.assertEqual(len(captures.read(self.write("a", two + self.interface(">") + self.enhanced(">", 1, b"b")))), 2)
        with self.assertRaisesRegex(Complaint, "packet 2 at byte .*of an interface that was not described"):
            captures.read(self.write("a", two + self.enhanced(">", 1, b"b")))

    def test_blocks_that_lie_are_named(self):
        head = self.section("<") + self.interface("<")
        for more, what in ((struct.pack("<II", 6, 8), "packet 0 at byte [0-9]+: a block of 8 bytes"),
                           (struct.pack("<II", 6, 14), "a block of 14 bytes"),
                           (struct.pack("<II", 6, 400), "a block of 392 bytes, of which 0 are there"),
                           (self.block("<", 6, bytes(16)),
                            "packet 1 at byte [0-9]+: a block of type 6 of 28 bytes; expected 32"),
                            (self.block("<", 3, b""), "a block of type 3 of 12 bytes; expected 16"),
                           (self.block("<", 1, bytes(4)), "a block of type 1 of 16 bytes; expected 20"),
                           (self.enhanced("<", 1, b"abcd", kept=5), "longer than its block"),
                           (self.enhanced("<", 1, b"a", which=1), "not described"),
                           (self.interface("<", link=2), "link type 2; expected 1, Ethernet"),
                           (b"123", "a block header of 8 bytes, of which 3 are there")):
            with self.subTest(what), self.assertRaisesRegex(Complaint, what):
                captures.read(self.write("a", head + more))
        self.assertEqual(len(captures.read(self.write("a", head + self.enhanced("<", 1, b"abcd", kept=4)))), 1)
        self.assertEqual(captures.read(self.write("a", head + self.block("<", 99, b""))), [])

    def test_classic_captures_packed_and_cut(self):
        whole = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1 | 4 << 28) + struct.pack("<IIII", 2, 3, 4,
            99) + b"abcd"
        (frame,) = captures.read(self.write("a", gzip.compress(whole)))
        self.assertEqual((frame.number, frame.time_ns, frame.data, frame.length, frame.interface),
                         (1, 2_000_003_000, b"abcd", 99, None))
        for cut, what in ((10, "packet 0 at byte 0: a file header of 24 bytes, of which 10 are there"),
                          (30, "packet 1 at byte 24: a record header of 16 bytes, of which 6"),
                          (42, "packet 1 at byte 40: a record of 4 bytes, of which 2 are there")):
            with self.assertRaisesRegex(Complaint, what):
                captures.read(self.write("a", whole[:cut]))
        with self.assertRaisesRegex(Complaint, "neither pcap nor pcapng"):
            captures.read(self.write("a", b"\xd4\xc3\xb2"))
        with self.assertRaisesRegex(Complaint, "cannot be read: "):
            captures.read(self.write("a", gzip.compress(whole)[:20]))
        self.assertEqual([captures.per_second(o) for o in (None, b"\x06", b"\x09", b"\x83", b"\x80")],
                         [10**6, 10**6, 10**9, 8, 1])


class OfAReplay(InFolder):
    def replayed(self, rows, frames):
        self.write("summary.json", json.dumps({"replay": {"device": "t", "inputs": [{"trace": "x/in.pcap", "port": 0}]},
                                               "rows": {"ports": [{"port": 4, "neighbour": "a"}, {"port": 5, "neighbour": "b"},
                                                                  {"port": 6, "neighbour": "b"}]}}))
        self.write("packets.csv", "packet,in_port,first_bit_out_ps,out_port,verdict\n" + "".join(f"{r}\n" for r in rows))
        for port, of in frames.items():
            self.write(f"ports/t_{port}.pcap", struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1)
                       + b"".join(struct.pack("<IIII", 0, 0, len(f), len(f)) + f for f in of))

    def test_packets_that_left_in_the_order_of_time(self):
        self.replayed(["1,0,900,4,sent", "2,9,100,5,sent", "3,0,,,dropped", "4,0,1000,4,sent"],
                      {4: [b"first", b"second"], 5: [b"other"]})
        packets, names = compare_replay.our_packets(self.folder)
        self.assertEqual([(p.place, p.number, p.source, p.data, p.port) for p in packets],
                         [(0, 2, "trace", b"other", "5"), (1, 1, "in.pcap", b"first", "4"), (2, 4, "in.pcap", b"second", "4")])
        self.assertEqual(names, {"4": "4", "5": "5", "6": "6", "a": "4"})  # two are called b

    def test_a_folder_that_lacks_something(self):
        self.replayed(["1,0,1,4,sent", "2,0,2,4,sent"], {4: [b"one"]})
        with self.assertRaisesRegex(Complaint, "t_4.pcap: fewer packets than packets.csv has"):
            compare_replay.our_packets(self.folder)
        self.write("packets.csv", "a\n1\n")
        with self.assertRaisesRegex(Complaint, "not the result folder of a replay"):
            compare_replay.our_packets(self.folder)
        with self.assertRaisesRegex(Complaint, "cannot be read: No such file"):
            compare_replay.load(self.folder / "none")

    def test_ports_of_theirs(self):
        names = {"4": "4", "a": "4"}
        self.assertEqual(compare_replay.split_input("x.pcap@a", names), ("x.pcap", "4"))
        self.assertEqual(compare_replay.split_input("x.pcap", names), ("x.pcap", None))
        there = self.write("odd@z", b"")
        self.assertEqual(compare_replay.split_input(str(there), names), (str(there), None))
        with self.assertRaisesRegex(Complaint, "--theirs x@q: no port 'q'; expected one of 4, a"):
            compare_replay.split_input("x@q", names)

    def test_their_packets_by_time_file_and_interface(self):
        c = Captures()
        one = self.write("one", struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1)
                         + b"".join(struct.pack("<IIII", 0, t, 1, 1) + d for t, d in ((5, b"b"), (1, b"a"))))
        two = self.write("two", c.section("<") + c.interface("<", struct.pack("<HH", 2, 4) + b"eth0") + c.interface("<")
                         + c.enhanced("<", 5, b"c") + c.enhanced("<", 0, b"d", which=1))
        options = type("Options", (), {"theirs": [f"{one}@a", str(two)], "interface": ["eth0=5", "1=4"]})
        found = compare_replay.their_packets(options, {"4": "4", "5": "5", "a": "4"})
        self.assertEqual([(p.place, p.data, p.port, p.source, p.number, p.stamp) for p in found],
                         [(0, b"d", "4", "two", 2, (0, 1)), (1, b"a", "4", "one", 2, (1, 0)), (2, b"b", "4", "one", 1, (5, 0)),
                          (3, b"c", "5", "two", 1, (5000, 1))])
        for given, what in (("eth0", "--interface eth0: expected NAME=PORT"),
                            ("eth9=5", "no packet of this interface; there are 0, 1, eth0"), ("eth0=9", "no port '9'")):
            options.interface = [given]
            with self.assertRaisesRegex(Complaint, what):
                compare_replay.their_packets(options, {"4": "4", "5": "5", "a": "4"})


def total(quantity, published, ours, as_compiler, of=""):
    return {"design": "pipe", "id": of, "quantity": quantity, "published": published, "ours": ours, "as_compiler": as_compiler}


class Stages(InFolder):
    """scripts/compare_stages, of what a stand-in of horae prints."""
    SIZE = {"pipelines": [{"name": "pipe", "chip": "tofino", "stages_used": 5, "stages_by_placer": {"least": 4, "compiler": 7},
                           "compiler": {"stages": 6},
                           "as_compiler": {"resources": {"sram": 3, "map_ram": 2, "tcam": 1, "stateful_alu": 1,
                                                         "statistics_alu": 0}}}],
            "validation": [*[total(m, 9, 1, 9 if m != "tcam" else 8) for m in compare_stages.MEMORIES],
                           total("sram", 4, 1, 4, "a"), total("sram", 4, 4, 5, "b"), total("tcam", 0, 0, 0, "b"),
                           total("tcam", 0, 2, 0, "b"),
                           {**total("sram", 1, 1, 1, "z"), "design": "another"}]}

    def horae(self, printed=None, code=0):
        path = self.write("horae",
                          f"#!/usr/bin/python3\nimport json, sys\nopen({str(self.folder / 'words')!r}, 'w').write(json.dumps(sys.argv[1:]))\n"
                                   f"print({json.dumps(printed or self.SIZE)!r})\nprint('what is wrong', file=sys.stderr)\nsys.exit({code})\n")
        path.chmod(0o755)
        return str(path)

    def words(self):
        return json.loads((self.folder / "words").read_text())

    def test_a_row_of_a_pipe(self):
        (row,) = compare_stages.rows_of(self.horae(), "folder")
        self.assertEqual(row, {"program": "pipe", "chip": "tofino", "least": 4, "ours": 5, "as_compiler": 7, "compiler": 6,
                               "totals": (4, 5), "objects": (2, 3)})
        self.assertEqual(self.words(), ["size", "--p4c", "folder", "--json"])

    def test_what_horae_refuses_is_said(self):
        self.assertEqual(compare_stages.sized(self.horae(code=3), ["x"]), self.SIZE)
        self.assertEqual(self.words(), ["size", "x", "--no-remedies", "--json"])
        with self.assertRaisesRegex(SystemExit, "x: what is wrong"):
            compare_stages.sized(self.horae(code=2), ["x"])

    def test_values_of_tables_of_totals(self):
        self.assertEqual([compare_stages.value_in(r, "stages") for r in ({"stages": "7"}, {"stages_used": "8"},
                                                                         {"stages": "", "stages_used": "9"}, {"stages": ""},
                                                                         {})], [7, 8, 9, None, None])
        for key, name in (("sram", "SRAM"), ("map_ram", "Map RAM"), ("tcam", "TCAM"), ("stateful_alu", "Meter ALU"),
                          ("statistics_alu", "Stats ALU")):
            self.assertEqual((compare_stages.value_in({name: "3"}, key), compare_stages.value_in({name: "0"}, key)), (3, 0))

    def test_sources_of_a_table(self):
        self.write("a.p4", ""), self.write("b/c.p4", "")
        table = self.write("t.csv",
                           "name,target,stages,file,source\none,tofino,3,a.p4,\ntwo,tofino,3,,at 12 b/c.p4\nnone,tofino,,a.p4,\ngone,tofino,3,z.p4,\n")
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            found = list(compare_stages.sources_in(table, self.folder))
        self.assertEqual([(r["name"], p.name) for r, p in found], [("one", "a.p4"), ("two", "c.p4")])
        self.assertEqual(said.getvalue(), f"gone: no source {self.folder}/z.p4\n")

    def test_a_row_of_a_source(self):
        row = {"name": "one", "target": "tofino2?", "stages": "6", "SRAM": "4", "TCAM": "1", "Stats ALU": ""}
        found = compare_stages.row_of_source(self.horae(), row, "a.p4", ["-I", "x"])
        self.assertEqual(found, {"program": "one", "chip": "tofino", "least": 4, "ours": 5, "as_compiler": 7, "compiler": 6,
                                 "totals": (1, 2), "objects": (0, 0), "differ": ["sram 3 for 4"]})
        self.assertEqual(self.words(), ["size", "--target", "tofino2", "-I", "x", "a.p4", "--no-remedies", "--json"])

    def test_the_table_and_its_shares(self):
        def row(ours, compiler, **more):
            return {"program": "p", "chip": "c", "least": 1, "ours": ours, "as_compiler": compiler, "compiler": compiler,
                    "totals": (1, 2), "objects": (3, 3), **more}
        lines = compare_stages.text_of([row(5, 5), row(4, 5, program="longest"), row(7, 5),
                                        row(8, 5, differ=["sram 3 for 4", "tcam 1 for 2"])]).splitlines()
        self.assertEqual(lines[0].split("  ")[0], "program")
        self.assertEqual([line.split() for line in lines[1:5]], [s.split() for s in (
            "p c 1 5 5 5 +0 1 of 2 totals, 3 of 3 of objects", "longest c 1 4 5 5 -1 1 of 2 totals, 3 of 3 of objects",
            "p c 1 7 5 5 +2 1 of 2 totals, 3 of 3 of objects",
            "p c 1 8 5 5 +3 1 of 2 totals, 3 of 3 of objects: sram 3 for 4, tcam 1 for 2")])
        self.assertEqual(len({line.index(" totals") for line in lines[1:5]}), 1)  # in columns
        self.assertEqual(lines[5:], ["least: equal 0 of 4 (0 %), within one 0 of 4 (0 %), within two 0 of 4 (0 %)",
                                     "ours: equal 1 of 4 (25 %), within one 2 of 4 (50 %), within two 3 of 4 (75 %)",
                                     "as the compiler: equal 4 of 4 (100 %), within one 4 of 4 (100 %), within two 4 of 4 (100 %)", "memories and ALUs, totals: equal 4 of 8 (50 %)",
                                     "memories and ALUs, objects: equal 12 of 12 (100 %)"])
        self.assertEqual(compare_stages.share(1, 0), "none")


if __name__ == "__main__":
    unittest.main()
