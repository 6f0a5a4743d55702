// READs between NICs: their times in closed form, what is on the wire, what a loss costs, and
// whole transfers of READs and WRITEs over links that lose and reorder.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::reads_test {
namespace {

using test::connect_queue_pairs;
using test::ListSource;
using test::Nic;
using test::odd_latencies;
using test::odd_link;
using test::one_way;
using test::TappedPair;
using test::wire_time;

RnicConfig go_back_n() {
  RnicConfig config = odd_latencies();
  config.transport = "go_back_n";
  return config;
}

std::unique_ptr<traffic::TrafficSource> reads(Bytes bytes, std::uint64_t count = 1) {
  return std::make_unique<traffic::ConstantSource>(
      traffic::ConstantSource::Config{.bytes = bytes, .count = count, .verb = Verb::read});
}

std::unique_ptr<traffic::TrafficSource> list(std::vector<traffic::TrafficItem> items) {
  return std::make_unique<ListSource>(std::move(items));
}

/// The time of a READ of three packets that is alone, from its post until its last response was
/// taken.
Picoseconds alone_3000(const RnicConfig& c) {
  return wire_time(Opcode::read_request) + one_way(c, odd_link) +
         wire_time(Opcode::read_response_first, 1024_B) +
         wire_time(Opcode::read_response_middle, 1024_B) +
         wire_time(Opcode::read_response_last, 952_B) + one_way(c, odd_link);
}

TEST(Reads, AloneTakesARequestAndItsData) {
  fabric::sim_context context;
  const RnicConfig config = go_back_n();
  test::NicPair nics(context, config);
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = reads(3000_B), .reads = 16});
  test::run_on(context, 20_us);
  ASSERT_TRUE(nics.a->finished());
  const auto& progress = nics.a->queue_pair(0).progress();
  EXPECT_EQ(progress.last_completion, alone_3000(config));
  EXPECT_EQ(progress.completed_bytes, 3000u);
  EXPECT_EQ(progress.delivered_bytes, 3000u);
  EXPECT_EQ(nics.b->counters().delivered_bytes, 0u);
  EXPECT_EQ(nics.b->counters().read_requests_received, 1u);
  EXPECT_EQ(nics.b->counters().acks_sent, 0u);
  for (const Nic* nic : {nics.a.get(), nics.b.get()}) test::expect_time_accounted(*nic, 20_us);
}

TEST(Reads, AReadOfNothingIsOneEmptyResponse) {
  fabric::sim_context context;
  const RnicConfig config = go_back_n();
  test::NicPair nics(context, config);
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = reads(0_B), .reads = 1});
  test::run_on(context, 20_us);
  EXPECT_EQ(nics.a->queue_pair(0).progress().last_completion,
            wire_time(Opcode::read_request) + wire_time(Opcode::read_response_only) +
                one_way(config, odd_link) * 2);
}

/// With `n` outstanding at most, every n-th READ goes when the one n before it is complete.
TEST(Reads, OutstandingReadsBoundTheRate) {
  constexpr std::uint32_t count = 20;
  const RnicConfig config = go_back_n();
  fabric::sim_context context;
  std::map<std::uint32_t, test::NicPair> all;
  for (const std::uint32_t most : {1u, 2u, 5u}) {
    const auto& nics = all.try_emplace(most, context, config, odd_link, most).first->second;
    connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = reads(64_B, count), .reads = most});
  }
  test::run_on(context, 200_us);
  for (const auto& [most, nics] : all) {
    ASSERT_TRUE(nics.a->finished());
    const Picoseconds request = wire_time(Opcode::read_request);
    const Picoseconds round =
        request + wire_time(Opcode::read_response_only, 64_B) + one_way(config, odd_link) * 2;
    ASSERT_GT(wire_time(Opcode::read_response_only, 64_B), request);
    // Responses of one round follow each other on the wire, and each lets the next request go.
    const Picoseconds in_round = wire_time(Opcode::read_response_only, 64_B) * ((count - 1) % most);
    EXPECT_EQ(nics.a->queue_pair(0).progress().last_completion,
              round * ((count + most - 1) / most) + in_round)
        << most;
  }
}

