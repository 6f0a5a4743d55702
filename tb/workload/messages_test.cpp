// kind = "messages" and kind = "packets": pairs, permutations, and what they ask of NICs.
#include <nlohmann/json.hpp>
#include <set>

#include "horae/workload/nic_fit.hpp"
#include "placed.hpp"

namespace horae::test::messages_test {
namespace {

using workload::Flow;

TEST(Messages, EachPairHasItsQueuePairs) {
  const auto platform = eight_placed(
      "kind = \"messages\"\nfrom = [\"h0\", \"h5\"]\nto = [\"h7\", \"h0\"]\nqps = 3\n"
      "message = \"20 KB\"\ndepth = 7\ncount = 2\nstart = \"1 us\"\nfirst_psn = 9\n");
  const auto flows = flows_of(platform);
  ASSERT_EQ(flows.size(), 6u);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& f = flows[i];
    EXPECT_EQ(f.from, i < 3 ? 0u : 5u);
    EXPECT_EQ(f.to, i < 3 ? 7u : 0u);
    EXPECT_EQ(f.message, Bytes(20000));
    EXPECT_EQ(f.depth, 7u);
    EXPECT_EQ(f.count, 2u);
    EXPECT_EQ(f.start, 1_us);
    EXPECT_EQ(f.first_psn, Psn(9));
    EXPECT_EQ(f.lead, 0u);
    EXPECT_EQ(f.trigger, 0u);
  }
  EXPECT_EQ(workload::traffic_of(platform, 0).measure(), workload::Measure::streams);
  EXPECT_EQ(workload::traffic_of(platform, 0).arrivals_end(platform), 0_ps);
}

TEST(Messages, QueuePairsMayStartApart) {
  const std::string text =
      "kind = \"messages\"\nfrom = [\"h0\", \"h5\"]\nto = [\"h7\", \"h0\"]\nqps = 2\nstart = \"1 "
      "us\"\n";
  const auto starts = [&](const std::string& more, const std::string& seed = "1") {
    std::vector<Picoseconds> out;
    for (const Flow& f : flows_of(eight_placed(text + more, {"sim.seed=" + seed})))
      out.push_back(f.start);
    return out;
  };
  using Times = std::vector<Picoseconds>;
  EXPECT_EQ(starts(""), (Times{1_us, 1_us, 1_us, 1_us}));
  EXPECT_EQ(starts("stagger = \"30 ns\"\n"), (Times{1_us, 1030_ns, 1060_ns, 1090_ns}));
  const std::string random = "start_within = \"4 us\"\n";
  const Times drawn = starts(random);
  EXPECT_EQ(drawn, starts(random));
  EXPECT_NE(drawn, starts(random, "2"));
  EXPECT_EQ(std::set<Picoseconds>(drawn.begin(), drawn.end()).size(), 4u);
  for (const Picoseconds at : drawn) {
    EXPECT_GE(at, 1_us);
    EXPECT_LT(at, 5_us);
  }
  const Times both = starts(random + "stagger = \"1 us\"\n");
  for (std::size_t i = 0; i < both.size(); ++i)
    EXPECT_EQ(both[i], drawn[i] + 1_us * static_cast<std::int64_t>(i));
}

TEST(Messages, APermutationSendsEveryNicToAnotherOne) {
  const std::string text = "kind = \"messages\"\npattern = \"permutation\"\n";
  const auto to_of = [&](const std::string& seed) {
    std::vector<unsigned> to;
    for (const Flow& f : flows_of(eight_placed(text, {"sim.seed=" + seed}))) {
      EXPECT_EQ(f.from, to.size());
      EXPECT_NE(f.from, f.to);
      EXPECT_EQ(f.count, 0u);  // without end
      to.push_back(f.to);
    }
    EXPECT_EQ(to.size(), 8u);
    EXPECT_EQ(std::set<unsigned>(to.begin(), to.end()).size(), 8u);
    return to;
  };
  EXPECT_EQ(to_of("1"), to_of("1"));
  EXPECT_NE(to_of("1"), to_of("2"));
}

TEST(Messages, AChipHoldsAllOfDepthAndTheKeyOfItsQueuePairsIsKnown) {
  const auto platform = eight_placed(
      "kind = \"messages\"\nfrom = [\"h0\", \"h0\"]\nto = [\"h1\", \"h2\"]\nqps = 300\ncount = 1\n",
      {"nic.sram.total=1MiB"});
  for (const auto& nic : workload::size_nics(platform)) {
    const bool sends = nic.devices.front() == "h0";
    if (nic.demand.groups.empty()) continue;
    ASSERT_EQ(nic.demand.groups.size(), 1u);
    EXPECT_EQ(nic.demand.groups[0].queue_pairs, sends ? 600u : 300u);
    EXPECT_EQ(nic.demand.groups[0].outstanding, sends ? 128u : 0u);
    if (nic.budget.fits()) continue;
    EXPECT_EQ(nic.remedies.front().key, "traffic[0].qps");
    EXPECT_EQ(nic.remedies.front().now, "300");
  }
}

TEST(Messages, WhatCannotBeSentIsRefusedWhereItIsWritten) {
  expect_refused("kind = \"messages\"\nfrom = [\"h0\"]\nto = [\"h0\"]\n", 3,
                 "'h0' would send to itself");
  expect_refused("kind = \"messages\"\nfrom = [\"h0\", \"h1\"]\nto = [\"h2\"]\n", 2,
                 "2 senders in 'from' and 1 receivers in 'to'");
  expect_refused("kind = \"messages\"\nfrom = [\"h0\"]\nto = [\"spine0\"]\n", 3,
                 "'spine0' is not a NIC");
  expect_refused("kind = \"messages\"\npattern = \"permutation\"\nto = [\"h1\"]\n", 3,
                 "takes no 'from' and 'to'");
  expect_refused("kind = \"packets\"\n", 0, "at least two end points of its kind");
}

/// Hosts a, b and c without a transport.
config::PlatformConfig hosts(const std::string& traffic) {
  return workload::read_platform(
      Document::parse("[platform]\nname = \"hosts\"\n[end]\nkind = \"host\"\n[plain]\nkind = "
                      "\"switch\"\n[link_default]\nrate = \"100 Gbps\"\n[[traffic]]\nkind = "
                      "\"packets\"\n" +
                          traffic + three_on_a_switch("end", "plain"),
                      "p.toml"));
}

TEST(Packets, AHostSendsAtItsShareOfTheWire) {
  const auto platform = hosts(
      "load = 0.5\npayload = \"1000 B\"\ncount = 3\npattern = \"pairs\"\nfrom = [\"c\"]\n"
      "to = [\"a\"]\nstart = \"1 us\"\n");
  int streams = 0;
  workload::traffic_of(platform, 0).packets(platform, [&](const workload::PacketStream& stream) {
    ++streams;
    EXPECT_EQ(platform.devices[stream.from].name, "c");
    EXPECT_EQ(stream.largest_payload, 1000_B);
    const Picoseconds wire =
        serialisation_time(l1_bytes(frame_bytes(Opcode::write_middle, 1000_B)), 100_Gbps);
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto item = stream.source->next();
      ASSERT_TRUE(item);
      EXPECT_EQ(item->at, 1_us + wire * 2 * i);
      EXPECT_EQ(item->bytes, 1000_B);
      EXPECT_EQ(item->dst, platform.topology.vertices()[0].node);
    }
    EXPECT_FALSE(stream.source->next());
  });
  EXPECT_EQ(streams, 1);
  EXPECT_TRUE(flows_of(platform).empty());
}

TEST(Packets, AHostHasOneDestination) {
  EXPECT_NO_THROW(hosts(""));
  EXPECT_THROW(hosts("[[traffic]]\nkind = \"packets\"\n"), InputError);
}

}  // namespace
}  // namespace horae::test::messages_test
