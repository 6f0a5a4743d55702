// Scripts of a control plane: what they leave, how their faults read, and that they act in cases,
// captures and runs as entries files do.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

#include "../bad_input.hpp"
#include "program.hpp"
#include "scripted_program.hpp"

namespace horae::test::p4_bfrt_test {
namespace {

const std::string shipped = HORAE_PLATFORM_DIR "/p4/";

class P4Bfrt : public ::testing::Test {
 protected:
  P4Bfrt() {
    place.write("control.p4", program_text);
    place.write("setup.py", script_text);
    place.write("control.stf", case_text);
  }
  Ended bfrt(const Words& more = {}) {
    Words words{"p4", "bfrt", "setup.py", "--source", "control.p4"};
    words.insert(words.end(), more.begin(), more.end());
    return run(place, words);
  }
  Ended test(const Words& more = {}) {
    Words words{"p4", "test", "control.stf", "--source", "control.p4"};
    words.insert(words.end(), more.begin(), more.end());
    return run(place, words);
  }
  /// Rows that a script leaves, by kind.
  ordered_json rows_of(const std::string& script) {
    place.write("setup.py", script);
    const Ended ended = bfrt({"--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.exit_code == 0 ? ended.json()["rows"] : ordered_json();
  }
  /// The line by which a script is refused, without "horae: setup.py:".
  std::string fault_of(const std::string& script) {
    place.write("setup.py", script);
    const Ended ended = bfrt();
    EXPECT_EQ(ended.exit_code, 2) << ended.out;
    const std::string before = "horae: setup.py:";
    EXPECT_EQ(ended.err.substr(0, before.size()), before) << ended.err;
    return ended.err.size() > before.size()
               ? ended.err.substr(before.size(), ended.err.size() - before.size() - 1)
               : "";
  }
  Workplace place;
};

constexpr const char* table = "t = bfrt.control.pipe.Ig.exact_t\n";

TEST_F(P4Bfrt, AScriptSetsEveryKindOfObject) {
  const Ended with = test({"--control", "setup.py"});
  EXPECT_EQ(with.out, "13 packets, 14 expectations: met\n") << with.err;
  EXPECT_EQ(with.err, "");
  EXPECT_EQ(with.exit_code, 0);
  EXPECT_EQ(test().exit_code, 1) << "the case says nothing of the script";
}

/// A case has no time, so all steps come before it, one after the other.
TEST_F(P4Bfrt, StepsChangeWhatIsThere) {
  place.write("setup.py", R"(import time
p4 = bfrt.control.pipe
key = dict(f2=0, f2_mask=0, h1_start=0, h1_end=0xffff, MATCH_PRIORITY=4)
p4.Ig.mixed.add_with_send(**key, port=1, tag=1)
p4.Ig.exact_t.add_with_drop(1)
p4.Ig.exact_t.add_with_flood(2, 5)
p4.Ig.longest.set_default_with_send(3, 3)
p4.Ig.limits.mod(2, 0, 7)
bfrt.pre.node.add(1, 0, [], [20])
bfrt.pre.mgid.add(5, [1], [False], [0])
p4.IgParser.PORT_METADATA.add(4, 1, 1)
time.sleep(1e-6)
p4.Ig.mixed.mod_with_send(**key, port=9, tag=0x61)
p4.Ig.exact_t.delete(1)
p4.Ig.exact_t.add_with_send_counted(1, 9, 0x62)
p4.Ig.longest.set_default_with_send(9, 0x63)
bfrt.pre.node.mod(1, DEV_PORT=[21])
p4.IgParser.PORT_METADATA.mod(4, 2, 3)
time.sleep(1e-6)
p4.Ig.limits.mod(2, hi=8)
)");
  place.write("control.stf",
              "packet 4 00000000 00000014 0007 02 00\nexpect 9 00000000 00000014 0007 61 00\n"
              "packet 4 00000001 00000000 0000 01 00\nexpect 9 00000001 00000000 0000 62 00\n"
              "packet 4 00000002 00000000 0000 01 00\nexpect 21 00000002 00000000 0000 01 00\n"
              "packet 4 00000000 0b010001 0000 03 00\nexpect 9 00000000 0b010001 0000 63 00\n"
              "packet 4 00000000 00000000 0000 06 00\nexpect 7 00000008 00000000 0002 06 03\n"
              "no_packet\n");
  const Ended ended = test({"--control", "setup.py"});
  EXPECT_EQ(ended.out, "5 packets, 6 expectations: met\n") << ended.err;
  place.write("setup.py",
              "import time\nt = bfrt.control.pipe\nt.Ig.limits.mod(1, 2, 3)\ntime.sleep(1)\n"
              "t.IgParser.known.add(7)\n");
  EXPECT_EQ(bfrt().err,
            "horae: setup.py:5:1: value sets are set before the first time.sleep() alone\n");
}

TEST_F(P4Bfrt, WhatIsLeftIsCounted) {
  place.write("setup.py",
              "p4 = bfrt.control.pipe\nprint('begins')\np4.Ig.exact_t.add_with_drop(1)\n"
              "p4.Ig.exact_t.add_with_drop(2)\np4.Ig.limits.mod(1, 2, 3)\n");
  const Ended ended = bfrt();
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.out,
            fmt::format("begins\nleft in control.p4:\n  {:<14} {:<50} {:>7}\n"
                        "  {:<14} {:<50} {:>7}\n",
                        "entries", "pipe.Ig.exact_t", 2, "registers", "pipe.Ig.limits", 1));
  EXPECT_EQ(ended.err, "");
}

TEST_F(P4Bfrt, RowsSayWhereTheyCameFrom) {
  const auto rows =
      rows_of("t = bfrt.control.pipe.Ig\n\nt.mixed.add_with_send(1, 3, 2, 4, 7, 8, 9)");
  ASSERT_EQ(rows["entries"].size(), 1u);
  const auto& row = rows["entries"][0];
  EXPECT_EQ(row["at"], ordered_json({"setup.py", 3, 1}));
  EXPECT_EQ(row["table"], "pipe.Ig.mixed");
  EXPECT_EQ(row["match"].dump(), R"([["hdr.data.f2","0x1&&&0x3"],["hdr.data.h1","0x2..0x4"]])");
  EXPECT_EQ(row["priority"], -7) << "the least number wins there, the greatest here";
  EXPECT_EQ(row["data"].dump(), R"([["port","0x8"],["tag","0x9"]])");
}

TEST_F(P4Bfrt, ParametersAreCalledAsOneMay) {
  for (const std::string call :
       {"t.add_with_send_counted(167772161, 3, 0)",
        "t.add_with_send_counted(f1='10.0.0.1', port='3', tag=0)",
        "t.add_with_send_counted(hdr_data_f1=ip('10.0.0.1'), PORT=3)",
        "from netaddr import IPAddress\n"
        "t.add_with_send_counted(f1=IPAddress('10.0.0.1'), port=3)",
        "from ipaddress import ip_address\n"
        "t.add_with_send_counted(ip_address('10.0.0.1'), 0x3, pipe=0xffff)",
        "t.entry_with_send_counted('0x0a000001', 3, 0).push()",
        "t.add_with_send_counted(key_dict={'hdr.data.f1': 0xa000001},\n"
        "                        data_dict={'port': 3, 'tag': 0})"}) {
    const auto rows = rows_of(table + call);
    ASSERT_EQ(rows["entries"].size(), 1u) << call;
    EXPECT_EQ(rows["entries"][0]["match"][0][1], "0xa000001") << call;
    EXPECT_EQ(rows["entries"][0]["data"][0].dump(), R"(["port","0x3"])") << call;
    EXPECT_EQ(rows["entries"][0]["action"], "Ig.send_counted") << call;
  }
}

TEST_F(P4Bfrt, ScriptsOfAllVersionsOfTheToolRun) {
  const auto rows = rows_of(std::string(table) + R"(from bfrtcli import *
if __name__ == '__bfrtcli__':
    t.add_with_drop(1)
if __name__ == '__main__':
    t.add_with_drop(2)
exec('bfrt.' + bfrt.p4_programs_list[0] + '.pipe.Ig.exact_t.add_with_drop(3)')
bfrt.another_name.pipe.Ig.exact_t.add_with_drop(4)
)");
  ASSERT_EQ(rows["entries"].size(), 4u);
  EXPECT_EQ(rows["entries"][2]["at"][1], 7) << "the line that calls exec";
}

/// A register outside of controls, in a pipe of another name than most have.
TEST_F(P4Bfrt, ObjectsLieWhereTheCompilerHasThem) {
  std::string program = program_text;
  const auto swap = [&program](const std::string& from, const std::string& to) {
    program.replace(program.find(from), from.size(), to);
  };
  const std::string register_text = "  Register<pair_t, bit<8>>(4) limits;\n";
  swap(register_text, "");
  swap("control Ig(", "Register<pair_t, bit<8>>(4) limits;\ncontrol Ig(");
  swap("EgDeparser()) pipe;", "EgDeparser()) own;");
  swap("Switch(pipe)", "Switch(own)");
  place.write("control.p4", program);
  for (const std::string pipe : {"own", "pipe"}) {
    const auto rows = rows_of("bfrt.control." + pipe + ".limits.mod(1, 2, 3)\nbfrt.control." +
                              pipe + ".Ig.exact_t.add_with_drop(1)");
    EXPECT_EQ(rows["registers"].size(), 1u);
    EXPECT_EQ(rows["entries"][0]["table"], "own.Ig.exact_t");
  }
}

TEST_F(P4Bfrt, GroupsOfASelectorAreMembersThatAreAlive) {
  place.write("setup.py", R"(ig = bfrt.balancer.pipe.Balancer
for member, port in ((1, 16), (2, 24), (3, 32), (4, 8)):
    ig.uplinks.add_with_forward(ACTION_MEMBER_ID=member, port=port)
ig.uplink_groups.add(SELECTOR_GROUP_ID=1, MAX_GROUP_SIZE=16, ACTION_MEMBER_ID=[1, 2],
                     ACTION_MEMBER_STATUS=[True, True])
ig.uplink_groups.mod_inc(SELECTOR_GROUP_ID=1, ACTION_MEMBER_ID=[3, 4],
                         ACTION_MEMBER_STATUS=[True, False], mod_flag=0)
ig.uplink_groups.mod_inc(SELECTOR_GROUP_ID=1, ACTION_MEMBER_ID=[2], ACTION_MEMBER_STATUS=[True],
                         mod_flag=1)
ig.destinations.add(destination='10.0.0.0', destination_p_length=24, SELECTOR_GROUP_ID=1)
)");
  const Ended ended = run(
      place, {"p4", "bfrt", "setup.py", "--source", shipped + "balancer/balancer.p4", "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto rows = ended.json()["rows"];
  EXPECT_EQ(rows["members"].size(), 4u);
  EXPECT_EQ(rows["selections"][0]["members"], ordered_json({1, 3}));
  EXPECT_EQ(rows["entries"][0]["group"], 1);
}

TEST_F(P4Bfrt, ReadsGiveWhatWasWritten) {
  const auto rows = rows_of(std::string(table) + R"(import json
ig = bfrt.control.pipe.Ig
t.add_with_send_counted(5, 6, 7, COUNTER_SPEC_PKTS=8)
e = t.get(f1=5, print_ents=False)
assert (e.key, e.action) == ({b'hdr.data.f1': 5}, 'Ig.send_counted')
assert e.data == {b'port': 6, b'tag': 7, b'$COUNTER_SPEC_PKTS': 8}
e.data[b'port'] = 9
e.push()
assert t.get(5).data[b'port'] == 9
assert t.get(6) == -1
t.add_with_flood(6, 1)
assert [e.key[b'hdr.data.f1'] for e in t.get(regex=True, print_ents=False)] == [5, 6]
assert json.loads(t.dump(json=True))[1]['data'] == {'group': 1}
assert t.info(return_info=True)['usage'] == 2 and t.info(return_info=True)['capacity'] == 4
t.get(6).remove()
assert ig.limits.get(REGISTER_INDEX=3).data[b'Ig.limits.hi'] == [0, 0, 0, 0]
ig.limits.entry(3, lo=1, hi=2).push()
assert ig.limits.get(REGISTER_INDEX=3).data[b'Ig.limits.hi'] == [2, 2, 2, 2]
assert ig.fixed.info(return_info=True)['usage'] == 1
assert ig.longest.get_default(print_ent=False).action == 'Ig.drop'
try:
    t.add_with_drop(5)
except Exception as error:
    assert error.sts == 4
)");
  ASSERT_EQ(rows["entries"].size(), 1u);
  EXPECT_EQ(rows["entries"][0]["data"][0][1], "0x9");
  EXPECT_EQ(rows["entries"][0]["direct"][0][1]["packets"], 8);
  EXPECT_EQ(rows["registers"].size(), 1u);
}

TEST_F(P4Bfrt, FaultsHaveTheLineOfTheScript) {
  const auto in_table = [&](const std::string& line) { return fault_of(table + line); };
  EXPECT_EQ(fault_of("\nbfrt.control.pipe.Ig.exakt_t.clear()"),
            "2:1: there is no 'exakt_t' in bfrt.pipe.Ig, did you mean 'exact_t'?");
  EXPECT_EQ(in_table("t.add_with_dorp(1)"),
            "2:1: pipe.Ig.exact_t has no 'add_with_dorp', did you mean 'add_with_drop'?");
  EXPECT_EQ(in_table("if True:\n    t.add_with_send_counted(1, 512, 0)"),
            "3:5: exact_t.add_with_send_counted, port: 512 is wider than 9 bits");
  EXPECT_EQ(in_table("t.add_with_drop(f11=1)"),
            "2:1: exact_t.add_with_drop() has no parameter 'f11', did you mean 'f1'?");
  EXPECT_EQ(in_table("t.add_with_drop('10.0.0')"),
            "2:1: exact_t.add_with_drop, key hdr.data.f1: '10.0.0' is no number and no address");
  EXPECT_EQ(in_table("t.add_with_drop(1)\nt.add_with_drop(1)"),
            "3:1: Error: table_entry_add failed on table pipe.Ig.exact_t. [Already exists]");
  EXPECT_EQ(in_table("for i in range(9):\n    t.add_with_drop(i)"),
            "3:5: Error: table_entry_add failed on table pipe.Ig.exact_t. [Not enough space]");
  EXPECT_EQ(in_table("t.mod_with_drop(1)"),
            "2:1: Error: table_entry_mod failed on table pipe.Ig.exact_t. [Object not found]");
  EXPECT_EQ(fault_of("bfrt.control.pipe.Ig.fixed.add_with_drop(2)"),
            "1:1: pipe.Ig.fixed has entries that are const");
  EXPECT_EQ(fault_of("bfrt.control.pipe.Ig.limits.mod(4, 1)"),
            "1:1: cell 4 of pipe.Ig.limits, which has 4");
  EXPECT_EQ(fault_of("bfrt.control.pipe.Ig.picked.add(1, ACTION_MEMBER_ID=8)"),
            "1:1: member 8 of pipe.Ig.choices, which has 8");
  EXPECT_EQ(fault_of("bfrt.mirror.cfg.add_with_normal(sid=0)"),
            "1:1: session 0 of mirror.cfg is reserved");
  EXPECT_EQ(fault_of("bfrt.complete_operation()"),
            "1:1: there is no 'complete_operation' in bfrt, did you mean 'complete_operations'?");
  EXPECT_EQ(fault_of("x = ="), "1:5: invalid syntax");
  EXPECT_EQ(fault_of("\nimport no_such_module"),
            "2:1: ModuleNotFoundError: No module named 'no_such_module'");
  EXPECT_EQ(fault_of("import sys\nsys.exit(3)"), "2:1: the script ended itself by exit code 3");
  EXPECT_EQ(fault_of("import os\nos._exit(3)").find("exit code 3") != std::string::npos, true);
  expect_refused(place, {"p4", "bfrt", "none.py", "--source", "control.p4"},
                 "none.py: FileNotFoundError: [Errno 2] No such file or directory: 'none.py'");
  const Ended json = bfrt({"--json"});
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_EQ(json.json()["verdict"], "refused");
}

TEST_F(P4Bfrt, ExclusionIdsOfGroups) {
  const auto rows = rows_of(R"(bfrt.pre.node.add(1, 7, [], [8, 16])
bfrt.pre.node.add(2, 0, [], [24])
bfrt.pre.mgid.add(5, [1, 2], [True, False], [9, 3])
bfrt.pre.prune.mod(3, [8])
)");
  EXPECT_EQ(rows.at("groups").at(0).at("copies"),
            ordered_json::parse("[[8, 7, 9], [16, 7, 9], [24, 0, null]]"));
  EXPECT_EQ(rows.at("exclusions").at(0).at("number"), 3);
  EXPECT_EQ(rows.at("exclusions").at(0).at("ports"), ordered_json::parse("[8]"));
}

TEST_F(P4Bfrt, RowsOfPacketGenerators) {
  const auto rows = rows_of(R"(g = bfrt.tf1.pktgen
g.port_cfg.mod(dev_port=68, pktgen_enable=True)
g.port_cfg.mod(dev_port=196, pktgen_enable=True, pattern_matching_enable=True)
g.pkt_buffer.mod(pkt_buffer_offset=32, pkt_buffer_size=4, buffer=bytes([1, 2, 255]))
g.app_cfg.mod_with_trigger_timer_one_shot(app_id=1, timer_nanosec=500, pkt_len=8, batch_count_cfg=2,
                                          packets_per_batch_cfg=3, ipg=10, ibg=20, app_enable=True)
g.app_cfg.mod_with_trigger_timer_periodic(app_id=1, pipe=1, timer_nanosec=2000, pkt_len=4, app_enable=True)
g.app_cfg.entry_with_trigger_recirc_pattern(app_id=2, pattern_value=0x80000001, pattern_mask=0xff,
                                            pipe_local_source_port=68, app_enable=True).push()
g.app_cfg.add_with_trigger_port_down(app_id=3, app_enable=True)
g.app_cfg.mod(app_id=3, app_enable=False)
)");
  const auto& made = rows.at("generators");
  ASSERT_EQ(made.size(), 3u) << made;
  const auto field = [&](const char* name) {
    return ordered_json({made[0][name], made[1][name], made[2][name]}).dump();
  };
  EXPECT_EQ(field("app"), "[1,1,2]");
  EXPECT_EQ(field("trigger"), R"(["one_shot","timer","recirculation"])");
  EXPECT_EQ(field("pipes"), "[[0],[1],[1]]");
  EXPECT_EQ(field("timer"), "[500000,2000000,0]");
  EXPECT_EQ(field("batches"), "[3,1,1]");
  EXPECT_EQ(field("packets"), "[4,1,1]");
  EXPECT_EQ(field("batch_gap"), "[20000,0,0]");
  EXPECT_EQ(field("packet_gap"), "[10000,0,0]");
  EXPECT_EQ(field("length"), "[8,4,0]");
  EXPECT_EQ(field("port"), "[null,null,68]");
  EXPECT_EQ(made[2].at("value").dump(), "[2147483649,0]");
  EXPECT_EQ(made[2].at("mask").dump(), "[255,0]");
  EXPECT_EQ(rows.at("packet_buffers").at(0).at("bytes").dump(), "[1,2,255,0]");
}

TEST_F(P4Bfrt, WhatIsNotModelledIsSaid) {
  place.write("setup.py", R"(import socket
bfrt.port.port.add(DEV_PORT=4, SPEED='BF_SPEED_100G', FEC='BF_FEC_TYP_NONE')
dp = bfrt.port.port_hdl_info.get(CONN_ID=3, CHNL_ID=1, print_ents=False).data[b'$DEV_PORT']
assert socket.gethostname() == 'tofino7' and dp == 9
bfrt.tf1.tm.port.cfg.get(dev_port=3).data[b'pg_id']
bfrt.pre.port.mod(64, COPY_TO_CPU_PORT_ENABLE=True)
bfrt.pre.node.add(1, 0, [], [1])
bfrt.pre.ecmp.add(9, [1])
bfrt.pre.mgid.add(MGID=1, MULTICAST_ECMP_ID=[9], MULTICAST_NODE_ID=[7])
bfrt.tf1.pktgen.app_cfg.mod_with_trigger_timer_periodic(app_id=2, app_enable=True, ibg_jitter=5)
bfrt.tf1.pktgen.app_cfg.mod(app_id=4, app_enable=True)
bfrt.tf2.pktgen.app_cfg.mod(1)
)");
  const Ended ended = bfrt({"--hostname", "tofino7"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_EQ(ended.err,
            "horae: warning: bfrt.port.port_hdl_info: numbers of front ports as the vendor's model "
            "has them; boards differ\n"
            "horae: warning: bfrt.pre.port: the CPU's port and backup ports stay as they are\n"
            "horae: warning: bfrt.pre.ecmp: the first node is taken, without a hash\n"
            "horae: warning: bfrt.pre.mgid: group 1 names node 7, which is not there\n"
            "horae: warning: tf1.pktgen.app_cfg: ibg_jitter is not modelled\n"
            "horae: warning: tf1.pktgen.app_cfg: app 2 makes nothing, as port 68 of no pipe has "
            "pktgen_enable\n"
            "horae: warning: tf1.pktgen.app_cfg: app 4 makes nothing, as its trigger is not set\n"
            "horae: warning: bfrt.port.port.add() is not modelled: 1 call did nothing\n"
            "horae: warning: bfrt.tf1.tm.port.cfg.get() is not modelled: 1 call did nothing\n"
            "horae: warning: bfrt.tf2.pktgen.app_cfg.mod() is not modelled: 1 call did nothing\n");
  place.write("setup.py", "import socket, sys\nif socket.gethostname() != 'a': sys.exit(1)\n");
  EXPECT_EQ(bfrt({"--hostname", "b"}).err,
            "horae: setup.py:2:33: the script ended itself by exit code 1; it asked for the host's "
            "name, which may be given\n");
}

TEST_F(P4Bfrt, AScriptThatWaitsForPacketsEnds) {
  place.write("setup.py", std::string(table) +
                              "import time\nt.add_with_drop(1)\nwhile True:\n    time.sleep(1)\n"
                              "    bfrt.control.pipe.Ig.seen.get(1)\n");
  const Ended reads = bfrt();
  EXPECT_EQ(reads.exit_code, 0);
  EXPECT_EQ(reads.err,
            "horae: warning: setup.py:6:5: ends here: it reads pipe.Ig.seen after a sleep, when "
            "packets may have changed it\n");
  place.write("setup.py", "import time\nwhile True:\n    time.sleep(1)\n");
  EXPECT_EQ(bfrt().err,
            "horae: warning: setup.py:3:5: ends here: it has slept for more than 10 s\n");
}

/// Three NICs around the router.
std::string star(const std::string& program) {
  return "[platform]\nname = \"star\"\n[sim]\nduration = \"400 us\"\n"
         "[nic]\nkind = \"rnic\"\ntransport = \"go_back_n\"\n"
         "[tor]\nkind = \"tofino\"\nchip = \"tofino2\"\n[tor.program]\nname = \"p4\"\n"
         "source = \"" +
         shipped + "router/router.p4\"\n" + program +
         "[[device]]\nnames = [\"a\", \"b\", \"c\"]\nprofile = \"nic\"\n"
         "[[device]]\nnames = [\"s\"]\nprofile = \"tor\"\n"
         "[link_default]\nrate = \"100 Gbps\"\ndelay = \"500 ns\"\n"
         "[[link]]\nbetween = [\"a\", \"s\"]\n[[link]]\nbetween = [\"b\", \"s\"]\n"
         "[[link]]\nbetween = [\"c\", \"s\"]\n"
         "[[traffic]]\nkind = \"messages\"\npattern = \"permutation\"\nmessage = \"64 KiB\"\n"
         "depth = 1\n";
}

std::string routes(int from) {
  std::string out = "routes = bfrt.router.pipe.Ingress.ipv4_lpm\n";
  for (int nic = from; nic < 4; ++nic)
    out += fmt::format("routes.add_with_route('10.0.0.{0}', 32, {1}, '02:00:00:00:00:0{0}')\n", nic,
                       8 * nic);
  return out;
}

TEST(P4BfrtRun, ARunTakesItsTablesFromAScript) {
  Workplace place;
  place.write("a.toml", star("control = [\"a.py\"]\n"));
  place.write("a.py", routes(1));
  place.write("b.toml", star("entries = [\"b.csv\"]\n"));
  place.write("b.csv",
              "table,match,action,data\n"
              "ipv4_lpm,dst_addr=10.0.0.1/32,route,port=8; next_hop=02:00:00:00:00:01\n"
              "ipv4_lpm,dst_addr=10.0.0.2/32,route,port=16; next_hop=02:00:00:00:00:02\n"
              "ipv4_lpm,dst_addr=10.0.0.3/32,route,port=24; next_hop=02:00:00:00:00:03\n");
  const Ended script = run(place, {"run", "a.toml", "--json"});
  const Ended entries = run(place, {"run", "b.toml", "--json"});
  ASSERT_EQ(script.exit_code, 0) << script.err;
  ASSERT_EQ(entries.exit_code, 0) << entries.err;
  EXPECT_EQ(script.json()["results"], entries.json()["results"]);
  EXPECT_EQ(script.json()["packets"], entries.json()["packets"]);
  EXPECT_GT(script.json()["packets"]["delivered"].get<int>(), 1000);

  place.write("a.py", "\n" + routes(1) + "routes.add_with_rout()\n");
  expect_refused(place, {"run", "a.toml"},
                 "a.py:6:1: pipe.Ingress.ipv4_lpm has no 'add_with_rout', did you mean "
                 "'add_with_route'?");
  place.write("a.toml", star("control = [\"none.py\"]\n"));
  EXPECT_EQ(run(place, {"run", "a.toml"}).exit_code, 2);
}

TEST(P4BfrtRun, AReplayTakesItsTablesFromAScript) {
  Workplace place;
  const auto replayed = [&](const Words& more) {
    Words words = {
        "replay",     shipped + "../../traces/hosts.pcap@h0", "--filter", "src host 10.0.0.1",
        "--platform", shipped + "router/router.toml",         "--out",    "out"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run(place, words);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return place.read("out/packets.csv") + place.read("out/ports/tor_1.pcap") +
           place.read("out/ports/tor_2.pcap");
  };
  const std::string entries = replayed({});
  EXPECT_EQ(entries,
            replayed({"--set", "tor.program.entries=[]", "--set",
                      "tor.program.control=[\"" + shipped + "router/router.control.py\"]"}));
  EXPECT_NE(entries, replayed({"--set", "tor.program.entries=[]"}));
}

/// Calls after a sleep happen at that time of the simulation, later by the latency.
TEST(P4BfrtRun, ASleepIsTimeOfTheSimulation) {
  Workplace place;
  const auto with = [&](const std::string& first_sleep, const std::string& latency) {
    place.write("a.py", "import time\n" + routes(1) + "time.sleep(" + first_sleep +
                            ")\nroutes.delete('10.0.0.1', 32)\ntime.sleep(50e-6)\n"
                            "routes.add_with_route('10.0.0.1', 32, 8, '02:00:00:00:00:01')\n");
    place.write("a.toml", star("control = [\"a.py\"]\ncontrol_latency = \"" + latency + "\"\n"));
    const Ended ended = run(place, {"run", "a.toml", "--json"});
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.json();
  };
  const auto at_once = with("100e-6", "0 ns"), late = with("100e-6", "200 us"),
             waited = with("300e-6", "0 ns"), never = with("100e-6", "400 us");
  // One NIC gets no packet for 50 us, and its sender stalls.
  EXPECT_GT(at_once["packets"]["dropped"]["program"].get<int>(), 0);
  EXPECT_LT(at_once["packets"]["delivered"].get<int>(), never["packets"]["delivered"].get<int>());
  EXPECT_EQ(late["packets"], waited["packets"]);
  EXPECT_EQ(late["results"], waited["results"]);
  EXPECT_NE(late["packets"], at_once["packets"]);
  EXPECT_EQ(never["packets"]["dropped"]["program"], 0);
}

}  // namespace
}  // namespace horae::test::p4_bfrt_test
