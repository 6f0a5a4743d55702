// Entries files: what they put where, and how each fault reads.
#include "horae/p4prog/entries.hpp"

#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::entries_test {
namespace {

/// A table of every kind of key, a register of each shape, a counter, a value set.
Parts program() {
  Parts p;
  p.parser_locals = "  value_set<bit<8>>(4) known;\n";
  p.parse =
      "pkt.extract(hdr.data);\n"
      "transition select(hdr.data.b2) { known: marked; default: accept; } }\n"
      "state marked { md.m1 = 1; transition accept; }\n";
  p.locals =
      "Counter<bit<32>, bit<9>>(16, CounterType_t.PACKETS_AND_BYTES) seen;\n"
      "Register<bit<16>, bit<8>>(4) narrow;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(narrow) add = {\n"
      "  void apply(inout bit<16> v, out bit<16> rv) { v = v + 1; rv = v; } };\n"
      "action send(bit<9> port, bit<8> tag) { ig_tm_md.ucast_egress_port = port; hdr.data.b1 = "
      "tag; }\n"
      "action drop() { ig_dprsr_md.drop_ctl = 1; }\n"
      "table exact_t { key = { hdr.data.f1 : exact; } actions = { send; drop; } default_action = "
      "drop; "
      "size = 4; }\n"
      "table mixed { key = { hdr.data.f2 : ternary; hdr.data.h1 : range; } actions = { send; drop; "
      "} "
      "default_action = drop; size = 16; }\n"
      "table longest { key = { hdr.data.f2 : lpm; } actions = { send; drop; } default_action = "
      "drop; "
      "size = 16; }\n";
  p.apply =
      "if (md.m1 == 1) { ig_tm_md.ucast_egress_port = 9; seen.count(1); hdr.data.h1 = "
      "add.execute(2); }\n"
      "else if (hdr.data.b1 == 1) exact_t.apply();\n"
      "else if (hdr.data.b1 == 2) mixed.apply();\n"
      "else longest.apply();";
  return p;
}

std::string toml_faults(const std::string& toml, const std::string& stf) {
  Bench bench(program());
  Entries::parse_toml(toml, "e.toml").apply(bench.chip->control_plane(), bench.chip->manager());
  return bench.faults(stf);
}
std::string csv_faults(const std::string& csv, const std::string& stf) {
  Bench bench(program());
  Entries::parse_csv(csv, "e.csv").apply(bench.chip->control_plane(), bench.chip->manager());
  return bench.faults(stf);
}

template <class Read>
std::string refusal(Read&& read) {
  try {
    Bench bench(program());
    read().apply(bench.chip->control_plane(), bench.chip->manager());
  } catch (const InputError& e) {
    return e.what();
  }
  return "nothing was refused";
}
std::string toml_refusal(const std::string& toml) {
  return refusal([&] { return Entries::parse_toml(toml, "e.toml"); });
}
std::string csv_refusal(const std::string& csv) {
  return refusal([&] { return Entries::parse_csv(csv, "e.csv"); });
}

// f1 f2 h1 b1 b2
std::string packet(const std::string& hex) { return "packet 0 " + hex + "\n"; }

TEST(Entries, EveryKindOfKey) {
  const std::string toml = R"(
[[entry]]
table = "exact_t"
match = { f1 = 7 }
action = "send"
data = { port = 3, tag = 0xaa }
[[entry]]
table = "pipe.Ig.mixed"
match = { "hdr.data.f2" = "10.0.0.0&&&255.0.0.0", h1 = "5..9" }
priority = 2
action = "send"
data = { port = 4, tag = 0xbb }
[[entry]]
table = "mixed"
match = { h1 = "*" }
priority = 1
action = "send"
data = { tag = 0xcc, port = 5 }
[[entry]]
table = "longest"
match = { f2 = "192.168.0.0/16" }
action = "send"
data = { port = 6, tag = 1 }
[[default]]
table = "longest"
action = "send"
data = { port = 7, tag = 2 }
)";
  EXPECT_EQ(
      toml_faults(
          toml, packet("00000007000000000000 01 00") + "expect 3 00000007000000000000aa00$\n" +
                    packet("000000070a0000010009 02 00") + "expect 4 000000070a0000010009bb00$\n" +
                    packet("000000070a000001000a 02 00") + "expect 5 000000070a000001000acc00$\n" +
                    packet("00000007c0a800010000 00 00") + "expect 6 00000007c0a8000100000100$\n" +
                    packet("00000007c0a900010000 00 00") + "expect 7 00000007c0a9000100000200$\n" +
                    packet("00000008000000000000 01 00") + "no_packet\n"),
      "");
}

