#!/usr/bin/python3
"""Each law of tb/tools/random_platforms on runs made up by hand: one that keeps it, and those that break it by the least; which laws a
platform is subject to; how a platform is made smaller; how runs are started."""
import copy
import csv
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tb/tools"), str(ROOT / "scripts")]

from lawful import facts, laws, replays, runs, shrink  # noqa: E402
from lib.common.complaint import Complaint  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("random_platforms", str(ROOT / "tb/tools/random_platforms"))
random_platforms = importlib.util.module_from_spec(importlib.util.spec_from_loader("random_platforms", LOADER))
LOADER.exec_module(random_platforms)


def value(n):
    return {"value": n, "unit": "packets"}


def platform(**more):
    return {"sim": {"duration": "300 ms"}, "link_default": {"rate": "100 Gbps", "delay": "1000 ns"}, "edge": {"kind": "switch"},
            "core": {"kind": "switch"},
            "leaf_spine": {"leaves": 2, "hosts_per_leaf": 3, "spines": 2},
            "nic": {"transport": "irn", "congestion": {"algorithm": "none"}},
            "traffic": [{"kind": "batch", "pattern": "pairs", "from": ["h0"], "to": ["h1"], "size": "500 B"}], **more}


def flow(**more):
    return {"flow": "0", "messages_posted": "1", "messages_completed": "1", "messages_failed": "0", "error_us": "",
            "bytes_delivered": "500", "bytes_completed": "500", "slowdown": "1.0000",
            "ideal_us": "5.0", "fct_us": "5.0", "last_completion_us": "7.5", **more}


def summary(**more):
    return {"verdict": "complete", "packets": {"created": 10, "delivered": 9, "dropped": {"queue": 1, "loss": 0},
                                               "in_flight": 0}, "packet_hops": 40, "sim_time_ps": 1000, "rows": {},
            "results": {"senders.tx_share": {"value": 0.25, "unit": "share of line"}, "senders.idle_window": {"value": 0.75,
                "unit": "share of time"}, "flows.messages_failed": {"value": 0, "unit": ""}},
            "statistics": {"h0": {"delivered_bytes": value(0), "port0": {"tx_packets": value(4)}},
                           "h1": {"delivered_bytes": value(500), "port0": {"tx_packets": value(6)}, "events": value(1)},
                           "leaf0": {"port0": {"tx_packets": value(99)}}}, **more}


class Ran:
    def __init__(self, code=0, err="", flows=None, **more):
        self.code, self.err, self.summary = code, err, summary(**more) if code == 0 else None
        self.rows = [flow()] if flows is None else flows

    def flows(self):
        return self.rows

    def result(self, name):
        return self.summary["results"].get(name, {}).get("value")


class Subject:
    """`others`: how the runs end that a law asks for, one after the other."""

    def __init__(self, base=None, others=(), **of_platform):
        self.platform, self.base, self.others, self.asked = platform(**of_platform), base or Ran(), list(others), []

    def changed(self, change):
        other = copy.deepcopy(self.platform)
        change(other)
        return self.run(other)

    def run(self, p, *options):
        self.asked.append((p, options))
        return self.others.pop(0)


def said(law, *arguments, **more):
    return list(law(Subject(*arguments, **more)))


