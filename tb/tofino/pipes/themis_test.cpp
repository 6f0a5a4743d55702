// Themis through whole chips: NACKs that enter by one pipeline and are about the state of another.
#include <algorithm>
#include <map>

#include "horae/params/document.hpp"
#include "horae/params/section.hpp"
#include "odd_latencies.hpp"

namespace horae::tofino::themis_test {
namespace {

using namespace horae::test;

constexpr unsigned nic_port = 0, first_uplink = 2;  // uplink 2 on pipeline 0, 3 on pipeline 1
constexpr NodeId sender = 1, receiver = 10;

Packet data(NodeId src, NodeId dst, std::uint32_t psn, std::uint32_t flow = 0) {
  Packet p;
  p.src = src;
  p.dst = dst;
  p.dest_qp = Qpn(0x7700 + flow);
  p.psn = Psn(psn);
  p.entropy = static_cast<std::uint16_t>(0xc000 + flow);
  p.payload = 1024;
  p.frame = 1086;
  p.opcode = Opcode::write_middle;
  return p;
}
Packet nack(NodeId src, NodeId dst, std::uint32_t psn, std::uint32_t flow = 0) {
  Packet p = data(src, dst, psn, flow);
  p.dest_qp = Qpn(0x5500 + flow);
  p.payload = 0;
  p.frame = 64;
  p.opcode = Opcode::acknowledge;
  p.syndrome = syndrome::nak_psn_sequence;
  return p;
}

/// Sends packets it is given and keeps those that reach it, with all their fields.
class packet_probe : public fabric::device {
 public:
  packet_probe(const std::string& name, fabric::sim_context& context)
      : device(name.c_str(), context, 1) {}
  void send(Picoseconds at, const Packet& p) { shots_.emplace_back(at, p); }

  struct Arrival {
    Picoseconds at;
    Packet packet;
  };
  std::vector<Arrival> arrivals;

 protected:
  void begin() override {
    for (std::size_t i = 0; i < shots_.size(); ++i)
      schedule(shots_[i].first, fabric::device_events, 0, i, i);
  }
  void handle(const fabric::Event& e) override {
    if (fabric::key_kind(e.key) == fabric::arrival_event) {
      Packet& p = arrived(e);
      arrivals.push_back({e.time, p});
      context_.pool.deliver(p);
    } else if (fabric::key_kind(e.key) == fabric::device_events) {
      Packet& p = context_.pool.create();
      p = shots_[e.payload].second;
      p.id = e.payload;
      p.created = e.time;
      tx(0).send(p, std::max(e.time, tx(0).busy_until()));
    }
  }

