#!/usr/bin/python3
"""What scripts/report says of links, and where its picture has devices."""
import unittest

from by_hand import InFolder, heads, of_kind, texts
from lib.report import network_view, series_view

HEAD = "from,from_port,to,to_port,rate_gbps,delay_us,packets,load,paused,lost,cut_by_outage,corrupted\n"


def link(source, port, to, to_port, rate=100, load=0.5, back=0.25, paused=0, lost=0, cut=0, corrupted=0):
    """Both directions; what goes wrong is of the first."""
    return (f"{source},{port},{to},{to_port},{rate},0.5,1000,{load},{paused},{lost},{cut},{corrupted}\n"
            f"{to},{to_port},{source},{port},{rate},0.5,500,{back},0,0,0,0\n")


def leaf_spine(hosts=2, **of_first_uplink):
    """Two leaves with so many hosts each, two spines."""
    text = HEAD
    for leaf in range(2):
        text += "".join(link(f"h{leaf * hosts + i}", 0, f"leaf{leaf}", i) for i in range(hosts))
    for leaf in range(2):
        for spine in range(2):
            text += link(f"leaf{leaf}", hosts + spine, f"spine{spine}", leaf, **(of_first_uplink if leaf + spine == 0 else {}))
    return text


class Network(InFolder):
    def blocks(self, text):
        self.write("links.csv", text)
        return network_view.blocks(self.folder, series_view.read(self.folder))

    def picture(self, text):
        (figure,) = of_kind(self.blocks(text), "figure")
        return figure.spec

    def said(self, text):
        return [b.items for b in of_kind(self.blocks(text), "bullets")]

    def test_without_the_file_there_is_nothing(self):
        self.assertEqual(network_view.blocks(self.folder, series_view.read(self.folder)), [])

    def test_levels_are_end_points_their_switches_and_what_joins_these(self):
        spec = self.picture(leaf_spine())
        at = {n["name"]: (n["x"], n["y"], n["end"]) for n in spec["nodes"]}
        self.assertEqual(at["h0"], (0.125, 1, True))
        self.assertEqual(at["h3"], (0.875, 1, True))
        self.assertEqual(at["leaf1"], (0.75, 0.5, False))
        self.assertEqual(at["spine0"], (0.25, 0, False))
        names = [n["name"] for n in spec["nodes"]]
        first = spec["links"][0]
        self.assertEqual((names[first["a"]], names[first["b"]], first["values"]["load"], first["bad"]), ("h0", "leaf0", 0.5, False))
        self.assertEqual(first["text"], "h0 to leaf0: 100 Gbps\nbusy 50 % of the run")
        self.assertEqual(spec["links"][1]["values"]["load"], 0.25)

    def test_two_nics_and_nothing_between(self):
        spec = self.picture(HEAD + link("a", 0, "b", 0))
        self.assertEqual([(n["name"], n["x"], n["y"]) for n in spec["nodes"]], [("a", 0.25, 0.5), ("b", 0.75, 0.5)])

    def test_a_link_slower_than_its_kind_stands_out_first(self):
        text = leaf_spine(rate=25, load=0.99, paused=0.2)
        self.assertEqual(self.said(text), [[
            "leaf0 to spine0: 25 Gbps, others of its kind 100 Gbps; busy 99 % of the run",
            "spine0 to leaf0: 25 Gbps, others of its kind 100 Gbps; busy 25 % of the run",
            "leaf0 to spine0: held by pauses 20 % of the run"]])
        spec = self.picture(text)
        self.assertEqual([link["text"].split(":")[0] for link in spec["links"] if link["bad"]], ["leaf0 to spine0", "spine0 to leaf0"])

    def test_so_does_what_loses_packets_or_is_always_busy(self):
        self.assertEqual(self.said(leaf_spine(load=0.95, lost=3, cut=7)),
                         [["leaf0 to spine0: 7 packets cut by an outage", "leaf0 to spine0: 3 packets lost at random",
                           "leaf0 to spine0: busy 95 % of the run"]])
        self.assertEqual(self.said(leaf_spine(load=0.949, paused=0.049)), [])

    def test_many_are_counted(self):
        text = HEAD + "".join(link(f"h{i}", 0, "leaf0", i, load=0.96 + i / 1000) for i in range(12))
        (items,) = self.said(text)
        self.assertEqual((len(items), items[0], items[-1]),
                         (11, "h11 to leaf0: busy 97.1 % of the run", "and 2 more: in the table"))

    def test_many_end_points_of_a_switch_are_one_symbol_with_the_most_of_each(self):
        text = leaf_spine(hosts=20).replace("h7,0,leaf0,7,100,0.5,1000,0.5", "h7,0,leaf0,7,40,0.5,1000,0.875")
        spec = self.picture(text)
        names = [n["name"] for n in spec["nodes"]]
        self.assertEqual([n for n in names if " of " in n], ["20 h* of leaf0", "20 h* of leaf1"])
        first = spec["links"][0]
        self.assertEqual((first["values"]["load"], first["bad"]), (0.875, True))
        self.assertEqual(first["text"], "h* of leaf0 to leaf0: 20 links, 40 to 100 Gbps\nbusy 87.5 % of the run at most")
        self.assertEqual(len(spec["links"]), 2 * (2 + 4))

    def test_samples_of_ports_are_times_to_choose(self):
        self.write("series.csv", "time_us,window_us,object,quantity,value,unit\n"
                   "10,10,h0,tx_rate,20,Gbps\n10,10,leaf0.port2,tx_rate,50,Gbps\n"
                   "20,10,h0,tx_rate,100,Gbps\n20,10,leaf0.port2,tx_rate,0,Gbps\n")
        spec = self.picture(leaf_spine())
        self.assertEqual([a["title"] for a in spec["choose"]["y"]],
                         ["busy, over the run", "held by pauses, over the run", "busy, 0 to 10 us", "busy, 10 to 20 us"])
        of = {link["text"].split(":")[0]: link["values"] for link in spec["links"]}
        self.assertEqual((of["h0 to leaf0"]["t0"], of["h0 to leaf0"]["t1"]), (0.2, 1))
        self.assertEqual((of["leaf0 to spine0"]["t0"], of["leaf0 to spine1"]["t0"]), (0.5, 0))

    def test_the_table_has_all_and_hides_what_carried_nothing(self):
        text = HEAD + link("a", 0, "b", 3).replace("500,0.25", "0,0")
        fold = self.blocks(text)[-1]
        (table,) = fold.blocks
        self.assertEqual((fold.title, table.dull), ("Links (1)", {1}))
        self.assertEqual(heads(table)[:5], ["from", "port", "to", "port", "rate, Gbps"])
        self.assertEqual(texts(table)[0][:9], ["a", "0", "b", "3", "100", "0.5", "1\u202f000", "0.5", "0"])

    def test_a_damaged_file_is_one_line(self):
        self.write("links.csv", HEAD.replace("load", "laod"))
        with self.assertRaisesRegex(Exception, r"links.csv:1: no column 'load'; did you mean 'laod'\?"):
            network_view.blocks(self.folder, series_view.read(self.folder))


if __name__ == "__main__":
    unittest.main()
