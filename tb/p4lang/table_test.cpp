// Tables: keys, actions with their data, defaults, entries, properties.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4lang::table_test {
namespace {

const std::string actions =
    "action set(bit<9> port) { tm.ucast_egress_port = port; } action drop() { dm.drop_ctl = 1; } ";

Table table_of(const std::string& table) {
  return ingress_of("t.apply();", actions + table).tables.at(0);
}

std::string fault_of(const std::string& table) { return fault_in("t.apply();", actions + table); }

TEST(Tables, KeysHaveTheNamesOfControlPlanes) {
  const Table t = table_of(
      "table t { key = { hdr.a.x : exact; hdr.a.y : ternary @name(\"why\"); hdr.b.isValid() : "
      "exact;"
      "hdr.a.z[15:8] : range; hdr.stack[1].kind : exact; md.wide : lpm; } actions = { set; drop; } "
      "size = 2048; }");
  std::vector<std::string> names;
  for (const Key& k : t.keys)
    names.push_back(k.name + ":" + k.match_kind + ":" + std::to_string(width_of(*k.value.type)));
  EXPECT_EQ(names, (std::vector<std::string>{"hdr.a.x:exact:8", "why:ternary:16",
                                             "hdr.b.$valid:exact:1", "hdr.a.z[15:8]:range:8",
                                             "hdr.stack[1].kind:exact:8", "md.wide:lpm:64"}));
  EXPECT_EQ(t.name, "pipe.I.t");
  EXPECT_EQ(t.size, 2048u);
}

TEST(Tables, TheDefaultIsNoActionUnlessWritten) {
  Table t = table_of("table t { key = { hdr.a.x : exact; } actions = { set; drop; } }");
  EXPECT_EQ(t.actions.at(t.default_action.action).name, "NoAction");
  EXPECT_TRUE(t.actions.at(t.default_action.action).default_only);
  t = table_of(
      "table t { key = { hdr.a.x : exact; } actions = { set; @defaultonly drop; NoAction; } const "
      "default_action = set(7); }");
  EXPECT_EQ(t.default_action.action, 0u);
  EXPECT_EQ(t.default_action.arguments.at(0).value, 7);
  EXPECT_TRUE(t.const_default);
  EXPECT_TRUE(t.actions[1].default_only);
  EXPECT_EQ(t.actions.size(), 3u);
}

// However many tables have it, and in no block.
TEST(Tables, AnActionOfTheProgramIsOneFunction) {
  const Block b =
      ingress_of("t.apply(); u.apply();",
                 actions +
                     "table t { key = { hdr.a.x : exact; } actions = { NoAction; set; } } "
                     "table u { key = { hdr.a.y : exact; } actions = { drop; NoAction; } }");
  const TableAction &of_t = b.tables.at(0).actions.at(0), &of_u = b.tables.at(1).actions.at(1);
  EXPECT_EQ(of_t.function, of_u.function);
  EXPECT_EQ(b.functions.at(of_t.function).name, "NoAction");
  EXPECT_EQ(b.functions.at(b.tables[0].actions.at(1).function).name, "pipe.I.set");
}

TEST(Tables, EntriesAreSetsOfValues) {
  const Table t = table_of(R"(table t {
    key = { hdr.a.x : ternary; hdr.a.y : range; hdr.a.z : lpm; }
    actions = { set; drop; }
    const entries = {
      (1, 5, 0x0a000000 &&& 0xff000000) : set(3);
      (0x10 &&& 0xf0, 1 .. 9, _) : drop();
      {_, _, _} : drop;
    } })");
  ASSERT_EQ(t.entries.size(), 3u);
  EXPECT_TRUE(t.const_entries);
  EXPECT_EQ(t.entries[0].keys[0].kind, SetKind::exact);
  EXPECT_EQ(t.entries[0].keys[2].kind, SetKind::mask);
  EXPECT_EQ(t.entries[0].keys[2].other, 0xff000000u);
  EXPECT_EQ(t.entries[0].action.arguments.at(0).value, 3);
  EXPECT_EQ(t.entries[1].keys[1].kind, SetKind::range);
  EXPECT_EQ(t.entries[1].keys[1].other, 9);
  EXPECT_EQ(t.entries[2].keys[0].kind, SetKind::any);
  EXPECT_EQ(t.entries[2].action.action, 1u);
}

TEST(Tables, PropertiesNameTheirObjects) {
  static Program p;
  p = program_of(
      {.locals = actions +
                 "DirectCounter<bit<32>>(CounterType_t.PACKETS) c; ActionProfile(64) profile;"
                 "table t { key = { hdr.a.x : exact; } actions = { drop; } counters = c; "
                 "implementation = profile; idle_timeout = true; }",
       .apply = "t.apply();"});
  const Table& t = p.block(p.pipes[0], "ingress")->tables[0];
  EXPECT_EQ(p.externs[t.find("counters")->value.index].name, "pipe.I.c");
  EXPECT_EQ(p.externs[t.find("implementation")->value.index].type->name, "ActionProfile");
  EXPECT_EQ(t.find("idle_timeout")->value.value, 1);
  EXPECT_EQ(t.find("meters"), nullptr);
}