class Laws(unittest.TestCase):
    def test_it_ends(self):
        for base, more, lines in (
                (Ran(), {}, []), (Ran(2, "one line"), {}, []), (Ran(3, "a\nb"), {}, []),
                (Ran(2, "a\nb"), {}, ["refused with 2 lines"]), (Ran(2, ""), {}, ["refused with 0 lines"]),
                (Ran(-11, ""), {}, ["exit code -11: nothing said"]), (Ran(1, "first\nsecond"), {}, ["exit code 1: first"]),
                (Ran(None, "slow"), {}, ["exit code None: slow"]),
                (Ran(None, "slow"), {"nic": {"transport": "go_back_0"}}, []), (Ran(verdict="stuck"), {}, ["verdict stuck"]),
                (Ran(verdict="error"), {}, ["verdict error without retries"]),
                (Ran(verdict="error"), {"nic": {"transport": "irn", "reliability": {"retry_count": 1}}}, []),
                (Ran(verdict="timeout"), {"nic": {"transport": "go_back_0"}}, []),
                (Ran(verdict="stuck"), {"nic": {"transport": "go_back_0"}}, ["verdict stuck"])):
            with self.subTest((base.code, base.err, more)):
                self.assertEqual(said(laws.ends, base, **more), lines)

    def test_what_is_slow_goes_on_in_ten_times_the_time(self):
        slow = Ran(verdict="timeout")
        for other, lines in ((Ran(), []), (Ran(verdict="stuck"), ["verdict stuck"]),
                             (Ran(verdict="timeout"), ["verdict timeout"]),
                             (Ran(verdict="timeout", flows=[flow(bytes_delivered="501")]), []),
                             (Ran(None), ["verdict exit code None in ten times the time"])):
            subject = Subject(slow, [other])
            self.assertEqual(list(laws.ends(subject)), lines)
            self.assertEqual(subject.asked[0][0]["sim"]["duration"], "3000 ms")

    def test_books(self):
        packets = summary()["packets"]
        self.assertEqual(said(laws.books), [])
        for change, lines in (({"created": 11}, ["books: "]), ({"delivered": 8, "in_flight": 1},
                                                               ["1 packets in flight at the end"]),
                                                               ({"created": 9, "delivered": 8},
                                                                ["NICs sent 10 packets, 9 were created"])):
            found = said(laws.books, Ran(packets={**packets, **change}))
            self.assertEqual([a.startswith(b) for a, b in zip(found, lines)], [True] * len(lines))
            self.assertGreaterEqual(len(found), len(lines))
        flying = Ran(packets={**packets, "delivered": 8, "in_flight": 1})
        self.assertEqual(said(laws.books, flying, edge={"kind": "tofino"}), [])
        flying.summary["verdict"] = "error"
        self.assertEqual(said(laws.books, flying), [])
        fewer = Ran(packets={**packets, "created": 9, "delivered": 8})
        for more in ({"edge": {"kind": "tofino"}}, {"core": {"kind": "switch", "trim": "64 B"}}):
            self.assertEqual(said(laws.books, fewer, **more), [])

    def test_payload(self):
        self.assertEqual(said(laws.payload), [])
        self.assertEqual(said(laws.payload, Ran(flows=[flow(messages_completed="0")])), ["flow 0: 0 of 1 messages"])
        self.assertEqual(said(laws.payload, Ran(flows=[flow(bytes_completed="499")])),
                         ["flow 0: 500 bytes delivered, 499 completed"])
        self.assertEqual(said(laws.payload, Ran(flows=[flow(bytes_delivered="499", bytes_completed="499")])),
                         ["499 bytes delivered of 500", "NICs count 500 bytes, flows 499"])

    def test_errors(self):
        retries = {"nic": {"transport": "irn", "reliability": {"retry_count": 0}}}
        bad = flow(messages_posted="3")
        self.assertEqual(said(laws.errors, Ran(flows=[bad])), [])  # nobody gives up
        self.assertEqual(said(laws.errors, Ran(flows=[]), **retries), [])
        self.assertEqual(said(laws.errors, Ran(flows=[bad]), **retries), ["flow 0: 3 posted, 1 completed, 0 failed"])
        gave_up = flow(messages_posted="3", messages_failed="2", error_us="9")
        results = {**summary()["results"], "flows.messages_failed": {"value": 2, "unit": ""}}
        self.assertEqual(said(laws.errors, Ran(flows=[gave_up], results=results), **retries), [])
        self.assertEqual(said(laws.errors, Ran(flows=[{**gave_up, "error_us": ""}], results=results), **retries),
                         ["flow 0: 2 messages failed without an error"])
        self.assertEqual(said(laws.errors, Ran(flows=[flow(), gave_up])), [])
        self.assertEqual(said(laws.errors, Ran(flows=[flow(), gave_up]), **retries),
                         ["flows count 2 messages in error, the results 0"])
        self.assertEqual(said(laws.errors, Ran(flows=[flow(bytes_delivered="499")]), **retries),
                         ["flow 0: 500 bytes completed, 499 delivered"])
        self.assertEqual(said(laws.errors, Ran(flows=[flow(bytes_delivered="501")]), **retries), [])

    def test_numbers(self):
        def with_(**more):
            return Ran(results={**summary()["results"], **{k: {"value": v[0], "unit": v[1]} for k, v in more.items()}})
        self.assertEqual(said(laws.numbers), [])
        for told, lines in (((-1, "us"), ["x = -1"]), ((float("nan"), "us"), ["x = nan"]), ((float("inf"), "us"), ["x = inf"]),
                            ((None, "us"), []), ((1.0, "share of line"), []),
                            ((1.000001, "share of line"), ["x = 1.000001 share of line"]),
                            ((7, "us"), []), ((0, "us"), []), ((1.5, "ratio"), [])):
            self.assertEqual(said(laws.numbers, with_(x=told)), lines)
        self.assertEqual(said(laws.numbers, with_(**{"senders.idle_x": (0.01, "share of time")})),
                         ["shares of the senders' time sum to 1.01"])
        off = with_(**{"senders.idle_x": (1.5e-6, "share of time")})
        self.assertEqual(len(said(laws.numbers, off)), 1)
        self.assertEqual(said(laws.numbers, with_(**{"senders.idle_x": (0.5e-6, "share of time")})), [])
        # With several ports a packet's time is no whole number of picoseconds: 10 packets in 1,000 ps.
        more = with_(**{"senders.idle_x": (0.009, "share of time")})
        self.assertEqual((said(laws.numbers, more, nic={"transport": "irn", "ports": 2}),
                          len(said(laws.numbers, more, nic={"transport": "irn", "ports": 1}))), ([], 1))
        unequal = {"device": [{"names": ["h0", "h1"], "profile": "nic"}], "link": [{"between": ["h0", "s"], "rate": "1 Gbps"},
            {"between": ["h1", "s"]}]}
        self.assertEqual(said(laws.numbers, more, **unequal), [])

    def test_not_faster_than_idle(self):
        fast = Ran(flows=[flow(slowdown="0.9998")])
        self.assertEqual(said(laws.not_faster_than_idle, fast), ["flow 0: slowdown 0.9998"])
        self.assertEqual(said(laws.not_faster_than_idle, Ran(flows=[flow(slowdown="0.9999"), flow(slowdown="")])), [])
        for nic in ({"memory": {"jitter": "1 ns"}}, {"sram": {"limited": True}}, {"ordering": {"engine": "irn"}},
                    {"entropy": {"scheme": "reps"}}):
            self.assertEqual(said(laws.not_faster_than_idle, fast, nic={"transport": "irn", **nic}), [], nic)

    def test_alone_is_ideal(self):
        self.assertEqual(said(laws.alone_is_ideal, None, [Ran()]), [])
        for other, n in ((Ran(flows=[flow(slowdown="1.0001")]), 1), (Ran(flows=[flow(ideal_us="4.9")]), 1), (Ran(2), 0),
                         (Ran(1), 0), (Ran(verdict="stuck", flows=[flow(slowdown="2")]), 0)):
            self.assertEqual(len(said(laws.alone_is_ideal, None, [other])), n)
        subject = Subject(None, [Ran()], link_default={"rate": "1 Gbps", "loss": 0.1},
                          link=[{"between": ["a", "b"], "outage": [], "loss": 1, "bit_errors": 2, "rate": "2 Gbps"}],
                          impairment_group=[{"loss": 1}, {"rate": "3 Gbps"}])
        list(laws.alone_is_ideal(subject))
        asked = subject.asked[0][0]
        self.assertEqual((asked["traffic"], asked["link_default"], asked["link"], asked["impairment_group"]),
                         ([{"kind": "batch", "pattern": "pairs", "from": ["h0"], "to": ["h1"], "size": "123457 B",
                            "start": "4321 ns"}], {"rate": "1 Gbps"}, [{"between": ["a", "b"], "rate": "2 Gbps"}],
                            [{"rate": "3 Gbps"}]))
        p = platform(impairment_group=[{"loss": 1}])
        laws.only_message(p)
        self.assertNotIn("impairment_group", p)

    def test_loses_nothing(self):
        self.assertEqual(said(laws.loses_nothing), ["lost: {'queue': 1}"])
        whole = {**summary()["packets"], "dropped": {"queue": 0}}
        self.assertEqual(said(laws.loses_nothing, Ran(packets=whole)), [])
        self.assertEqual(said(laws.loses_nothing, edge={"kind": "switch", "queue_limit": "1 B"}), [])
        statistics = copy.deepcopy(summary()["statistics"])
        statistics["h0"]["host"] = {"rx_buffer_drops": value(1)}
        self.assertEqual(said(laws.loses_nothing, Ran(statistics=statistics)), [])

    def test_keeps_order(self):
        whole = {**summary()["packets"], "dropped": {"queue": 0}}
        late = {"receivers.out_of_order": {"value": 0.1, "unit": ""}}
        self.assertEqual(said(laws.keeps_order, Ran(packets=whole, results=late)),
                         ["a share of 0.1 arrived out of order on one path, and nothing was lost"])
        self.assertEqual(said(laws.keeps_order, Ran(results=late)), [])  # something was
        self.assertEqual(said(laws.keeps_order, Ran(packets=whole, results={})), [])
        self.assertEqual(said(laws.keeps_order, Ran(packets=whole, results=late), edge={"kind": "switch", "balance": "spray"}),
                         [])

    def test_ways_change_nothing(self):
        for law, key, told in ((laws.windows, "window", "600 ns"), (laws.exact, "scheduling", "exact_wake")):
            subject = Subject(None, [Ran()])
            self.assertEqual(list(law(subject)), [])
            self.assertEqual(subject.asked[0][0]["sim"][key], told)
            for part in ("packets", "packet_hops", "verdict", "sim_time_ps", "results", "rows", "statistics"):
                (line,) = said(law, None, [Ran(**{part: "other"})])
                self.assertIn(f": {part} differ: ", line)
        self.assertEqual(said(laws.windows, None, [Ran(flows=[flow(fct_us="5.1")])]), ["window 600 ns: flows.csv differ"])
        self.assertEqual(said(laws.windows, None, [Ran(1, "why")]), ["window 600 ns: exit code 1 in place of 0: why"])
        subject = Subject(None, [Ran()])
        list(laws.ranks(subject))
        self.assertEqual(subject.asked[0][1], ("--ranks", "2"))
        self.assertEqual(said(laws.ranks, None, [Ran(packet_hops=41)]), ["2 ranks: packet_hops differ:  40 and 41"])
        subject = Subject(None, [Ran()])
        list(laws.threads(subject))
        self.assertEqual(subject.asked[0][1], ("--threads", "3", "--threads-from", "40"))
        self.assertEqual(said(laws.threads, None, [Ran(packet_hops=41)]), ["3 threads: packet_hops differ:  40 and 41"])

    def test_checked_passes_change_nothing(self):
        self.assertEqual(said(laws.held_to_rules), [])  # no switch has a program
        chip = {"kind": "tofino", "program": {"name": "themis"}}
        subject = Subject(None, [Ran()], edge=chip)
        self.assertEqual(list(laws.held_to_rules(subject)), [])
        self.assertIs(subject.asked[0][0]["sim"]["checked"], True)
        self.assertEqual(said(laws.held_to_rules, None, [Ran(3, "a second access")], edge=chip),
                         ["checked: exit code 3 in place of 0: a second access"])

    def test_smallest_delays(self):
        for more, ns in (({}, 1000), ({"link": [{"delay": "30 ns"}, {}]}, 30),
                         ({"two_sites": {"edge_delay": "50 ns", "long_delay": "40 ns"}}, 40),
                         ({"link_default": {"delay": "1 ns"}}, 1)):
            self.assertEqual(laws.smallest_delay_ns(platform(**more)), ns)
        subject = Subject(None, [Ran()], link_default={"delay": "1 ns"})
        list(laws.windows(subject))
        self.assertEqual(subject.asked[0][0]["sim"]["window"], "1 ns")

    def test_views_change_nothing_but_what_is_counted_of_events(self):
        other = copy.deepcopy(summary()["statistics"])
        other["h1"]["events"] = value(7)
        subject = Subject(None, [Ran(), Ran(statistics=other)])
        self.assertEqual(list(laws.watched(subject)), [])
        self.assertEqual((subject.asked[0][0]["sim"]["sample"], subject.asked[1][1]),
                         ("1777 ns", ("--trace", "--waves", "--trace-most", "50000")))
        self.assertEqual(len(said(laws.watched, None, [Ran(statistics=other), Ran()])), 1)  # samples are watched by nobody
        long = Subject(Ran(packet_hops=5000), [Ran(packet_hops=5000)])
        self.assertEqual((list(laws.watched(long)), len(long.asked)), ([], 1))
        self.assertEqual(len(said(laws.watched, Ran(packet_hops=4999), [Ran(packet_hops=4999), Ran()])), 1)

    def test_a_module_changes_nothing_but_where_outages_cut(self):
        def with_tap(cut, port, **more):
            other = Ran(**more)
            other.summary["statistics"]["tap"] = {"cut_by_outage": value(cut)} if cut is not None else {}
            other.summary["results"]["tap.x"] = value(1)
            if port is not None:
                other.summary["statistics"]["leaf0"]["port0"]["cut_by_outage"] = value(port)
            return other
        def base():
            statistics = copy.deepcopy(summary()["statistics"])
            statistics["leaf0"]["port0"]["cut_by_outage"] = value(3)
            return Ran(statistics=statistics)
        subject = Subject(base(), [with_tap(1, 2)])
        self.assertEqual(list(laws.through_module(subject)), [])
        self.assertEqual(subject.asked[0][0]["module"],
                         [{"name": "tap", "kind": "delay", "between": ["leaf0", "spine0"], "link": 0}])
        self.assertEqual(said(laws.through_module, base(), [with_tap(0, 2)]),
                         ["a module between leaf0 and spine0: outages cut another number of packets than 3"])
        self.assertEqual(said(laws.through_module, base(), [with_tap(None, 3)]), [])
        self.assertEqual(len(said(laws.through_module, base(), [with_tap(None, 3, packet_hops=1)])), 1)
        self.assertEqual(said(laws.through_module, base(), [Ran(1, "no")]), ["a module: exit code 1 in place of 0: no"])
        self.assertEqual(said(laws.through_module, leaf_spine={"planes": 2}), [])

    def test_twice_the_rates_are_not_later(self):
        subject = Subject(None, [Ran(flows=[flow(last_completion_us="7.4")])],
                          link=[{"between": ["a", "b"], "rate": "10 Gbps"}], leaf_spine={"host_rate": "25 Gbps", "leaves": 1,
                              "hosts_per_leaf": 2}, impairment_group=[{"rate": "3 Gbps"}],
                          two_sites={"edge_rate": "4 Gbps", "long_rate": "5 Gbps"})
        self.assertEqual(list(laws.more_bandwidth(subject)), [])
        p = subject.asked[0][0]
        self.assertEqual((p["link_default"]["rate"], p["link"][0]["rate"], p["leaf_spine"]["host_rate"],
                          p["impairment_group"][0]["rate"], p["two_sites"]), ("200 Gbps", "20 Gbps", "50 Gbps", "6 Gbps",
                              {"edge_rate": "8 Gbps", "long_rate": "10 Gbps"}))
        self.assertEqual(said(laws.more_bandwidth, None, [Ran(flows=[flow(last_completion_us="7.6")])]),
                         ["twice the rates: completed at 7.6 us, not 7.5 us"])
        self.assertEqual(said(laws.more_bandwidth, None, [Ran()]), [])
        self.assertEqual(said(laws.more_bandwidth, None, [Ran(2)]), [])
        self.assertEqual(said(laws.more_bandwidth, None, [Ran(1, "why")]), ["twice the rates: exit code 1: why"])
        for more in ({"traffic": []}, {"edge": {"kind": "switch", "queue_limit": "1 B"}},
                     {"edge": {"kind": "switch", "balance": "spray"}}, {"nic": {"congestion": {"algorithm": "dcqcn"}}},
                     {"nic": {"congestion": {"algorithm": "none"}, "qp_rate": "1"}},
                     {"nic": {"congestion": {"algorithm": "none"}, "memory": {}}},
                     {"nic": {"congestion": {"algorithm": "none"}, "retransmit": {"policies": ["context_lock"]}}}):
            self.assertEqual(said(laws.more_bandwidth, **more), [], more)

    def test_where_two_differ_first(self):
        for a, b, where in (({"a": {"b": 1}}, {"a": {"b": 2}}, "a.b 1 and 2"), ({"a": [1, {"c": 2}]}, {"a": [1, {"c": 3}]},
            "a[1].c 2 and 3"), ({"a": 1}, {"a": 1, "z": 2}, "z None and 2"), ({"a": [1]}, {"a": [1, 2]}, "a [1] and [1, 2]")):
            self.assertEqual(laws.first_difference(a, b), where)

    def test_the_first_law_that_is_broken(self):
        broken = Subject(Ran(packets={"created": 1, "delivered": 0, "dropped": {}, "in_flight": 0}))
        self.assertEqual(laws.broken(broken, ["ends", "keeps_order", "books", "payload"])[0], "books")
        self.assertIsNone(laws.broken(Subject(), ["ends", "books", "payload"]))
        self.assertIsNone(laws.broken(Subject(Ran(verdict="timeout"), []), ["books"]))
        self.assertIsNone(laws.broken(Subject(Ran(2, "x")), ["books"]))
        self.assertEqual(laws.broken(Subject(Ran(verdict="stuck")), ["ends"]), ("ends", "verdict stuck"))
        gave_up = Subject(Ran(verdict="error", flows=[flow(messages_completed="0")]),
                          nic={"transport": "irn", "reliability": {"retry_count": 1}})
        self.assertIsNone(laws.broken(gave_up, ["payload", "books"]))
        self.assertEqual(laws.broken(gave_up, ["payload", "errors"])[0], "errors")
        self.assertEqual(laws.WITH_ERRORS, {"ends", "books", "errors", "numbers", "windows", "exact", "threads", "ranks"})


