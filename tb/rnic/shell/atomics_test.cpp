// Atomics between NICs: their times in closed form, slots, what a lost packet brings, and the order
// of responses.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "host_parts.hpp"
#include "nic_parts.hpp"
#include "refusal.hpp"

namespace horae::rnic::atomics_test {
namespace {

using test::connect_queue_pairs;
using test::ListSource;
using test::Nic;
using test::odd_link;
using test::one_way;
using test::TappedPair;
using test::wire_time;

RnicConfig holding(Picoseconds hold, std::uint32_t slots = 4096) {
  RnicConfig config = test::odd_latencies();
  config.transport = "go_back_n";
  config.atomics = AtomicsConfig{.slots = slots, .hold = hold};
  return config;
}

std::unique_ptr<traffic::TrafficSource> atomics(std::uint64_t count = 1,
                                                Verb verb = Verb::fetch_add) {
  return std::make_unique<traffic::ConstantSource>(
      traffic::ConstantSource::Config{.bytes = 8_B, .count = count, .verb = verb});
}
std::unique_ptr<traffic::TrafficSource> list(std::vector<traffic::TrafficItem> items) {
  return std::make_unique<ListSource>(std::move(items));
}

const Picoseconds request_time = wire_time(Opcode::fetch_add, atomic_request);
const Picoseconds response_time = wire_time(Opcode::atomic_acknowledge, atomic_response);

struct Seen {
  Opcode opcode;
  std::uint32_t psn;
  bool operator==(const Seen&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Seen& s) {
  return out << fmt::format("{:#x} PSN {}", static_cast<unsigned>(s.opcode), s.psn);
}
test::tap::Fate record(std::vector<Seen>& seen, std::vector<std::size_t> lost = {}) {
  return [&seen, lost](unsigned, const Packet& p) -> std::optional<Picoseconds> {
    seen.push_back({p.opcode, p.psn.value()});
    if (std::ranges::find(lost, seen.size() - 1) != lost.end()) return std::nullopt;
    return 0_ps;
  };
}

TEST(Atomics, AloneTheyTakeARequestTheOperationAndAResponse) {
  // Ethernet 14, IP 20, UDP 8, BTH 12, AtomicETH 28, ICRC 4, FCS 4; AETH 4 and AtomicAckETH 8.
  EXPECT_EQ(frame_bytes(Opcode::fetch_add, atomic_request), 90_B);
  EXPECT_EQ(frame_bytes(Opcode::atomic_acknowledge, atomic_response), 74_B);
  fabric::sim_context context;
  const RnicConfig config = holding(700_ns);
  std::map<Verb, test::NicPair> all;
  for (const Verb verb : {Verb::compare_swap, Verb::fetch_add}) {
    const auto& nics =
        all.try_emplace(verb, context, config, odd_link, static_cast<unsigned>(verb)).first->second;
    connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = atomics(1, verb), .reads = 16});
  }
  test::run_on(context, 20_us);
  for (const auto& [verb, nics] : all) {
    ASSERT_TRUE(nics.a->finished());
    EXPECT_EQ(nics.a->queue_pair(0).progress().last_completion,
              request_time + response_time + 2 * one_way(config, odd_link) + 700_ns);
    EXPECT_EQ(nics.a->counters().delivered_bytes, 8u);
    EXPECT_EQ(nics.b->counters().delivered_bytes, 0u);
    EXPECT_EQ(nics.b->counters().atomics_executed, 1u);
    EXPECT_EQ(nics.b->counters().acks_sent, 0u);
    for (const Nic* nic : {nics.a.get(), nics.b.get()}) test::expect_time_accounted(*nic, 20_us);
  }
}

/// Those of one slot follow each other, whatever queue pair they are of.
TEST(Atomics, OneAddressHasOneOperationATime) {
  struct Row {
    std::uint32_t words, slots;
    int at_once;
  };
  // Words are eight bytes apart: a slot for each, one for both, or one for all.
  const std::vector<Row> rows = {{1, 4096, 1}, {2, 16, 2}, {2, 8, 1}, {2, 1, 1}};
  fabric::sim_context context;
  std::vector<test::NicPair> all;
  all.reserve(rows.size());
  for (const Row& row : rows) {
    const auto& nics = all.emplace_back(context, holding(1_us, row.slots), odd_link,
                                        static_cast<unsigned>(all.size()));
    for (int n = 0; n < 4; ++n)
      connect_queue_pairs(*nics.a, *nics.b,
                          {.a_to_b = atomics(10), .reads = 16, .words = row.words});
  }
  test::run_on(context, 100_us);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Row& row = rows[k];
    const test::NicPair& nics = all[k];
    const RnicConfig config = holding(1_us);
    ASSERT_TRUE(nics.a->finished());
    Picoseconds last{};
    for (std::size_t n = 0; n < 4; ++n)
      last = std::max(last, nics.a->queue_pair(n).progress().last_completion);
    const Picoseconds first = request_time + one_way(config, odd_link);
    const Picoseconds end =
        first + 1_us * (40 / row.at_once) + response_time + one_way(config, odd_link);
    // The second of two slots begins with a later request, and responses take turns on the wire.
    EXPECT_GE(last, end) << row.words << " " << row.slots;
    EXPECT_LE(last, end + (row.at_once - 1) * (4 * request_time + response_time))
        << row.words << " " << row.slots;
    EXPECT_EQ(nics.b->counters().atomics_executed, 40u);
    EXPECT_GT(nics.b->counters().atomic_wait, 40_us);
  }
}

