#!/usr/bin/python3 -B
"""Writes the first inputs of the fuzz targets, from files that the project has: tb/fuzz/make_seeds.py [FOLDER].

What fuzzers found beside them stays in the corpora (names of 40 hex digits); these are made again, the same bytes."""
import gzip
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OUT = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "tb/fuzz/corpora"


def write(target, name, content):
    folder = OUT / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def packets(capture):
    """(record header, frame) of a little-endian pcap."""
    bytes_ = capture.read_bytes()
    at = 24
    while at < len(bytes_):
        length = struct.unpack_from("<I", bytes_, at + 8)[0]
        yield bytes_[at:at + 16], bytes_[at + 16:at + 16 + length]
        at += 16 + length


def captures():
    seen = set()
    for capture in sorted((ROOT / "traces").glob("*.pcap")):
        head = capture.read_bytes()[:24]
        few = many = b""
        for number, (record, frame) in enumerate(packets(capture)):
            opcode = frame[42]
            # Payloads are zeros: what is cut off is not missed.
            short = record[:8] + struct.pack("<I", min(len(frame), 120)) + record[12:] + frame[:120]
            if len(few) < 600:
                few += short
            if number % 7 == 0:
                many += short
            if opcode not in seen and len(frame) < 200:
                seen.add(opcode)
                write("codec", f"opcode_{opcode:02x}", b"\0" + frame)
                write("codec", f"opcode_{opcode:02x}_fcs", b"\3" + frame + bytes(4))
        write("captures", capture.name, head + few)
        write("captures", "many_" + capture.name, head + many[:4000])
        write("captures", capture.name + ".gz", gzip.compress(head + few, mtime=0))
    frame = next(packets(ROOT / "traces/cnp.pcap"))[1][:90]
    block = struct.pack("<IIIIIII", 6, 32 + 92, 0, 0, 1, 90, 90) + frame + bytes(2) + struct.pack("<I", 32 + 92)
    section = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    interface = struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20)
    erf = struct.pack("<QBBHHH", 1 << 32, 2, 4, 18 + 94, 0, 94) + bytes(2) + frame + bytes(4)
    for name, times in (("one", 1), ("many", 30)):
        write("captures", f"{name}.pcapng", section + interface + block * times)
        write("captures", f"{name}.erf", erf * times)


def long_flow_lists():
    """Inputs as long as a fuzzer makes them: what short ones grow into is seldom read beyond its first lines."""
    flows = [(137 * n, n % 8, (n * 3 + 1) % 8 if n % 8 != (n * 3 + 1) % 8 else (n + 1) % 8, 1 + 977 * n) for n in range(150)]
    write("flow_lists", "many.csv", "\0start_ns,source,destination,bytes\n" +
          "".join(f"{at},h{a},{b},{size}\n" for at, a, b, size in flows))
    write("flow_lists", "many.ns3.txt", "\4" "130\n" +
          "".join(f"{a + 8} {b} {n % 8} 100 {size} 2.{at:09}\n" for n, (at, a, b, size) in enumerate(flows[:130])))
    write("flow_lists", "many.cm", "\2Nodes 8\nConnections 50\nTriggers 49\n" +
          "".join(f"{a}->{b} id {n + 1} {f'trigger {n}' if n else 'start 5'} size {size} " +
                  (f"send_done_trigger {n + 1}\n" if n < 49 else "\n") for n, (_, a, b, size) in enumerate(flows[:50])) +
          "".join(f"trigger id {n} oneshot\n" for n in range(1, 50)))


def texts():
    for file in sorted((ROOT / "tb/validate/compiler").glob("*.toml")):
        designs = file.read_text(encoding="utf-8").split("[[design]]")
        write("objects", file.name, "[[design]]".join(designs[:2])[:4000])
    for file in sorted((ROOT / "traces/flow_lists").iterdir()):
        write("flow_lists", file.name, "\0" + file.read_text(encoding="utf-8")[:1500])
    long_flow_lists()
    for file in sorted((ROOT / "traces/goal").iterdir()):
        write("goal", file.name, file.read_bytes()[:4000])
    write("goal", "all.goal", "num_ranks 3\nrank 0 {\na: calc 5 cpu 1 /* one\n*/\nsend 8b to 1 tag 7 // two\nb: recv 0b from -1 tag -1\n"
          "b irequires a\nb requires a\n}\nrank 2 {\n}\nrank 1 {\nr: recv 8b from 0 tag 7 nic 1\ns: send 0b to 0 cpu 2\n"
          "s requires r\n}\n")
    for number, file in enumerate(sorted((ROOT / "traces/topologies").iterdir())):
        write("topologies", file.name, bytes([3 * number]) + file.read_bytes())
    write("topologies", "star.ns3.txt", "\0" "4 1 3\n0\n1 0 100Gbps 0.001ms 0\n0 2 25Gbps 2us 0.01\n3 0 400Gbps 1500ns 1e-3\nmore\n")
    write("topologies", "many.ns3.txt", "\0" "150 2 149\n0 1\n" + "".join(
        f"{n} {n % 2} {25 * (n % 4 + 1)}Gbps {n}us {0 if n % 5 else 0.001}\n" for n in range(2, 150)) + "0 1 400Gbps 1us 0\n")
    write("topologies", "tiny.topo", "\5Nodes 32\nTiers 2\nPodsize 32\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n"
          "Downlink_Latency_ns 1000\nSwitch_Latency_ns 3\nOversubscribed 4\n\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\n"
          "Downlink_Latency_ns 500\nQueue_Up 64\n")
    write("p4_files", "small.p4info.txt", (ROOT / "tb/p4/p4info/small.p4info.txt").read_bytes())
    for file in sorted((ROOT / "tb/p4/counted").rglob("*.json")):
        write("p4_files", file.name, file.read_bytes()[:3000])
    for number in range(12):
        shown = subprocess.run([ROOT / "tb/tools/random_platforms", "--show", "--seed", "5", "--first", str(number),
                                "--count", "1"], capture_output=True, text=True, check=True)
        write("platforms", f"random_{number}.toml", shown.stdout)


