#!/usr/bin/python3 -B
"""Writes the first inputs of the fuzz targets, from files that the project has: tb/fuzz/make_seeds.py [FOLDER].

What fuzzers found beside them stays in the corpora (names of 40 hex digits); these are made again, the same bytes."""
import gzip
import pathlib
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
        few = b""
        for record, frame in list(packets(capture)):
            opcode = frame[42]
            # Payloads are zeros: what is cut off is not missed.
            if len(few) < 600:
                few += record[:8] + struct.pack("<I", min(len(frame), 120)) + record[12:] + frame[:120]
            if opcode not in seen and len(frame) < 200:
                seen.add(opcode)
                write("codec", f"opcode_{opcode:02x}", b"\0" + frame)
                write("codec", f"opcode_{opcode:02x}_fcs", b"\3" + frame + bytes(4))
        write("captures", capture.name, head + few)
        write("captures", capture.name + ".gz", gzip.compress(head + few, mtime=0))
    frame = next(packets(ROOT / "traces/cnp.pcap"))[1][:90]
    block = struct.pack("<IIIIIII", 6, 32 + 92, 0, 0, 1, 90, 90) + frame + bytes(2) + struct.pack("<I", 32 + 92)
    section = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    write("captures", "one.pcapng", section + struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20) + block)
    write("captures", "one.erf", struct.pack("<QBBHHH", 1 << 32, 2, 4, 18 + 94, 0, 94) + bytes(2) + frame + bytes(4))


def texts():
    for file in sorted((ROOT / "tb/validate/compiler").glob("*.toml")):
        designs = file.read_text(encoding="utf-8").split("[[design]]")
        write("objects", file.name, "[[design]]".join(designs[:2])[:4000])
    for file in sorted((ROOT / "traces/flow_lists").iterdir()):
        write("flow_lists", file.name, "\0" + file.read_text(encoding="utf-8")[:1500])
    for file in sorted((ROOT / "traces/goal").iterdir()):
        write("goal", file.name, file.read_bytes()[:4000])
    write("goal", "all.goal", "num_ranks 3\nrank 0 {\na: calc 5 cpu 1 /* one\n*/\nsend 8b to 1 tag 7 // two\nb: recv 0b from -1 tag -1\n"
          "b irequires a\nb requires a\n}\nrank 2 {\n}\nrank 1 {\nr: recv 8b from 0 tag 7 nic 1\ns: send 0b to 0 cpu 2\n"
          "s requires r\n}\n")
    for number, file in enumerate(sorted((ROOT / "traces/topologies").iterdir())):
        write("topologies", file.name, bytes([3 * number]) + file.read_bytes())
    write("topologies", "star.ns3.txt", "\0" "4 1 3\n0\n1 0 100Gbps 0.001ms 0\n0 2 25Gbps 2us 0.01\n3 0 400Gbps 1500ns 1e-3\nmore\n")
    write("topologies", "tiny.topo", "\5Nodes 32\nTiers 2\nPodsize 32\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n"
          "Downlink_Latency_ns 1000\nSwitch_Latency_ns 3\nOversubscribed 4\n\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 4\n"
          "Downlink_Latency_ns 500\nQueue_Up 64\n")
    write("p4_files", "small.p4info.txt", (ROOT / "tb/p4/p4info/small.p4info.txt").read_bytes())
    for file in sorted((ROOT / "tb/p4/counted").rglob("*.json")):
        write("p4_files", file.name, file.read_bytes()[:3000])
    for number in range(12):
        shown = subprocess.run([ROOT / "scripts/random_platforms", "--show", "--seed", "5", "--first", str(number),
                                "--count", "1"], capture_output=True, text=True, check=True)
        write("platforms", f"random_{number}.toml", shown.stdout)


def tables(text, count):
    """The head of a TOML file, and its first tables of lists."""
    return "\n[[".join(text.split("\n[[")[:count + 1]) + "\n"


def kinds():
    """NICs, chips, and what `horae explain` reads (first byte: which)."""
    for target in ("nics", "chips"):
        for file in sorted((ROOT / "platforms" / target).glob("*.toml")):
            lines = [line.split("#")[0].rstrip() for line in file.read_text(encoding="utf-8").splitlines()]
            write(target, file.name, "\n".join(line for line in lines if line) + "\n")
    hypotheses = (ROOT / "platforms/hypotheses/cx7_spray.toml").read_text(encoding="utf-8")
    write("questions", "cx7_spray.hypotheses.toml", "\1" + tables(hypotheses, 6))
    experiments = hypotheses[hypotheses.index("\n[[experiment]]"):]
    write("questions", "experiments.toml", "\1title = \"t\"\n[[hypothesis]]\nid = \"h\"\ntitle = \"h\"\n" + tables(experiments, 3))
    curves = hypotheses[hypotheses.index("\n[[curve]]"):]
    write("questions", "curves.toml", "\1title = \"t\"\n[[hypothesis]]\nid = \"h\"\ntitle = \"h\"\n" + tables(curves, 5))
    write("questions", "nic_scaling.toml",
          "\1" + tables((ROOT / "platforms/hypotheses/nic_scaling.toml").read_text(encoding="utf-8"), 6))
    for name in ("cx7_spray", "nic_scaling"):
        write("questions", f"{name}.observations.toml",
              "\0" + (ROOT / f"platforms/observations/{name}.toml").read_text(encoding="utf-8"))
    line = "-" * 87
    write("questions", "perftest.txt", "\4" + line + "\n                    RDMA_Write BW Test\n Number of qps   : 8\t\tTransport type : IB\n"
          " TX depth        : 128\n Mtu             : 1024[B]\n" + line +
          "\n #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
          " 64         5000             2.10               2.05   \t\t   4.003906\n"
          " 1048576    5000             55.87              55.86               0.006660\n" + line + "\n")
    write("questions", "perftest.json", "\3" '{\n"test_info": {\n"test": "RDMA_Write BW",\n"Number_of_qps": 4,\n'
          '"TX_depth": 128,\n"Mtu": 4096\n},\n"results": {\n"MsgSize": 65536,\n"n_iterations": 5000,\n"BW_peak": 390.11,\n'
          '"BW_average": 389.87,\n"MsgRate": 0.743\n}\n}\n')
    write("questions", "counters.csv", "\2# mlx5_0 port 1\ntime,port_xmit_data,packet_seq_err,out_of_sequence,port_rcv_packets\n"
          "10.0,1000,4294967290,0,0\n10.5,781251000,4294967290,100,4000\n12.0,3125001000,479994,300,16000\n")


captures()
texts()
kinds()
