#!/usr/bin/python3
"""Captures as others read them. `remake HORAE`: tb/tools/make_traces makes the shipped captures again, byte
by byte. `wireshark HORAE FRAMES`: tshark finds nothing wrong with the shipped captures, nor with fresh ones of other
frames, reads the fields that horae wrote, and every ICRC is right by an implementation of its own here (zlib's
CRC-32; Wireshark shows the ICRC and does not check it). Exit code 77: there is no tshark."""
import filecmp
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAMES = ["spray", "loss", "cnp", "wrap"]
FIELDS = ["infiniband.bth.opcode", "infiniband.bth.psn", "infiniband.bth.destqp", "infiniband.bth.a",
          "infiniband.aeth.syndrome", "infiniband.invariant.crc", "ip.src", "ip.dsfield.ecn", "frame.time_epoch"]
ACKNOWLEDGE, CNP = 0x11, 0x81

failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


def expect_made(folder, file):
    expect(filecmp.cmp(folder / file, ROOT / "traces" / file, shallow=False), f"{file} is not what tb/tools/make_traces makes")


def frames_of(path):
    """(stamp in ns, bytes) of a pcap file with stamps in nanoseconds."""
    data = path.read_bytes()
    magic, = struct.unpack("<I", data[:4])
    expect(magic == 0xa1b23c4d, f"{path.name}: not a pcap file in nanoseconds")
    at, frames = 24, []
    while at < len(data):
        seconds, nanoseconds, kept, _ = struct.unpack("<IIII", data[at:at + 16])
        frames.append((seconds * 10**9 + nanoseconds, data[at + 16:at + 16 + kept]))
        at += 16 + kept
    return frames


def icrc(frame):
    """ICRC of a frame by InfiniBand's rule (annex A17.3.3): the CRC of Ethernet over ones in place of LRH and
    of what routers may change."""
    at = 18 if frame[12:14] == b"\x81\x00" else 14
    ip = bytearray(frame[at:-4])
    if ip[0] >> 4 == 4:
        del ip[struct.unpack(">H", ip[2:4])[0] - 4:]  # Ethernet's padding
        ip[1] = ip[8] = ip[10] = ip[11] = 0xff
        udp = 20
    else:
        ip[0] |= 0x0f
        ip[1] = ip[2] = ip[3] = ip[7] = 0xff
        udp = 40
    ip[udp + 6] = ip[udp + 7] = 0xff  # checksum
    ip[udp + 8 + 4] = 0xff            # FECN, BECN, resv6a
    return zlib.crc32(b"\xff" * 8 + bytes(ip))


def tshark(path, *words):
    # A UDP checksum of zero over IPv6 is RoCEv2's right (RFC 6935).
    run = subprocess.run(["tshark", "-r", str(path), "-n", "-o", "udp.ignore_ipv6_zero_checksum:TRUE", *words],
                         capture_output=True, text=True, check=False)
    expect(run.returncode == 0, f"{path.name}: tshark ended with {run.returncode}: {run.stderr.strip()}")
    return run.stdout


def check_clean(path):
    frames = frames_of(path)
    wrong = tshark(path, "-Y", "_ws.malformed or _ws.expert.severity >= \"Warning\"", "-V")
    expect(wrong == "", f"{path.name}: tshark complains: {wrong[:2000]}")
    rows = [line.split("\t") for line in
            tshark(path, "-T", "fields", *[w for f in FIELDS for w in ("-e", f)]).splitlines()]
    expect(len(rows) == len(frames), f"{path.name}: tshark reads {len(rows)} packets of {len(frames)}")
    stamps = [stamp for stamp, _ in frames]
    expect(stamps == sorted(stamps), f"{path.name}: not in the order of time")
    packets = []
    for number, ((stamp, frame), row) in enumerate(zip(frames, rows), 1):
        where = f"{path.name}, packet {number}"
        values = dict(zip(FIELDS, row))
        expect(values["infiniband.bth.opcode"] != "", f"{where}: is not read as RoCE")
        # Wireshark 4.0 does not know CNPs, and takes what an ordering layer adds to a SACK for its ICRC.
        opcode = int(values["infiniband.bth.opcode"] or 0)
        if opcode != CNP and not (opcode == ACKNOWLEDGE and int(values["infiniband.aeth.syndrome"], 0) >> 5 & 3 == 2):
            expect(int(values["infiniband.invariant.crc"] or "0", 16) == struct.unpack(">I", frame[-4:])[0],
                   f"{where}: the ICRC is not the last four bytes")
        expect(struct.unpack("<I", frame[-4:])[0] == icrc(frame), f"{where}: wrong ICRC")
        seconds, _, fraction = values["frame.time_epoch"].partition(".")
        expect(int(seconds) * 10**9 + int(fraction.ljust(9, "0")) == stamp, f"{where}: wrong time")
        packets.append({"opcode": int(values["infiniband.bth.opcode"]), "psn": int(values["infiniband.bth.psn"]),
                        "qp": int(values["infiniband.bth.destqp"], 16), "syndrome": values["infiniband.aeth.syndrome"],
                        "src": values["ip.src"], "ecn": values["ip.dsfield.ecn"]})
    return packets