TEST(Tables, HitAndMissAreConditions) {
  const std::string t = actions + "table t { key = { hdr.a.x : exact; } actions = { drop; } }";
  const Block b = ingress_of(
      "if (t.apply().hit) { md.m = 1; } if (t.apply().miss) { } if (!t.apply().hit && md.flag) { }",
      t);
  EXPECT_EQ(b.body[0].value.kind, ExprKind::table_hit);
  EXPECT_EQ(b.body[1].value.op, Op::logical_not);
  EXPECT_EQ(b.body[2].value.op, Op::logical_and);
  EXPECT_EQ(fault_in("if (t.apply().hits) { }", t).substr(0, 33),
            "found 'hits' of a table's result,");
}

TEST(Tables, BoundArgumentsComeFirst) {
  const Table t = ingress_of("t.apply();",
                             "action put(inout bit<8> to, bit<8> v) { to = v; }"
                             "table t { key = { hdr.a.x : exact; } actions = { put(md.m); } "
                             "default_action = put(md.m, 4); }")
                      .tables[0];
  EXPECT_EQ(t.actions[0].bound.size(), 1u);
  ASSERT_EQ(t.default_action.arguments.size(), 1u);
  EXPECT_EQ(t.default_action.arguments[0].value, 4);
}

TEST(Tables, FaultsSayWhatWasExpected) {
  EXPECT_EQ(fault_of("table t { key = { hdr.a.x : exat; } actions = { drop; } }"),
            "unknown kind of match 'exat', did you mean 'exact'?");
  EXPECT_EQ(fault_of("table t { key = { hdr.a : exact; } actions = { drop; } }"),
            "found a key of a_h, expected bits");
  EXPECT_EQ(fault_of("table t { actions = { dorp; } }"),
            "unknown action 'dorp', did you mean 'drop'?");
  EXPECT_EQ(fault_of("table t { actions = { drop; } default_action = set(1); }"),
            "'set' is no action of the table; expected one of drop");
  EXPECT_EQ(fault_of("table t { actions = { set; } default_action = set; }"),
            "action 'set': found 0 arguments, expected 1");
  EXPECT_EQ(fault_of("table t { key = { hdr.a.x : exact; } actions = { drop; } const entries = { "
                     "(1, 2) : drop; } }"),
            "entry: found 2 keys, expected 1");
  EXPECT_EQ(fault_of("table t { key = { hdr.a.x : exact; } actions = { drop; } const entries = { 1 "
                     "&&& 3 : drop; } }"),
            "key 'hdr.a.x' is exact, which takes no such set");
  EXPECT_EQ(fault_of("table t { key = { hdr.a.x : range; } actions = { drop; } const entries = { 9 "
                     ".. 3 : drop; } }"),
            "found a range from 9 to 3");
}

TEST(Tables, APropertyStandsOnceAndTakesItsExterns) {
  EXPECT_EQ(fault_of("table t { actions = { NoAction; } size = 2; size = 3; }"),
            "table 't' has a property 'size' already");
  EXPECT_EQ(fault_of("table t { key = { md.m : exact; } key = { md.n : exact; } "
                     "actions = { NoAction; } }"),
            "table 't' has a property 'key' already");
  const auto with = [](const std::string& object, const std::string& property) {
    return fault_of(object + "table t { key = { md.m : exact; } actions = { NoAction; } " +
                    property + " = o; }");
  };
  EXPECT_EQ(with("Counter<bit<32>, bit<8>>(4, CounterType_t.PACKETS) o;", "counters"),
            "found Counter<bit<32>, bit<8>> as 'counters' of a table, expected DirectCounter");
  EXPECT_EQ(with("Register<bit<32>, bit<8>>(4) o;", "implementation"),
            "found Register<bit<32>, bit<8>> as 'implementation' of a table, expected "
            "ActionProfile");
  EXPECT_EQ(with("DirectCounter<bit<32>>(CounterType_t.PACKETS) o;", "counters"), "");
  // Open Tofino, "Tofino Native Architecture": the algorithm of a table is its implementation too.
  EXPECT_EQ(with("Alpm(number_partitions = 1024, subtrees_per_partition = 2) o;", "implementation"),
            "");
  EXPECT_EQ(with("Atcam(number_partitions = 1024) o;", "implementation"), "");
  EXPECT_EQ(with("Wred<bit<8>, bit<16>>(16, 1, 0) o;", "filters"), "");
}

}  // namespace
}  // namespace horae::p4lang::table_test