class Facts(unittest.TestCase):
    def test_links_that_lose(self):
        self.assertFalse(facts.lossy_links(platform()))
        for more in ({"link_default": {"loss": 0.1}}, {"link": [{}, {"outage": [1]}]}, {"impairment": [{"bit_errors": 1}]},
                     {"impairment_group": [{"loss": 1}]}):
            self.assertTrue(facts.lossy_links(platform(**more)))
        self.assertFalse(facts.lossy_links(platform(link=[{"outage": [], "rate": "1"}])))

    def test_room_for_all(self):
        switch, chip, pfc = {"kind": "switch"}, {"kind": "tofino"}, {"pfc": {}}
        nic = platform()["nic"]
        for more, known in (({}, True), ({"edge": chip, "core": chip}, True), ({"edge": {**chip, **pfc}}, True),
                            ({"edge": chip, "core": {**switch, **pfc}}, False),
                            ({"edge": {**switch, **pfc}, "core": {**switch, **pfc}}, True),
                            ({"edge": {**switch, "queue_limit": "1 B"}}, False), ({"edge": {**switch, "queue_share": 1}},
                                False), ({"edge": {**switch, "buffer": "1 B"}}, False),
                                ({"edge": {**switch, "buffer": "1 B", **pfc}}, True),
                            ({"edge": {**chip, "program": {"name": "themis"}}}, False),
                            ({"edge": {**chip, "program": {"name": "forward", "nack_drop": 1}}}, False),
                            ({"edge": {**chip, "program": {"name": "forward"}}}, True),
                            ({"edge": {**switch, "deflect": True}}, False), ({"link_default": {"loss": 1}}, False),
                            ({"nic": {**nic, "sram": {"limited": True}}}, False), ({"nic": {**nic, "sram": {"limited": False}}},
                                True),
                            ({"nic": {**nic, "engine": {}, "host": "pcie"}}, False), ({"nic": {**nic, "engine": {}}}, True),
                            ({"nic": {**nic, "host": "pcie"}}, True)):
            self.assertEqual(facts.lossless(platform(**more)), known, more)

    def test_one_path(self):
        nic = platform()["nic"]
        for more, known in (({}, True), ({"routing": {"kind": "ksp"}}, True),
                            ({"routing": {"kind": "ksp"}, "core": {"kind": "switch", "balance": "po2"}}, False),
                            ({"nic": {**nic, "entropy": {"scheme": "fixed"}}}, True),
                            ({"nic": {**nic, "entropy": {"scheme": "reps"}}}, False), ({"nic": {**nic, "port_choice": "least"}},
                                False), ({"nic": {**nic, "port_choice": "hash"}}, True),
                                ({"impairment_group": [{"converge": "0 ns"}]}, False),
                            ({"impairment_group": [{"of": 1}]}, False), ({"impairment_group": [{}]}, True),
                            ({"failures": 1}, False), ({"edge": {"kind": "switch", "balance": "ecmp_linear"}}, True),
                            ({"edge": {"kind": "switch", "balance": "drill"}}, False),
                            ({"edge": {"kind": "switch", "deflect": 1}}, False), ({"edge": {"kind": "switch", "trim": 1}},
                                False), ({"edge": {"kind": "tofino"}}, True),
                                ({"edge": {"kind": "tofino", "program": {"name": "themis"}}}, False),
                            ({"edge": {"kind": "tofino", "program": {"name": "forward", "path_choice": "psn"}}}, False),
                            ({"edge": {"kind": "tofino", "program": {"name": "forward", "path_choice": "ecmp"}}}, True)):
            self.assertEqual(facts.one_path(platform(**more)), known, more)

    def test_a_single_message(self):
        one = platform()["traffic"][0]
        for traffic, known in (([one], True), ([one, one], False), ([{**one, "kind": "messages"}], False),
                               ([{**one, "pattern": "incast"}], False), ([{**one, "from": ["h0", "h1"]}], False)):
            self.assertEqual(facts.single_message(platform(traffic=traffic)), known)

    def test_acks_that_lock(self):
        for retransmit, known in (({}, False), ({"policies": ["context_lock"]}, True),
                                  ({"policies": ["context_lock"], "context_lock": {"acks": False}}, False),
                                  ({"policies": ["parts"], "context_lock": {"acks": True}}, False)):
            self.assertEqual(facts.acks_hold_up_sends(platform(nic={"retransmit": retransmit})), known)

    def test_bytes_that_are_known(self):
        for t, expected in (({"kind": "batch", "pattern": "pairs", "from": ["h0", "h1"], "size": "5 B"}, 10),
                            ({"kind": "batch", "pattern": "incast", "fan_in": 3, "size": "5 B"}, 15),
                            ({"kind": "batch", "pattern": "incast", "size": "5 B"}, 40),
                            ({"kind": "batch", "pattern": "tornado", "size": "5 B"}, 30),
                            ({"kind": "messages", "pattern": "tornado", "message": "5 B", "count": 2, "qps": 7}, 420),
                            ({"kind": "messages", "pattern": "tornado", "message": "5 B", "both_ways": True}, 60),
                            ({"kind": "messages", "pattern": "pairs", "from": ["h0"], "message": "5 B", "count": 3, "ping_pong": True}, 30),
                            ({"kind": "flows"}, None), ({"kind": "messages", "pattern": "tornado", "sizes": []}, None)):
            self.assertEqual(facts.expected_bytes(platform(traffic=[t])), expected, t)
        self.assertEqual(facts.expected_bytes(platform(traffic=platform()["traffic"] * 2)), 1000)

    def test_services_that_lose(self):
        for service, known in (("rc", False), ("dc", False), ("uc", True), ("ud", True)):
            self.assertEqual(facts.unreliable(platform(traffic=[{"kind": "messages", "service": service}])), known, service)

    def test_how_many_nics(self):
        for shape, hosts in (({"leaf_spine": {"leaves": 3, "hosts_per_leaf": 4}}, 12),
                             ({"fat_tree": {"k": 4, "hosts_per_edge": 1}}, 8), ({"fat_tree": {"k": 6, "hosts_per_edge": 2}},
                                 36), ({"jellyfish": {"hosts": 5}}, 5),
                             ({"two_sites": {"tors": 2, "hosts_per_tor": 3}}, 12),
                             ({"device": [{"names": ["a", "b"], "profile": "nic"}, {"names": ["s"], "profile": "edge"},
                                          {"names": ["c"], "profile": "nic"}]}, 3)):
            self.assertEqual(facts.host_count(shape), hosts)

    def test_a_link_for_a_module(self):
        links = {"link": [{"between": ["a", "b"]}, {"between": ["b", "c"]}, {"between": ["c", "d"]}]}
        for more, found in (({}, ["leaf0", "spine0"]), (links, ["b", "c"]), ({"leaf_spine": {"planes": 2}}, None),
                            ({"edge": {"kind": "tofino", "timing": {"cut_through": 1}}}, None),
                            ({"edge": {"kind": "tofino", "timing": {}}}, ["leaf0", "spine0"]),
                            ({"link_default": {"loss": 1, "outage": [1]}}, None),
                            ({"link_default": {"loss": 1}, "impairment_group": [{"outage": [1]}]}, None),
                            ({"link_default": {"outage": [1]}}, ["leaf0", "spine0"]), ({"link_default": {"bit_errors": 1}},
                                ["leaf0", "spine0"])):
            self.assertEqual(facts.link_for_a_module(platform(**more)), found, more)
        other = platform()
        del other["leaf_spine"]
        self.assertIsNone(facts.link_for_a_module(other))

    def test_rates_of_nics(self):
        device = [{"names": ["h0", "h1"], "profile": "nic"}, {"names": ["s"], "profile": "edge"}]
        def rates(*given):
            return facts.one_host_rate(platform(device=device, link=[{"between": [n, "s"], **({"rate": r} if r else {})} for n,
                                                                     r in zip(("h0", "h1", "t"), given)]))
        self.assertEqual([rates("1 Gbps", "1 Gbps"), rates("1 Gbps", "2 Gbps"), rates(None, "100 Gbps"),
                          rates(None, None, "3 Gbps"), facts.one_host_rate(platform())], [True, False, True, True, True])

    def test_where_the_ideal_is_known(self):
        for more, known in (({}, True), ({"link": [{"between": ["a", "b"]}, {"between": ["b", "a"]}]}, False),
                            ({"impairment_group": [{"rate": 1}]}, False),
                            ({"edge": {"kind": "tofino", "timing": {"cut_through": 1}}}, False),
                            ({"routing": {"kind": "ksp"}}, False),
                            ({"edge": {"kind": "switch", "balance": "spray"}}, False),
                            ({"link": [{"between": ["a", "b"]}, {"between": ["b", "c"]}]}, True)):
            self.assertEqual(facts.ideal_is_known(platform(**more)), known, more)

    def test_what_may_never_end(self):
        trim = {"edge": {"kind": "switch", "trim": 1}}
        for nic, more, known in (({"transport": "spray_sr"}, trim, True), ({"transport": "spray_sr"}, {}, False),
                                 ({"transport": "irn"}, trim, False),
                                 ({"transport": "spray_sr", "congestion": {"algorithm": "eqds"}}, trim, False)):
            self.assertEqual(facts.trims_may_collapse(platform(nic=nic, **more)), known)
        self.assertEqual([facts.restarts_for_ever(platform(nic={"transport": t})) for t in ("go_back_0", "go_back_n")],
                         [True, False])
        for nic, traffic, known in (({}, [{}], False), ({"traffic_class": 1}, [{}], True),
                                    ({"traffic_class": 1, "ack_traffic_class": 1}, [{}], False),
                                    ({}, [{}, {"traffic_class": 2}], True),
                                    ({"ack_traffic_class": 2}, [{"traffic_class": 2}, {}], False)):
            self.assertEqual(facts.acks_may_starve(platform(nic=nic, traffic=traffic)), known)