 private:
  std::vector<std::pair<Picoseconds, Packet>> shots_;
};

std::unique_ptr<programs::ProgramFactory> themis(const std::string& more = "") {
  return programs::read_program(
      Document::parse("name = \"themis\"\nnics = 2\nqps_per_nic = 16\npipelines = 2\npaths = 2\n"
                      "window = 16\npieces = 1\n" +
                          more,
                      "test.toml")
          .root());
}

/// A ToR: `own` on port 0 (pipeline 0), another NIC on port 1 (pipeline 1), two uplinks.
struct Tor {
  Tor(const std::string& name, fabric::sim_context& context, NodeId own, NodeId remote,
      std::vector<std::uint16_t> uplinks = {2, 3}, const std::string& more = "") {
    config.pipelines = 2;
    config.pipeline_of_port = {0, 1, 0, 1};
    const programs::Routes routes{
        {{own, {0}, true}, {own + 1, {1}, true}, {remote, std::move(uplinks)}}};
    chip = std::make_unique<tofino_switch>(name.c_str(), context, config, 4, *themis(more), routes);
  }
  std::uint64_t count(unsigned pipeline, std::string_view name) const {
    for (const auto& [n, value] : chip->program(pipeline).counters()) {
      if (n == name) return value;
    }
    ADD_FAILURE() << "no counter " << name;
    return 0;
  }
  Cycles cycles(dataplane::Gress gress) const {
    return chip->ledger().latency[static_cast<std::size_t>(gress)];
  }
  ChipConfig config = odd_latencies();
  std::unique_ptr<tofino_switch> chip;
};

/// One ToR with a probe at each port.
struct Rack : Tor {
  explicit Rack(fabric::sim_context& context, std::vector<std::uint16_t> uplinks = {2, 3},
                const std::string& more = "")
      : Tor("tor", context, sender, receiver, std::move(uplinks), more) {
    for (unsigned i = 0; i < 4; ++i) {
      at.push_back(std::make_unique<packet_probe>(fmt::format("probe{}", i), context));
      connect(*chip, i, *at[i], 0, Chip::link);
    }
  }
  /// The uplink by which the sender's packet left, or 0.
  unsigned uplink_of(std::uint32_t psn) const {
    for (unsigned i = first_uplink; i < 4; ++i) {
      for (const auto& a : at[i]->arrivals) {
        if (a.packet.psn == Psn(psn) && a.packet.is_data()) return i;
      }
    }
    return 0;
  }
  std::vector<std::unique_ptr<packet_probe>> at;
};

// The NACK for the last PSN there is enters by pipeline 1; the sender's is pipeline 0.
TEST(ThemisChip, ANackComesAroundAtTheSendersPipeline) {
  fabric::sim_context context;
  Rack rack(context);
  rack.chip->connect({sender, receiver, Qpn(0x5500), Qpn(0x7700), 0xc000, Psn(0xfffff0)});
  const std::vector<std::uint32_t> psns = {0xfffffd, 0xfffffe, 0xffffff, 0, 1};
  rack.at[3]->send(5_us, nack(receiver, sender, 0xffffff));
  for (const std::uint32_t psn : psns) rack.at[nic_port]->send(20_us, data(sender, receiver, psn));
  context.clock.run_to(100_us);

  // Its way, to the picosecond: twice through ingress, with the loopback port in between.
  const ChipConfig& c = rack.config;
  const auto in = rack.cycles(dataplane::Gress::ingress),
             out = rack.cycles(dataplane::Gress::egress);
  const auto through = [&](std::int64_t n) {
    return edge(n + in.count()) + c.ingress_deparser + c.traffic_manager;
  };
  const std::int64_t first =
      first_edge(5_us + Chip::wire(64_B) + Chip::link.delay + c.mac_rx + c.ingress_parser);
  const Picoseconds loop((64 + 20) * 20);  // 400 Gbps
  const std::int64_t second = first_edge(through(first) + loop + c.ingress_parser);
  ASSERT_EQ(rack.at[nic_port]->arrivals.size(), 1u);
  const auto& got = rack.at[nic_port]->arrivals[0];
  EXPECT_EQ(got.at, through(second) + c.egress_parser + edge(out.count()) + c.egress_deparser +
                        c.mac_tx + Chip::wire(64_B) + Chip::link.delay);
  EXPECT_TRUE(got.packet.is_nack());
  EXPECT_EQ(got.packet.psn, Psn(0xffffff));
  EXPECT_EQ(rack.chip->counters().recirculated, 1u);
  EXPECT_EQ(rack.chip->counters().recirculated_bytes, 84);
  EXPECT_EQ(rack.count(1, "nacks_to_source"), 1u);

  // Only what it asked for leaves the path of its PSN.
  EXPECT_EQ(rack.uplink_of(0xfffffd), rack.uplink_of(1));
  EXPECT_EQ(rack.uplink_of(0xfffffe), rack.uplink_of(0));
  EXPECT_NE(rack.uplink_of(0xfffffd), rack.uplink_of(0xfffffe));
  EXPECT_EQ(rack.uplink_of(0xffffff), rack.uplink_of(0));
  EXPECT_EQ(rack.count(0, "rerouted"), 1u);
  expect_balance(context, *rack.chip, 1 + psns.size());
}

TEST(ThemisChip, ANackThatPassesByTellsNothing) {
  fabric::sim_context context;
  Rack rack(context, {2, 3}, "nacks_to_source = \"pass_by\"\n");
  rack.chip->connect({sender, receiver, Qpn(0x5500), Qpn(0x7700), 0xc000, Psn(0xfffff0)});
  rack.at[3]->send(5_us, nack(receiver, sender, 0xffffff));
  for (const std::uint32_t psn : {0xfffffdu, 0xffffffu})
    rack.at[nic_port]->send(20_us, data(sender, receiver, psn));
  context.clock.run_to(100_us);
  EXPECT_EQ(rack.at[nic_port]->arrivals.size(), 1u);
  EXPECT_EQ(rack.chip->counters().recirculated, 0u);
  EXPECT_EQ(rack.count(1, "nacks_past_source"), 1u);
  EXPECT_EQ(rack.uplink_of(0xffffff), rack.uplink_of(0xfffffd));
}

// Packet 0xffffff overtakes 0xfffffe, whose path then brings packet 0. Responses leave by pipeline
// 1 alone; the state is in pipeline 0.
TEST(ThemisChip, AKeptNackLeavesByAnotherPipeline) {
  fabric::sim_context context;
  Rack rack(context, {3});
  rack.chip->connect({receiver, sender, Qpn(0x5500), Qpn(0x7700), 0xc000, Psn(0xfffffe)});
  rack.at[3]->send(5_us, data(receiver, sender, 0xffffff));
  rack.at[nic_port]->send(10_us, nack(sender, receiver, 0xfffffe));
  rack.at[2]->send(20_us, data(receiver, sender, 0));
  context.clock.run_to(19_us);
  EXPECT_TRUE(rack.at[3]->arrivals.empty());
  EXPECT_EQ(rack.count(0, "nacks_stashed"), 1u);
  EXPECT_EQ(rack.chip->counters().mirrored, 0u);
  context.clock.run_to(100_us);
  ASSERT_EQ(rack.at[3]->arrivals.size(), 1u);
  const Packet& made = rack.at[3]->arrivals[0].packet;
  EXPECT_TRUE(made.is_nack());
  EXPECT_EQ(made.psn, Psn(0xfffffe));
  EXPECT_EQ(made.dest_qp, Qpn(0x5500));
  EXPECT_EQ(made.src, sender);
  EXPECT_EQ(made.dst, receiver);
  EXPECT_EQ(made.frame, frame_bytes(Opcode::acknowledge, 0_B).count());
  EXPECT_EQ(rack.chip->counters().mirrored, 1u);
  EXPECT_EQ(rack.chip->counters().recirculated, 0u);
  EXPECT_EQ(rack.count(0, "nacks_validated_later"), 1u);
  // The data went to the NIC, and the NACK of the NIC nowhere.
  ASSERT_EQ(rack.at[nic_port]->arrivals.size(), 2u);
  for (const auto& a : rack.at[nic_port]->arrivals) EXPECT_TRUE(a.packet.is_data());
  EXPECT_TRUE(rack.at[2]->arrivals.empty());
  expect_balance(context, *rack.chip, 3);
}

// From a receiver's NIC to the sender's over both ToRs, in sixteen flows: responses are hashed over
// the uplinks, so about half of them have to go around at either end.
TEST(ThemisChip, NacksFromEndToEnd) {
  constexpr std::uint32_t flows = 16;
  fabric::sim_context context;
  Tor near("near", context, sender, receiver), far("far", context, receiver, sender);
  std::vector<std::unique_ptr<packet_probe>> nics;
  for (Tor* tor : {&near, &far}) {
    for (unsigned port : {0u, 1u}) {
      nics.push_back(std::make_unique<packet_probe>(fmt::format("nic{}", nics.size()), context));
      connect(*tor->chip, port, *nics.back(), 0, Chip::link);
    }
  }
  for (unsigned port : {2u, 3u}) connect(*near.chip, port, *far.chip, port, Chip::link);
  packet_probe &from = *nics[0], &to = *nics[2];
  for (std::uint32_t f = 0; f < flows; ++f) {
    const Psn first(0xffffff - f % 4);
    for (Tor* tor : {&near, &far}) {
      tor->chip->connect({sender, receiver, Qpn(0x5500 + f), Qpn(0x7700 + f),
                          static_cast<std::uint16_t>(0xc000 + f), first});
    }
    // The first packet is lost before the switch; the third comes by the same path.
    for (const int later : {1, 2})
      from.send(5_us, data(sender, receiver, (first + later).value(), f));
    to.send(40_us, nack(receiver, sender, first.value(), f));
    from.send(80_us, data(sender, receiver, first.value(), f));
  }
  context.clock.run_to(200_us);
  ASSERT_EQ(from.arrivals.size(), flows);
  for (const auto& a : from.arrivals) EXPECT_TRUE(a.packet.is_nack());
  EXPECT_EQ(to.arrivals.size(), 3 * flows);
  EXPECT_EQ(far.count(0, "nacks_valid"), flows);
  EXPECT_EQ(near.count(0, "rerouted"), flows);
  const auto turned = far.chip->counters().mirrored;
  EXPECT_EQ(near.chip->counters().recirculated, turned);
  EXPECT_EQ(near.count(1, "nacks_to_source"), turned);
  EXPECT_GT(turned, 0u);
  EXPECT_LT(turned, flows);
}

}  // namespace
}  // namespace horae::tofino::themis_test
