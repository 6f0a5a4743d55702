#!/usr/bin/python3
"""Parts of tb/tools/bench in its own process: what it runs, what its captures hold, the commits it names, and what it prints of stand-ins."""
import contextlib
import io
import ipaddress
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tb/tools"), str(ROOT / "scripts")]

import importlib.machinery  # noqa: E402
import importlib.util  # noqa: E402

from benchmarks import commits, loads, measure, replay_load, table  # noqa: E402
from lib.common.complaint import Complaint  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("bench", str(ROOT / "tb/tools/bench"))
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", LOADER))
LOADER.exec_module(bench)


class InFolder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)

    def program(self, text, name="horae"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def printed(self, run):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run()
        return code, out.getvalue(), err.getvalue()


class Loads(unittest.TestCase):
    def words(self, name, length):
        return loads.LOADS[name].command("horae", length)[3:]

    def test_commands(self):
        rest = ["--json", "--no-progress", "--set"]
        self.assertEqual(loads.LOADS["fabric"].command("horae", 60),
                         ["horae", "run", str(ROOT / "platforms/leaf_spine_256.toml"), *rest, "sim.duration=60 us"])
        self.assertEqual(self.words("nic_sr", 1), [*rest, "sim.duration=1 us", "--set", "nic.transport=rnic_sr"])
        self.assertEqual(self.words("cx7", 10), [*rest, "sim.duration=10 us", "--set", "sim.sample=0 ps", "--set",
                                                 "sim.warmup=0 ps", "--point", "1"])
        self.assertEqual(self.words("race_128", 1), [*rest, "sim.duration=1 us"])  # next to nothing
        self.assertEqual(self.words("race_1024_themis", 128), [*rest, "traffic[0].message=128 KiB", "--set",
                                                               "leaf_spine.leaf=themis_tor", "--set", "nic.transport=rnic_sr"])
        self.assertEqual(self.words("reps_128", 2), [*rest, "traffic[0].size=2 KiB"])
        self.assertEqual(self.words("reps_1024", 2)[-2:], ["--set", "leaf_spine.hosts_per_leaf=32"])
        self.assertEqual(self.words("conweave", 5)[-1], "leaf_spine.leaf=conweave_tor")

    def test_names_say_how_many_nics_and_lengths_what_the_text_says(self):
        for name, load in loads.LOADS.items():
            self.assertEqual(load.name, name)
            self.assertLess(load.empty, load.counted[0])
            if name.startswith(("race_", "reps_", "fat_tree_")):
                nics = next(part for part in reversed(name.split("_")) if part.isdigit())
                self.assertTrue(load.what.startswith(f"{int(nics):,} NICs"), load.what)
                self.assertIn(f"of {load.timed} KiB each", load.what)
                self.assertEqual(load.counted[1], 2 * load.counted[0])
                self.assertGreaterEqual(load.timed, load.counted[1])
            if name.startswith("race_"):
                self.assertEqual("Themis" in load.what, name.endswith("_themis"))
                self.assertTrue((ROOT / "platforms/bench" / f"race_{nics}.toml").exists())
        # Half as many packets where there are more NICs: a count takes as long.
        self.assertEqual([loads.LOADS[n].timed for n in ("race_128", "race_128_themis", "race_1024", "race_1024_themis",
                                                         "race_4096", "race_4096_themis", "reps_128", "reps_1024",
                                                         "fat_tree_8192")],
                         [8192, 8192, 2048, 2048, 2048, 512, 8192, 2048, 1024])
        self.assertEqual([(load.name, load.counted) for load in loads.CHECKED], [("fabric", (50, 100)), ("nic", (50, 100)),
            ("themis", (512, 1024))])
        self.assertEqual({n: load.counted for n, load in loads.LOADS.items() if load.key == "sim.duration"},
                         {"fabric": (60, 120), "nic": (60, 120), "nic_sr": (60, 120), "themis": (60, 120),
                          "conweave": (60, 120), "cx7": (300, 600), "eunomia": (200, 400)})

    def test_names_and_groups(self):
        self.assertEqual(list(loads.find([])), [*loads.LOADS, "replay", "p4", "p4_passes", "p4_bytecode", "p4_compiled"])
        self.assertEqual(list(loads.find(["race"])), [n for n in loads.LOADS if n.startswith("race_")])
        self.assertEqual(list(loads.find(["reps", "nic"])), ["reps_128", "reps_1024", "nic"])
        self.assertEqual(loads.find(["p4", "nic"]), {"p4": None, "nic": loads.NIC})
        for name in ("rac", "race_", "fat_tree"):
            with self.assertRaisesRegex(Complaint, f"unknown load '{name}'"):
                loads.find([name])


class Captures(InFolder):
    def test_a_frame_is_a_write_with_right_lengths_and_checksum(self):
        data = replay_load.frame(1, 5, 37, 0x123456, 64)
        ip, udp, bth = data[14:34], data[34:42], data[42:54]
        self.assertEqual((data[:14], len(data)), (bytes(12) + b"\x08\x00", 14 + 20 + 8 + 12 + 64 + 4))
        total = sum(struct.unpack(">10H", ip))
        self.assertEqual((total & 0xffff) + (total >> 16), 0xffff)  # RFC 791
        version, tos, length, number, fragment, ttl, protocol, _, src, dst = struct.unpack(">BBHHHBBH4s4s", ip)
        self.assertEqual((version, tos, length, number, fragment, ttl, protocol), (0x45, 2, len(data) - 14, 0, 0x4000, 64, 17))
        self.assertEqual((str(ipaddress.IPv4Address(src)), str(ipaddress.IPv4Address(dst))), ("10.0.0.2", "10.0.0.6"))
        self.assertEqual(struct.unpack(">HHHH", udp), (0xc000 + 37, 4791, len(data) - 34, 0))
        self.assertEqual(struct.unpack(">BBHII", bth), (7, 0, 0xffff, 16 + 37, 0x123456))
        self.assertEqual(data[54:], bytes(68))
        for qp in range(0, 256, 5):
            for payload in (4, 1000, 4036):
                ip = replay_load.frame(qp % 4, 4, qp, 0, payload)[14:34]
                total = sum(struct.unpack(">10H", ip))
                self.assertEqual((total & 0xffff) + (total >> 16), 0xffff)

    def records(self, path):
        data, out = path.read_bytes(), []
        self.assertEqual(struct.unpack("<IHHiIII", data[:24]), (0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
        at = 24
        while at < len(data):
            seconds, ns, kept, length = struct.unpack("<IIII", data[at:at + 16])
            self.assertEqual(kept, length)
            out.append((seconds * 10**9 + ns, data[at + 16:at + 16 + kept]))
            at += 16 + kept
        return out

    def test_a_trace_is_so_many_packets_of_80_gbps_in_order_of_their_numbers(self):
        path = self.folder / "t.pcap"
        self.assertEqual(replay_load.write_trace(path, packets=2000), 2000)
        found = self.records(path)
        self.assertEqual((len(found), found[0][0]), (2000, 10**18))
        psns = {}
        for (time, data), (following, _) in zip(found, found[1:]):
            self.assertEqual(following - time, (len(data) + 24) * 8 // 80)
            qp, psn = struct.unpack(">II", data[46:54])
            self.assertEqual(psn, psns.get(qp, 0))
            psns[qp] = psn + 1
            self.assertEqual((data[29] - 1, data[33] - 1), ((qp - 16) % 4, 4 + (qp - 16) // 4 % 4))
        payloads = [len(data) - 58 for _, data in found]
        self.assertTrue(all(p % 4 == 0 and 4 <= p <= 4036 for p in payloads))
        self.assertLess(min(payloads), 20)
        self.assertGreater(max(payloads), 4016)
        self.assertGreater(len(psns), 250)
        self.assertTrue(all(16 <= qp < 272 for qp in psns))

    def test_a_trace_of_so_many_bytes(self):
        path = self.folder / "t.pcap"
        count = replay_load.write_trace(path, size=100_000)
        size = path.stat().st_size - 24
        self.assertEqual(len(self.records(path)), count)
        self.assertGreaterEqual(size, 100_000)
        self.assertLess(size - 16 - len(self.records(path)[-1][1]), 100_000)

    def test_commands_and_platforms(self):
        self.assertEqual(replay_load.command("h", "forward", "t", self.folder, False), ["h", "replay", "t@0", "--platform",
            f"{self.folder}/forward.toml", "--json", "--no-progress", "--out", f"{self.folder}/out",
                                                                                         "--no-packets", "--no-ports"])
        self.assertEqual(replay_load.command("h", "themis", "t", self.folder, True), ["h", "replay", "t@4", "--platform",
            str(ROOT / "platforms/themis_tor.toml"), "--device", "leaf1", "--json", "--no-progress",
                                                                                       "--out", f"{self.folder}/out"])
        replay_load.write_platform(self.folder)
        plain, p4 = ((self.folder / f"{n}.toml").read_text() for n in ("forward", "p4"))
        self.assertEqual([plain.count(f'between = ["h{i}", "t"]') for i in range(9)], [1] * 8 + [0])
        self.assertIn('program = { name = "forward" }', plain)
        self.assertIn("median.p4", p4)
        self.assertEqual(plain.replace('name = "forward"', ""),
                         p4.replace(p4[p4.index('name = "p4"'):p4.index('"]', p4.index("median.csv")) + 2], ""))

    def test_costs_are_of_a_packet_more(self):
        def instructions(words, only):
            packets = len(self.records(pathlib.Path(words[2].split("@")[0])))
            return 5_000_000 + (300 if only == ("f(*",) else 700) * packets, ""
        with mock.patch.object(replay_load, "instructions", instructions):
            self.assertEqual(replay_load.instructions_per_packet("h", "forward", self.folder, False), 700)
            self.assertEqual(replay_load.instructions_per_packet("h", "forward", self.folder, False, ("f(*",)), 300)
        def use(words):
            packets = len(self.records(pathlib.Path(words[2].split("@")[0])))
            return measure.Usage(0.5 + packets / 1000, 20 + packets, "")
        with mock.patch.object(replay_load, "use", use):
            speed, empty, peak = replay_load.measured("h", "forward", self.folder, 501)
        self.assertAlmostEqual(speed, 501 / 0.5)
        self.assertAlmostEqual(empty, 0.501)
        self.assertEqual(peak, 521)


class Measures(InFolder):
    def test_a_run_of_its_own(self):
        program = self.program("#!/usr/bin/python3\nimport sys, time\nt = time.process_time()\nwhile time.process_time() < t + 0.2: pass\nprint('{\"packet_hops\": 7}')\nsys.exit(4)\n")
        usage = measure.use([program])
        self.assertEqual(measure.hops_of(usage.output), 7)  # 4: it did not finish, and was simulated all the same
        self.assertTrue(0.2 <= usage.cpu_s < 1)
        self.assertTrue(2 < usage.peak_rss_mib < 60)

    def test_what_fails_is_one_line(self):
        for text, what in (("echo '{}'; exit 3", "horae failed: exit code 3"), ("echo x", "horae failed: exit code 0"),
                           ("echo first >&2; echo last >&2; exit 1", "horae failed: last")):
            with self.assertRaisesRegex(Complaint, f"^{what}$"):
                measure.use([self.program(f"#!/bin/sh\n{text}\n")])
        with self.assertRaisesRegex(Complaint, "cannot be run: "):
            measure.use([self.folder / "none"])

    def test_instructions_are_those_that_valgrind_counts(self):
        self.program("#!/bin/sh\necho \"$@\"\necho '==1== Collected : 1234' >&2\nexit ${CODE:-0}\n", "valgrind")
        with mock.patch.dict(os.environ, {"PATH": f"{self.folder}:/usr/bin:/bin"}):
            count, output = measure.instructions(["horae", 5])
            self.assertEqual((count, output.split()[-2:], output.split()[0]), (1234, ["horae", "5"], "--tool=callgrind"))
            self.assertNotIn("--toggle-collect", output)
            self.assertIn("--toggle-collect=f(* --toggle-collect=g horae", measure.instructions(["horae"], ("f(*", "g"))[1])
            with mock.patch.dict(os.environ, {"CODE": "4"}):
                self.assertEqual(measure.instructions(["horae"])[0], 1234)
            with mock.patch.dict(os.environ, {"CODE": "3"}), self.assertRaisesRegex(Complaint, "horae failed: ==1== Collected"):
                measure.instructions(["horae"])
            self.program("#!/bin/sh\nexit 0\n", "valgrind")
            with self.assertRaisesRegex(Complaint, r"horae failed: \?"):
                measure.instructions(["horae"])
        with mock.patch.dict(os.environ, {"PATH": str(self.folder / "empty")}), self.assertRaisesRegex(Complaint,
            "no valgrind; scripts/setup installs it"):
            measure.instructions(["horae"])

    def test_the_best_of_several_without_the_empty_one(self):
        def use(words):
            length = int(words[-1].split("=")[1].split()[0])
            times = iter_times[length]
            return measure.Usage(times.pop(0), 30.0 + length, '{"packet_hops": 4000}')
        iter_times = {300: [3.0, 2.5, 2.9], 1: [0.6, 0.5, 0.7]}
        with mock.patch.object(measure, "use", use):
            self.assertEqual(measure.timed(loads.FABRIC, "h", 3), (2000.0, 0.5, 330.0))
        self.assertEqual(iter_times, {300: [], 1: []})
        def instructions(words):
            length = int(words[-1].split("=")[1].split()[0])
            return 10_000 + 7 * 100 * length, json.dumps({"packet_hops": 100 * length})
        with mock.patch.object(measure, "instructions", instructions):
            self.assertEqual(measure.counted(loads.FABRIC, "h"), 7)
        self.assertAlmostEqual(measure.rate(10, 1, 1), 1e10)  # no time at all is not divided by


class OfCommits(InFolder):
    def repository(self):
        for words in (("init", "-q"), ("config", "user.email", "a@b"), ("config", "user.name", "n"),
                      ("commit", "-q", "--allow-empty", "-m", "one")):
            subprocess.run(["git", "-C", self.folder, *words], check=True, capture_output=True)
        return mock.patch.object(commits, "git", lambda *words: type(self).git(*words, root=self.folder))

    git = staticmethod(commits.git)

    def test_a_plus_is_of_what_changed_but_the_table(self):
        with self.repository():
            head = self.git("rev-parse", "HEAD", root=self.folder)
            name, day = commits.here()
            self.assertEqual((name, len(name), len(day)), (head[:9], 9, 10))
            (self.folder / "speed.csv").write_text("x")
            self.assertEqual(commits.here()[0], head[:9])
            (self.folder / "other").write_text("x")
            self.assertEqual(commits.here()[0], head[:9] + "+")
            program = self.program(f"#!/bin/sh\necho horae 1.0-{head[:9]}\n")
            commits.require_built(program)
            for text, said in (("echo horae 1.0", "is horae 1.0, not of the present commit"), ("true", "is of no version")):
                with self.assertRaisesRegex(Complaint, said):
                    commits.require_built(self.program(f"#!/bin/sh\n{text}\n"))

    def test_what_git_says_last(self):
        with self.assertRaisesRegex(Complaint, "^git rev-parse: fatal: "):
            commits.git("rev-parse", "HEAD", root=self.folder)
        with self.assertRaisesRegex(Complaint, "^nowhere/at/all cannot be run: No such file"):
            commits.start(["nowhere/at/all"])

    def test_a_folder_is_configured_once_and_built(self):
        self.program("#!/bin/sh\necho \"$@\" >>\"$LOG\"\n[ -z \"$FAILS\" ] || { echo why; echo ''; exit 1; }\n", "cmake")
        log = self.folder / "log"
        with mock.patch.dict(os.environ, {"PATH": f"{self.folder}:/usr/bin:/bin", "LOG": str(log)}):
            self.assertEqual(commits.build(pathlib.Path("tree"), self.folder), self.folder / "platforms/horae")
            (self.folder / "build.ninja").write_text("")
            commits.build(pathlib.Path("tree"), self.folder)
            self.assertEqual(log.read_text().splitlines(), [
                f"-S tree -B {self.folder} -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DHORAE_TESTS=OFF -DHORAE_UNITY=ON",
                f"--build {self.folder} --target horae",
                f"-S tree -B {self.folder}", f"--build {self.folder} --target horae"])
            with mock.patch.dict(os.environ, {"FAILS": "1"}), self.assertRaisesRegex(Complaint, "^tree does not build: why$"):
                commits.build(pathlib.Path("tree"), self.folder)

    def test_a_checkout_of_a_commit_is_gone_afterwards(self):
        with self.repository(), mock.patch.object(commits, "build", lambda tree, folder: (tree, tree.is_dir(), folder)):
            with commits.built("HEAD") as (tree, there, folder):
                self.assertTrue(there and (tree / ".git").exists())
                self.assertEqual(folder.parent, tree.parent)
            self.assertFalse(tree.exists())
            self.assertEqual(len(self.git("worktree", "list", root=self.folder).splitlines()), 1)


def options(**more):
    return types.SimpleNamespace(**{"loads": [], "record": False, "against": None, "check": False, "table": False,
                                    "instructions": True, "times": True, "repeats": 2, "no_build": True,
                                    "program": None, **more})


class Command(InFolder):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "speed.csv"
        self.program("#!/bin/sh\n")
        for of, name, value in ((measure, "counted", lambda load, program: 100.0 + len(load.name)),
                                (measure, "timed", lambda load, program, repeats: (1e6 * repeats, 0.5, 20.0)),
                                (replay_load, "instructions_per_packet", lambda program, load, folder, everything,
                                 only: 7.0 + everything - len(only)), (replay_load, "measured", lambda program, load, folder,
                                                 packets: (packets, 0.25, 9.0)),
                                (commits, "here", lambda: ("abc", "2026-01-02")),
                                (commits, "require_built", lambda program: None),
                                (commits, "commit_of", lambda name: f"{name}00000000"), (table, "FILE", self.file)):
            self.enterContext(mock.patch.object(of, name, value))
        for name in ("read", "append"):
            self.enterContext(mock.patch.object(table, name, getattr(table, name)))
            original = getattr(table, name)
            self.enterContext(mock.patch.object(table, name, lambda *a, o=original: o(*a, self.file)))

    def bench(self, **more):
        return self.printed(lambda: bench.bench(options(program=str(self.folder / "horae"), **more)))

    def test_loads_are_measured_and_printed_one_by_one(self):
        code, out, _ = self.bench(loads=["nic", "replay", "fabric"])
        rows = [line.split() for line in out.splitlines()]
        self.assertEqual((code, len(rows)), (0, 4))
        self.assertEqual([r[:6] for r in rows[1:]], [["nic", "103", "2e+06", "500", "0.50", "20"],
                                                     ["replay", "7", "2e+05", "5000", "0.25", "9"],
                                                     ["fabric", "106", "2e+06", "500", "0.50", "20"]])
        self.assertIn("horae replay, forward on one pipeline", out)
        self.assertFalse(self.file.exists())
        _, out, _ = self.bench(loads=["nic", "p4"], times=False)
        self.assertEqual([line.split()[1:6] for line in out.splitlines()[1:]],
                         [["103", "-", "-", "-", "-"], ["7", "-", "-", "-", "-"]])
        _, out, _ = self.bench(loads=["p4_passes"])  # two functions of it; its times are those of p4
        self.assertEqual([line.split()[1:6] for line in out.splitlines()[1:]], [["5", "-", "-", "-", "-"]])
        _, out, _ = self.bench(loads=["nic", "p4"], instructions=False)
        self.assertEqual([line.split()[1:3] for line in out.splitlines()[1:]], [["-", "2e+06"], ["-", "2e+05"]])

    def test_what_is_recorded_is_read_and_checked(self):
        self.bench(loads=["nic"], record=True)
        lines = table.read()
        self.assertEqual([(line.kind, line.load, line.instructions, line.commit, line.date) for line in lines],
                         [("bench", "nic", 103, "abc", "2026-01-02"), ("check", "fabric", 106, "abc", "2026-01-02"),
                          ("check", "nic", 103, "abc", "2026-01-02"), ("check", "themis", 106, "abc", "2026-01-02")])
        code, out, err = self.bench(check=True)
        self.assertEqual((code, [line.split() for line in out.splitlines()], err),
                         (0, [f"{n} {c} instructions per packet-hop, recorded {c}".split() for n,
                              c in (("fabric", "106.0"), ("nic", "103.0"), ("themis", "106.0"))], ""))
        with mock.patch.object(measure, "counted", lambda load, program: 110.0):
            code, _, err = self.bench(check=True)
        self.assertEqual((code, err),
                         (1, "bench: nic: 110.0 instructions per packet-hop, 6.8 % more than the 103.0 recorded at abc; at most 5 %\n"))
        code, out, _ = self.bench(table=True, loads=["nic", "fabric"])
        self.assertEqual([line.split()[0] for line in out.splitlines()], ["load", "nic"])
        self.file.unlink()
        code, out, err = self.bench(check=True)
        self.assertEqual((code, err.count("no recorded line"), "recorded -" in out), (1, 3, True))

    def test_against_what_was_recorded(self):
        table.append([table.Line("old", "2026-01-01", "bench", "nic", 206.0, 1e6, 0.5, 10.0)])
        code, out, _ = self.bench(against="old", loads=["nic", "fabric"])
        self.assertTrue(out.startswith("against the lines recorded at old000000; here:\n"))
        self.assertEqual(out.splitlines()[-2].split(),
                         "nic 206.0 -> 103.0 -50.0 % 1e+06 -> 2e+06 +100.0 % 10 -> 20 +100.0 %".split())
        self.assertEqual(out.splitlines()[-1].split(), "fabric not measured before".split())
        _, out, _ = self.bench(against="old")  # of all loads those that were recorded
        self.assertEqual(len(out.splitlines()), 6)

    def test_against_one_that_has_to_be_built(self):
        with mock.patch.object(commits, "built", lambda commit: contextlib.nullcontext(f"program of {commit}")):
            seen = []
            with mock.patch.object(measure, "counted", lambda load, program: seen.append(str(program)) or 100.0 * len(seen)):
                _, out, _ = self.bench(against="new", loads=["nic"])
        self.assertEqual(seen, ["program of new00000000", str(self.folder / "horae")])
        self.assertEqual((out.splitlines()[0], out.splitlines()[3]),
                         ("no line is recorded at new000000: built and measured now, with the platforms of this checkout",
                          "here:"))
        self.assertIn("100.0 -> 200.0 +100.0 %", out)

    def test_the_build_is_made_unless_it_is_told_not_to(self):
        made = []
        with mock.patch.object(commits, "build", lambda root, folder: made.append((root, folder)) or self.folder / "horae"):
            self.printed(lambda: bench.bench(options(loads=["nic"], no_build=False)))
            self.assertEqual(made, [(ROOT, ROOT / "build")])
            self.bench(loads=["nic"], no_build=False)
            self.assertEqual(len(made), 1)
        with self.assertRaisesRegex(Complaint, "none is no program"):
            bench.bench(options(program=str(self.folder / "none")))
        (self.folder / "plain").write_text("")
        with self.assertRaisesRegex(Complaint, "plain is no program"):
            bench.bench(options(program=str(self.folder / "plain")))

    def test_options_that_do_not_go_together(self):
        def told(*words):
            with mock.patch.object(sys, "argv", ["bench", *words]):
                return bench.arguments()
        found = told("nic", "--repeats", "1", "--no-times")
        self.assertEqual((found.loads, found.repeats, found.times, found.instructions, found.record, found.no_build,
                          found.program), (["nic"], 1, False, True, False, False, None))
        self.assertEqual(told().repeats, 3)
        for words, line in ((("--repeats", "0"), "--repeats 0: expected 1 or more"),
                            (("--check", "nic"), "--check has loads of its own"), (("--no-instructions", "--no-times"),
                                "leave nothing to measure"),
                            (("--record", "--no-times"), "--record writes whole lines"), (("--record", "--no-instructions"),
                                "--record writes whole lines"),
                                (("--record", "--program", "x"), "--record is of this checkout")):
            with self.assertRaisesRegex(Complaint, line):
                told(*words)


class Tables(unittest.TestCase):
    def line(self, load, instructions=None, **more):
        return table.Line("abc", "d", "bench", load, instructions, **more)

    def test_growth_and_its_limit(self):
        self.assertEqual((table.growth(0, 5), table.growth(5, 0), table.growth(6, 5)), (-1, None, 6 / 5 - 1))
        self.assertEqual(table.regressions({"a": self.line("a", 104.9)}, {"a": self.line("a", 100.0)}), [])
        self.assertEqual(len(table.regressions({"a": self.line("a", 5.0)}, {"a": self.line("a")})), 1)
        (more,) = table.regressions({"a": self.line("a", 205.04)}, {"a": self.line("a", 102.52)})
        self.assertEqual(more, "a: 205.0 instructions per packet-hop, 100.0 % more than the 102.5 recorded at abc; at most 5 %")

    def test_cells_and_columns(self):
        self.assertEqual((table.cell(None, ".1f"), table.cell(0.0, ".1f"), table.cell(None, "d", "x")), ("-", "0.0", "x"))
        head, row = table.text([self.line("nic", 1234.5, hops_per_cpu_s=2e6, empty_cpu_s=1.005, peak_rss_mib=99.5)],
                               {"nic": "what"}).splitlines()
        for title, value in (("instr/hop", "1234"), ("hops/s (CPU)", "2e+06"), ("ns/hop", "500"), ("start-up s", "1.00"),
                             ("peak MiB", "100")):
            self.assertEqual(head.index(title) + len(title), row.index(value) + len(value), title)
        self.assertEqual(head.index("what"), row.index("what"))

    def test_beside_each_other_in_columns(self):
        old, new = self.line("a", 100.0, hops_per_cpu_s=1e6, peak_rss_mib=10.0), self.line("a", 90.0, hops_per_cpu_s=2e6,
            peak_rss_mib=None)
        head, row, none = table.comparison({"a": new, "b": new}, {"a": old}).splitlines()
        self.assertEqual(row.split(), "a 100.0 -> 90.0 -10.0 % 1e+06 -> 2e+06 +100.0 % 10 -> -".split())
        self.assertEqual(none.split(), "b not measured before".split())
        self.assertEqual(head.index("instr/hop") + 9, row.index("90.0") + 4)


if __name__ == "__main__":
    unittest.main()