class Smaller(unittest.TestCase):
    def test_numbers_become_smaller_in_their_unit(self):
        self.assertEqual(list(shrink._simpler("76543 B")), ["0 B", "1 B", "80000 B", "38271 B", "76542 B"][0:2]
                         + ["38271 B", "76542 B"])
        self.assertEqual(list(shrink._simpler(123)), [0, 1, 100, 61, 122])
        self.assertEqual((list(shrink._simpler(1)), list(shrink._simpler(0)), list(shrink._simpler(2)),
                          list(shrink._simpler(True)), list(shrink._simpler(0.5)), list(shrink._simpler("word"))),
                          ([0], [], [0, 1], [], [], []))

    def test_what_is_left_out_first_is_largest(self):
        p = {"platform": {"name": "x"}, "a": {"b": 1, "c": [1, 2]}, "d": "5 ns"}
        candidates = list(shrink._smaller(p))
        self.assertEqual(candidates[0], {"platform": {"name": "x"}, "d": "5 ns"})
        self.assertEqual(candidates[1], {"platform": {"name": "x"}, "a": {"b": 1}, "d": "5 ns"})
        self.assertTrue(all(c["platform"] == {"name": "x"} for c in candidates[:6]))
        self.assertIn({**p, "a": {"b": 1, "c": [2]}}, candidates)
        self.assertIn({**p, "d": "2 ns"}, candidates)
        self.assertEqual(p, {"platform": {"name": "x"}, "a": {"b": 1, "c": [1, 2]}, "d": "5 ns"})
        self.assertEqual([shrink._size(v) for v in (5, "x", [], [1, 2], {"a": [1]})], [1, 1, 1, 3, 3])

    def test_like_violations_have_one_shape(self):
        self.assertEqual(shrink.shape("12 of 3.5 x"), "N of N x")
        self.assertEqual(len(shrink.shape("x" * 99)), 60)