/// IBTA vol. 1, 9.7.5.1.2: a request that comes again is answered with the response that is kept.
TEST(Atomics, AreExecutedOnceWhateverIsLost) {
  fabric::sim_context context;
  RnicConfig config = holding(100_ns);
  config.reliability.rto = 50_us;
  std::array<std::vector<Seen>, 2> all_seen;
  std::vector<TappedPair> all;
  all.reserve(2);
  for (const std::size_t lost : {std::size_t{0}, std::size_t{1}}) {
    const auto& pair = all.emplace_back(context, config, record(all_seen[lost], {lost}), odd_link,
                                        static_cast<unsigned>(lost));
    connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = atomics(), .reads = 16});
  }
  test::run_on(context, 200_us);
  for (const std::size_t lost : {std::size_t{0}, std::size_t{1}}) {
    const TappedPair& pair = all[lost];
    const std::vector<Seen>& seen = all_seen[lost];
    ASSERT_TRUE(pair.a->finished());
    EXPECT_EQ(pair.a->counters().timeouts, 1u);
    EXPECT_EQ(pair.b->counters().atomics_executed, 1u);
    EXPECT_EQ(pair.b->counters().reads_answered_again, lost);
    EXPECT_EQ(seen.back(), (Seen{Opcode::atomic_acknowledge, 0}));
  }
}

/// A request that comes again while the first is executed is not answered on its own.
TEST(Atomics, AreExecutedOnceWhenTheTimerIsShort) {
  fabric::sim_context context;
  RnicConfig config = holding(60_us);
  config.reliability.rto = 50_us;
  std::vector<Seen> seen;
  TappedPair pair(context, config, record(seen));
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = atomics(), .reads = 16});
  test::run_on(context, 200_us);
  ASSERT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.b->counters().atomics_executed, 1u);
  EXPECT_EQ(std::ranges::count(seen, Seen{Opcode::fetch_add, 0}), 2);
  EXPECT_EQ(std::ranges::count(seen, Seen{Opcode::atomic_acknowledge, 0}), 1);
}

