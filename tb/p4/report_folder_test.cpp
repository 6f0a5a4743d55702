// The compiler's output folder: what is read of it, and the one line in which a bad one is refused.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "horae/p4/report.hpp"
#include "refusal.hpp"
#include "report_copy.hpp"

namespace horae::p4::report_folder_test {
namespace {

using dataplane::DependencyKind;
using dataplane::Resource;
using test::refusal_of;

TEST(ReportFolder, TheGraphIsTheOneFromBeforePlacement) {
  const auto reports = read_report_folder(counted);
  ASSERT_EQ(reports.size(), 1u);
  const auto& graph = reports[0].graph;
  ASSERT_EQ(graph.nodes.size(), 4u);  // the graph's end is none
  EXPECT_EQ(graph.nodes[0].name, "cond-0");
  EXPECT_EQ(graph.nodes[0].kind, "condition");
  EXPECT_EQ(graph.nodes[1].attached.at(0).name, "Ig.hits");
  ASSERT_EQ(graph.edges.size(), 2u);  // flow is no dependency
  EXPECT_TRUE(graph.edges[0].branch);
  EXPECT_EQ(graph.edges[0].kind, DependencyKind::control);
  EXPECT_EQ(graph.edges[1].kind, DependencyKind::match);
}

TEST(ReportFolder, UnitsByStageAndByNameAndPurpose) {
  const auto usage = read_report_folder(counted)[0].usage;
  ASSERT_EQ(usage.stages.size(), 2u);
  EXPECT_EQ(usage.stages[0][Resource::sram], 6);
  EXPECT_EQ(usage.stages[1][Resource::map_ram], 17);
  EXPECT_EQ(usage.total()[Resource::hash_bits], 56);
  const auto& routes = usage.by_name.at("Ig.routes").at(0);
  EXPECT_EQ(routes.by_purpose.at("match_entry_ram")[Resource::sram], 4);
  EXPECT_EQ(routes.reads.at("exact_match").at("ingress::hdr.ipv4.dst"), 32u);
  EXPECT_EQ(usage.tables.at("tbl_seen"), std::vector<unsigned>{1});
}

// Buses, stashes and crossbar groups have no price here: they are taken over as they are.
TEST(ReportFolder, UnitsThatAreNotPricedAreCounted) {
  EXPECT_TRUE(read_report_folder(counted).at(0).usage.unpriced.empty());  // it does not say
  const ReportCopy copy(counted);
  const std::string bus = R"({"id": 0, "usages": [{"used_by": "t", "used_for": "f"}]})";
  const std::string idle = R"({"id": 1, "usages": []})";
  const auto byte = [](int number, const char* type) {
    return R"({"byte_number": )" + std::to_string(number) + R"(, "byte_type": ")" + type +
           R"(", "usages": [{"used_by": "t", "used_for": "f"}]},)";
  };
  std::string text = R"("exm_result_buses": {"size": 16, "ids": [)" + bus + "," + idle + "]},";
  text += R"("stashes": {"nRows": 8, "nUnits": 2, "stashes": [)" + bus + "," + bus + "]},";
  // Exact groups 0 (as the file has it) and 2; ternary groups 0, 1 and, by the byte between, 2.
  text += R"("xbar_bytes": {"size": 194, "exact_size": 128, "ternary_size": 66, "bytes": [)";
  for (const int b : {32, 47}) text += byte(b, "exact");
  for (const int b : {128, 132, 134, 144}) text += byte(b, "ternary");
  copy.replace("pipe/logs/resources.json",
               "\"xbar_bytes\": {\n      \"size\": 194,\n      \"bytes\": [", text);
  std::map<std::string, std::string> found;
  const auto reports = read_report_folder(copy.path());
  for (const auto& u : reports.at(0).usage.unpriced) {
    found[u.name] = std::to_string(u.used) + " " + std::to_string(u.fullest) + " in " +
                    std::to_string(u.stage) + " of " + std::to_string(u.capacity);
  }
  const std::map<std::string, std::string> expected = {{"exact_result_buses", "1 1 in 0 of 16"},
                                                       {"stashes", "2 2 in 0 of 16"},
                                                       {"exact_xbar_groups", "2 2 in 0 of 8"},
                                                       {"ternary_xbar_groups", "3 3 in 0 of 12"}};
  EXPECT_EQ(found, expected);
}