class Replays(unittest.TestCase):
    def test_whose_packets_can_be_told(self):
        self.assertEqual(replays.subject_of(platform()), "leaf0")
        nic, one = platform()["nic"], platform()["traffic"][0]
        for more in ({"leaf_spine": {"planes": 2}}, {"impairment_group": []}, {"traffic": [one, {**one, "ecmp_every": 1}]},
                     {"nic": {**nic, "frames": "htsim"}}, {"edge": {"kind": "switch", "balance": "spray"}},
                     {"edge": {"kind": "switch", "queue_limit": 1}},
                     {"edge": {"kind": "switch", "pfc": {}}}, {"edge": {"kind": "switch", "ecn": {}}},
                     {"core": {"kind": "switch", "telemetry": True}},
                     {"edge": {"kind": "tofino", "program": {"name": "themis"}}},
                     {"edge": {"kind": "tofino", "program": {"name": "forward", "path_choice": "psn"}}},
                     {"edge": {"kind": "tofino", "program": {"name": "forward", "nack_drop": 1}}}):
            self.assertIsNone(replays.subject_of(platform(**more)), more)
        for more in ({"edge": {"kind": "switch", "balance": "ecmp_linear"}}, {"nic": {**nic, "frames": "infiniband"}},
                     {"edge": {"kind": "tofino", "program": {"name": "forward", "path_choice": "ecmp"}}}):
            self.assertEqual(replays.subject_of(platform(**more)), "leaf0", more)
        lone = platform()
        del lone["leaf_spine"]
        self.assertIsNone(replays.subject_of(lone))

    def test_packets_of_a_port_in_the_run_and_in_replays(self):
        with tempfile.TemporaryDirectory() as place:
            place = pathlib.Path(place)
            asked = []

            def start(command, *words, folder):
                asked.append(words)
                folder.mkdir()
                with open(folder / "packets.csv", "w", encoding="utf-8") as file:
                    csv.writer(file).writerows([["out_port", "verdict"], ["3", "sent"], ["4", "dropped"]])
                return types.SimpleNamespace(code=codes.pop(0), err="why")

            def subject(sent, code=0):
                captured = types.SimpleNamespace(code=code, err="no", folder=place / "run",
                                                 summary={"statistics": {"leaf0": {"port3": {"tx_packets": value(sent)},
                                                     "port4": {"tx_packets": value(0)}, "x": 1}}})
                return types.SimpleNamespace(platform=platform(), run=lambda p, *words: captured, runs=1,
                                             place=pathlib.Path(tempfile.mkdtemp(dir=place)), start=start)
            (place / "run/ports").mkdir(parents=True)
            for port in (0, 2, 3, 9):
                (place / f"run/ports/leaf0_{port}.pcap").touch()
            codes = [0] * 9
            self.assertEqual(list(replays.differences(subject(3))), [])
            self.assertEqual([w[w.index("--filter") + 1] for w in asked], ["src host 10.0.0.1", "src host 10.0.0.3",
                                                                           "not (src host 10.0.0.1 or src host 10.0.0.2 or src host 10.0.0.3)"])
            self.assertEqual(asked[1][0], f"{place}/run/ports/leaf0_2.pcap@2")
            self.assertEqual(list(replays.differences(subject(4))), ["port3 of leaf0 sent 4 packets in the run, 3 in replays"])
            self.assertEqual(list(replays.differences(subject(3, 1))), ["with captures: exit code 1: no"])
            codes = [0, 2]
            self.assertEqual(list(replays.differences(subject(3))), ["replay of port 2: exit code 2: why"])


