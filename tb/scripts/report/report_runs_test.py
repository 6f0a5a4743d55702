#!/usr/bin/python3
"""What scripts/report says of a run: published numbers, results, waterfall, rate, recovery and the ledger of PCIe."""
import json
import unittest

from by_hand import MINUS, NONE, SPACE, THIN, InFolder, heads, numeric, result, run, texts
from lib.report import config, flows_view, published, rate_view, recovery_view, run_view, waterfall_view


def entry(**more):
    return {"id": "a", "published": 10, "measured": 12, "unit": "us", "kind": "predicted", **more}


class Outcome(InFolder):
    def of(self, results, **more):
        found = run_view.outcome({"results": {n: {"value": v, "unit": "us"} for n, v in results.items()}, **more})
        return [text.replace(SPACE, " ") for text in found]

    def test_collectives_schedules_queries_and_messages_come_first(self):
        groups = [{"group": 0, "cct_us": 90.5}, {"group": 1, "cct_us": 120}, {"group": 2, "cct_us": None}]
        self.assertEqual(self.of({}, rows={"groups": groups}), ["2 of 3 collectives ended, the slowest after 120 us."])
        self.assertEqual(self.of({}, rows={"groups": groups[2:]}), ["0 of 1 collectives ended."])
        self.assertEqual(self.of({"schedules.unfinished": 0, "schedules.end_max": 42}),
                         ["All ranks of the schedule ended, the last at 42 us."])
        self.assertEqual(self.of({"schedules.unfinished": 3, "schedules.end_max": None}),
                         ["3 ranks of the schedule did not end."])
        self.assertEqual(self.of({"queries.completed": 5, "queries.unfinished": 0, "queries.qct_mean": 7, "queries.qct_p99": 9}),
                         ["5 queries completed, mean 7 us, 99th percentile 9 us."])
        self.assertEqual(self.of({"fct.completed": 5, "fct.unfinished": 2, "fct.mean": None, "fct.p99": None}),
                         ["5 messages completed, 2 did not."])
        self.assertEqual(self.of({"senders.goodput": 3}), [])
        page = run_view.view(result("run", run(rows={"groups": groups})))
        self.assertTrue(page.answer.startswith(f"2 of 3 collectives ended, the slowest after 120{SPACE}us. 5"), page.answer)

    def test_when_each_rank_sent(self):
        head = "sender,receiver,first_post_us,last_completion_us,messages_posted,messages_completed\n"
        self.write("flows.csv", head + "h10,h2,5,20,1,1\nh2,h10,1,30,2,2\nh2,h3,2,9,3,1\nh3,h2,,,0,0\n")
        (figure,) = flows_view.ranks(self.folder, 50)
        self.assertEqual(figure.spec["y"]["values"], ["h10", "h2"])
        done, open_ = figure.spec["series"]
        self.assertEqual((done["name"], done["data"]["x"], done["data"]["y"]),
                         ("completed", [1, 30, None, 5, 20, None], ["h2", "h2", None, "h10", "h10", None]))
        self.assertEqual((open_["data"]["x"], open_["data"]["label"][0]), ([2, 50, None], "to h3"))
        many = "".join(f"r{i},x,0,{i},1,1\n" for i in range(1, 51))
        self.write("flows.csv", head + many)
        (figure,) = flows_view.ranks(self.folder, 50)
        self.assertEqual((len(figure.spec["y"]["values"]), figure.spec["y"]["values"][-1]), (40, "r11"))
        self.assertTrue(figure.note.endswith("of 50 ranks the 40 that end last"))
        self.assertTrue(flows_view.has_ranks({"config": {"traffic": [{"kind": "goal"}]}}))
        self.assertFalse(flows_view.has_ranks({"config": {"traffic": [{"kind": "messages"}]}}))