TEST(ReportFolder, TheAssemblerFileSaysKeysActionsAndCells) {
  const auto report = read_report_folder(counted)[0];
  const auto find = [&](const std::string& name, const std::string& kind) {
    for (const auto& t : report.tables) {
      if (t.name == name && t.kind == kind) return t;
    }
    throw std::runtime_error("no " + name);
  };
  const auto routes = find("Ig.routes", "exact_match");
  EXPECT_EQ(routes.size, 4096u);
  ASSERT_EQ(routes.keys.size(), 1u);
  EXPECT_EQ(routes.keys[0].bits, 32u);
  EXPECT_EQ(routes.gateway, "cond-0");
  ASSERT_EQ(routes.actions.size(), 2u);
  EXPECT_EQ(routes.actions[0].data_bits, 16u);
  EXPECT_EQ(routes.actions[0].instructions, 1u);  // the counter's call is no instruction
  EXPECT_EQ(routes.actions[0].writes, std::vector<std::string>{"H0"});
  EXPECT_FALSE(routes.actions[1].hit);
  ASSERT_EQ(routes.references.size(), 1u);
  EXPECT_TRUE(routes.references[0].direct);
  const auto seen = find("Ig.seen", "stateful");
  EXPECT_EQ(seen.size, 65536u);
  EXPECT_EQ(seen.cell, std::vector<std::uint32_t>{32});
  EXPECT_EQ(seen.stage, 1u);
  EXPECT_EQ(report.cycles[0], 82u);
}

TEST(ReportFolder, ManyPipesManyReportsAndUnknownKeysAreNoMatter) {
  const ReportCopy copy(counted);
  const std::string text = copy.read("manifest.json");
  const auto begin = text.find("{", text.find("\"pipes\""));
  const auto end = text.rfind("}", text.rfind("}", text.rfind("}") - 1) - 1);
  const std::string pipe = text.substr(begin, end - begin + 1);
  copy.write("manifest.json", text.substr(0, begin) + pipe + "," + text.substr(begin));
  copy.replace("manifest.json", "\"pipe_id\": 0", "\"pipe_id\": 1, \"something new\": {}");
  copy.replace("manifest.json", "3.0.1", "3.0.7");  // an addition
  EXPECT_EQ(read_report_folder(copy.path()).size(), 2u);
}

TEST(ReportFolder, WithoutLatencyTheCyclesAreNotSaid) {
  const ReportCopy copy(counted);
  copy.remove("pipe/logs/power.json");
  EXPECT_EQ(read_report_folder(copy.path())[0].cycles[0], 0u);
}

// Message of a refusal, without the folder's own name.
std::string refused(const ReportCopy& copy) {
  std::string message = refusal_of([&] { read_report_folder(copy.path()); });
  for (auto at = message.find(copy.path()); at != std::string::npos; at = message.find(copy.path()))
    message.replace(at, copy.path().size(), "F");
  return message;
}

struct Damage {
  const char* name;
  const char* file;
  const char* from;
  const char* to;
  const char* message;
};
class DamagedFolder : public ::testing::TestWithParam<Damage> {};

