// A P4 program as the switch of a network: `horae run` with bytes made of packets and back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include "program.hpp"

namespace horae::test::p4_network_test {
namespace {

const std::string shipped = HORAE_PLATFORM_DIR "/p4/";

/// Three NICs around one chip; each sends to the next.
std::string star(const std::string& program) {
  return "[platform]\nname = \"star\"\n[sim]\nduration = \"1 ms\"\nstop = \"finished\"\n"
         "[nic]\nkind = \"rnic\"\ntransport = \"go_back_n\"\n"
         "[tor]\nkind = \"tofino\"\nchip = \"tofino2\"\n[tor.program]\n" +
         program +
         "[[device]]\nnames = [\"a\", \"b\", \"c\"]\nprofile = \"nic\"\n"
         "[[device]]\nnames = [\"s\"]\nprofile = \"tor\"\n"
         "[link_default]\nrate = \"100 Gbps\"\ndelay = \"500 ns\"\n"
         "[[link]]\nbetween = [\"a\", \"s\"]\n[[link]]\nbetween = [\"b\", \"s\"]\n"
         "[[link]]\nbetween = [\"c\", \"s\"]\n"
         "[[traffic]]\nkind = \"batch\"\npattern = \"permutation\"\nsize = \"256 KiB\"\n";
}

const std::string routes =
    "[tor.program.routes]\ntable = \"ipv4_lpm\"\nkey = \"hdr.ipv4.dst_addr\"\n"
    "action = \"route\"\nport = \"port\"\nmac = \"next_hop\"\n";
const std::string router = "name = \"p4\"\nsource = \"" + shipped + "router/router.p4\"\n";

ordered_json summary_of(const Workplace& place, const Words& more = {}) {
  Words words = {"run", "net.toml", "--json", "--out", "out"};
  words.insert(words.end(), more.begin(), more.end());
  const Ended ended = run(place, words);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return ended.json();
}

double value(const ordered_json& summary, const std::string& device, const std::string& name) {
  return summary.at("statistics").at(device).at(name).at("value").get<double>();
}

double longest_us(const ordered_json& summary) {
  return summary.at("results").at("flows.fct_max").at("value").get<double>();
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(P4Network, ARouterTakesTheTimeOfItsStages) {
  Workplace place;
  place.write("net.toml", star("name = \"forward\"\n"));
  const auto plain = summary_of(place);
  place.write("net.toml", star(router + "stages = 1\n" + routes));
  const auto one = summary_of(place);
  place.write("net.toml", star(router + "stages = 4\n" + routes));
  const auto four = summary_of(place);
  for (const auto* s : {&one, &four}) {
    EXPECT_EQ(value(*s, "s", "dropped_program"), 0);
    EXPECT_EQ(value(*s, "s", "not_roce"), 0);
    EXPECT_EQ(value(*s, "s", "forwarded"), value(plain, "s", "forwarded"));
  }
  // The data and its ACK pass two gresses each. Three stages more, each of which waits for the one
  // before, are 3 x 20 cycles of 1.5 GHz (dataplane's latency of a stage that needs a result).
  EXPECT_NEAR(longest_us(four) - longest_us(one), 4 * 3 * 20 / 1.5e3, 2e-6);
  // The pipes differ in nothing else: between the programs are whole cycles.
  const double cycles = (longest_us(plain) - longest_us(one)) * 1.5e3;
  EXPECT_NEAR(cycles, std::round(cycles), 2e-3);
}

TEST(P4Network, AProgramWithTheStepsOfOneInCppTakesTheSameTimes) {
  // Destinations, then a hash that waits for them, then the port: what `forward` does.
  Workplace place;
  std::string entries = "table,match,priority,action,data\n";
  for (int node = 1; node <= 3; ++node) {
    entries += fmt::format("routes,ipv4.destination=10.0.0.{0},,to_group,group={0}\n", node);
    for (int i = 0; i < 16; ++i)
      entries += fmt::format("members,group={}; place={},,send,port={}\n", node, i, 8 * node);
  }
  place.write("e.csv", entries);
  const auto flows = [&](const std::string& program) {
    place.write("net.toml", star(program));
    summary_of(place);
    return place.read("out/flows.csv");
  };
  EXPECT_EQ(flows("name = \"forward\"\n"),
            flows("name = \"p4\"\nentries = [\"e.csv\"]\nsource = \"" + shipped +
                  "forward/forward.p4\"\n"));
}

TEST(P4Network, TheShippedFabricDropsNothing) {
  Workplace place;
  const Ended ended = run(place, {"run", shipped + "fabric/fabric.toml", "--json", "--out", "out"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const auto summary = ended.json();
  EXPECT_GT(value(summary, "leaf0", "forwarded"), 1000);
  for (const auto& [cause, count] : summary.at("packets").at("dropped").items())
    EXPECT_EQ(count, 0) << cause;
}

// Bytes that packets' fields do not hold cross from process to process with them. Here it is the
// time to live, for which the second switch on a way drops all packets.
TEST(P4Network, RanksDoNotShowInTheResults) {
  Workplace place;
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  };
  const std::string router_text =
      changed(text_of(shipped + "router/router.p4"), "hdr.ipv4.ttl - 1", "hdr.ipv4.ttl - 40");
  place.write("router.p4", changed(router_text, "hdr.ipv4.ttl > 1", "hdr.ipv4.ttl > 30"));
  place.write("net.toml",
              changed(text_of(shipped + "fabric/fabric.toml"), "../router/router.p4", "router.p4"));
  const auto run_as = [&](const Words& more) {
    auto summary = summary_of(place, more);
    summary.erase("wall_s");
    return summary;
  };
  const auto alone = run_as({});
  EXPECT_GT(alone.at("packets").at("dropped").at("program"), 10);
  for (const char* ranks : {"2", "3"}) EXPECT_EQ(run_as({"--ranks", ranks}), alone) << ranks;
}

TEST(P4Network, RoutesFollowAFailure) {
  // One of eight links between switches fails while messages are under way: what was on it is lost,
  // the table is written anew, and all messages end.
  Workplace place;
  std::string text = text_of(shipped + "fabric/fabric.toml");
  const auto swap = [&text](const std::string& from, const std::string& to) {
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
  };
  swap("../router", shipped + "router");
  swap("duration = \"200 us\"", "duration = \"20 ms\"\nstop = \"finished\"");
  swap("kind = \"messages\"", "kind = \"batch\"");
  swap("message = \"64 KiB\"\ndepth = 1", "size = \"4 MiB\"");
  place.write("net.toml",
              text + "[failures]\nshare = 0.1\ninterval = \"1 s\"\nstart = \"100 us\"\n");
  const auto summary = summary_of(place);
  EXPECT_GT(summary.at("packets").at("dropped").at("link_down"), 0);
  EXPECT_EQ(summary.at("packets").at("in_flight"), 0);
  EXPECT_EQ(value(summary, "leaf2", "dropped_program"), 0);
}

TEST(P4Network, WithoutRoutesNothingArrives) {
  Workplace place;
  place.write("net.toml", star(router));
  const Ended ended = run(place, {"run", "net.toml", "--json", "--out", "out"});
  EXPECT_GT(value(ended.json(), "s", "dropped_program"), 0);
}

TEST(P4Network, RefusesNamesThatTheProgramDoesNotHave) {
  const auto refused = [](const std::string& from, const std::string& to,
                          const std::string& message) {
    Workplace place;
    std::string text = star(router + routes);
    text.replace(text.find(from), from.size(), to);
    place.write("net.toml", text);
    expect_refused(place, {"run", "net.toml"}, message);
  };
  refused("\"ipv4_lpm\"", "\"ipv4_lmp\"",
          "net.toml:16:9: there is no table 'ipv4_lmp', did you mean 'ipv4_lpm'?");
  refused("dst_addr\"", "dst\"",
          "net.toml:17:7: there is no key of pipe.Ingress.ipv4_lpm 'hdr.ipv4.dst'; expected one of "
          "hdr.ipv4.dst_addr, ipv4.dst_addr, dst_addr");
  refused("\"route\"", "\"rout\"",
          "net.toml:18:10: there is no action of pipe.Ingress.ipv4_lpm 'rout', did you mean "
          "'route'?");
  refused("\"port\"\n", "\"prt\"\n",
          "net.toml:19:8: there is no parameter of pipe.Ingress.route 'prt', did you mean 'port'?");
  refused("\"next_hop\"", "\"hop\"",
          "net.toml:20:7: there is no parameter of pipe.Ingress.route 'hop'; expected one of port, "
          "next_hop");
}

TEST(P4Network, RefusesWhatBytesCannotSay) {
  const auto message = [](const std::string& key, const Words& more = {}) {
    Workplace place;
    std::string text = star(router + routes);
    text.replace(text.find("go_back_n\"\n"), 11, "go_back_n\"\n" + key);
    place.write("net.toml", text);
    Words words = {"run", "net.toml"};
    words.insert(words.end(), more.begin(), more.end());
    const Ended ended = run(place, words);
    EXPECT_EQ(ended.exit_code, 2);
    return ended.err;
  };
  EXPECT_EQ(message("remaining_tag = true\n"),
            "horae: net.toml:23:10: 'a' uses remaining_tag, whose headers 's' cannot read, as its "
            "program works on bytes; expected RoCEv2 alone\n");
  EXPECT_NE(message("frames = \"htsim\"\n").find("has a frame of 1068 bytes"), std::string::npos);
}

}  // namespace
}  // namespace horae::test::p4_network_test