class PublishedNumbers(unittest.TestCase):
    def test_each_has_a_line(self):
        found = published.entries([entry(), entry(id="b", measured=8.0, kind="calibrated", source="Table 1"),
                                   entry(id="c", measured=None, kind=""),
                                   entry(id="d", published=0, quantity="q"), "no entry"])
        table = published.table(found)
        self.assertEqual(heads(table), ["published number", "quantity", "published", "ours", "unit", f"ours {MINUS} published",
                                        "ratio", "kind", "source"])
        self.assertEqual(texts(table), [["a", "", "10", "12", "us", "+2", "1.200", "predicted", ""],
                                        ["b", "", "10", "8", "us", f"{MINUS}2", "0.800", "calibrated", "Table 1"],
                                        ["c", "", "10", NONE, "us", NONE, NONE, NONE, ""], ["d", "q", "0", "12", "us", "+12",
                                            NONE, "predicted", ""]])
        self.assertEqual([r[-2].mark for r in table.rows], ["kind kind-predicted", "kind kind-calibrated", "",
                                                            "kind kind-predicted"])
        self.assertEqual(published.kind_cell("identity").mark, "")

    def test_names(self):
        self.assertEqual(published.name_of({"quantity": "sram", "design": "tor"}), "tor sram")
        self.assertEqual(published.name_of({"id": "x", "design": "tor"}), "x")
        self.assertEqual(published.entries([{"ours": 3, "measured": 2}, {"ours": 3}], "measured")[0]["ours"], 2)
        self.assertEqual(published.entries([{"ours": 3}])[0]["ours"], 3)

    def test_ratios_are_drawn_from_three_on(self):
        self.assertIsNone(published.figure(published.entries([entry(), entry(id="b")])))
        found = published.entries([entry(), entry(hypothesis="H"), entry(id="c", measured=60, kind="calibrated"),
                                   entry(id="c", measured=60, kind="calibrated"),
                                   entry(id="z", measured=None), entry(id="n", measured=-1)])
        figure = published.figure(found)
        self.assertEqual(figure.spec["rows"], ["a", "a \u00b7 H", "c", "c "])
        self.assertEqual([(s["name"], s["values"]) for s in figure.spec["series"]], [("calibrated", [None, None, 6.0, 6.0]),
            ("predicted", [1.2, 1.2, None, None])])
        self.assertEqual(figure.spec["series"][0]["label"][0], "published 10, ours 12 us")
        self.assertEqual((figure.spec["x"]["scale"], figure.spec["line"], figure.spec["dots"]),
                         ("linear", 1, True))  # five times is not far
        self.assertEqual(figure.note, "2 without a positive ratio are in the table only")
        far = published.figure(published.entries([entry(), entry(id="b", measured=61), entry(id="c"),
                                                  entry(id="d", measured=0)]))
        self.assertEqual((far.spec["x"]["scale"], far.note), ("log", "1 without a positive ratio is in the table only"))
        many = [entry(id=str(i)) for i in range(60)]
        self.assertEqual(published.figure(published.entries(many)).note, "")
        self.assertIsNone(published.figure(published.entries([*many, entry(id="x")])))

    def test_one_sentence(self):
        for rows, said in (([], ""), ([entry()], "1 published number, ours over published 1.20"),
                           ([entry(), entry(measured=10), entry(measured=-3), entry(measured=None), entry(published=0)],
                            "5 published numbers, ours over published 1.00 to 1.20, 1 equal, 1 of the other sign, 1 without a number of ours")):
            self.assertEqual(published.sentence(published.entries(rows)), said)

    def test_a_validation_counts_what_is_compared(self):
        page = published.view(result("published", {"validation": [entry(), entry(kind="identity"), entry(measured=None)]}))
        self.assertEqual((page.state, page.verdict, page.key_figures),
                         ("warn", "2 of 3 compared", [("predicted", "2"), ("identity", "1")]))
        self.assertEqual(page.warnings, ["published numbers without one of ours: 1"])
        full = published.view(result("published", {"validation": [entry()]}))
        self.assertEqual((full.state, full.warnings, full.answer),
                         ("good", [], "1 published number, ours over published 1.20."))
        self.assertEqual(published.view(result("published", {"validation": []})).answer, "Nothing is compared.")
        self.assertEqual([b.block for b in page.blocks], ["heading", "table"])
        self.assertEqual([b.block for b in published.blocks([entry()] * 3)], ["heading", "figure", "table"])


