#!/usr/bin/python3
"""What tb/tools/random_platforms draws: every key with its values, or with the least and the most that it may have, is in drawn.csv. With
--write that table is made anew, to be read before it is committed."""
import collections
import csv
import pathlib
import sys
import unittest
from unittest import mock

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "tb/tools"), str(HERE.parents[2] / "scripts")]

from lawful import classes, facts, platform  # noqa: E402
from lawful.draw import Draw  # noqa: E402

TABLE = HERE / "drawn.csv"
COUNT = 1200
MOST_VALUES = 12  # of a key that are told one by one


class End(Draw):
    """Draws of numbers that are always one end of their range; choices among words and chances stay as they are."""
    end = 0

    def one(self, *options):
        return options[int(self._random.random() * len(options))]

    def whole(self, least, most):
        return (least, most)[self.end]

    scale = share = whole


class Most(End):
    end = 1


def leaves(value, path=""):
    """(key, value) of all that is no table; of lists of tables every entry."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and any(isinstance(v, dict) for v in value):
        for inner in value:
            yield from leaves(inner, f"{path}[]")
    else:
        yield path, value


def drawn(kind):
    """{key: its values} over COUNT platforms; of switches whether a plain one or a chip has them."""
    with mock.patch.object(platform, "Draw", kind):
        found = collections.defaultdict(set)
        for number in range(COUNT):
            p = platform.platform(1, number)
            del p["platform"]
            for name in ("edge", "core"):
                if name in p:
                    switch = p.pop(name)
                    p[f"{name}({switch.pop('kind')})"] = switch
            for key, value in leaves(p):
                found[key].add(" ".join(map(str, value)) if isinstance(value, list) else str(value))
        return found


def told(values):
    return "; ".join(sorted(values, key=lambda v: (len(v), v))) if len(values) <= MOST_VALUES else f"{len(values)} values"


def table():
    least, most = drawn(End), drawn(Most)
    return [[key, told(least.get(key, ())), "" if least.get(key) == most.get(key) else told(most.get(key, ()))]
            for key in sorted({*least, *most})]


class Domain(unittest.TestCase):
    def test_is_the_one_of_the_table(self):
        with open(TABLE, encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
        self.assertEqual(head, ["key", "least, or values", "most"])
        now = {r[0]: r[1:] for r in table()}
        self.assertEqual({r[0]: r[1:] for r in rows}, now)


class Draws(unittest.TestCase):
    def test_whole_numbers_are_uniform_with_both_ends(self):
        draw = Draw("a")
        found = collections.Counter(draw.whole(3, 7) for _ in range(5000))
        self.assertEqual(set(found), {3, 4, 5, 6, 7})
        self.assertTrue(all(850 < n < 1150 for n in found.values()), found)
        self.assertEqual({draw.one("x", "y", "z") for _ in range(60)}, {"x", "y", "z"})
        self.assertEqual({draw.whole(5, 5) for _ in range(9)}, {5})

    def test_scales_have_as_many_small_as_large_numbers(self):
        draw = Draw("b")
        values = [draw.scale(10, 100_000) for _ in range(4000)]
        self.assertTrue(all(10 <= v <= 100_000 for v in values))
        for low in (10, 100, 1000, 10_000):
            self.assertTrue(880 < sum(low <= v < 10 * low for v in values) < 1120)
        self.assertEqual({draw.scale(1, 2) for _ in range(60)}, {1, 2})

    def test_texts_have_their_units(self):
        draw = Draw("c")
        shares = [draw.share(0.1, 0.9) for _ in range(500)]
        self.assertTrue(all(0.1 <= s <= 0.9 and round(s, 3) == s for s in shares))
        self.assertTrue(any(round(s, 2) != s for s in shares))
        times = [draw.ns(0, 50) for _ in range(2000)]
        self.assertTrue(120 < times.count("0 ns") < 280)
        self.assertEqual({t.split()[1] for t in times}, {"ns"})
        self.assertTrue(all(0 <= int(t.split()[0]) <= 50 for t in times))
        self.assertIn("1 ns", times)
        self.assertTrue(all(7 <= int(draw.ns(7, 9).split()[0]) <= 9 for _ in range(200)))
        self.assertRegex(draw.bytes(5, 9), r"^[5-9] B$")
        chances = sum(draw.chance(0.3) for _ in range(4000))
        self.assertTrue(1080 < chances < 1320)

    def test_of_a_name_always_the_same(self):
        self.assertEqual([Draw("x").whole(0, 10**9) for _ in range(2)], [Draw("x").whole(0, 10**9)] * 2)
        self.assertNotEqual(Draw("x").whole(0, 10**9), Draw("y").whole(0, 10**9))


class Coherence(unittest.TestCase):
    """What has to fit together in each platform."""
    @classmethod
    def setUpClass(cls):
        cls.platforms = [platform.platform(2, n) for n in range(1000)]

    def test_names_and_kinds_by_number(self):
        for number, p in enumerate(self.platforms):
            self.assertEqual(p["platform"]["name"], f"random_2_{number}")
            if number % 10 == 3:
                self.assertTrue(facts.single_message(p))
                self.assertFalse({"entropy", "memory", "qp_rate", "sram"} & set(p["nic"]))
                self.assertFalse(facts.lossy_links(p))
            if number % 10 in (6, 7):
                for name in ("edge", "core"):
                    self.assertFalse({"ecn", "pfc", "buffer", "queue_limit", "trim", "full", "limit_of",
                                      "deflect"} & set(p.get(name, {})))
            if number % 10 in (3, 6, 7):
                self.assertNotIn("ports", p["nic"])
                for name in ("edge", "core"):
                    self.assertIn(p.get(name, {}).get("balance", "ecmp"), ("ecmp",))
                    self.assertEqual(p.get(name, {}).get("program", {"name": "forward", "path_choice": "ecmp"}),
                                     {"name": "forward", "path_choice": "ecmp"})

    def test_networks_have_who_they_name(self):
        for p in self.platforms:
            shapes = [s for s in ("leaf_spine", "fat_tree", "jellyfish", "two_sites", "device") if s in p]
            self.assertEqual(len(shapes), 1)
            hosts = facts.host_count(p)
            self.assertGreaterEqual(hosts, 2)
            profiles = {"nic", *(n for n in ("edge", "core") if n in p)}
            if "device" in p:
                names = {n: d["profile"] for d in p["device"] for n in d["names"]}
                self.assertLessEqual(set(names.values()), profiles)
                self.assertEqual({n for n in ("edge", "core") if n in p}, set(names.values()) - {"nic"})
                degree = collections.Counter(n for link in p["link"] for n in link["between"])
                self.assertEqual(set(degree), set(names))
                self.assertTrue(all(degree[n] == 1 for n, of in names.items() if of == "nic"))
            for t in p["traffic"]:
                for name in (*t.get("from", ()), *t.get("to", ())):
                    self.assertIn(int(name[1:]), range(hosts))
                self.assertTrue(all(a != b for a, b in zip(t.get("from", ()), t.get("to", ()))))
                self.assertLess(t.get("fan_in", 1), hosts)
                if "weights" in t:
                    self.assertEqual(len(t["weights"]), len(t["sizes"]))
                self.assertLessEqual(t.get("batch", 1), t.get("depth", 1))
                self.assertEqual("sizes" in t, t["kind"] == "messages" and "message" not in t)
                if t["kind"] == "collective":
                    size = int(t["size"].split()[0])
                    self.assertEqual(size % (hosts * t.get("slices", 1)), 0)
                    self.assertLessEqual(size, 60_000)
                    self.assertFalse(t["operation"] == "butterfly" and hosts & (hosts - 1))
                if t["kind"] == "pipeline":
                    self.assertEqual(hosts % t["layers"], 0)
                    self.assertGreaterEqual(t["layers"], 2)

    def test_what_a_law_needs_of_switches(self):
        for number, p in enumerate(self.platforms):
            for name in ("edge", "core"):
                s = p.get(name, {})
                if "pfc" in s and "xoff" in s["pfc"]:
                    off, on = (int(s["pfc"][k].split()[0]) for k in ("xoff", "xon"))
                    self.assertTrue(0 <= on < off <= 80_000)
                if "ecn" in s:
                    self.assertLess(*(int(s["ecn"][k].split()[0]) for k in ("kmin", "kmax")))
                self.assertFalse("trim" in s and s.get("limit_of") == "port")
                self.assertFalse("deflect" in s and ("trim" in s or "full" in s))
                if p["nic"]["congestion"]["algorithm"] == "hpcc" and s:
                    program = s.get("program", {})
                    self.assertTrue(s.get("telemetry") or program.get("telemetry") or program.get("name") == "pnp_trp"
                                    or program == {"name": "forward", "path_choice": "ecmp"}, s)
                elif s and number % 10 != 3:  # there the congestion control is taken away
                    self.assertFalse(s.get("telemetry") or s.get("program", {}).get("telemetry"))
            if "routing" in p:  # where several paths are known, what chooses among them
                self.assertIn(p["core"]["balance"], ("ecmp", "po2", "drill", "spray"))
            self.assertFalse("jellyfish" in p and any("pfc" in p.get(n, {}) for n in ("edge", "core")))

    def test_nics(self):
        forbidden = 0
        for p in self.platforms:
            nic = p["nic"]
            algorithm, reliability, transport = nic["congestion"]["algorithm"], nic["reliability"], nic["transport"]
            if algorithm in ("hpcc", "dctcp", "swift"):
                forbidden += 1
                self.assertEqual(reliability["ack_every"], 1)
            self.assertEqual("rto_low" in reliability, transport == "irn")
            if "rto_low" in reliability:
                low, rto = (int(reliability[k].split()[0]) for k in ("rto_low", "rto"))
                self.assertIn(low, {rto // n for n in range(1, 5)})
            self.assertEqual("sack_bits" in reliability, transport == "spray_sr")
            self.assertFalse(transport == "spray_sr" and ("ordering" in nic or "ack_timeout" in reliability))
            self.assertFalse("frames" in nic and ("ordering" in nic or "reth_on_every_packet" in nic))
            self.assertFalse(algorithm == "eqds" and transport != "spray_sr")
            entropy = nic.get("entropy", {})
            self.assertEqual("subflows" in entropy, entropy.get("scheme") == "subflows")
            self.assertLessEqual(entropy.get("subflows", 1), entropy.get("values", 1))
            if "ports" in nic:
                self.assertEqual(p["leaf_spine"]["planes"], nic["ports"])
                self.assertEqual(entropy.get("values", 0) % nic["ports"], 0)
            numbers = [c["number"] for c in nic.get("class", ())]
            self.assertEqual(numbers, sorted(set(numbers)))
            used = {*(t.get("traffic_class", 0) for t in p["traffic"]), nic.get("traffic_class", 0)}
            self.assertTrue(all(0 <= n <= 7 for n in [*numbers, *used]))
        self.assertGreater(forbidden, 100)

    def test_programs_of_racks(self):
        names = collections.Counter()
        for p in self.platforms:
            edge = p.get("edge", {})
            program = edge.get("program", {"name": "none"})
            names[program["name"]] += 1
            if "leaf_spine" in p and program["name"] in ("themis", "conweave"):
                ports = p["leaf_spine"]["spines"] + p["leaf_spine"]["hosts_per_leaf"]
                self.assertEqual(edge["pipeline_of_port"],
                                 [i % 4 for i in range(ports)] if program["name"] == "themis" else [0] * ports)
                self.assertEqual((edge["chip"], "timing" in edge), ("tofino2", False))
            if program["name"] == "themis":
                self.assertEqual(program["window"], p["nic"]["reliability"]["window"])
                self.assertEqual(bin(program["window"]).count("1"), 1)
            if program["name"] == "conweave":
                self.assertEqual(program["nodes_per_rack"], p["leaf_spine"]["hosts_per_leaf"])
        self.assertTrue(all(names[n] for n in ("forward", "themis", "themis_queue", "conweave", "pnp_trp")), names)

    def test_what_is_drawn_more_often_than_the_rest(self):
        """Shares of choices, of 4,000 platforms; a choice that stands twice among n is drawn in 2 of n."""
        found = collections.defaultdict(collections.Counter)
        for number in range(4000):
            p = platform.platform(3, number)
            found["rate"][p["link_default"]["rate"]] += 1
            found["network"][next(s for s in ("leaf_spine", "fat_tree", "jellyfish", "two_sites", "device") if s in p)] += 1
            if p["nic"]["transport"] != "spray_sr" and number % 10 != 3:
                found["algorithm"][p["nic"]["congestion"]["algorithm"]] += 1
            if number % 10 not in (3, 6, 7):
                found["balance"][p["core"]["balance"] if "core" in p and "routing" not in p else None] += 1
                if p.get("edge", {}).get("program", {}).get("name") == "forward":
                    found["chip"][p["edge"]["chip"]] += 1
            for group in p.get("impairment_group", ()):
                change = next(k for k in ("loss", "bit_errors", "rate", "outage") if k in group)
                found["change"][change] += 1
                found[f"packets of {change}"][group.get("packets")] += 1
            if "leaf_spine" in p and p["edge"].get("program", {}).get("name", "forward") != "forward":
                found["program"][p["edge"]["program"]["name"]] += 1
            if number % 10 == 3:
                continue
            found["loads"][len(p["traffic"])] += 1
            for t in p["traffic"]:
                found["kind"][t["kind"]] += 1
                if t["kind"] in ("messages", "pipeline"):
                    key = {"messages": "qps", "pipeline": "connections"}[t["kind"]]
                    found[key][t[key]] += 1
                if t["kind"] == "collective" and t["operation"] not in ("all_to_all", "butterfly"):
                    found["slices"][t.get("slices", 1)] += 1
        del found["balance"][None]
        for what, told in {"rate": {"10 Gbps": 1, "25 Gbps": 1, "40 Gbps": 1, "100 Gbps": 2, "200 Gbps": 1, "400 Gbps": 1},
                           "network": {"leaf_spine": 2, "fat_tree": 1, "jellyfish": 1, "two_sites": 1, "device": 2},
                           "algorithm": {"none": 2, "dcqcn": 2, "dctcp": 1, "hpcc": 1, "swift": 1, "timely": 1, "mprdma": 1,
                                         "constant": 1, "nscc": 1},
                           "balance": {"ecmp": 2, "ecmp_linear": 1, "spray": 1, "round_robin": 1, "adaptive": 1, "drill": 1,
                                       "po2": 1},
                           "chip": {"tofino1": 1, "tofino2": 2}, "change": {"loss": 1, "bit_errors": 1, "rate": 1, "outage": 3},
                           "packets of outage": {"all": 3, "data": 1}, "packets of loss": {"all": 1, "data": 1},
                           "program": {"themis": 2, "conweave": 1, "themis_queue": 1},
                           "loads": {1: 3, 2: 1, 3: 1}, "kind": {"messages": 2, "batch": 2, "flows": 1, "incast": 1,
                                                                 "collective": 1, "pipeline": 1},
                           "qps": {1: 2, 2: 1, 5: 1}, "connections": {1: 2, 3: 1}, "slices": {1: 2, 2: 1, 4: 1}}.items():
            total = sum(found[what].values())
            self.assertEqual(set(found[what]), set(told), what)
            for value, weight in told.items():
                share = weight / sum(told.values())
                wide = 4 * (share * (1 - share) / total) ** 0.5
                self.assertAlmostEqual(found[what][value] / total, share, delta=wide, msg=(what, value, total))

    def test_outages_end_after_they_began(self):
        seen = 0
        for p in self.platforms:
            for t in (*p.get("link", ()), *p.get("impairment_group", ())):
                for outage in t.get("outage", ()):
                    seen += 1
                    begin, end = (int(outage[k].split()[0]) for k in ("from", "to"))
                    self.assertTrue(1 <= begin and 100 <= end - begin <= 150_000)
            for g in p.get("impairment_group", ()):
                self.assertEqual(sum(k in g for k in ("loss", "bit_errors", "rate", "outage")), 1)
                self.assertEqual("packets" in g, "rate" not in g)
                self.assertFalse("converge" in g and g["packets"] != "all")
                self.assertEqual(g.get("keep_paths", False), False)
                self.assertEqual("keep_paths" in g, "outage" in g)
        self.assertGreater(seen, 50)

    def test_classes_and_ports_come_after_all_else(self):
        for number in range(60):
            late = {"nic": {"entropy": {"values": 3, "subflows": 99}}, "traffic": [{}, {}], "leaf_spine": {}, "edge": {}}
            draw = Draw(f"late {number}")
            classes.classes(draw, late)
            classes.ports(draw, late)
            if "ports" in late["nic"]:
                entropy = late["nic"]["entropy"]
                self.assertIn(entropy["values"] // late["nic"]["ports"], (1, 16, 256))
                self.assertEqual(entropy["subflows"], min(99, entropy["values"]))
        for edge in ({"program": {"name": "themis"}},):
            other = {"nic": {}, "leaf_spine": {}, "edge": edge}
            for number in range(40):
                classes.ports(Draw(str(number)), other)
            self.assertEqual(other, {"nic": {}, "leaf_spine": {}, "edge": edge})


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        with open(TABLE, "w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(["key", "least, or values", "most"])
            writer.writerows(table())
    else:
        unittest.main()