/// A packet that passed a tap: opcode, PSN, and the bytes that a request asks for.
struct Seen {
  Opcode opcode;
  std::uint32_t psn;
  std::uint32_t asks;
  bool operator==(const Seen&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Seen& s) {
  return out << fmt::format("{:#x} PSN {} asks {}", static_cast<unsigned>(s.opcode), s.psn, s.asks);
}

/// Keeps what passes in `seen`, and loses the n-th packet (from 0) of those of `lost`.
test::tap::Fate record(std::vector<Seen>& seen, std::vector<std::size_t> lost = {}) {
  return [&seen, lost](unsigned, const Packet& p) -> std::optional<Picoseconds> {
    const std::uint32_t asks = p.opcode == Opcode::read_request ? p.msn : 0;
    seen.push_back({p.opcode, p.psn.value(), asks});
    if (std::ranges::find(lost, seen.size() - 1) != lost.end()) return std::nullopt;
    return 0_ps;
  };
}

TEST(Reads, ALostResponseIsRequestedFromThereOnOnce) {
  fabric::sim_context context;
  RnicConfig config = go_back_n();
  config.reliability.rto = 1_ms;
  std::vector<Seen> seen;
  TappedPair pair(context, config, record(seen, {2}));
  connect_queue_pairs(*pair.a, *pair.b,
                      {.a_to_b = reads(Bytes(5000)), .first_a = Psn(0xfffffe), .reads = 16});
  test::run_on(context, 100_us);
  ASSERT_TRUE(pair.a->finished());
  const std::vector<Seen> expected = {
      {Opcode::read_request, 0xfffffe, 5000},      {Opcode::read_response_first, 0xfffffe, 0},
      {Opcode::read_response_middle, 0xffffff, 0},  // lost
      {Opcode::read_response_middle, 0, 0},        {Opcode::read_response_middle, 1, 0},
      {Opcode::read_response_last, 2, 0},          {Opcode::read_request, 0xffffff, 5000 - 1024},
      {Opcode::read_response_first, 0xffffff, 0},  {Opcode::read_response_middle, 0, 0},
      {Opcode::read_response_middle, 1, 0},        {Opcode::read_response_last, 2, 0}};
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(pair.a->counters().reads_requested_again, 1u);
  EXPECT_EQ(pair.a->counters().discarded, 3u);
  EXPECT_EQ(pair.b->counters().reads_answered_again, 1u);
  EXPECT_EQ(pair.a->counters().timeouts, 0u);
  EXPECT_EQ(pair.a->counters().delivered_bytes, 5000u);
}

/// A READ of three packets, of which the packet `lost` (from 0) of all is lost.
std::vector<Seen> after_a_timeout(std::size_t lost) {
  fabric::sim_context context;
  RnicConfig config = go_back_n();
  config.reliability.rto = 50_us;
  std::vector<Seen> seen;
  TappedPair pair(context, config, record(seen, {lost}));
  connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = reads(3000_B), .reads = 16});
  test::run_on(context, 200_us);
  EXPECT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.a->counters().timeouts, 1u);
  EXPECT_EQ(pair.a->counters().delivered_bytes, 3000u);
  return seen;
}

TEST(Reads, ALostRequestTakesATimeout) {
  const auto seen = after_a_timeout(0);
  EXPECT_EQ(seen.at(1), (Seen{Opcode::read_request, 0, 3000}));
  EXPECT_EQ(seen.size(), 5u);
}

TEST(Reads, ALostLastResponseTakesATimeout) {
  const auto seen = after_a_timeout(3);
  EXPECT_EQ(seen.at(4), (Seen{Opcode::read_request, 2, 952}));
  // A restart of one packet is a response of one packet.
  EXPECT_EQ(seen.back(), (Seen{Opcode::read_response_only, 2, 0}));
}

/// An acknowledgement that left before responses of an earlier READ would tell that they are lost.
TEST(Reads, TheAcknowledgementOfAWriteWaitsForResponsesBeforeIt) {
  fabric::sim_context context;
  const RnicConfig config = go_back_n();
  std::vector<Seen> seen;
  TappedPair pair(context, config, record(seen));
  connect_queue_pairs(*pair.a, *pair.b,
                      {.a_to_b = list({{.bytes = Bytes(20 * 1024), .verb = Verb::read},
                                       {.bytes = 100_B, .verb = Verb::write},
                                       {.bytes = 100_B, .verb = Verb::write}}),
                       .reads = 16});
  test::run_on(context, 100_us);
  ASSERT_TRUE(pair.a->finished());
  ASSERT_EQ(seen.size(), 3u + 20u + 1u);
  EXPECT_EQ(seen.back(), (Seen{Opcode::acknowledge, 21, 0}));
  EXPECT_EQ(pair.a->counters().reads_requested_again, 0u);
}

