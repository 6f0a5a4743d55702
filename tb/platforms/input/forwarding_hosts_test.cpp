// Hosts that forward: rings, tori and BCubes from a file, in closed form; a ring that locks up; and
// what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "csv.hpp"
#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "program.hpp"

namespace horae::test::forwarding_hosts_test {
namespace {

/// "switches" and "links" of a file, after the number of nodes.
struct File {
  int nodes = 0;
  std::vector<int> switches{};
  std::vector<std::pair<int, int>> links{};

  std::string text() const {
    std::string out = fmt::format("{} {} {}\n", nodes, switches.size(), links.size());
    for (const int s : switches) out += fmt::format("{} ", s);
    if (!switches.empty()) out += "\n";
    for (const auto& [a, b] : links) out += fmt::format("{} {} 100Gbps 1us 0\n", a, b);
    return out;
  }
};

File ring(int n) {
  File f{n};
  for (int i = 0; i < n; ++i) f.links.emplace_back(i, (i + 1) % n);
  return f;
}

File torus(int n) {
  File f{n * n};
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      f.links.emplace_back(y * n + x, y * n + (x + 1) % n);
      f.links.emplace_back(y * n + x, (y + 1) % n * n + x);
    }
  }
  return f;
}

/// BCube(n, 1): host n a + b at switch a of the first level and switch b of the second.
File bcube(int n) {
  File f{n * n + 2 * n};
  for (int s = 0; s < 2 * n; ++s) f.switches.push_back(n * n + s);
  for (int h = 0; h < n * n; ++h) {
    f.links.emplace_back(h, n * n + h / n);
    f.links.emplace_back(h, n * n + n + h % n);
  }
  return f;
}

std::string platform(const std::string& traffic, const std::string& plain = "",
                     const std::string& keys = "forwarding = \"plain\"\n") {
  return "[platform]\nname = \"hosts\"\n[sim]\nduration = \"50 s\"\nstop = \"finished\"\n"
         "stuck_after = \"1 ms\"\n[end]\nkind = \"rnic\"\nmtu = \"1000 B\"\ntx_latency = \"300 "
         "ns\"\n"
         "rx_latency = \"200 ns\"\nack_delay = \"50 ns\"\nreliability = { window = 4096, rto = \"3 "
         "s\" }\n[plain]\nkind = \"switch\"\nlatency = \"400 ns\"\n" +
         plain + "[ns3_topology]\nfile = \"net.txt\"\nhost = \"end\"\nswitch = \"plain\"\n" + keys +
         traffic;
}

std::string packet(int from, int to) {
  return fmt::format(
      "[[traffic]]\nkind = \"batch\"\npattern = \"pairs\"\nfrom = [\"h{}\"]\nto = [\"h{}\"]\n"
      "size = \"1000 B\"\n",
      from, to);
}

