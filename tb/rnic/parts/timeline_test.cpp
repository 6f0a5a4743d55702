// The record of what a NIC does around one NACK.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host_parts.hpp"

namespace horae::rnic::timeline_test {
namespace {

using test::messages;
using test::NicAndPeer;
using test::packet_time;
using test::serving;
using test::with_host;
using Kind = Timeline::Kind;

std::vector<Timeline::Entry> track(const Timeline& t, const std::string& name) {
  std::vector<Timeline::Entry> all;
  for (const auto& e : t.entries()) {
    if (e.track == name) all.push_back(e);
  }
  return all;
}

// ---- the record itself

TEST(Timeline, KeepsAMarginBeforeAndAfterTheFirstServiceInTime) {
  Timeline t(100_us);
  const auto spans = [&t](Picoseconds from, Picoseconds to) {
    for (Picoseconds at = from; at < to; at += 1_us) t.span("wire", "x", at, at + 1_us);
  };
  spans(0_ps, 50_us);
  EXPECT_FALSE(t.service_begins(50_us));  // before `from`
  spans(50_us, 100_us);
  EXPECT_LE(t.entries().size(), 7u);  // only the margin is kept
  EXPECT_TRUE(t.service_begins(100_us));
  spans(100_us, 103_us);
  EXPECT_TRUE(t.service_begins(103_us));  // overlaps the first
  spans(103_us, 105_us);
  t.service_ends(105_us);
  spans(105_us, 110_us);
  EXPECT_TRUE(t.recording());
  t.service_ends(110_us);
  EXPECT_FALSE(t.service_begins(112_us));
  spans(110_us, 300_us);
  EXPECT_FALSE(t.recording());
  EXPECT_LE(t.entries().front().start, 100_us - Timeline::margin);
  EXPECT_EQ(t.entries().back().start, 110_us + Timeline::margin);
  for (std::size_t i = 1; i < t.entries().size(); ++i) {
    EXPECT_EQ(t.entries()[i].start, t.entries()[i - 1].end) << i;
  }
}

// ---- of a NIC

struct Recorded {
  Recorded(fabric::sim_context& context, const RnicConfig& config, unsigned index = 0)
      : line(context, config, test::odd_link, index) {
    line.queue_pair(messages(Bytes(1 << 20)));
    line.nic->set_timeline(&timeline);
  }
  NicAndPeer line;
  Timeline timeline{30_us};
};

TEST(Timeline, CoversTheServiceAndAllOfTheWire) {
  fabric::sim_context context;
  for (const char* policy : {"blocking_fetch", "pipeline_flush", "strict_priority"}) {
    const std::string done = test::in_child([&]() -> std::string {
      const RnicConfig config = serving(with_host(), {policy});
      Recorded r(context, config);
      const Picoseconds t = 40_us;
      // Before `from`, the one recorded, and a later one; and data that asks for ACKs.
      r.line.far->nack(r.line.response_known_at(20_us - config.nack_reaction), 10);
      r.line.far->nack(r.line.response_known_at(t - config.nack_reaction), 90);
      r.line.far->nack(r.line.response_known_at(60_us - config.nack_reaction), 95);
      for (std::uint32_t psn = 0; psn < 60; ++psn) {
        r.line.far->data(10_us + 1_us * psn, psn, Opcode::write_middle, true);
      }
      test::run_on(context, 100_us);
      const RnicCounters& c = r.line.nic->counters();
      EXPECT_EQ(c.services, 3u);

      // Spans of the wire follow each other without a gap, from the margin before to that after.
      const auto wire = track(r.timeline, "wire");
      EXPECT_GT(wire.size(), 50u);
      for (std::size_t i = 0; i < wire.size(); ++i) {
        EXPECT_EQ(wire[i].kind, Kind::span);
        EXPECT_LT(wire[i].start, wire[i].end);
        if (i > 0) {
          EXPECT_EQ(wire[i].start, wire[i - 1].end) << wire[i - 1].name << ", " << wire[i].name;
        }
      }
      std::vector<Timeline::Entry> services;
      for (const auto& e : track(r.timeline, "NACK service")) {
        EXPECT_EQ(e.kind, Kind::overlap);
        if (e.name.rfind("NACK ", 0) == 0) services.push_back(e);
      }
      EXPECT_EQ(services.size(), 1u);
      if (services.size() != 1) return "no service";
      EXPECT_EQ(services[0].name, "NACK 90");
      EXPECT_EQ(services[0].start, t);
      EXPECT_LE(wire.front().start, t - Timeline::margin);
      // Little more: a read that was under way keeps what came with it.
      EXPECT_GT(wire.front().end + Timeline::margin + 1_us, t);
      EXPECT_GE(wire.back().end, services[0].end + Timeline::margin);
      EXPECT_LE(wire.back().start, services[0].end + Timeline::margin);

      // Entries of the timeline, by name: data of each kind, idle time, ACKs.
      const auto named = [&wire](const std::string& what) {
        return std::count_if(wire.begin(), wire.end(), [&](const Timeline::Entry& e) {
          return e.name.find(what) != std::string::npos;
        });
      };
      EXPECT_EQ(named("PSN 90 expected"), 1);
      EXPECT_GT(named(" last"), 0);
      EXPECT_GT(named(" fresh"), 10);
      EXPECT_GE(named("ACK "), 6);
      EXPECT_EQ(named("idle: retransmit") > 0, std::string(policy) != "strict_priority");

      // The reads of the service.
      int context_reads = 0, payload_reads = 0;
      for (const auto& e : track(r.timeline, "NACK service")) {
        context_reads += e.name == "context read" ? 1 : 0;
        payload_reads += e.name == "payload read" ? 1 : 0;
      }
      EXPECT_EQ(context_reads, std::string(policy) == "blocking_fetch" ? 2 : 1);
      EXPECT_EQ(payload_reads, 1);
      EXPECT_GT(track(r.timeline, "DMA reads").size(), 4u);
      EXPECT_EQ(track(r.timeline, "received").size(), 1u);
      for (const auto& e : track(r.timeline, "TX buffer, bytes")) {
        EXPECT_EQ(e.kind, Kind::level);
        EXPECT_GE(e.value, 0);
        EXPECT_LE(e.value, FetchConfig::least_prefetch.count());
      }
      return "done";
    });
    EXPECT_EQ(done, "done") << policy;
  }
}

TEST(Timeline, ChangesNothing) {
  std::vector<std::string> results;
  for (const bool recorded : {false, true}) {
    results.push_back(test::in_child([&] {
      fabric::sim_context context;
      const RnicConfig config = serving(with_host(), {"blocking_fetch"});
      Recorded r(context, config);
      if (!recorded) r.line.nic->set_timeline(nullptr);
      r.line.far->nack(40_us, 90);
      test::run_on(context, 100_us);
      EXPECT_EQ(r.timeline.entries().empty(), !recorded);
      std::string text;
      for (const auto& s : r.line.far->seen) text += fmt::format("{} {}\n", s.psn(), s.at.count());
      return text;
    }));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_GT(results[0].size(), 1000u);
}

// Without a service in time only the last few microseconds are there.
TEST(Timeline, WithoutAServiceItStaysSmall) {
  fabric::sim_context context;
  Recorded r(context, serving(with_host(), {"blocking_fetch"}));
  test::run_on(context, 45_us);
  EXPECT_TRUE(r.timeline.recording());
  EXPECT_LT(r.timeline.entries().size(), 300u);
  EXPECT_GT(r.timeline.entries().size(), 40u);
  EXPECT_GE(r.timeline.entries().front().end, 45_us - Timeline::margin - packet_time * 2);
}

}  // namespace
}  // namespace horae::rnic::timeline_test