/// Requests behind an atomic are executed meanwhile, but answered behind it.
TEST(Atomics, ResponsesLeaveInTheOrderOfRequests) {
  fabric::sim_context context;
  const RnicConfig config = holding(10_us);
  std::vector<Seen> seen;
  TappedPair pair(context, config, record(seen));
  connect_queue_pairs(*pair.a, *pair.b,
                      {.a_to_b = list({{.bytes = 8_B, .verb = Verb::compare_swap},
                                       {.bytes = 100_B, .verb = Verb::read},
                                       {.bytes = 8_B, .verb = Verb::fetch_add},
                                       {.bytes = 100_B, .verb = Verb::write}}),
                       .reads = 16,
                       .words = 2});
  test::run_on(context, 100_us);
  ASSERT_TRUE(pair.a->finished());
  const std::vector<Seen> expected = {
      {Opcode::compare_swap, 0},       {Opcode::read_request, 1},
      {Opcode::fetch_add, 2},          {Opcode::write_only, 3},
      {Opcode::atomic_acknowledge, 0}, {Opcode::read_response_only, 1},
      {Opcode::atomic_acknowledge, 2}, {Opcode::acknowledge, 3}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(pair.a->counters().timeouts + pair.a->counters().reads_requested_again, 0u);
}

TEST(Atomics, ShareTheCreditsOfReads) {
  fabric::sim_context context;
  const RnicConfig config = holding(0_ps);
  test::NicPair nics(context, config);
  connect_queue_pairs(*nics.a, *nics.b,
                      {.a_to_b = list({{.bytes = 64_B, .verb = Verb::read},
                                       {.bytes = 8_B, .verb = Verb::fetch_add}}),
                       .reads = 1});
  test::run_on(context, 100_us);
  ASSERT_TRUE(nics.a->finished());
  EXPECT_EQ(nics.a->queue_pair(0).progress().last_completion,
            wire_time(Opcode::read_request) + wire_time(Opcode::read_response_only, 64_B) +
                request_time + response_time + 4 * one_way(config, odd_link));
}

/// Eight bytes are read and written at the responder, and written at the requester.
TEST(Atomics, WithAHostTheyAreAReadAndAWrite) {
  RnicConfig config = test::with_host();
  config.transport = "go_back_n";
  config.reth_on_every_packet = false;
  const test::HostTimes host(config);
  fabric::sim_context context;
  test::NicPair nics(context, config);
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = atomics(5), .reads = 16});
  test::run_on(context, 100_us);
  ASSERT_TRUE(nics.a->finished());
  const PcieLedger& b = nics.b->host()->counters().ledger;
  EXPECT_EQ(b.bytes(PcieUse::payload, PcieDirection::to_host), 5u * (24 + 24 + 8));
  EXPECT_EQ(b.bytes(PcieUse::payload, PcieDirection::to_nic), 5u * (20 + 8));
  EXPECT_EQ(b.total(), b.bytes(PcieUse::payload));
  const PcieLedger& a = nics.a->host()->counters().ledger;
  EXPECT_EQ(a.bytes(PcieUse::payload), 5u * (24 + 8));
  // All of one word: each begins when the one before has read, and behind its write on the link.
  const Picoseconds write = PcieLink(config.pcie).wire_time(tlp::write + 8_B);
  const Picoseconds each = host.read(8_B) + write;
  const Picoseconds begin = host.first_packet(0_B, 5) + request_time + one_way(config, odd_link);
  const Picoseconds last = nics.a->queue_pair(0).progress().last_completion;
  EXPECT_EQ(last, begin + host.read(8_B) + 4 * each + response_time + one_way(config, odd_link) +
                      write + host.write_latency());
}

TEST(Atomics, SlotsAreAPowerOfTwo) {
  const auto line = [](const std::string& text) {
    return test::refusal_of(
        [&] { (void)Document::parse(text, "nic.toml").root().read<AtomicsConfig>(); });
  };
  EXPECT_EQ(line("slots = 64\n"), "accepted");
  EXPECT_EQ(line("slots = 100\n"),
            "nic.toml:1:9: slots = 100 is no power of two, as 64 and 128 are");
}

}  // namespace
}  // namespace horae::rnic::atomics_test