Ended run_on(const File& file, const std::string& text, const Words& more = {}) {
  const Workplace place;
  place.write("net.txt", file.text());
  place.write("p.toml", text);
  Words words = {"run", "p.toml", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return run(place, words);
}

/// Completion of one packet, in us, from the file's links and switches on its way; hosts that are
/// passed count as switches, and each end has a link to its NIC, `own` fast.
double way(int links, int switches, BitRate own) {
  Picoseconds sum = 50_ns;
  for (const auto& [opcode, payload] :
       {std::pair{Opcode::write_only, 1000_B}, std::pair{Opcode::acknowledge, 0_B}}) {
    const Bytes frame = l1_bytes(frame_bytes(opcode, payload));
    sum += 2 * (serialisation_time(frame, own) + 1_ns) +
           links * (serialisation_time(frame, 100_Gbps) + 1_us) + switches * 400_ns + 500_ns;
  }
  return to_microseconds(sum);
}

double completion(const File& file, int from, int to) {
  const Ended ended = run_on(file, platform(packet(from, to)));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  return result(ended.json(), "fct.max");
}

TEST(ForwardingHosts, ARingIsPassedTheShortWay) {
  for (int to = 1; to < 7; ++to) {
    const int hops = std::min(to, 7 - to);
    EXPECT_NEAR(completion(ring(7), 0, to), way(hops, hops + 1, 200_Gbps), 1e-3) << to;
  }
}

TEST(ForwardingHosts, ATorusIsPassedInBothDimensions) {
  for (const auto& [to, hops] : {std::pair{1, 1}, {4, 1}, {5, 2}, {2, 2}, {10, 4}, {15, 2}, {7, 2}})
    EXPECT_NEAR(completion(torus(4), 0, to), way(hops, hops + 1, 400_Gbps), 1e-3) << to;
}

// Within a row by its switch; elsewhere by a host that is at a switch of both ends.
TEST(ForwardingHosts, ABCubeIsPassedByHostsBetweenItsLevels) {
  EXPECT_NEAR(completion(bcube(4), 0, 3), way(2, 3, 200_Gbps), 1e-3);
  EXPECT_NEAR(completion(bcube(4), 0, 12), way(2, 3, 200_Gbps), 1e-3);
  EXPECT_NEAR(completion(bcube(4), 1, 14), way(4, 5, 200_Gbps), 1e-3);
}

// The rate and the delay of the link to the NIC.
TEST(ForwardingHosts, TheLinkToItsNicIsTheHosts) {
  const Ended ended = run_on(
      ring(3), platform(packet(0, 1), "",
                        "forwarding = \"plain\"\nforwarding_rate = \"50 Gbps\"\nforwarding_delay = "
                        "\"301 ns\"\n"));
  EXPECT_NEAR(result(ended.json(), "fct.max"), way(1, 2, 50_Gbps) + 4 * 0.3, 1e-3);
}

/// Hosts 0 to `flows` - 1 of a ring of five send two on, over lossless links.
Ended lossless_ring(int flows) {
  std::string traffic;
  for (int i = 0; i < flows; ++i) {
    traffic += fmt::format(
        "[[traffic]]\nkind = \"messages\"\nfrom = [\"h{}\"]\nto = [\"h{}\"]\nmessage = \"1 MiB\"\n"
        "count = 4\n",
        i, (i + 2) % 5);
  }
  return run_on(ring(5), platform(traffic, "pfc = { xoff = \"30 KB\", xon = \"20 KB\" }\n"));
}

TEST(ForwardingHosts, ALosslessRingLocksUpAndIsNamed) {
  const Ended stuck = lossless_ring(5);
  EXPECT_EQ(stuck.exit_code, 4);
  EXPECT_EQ(
      stuck.json().at("deadlock"),
      "f0 port 1 (class 0) waits for f1 port 2, which waits for f2 port 2, which waits for f3 "
      "port 2, which waits for f4 port 2, which waits for f0 port 1");
  const Ended chain = lossless_ring(4);
  EXPECT_EQ(chain.exit_code, 0) << chain.err;
  EXPECT_FALSE(chain.json().contains("deadlock"));
}

TEST(ForwardingHosts, FaultsAreOneLine) {
  const auto refused = [](const File& file, const std::string& keys, const std::string& why) {
    const Ended ended = run_on(file, platform(packet(0, 1), "", keys));
    EXPECT_EQ(ended.exit_code, 2) << ended.out;
    EXPECT_EQ(ended.err, "horae: " + why + "\n");
  };
  refused(File{3, {2}, {{0, 2}, {1, 2}}}, "forwarding = \"plain\"\n",
          "p.toml:21:14: forwarding with a file in which no host has several links");
  refused(ring(3), "forwarding_rate = \"100 Gbps\"\n",
          "p.toml:21:19: forwarding_rate without 'forwarding'");
  refused(ring(3), "forwarding = \"end\"\n", "net.txt:2:1: 'f0' has one port, and a link already");
  refused(ring(3), "", "net.txt:3:1: 'h1' has one port, and a link already");
}

}  // namespace
}  // namespace horae::test::forwarding_hosts_test
