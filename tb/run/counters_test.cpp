// Results from counters: NICs that have counted known numbers, of unequal rates, between two
// moments of which the first is not the start.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "horae/params/document.hpp"
#include "horae/run/flow_results.hpp"
#include "horae/run/results.hpp"
#include "horae/run/site_results.hpp"
#include "horae/workload/read_platform.hpp"

namespace horae::run::counters_test {
namespace {

/// a and b send to c: a at 100 Gbps, b at 50 Gbps. Each has an ordering engine.
constexpr const char* three_nics = R"([platform]
name = "three"
[sim]
duration = "20 us"
rate_layer = "l2"
[nic]
kind = "rnic"
transport = "irn"
entropy = { scheme = "reps", freezing = false }
ordering = { engine = "eunomia" }
[switch]
kind = "switch"
[[device]]
names = ["a", "b"]
profile = "nic"
site = 0
[[device]]
names = ["c"]
profile = "nic"
site = 1
[[device]]
names = ["s"]
profile = "switch"
[[link]]
between = ["a", "s"]
rate = "100 Gbps"
[[link]]
between = ["b", "s"]
rate = "50 Gbps"
[[link]]
between = ["c", "s"]
rate = "100 Gbps"
[[traffic]]
kind = "messages"
from = ["a"]
to = ["c"]
message = "4 KiB"
[[traffic]]
kind = "messages"
from = ["b"]
to = ["c"]
message = "4 KiB"
[[traffic]]
kind = "batch"
pattern = "pairs"
from = ["a"]
to = ["c"]
size = "4 KiB"
)";

/// Numbers of which no two sums are equal: of NIC `nic`, another for each counter.
class Numbers {
 public:
  explicit Numbers(std::uint64_t nic) : next_(1000 * nic) {}
  std::uint64_t operator()() { return next_ += 17; }