class Runs(unittest.TestCase):
    def test_packets_and_time_are_the_answer(self):
        page = run_view.view(result("run", run()))
        self.assertEqual(page.answer,
                         f"5{THIN}000 packets created, 4{THIN}000 delivered, 10 dropped (queue 7, loss 3), 990 in flight, "
                                      f"in 2{SPACE}ms of simulated time.")
        self.assertEqual(run_view.packets_text({"created": 1, "delivered": 1, "dropped": {"queue": 0}, "in_flight": 0}),
                         "1 packets created, 1 delivered, none dropped, 0 in flight")
        self.assertEqual((page.kind, page.state, page.verdict), ("run", "good", "complete"))
        self.assertEqual(page.facts, [("platform", "p"), ("seed", "3"), ("version", "1.0")])

    def test_key_figures_are_the_first_eight_that_are_numbers(self):
        self.assertEqual(run_view.key_figures(run()), [("fct.mean", f"0{SPACE}us"), ("senders.goodput", f"1.5{SPACE}Gbps")])
        every = run(results={name: {"value": 1, "unit": ""} for name in reversed(run_view.KEY_RESULTS)})
        self.assertEqual([n for n, _ in run_view.key_figures(every)], list(run_view.KEY_RESULTS[:8]))

    def test_results_and_their_ratio(self):
        table = run_view.results_table(["a"], [run()])
        self.assertEqual((heads(table), numeric(table)), (["result", "unit", "value"], ["value"]))
        self.assertEqual(texts(table), [["senders.goodput", "Gbps", "1.5"], ["fct.p99", "us", NONE], ["fct.mean", "us", "0"],
                                        ["count", "", "7"]])
        self.assertEqual((table.dull, table.dull_name), ({1, 2}, "zero or missing results"))
        other = run(results={"senders.goodput": {"value": 3, "unit": "Gbps"}, "fct.mean": {"value": 4, "unit": "us"}, "new": 1})
        both = run_view.results_table(["a", "b"], [run(), other])
        self.assertEqual(heads(both), ["result", "unit", "a", "b", "second / first"])
        self.assertEqual(texts(both), [["senders.goodput", "Gbps", "1.5", "3", "2.000"], ["fct.p99", "us", NONE, NONE, NONE],
                                       ["fct.mean", "us", "0", "4", NONE], ["count", "", "7", NONE, NONE],
                                       ["new", "", NONE, "1", NONE]])
        zero = run_view.results_table(["a", "b"], [run(results={"x": 2}), run(results={"x": 0})])
        self.assertEqual(texts(zero), [["x", "", "2", "0", "0.000"]])
        self.assertEqual(heads(run_view.results_table(["a", "b", "c"], [run()] * 3)), ["result", "unit", "a", "b", "c"])

    def test_warnings_are_of_the_verdict_and_of_what_is_unfinished(self):
        self.assertEqual(run_view.warnings(run()), [])
        for verdict, state in (("error", "warn"), ("timeout", "warn"), ("stuck", "bad"), ("refused", "bad"), ("odd", "warn")):
            page = run_view.view(result("run", run(verdict=verdict)))
            self.assertEqual((page.state, [w.split(":")[0] for w in page.warnings]),
                             (state, [verdict] if verdict != "odd" else []))
        left = run(results={"fct.unfinished": 1200, "queries.unfinished": {"value": 2}, "a.b.unfinished": 3,
                            "collectives.unfinished": 0})
        self.assertEqual([w.split(":")[0] for w in run_view.warnings(left)], [f"1{THIN}200 messages unfinished",
            "2 queries unfinished"])
        nothing = run(packets={"created": 0}, statistics={"a": {}})
        self.assertEqual(run_view.warnings(nothing), ["no packet was created"])
        self.assertEqual(run_view.warnings(run(packets={"created": 0})), [])
        self.assertEqual(run_view.warnings(run(packets={"created": 1}, statistics={"a": {}})), [])
        self.assertEqual(run_view.warnings(run(packets={}, statistics={"a": {}}, verdict="timeout"))[1:], [])
        self.assertEqual(len(run_view.warnings(run(version="1.0.modified"))), 1)

    def test_traffic_in_words_of_the_platform(self):
        keys = config.flat({"traffic": [{"kind": "messages", "pattern": "incast", "size": "64 KiB", "load": "", "qps": "[]"},
                                        {"kind": "batch", "qps": 4}]})
        self.assertEqual(run_view.traffic_text(keys), ["messages incast size 64 KiB", "batch qps 4"])
        page = run_view.view(result("run",
                                    run(config={"traffic": [{"kind": "a"}, {"kind": "b"}], "platform": {"description": "what",
                                        "assumptions": ["x {nic}"]},
                                                       "nic": 7}, validation=[entry()])))
        self.assertEqual(page.facts[:2], [("traffic", "a; b"), ("published", "1 published number, ours over published 1.20")])
        self.assertEqual(page.asked, "what")
        fold = next(b for b in page.blocks if b.block == "fold" and b.title.startswith("Assumptions"))
        self.assertEqual((fold.title, fold.blocks[0].items), ("Assumptions (1): what has no published value", ["x 7"]))
        self.assertEqual(run_view.assumptions({"config": {"platform": "x"}}), [])

    def test_a_replay_has_traces(self):
        rows = {"kinds": [{"port": 3, "trace": "a.pcap"}, {"port": 4, "trace": "b.pcap"}]}
        page = run_view.view(result("run", run(rows=rows, replay={"device": "leaf0"})))
        self.assertEqual((page.kind, page.facts[0]),
                         ("replay", ("traces", "a.pcap into port 3 of leaf0; b.pcap into port 4 of leaf0")))
        self.assertEqual(run_view.traces_text({"rows": rows}), ["a.pcap into port 3", "b.pcap into port 4"])
        self.assertFalse(run_view.is_replay({"rows": {"kinds": [{"port": 3}, {"trace": "x"}]}}))
        self.assertFalse(run_view.is_replay({"rows": {"kinds": []}}))

    def test_counters_are_added_by_kind_of_device(self):
        def value(n, unit="packets"):
            return {"value": n, "unit": unit}
        statistics = {"leaf10": {"port2": {"sent": value(5)}, "odd": value(0)}, "leaf9": {"port1": {"sent": value(8)},
            "odd": value(0)}, "h": {"sent": value(1.5, "B")},
                      "text": 3, "words": {"name": value("x")}}
        (fold,) = run_view.counters({"statistics": statistics})
        table = fold.blocks[0]
        self.assertEqual(fold.title, "Device counters (3)")
        self.assertEqual(texts(table), [["h", "sent", "B", "1", "1.5", "1.5", "1.5", "h.sent"],
                                        ["leaf*", "port*.sent", "packets", "2", "13", "5", "8", "leaf9.port1.sent"],
                                        ["leaf*", "odd", "packets", "2", "0", "0", "0", ""]])
        self.assertEqual(table.dull, {2})
        self.assertEqual(numeric(table), ["objects", "sum", "least", "most"])
        self.assertEqual(run_view.counters({}), [])

    def test_rows_that_a_run_has_are_tables(self):
        (table,) = run_view.other_rows({"rows": {"hop_delays": [{"a": 1}], "empty": [], "left": [{"a": 1}]}}, ("left",))
        self.assertEqual((table.caption, texts(table)), ("Hop delays", [["1"]]))