def is_nack(packet):
    return packet["opcode"] == ACKNOWLEDGE and int(packet["syndrome"], 0) >> 5 & 3 == 3


def check_shipped():
    read = {}
    others = check_clean(ROOT / "traces/hosts.pcap")
    expect(len({(p["src"], p["qp"]) for p in others}) >= 8, "hosts.pcap: not six queue pairs both ways")
    for name in NAMES:
        path = ROOT / "traces" / f"{name}.pcap"
        expect(path.stat().st_size < 100_000, f"{path.name}: larger than 100 KB")
        read[name] = check_clean(path)
        expect(180 <= len(read[name]) <= 500, f"{path.name}: {len(read[name])} packets")
        expect({p["qp"] for p in read[name]} == {0x40}, f"{path.name}: queue pairs of others")
        connection = (ROOT / "traces" / f"{name}.csv").read_text().splitlines()[1].split(",")
        data = [p["psn"] for p in read[name] if p["src"] == "10.0.0.1" and p["opcode"] < ACKNOWLEDGE]
        first, all_packets = int(connection[5]), 11 * 16
        expect({(first + i) % 2**24 for i in range(all_packets)} == set(data), f"{path.name}: PSNs are missing")
        again = len(data) - all_packets
        nacks = sum(is_nack(p) for p in read[name])
        cnps = sum(p["opcode"] == CNP for p in read[name])
        marked = sum(p["ecn"] == "3" for p in read[name])
        expect((nacks > 0) == (name != "cnp"), f"{path.name}: {nacks} NACKs")
        expect((cnps > 0) == (name == "cnp"), f"{path.name}: {cnps} CNPs")
        expect((marked > 0) == (name == "cnp"), f"{path.name}: {marked} packets marked")
        expect((again > 0) == (name != "cnp"), f"{path.name}: {again} packets again")
        print(f"{name}: {len(read[name])} packets, {nacks} NACKs, {cnps} CNPs, {marked} marked, {again} again")
    expect(max(p["psn"] for p in read["wrap"]) == 2**24 - 1, "wrap.pcap: PSNs do not go around")


def check_fresh(horae, frames, tmp):
    """Frames that the shipped ones have not: VLAN tags, IPv6, odd lengths (`frames`, the program made of
    make_frames.cpp), and an ordering layer's."""
    made = subprocess.run([frames, tmp / "frames.pcap"], check=False)
    expect(made.returncode == 0 and len(check_clean(tmp / "frames.pcap")) == 4 * 39, "frames.pcap: not all frames")
    run = subprocess.run([str(horae), "run", str(ROOT / "platforms/eunomia_cosim.toml"), "--json", "--out", f"{tmp}/o",
                          "--pcap", "h0", "--set", "traffic[0].qps=4", "--set", "traffic[0].count=2",
                          "--set", "link_default.loss=1e-3"],
                         capture_output=True, text=True, check=False)
    expect(run.returncode == 0, f"horae: {run.stderr}")
    packets = check_clean(tmp / "o/ports/h0_0.pcap")
    statistics = json.loads(run.stdout)["statistics"]["h0"]
    kinds = {"data_received": sum(p["src"] != "10.0.0.1" and p["opcode"] < ACKNOWLEDGE for p in packets),
             "sacks_sent": sum(p["src"] == "10.0.0.1" and p["opcode"] == ACKNOWLEDGE
                               and int(p["syndrome"], 0) >> 5 & 3 == 2 for p in packets)}
    expect(kinds["data_received"] == statistics["data_received"]["value"], f"h0: {kinds} {statistics['data_received']}")
    expect(kinds["sacks_sent"] > 0, "h0: no SACKs")


def main():
    topic, horae = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as name:
        tmp = pathlib.Path(name)
        if topic == "remake":
            subprocess.run([ROOT / "tb/tools/make_traces", "--program", horae, "--out", tmp], check=True)
            for name in [*NAMES, "hosts"]:
                for kind in ("pcap", "csv"):
                    expect_made(tmp, f"{name}.{kind}")
            for file in (ROOT / "traces/goal").glob("*.bin"):
                expect_made(tmp, f"goal/{file.name}")
        else:
            if shutil.which("tshark") is None:
                print("tshark is not installed: scripts/setup")
                sys.exit(77)
            check_shipped()
            check_fresh(horae, pathlib.Path(sys.argv[3]).resolve(), tmp)
    for failure in failures[:20]:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