TEST(Entries, CsvSaysTheSame) {
  const std::string csv =
      "table, match, priority, action, data\n"
      "# those of one line each\n"
      "exact_t, f1=7, , send, port=3; tag=0xaa\r\n"
      "mixed, \"f2=10.0.0.0&&&255.0.0.0; h1=5..9\", 2, send, \"port=4;tag=0xbb\"\n"
      "mixed, , 1, send, tag=0xcc; port=5\n"
      "\n"
      "longest, default, , send, port=7; tag=2\n";
  EXPECT_EQ(
      csv_faults(csv,
                 packet("00000007000000000000 01 00") + "expect 3 00000007000000000000aa00$\n" +
                     packet("000000070a0000010009 02 00") + "expect 4 000000070a0000010009bb00$\n" +
                     packet("000000070a000001000a 02 00") + "expect 5 000000070a000001000acc00$\n" +
                     packet("00000007c0a900010000 00 00") + "expect 7 00000007c0a9000100000200$\n"),
      "");
}

TEST(Entries, StateBeforeTheFirstPacket) {
  const std::string toml = R"(
register = [{ name = "narrow", index = 2, value = 41 }]
counter = [{ name = "seen", index = 1, packets = 10, bytes = 1000 }]
value_set = [{ name = "known", values = ["0x5*"] }]
)";
  // The register is of each pipe; the counter is read over all of them.
  EXPECT_EQ(toml_faults(toml, packet("00000000000000000000 00 57") +
                                  "expect 9 0000000000000000002a0057$\n"
                                  "check_counter seen(1) packets == 11\n"
                                  "check_counter seen(1) bytes == 1016\n"
                                  "check_register narrow(2) == 42\n"),
            "");
}

TEST(Entries, MetersAndFilters) {
  Parts p;
  p.locals =
      "Meter<bit<8>>(4, MeterType_t.BYTES) m;\nLpf<bit<32>, bit<8>>(4) smooth;\n"
      "Wred<bit<32>, bit<8>>(4, 1, 0) red;\n";
  p.apply =
      "hdr.data.b1 = red.execute(hdr.data.f2, 2); hdr.data.f1 = smooth.execute(hdr.data.f1, 1);\n"
      "hdr.data.b2 = m.execute(3); ig_tm_md.ucast_egress_port = 2;";
  Bench bench(p);
  Entries::parse_toml(
      "[[meter]]\nname = \"m\"\nindex = 3\ncommitted = \"8 kbps\"\ncommitted_burst = \"16 B\"\n"
      "peak = \"8 kbps\"\npeak_burst = \"32 B\"\n"
      "[[low_pass]]\nname = \"smooth\"\nindex = 1\nfalling = \"1 s\"\nrising = \"1442600 ps\"\n"
      "[[early_drop]]\nname = \"red\"\nindex = 2\nfalling = \"1 ps\"\nleast = 10\nmost = 20\n",
      "e.toml")
      .apply(bench.chip->control_plane(), bench.chip->manager());
  EXPECT_EQ(bench.faults(
                "packet 0 00000000 00000014 0003 04 05\nexpect 2 00000000 00000014 0003 01 00\n"
                "packet 0 00000100 00000009 0003 04 05\nexpect 2 00000080 00000009 0003 00 01\n"
                "packet 0 00000000 00000009 0003 04 05\nexpect 2 00000080 00000009 0003 00 03\n"),
            "");
  const auto refused = [&](const std::string& text) -> std::string {
    try {
      Entries::parse_toml(text, "e.toml").apply(bench.chip->control_plane(), bench.chip->manager());
    } catch (const InputError& e) {
      return e.what();
    }
    return "nothing was refused";
  };
  const std::string meter = "[[meter]]\nname = \"m\"\nindex = 3\ncommitted_burst = \"16 B\"\n";
  EXPECT_EQ(refused(meter + "committed = 8\n").substr(0, 27), "e.toml:5:13: committed = 8;");
  EXPECT_EQ(refused(meter).substr(0, 35), "e.toml:1:1: missing 'committed' in ");
  EXPECT_EQ(refused("[[meter]]\nname = \"n\"\nindex = 4\ncommitted = \"1 bps\"\n"
                    "committed_burst = \"1 B\"\n"),
            "e.toml:2:8: there is no Meter 'n'; expected one of pipe.Ig.m, Ig.m, m");
  EXPECT_EQ(refused("[[meter]]\nname = \"m\"\nindex = 4\ncommitted = \"1 bps\"\n"
                    "committed_burst = \"1 B\"\n"),
            "e.toml:3:9: meter 4 of pipe.Ig.m, which has 4");
  EXPECT_EQ(
      refused("[[low_pass]]\nname = \"smooth\"\nindex = 0\nkind = \"mean\"\nfalling = \"1 s\"\n"),
      "e.toml:4:8: kind = \"mean\"; expected \"sample\" or \"rate\"");
  EXPECT_EQ(
      refused("[[early_drop]]\nname = \"red\"\nindex = 0\nfalling = \"1 s\"\nleast = 9\nmost = 8\n")
          .substr(0, 12),
      "e.toml:3:9: ");
}

