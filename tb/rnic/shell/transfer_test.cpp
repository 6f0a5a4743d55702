// Whole transfers over a link that loses and reorders: every byte arrives exactly once, and every
// packet is accounted for.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "horae/policy/ordering/memory_controller.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::transfer_test {
namespace {

using test::connect_queue_pairs;
using test::ListSource;
using test::Nic;
using test::TappedPair;

// The sizes at which the cutting of a message into packets changes, some more than once.
const std::vector<std::int64_t> sizes = {0,    1,     1023, 1024, 1025, 65536, 4096, 0,   0,
                                         2047, 65535, 1,    3000, 1024, 65537, 17,   1025};
const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});

std::unique_ptr<traffic::TrafficSource> all_sizes(std::size_t first) {
  std::vector<traffic::TrafficItem> items;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    items.push_back({.at = 2_us * static_cast<std::int64_t>(i),
                     .bytes = Bytes(sizes[(first + i) % sizes.size()])});
  }
  return std::make_unique<ListSource>(items);
}

struct Weather {
  double loss = 0;             // of any packet
  double late = 0;             // share of packets that are held up
  Picoseconds longest = 0_ps;  // by at most this
};

test::tap::Fate fate_of(const Weather& weather, std::uint64_t seed) {
  return [weather, random = RandomStream(seed, "test.weather")](
             unsigned, const Packet&) mutable -> std::optional<Picoseconds> {
    if (random.chance(weather.loss)) return std::nullopt;
    if (!random.chance(weather.late)) return 0_ps;
    return Picoseconds(random.below(static_cast<std::uint32_t>(weather.longest.count())));
  };
}

// `completed` messages of a queue pair must be its first ones.
void expect_completed_in_order(const QueuePair& qp, std::size_t first) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < qp.progress().completed_messages; ++i) {
    bytes += sizes[(first + i) % sizes.size()];
  }
  EXPECT_EQ(qp.progress().completed_bytes, static_cast<std::uint64_t>(bytes));
}

/// A transport, and what tracks packets out of order if not its own receiver.
struct Kind {
  std::string transport;
  policy::OrderingConfig ordering{};

  std::string name() const {
    return ordering.engine == "none" ? transport : transport + " behind " + ordering.engine;
  }
};

/// Its receiver does not say what is missing.
bool takes_any_order(const Kind& kind) {
  return kind.transport == "timeout_only" || kind.transport == "spray_sr";
}

std::vector<Kind> transports() {
  std::vector<Kind> all;
  for (const auto& t : policy::transports()) all.push_back({std::string(t.name)});
  return all;
}

/// With every engine, and with too little room in it.
std::vector<Kind> ordered() {
  using policy::BitmapReach;
  using policy::EunomiaMemorySizes;
  using policy::WriteLast;
  const auto with = [](auto... values) { return policy::PolicyParameters::with(values...); };
  return {{"go_back_n", {.engine = "ideal"}},
          {"irn", {.engine = "static", .parameters = with(BitmapReach{64})}},
          {"go_back_n", {.engine = "static", .parameters = with(BitmapReach{9})}},
          {"go_back_n", {.engine = "eunomia", .write_last = WriteLast::sender}},
          {"irn", {.engine = "eunomia", .write_last = WriteLast::receiver}},
          {"go_back_n",
           {.engine = "eunomia",
            .parameters = with(EunomiaMemorySizes{.blocks = 40, .index_entries = 1})}},
          {"irn",
           {.engine = "eunomia",
            .parameters = with(BitmapReach{32}, EunomiaMemorySizes{.blocks = 24})}}};
}