 private:
  std::uint64_t next_;
};

rnic::RnicCounters counted(std::uint64_t nic) {
  Numbers n(nic);
  rnic::RnicCounters c;
  for (auto& sent : c.sent) sent = n();
  for (auto& frames : c.sent_frames) frames = 1000 * n();
  for (auto* counter :
       {&c.acks_sent,         &c.nacks_sent,       &c.sacks_sent,      &c.acks_received,
        &c.sacks_received,    &c.nacks_received,   &c.nacks_served,    &c.nacks_stale,
        &c.nacks_merged,      &c.nacks_suppressed, &c.cnps_sent,       &c.cnps_received,
        &c.pulls_sent,        &c.pulls_received,   &c.services,        &c.context_misses,
        &c.rx_buffer_drops,   &c.timeouts,         &c.data_received,   &c.out_of_order,
        &c.duplicates,        &c.discarded,        &c.delivered_bytes, &c.messages_completed,
        &c.bytes_completed,   &c.bitmap_words,     &c.ordering_words,  &c.ordering_cycles,
        &c.ordering_searched, &c.writes_held})
    *counter = n();
  for (auto& rejected : c.rejected) rejected = n();
  c.service_time = Picoseconds(static_cast<std::int64_t>(n()) * 1'000'000);
  c.ordering_wait = Picoseconds(static_cast<std::int64_t>(n()) * 1'000);
  for (auto& idle : c.idle) idle = Picoseconds(static_cast<std::int64_t>(n()));
  c.entropy = {.recycled = n(),
               .random = n(),
               .frozen = n(),
               .fixed = n(),
               .freezes = n(),
               .frozen_time = Picoseconds(static_cast<std::int64_t>(n()) * 1'000'000)};
  return c;
}

class Counters : public ::testing::Test {
 protected:
  void SetUp() override {
    from_ = Snapshot::take(simulation_, 0_ps);
    from_.time = 4_us;
    for (std::size_t i = 0; i < 3; ++i) from_.nics[i] = counted(50 + 3 * i);
    to_ = from_;
    to_.time = 14_us;
    for (std::size_t i = 0; i < 3; ++i) {
      to_.nics[i] = from_.nics[i] + counted(i + 1);
      to_.nic_tx[i].packets += 10 * (i + 1);
      to_.nic_tx[i].frame_bytes += 10'000 * (i + 1);
    }
  }

  /// The window has 10 us.
  double value(const std::string& name) const {
    return of(results_between(simulation_, found_, from_, to_), name);
  }
  static double of(const std::vector<NamedResult>& results, const std::string& name) {
    for (const auto& r : results)
      if (r.name == name) return r.value;
    ADD_FAILURE() << "no result " << name;
    return 0;
  }

  const rnic::RnicCounters a_ = counted(1), b_ = counted(2), c_ = counted(3);
  const config::PlatformConfig platform_ =
      workload::read_platform(Document::parse(three_nics, "p.toml", {}));
  elaboration::Simulation simulation_{platform_};
  elaboration::Findings found_ = elaboration::Findings::of(simulation_);
  Snapshot from_, to_;
};

double sum(std::uint64_t x, std::uint64_t y) { return static_cast<double>(x + y); }

TEST_F(Counters, OfSendersAddUp) {
  EXPECT_EQ(value("senders.nacks_received"), sum(a_.nacks_received, b_.nacks_received));
  EXPECT_EQ(value("senders.nacks_served"), sum(a_.nacks_served, b_.nacks_served));
  EXPECT_EQ(value("senders.nacks_stale"), sum(a_.nacks_stale, b_.nacks_stale));
  EXPECT_EQ(value("senders.nacks_merged"), sum(a_.nacks_merged, b_.nacks_merged));
  EXPECT_EQ(value("senders.cnps_received"), sum(a_.cnps_received, b_.cnps_received));
  EXPECT_EQ(value("senders.acks_received"), sum(a_.acks_received, b_.acks_received));
  EXPECT_EQ(value("senders.sacks_received"), sum(a_.sacks_received, b_.sacks_received));
  EXPECT_EQ(value("senders.timeouts"), sum(a_.timeouts, b_.timeouts));
  EXPECT_EQ(value("senders.messages_completed"), sum(a_.messages_completed, b_.messages_completed));
  EXPECT_EQ(value("senders.data_packets"), sum(a_.sent_packets(), b_.sent_packets()));
  EXPECT_EQ(value("senders.entropy_freezes"), sum(a_.entropy.freezes, b_.entropy.freezes));
}

TEST_F(Counters, OfSendersByKind) {
  const auto of = [&](policy::SendKind kind) {
    const auto k = static_cast<std::size_t>(kind);
    return sum(a_.sent[k], b_.sent[k]);
  };
  EXPECT_EQ(value("senders.retransmitted_expected"), of(policy::SendKind::expected));
  EXPECT_EQ(value("senders.retransmitted_last"), of(policy::SendKind::last));
  EXPECT_EQ(value("senders.retransmitted_rewind"), of(policy::SendKind::rewind));
  EXPECT_EQ(value("senders.retransmitted_timeout"), of(policy::SendKind::timeout));
}

TEST_F(Counters, OfSendersPerPacketAndTime) {
  const double packets = sum(a_.sent_packets(), b_.sent_packets());
  const double nacks = sum(a_.nacks_received, b_.nacks_received);
  EXPECT_DOUBLE_EQ(value("senders.nacks_per_packet"), nacks / packets);
  EXPECT_DOUBLE_EQ(value("senders.nack_rate_total"), nacks / 10);  // of 10 us, in Mpps
  EXPECT_DOUBLE_EQ(value("senders.nack_rate"), nacks / 10 / 2);    // of two senders
  EXPECT_DOUBLE_EQ(value("senders.served_per_packet"),
                   sum(a_.nacks_served, b_.nacks_served) / packets);
  EXPECT_DOUBLE_EQ(value("senders.context_misses_per_packet"),
                   sum(a_.context_misses, b_.context_misses) / packets);
  EXPECT_DOUBLE_EQ(
      value("senders.service_time"),
      to_microseconds(a_.service_time + b_.service_time) / sum(a_.services, b_.services));
  EXPECT_DOUBLE_EQ(value("senders.entropy_recycled"),
                   sum(a_.entropy.recycled, b_.entropy.recycled) / packets);
  EXPECT_DOUBLE_EQ(value("senders.entropy_random"),
                   sum(a_.entropy.random, b_.entropy.random) / packets);
  EXPECT_DOUBLE_EQ(value("senders.entropy_frozen"),
                   sum(a_.entropy.frozen, b_.entropy.frozen) / packets);
  EXPECT_DOUBLE_EQ(value("senders.entropy_fixed"),
                   sum(a_.entropy.fixed, b_.entropy.fixed) / packets);
  EXPECT_DOUBLE_EQ(value("senders.entropy_frozen_time"),
                   to_microseconds(a_.entropy.frozen_time + b_.entropy.frozen_time));
  EXPECT_DOUBLE_EQ(value("senders.completed_rate"),
                   8 * sum(a_.bytes_completed, b_.bytes_completed) / 2 / 10e3);
}

// A sent 10 packets and 10,000 bytes, b twice as much, c, a receiver, three times as much.
TEST_F(Counters, OfSendersBytesOnTheWire) {
  const double line = (100e9 + 50e9) * 10e-6;
  EXPECT_DOUBLE_EQ(value("senders.tx_rate_l2"), 8 * 30'000 / 2 / 10e3);
  EXPECT_DOUBLE_EQ(value("senders.tx_rate"), 8 * 30'000 / 2 / 10e3);
  EXPECT_DOUBLE_EQ(value("senders.tx_rate_l1"), 8 * 30'600 / 2 / 10e3);
  EXPECT_DOUBLE_EQ(value("senders.tx_share_l2"), 8 * 30'000 / line);
  EXPECT_DOUBLE_EQ(value("senders.tx_share"), 8 * 30'600 / line);
  // Payload that reached memory, over frames sent: without preamble and gap.
  EXPECT_DOUBLE_EQ(
      value("senders.payload_ratio"),
      static_cast<double>(a_.delivered_bytes + b_.delivered_bytes + c_.delivered_bytes) / 30'000);
  const double fresh = sum(a_.sent_frames[0], b_.sent_frames[0]);
  EXPECT_DOUBLE_EQ(value("senders.goodput"), 8 * fresh / 2 / 10e3);
  EXPECT_DOUBLE_EQ(value("senders.goodput_ratio"), fresh / 30'000);
}

// A packet of a's, 2 ns of its wire, is counted in the window and leaves after it.
TEST_F(Counters, OfWhatLeavesAfterTheWindowAreNotOnTheWireInIt) {
  to_.nic_left[0] = {from_.nic_left[0].l1 + 200, from_.nic_left[0].l2 + 40};
  const double line = (100e9 + 50e9) * 10e-6;
  const double on_wire = 8 * 30'600 - 200, frames = 8 * 30'000 - 40;
  EXPECT_DOUBLE_EQ(value("senders.tx_share"), on_wire / line);
  EXPECT_DOUBLE_EQ(value("senders.tx_share_l2"), frames / line);
  EXPECT_DOUBLE_EQ(value("senders.tx_rate_l1"), on_wire / 2 / 10e3);
  EXPECT_DOUBLE_EQ(value("senders.tx_rate_l2"), frames / 2 / 10e3);
  EXPECT_DOUBLE_EQ(value("senders.tx_rate"), frames / 2 / 10e3);
  // Counts are of packets that began; the rate is of their bits that left.
  const double fresh = sum(a_.sent_frames[0], b_.sent_frames[0]);
  EXPECT_DOUBLE_EQ(value("senders.goodput_ratio"), fresh / 30'000);
  EXPECT_DOUBLE_EQ(value("senders.goodput"), fresh / 30'000 * frames / 2 / 10e3);
}

// Unequal NICs count by their rates.
TEST_F(Counters, OfIdleTimeCountByTheRate) {
  const auto share = [&](rnic::IdleCause cause) {
    const auto c = static_cast<std::size_t>(cause);
    return (2 * to_seconds(a_.idle[c]) + to_seconds(b_.idle[c])) / 3 / 10e-6;
  };
  using enum rnic::IdleCause;
  EXPECT_DOUBLE_EQ(value("senders.idle_no_work"), share(no_work));
  EXPECT_DOUBLE_EQ(value("senders.idle_window"), share(window));
  EXPECT_DOUBLE_EQ(value("senders.idle_shaper"), share(shaper));
  EXPECT_DOUBLE_EQ(value("senders.idle_paused"), share(paused));
  EXPECT_DOUBLE_EQ(value("senders.idle_doorbell"), share(doorbell));
  EXPECT_DOUBLE_EQ(value("senders.idle_wqe"), share(wqe));
  EXPECT_DOUBLE_EQ(value("senders.idle_payload"), share(payload));
  EXPECT_DOUBLE_EQ(value("senders.idle_context"), share(context));
  EXPECT_DOUBLE_EQ(value("senders.idle_lock"), share(lock));
  EXPECT_DOUBLE_EQ(value("senders.idle_retransmit"), share(retransmit));
  EXPECT_DOUBLE_EQ(value("senders.idle_recovery"), share(recovery));
  EXPECT_DOUBLE_EQ(value("senders.idle_gap_window"), share(gap_window));
}

TEST_F(Counters, OfTheReceiverAreItsOwn) {
  const auto packets = static_cast<double>(c_.data_received);
  EXPECT_DOUBLE_EQ(value("receivers.delivered_rate"),
                   8 * static_cast<double>(c_.delivered_bytes) / 10e3);
  EXPECT_EQ(value("receivers.data_packets"), packets);
  EXPECT_DOUBLE_EQ(value("receivers.out_of_order"), static_cast<double>(c_.out_of_order) / packets);
  EXPECT_EQ(value("receivers.nacks_sent"), c_.nacks_sent);
  EXPECT_EQ(value("receivers.acks_sent"), c_.acks_sent);
  EXPECT_EQ(value("receivers.sacks_sent"), c_.sacks_sent);
  EXPECT_EQ(value("receivers.duplicates"), c_.duplicates);
  EXPECT_EQ(value("receivers.discarded"), c_.discarded);
  EXPECT_EQ(value("receivers.nacks_suppressed"), c_.nacks_suppressed);
  EXPECT_EQ(value("receivers.cnps_sent"), c_.cnps_sent);
  EXPECT_DOUBLE_EQ(value("receivers.context_misses_per_packet"),
                   static_cast<double>(c_.context_misses) / packets);
  EXPECT_EQ(value("receivers.rx_buffer_drops"), c_.rx_buffer_drops);
  EXPECT_EQ(value("receivers.bitmap_words"), c_.bitmap_words);
}

TEST_F(Counters, OfOrderingEnginesAreOfAllNics) {
  const rnic::RnicCounters all = a_ + b_ + c_;
  const auto packets = static_cast<double>(all.data_received);
  EXPECT_DOUBLE_EQ(value("ordering.words_per_packet"),
                   static_cast<double>(all.ordering_words) / packets);
  EXPECT_DOUBLE_EQ(value("ordering.searched_per_packet"),
                   static_cast<double>(all.ordering_searched) / packets);
  EXPECT_DOUBLE_EQ(value("ordering.cycles_per_packet"),
                   static_cast<double>(all.ordering_cycles) / packets);
  EXPECT_DOUBLE_EQ(value("ordering.wait_mean"), to_microseconds(all.ordering_wait) * 1e3 / packets);
  const auto rejected = [&](policy::Rejection cause) {
    return static_cast<double>(all.rejected[static_cast<std::size_t>(cause)]);
  };
  EXPECT_EQ(value("ordering.rejected_reach"), rejected(policy::Rejection::reach));
  EXPECT_EQ(value("ordering.rejected_no_block"), rejected(policy::Rejection::no_block));
  EXPECT_EQ(value("ordering.rejected_no_metadata"), rejected(policy::Rejection::no_metadata));
  EXPECT_EQ(value("ordering.writes_held"), all.writes_held);
}

TEST_F(Counters, OfOrderingMemoryAreMeansAndTheMost) {
  for (std::size_t i = 0; i < 3; ++i) {
    to_.ordering[i].mean_bytes = 100.0 * static_cast<double>(i + 1);
    to_.ordering[i].mean_bitmap_bytes = 7.0 * static_cast<double>(i + 1);
    to_.ordering[i].most = Bytes(500 - 100 * static_cast<std::int64_t>(i));
  }
  EXPECT_DOUBLE_EQ(value("ordering.bytes_mean"), 200);
  EXPECT_DOUBLE_EQ(value("ordering.bitmap_bytes_mean"), 14);
  EXPECT_EQ(value("ordering.bytes_max"), 500);
}

TEST_F(Counters, OfPlainSwitchesAreWhatWasFound) {
  found_.switches.forwarded = 11;
  found_.switches.marked = 12;
  found_.switches.pauses_sent = 13;
  found_.switches.dropped = 14;
  found_.switches.deflected = 15;
  found_.most_buffered = 16;
  EXPECT_EQ(value("switches.forwarded"), 11);
  EXPECT_EQ(value("switches.marked"), 12);
  EXPECT_EQ(value("switches.pauses_sent"), 13);
  EXPECT_EQ(value("switches.dropped"), 14);
  EXPECT_EQ(value("switches.deflected"), 15);
  EXPECT_EQ(value("switches.most_buffered"), 16);
}

// Arrivals ended 5 us after the window began.
TEST_F(Counters, OfDeliveredBytesAreOverTheTimeOfArrivals) {
  Snapshot arrivals = to_;
  arrivals.time = 9_us;
  std::vector<NamedResult> out;
  flow_results(simulation_, found_, from_, to_, arrivals, out);
  EXPECT_DOUBLE_EQ(
      of(out, "fct.throughput"),
      8 * static_cast<double>(a_.delivered_bytes + b_.delivered_bytes + c_.delivered_bytes) / 5e3);
}

// A port of a is held from 5 to 9 us, one of b from 7 to 11 us.
TEST_F(Counters, OfPausesInThreeReadings) {
  for (auto& flow : found_.flows) flow.finished = false;  // so pauses count to the window's end
  found_.devices[0].pauses = {{5_us, 0, true}, {9_us, 0, false}};
  found_.devices[1].pauses = {{7_us, 0, true}, {11_us, 0, false}};
  std::vector<NamedResult> out;
  site_results(simulation_, found_, from_.time, to_.time, out);
  EXPECT_DOUBLE_EQ(of(out, "pauses.any_port"), 0.6);
  EXPECT_DOUBLE_EQ(of(out, "pauses.all_ports"), 0.8);
  EXPECT_DOUBLE_EQ(of(out, "pauses.one_stream"), 0.4);
}

}  // namespace
}  // namespace horae::run::counters_test