FLOWS = "flow,sender,receiver,fct_us,slowdown,size_bytes,first_post_us,message_p99_us,mean_rate_gbps\n"


class Waterfall(InFolder):
    FOUND = {"schema": 1, "messages": 1200, "total": {"mean_ns": 30.0, "p99_ns": 45.0},
             "stages": [{"stage": "wqe", "mean_ns": 10.0, "service_ns": 8.0, "waiting_ns": 2.0, "p99_ns": 12.0},
                        {"stage": "never", "mean_ns": 0.0, "service_ns": 0.0, "waiting_ns": 0.0, "p99_ns": 0.0},
                        {"stage": "ack_network", "mean_ns": 20.0, "service_ns": 20.0, "waiting_ns": 0.0, "p99_ns": 30.0}]}

    def test_each_stage_begins_where_the_one_before_ends(self):
        self.write("waterfall.json", json.dumps(self.FOUND))
        _, figure, table = waterfall_view.blocks(self.folder)
        self.assertEqual((figure.spec["rows"], figure.spec["begins"]), (["WQE", "ACK on its way"], [0.0, 10.0]))
        self.assertEqual([(s["name"], s["values"]) for s in figure.spec["series"]],
                         [("service", [8.0, 20.0]), ("waiting", [2.0, 0.0])])
        self.assertEqual(figure.spec["series"][0]["label"], [f"p99 12{SPACE}ns", f"p99 30{SPACE}ns"])
        self.assertTrue(figure.spec["stacked"] and figure.spec["x"]["zero"])
        self.assertTrue(figure.note.startswith(f"1{THIN}200 messages, 30{SPACE}ns each, p99 45{SPACE}ns."))
        self.assertEqual(texts(table), [["WQE", "10", "8", "2", "12"], ["never", "0", "0", "0", "0"],
                                        ["ACK on its way", "20", "20", "0", "30"]])
        self.assertEqual((table.dull, numeric(table)), ({1}, ["mean, ns", "service, ns", "waiting, ns", "p99, ns"]))

    def test_without_messages_there_is_none(self):
        self.assertEqual(waterfall_view.blocks(self.folder), [])
        self.write("waterfall.json", json.dumps({**self.FOUND, "messages": 0}))
        self.assertEqual(waterfall_view.blocks(self.folder), [])