// Entries of a table with idle_timeout. Packets come a microsecond apart.
TEST(Entries, TimesOfIdleEntries) {
  Parts p;
  p.locals =
      "action to(bit<9> port) { ig_tm_md.ucast_egress_port = port; }\n"
      "table t { key = { hdr.data.f1 : exact; } actions = { to; NoAction; } "
      "idle_timeout = true; }\n"
      "table other { key = { hdr.data.f1 : exact; } actions = { to; NoAction; } }\n";
  p.apply = "t.apply(); other.apply();";
  const std::string entry =
      "[[entry]]\ntable = \"t\"\nmatch = { f1 = 1 }\naction = \"to\"\ndata = { port = 2 }\n";
  Bench bench(p);
  Entries::parse_toml(entry + "ttl = \"2500 ns\"\n", "e.toml")
      .apply(bench.chip->control_plane(), bench.chip->manager());
  const std::string hit = "packet 0 00000001 00000002 0003 04 05\n";
  const std::string other = "packet 0 00000007 00000002 0003 04 05\n";
  // Hits at 1, 2 and 6 us: over at 4.5 us, and again from 8.5 us on. Three pipes have no packet.
  EXPECT_EQ(
      bench.faults(hit + hit + other + other + other + hit + "expect 2\nexpect 2\nexpect 2\n"), "");
  auto& control = bench.chip->control_plane();
  const auto us = [](double t) { return Picoseconds(static_cast<std::int64_t>(t * 1e6)); };
  EXPECT_EQ(control.idle_notifications("t", us(8.4)), 4u);
  EXPECT_EQ(control.idle_notifications("t", us(8.5)), 5u);
  EXPECT_EQ(control.idle_notifications("t", us(1000)), 5u);
  control.remove("t", std::nullopt, {{"f1", "1"}});
  EXPECT_EQ(control.idle_notifications("t", us(1000)), 1u);
  std::string without = entry;
  without.replace(without.find("\"t\""), 3, "\"other\"");
  std::string said;
  try {
    Entries::parse_toml(without + "ttl = \"1 s\"\n", "e.toml")
        .apply(control, bench.chip->manager());
  } catch (const InputError& e) {
    said = e.what();
  }
  EXPECT_EQ(said, "e.toml:6:7: pipe.Ig.other has no idle_timeout");
}

TEST(Entries, GroupsAndSessions) {
  Parts p;
  p.apply = "ig_tm_md.mcast_grp_a = 3;";
  Bench bench(p);
  Entries::parse_toml(
      "[[group]]\nnumber = 3\ncopies = [{ port = 4 }, { port = 5, rid = 9, exclusion = 8 }]\n"
      "[[exclusion]]\nnumber = 2\nports = [5, 7]\n"
      "[[mirror]]\nsession = 7\nport = 8\nmost_bytes = 64\n",
      "e.toml")
      .apply(bench.chip->control_plane(), bench.chip->manager());
  EXPECT_EQ(bench.faults(packet("000000010000000200030405") + "expect 4\nexpect 5\n"), "");
  EXPECT_EQ(bench.chip->manager().groups.at(3), (std::vector<Replica>{{4, 0}, {5, 9, 8}}));
  EXPECT_EQ(bench.chip->manager().exclusions,
            (std::map<unsigned, std::set<unsigned>>{{2, {5, 7}}}));
  EXPECT_EQ(bench.chip->manager().sessions.at(7), (MirrorSession{8, 64}));
}

