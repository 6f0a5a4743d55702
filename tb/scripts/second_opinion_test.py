#!/usr/bin/python3
"""A second opinion on time: a bottleneck with deterministic arrivals beside an exact recursion.

Senders with links of their own send messages through one switch to one receiver. When each packet passes each point
follows from Lindley's recursion, depart = max(arrive, free) + work, in whole picoseconds, point after point: sender's
wire, switch, receiver's wire with the acknowledgements, switch, sender. It is written here from the page of the NIC
and from the formats of Ethernet, IPv4, UDP and InfiniBand alone, and uses nothing of the models. Every completion time
must be equal to the picosecond.

HORAE_LINDLEY=10000 tries so many platforms."""
import csv
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
HORAE = os.environ.get("HORAE_PROGRAM", str(ROOT / "build/platforms/horae"))
TRIES = int(os.environ.get("HORAE_LINDLEY", "25"))

PS_PER_S = 10**12
ETHERNET, FCS, IPV4, UDP, BTH, RETH, AETH, ICRC = 14, 4, 20, 8, 12, 16, 4, 4  # IEEE 802.3, IBTA vol. 1, annex 17
PREAMBLE_AND_GAP = 20
RATES = (1, 10, 25, 40, 50, 100, 200, 400)


def wire_bytes(payload, reth=False, aeth=False):
    """Of a RoCEv2 packet, with preamble and gap. IBTA pads payload to whole words."""
    headers = ETHERNET + IPV4 + UDP + BTH + (RETH if reth else 0) + (AETH if aeth else 0) + ICRC + FCS
    return max(headers + (payload + 3) // 4 * 4, 64) + PREAMBLE_AND_GAP


def time_of(size, gbps):
    return -(-size * 8 * PS_PER_S // (gbps * 10**9))


class Line:
    """A server that takes what comes in the order in which it comes."""

    def __init__(self, gbps):
        self.gbps, self.free, self.queued = gbps, 0, 0

    def depart(self, arrive, size):
        self.queued = max(self.queued, self.free - arrive)
        self.free = max(arrive, self.free) + time_of(size, self.gbps)
        return self.free


class Drawn:
    """A platform and its messages, at random."""

    def __init__(self, stream):
        self.mtu = stream.choice((256, 1000, 1024, 4096))
        self.latency = {name: stream.randint(0, 2_000_000) for name in ("tx", "rx", "ack", "switch")}
        senders = stream.randint(1, 6)
        self.links = [(stream.choice(RATES), stream.randint(100_000, 3_000_000)) for _ in range(senders)]
        self.bottleneck = (stream.choice(RATES), stream.randint(100_000, 3_000_000))
        self.exact_wake = stream.random() < 0.2
        # (start in ps, sender, bytes), by start. A sender is free again before its next message: which of its queue
        # pairs goes first is no question of time.
        self.messages = []
        for sender, (gbps, _) in enumerate(self.links):
            size = stream.randint(1, stream.choice((1, 4, 30)) * self.mtu)
            slack = stream.choice((1.0, 1.5, 4.0))
            period = int(self.work(size, gbps) * slack) // 1000 + 1
            start = stream.randint(0, 10_000)
            self.messages += [((start + i * period) * 1000, sender, size) for i in range(stream.randint(1, 12))]
        self.messages.sort()

    def packets(self, size):
        """Payloads of a message."""
        return [min(self.mtu, size - at) for at in range(0, size, self.mtu)]

    def work(self, size, gbps):
        return sum(time_of(wire_bytes(p, reth=i == 0), gbps) for i, p in enumerate(self.packets(size)))

    def toml(self):
        names = [f"s{i}" for i in range(len(self.links))]
        ends = [*zip(names, self.links), ("r", self.bottleneck)]
        links = "".join(f'[[link]]\nbetween = ["{name}", "switch0"]\nrate = "{gbps} Gbps"\ndelay = "{delay} ps"\n'
                        for name, (gbps, delay) in ends)
        listed = ", ".join(f'"{name}"' for name, _ in ends)
        scheduling = 'scheduling = "exact_wake"\n' if self.exact_wake else ""
        return f"""[platform]
name = "bottleneck"
[sim]
duration = "1 s"
stop = "finished"
{scheduling}[nic]
kind = "rnic"
mtu = "{self.mtu} B"
tx_latency = "{self.latency['tx']} ps"
rx_latency = "{self.latency['rx']} ps"
ack_delay = "{self.latency['ack']} ps"
reliability = {{ rto = "100 ms", ack_every = 4096, ack_request_every = 0, window = 4096 }}
[switch]
kind = "switch"
latency = "{self.latency['switch']} ps"
[[device]]
names = [{listed}]
profile = "nic"
[[device]]
names = ["switch0"]
profile = "switch"
{links}[[traffic]]
kind = "flow_list"
file = "messages.csv"
from = "0 s"
"""

    def list(self):
        return "start_ns,source,destination,bytes\n" + "".join(
            f"{start // 1000},s{sender},r,{size}\n" for start, sender, size in self.messages)

    def completions(self):
        """When each message is acknowledged, in ps; None where two packets reach a point in the same picosecond,
        because who goes first is then no question of time either. And the longest wait in the switch."""
        arrivals = []
        wires = [Line(gbps) for gbps, _ in self.links]
        for number, (start, sender, size) in enumerate(self.messages):
            for i, payload in enumerate(self.packets(size)):
                bits = wire_bytes(payload, reth=i == 0)
                at = wires[sender].depart(start, bits) + self.latency["tx"] + self.links[sender][1]
                arrivals.append((at + self.latency["switch"], number, bits, payload, i))
        arrivals.sort()
        out, replies = Line(self.bottleneck[0]), Line(self.bottleneck[0])
        last = {number: len(self.packets(size)) - 1 for number, (_, _, size) in enumerate(self.messages)}
        backs = [Line(gbps) for gbps, _ in self.links]
        done = {}
        reply = wire_bytes(0, aeth=True)
        for before, (at, number, bits, _, i) in zip([(-1,), *arrivals], arrivals):
            if at == before[0]:
                return None, 0
            received = out.depart(at, bits) + self.bottleneck[1] + self.latency["rx"]
            if i != last[number]:
                continue
            # Acknowledgements leave in the order in which data came, and a sender's come back in that order.
            sender = self.messages[number][1]
            left = replies.depart(received + self.latency["ack"], reply) + self.latency["tx"] + self.bottleneck[1]
            back = backs[sender].depart(left + self.latency["switch"], reply) + self.links[sender][1]
            done[number] = back + self.latency["rx"]
        return [done[n] for n in range(len(self.messages))], out.queued


class SecondOpinion(unittest.TestCase):
    def ours(self, drawn):
        """What horae says of each message, in ps."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "p.toml").write_text(drawn.toml(), encoding="utf-8")
            (folder / "messages.csv").write_text(drawn.list(), encoding="utf-8")
            ended = subprocess.run([HORAE, "run", "p.toml", "--out", "out", "--json", "--no-progress"], cwd=folder,
                                   capture_output=True, text=True, check=False)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            with open(folder / "out/flows.csv", encoding="utf-8") as file:
                return [int(row["last_completion_us"].replace(".", "")) for row in csv.DictReader(file)]

    def test_every_completion_is_lindleys_to_the_picosecond(self):
        compared = waited = 0
        for seed in range(TRIES):
            drawn = Drawn(random.Random(f"lindley {seed}"))
            expected, queued = drawn.completions()
            if expected is None:
                continue
            self.assertEqual(self.ours(drawn), expected, f"seed {seed}:\n{drawn.toml()}{drawn.list()}")
            compared += len(expected)
            waited += queued > 0
        print(f"{compared} messages of {TRIES} platforms; in {waited} of them packets waited in the switch")
        # It says something only where packets wait.
        self.assertGreater(2 * waited, TRIES)
        self.assertGreater(compared, 5 * TRIES)

    def test_a_recursion_that_is_wrong_by_a_picosecond_is_found(self):
        drawn = next(d for d in (Drawn(random.Random(f"lindley {seed}")) for seed in range(99)) if d.completions()[0])
        drawn.latency["switch"] += 1
        wrong = drawn.completions()[0]
        drawn.latency["switch"] -= 1
        self.assertNotEqual(self.ours(drawn), wrong)


if __name__ == "__main__":
    unittest.main()