/// A later READ's response acknowledges WRITEs before it.
TEST(Reads, AResponseAcknowledgesWhatIsBeforeIt) {
  fabric::sim_context context;
  RnicConfig config = go_back_n();
  TappedPair pair(context, config, [](unsigned, const Packet& p) -> std::optional<Picoseconds> {
    if (p.opcode == Opcode::acknowledge) return std::nullopt;
    return 0_ps;
  });
  connect_queue_pairs(*pair.a, *pair.b,
                      {.a_to_b = list({{.bytes = 100_B, .verb = Verb::write},
                                       {.bytes = 2000_B, .verb = Verb::read},
                                       {.bytes = 100_B, .verb = Verb::read}}),
                       .reads = 16});
  test::run_on(context, 100_us);
  ASSERT_TRUE(pair.a->finished());
  EXPECT_EQ(pair.a->counters().messages_completed, 3u);
  EXPECT_EQ(pair.a->counters().timeouts, 0u);
  EXPECT_EQ(pair.middle->dropped_responses, 1u);
}

/// Responses take turns with what the responder's NIC sends itself: 2 of 4 parts of its wire.
TEST(Reads, ResponsesTakeTurnsWithOwnData) {
  fabric::sim_context context;
  const RnicConfig config = go_back_n();
  test::NicPair nics(context, config);
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = reads(64_KiB, 0), .depth = 4, .reads = 16});
  connect_queue_pairs(*nics.a, *nics.b,
                      {.b_to_a = test::messages(64_KiB, 0), .depth = 4, .first_b = Psn(7)});
  test::run_on(context, 2_ms);
  const auto read = static_cast<double>(nics.a->queue_pair(0).progress().completed_bytes);
  const auto written = static_cast<double>(nics.b->queue_pair(1).progress().completed_bytes);
  EXPECT_NEAR(read / written, 1, 0.03);
  EXPECT_GT((read + written) * 8 / 2e-3, 90e9);
}

TEST(Reads, WithAHostDataIsReadAtTheResponderAndWrittenBeforeCompletion) {
  fabric::sim_context context;
  RnicConfig config = go_back_n();
  config.host = HostModel::pcie;
  test::NicPair nics(context, config);
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = reads(Bytes(16 * 1024), 10), .reads = 4});
  test::run_on(context, 200_us);
  ASSERT_TRUE(nics.a->finished());
  EXPECT_EQ(nics.b->fetcher()->counters().payload_bytes, 10 * 16 * 1024);
  EXPECT_EQ(nics.b->fetcher()->counters().wqe_reads, 0u);
  EXPECT_EQ(nics.a->fetcher()->counters().payload_bytes, 0);
  EXPECT_GE(nics.a->fetcher()->counters().wqes_read, 10u);
  EXPECT_EQ(nics.a->queue_pair(0).progress().last_completion, nics.a->queue_pair(0).written_until);
  EXPECT_GT(nics.a->host()->counters().bytes_written, 10 * 16 * 1024);
}

TEST(Reads, RefusedWhereAPartHasNone) {
  const auto refused = [](const std::function<void(RnicConfig&)>& change, std::string_view word) {
    RnicConfig config = go_back_n();
    change(config);
    try {
      check_reads(config);
      ADD_FAILURE() << "taken: " << word;
    } catch (const InputError& e) {
      EXPECT_NE(std::string_view(e.what()).find(word), std::string_view::npos) << e.what();
    }
  };
  EXPECT_NO_THROW(check_reads(go_back_n()));
  refused([](RnicConfig& c) { c.transport = "spray_sr"; }, "'spray_sr'");
  refused([](RnicConfig& c) { c.transport = "irn"; }, "'go_back_n'");
  refused([](RnicConfig& c) { c.ordering.engine = "ideal"; }, "ordering.engine = 'ideal'");
  refused([](RnicConfig& c) { c.entropy.scheme = "random"; }, "entropy.scheme = 'random'");
  refused([](RnicConfig& c) { c.congestion.algorithm = "hpcc"; }, "congestion.algorithm = 'hpcc'");
}

// ---- Whole transfers.

struct Weather {
  double loss = 0;             // of any packet
  double late = 0;             // share of packets that are held up
  Picoseconds longest = 0_ps;  // by at most this
};