class Rate(unittest.TestCase):
    BEFORE = {"results": {"senders.tx_share": {"value": 0.4}, "senders.idle_context": {"value": 0.5},
                          "senders.idle_window": {"value": 0.1}, "nics.sxp_data_busy": {"value": 0.2}}}
    AFTER = {"results": {"senders.tx_share": {"value": 0.9}, "senders.idle_window": {"value": 0.1}, "nics.sxp_data_busy": {"value": 0.45}}}

    def test_the_wire_is_shared_out_and_blocks_have_public_names(self):
        _, figure, table = rate_view.blocks(self.BEFORE)
        self.assertEqual([(s["name"], s["values"]) for s in figure.spec["series"]],
                         [("packets", [0.4]), ("contexts and translations", [0.5]), ("a window", [0.1])])
        self.assertEqual([row[:3] for row in texts(table)],
                         [["packets", "wire", "0.4"], ["contexts and translations", "PXT, ICM miss", "0.5"],
                          ["a window", "SXD, end-to-end credits", "0.1"], ["data sent", "SXP", "0.2"]])

    def test_of_two_runs_what_changed_most_is_first(self):
        figure, table = rate_view.compared(["a", "b"], [self.BEFORE, self.AFTER])
        self.assertEqual(figure.spec["rows"], ["a", "b"])
        self.assertEqual([(row[0], row[4]) for row in texts(table)],
                         [("packets", "+0.5000"), ("contexts and translations", "-0.5000"), ("data sent", "+0.2500")])
        self.assertEqual(len(rate_view.compared(["a", "b"], [self.AFTER, self.AFTER])), 1)

    def test_without_senders_there_is_none(self):
        self.assertEqual(rate_view.blocks({"results": {}}), [])
        self.assertEqual(rate_view.compared(["a", "b"], [{"results": {}}, self.AFTER]), [])