HORAE = """#!/usr/bin/python3
import json, sys
open({log!r}, "a").write("start\\n")
for line in sys.stdin:
    words = json.loads(line)
    open({log!r}, "a").write(line)
    if words[0] == "die":
        sys.exit(1)
    print(json.dumps(dict(exit=int(words[1]), signal=int(words[2]) or None, out=words[3], err=" said ")), flush=True)
"""


class Runs(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.log = self.folder / "log"
        self.program = self.folder / "horae"
        self.program.write_text(HORAE.format(log=str(self.log)), encoding="utf-8")
        self.program.chmod(0o755)

    def test_many_of_one_process_which_is_started_again_where_it_ended(self):
        batch = runs.Batch(self.program)
        self.addCleanup(lambda: (batch.process.stdin.close(), batch.process.stdout.close(), batch.process.wait()))
        self.assertEqual([batch.ended(["a", "0", "0", "out"]), batch.ended(["b", "4", "0", ""]),
                          batch.ended(["c", "0", "11", ""])], [(0, "out", " said "), (4, "", " said "), (-11, "", " said ")])
        self.assertEqual(batch.ended(["d", "0", "14", ""]), (None, "", "not over after 120 s"))
        self.assertEqual(self.log.read_text().count("start"), 1)
        first = batch.process
        with self.assertRaisesRegex(ChildProcessError, r"batch ended at \['die'\]"):
            batch.ended(["die"])
        first.wait()
        first.stdin.close(), first.stdout.close()
        self.assertEqual(batch.ended(["e", "0", "0", "x"])[1], "x")
        self.assertEqual(self.log.read_text().count("start"), 2)

    def test_one_batch_for_each_thread_and_program(self):
        self.assertIs(runs.batch("a"), runs.batch("a"))
        self.assertIsNot(runs.batch("a"), runs.batch("b"))

    def test_runs_have_files_and_folders_of_their_own(self):
        asked = []
        with mock.patch.object(runs, "batch", lambda program: types.SimpleNamespace(ended=lambda words: asked.append(words)
            or (0, '{"results": {"x": {"value": 5}}}', " e "))):
            subject = runs.Subject("h", platform(), self.folder)
            other = subject.changed(lambda p: p["sim"].update(window="5 ns"))
            subject.run(subject.platform)
        self.assertEqual((subject.runs, subject.base.folder, other.folder, other.result("x"), other.result("y"), other.err),
                         (3, self.folder / "run1", self.folder / "run2", 5, None, "e"))
        self.assertEqual(asked[2], ["run", str(self.folder / "run3.toml"), "--out", str(self.folder / "run3"), "--json",
                                    "--no-progress"])
        self.assertIn('window = "5 ns"', (self.folder / "run2.toml").read_text())
        self.assertNotIn("window", (self.folder / "run3.toml").read_text())
        (self.folder / "flows.csv").write_text("a,b\n1,2\n")
        self.assertEqual(runs.Ended(4, "{}", "", self.folder).flows(), [{"a": "1", "b": "2"}])
        for code, out, there in ((0, "{}", True), (4, "{}", True), (3, "{}", False), (0, "", False), (None, "{}", False)):
            self.assertEqual(runs.Ended(code, out, "", None).summary is not None, there)

    def test_ranks_run_outside_the_batch(self):
        program = self.folder / "says"
        program.write_text('#!/bin/sh\necho "$@"\necho " rank 1 " >&2\nexit 3\n')
        program.chmod(0o755)
        with mock.patch.object(runs, "batch", lambda program: types.SimpleNamespace(ended=lambda words: (0, "{}", ""))), \
             mock.patch.object(runs.Ended, "__init__", lambda self, *how: self.__dict__.update(how=how)):
            subject = runs.Subject(str(program), platform(), self.folder)
            ended = subject.run(subject.platform, "--ranks", "2")
        self.assertEqual(ended.how, (3, f"run {self.folder}/run2.toml --out {self.folder}/run2 --ranks 2 --json --no-progress\n",
                                     " rank 1 \n", self.folder / "run2"))


class Asked(unittest.TestCase):
    def of(self, number, **more):
        return random_platforms.asked(types.SimpleNamespace(**{"laws": None, "ways_every": 1, "ranks_every": 25, **more}),
                                      number)

    def test_extra_laws_in_turn(self):
        always = [law.__name__ for law in laws.LAWS] + ["windows", "exact", "threads", "alone_is_ideal", "more_bandwidth", "replayed"]
        self.assertEqual(self.of(3), always)
        self.assertEqual(self.of(0), [*always, "watched"])
        self.assertEqual(self.of(12), [*always, "through_module"])
        self.assertEqual(self.of(26), [*always, "ranks"])
        self.assertEqual(self.of(26, ranks_every=0), always)
        self.assertEqual(self.of(5, laws="books,ends"), ["books", "ends"])

    def test_each_way_of_one_platform_in_so_many(self):
        for way, shift in (("windows", 0), ("exact", 1), ("threads", 2)):
            self.assertEqual([n for n in range(24) if way in self.of(n, ways_every=4)],
                             [n for n in range(24) if (n + n // 10 + shift) % 4 == 0])

    def test_a_smaller_platform_breaks_the_same_law_in_the_same_way(self):
        options = types.SimpleNamespace(program="h")
        def breaks(found, like="12 x"):
            with mock.patch.object(random_platforms, "Subject", lambda *_: None), mock.patch.object(laws, "broken", found):
                return random_platforms.breaks(options, "books", like)({})
        self.assertTrue(breaks(lambda s, names: ("books", "7 x")))
        self.assertFalse(breaks(lambda s, names: ("books", "7 y")))
        self.assertFalse(breaks(lambda s, names: None))
        self.assertFalse(breaks(mock.Mock(side_effect=KeyError)))

    def test_options(self):
        def told(*words):
            with mock.patch.object(sys, "argv", ["random_platforms", *words]):
                return random_platforms.arguments()
        found = told("--show")
        self.assertEqual((found.seed, found.count, found.first, found.ranks_every, found.ways_every, found.tries),
                         (1, 200, 0, 25, 1, 400))
        for words, line in ((("--jobs", "0"), "--jobs 0: expected 1 or more"),
                            (("--program", "/nowhere"), "--program /nowhere: not there"),
                            (("--show", "--laws", "x"), "unknown law")):
            with self.assertRaisesRegex(Complaint, line):
                told(*words)
        self.assertEqual(told("--show", "--count", "1", "--jobs", "1", "--ways-every", "1").jobs, 1)


if __name__ == "__main__":
    unittest.main()