/// Four queue pairs of both verbs in one direction, two of them in the other.
std::string transfer(const Weather& weather, HostModel host, policy::TimeoutResend resend,
                     std::uint64_t seed) {
  const std::vector<std::int64_t> sizes = {0,    1,    1023, 1024, 1025, 65536, 4096, 0,   0,
                                           2047, 9000, 1,    3000, 1024, 10241, 17,   1025};
  RandomStream random(seed, "test.reads");
  const auto source = [&](std::size_t first, std::int64_t& total) {
    std::vector<traffic::TrafficItem> items;
    for (std::size_t i = 0; i < 2 * sizes.size(); ++i) {
      items.push_back({.at = 1_us * static_cast<std::int64_t>(i),
                       .bytes = Bytes(sizes[(first + i) % sizes.size()]),
                       .verb = random.chance(0.6) ? Verb::read : Verb::write});
      total += items.back().bytes.count();
    }
    return std::make_unique<ListSource>(items);
  };
  RnicConfig config;
  config.transport = "go_back_n";
  config.host = host;
  config.reliability.rto = 60_us;
  config.reliability.timeout_resend = resend;
  config.reliability.window = 64;
  config.reliability.ack_every = 16;
  fabric::sim_context context({}, seed);
  TappedPair pair(context, config,
                  [weather, &random](unsigned, const Packet&) -> std::optional<Picoseconds> {
                    if (random.chance(weather.loss)) return std::nullopt;
                    if (!random.chance(weather.late)) return 0_ps;
                    const auto most = static_cast<std::uint32_t>(weather.longest.count());
                    return Picoseconds(random.below(most));
                  });
  std::int64_t of_a = 0, of_b = 0;
  const std::vector<Psn> firsts = {Psn(0xffffff), Psn(0xffffd0), Psn(0), Psn(0xffff00)};
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const std::uint32_t reads = i == 0 ? 1 : i == 1 ? 2 : 16;
    connect_queue_pairs(*pair.a, *pair.b,
                        {.a_to_b = source(i, of_a), .first_a = firsts[i], .reads = reads});
    if (i % 2 != 0) continue;
    connect_queue_pairs(*pair.a, *pair.b,
                        {.b_to_a = source(i + 5, of_b), .first_b = firsts[3 - i], .reads = reads});
  }
  Picoseconds now{};
  while (!(pair.a->finished() && pair.b->finished()) && now < 100_ms) {
    test::run_on(context, now += 50_us);
    for (const Nic* nic : {pair.a.get(), pair.b.get()}) test::expect_time_accounted(*nic, now);
  }
  EXPECT_TRUE(pair.a->finished() && pair.b->finished());
  test::run_on(context, now += 1_ms);
  EXPECT_EQ(context.pool.live(), 0u);
  EXPECT_TRUE(context.clock.idle());
  const RnicCounters sum = pair.a->counters() + pair.b->counters();
  EXPECT_EQ(pair.a->counters().bytes_completed, static_cast<std::uint64_t>(of_a));
  EXPECT_EQ(pair.b->counters().bytes_completed, static_cast<std::uint64_t>(of_b));
  EXPECT_EQ(sum.delivered_bytes, static_cast<std::uint64_t>(of_a + of_b));
  EXPECT_EQ(sum.messages_completed, 6 * 2 * sizes.size());
  return fmt::format("again={} nacks={} timeouts={} answered_again={}", sum.reads_requested_again,
                     sum.nacks_sent, sum.timeouts, sum.reads_answered_again);
}

TEST(Reads, BothVerbsArriveOnceInFairWeather) {
  EXPECT_EQ(transfer({}, HostModel::none, policy::TimeoutResend::window, 1),
            "again=0 nacks=0 timeouts=0 answered_again=0");
}
TEST(Reads, BothVerbsArriveOnceWithAHost) {
  EXPECT_EQ(transfer({}, HostModel::pcie, policy::TimeoutResend::window, 1),
            "again=0 nacks=0 timeouts=0 answered_again=0");
}
TEST(Reads, BothVerbsArriveOnceWithLoss) {
  const auto all = transfer({.loss = 0.02}, HostModel::none, policy::TimeoutResend::window, 2);
  EXPECT_EQ(all.find("again=0"), std::string::npos) << all;
}
TEST(Reads, BothVerbsArriveOnceWithLossOldestResent) {
  transfer({.loss = 0.02}, HostModel::none, policy::TimeoutResend::oldest, 3);
}
TEST(Reads, BothVerbsArriveOnceWithLossAndAHost) {
  transfer({.loss = 0.02}, HostModel::pcie, policy::TimeoutResend::window, 4);
}
TEST(Reads, BothVerbsArriveOnceReordered) {
  transfer({.late = 0.2, .longest = 4_us}, HostModel::none, policy::TimeoutResend::window, 5);
}
TEST(Reads, BothVerbsArriveOnceInAllOfIt) {
  transfer({.loss = 0.03, .late = 0.1, .longest = 3_us}, HostModel::pcie,
           policy::TimeoutResend::oldest, 6);
}

}  // namespace
}  // namespace horae::rnic::reads_test