class Recovery(InFolder):
    FOUND = {"schema": 1, "resent_unasked": 3,
             "recoveries": [{"flow": 0, "name": "a-c:0x40", "psn": 5, "lost_ps": 2000000, "nack_sent_ps": 3500000,
                             "resent_ps": 6000000, "completed_ps": 9000000}],
             "parts": [{"part": "in all", "count": 1, "mean_ns": 7000.0, "p99_ns": 7000.0}],
             "beside": [{"what": "CNP", "where": "a", "from_ps": 4000000, "to_ps": 4000000, "flow": 0},
                        {"what": "pause of class 0", "where": "a:0", "from_ps": 5000000, "to_ps": 6000000},
                        {"what": "CNP", "where": "a", "from_ps": 90000000, "to_ps": 90000000, "flow": 0}]}

    def test_marks_cnps_and_pauses_share_an_axis(self):
        self.write("recovery.json", json.dumps(self.FOUND))
        _, figure, table = recovery_view.blocks(self.folder)
        self.assertEqual(figure.spec["y"]["values"], ["a-c:0x40 psn 5", "CNPs", "pauses"])
        self.assertEqual([(s["name"], s["data"]["x"], s["data"]["y"]) for s in figure.spec["series"]],
                         [("lost", [2], ["a-c:0x40 psn 5"]), ("NACK sent", [3.5], ["a-c:0x40 psn 5"]),
                          ("resent", [6], ["a-c:0x40 psn 5"]), ("completed", [9], ["a-c:0x40 psn 5"]),
                          ("CNPs", [4], ["CNPs"]), ("pauses", [5, 6], ["pauses", "pauses"])])
        self.assertEqual(texts(table), [["in all", "1", "7", "7"]])

    def test_without_recoveries_there_is_none(self):
        self.assertEqual(recovery_view.blocks(self.folder), [])
        self.write("recovery.json", json.dumps({**self.FOUND, "recoveries": []}))
        self.assertEqual(recovery_view.blocks(self.folder), [])


class Ledger(unittest.TestCase):
    SUMMARY = {"results": {"nics.pcie_doorbell_to_nic": {"value": 0.5, "unit": "Gbps"},
                           "nics.pcie_payload_to_host": {"value": 12.0, "unit": "Gbps"},
                           "nics.pcie_payload_to_nic": {"value": 3.0, "unit": "Gbps"},
                           "nics.pcie_wqe_to_host": {"value": 0.0, "unit": "Gbps"},
                           "senders.pcie_bytes_per_message": {"value": 217.0, "unit": "bytes"}}}

    def test_a_bar_for_each_direction_with_a_part_for_each_use(self):
        _, figure, table = rate_view.ledger(self.SUMMARY)
        self.assertEqual(figure.spec["rows"], ["towards the host", "towards the NIC"])
        self.assertEqual([(s["name"], s["style"], s["values"]) for s in figure.spec["series"]],
                         [("doorbells", 0, [0, 0.5]), ("payload", 2, [12.0, 3.0])])
        self.assertTrue(figure.spec["stacked"])
        self.assertIn("217 bytes a message", figure.note)
        rows = {row[0]: row[1:] for row in texts(table)}
        self.assertEqual((rows["doorbells"], rows["payload"], rows["total"]), ([NONE, "0.5"], ["12", "3"], ["12", "3.5"]))
        self.assertEqual(table.marked, {6: "total"})

    def test_a_run_without_hosts_has_none(self):
        self.assertEqual(rate_view.ledger({"results": {}}), [])


if __name__ == "__main__":
    unittest.main()
