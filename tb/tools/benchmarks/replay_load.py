"""Captures and a platform for `horae replay`: RoCEv2 WRITE packets of 64 B to 4 KiB from four nodes to four others on
256 queue pairs, 80 % of a 100 Gbps port."""
import pathlib
import random
import struct
import subprocess

from benchmarks.loads import ROOT
from benchmarks.measure import instructions, per_unit, use
from lib.common.complaint import Complaint

FORWARD = """[platform]
name = "bench_replay"
[host]
kind = "host"
[chip]
kind = "tofino"
pipelines = 1
ports_per_pipeline = 8
program = { name = "forward" }
[[device]]
names = ["h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7"]
profile = "host"
[[device]]
names = ["t"]
profile = "chip"
""" + "".join(f'[[link]]\nbetween = ["h{i}", "t"]\n' for i in range(8))
P4 = FORWARD.replace('name = "forward"', f'name = "p4", source = "{ROOT}/platforms/bench/median.p4", '
                     f'entries = ["{ROOT}/platforms/bench/median.csv"]')
P4_COMPILED = P4.replace("source =", 'compiled = "median.so", source =')
LOADS = {"forward": ("0", []), "p4": ("0", []), "p4_compiled": ("0", []), "themis": ("4", ["--device", "leaf1"])}  # entry port, options
QPS = 256


def frame(src, dst, qp, psn, payload):
    """A WRITE_MIDDLE without its FCS; the ICRC is zero, for nothing looks at it."""
    udp_length = 8 + 12 + payload + 4
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 2, 20 + udp_length, 0, 0x4000, 64, 17, 0,
                     bytes([10, 0, 0, src + 1]), bytes([10, 0, 0, dst + 1]))
    total = sum(struct.unpack(">10H", ip))
    total = (total & 0xffff) + (total >> 16)
    ip = ip[:10] + struct.pack(">H", ~total & 0xffff) + ip[12:]
    return (bytes(12) + b"\x08\x00" + ip + struct.pack(">HHHH", 0xc000 + qp, 4791, udp_length, 0)
            + struct.pack(">BBHII", 7, 0, 0xffff, 16 + qp, psn) + bytes(payload + 4))


def write_trace(path, size=None, packets=None):
    """A nanosecond pcap of so many bytes or packets; the number of packets."""
    draw = random.Random(1)
    psns = [0] * QPS
    written = count = 0
    now = 10**18
    with open(path, "wb", buffering=1 << 20) as out:
        out.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
        while (size is None or written < size) and (packets is None or count < packets):
            qp = draw.randrange(QPS)
            data = frame(qp % 4, 4 + qp // 4 % 4, qp, psns[qp], 4 * draw.randrange(1, 1010))
            psns[qp] = (psns[qp] + 1) & 0xffffff
            out.write(struct.pack("<IIII", now // 10**9, now % 10**9, len(data), len(data)) + data)
            now += (len(data) + 24) * 8 // 80  # ns at 80 Gbps
            written += 16 + len(data)
            count += 1
    return count


def command(program, load, trace, folder, everything):
    """Of `horae replay`; `everything`: with the tables and captures that it can write."""
    port, options = LOADS[load]
    platform = ROOT / "platforms/themis_tor.toml" if load == "themis" else folder / f"{load}.toml"
    words = [str(program), "replay", f"{trace}@{port}", "--platform", str(platform), *options,
             "--json", "--no-progress", "--out", str(folder / "out")]
    return words if everything else words + ["--no-packets", "--no-ports"]


def write_platform(folder):
    (folder / "forward.toml").write_text(FORWARD, encoding="utf-8")
    (folder / "p4.toml").write_text(P4, encoding="utf-8")
    (folder / "p4_compiled.toml").write_text(P4_COMPILED, encoding="utf-8")


def write_compiled(program, folder):
    """median.so, as a user makes it of what `horae p4 compile` prints; the program lies in its build folder."""
    generated = pathlib.Path(program).parents[1] / "platforms/program/config/generated"
    includes = [f"-I{room}" for room in sorted(ROOT.glob("models/*/include"))]
    for words in ([program, "p4", "compile", ROOT / "platforms/bench/median.p4", "--target", "tofino2", "--out", folder / "median.cpp"],
                  ["c++", "-std=c++20", "-O2", "-fPIC", "-shared", "-DSC_CPLUSPLUS=201703L", "-DSC_INCLUDE_DYNAMIC_PROCESSES",
                   *includes, f"-I{ROOT}/platforms/program/config/src", f"-I{generated}", folder / "median.cpp",
                   ROOT / "scripts/cmake/package/plugin_abi.cpp", "-o", folder / "median.so"]):
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Complaint(f"{pathlib.Path(words[0]).name} failed: {(done.stderr.strip().splitlines() or ['?'])[-1]}")


# Functions that are counted of a load, where it is not counted whole.
PARTS = {"p4_bytecode": ("void horae::p4prog::Machine::run_code<false>(*",),
         "p4_compiled": tuple(f"*{gress}_0::run(*" for gress in ("ingress", "egress")),
         "p4_passes": ("horae::p4prog::PipePasses::ingress(*", "horae::p4prog::PipePasses::egress(*")}


def instructions_per_packet(program, load, folder, everything, only=()):
    points = []
    for packets in (1000, 3000):
        trace = pathlib.Path(folder) / f"{packets}.pcap"
        write_trace(trace, packets=packets)
        points.append((instructions(command(program, load, trace, folder, everything), only)[0], packets))
    return per_unit(points)


def measured(program, load, folder, packets):
    """(packets per CPU second, CPU seconds of a replay of one packet, peak MiB), summary only."""
    usages = []
    for n in (packets, 1):
        trace = pathlib.Path(folder) / "timed.pcap"
        write_trace(trace, packets=n)
        usages.append(use(command(program, load, trace, folder, False)))
    full, empty = usages
    return packets / max(full.cpu_s - empty.cpu_s, 1e-9), empty.cpu_s, full.peak_rss_mib