std::string transfer(const Kind& kind, const Weather& weather, policy::TimeoutResend resend,
                     std::uint64_t seed) {
  RnicConfig config;
  config.transport = kind.transport;
  config.ordering = kind.ordering;
  const bool reports = policy::find_transport(kind.transport).selective;
  const std::int64_t response = reports ? 66 + 4 + 8 : 66, with_received = 70;
  config.reliability.rto = 60_us;
  config.reliability.timeout_resend = resend;
  config.reliability.window = 64;
  config.reliability.ack_every = 16;
  config.reliability.ack_request_every = 50;
  fabric::sim_context context({}, seed);
  TappedPair pair(context, config, fate_of(weather, seed));
  // PSNs near the wrap: 24 bits.
  const std::vector<Psn> firsts = {Psn(0xffffff), Psn(0xffffd0), Psn(0), Psn(0xffff00)};
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    connect_queue_pairs(*pair.a, *pair.b,
                        {.a_to_b = all_sizes(i),
                         .b_to_a = i % 2 == 0 ? all_sizes(i + 7) : nullptr,
                         .depth = i == 3 ? 2u : 128u,
                         .first_a = firsts[i],
                         .first_b = firsts[(i + 1) % firsts.size()]});
  }
  Picoseconds now{};
  while (!(pair.a->finished() && pair.b->finished()) && now < 100_ms) {
    now += 50_us;
    test::run_on(context, now);
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      expect_completed_in_order(pair.a->queue_pair(i), i);
      expect_completed_in_order(pair.b->queue_pair(i), i + 7);
    }
    for (const Nic* nic : {pair.a.get(), pair.b.get()}) test::expect_time_accounted(*nic, now);
  }
  EXPECT_TRUE(pair.a->finished() && pair.b->finished());
  now += 1_ms;  // duplicates and their answers come to an end
  test::run_on(context, now);
  EXPECT_EQ(context.pool.live(), 0u);
  EXPECT_EQ(context.pool.outstanding(), 0u);
  EXPECT_TRUE(context.clock.idle());

  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const auto& a = pair.a->queue_pair(i);
    const auto& b = pair.b->queue_pair(i);
    EXPECT_EQ(b.progress().delivered_bytes, static_cast<std::uint64_t>(total)) << i;
    EXPECT_EQ(a.progress().delivered_bytes, b.has_source() ? static_cast<std::uint64_t>(total) : 0)
        << i;
    EXPECT_EQ(a.progress().completed_messages, sizes.size()) << i;
    EXPECT_EQ(a.progress().posted_messages, sizes.size()) << i;
    EXPECT_EQ(a.message_latency().count(), static_cast<std::int64_t>(sizes.size()));
    EXPECT_EQ(a.sender().unacked() + a.sender().unsent(), 0u);
  }
  std::int64_t packets = 0;
  for (const auto bytes : sizes) packets += std::max<std::int64_t>(1, (bytes + 1023) / 1024);
  std::uint64_t data_sent = 0, data_received = 0, responses_sent = 0, responses_received = 0;
  for (const Nic* nic : {pair.a.get(), pair.b.get()}) {
    const RnicCounters& c = nic->counters();
    const Nic& other = nic == pair.a.get() ? *pair.b : *pair.a;
    EXPECT_EQ(c.sent_packets() + c.acks_sent + c.nacks_sent + c.sacks_sent,
              nic->tx(0).counters().packets);
    const bool own_nacks = kind.transport == "irn" && kind.ordering.engine == "none";
    EXPECT_EQ(c.sent_frame_bytes() + response * c.acks_sent + with_received * c.sacks_sent +
                  (own_nacks ? with_received : response) * c.nacks_sent,
              nic->tx(0).counters().frame_bytes);
    const std::uint64_t sources = nic == pair.a.get() ? 4 : 2;
    const auto fresh = sources * static_cast<std::uint64_t>(packets);
    EXPECT_EQ(test::sent(*nic, policy::SendKind::fresh), fresh);
    EXPECT_EQ(c.messages_completed, sources * sizes.size());
    EXPECT_EQ(c.bytes_completed, sources * static_cast<std::uint64_t>(total));
    // Everything that arrived was new once, known already, or refused.
    const auto& o = other.counters();
    EXPECT_EQ(o.data_received, fresh + o.duplicates + o.discarded);
    EXPECT_EQ(o.delivered_bytes, sources * static_cast<std::uint64_t>(total));
    EXPECT_EQ(c.nacks_served + c.nacks_stale, c.nacks_received);
    EXPECT_EQ(other.reorder_depth().count(), static_cast<std::int64_t>(o.out_of_order));
    data_sent += c.sent_packets();
    data_received += c.data_received;
    responses_sent += c.acks_sent + c.nacks_sent + c.sacks_sent;
    responses_received += c.acks_received + c.nacks_received + c.sacks_received;
  }
  EXPECT_EQ(data_received + pair.middle->dropped_data, data_sent);
  EXPECT_EQ(responses_received + pair.middle->dropped_responses, responses_sent);
  EXPECT_EQ(context.pool.created(), data_sent + responses_sent);
  EXPECT_EQ(context.pool.dropped(), pair.middle->dropped_data + pair.middle->dropped_responses);
  const RnicCounters sum = pair.a->counters() + pair.b->counters();
  return fmt::format("retransmitted={} nacks={} timeouts={} out_of_order={} dropped={} sacks={}",
                     sum.sent_packets() - sum.sent[0], sum.nacks_sent, sum.timeouts,
                     sum.out_of_order, context.pool.dropped(), sum.sacks_sent);
}

