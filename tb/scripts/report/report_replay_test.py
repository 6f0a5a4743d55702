#!/usr/bin/python3
"""What scripts/report says of the packets of a replay."""
import unittest

from by_hand import NONE, InFolder, heads, lines, of_kind, texts
from lib.report import replay_view

HEAD = ("packet,copy,parent,in_port,kind,source,destination,bytes,first_bit_in_ps,last_bit_in_ps,ingress_in_ps,ingress_out_ps,"
        "queue_in_ps,queue_out_ps,first_bit_out_ps,out_port,queue,passes,verdict,cause,stage,object,psn,dest_qp\n")
PACKETS = HEAD + ("1,0,0,4,roce,h0,h1,318,1000000,1027040,1100000,1265000,1415000,1415000,1700000,7,0,1,sent,,,,77,64\n"
                  "2,0,0,4,roce,h0,h1,318,1000000,1027040,1100000,1265000,1415000,1435000,1720000,7,0,1,sent,,,,78,64\n"
                  "3,0,0,4,arp,unknown,h1,64,2000000,2010000,2100000,2265000,,,,,,1,dropped,program,3,filter,,\n"
                  "4,1,0,4,roce,h0,h1,318,3000000,3000000,3100000,3265000,3415000,3415000,3600000,6,0,2,sent,,,,79,64\n")
REGISTERS = ("time_ps,packet,copy,in_port,pass,register,index,before,after\n1,1,0,4,1,seen,3,5,7\n2,1,0,4,1,limit,0,9,9\n"
             "3,3,0,4,1,seen,3,7,8\n")


class Replayed(InFolder):
    def test_without_packets_there_is_nothing(self):
        self.assertEqual(replay_view.blocks(self.folder), [])
        self.write("packets.csv", HEAD)
        self.assertEqual(replay_view.blocks(self.folder), [])

    def test_latency_and_queues_by_port(self):
        self.write("packets.csv", PACKETS)
        latency, queues = of_kind(replay_view.blocks(self.folder), "figure")
        self.assertEqual(lines(latency), [("port 6", [3], [600]), ("port 7", [1, 1], [700, 720])])
        self.assertEqual((latency.spec["x"]["unit"], latency.spec["y"]["unit"], latency.note), ("us", "ns", ""))
        # The first goes as soon as it comes, the second 20 ns later.
        self.assertEqual(lines(queues), [("port 7", [1.415, 1.435], [1, 0])])

    def test_the_way_of_a_packet_and_what_it_touched(self):
        self.write("packets.csv", PACKETS)
        (table,) = replay_view.blocks(self.folder)[-1].blocks
        self.assertEqual(heads(table)[-1], "end")
        self.write("registers.csv", REGISTERS)
        (table,) = replay_view.blocks(self.folder)[-1].blocks
        self.assertEqual(heads(table), ["packet", "from", "to", "QP", "PSN", "bytes", "ports", "in, us", "latency",
                                        "end", "registers"])
        self.assertEqual(texts(table)[1], ["2", "h0", "h1", "64", "78", "318", "4 to 7", "1.000000", "720", "sent", ""])
        self.assertEqual(table.rows[1][8].title,
                         "to ingress 100 ns, ingress 165 ns, to the queue 150 ns, queue 20 ns, egress and wire 285 ns")
        self.assertEqual(texts(table)[0][-1], "seen[3]: 5 to 7; limit[0] = 9")
        self.assertEqual(texts(table)[2], ["3", "unknown (arp)", "h1", NONE, NONE, "64", "4", "2.000000", NONE,
                                           "dropped, program, filter", "seen[3]: 7 to 8"])
        self.assertEqual(texts(table)[3][0], "4 copy 1")
        self.assertEqual(table.rows[2][8].title, "to ingress 100 ns, ingress 165 ns")

    def test_many_are_cut_and_it_is_said(self):
        row = "{0},0,0,4,roce,h0,h1,318,{0}000,1,1,1,1,1,{0}500,{1},0,1,sent,,,,{0},64\n"
        self.write("packets.csv", HEAD + "".join(row.format(i, i % 10) for i in range(1, 5003)))
        latency, fold = [b for b in replay_view.blocks(self.folder) if b.block in ("figure", "fold")]
        self.assertEqual(latency.note, "the 8 ports of 10 that most packets left by")
        self.assertEqual((len(latency.spec["series"]), len(latency.spec["series"][0]["data"]["x"])), (8, 400))
        (table,) = fold.blocks
        self.assertEqual((len(table.rows), table.note), (5000, "In: the first bit; end: what became of it. Latency is in ns; its parts are shown where the pointer rests on it. The first 5\u202f000 of 5\u202f002 rows; packets.csv has all."))


if __name__ == "__main__":
    unittest.main()
