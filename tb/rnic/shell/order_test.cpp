// Verbs beside each other on one queue pair, and what waits for what: fences, and operations that
// may pass each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "host_parts.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::order_test {
namespace {

using test::connect_queue_pairs;
using test::ListSource;
using test::odd_latencies;
using test::odd_link;
using test::one_way;
using test::TappedPair;
using test::wire_time;

RnicConfig go_back_n() {
  RnicConfig config = odd_latencies();
  config.transport = "go_back_n";
  config.atomics = AtomicsConfig{.hold = 700_ns};
  return config;
}

std::unique_ptr<traffic::TrafficSource> list(const std::vector<Verb>& verbs, Bytes bytes) {
  std::vector<traffic::TrafficItem> items;
  for (const Verb v : verbs)
    items.push_back({.bytes = is_atomic(v) ? atomic_operand : bytes, .verb = v});
  return std::make_unique<ListSource>(items);
}
constexpr std::uint8_t bit(Verb v) {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(v));
}

/// When packets of these opcodes reach a tap, first of each.
using Times = std::map<Opcode, Picoseconds>;

/// The time at which the first packet of each opcode passes the middle of the link.
struct Line {
  Line(fabric::sim_context& context, const RnicConfig& config, const std::vector<Verb>& verbs,
       Bytes bytes, std::uint8_t fenced = 0, unsigned index = 0)
      : pair(
            context, config,
            [this](unsigned, const Packet& p) -> std::optional<Picoseconds> {
              sent.try_emplace(p.opcode, p.created);
              order.push_back(p.opcode);
              return 0_ps;
            },
            odd_link, index) {
    connect_queue_pairs(
        *pair.a, *pair.b,
        {.a_to_b = list(verbs, bytes), .reads = 16, .receives = true, .fenced = fenced});
  }
  std::map<Opcode, Picoseconds> sent;  // by opcode: when the first was made
  std::vector<Opcode> order;
  TappedPair pair;
};

/// Data of a READ comes back while data of WRITEs and SENDs goes out.
TEST(Order, VerbsGoOutOneBehindTheOther) {
  fabric::sim_context context;
  Line line(context, go_back_n(),
            {Verb::read, Verb::write, Verb::send, Verb::fetch_add, Verb::write_imm}, 1000_B);
  test::run_on(context, 50_us);
  ASSERT_TRUE(line.pair.a->finished());
  EXPECT_EQ(line.sent[Opcode::read_request], 0_ps);
  EXPECT_EQ(line.sent[Opcode::write_only], wire_time(Opcode::read_request));
  EXPECT_EQ(line.pair.a->counters().delivered_bytes, 1008u);
  EXPECT_EQ(line.pair.b->counters().delivered_bytes, 3000u);
  EXPECT_EQ(line.pair.b->counters().messages_received, 2u);
  EXPECT_EQ(line.pair.a->counters().messages_completed, 5u);
}

/// A fenced SEND leaves when the READ before it is answered, and a later WRITE behind it.
TEST(Order, AFenceWaitsForReadsBeforeIt) {
  fabric::sim_context context;
  const RnicConfig config = go_back_n();
  Line line(context, config, {Verb::read, Verb::send, Verb::write}, 1000_B, bit(Verb::send));
  test::run_on(context, 50_us);
  ASSERT_TRUE(line.pair.a->finished());
  // The tap sends on when it has all of a packet, over a link of the same delay.
  const Picoseconds round = 2 * (one_way(config, odd_link) + odd_link.delay) +
                            2 * wire_time(Opcode::read_request) +
                            2 * wire_time(Opcode::read_response_only, 1000_B);
  EXPECT_EQ(line.sent[Opcode::send_only], round);
  EXPECT_EQ(line.sent[Opcode::write_only], round + wire_time(Opcode::send_only, 1000_B));
}

/// Without READs before it a fence waits for nothing.
TEST(Order, AFenceWaitsForNoWrite) {
  fabric::sim_context context;
  Line line(context, go_back_n(), {Verb::write, Verb::send, Verb::read}, 1000_B, bit(Verb::send));
  test::run_on(context, 50_us);
  ASSERT_TRUE(line.pair.a->finished());
  EXPECT_EQ(line.sent[Opcode::send_only], wire_time(Opcode::write_only, 1000_B));
}

/// Where WRITEs may pass each other, an atomic behind them waits a round trip more.
TEST(Order, WhatTellsOfWritesWaitsForThem) {
  struct Row {
    Verb verb;
    Opcode waits;
  };
  const std::vector<Row> rows = {{Verb::fetch_add, Opcode::fetch_add},
                                 {Verb::send, Opcode::send_first},
                                 {Verb::write_imm, Opcode::write_last_immediate}};
  fabric::sim_context context;
  std::vector<std::unique_ptr<Line>> all;
  RnicConfig config = go_back_n();
  for (const bool passes : {false, true}) {
    config.reliability.dp_ordering = passes ? policy::DpOrdering::ooo_rw : policy::DpOrdering::ibta;
    for (const Row& row : rows)
      all.push_back(std::make_unique<Line>(context, config,
                                           std::vector<Verb>{Verb::write, row.verb}, 2000_B, 0,
                                           static_cast<unsigned>(all.size())));
  }
  test::run_on(context, 50_us);
  const Picoseconds write =
      wire_time(Opcode::write_first, 1024_B) + wire_time(Opcode::write_last, 976_B);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(all[i]->pair.a->finished() && all[i + 3]->pair.a->finished());
    const bool last = rows[i].verb == Verb::write_imm;
    const Picoseconds ahead = write + (last ? wire_time(Opcode::write_first, 1024_B) : 0_ps);
    EXPECT_EQ(all[i]->sent[rows[i].waits], ahead);
    // Its packet before it asks for an acknowledgement, which comes back over two links. It waits
    // in the tap for the longer one before it, or is as long.
    const Picoseconds behind = 2 * (one_way(config, odd_link) + odd_link.delay) + config.ack_delay +
                               wire_time(Opcode::write_first, 1024_B) + 2 * test::ack_time();
    EXPECT_EQ(all[i + 3]->sent[rows[i].waits], ahead + behind) << i;
  }
}

/// A WRITE behind a WRITE never waits.
TEST(Order, WritesWaitForNothing) {
  fabric::sim_context context;
  RnicConfig config = go_back_n();
  config.reliability.dp_ordering = policy::DpOrdering::ooo_rw;
  Line line(context, config, {Verb::write, Verb::read, Verb::write, Verb::write}, 1000_B);
  test::run_on(context, 50_us);
  ASSERT_TRUE(line.pair.a->finished());
  const Picoseconds sent =
      3 * wire_time(Opcode::write_only, 1000_B) + wire_time(Opcode::read_request);
  EXPECT_GE(test::busy_time(*line.pair.a), sent);
  EXPECT_EQ(test::idle_time(*line.pair.a, test::IdleCause::window), 0_ps);
}

}  // namespace
}  // namespace horae::rnic::order_test