def bare(file):
    lines = [line.split("#")[0].rstrip() for line in file.read_text(encoding="utf-8").splitlines()]
    return "\n".join(line for line in lines if line) + "\n"


def values():
    for folder in ("chips", "nics"):
        for file in sorted((ROOT / "platforms" / folder).glob("*.toml")):
            write(folder, file.name, bare(file))


def questions():
    """The first byte says which kind of file it is."""
    for file in sorted((ROOT / "platforms/observations").glob("*.toml")):
        write("questions", "observations_" + file.name, "\0" + bare(file))
    kinds = ("hypothesis", "reaction", "experiment", "curve", "nuisance")
    parts = re.split(rf"(?=^\[\[(?:{'|'.join(kinds)})\]\])", bare(ROOT / "platforms/hypotheses/cx7_spray.toml"), flags=re.MULTILINE)
    parts = [re.sub(r'(condition = )"[^"]*"', r'\1"c"', part) for part in parts]
    hypothesis = next(part for part in parts if "hypothesis.parameter" in part)
    for kind in kinds:
        first = next(part for part in parts if part.startswith(f"[[{kind}]]"))
        other = hypothesis if kind != "hypothesis" else ""
        write("questions", f"{kind}", '\1title = "t"\n' + other + first)
    write("questions", "bandwidth.txt", "\2" + (ROOT / "platforms/observations/cx5_gen3_x8.txt").read_text(encoding="utf-8"))
    write("questions", "bandwidth.json", '\3{"test_info": {"test": "RDMA_Write BW", "Number_of_qps": 1, "TX_depth": 128, '
          '"Mtu": 1024}, "results": {"MsgSize": 65536, "n_iterations": 5000, "BW_peak": 97.5, "BW_average": 97.4, '
          '"MsgRate": 0.185}}')
    write("questions", "counters.csv", "\4time,port_xmit_data,port_rcv_data,out_of_sequence,packet_seq_err\n0,0,0,0,0\n"
          "1,3125000000,100,20,3\n2,6250000000,200,40,6\n")



def p4_programs():
    """The first byte: bit 0 the target, bit 1 whether a program stands around what follows, bit 2 of which architecture."""
    parts = {
        "objects": "Register<bit<32>, bit<8>>(256) r; RegisterAction<bit<32>, bit<8>, bit<32>>(r) c = { void apply(inout bit<32> v, "
                   "out bit<32> rv) { if (v > 3) { rv = v; } v = v + 1; } };\nHash<bit<8>>(HashAlgorithm_t.CRC8) h;\n"
                   "apply { bit<8> i = h.get({hdr.h.a, hdr.h.b}); bit<32> x = c.execute(i); m.m = (bit<8>)x; }",
        "tables": "action f(bit<9> p) { t.ucast_egress_port = p; }\naction drop() { d.drop_ctl = 1; }\ntable route { key = { hdr.h.b : lpm; "
                  "hdr.h.isValid() : exact; } actions = { f; drop; } size = 1024; const default_action = drop; const entries = "
                  "{ (0x10 &&& 0xf0, true) : f(3); (_, false) : drop; } }\napply { if (route.apply().hit) { exit; } else "
                  "{ switch (route.apply().action_run) { f: { m.m = 1; } default: { return; } } } }",
        "expressions": "const bit<16> C = 3 << 2;\napply { hdr.h.b = (hdr.h.b & C) |+| (m.m ++ 8w1); m.m[3:0] = hdr.h.b[7:4]; "
                       "hdr.h.a = m.m == 3 && !hdr.h.isValid() ? 8w4 : (bit<8>)hdr.h.b; hdr.h = {1, 2}; hdr.s.push_front(1); }",
        "macros": "#define F(a, b) a ## b = a ## b + 1;\n#if __TARGET_TOFINO__ == 2 && !defined(X)\n#define W 4\n#else\n#define W 8\n#endif\n"
                  "apply { bit<W> v = 1; F(hdr.h.,a) @pragma stage 3\n @hidden v = v - 1; }",
    }
    for name, text in parts.items():
        write("p4_programs", name, "\2" + text)
        write("p4_programs", name + "_2", "\3" + text)
        write("p4_programs", name + "_few", "\6" + text)
    write("p4_programs", "many", "\2" + parts["tables"] + "\n" + "// more\n".join(
        f"action a{n}(bit<8> x) {{ m.m = x + {n}; }} table t{n} {{ key = {{ hdr.h.a : exact; }} actions = {{ a{n}; }} }}\n" for n in range(24)))
    for file in ("core.p4", "tofino_types.p4"):
        write("p4_programs", file, b"\0" + (ROOT / "platforms/p4/include" / file).read_bytes()[:4000])
    write("p4_programs", "types", "\0#include <core.p4>\nheader a_h { bit<8> a; varbit<32> v; } header_union u { a_h a; } struct s<T> { T x; a_h[4] k; "
          "tuple<T, bit<8>> t; }\nenum bit<4> e { A = 1, B } error { Mine }\ntypedef s<bit<8>> sb; const int<8> c = -3 |-| 100;\n"
          "extern x<T> { x(in T a, @optional bit<8> n); abstract T f(in T a); }\nbit<8> f<T>(in T a, out bit<8> b) { b = 3; return 4; }\n")


captures()
texts()
values()
questions()
p4_programs()