TEST(Entries, MembersAndGroupsOfASelector) {
  Parts p;
  p.locals =
      "Hash<bit<16>>(HashAlgorithm_t.CRC16) h;\n"
      "ActionProfile(16) members;\n"
      "ActionSelector(members, h, SelectorMode_t.FAIR, 8, 4) choice;\n"
      "action send(bit<9> port) { ig_tm_md.ucast_egress_port = port; }\n"
      "table t { key = { hdr.data.f1 : exact; hdr.data.f2 : selector; } actions = { send; } "
      "implementation = choice; size = 8; }\n";
  p.apply = "t.apply();";
  Bench bench(p);
  const std::string members =
      "[[member]]\nprofile = \"members\"\nmember = 1\naction = \"send\"\ndata = { port = 4 }\n"
      "[[member]]\nprofile = \"members\"\nmember = 2\naction = \"send\"\ndata = { port = 5 }\n";
  Entries::parse_toml(members +
                          "[[selection]]\nselector = \"choice\"\ngroup = 1\nmembers = [2]\n"
                          "[[entry]]\ntable = \"t\"\nmatch = { f1 = 1 }\nmember = 1\n"
                          "[[entry]]\ntable = \"t\"\nmatch = { f1 = 2 }\ngroup = 1\n",
                      "e.toml")
      .apply(bench.chip->control_plane(), bench.chip->manager());
  EXPECT_EQ(bench.faults(packet("000000010000000200030405") + packet("000000020000000200030405") +
                         "expect 4\nexpect 5\n"),
            "");
  const auto refused = [&](const std::string& text) {
    try {
      Bench other(p);
      Entries::parse_toml(text, "e.toml").apply(other.chip->control_plane(), other.chip->manager());
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("nothing was refused");
  };
  EXPECT_EQ(
      refused("[[entry]]\ntable = \"t\"\nmatch = { f1 = 2 }\nmember = 1\naction = \"send\"\n"),
      "e.toml:5:10: 'action' beside 'member'; expected one of the two");
  EXPECT_EQ(refused("[[member]]\nprofile = \"members\"\nmember = 99\naction = \"send\"\n"
                    "data = { port = 4 }\n")
                .substr(0, 12),
            "e.toml:3:10:");
}

TEST(Entries, FaultsHaveTheirPlace) {
  const auto entry = [](const std::string& match, const std::string& action = "action = \"drop\"\n",
                        const std::string& table = "exact_t") {
    return toml_refusal("[[entry]]\ntable = \"" + table + "\"\nmatch = { " + match + " }\n" +
                        action);
  };
  EXPECT_EQ(entry("f1 = 7", "action = \"drop\"\n", "exact"),
            "e.toml:2:9: there is no table 'exact', did you mean 'exact_t'?");
  EXPECT_EQ(entry("f9 = 7"),
            "e.toml:3:16: there is no key of pipe.Ig.exact_t 'f9', did you mean 'f1'?");
  EXPECT_EQ(
      entry("f1 = \"7*\""),
      "e.toml:3:16: hdr.data.f1: '7*' is no value, expected a number as 12, 0x1f or 0b101, or "
      "an address");
  EXPECT_EQ(
      entry("f1 = \"0x1*\""),
      "e.toml:3:16: hdr.data.f1 = 0x1*; expected one value, pipe.Ig.exact_t matches it exactly");
  EXPECT_EQ(entry("f1 = 0x100000000"),
            "e.toml:3:16: hdr.data.f1: 4294967296 is wider than 32 bits");
  EXPECT_EQ(
      entry("f1 = { a = 1 }"),
      "e.toml:3:16: f1 = {\"a\":1}; expected a text, a number, true or false (names with dots "
      "stand in quotes)");
  EXPECT_EQ(entry("f1 = 7", "action = \"sent\"\n"),
            "e.toml:4:10: there is no action of pipe.Ig.exact_t 'sent', did you mean 'send'?");
  EXPECT_EQ(entry("f1 = 7", "action = \"send\"\ndata = { prt = 1, tag = 2 }\n"),
            "e.toml:5:16: there is no parameter of pipe.Ig.send 'prt', did you mean 'port'?");
  EXPECT_EQ(entry("f1 = 7", "action = \"send\"\ndata = { port = 512, tag = 2 }\n"),
            "e.toml:5:17: port of pipe.Ig.send: 512 is wider than 9 bits");
  EXPECT_EQ(entry("f1 = 7", "action = \"send\"\ndata = { port = 5 }\n"),
            "e.toml:1:1: no value for tag of pipe.Ig.send");
  EXPECT_EQ(entry(""),
            "e.toml:1:1: no value for hdr.data.f1, which pipe.Ig.exact_t matches exactly");
  EXPECT_EQ(entry("h1 = \"9..5\"", "action = \"drop\"\n", "mixed").substr(0, 12), "e.toml:1:1: ");
  EXPECT_EQ(toml_refusal("[[entyr]]\ntable = 1\n"),
            "e.toml:1:1: unknown key 'entyr' in the top level, did you mean 'entry'?");
  EXPECT_EQ(toml_refusal("[[entry]]\ntabel = 1\n"),
            "e.toml:2:9: unknown key 'tabel' in [entry], did you mean 'table'?");
  EXPECT_EQ(toml_refusal("[[entry]]\ntable = 1\n"),
            "e.toml:2:9: table = 1; expected a table's name in quotes");
  EXPECT_EQ(toml_refusal("[[entry]]\naction = \"drop\"\n"),
            "e.toml:1:1: missing 'table' in [entry]: a table's name");
  EXPECT_EQ(toml_refusal("[[register]]\nname = \"narow\"\nindex = 1\nvalue = 1\n"),
            "e.toml:2:8: there is no Register 'narow', did you mean 'narrow'?");
  EXPECT_EQ(toml_refusal("[[register]]\nname = \"narrow\"\nindex = 4\nvalue = 1\n"),
            "e.toml:3:9: cell 4 of pipe.Ig.narrow, which has 4");
  EXPECT_EQ(toml_refusal("[[register]]\nname = \"narrow\"\nindex = 3\nvalue = 65536\n"),
            "e.toml:4:9: 0x10000 is wider than the 16 bits of pipe.Ig.narrow");
  EXPECT_EQ(toml_refusal("[[register]]\nname = \"narrow\"\nindex = 3\nvalue = [1, 2]\n"),
            "e.toml:4:9: 2 values for a cell of pipe.Ig.narrow, which has one");
  EXPECT_EQ(toml_refusal("[[mirror]]\nsession = 0\nport = 1\n"),
            "e.toml:2:11: session = 0, which is reserved; expected 1 to 1023");
  EXPECT_EQ(toml_refusal("[[group]]\nnumber = 1\ncopies = [{ port = 512 }]\n"),
            "e.toml:3:20: port = 512; expected a number from 0 to 511");
  EXPECT_EQ(toml_refusal("[[exclusion]]\nnumber = 512\nports = [1]\n"),
            "e.toml:2:10: number = 512; expected a number from 0 to 511");
  EXPECT_EQ(toml_refusal("[[exclusion]]\nnumber = 1\nports = [1, 512]\n"),
            "e.toml:3:9: 512 is wider than 9 bits");
  EXPECT_EQ(toml_refusal("[[exclusion]]\nnumber = 1\nports = [1]\n"
                         "[[exclusion]]\nnumber = 1\nports = [2]\n"),
            "e.toml:4:1: exclusion 1 again; expected each once");
  EXPECT_EQ(toml_refusal("[[entry]\n").substr(0, 9), "e.toml:1:");
}

TEST(Entries, FaultsOfCsvHaveTheirPlace) {
  EXPECT_EQ(csv_refusal(""), "e.csv:1:1: an empty file; expected a line of column names");
  EXPECT_EQ(csv_refusal("table,macth,action\n"),
            "e.csv:1:7: no column 'macth', did you mean 'match'?");
  EXPECT_EQ(csv_refusal("table,action\n"), "e.csv:1:1: the column 'match' is missing");
  const std::string head = "table,match,action,data\n";
  EXPECT_EQ(csv_refusal(head + "exact_t,f1=1,drop\n"), "e.csv:2:1: 3 columns; expected 4");
  EXPECT_EQ(csv_refusal(head + "exact_t,f1,drop,\n"),
            "e.csv:2:9: 'f1'; expected NAME=VALUE with ; between them");
  EXPECT_EQ(csv_refusal(head + "exact_t, f1=1 , send, port=1; tag=256\n"),
            "e.csv:2:35: tag of pipe.Ig.send: 256 is wider than 8 bits");
  EXPECT_EQ(csv_refusal(head + "exact_t,\"f1=1,drop,\n"), "e.csv:2:9: a quote that does not end");
  EXPECT_EQ(csv_refusal("table,match,priority,action\nmixed,,high,drop\n"),
            "e.csv:2:8: priority = 'high'; expected a whole number");
}

TEST(Entries, AFullTableIsRefusedWhereItIsFull) {
  std::string csv = "table,match,action\n";
  for (int i = 0; i < 5; ++i) csv += "exact_t,f1=" + std::to_string(i) + ",drop\n";
  EXPECT_EQ(csv_refusal(csv).substr(0, 11), "e.csv:6:1: ");
}

/// A parser that takes metadata of ports of 16, 3 and 33 bits, which the packet shows.
std::string port_faults(const std::string& toml, const std::string& stf, bool tofino2) {
  Parts p;
  p.tofino2 = tofino2;
  p.headers =
      "header data_h { bit<32> f1; bit<32> f2; bit<16> h1; bit<8> b1; bit<8> b2; }\n"
      "struct headers { data_h data; }\n"
      "struct port_t { bit<16> zone; bit<3> kind; bit<33> wide; }\n"
      "struct metadata { port_t port; }\n";
  p.apply =
      "hdr.data.h1 = md.port.zone; hdr.data.b1 = 5w0 ++ md.port.kind;\n"
      "hdr.data.f1 = md.port.wide[31:0]; hdr.data.b2 = 7w0 ++ md.port.wide[32:32];\n"
      "ig_tm_md.ucast_egress_port = 2;";
  std::string text = text_of(p);
  const std::string advance = "pkt.advance(PORT_METADATA_SIZE);";
  text.replace(text.find(advance), advance.size(), "md.port = port_metadata_unpack<port_t>(pkt);");
  Bench bench(text, tofino2, {});
  Entries::parse_toml(toml, "e.toml").apply(bench.chip->control_plane(), bench.chip->manager());
  return bench.faults(stf);
}

TEST(Entries, MetadataOfPortsAreInFrontOfTheirPackets) {
  const std::string toml =
      "[[port_metadata]]\nport = 3\n"
      "data = { zone = 0x1234, kind = 5, wide = \"0x1deadbeef\" }\n"
      "[[port_metadata]]\nport = 4\nparser = \"IgParser\"\ndata = { kind = 7 }\n";
  for (const bool tofino2 : {false, true}) {
    EXPECT_EQ(port_faults(toml,
                          "packet 3 000000000000000000000000\n"
                          "expect 2 deadbeef00000000 1234 05 01 $\n"
                          "packet 4 000000000000000000000000\n"
                          "expect 2 0000000000000000 0000 07 00 $\n"
                          "packet 5 000000000000000000000000\n"
                          "expect 2 0000000000000000 0000 00 00 $\n",
                          tofino2),
              "");
  }
}

TEST(Entries, FaultsOfMetadataOfPorts) {
  const auto refused = [](const std::string& toml) {
    try {
      return port_faults(toml, "", false);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
  };
  EXPECT_EQ(refused("[[port_metadata]]\nport = 3\ndata = { zone = 65536 }\n"),
            "e.toml:3:17: zone of pipe.IgParser.$PORT_METADATA: 65536 is wider than 16 bits");
  EXPECT_EQ(refused("[[port_metadata]]\nport = 3\ndata = { zona = 1 }\n"),
            "e.toml:3:17: there is no field of pipe.IgParser.$PORT_METADATA 'zona', did you mean "
            "'zone'?");
  EXPECT_EQ(refused("[[port_metadata]]\nport = 3\nparser = \"IgParse\"\ndata = {}\n"),
            "e.toml:3:10: there is no parser 'IgParse', did you mean 'IgParser'?");
  EXPECT_EQ(refused("[[port_metadata]]\nport = 3\n[[port_metadata]]\nport = 3\n"),
            "e.toml:3:1: metadata of port 3 again; expected each once");
  EXPECT_EQ(toml_refusal("[[port_metadata]]\nport = 3\ndata = { zone = 1 }\n"),
            "e.toml:2:8: no parser takes metadata of ports (port_metadata_unpack)");
}

// Whatever the text is, it is taken or refused with a place.
TEST(Entries, AnyBytesAreTaken) {
  std::uint32_t state = 7;
  const std::string letters = "table,match action=;\"f1*&/.\n[[entry]]{}0x12#\\'";
  for (int i = 0; i < 300; ++i) {
    std::string text;
    for (int n = 0; n < 50; ++n) {
      state = state * 1664525 + 1013904223;
      text += letters[(state >> 16) % letters.size()];
    }
    for (const std::string& refused :
         {csv_refusal("table,match,action,data\n" + text), toml_refusal(text)}) {
      if (refused == "nothing was refused") continue;
      EXPECT_TRUE(refused.starts_with("e.csv:") || refused.starts_with("e.toml:")) << refused;
    }
  }
}

}  // namespace
}  // namespace horae::p4prog::test::entries_test
