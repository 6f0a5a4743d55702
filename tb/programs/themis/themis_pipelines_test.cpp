// Responses between pipelines (packet-spraying paper 5, Figure 8), and what is refused.
#include "themis_parts.hpp"

namespace horae::programs::themis_pipelines_test {
namespace {

using namespace test;

enum : std::uint8_t { forwarded = 1, made_nack = 2 };

// The far node is reached by the uplink of the same pipeline (8) or of the other (9) alone.
Routes by(std::uint16_t uplink) {
  return {{{near_node, {0}, true}, {near_other, {1}, true}, {far_node, {uplink}}},
          routes.pipeline_of_port};
}

struct Receiver : Tor {
  explicit Receiver(std::uint16_t uplink) : Tor({}, 0, by(uplink)) {
    program->connect(connection(far_node, near_node));
  }
};

TEST(ThemisPipelines, AResponseToItsOwnPipelineGoesStraight) {
  Receiver tor(8);
  for (const Packet& p : {ack(near_node, far_node, 3), nack(near_node, far_node, 3)}) {
    const Outcome o = tor.ingress(p, near_port);
    EXPECT_EQ(o.verdict, Verdict::forward);
    EXPECT_EQ(o.port, 8u);
    EXPECT_EQ(o.packet.metadata, 0);
    EXPECT_FALSE(o.copy.has_value());
  }
}

TEST(ThemisPipelines, AResponseToAnotherPipelineTurnsBack) {
  Receiver tor(9);
  for (const Packet& p : {ack(near_node, far_node, 3), nack(near_node, far_node, 3)}) {
    const Outcome o = tor.ingress(p, near_port);
    EXPECT_EQ(o.verdict, Verdict::forward);
    EXPECT_EQ(o.port, near_port);
    EXPECT_NE(o.packet.metadata, 0);
  }
  // Other packets do not, nor responses from elsewhere.
  Packet cnp = ack(near_node, far_node, 3);
  cnp.opcode = Opcode::cnp;
  for (const Packet& p : {cnp, data(near_node, far_node, 3)}) {
    const Outcome o = tor.ingress(p, near_port);
    EXPECT_EQ(o.port, 9u);
    EXPECT_EQ(o.packet.metadata, 0);
  }
  const Outcome local = tor.ingress(nack(far_node, near_other, 3), 8);
  EXPECT_EQ(local.port, other_port);  // of the other pipeline
  EXPECT_EQ(local.packet.metadata, 0);
}

TEST(ThemisPipelines, WithoutTheCheckNothingTurnsBack) {
  Tor tor({.destination = false}, 0, by(9));
  EXPECT_EQ(tor.ingress(nack(near_node, far_node, 3), near_port).port, 9u);
}

// A response on its way over its own port, through the check.
struct TurnedBack : Receiver {
  TurnedBack() : Receiver(9) {}
  Outcome checked(const Packet& response) {
    const Outcome turned = ingress(response, near_port);
    EXPECT_EQ(turned.port, near_port);
    return egress(turned.packet, near_port);
  }
  void arrive(std::initializer_list<std::uint32_t> psns) {
    for (const auto psn : psns)
      EXPECT_TRUE(egress(data(far_node, near_node, psn), near_port).passes());
  }
};

TEST(ThemisPipelines, WhatMayPassGoesOnAsACopy) {
  TurnedBack tor;
  tor.arrive({0, 1, 3, 6});
  Tor target({}, 1, by(9));
  for (const Packet& p : {ack(near_node, far_node, 1), nack(near_node, far_node, 2)}) {
    const Outcome o = tor.checked(p);
    EXPECT_TRUE(o.dropped());
    ASSERT_TRUE(o.copy.has_value());
    EXPECT_EQ(o.copy->egress_port, 9u);
    EXPECT_EQ(o.copy->type, forwarded);
    // In the egress that it goes to there is nothing more to say.
    const Outcome copy = target.copied(o.packet, *o.copy);
    EXPECT_TRUE(copy.passes());
    EXPECT_EQ(copy.packet.opcode, Opcode::acknowledge);
    EXPECT_EQ(copy.packet.syndrome, p.syndrome);
    EXPECT_EQ(copy.packet.psn, p.psn);
    EXPECT_EQ(copy.packet.dest_qp, p.dest_qp);
    EXPECT_EQ(copy.packet.src, p.src);
    EXPECT_EQ(copy.packet.dst, p.dst);
    EXPECT_EQ(copy.packet.frame, p.frame);
  }
  EXPECT_EQ(tor.count("nacks_valid"), 1u);
  EXPECT_EQ(target.count("nacks_valid"), 0u);
}

TEST(ThemisPipelines, WhatMayNotPassLeavesNoCopy) {
  TurnedBack tor;
  tor.arrive({0, 1, 3, 2});
  const Outcome o = tor.checked(nack(near_node, far_node, 2));
  EXPECT_TRUE(o.dropped());
  EXPECT_FALSE(o.copy.has_value());
  EXPECT_EQ(tor.count("nacks_invalid"), 1u);
}

// A kept NACK is made anew for the port that it was on its way to.
TEST(ThemisPipelines, AKeptNackRemembersItsPort) {
  TurnedBack tor;
  tor.arrive({1});
  const Outcome kept = tor.checked(nack(near_node, far_node, 0));
  EXPECT_TRUE(kept.dropped());
  EXPECT_FALSE(kept.copy.has_value());
  const auto later = tor.egress(data(far_node, near_node, 4), near_port).copy;
  ASSERT_TRUE(later.has_value());
  EXPECT_EQ(later->egress_port, 9u);
  EXPECT_EQ(later->type, made_nack);
  Tor target({}, 1, by(9));
  const Outcome made = target.copied(data(far_node, near_node, 4), *later);
  EXPECT_TRUE(made.passes());
  EXPECT_TRUE(made.packet.is_nack());
  EXPECT_EQ(made.packet.psn, Psn(0));
  EXPECT_EQ(made.packet.dst, far_node);
}

TEST(ThemisPipelines, ResponsesOfUnknownQueuePairsGoOnToo) {
  TurnedBack tor;
  Packet p = nack(near_node, far_node, 0);
  p.dest_qp = Qpn(0x99);
  const Outcome o = tor.checked(p);
  EXPECT_TRUE(o.dropped());
  ASSERT_TRUE(o.copy.has_value());
  EXPECT_EQ(o.copy->egress_port, 9u);
  EXPECT_EQ(o.copy->type, forwarded);
}

std::string refusal(const std::string& parameters) {
  return refusal_of([&] { read_themis(parameters); });
}
void contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(ThemisPipelines, APipelineHasSoManyQueuePairs) {
  for (const bool as_sender : {true, false}) {
    Tor tor({.qps = 3});
    const auto connect = [&](std::uint32_t i, NodeId near) {
      Connection c = as_sender ? connection(near, far_node) : connection(far_node, near);
      c.sender_qp = Qpn(100 + i);
      c.receiver_qp = Qpn(200 + i);
      tor.program->connect(c);
    };
    for (std::uint32_t i = 0; i < 3; ++i) connect(i, near_node);
    for (std::uint32_t i = 0; i < 10; ++i) connect(i, near_other);  // another pipeline's
    const std::string refused = refusal_of([&] { connect(3, near_node); });
    contains(refused, "tor.pipe0.");
    contains(refused, "more than the 3 queue pairs of a pipeline");
  }
}

TEST(ThemisPipelines, AConnectionIsCountedOnceAndWithinTheRackNotAtAll) {
  Tor tor({.qps = 1});
  tor.program->connect(connection(near_other, near_node));
  tor.program->connect(connection(near_node, near_other));
  for (int again = 0; again < 3; ++again) {
    tor.program->connect(connection(far_node, near_node));
    tor.program->connect(connection(near_node, far_node));
  }
  // The one between the NICs of the rack has no state: what its receiver asks for passes.
  EXPECT_TRUE(tor.egress(nack(near_node, near_other, 0), other_port).passes());
  EXPECT_TRUE(tor.egress(nack(near_node, far_node, 0), 8).dropped());
}

// The state of Themis-S is in the ingress of the sender's pipeline: what enters by another one
// comes around there.
TEST(ThemisPipelines, ANackByAnotherPipelinesUplinkComesAroundAtItsSenders) {
  Tor other({}, 1), own({}, 0);
  for (Tor* tor : {&other, &own}) tor->program->connect(connection(near_node, far_node));
  const auto path = [&](std::uint32_t psn) {
    return own.ingress(data(near_node, far_node, psn), near_port).port;
  };
  const unsigned before = path(3);
  const Outcome first = other.ingress(nack(far_node, near_node, 3), 9);
  ASSERT_EQ(first.verdict, Verdict::recirculate);
  EXPECT_EQ(first.loop, 0u);
  EXPECT_FALSE(first.copy.has_value());
  EXPECT_EQ(path(3), before);
  const Outcome second = own.ingress(first.packet, 9);  // the uplink it came by
  EXPECT_EQ(second.verdict, Verdict::forward);
  EXPECT_EQ(second.port, near_port);
  EXPECT_NE(path(3), before);
  EXPECT_EQ(other.count("nacks_to_source"), 1u);
  EXPECT_EQ(own.count("nacks_to_source"), 0u);
  EXPECT_EQ(own.count("rerouted"), 1u);
}

TEST(ThemisPipelines, OnlyNacksOfTheNetworkComeAround) {
  Tor other({}, 1);
  other.program->connect(connection(near_node, far_node));
  const Packet asks = nack(far_node, near_node, 3);
  Packet refuses = asks;
  refuses.syndrome = 0x62;  // remote access error: the connection is over
  Packet cnp = asks;
  cnp.opcode = Opcode::cnp;
  for (const Packet& p : {ack(far_node, near_node, 3), data(far_node, near_node, 3), refuses, cnp})
    EXPECT_EQ(other.ingress(p, 9).verdict, Verdict::forward);
  // Between NICs of one rack there is no state.
  EXPECT_EQ(other.ingress(nack(near_other, near_node, 3), other_port).verdict, Verdict::forward);
  EXPECT_EQ(other.count("nacks_to_source"), 0u);
  // For a NIC of its own pipeline.
  EXPECT_EQ(other.ingress(nack(far_node, near_other, 3), 9).verdict, Verdict::forward);
  EXPECT_EQ(other.ingress(asks, 9).verdict, Verdict::recirculate);
}

TEST(ThemisPipelines, TheyMayPassByInstead) {
  for (const std::string more :
       {"nacks_to_source = \"pass_by\"", "rerouting = false\nfailure_handling = false"}) {
    Tor other({.more = more}, 1);
    other.program->connect(connection(near_node, far_node));
    EXPECT_EQ(other.ingress(nack(far_node, near_node, 3), 9).verdict, Verdict::forward);
    // Without anything to learn from NACKs none is missed.
    EXPECT_EQ(other.count("nacks_past_source"), more.starts_with("nacks") ? 1u : 0u);
    EXPECT_EQ(other.count("nacks_to_source"), 0u);
  }
}

// NAKs that end a connection are not Themis-D's: they pass, whatever was delivered.
TEST(ThemisPipelines, OtherNaksPass) {
  Receiver tor(8);
  tor.egress(data(far_node, near_node, 0), near_port);
  for (const std::uint8_t code : {0x61, 0x62, 0x63}) {
    Packet p = nack(near_node, far_node, 0);
    p.syndrome = code;
    EXPECT_TRUE(tor.egress(p, 8).passes());
  }
}

TEST(ThemisPipelines, BadParametersAreRefused) {
  EXPECT_EQ(refusal(""), "accepted");
  EXPECT_EQ(refusal("window = 1\npaths = 1\npieces = 1"), "accepted");
  contains(refusal("window = 500"), "window = 500 is no power of two");
  contains(refusal("window = 500"), "test.toml:2");
  contains(refusal("paths = 3"), "paths = 3 is no power of two");
  contains(refusal("pieces = 6"), "pieces = 6 is no power of two");
  contains(refusal("bitmap_pieces = 6"), "bitmap_pieces = 6 is no power of two");
  contains(refusal("nics = 3\nqps_per_nic = 5\npipelines = 2"),
           "3 NICs x 5 queue pairs do not spread evenly over 2 pipelines");
  for (const std::string key :
       {"window", "paths", "nics", "qps_per_nic", "pipelines", "ooo_threshold", "avoidance_window",
        "route_entries", "member_entries"}) {
    contains(refusal(key + " = 0"), key);
    contains(refusal(key + " = -1"), key);
  }
  contains(refusal("windw = 8"), "'window'");
}

TEST(ThemisPipelines, TablesHoldTheRoutes) {
  const auto made = [](const std::string& parameters) {
    return refusal_of([&] { PassDriver(*read_themis("qps_per_nic = 4\n" + parameters), routes); });
  };
  EXPECT_EQ(made("route_entries = 4"), "accepted");
  contains(made("route_entries = 3"), "program.route_entries = 3 is too small for 4");
  EXPECT_EQ(made("member_entries = 6"), "accepted");  // both far nodes share a group of ports
  contains(made("member_entries = 5"), "program.member_entries = 5 is too small for 6");
}

}  // namespace
}  // namespace horae::programs::themis_pipelines_test
