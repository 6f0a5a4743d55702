// The path of what is not steered: a hash of the flow in which every bit of its name counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "pass_driver.hpp"

namespace horae::programs::flow_hash_test {
namespace {

constexpr NodeId src = 0x00c0ffee, dst = 0x12345678;
constexpr unsigned flows = 40;
constexpr std::uint16_t uplinks[] = {2, 3, 4, 5};

/// `dst`, and each node whose address differs from its in one bit, over four uplinks.
Routes all_routes() {
  Routes r{
      .entries = {{1, {0}, true}}, .pipeline_of_port = {0, 0, 0, 0, 0, 0}, .queues_per_port = 32};
  const std::vector<std::uint16_t> ports(std::begin(uplinks), std::end(uplinks));
  r.entries.push_back({dst, ports});
  for (unsigned b = 0; b < 32; ++b) r.entries.push_back({dst ^ NodeId{1} << b, ports});
  return r;
}

/// Ports that responses of 40 flows leave by; flows differ in their UDP source port.
struct Paths : test::PassDriver {
  explicit Paths(const std::string& name, const std::string& parameters)
      : PassDriver(*test::read_by_name(name, parameters), all_routes()) {}

  std::vector<unsigned> of(NodeId from, NodeId to, std::uint16_t change = 0) {
    std::vector<unsigned> out;
    for (unsigned i = 0; i < flows; ++i) {
      Packet p;
      p.src = from;
      p.dst = to;
      p.entropy = static_cast<std::uint16_t>((0xc000 + 37 * i) ^ change);
      p.opcode = Opcode::acknowledge;
      p.syndrome = syndrome::ack;
      const test::Outcome o = ingress(1_us, p, 0);
      EXPECT_EQ(o.verdict, dataplane::Verdict::forward);
      out.push_back(o.port);
    }
    return out;
  }
};

// Addresses of 32 bits and a UDP source port of 16. A hash that leaves a bit out gives both values
// of it the same paths; one that does not gives all of 40 flows the same of four by a chance of
// 4^-40.
TEST(FlowHash, EveryBitOfAddressesAndPortCounts) {
  struct Row {
    const char *program, *parameters;
  };
  for (const auto& [name, parameters] :
       {Row{"forward", ""}, Row{"conweave", "rack_entries = 64\nnodes_per_rack = 65536\n"},
        Row{"pnp_trp", ""}, Row{"themis", ""}, Row{"themis", "source = false\n"},
        Row{"themis_queue", ""}}) {
    SCOPED_TRACE(name);
    Paths paths(name, parameters);
    const auto base = paths.of(src, dst);
    EXPECT_EQ(paths.of(src, dst), base);
    for (const auto port : uplinks) EXPECT_NE(std::ranges::count(base, port), 0) << port;
    for (unsigned b = 0; b < 32; ++b) {
      EXPECT_NE(paths.of(src ^ NodeId{1} << b, dst), base) << "source address, bit " << b;
      EXPECT_NE(paths.of(src, dst ^ NodeId{1} << b), base) << "destination address, bit " << b;
      if (b >= 16) continue;
      EXPECT_NE(paths.of(src, dst, static_cast<std::uint16_t>(1u << b)), base) << "port " << b;
    }
  }
}

}  // namespace
}  // namespace horae::programs::flow_hash_test