TEST_P(DamagedFolder, IsRefusedInOneLine) {
  const ReportCopy copy(counted);
  const auto& d = GetParam();
  copy.replace(d.file, d.from, d.to);
  const std::string message = refused(copy);
  EXPECT_EQ(message, d.message);
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedFolder,
    ::testing::Values(
        Damage{"ManifestOfAnotherModel", "manifest.json", "3.0.1", "4.0.0",
               "F/manifest.json:2:20: manifest schema text \"4.0.0\": expected 3.0 to 3.0 (bf-p4c "
               "9.13.4)"},
        Damage{
            "LaterRevision", "pipe/logs/resources.json", "2.4.2", "2.5.0",
            "F/pipe/logs/resources.json:2:20: resources schema text \"2.5.0\": expected 2.0 to 2.4 "
            "(bf-p4c 9.13.4)"},
        Damage{"FailedCompilation", "manifest.json", "\"compilation_succeeded\": true",
               "\"compilation_succeeded\": false", "F/manifest.json:6:27: the compilation failed"},
        Damage{"PathOutOfTheFolder", "manifest.json", "pipe/graphs/dep.json", "../../dep.json",
               "F/manifest.json:24:17: text \"../../dep.json\": expected a path inside the folder"},
        Damage{"NoGraphListed", "manifest.json", "dep.json", "other.json",
               "F/manifest.json:15:15: lists no dep.json: compile with -g --create-graphs "
               "--verbose"},
        Damage{"NoJson", "pipe/graphs/dep.json", "\"graphs\"", "graphs",
               "F/pipe/graphs/dep.json:3:2: no JSON at 'g'"},
        Damage{"UnknownEdgeType", "pipe/graphs/dep.json", "\"type\": \"match\"",
               "\"type\": \"magic\"",
               "F/pipe/graphs/dep.json:109:15: text \"magic\": expected match, action, control or "
               "reduction_or"},
        Damage{"EdgeToNothing", "pipe/graphs/dep.json", "\"target\": \"3\"", "\"target\": \"77\"",
               "F/pipe/graphs/dep.json:107:16: text \"77\" is no node"},
        Damage{"OtherGress", "pipe/graphs/dep.json", "\"gress\": \"ingress\"",
               "\"gress\": \"upwards\"",
               "F/pipe/graphs/dep.json:6:14: text \"upwards\": expected ingress, egress or ghost"},
        Damage{"UnknownTableKind", "pipe/counted.bfa", "exact_match routes_0",
               "wild_match routes_0",
               "F/pipe/counted.bfa:15:3: found 'wild_match routes_0 0:', expected a table "
               "(exact_match, ternary_match, hash_action, proxy_hash, atcam_match, gateway, "
               "phase0_match, stateful, counter, meter, selection, action, idletime, "
               "ternary_indirect, hash_match)"},
        Damage{"SizeIsNoNumber", "pipe/counted.bfa", "size: 4096", "size: many",
               "F/pipe/counted.bfa:17:5: found 'p4: { name: Ig.routes, size: many }', expected a "
               "whole number up to 1099511627776"}),
    [](const auto& p) { return std::string(p.param.name); });

TEST(ReportFolder, ForeignFoldersAreRefused) {
  EXPECT_EQ(refusal_of([] { read_report_folder("nowhere"); }),
            "nowhere: no folder; expected the P4 compiler's output folder");
  const ReportCopy copy(counted);
  const std::string assembler = copy.read("pipe/counted.bfa");
  copy.write("pipe/counted.bfa", "something else\n");
  EXPECT_EQ(refused(copy), "F/pipe/counted.bfa: no line 'stage N gress:', so no assembler file");
  copy.write("pipe/counted.bfa", assembler);
  copy.write("pipe/second.bfa", "");
  EXPECT_EQ(refused(copy), "F/pipe: 2 assembler files (.bfa), expected one");
  copy.remove("pipe/second.bfa");
  copy.remove("pipe/logs/resources.json");
  EXPECT_EQ(refused(copy), "F/pipe/logs/resources.json: cannot read: No such file or directory");
  copy.remove("manifest.json");
  EXPECT_EQ(refused(copy), "F: no manifest.json; expected the P4 compiler's output folder");
}

// Any file cut off anywhere ends in a report or in one line.
TEST(ReportFolder, CutOffAnywhere) {
  for (const char* file : {"manifest.json", "pipe/graphs/dep.json", "pipe/logs/resources.json",
                           "pipe/logs/power.json", "pipe/counted.bfa"}) {
    const ReportCopy copy(counted);
    const std::string text = copy.read(file);
    for (std::size_t n = 0; n < text.size(); n += text.size() / 40 + 1) {
      copy.write(file, text.substr(0, n));
      const std::string message = refused(copy);
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace horae::p4::report_folder_test