std::string in_weather(const Kind& transport, const Weather& weather,
                       policy::TimeoutResend resend = policy::TimeoutResend::window,
                       std::uint64_t seed = 1) {
  return test::in_child([&] { return transfer(transport, weather, resend, seed); });
}
std::int64_t number(const std::string& text, const std::string& name) {
  return std::stoll(text.substr(text.find(name + "=") + name.size() + 1));
}

constexpr auto both = {policy::TimeoutResend::window, policy::TimeoutResend::oldest};

TEST(Transfer, InGoodWeatherNothingIsSentTwice) {
  for (const Kind& kind : transports()) {
    const std::string result = in_weather(kind, {});
    EXPECT_EQ(result, "retransmitted=0 nacks=0 timeouts=0 out_of_order=0 dropped=0 sacks=0")
        << kind.transport;
  }
}

TEST(Transfer, LossesAreRecovered) {
  for (const Kind& kind : transports()) {
    for (const auto resend : both) {
      for (const std::uint64_t seed : {1, 2}) {
        const std::string result = in_weather(kind, {.loss = 0.02}, resend, seed);
        EXPECT_GT(number(result, "dropped"), 20) << result;
        EXPECT_GT(number(result, "retransmitted"), 20) << kind.transport << ": " << result;
        EXPECT_EQ(number(result, "nacks") > 0, !takes_any_order(kind)) << result;
      }
    }
  }
}

TEST(Transfer, ReorderingLosesNothing) {
  const Weather weather{.late = 0.3, .longest = 3_us};
  for (const Kind& kind : transports()) {
    if (kind.transport == "go_back_0") continue;  // each attempt at a long message meets one
    const std::string result = in_weather(kind, weather);
    EXPECT_GT(number(result, "out_of_order"), 100) << result;
    EXPECT_EQ(number(result, "dropped"), 0);
    if (takes_any_order(kind)) {  // no loss, no timeout: nothing is sent twice
      EXPECT_EQ(number(result, "retransmitted"), 0) << result;
    } else {
      EXPECT_GT(number(result, "nacks"), 20) << result;
      EXPECT_GT(number(result, "retransmitted"), 20) << result;
    }
  }
}

TEST(Transfer, LossAndReorderingTogether) {
  const Weather weather{.loss = 0.03, .late = 0.2, .longest = 10_us};
  for (const Kind& kind : transports()) {
    if (kind.transport == "go_back_0") continue;  // each attempt at a long message meets one
    for (const auto resend : both) {
      const std::string result = in_weather(kind, weather, resend, 7);
      EXPECT_GT(number(result, "dropped"), 10) << result;
    }
  }
}

TEST(Transfer, BehindAnOrderingEngineReorderingIsNoLoss) {
  const Weather weather{.late = 0.3, .longest = 3_us};
  for (const Kind& kind : ordered()) {
    const std::string result = in_weather(kind, weather);
    EXPECT_GT(number(result, "out_of_order"), 100) << kind.name();
    EXPECT_GT(number(result, "sacks"), 50) << kind.name();
    // Only an engine without enough room asks for anything again.
    const policy::PolicyParameters& parameters = kind.ordering.parameters;
    const bool enough = kind.ordering.engine == "ideal" ||
                        parameters.of<policy::EunomiaMemorySizes>().blocks == 1024;
    const bool small = parameters.of<policy::BitmapReach>().bits < 64 || !enough;
    EXPECT_EQ(number(result, "nacks") > 0, small) << kind.name() << ": " << result;
    EXPECT_EQ(number(result, "retransmitted") > 0, small) << kind.name() << ": " << result;
  }
}

TEST(Transfer, BehindAnOrderingEngineInBadWeather) {
  const Weather weather{.loss = 0.03, .late = 0.2, .longest = 10_us};
  for (const Kind& kind : ordered()) {
    for (const auto resend : both) {
      const std::string result = in_weather(kind, weather, resend, 7);
      EXPECT_GT(number(result, "dropped"), 10) << kind.name() << ": " << result;
      EXPECT_GT(number(result, "timeouts"), 0) << kind.name() << ": " << result;
    }
  }
}

}  // namespace
}  // namespace horae::rnic::transfer_test
