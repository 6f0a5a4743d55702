// Whatever serves NACKs: under random loss and reordering every message arrives once, nothing gets
// stuck, and how the NICs are run does not show.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/policy/retransmit/parameters.hpp"
#include "host_parts.hpp"

namespace horae::rnic::recovery_network_test {
namespace {

using policy::Merge;
using test::connect_queue_pairs;
using test::messages;
using test::Nic;
using test::serving;
using test::TappedPair;
using test::with_host;

struct Case {
  std::string name;
  std::function<RnicConfig(RnicConfig)> set;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&all](std::string name, const std::vector<std::string>& policies,
                          std::function<void(policy::RetransmitConfig&)> change = {}) {
    all.push_back({std::move(name), [policies, change](RnicConfig c) {
                     c = serving(std::move(c), policies);
                     if (change) change(c.retransmit);
                     return c;
                   }});
  };
  const std::vector<std::pair<std::string, Merge>> merges = {
      {"every", Merge::every}, {"one_pending", Merge::one_pending}, {"ignore", Merge::ignore}};
  for (const auto& [name, merge] : merges) {
    add("blocking_fetch " + name, {"blocking_fetch"}, [merge = merge](policy::RetransmitConfig& c) {
      c.parameters.of<policy::BlockingFetch>().merge = merge;
    });
    add("pipeline_flush " + name, {"pipeline_flush"}, [merge = merge](policy::RetransmitConfig& c) {
      c.parameters.of<policy::PipelineFlush>().merge = merge;
    });
    if (merge == Merge::every) continue;  // the handshake merges what fetching alone would not
    add("handshake and fetch " + name, {"recovery_handshake", "blocking_fetch"},
        [merge = merge](policy::RetransmitConfig& c) {
          c.parameters.of<policy::BlockingFetch>().merge = merge;
          c.parameters.of<policy::RecoveryHandshake>().guard = 7_us;
        });
  }
  for (const char* name : {"strict_priority", "context_lock", "recovery_handshake", "buffer_thrash",
                           "firmware_event", "nack_rate_limit"}) {
    add(name, {name});
  }
  add("window_stall", {"window_stall"},
      [](policy::RetransmitConfig& c) { c.parameters.of<policy::WindowStall>().gap_window = 12; });
  add("guard", {"recovery_handshake"}, [](policy::RetransmitConfig& c) {
    c.parameters.of<policy::RecoveryHandshake>().guard = 1_us;
  });
  add("hold from the retransmission", {"recovery_handshake"}, [](policy::RetransmitConfig& c) {
    c.parameters.of<policy::RecoveryHandshake>().hold_from =
        policy::RecoveryHandshake::HoldFrom::retransmission;
  });
  add("event without stall", {"firmware_event"}, [](policy::RetransmitConfig& c) {
    c.parameters.of<policy::FirmwareEvent>().stall = policy::Scope::none;
  });
  add("all", {"blocking_fetch", "pipeline_flush", "strict_priority", "context_lock", "window_stall",
              "recovery_handshake", "buffer_thrash", "firmware_event", "nack_rate_limit"});
  return all;
}

// Two NICs with three connections, and a box between them that drops and delays at random; returns
// all counters.
struct Network {
  std::string transport = "rnic_sr";
  HostModel host = HostModel::pcie;
  std::uint64_t seed = 1;
  fabric::time_config time;

  RnicConfig config() const {
    RnicConfig c = with_host();
    c.host = host;
    c.transport = transport;
    c.reliability.rto = 60'000'007_ps;
    c.reliability.window = 24;
    c.reliability.ack_every = 4;
    c.sram.tx_buffer = 12_KiB;
    c.fetch.prefetch = 6_KiB;
    c.fetch.wqe_batch = 4;
    c.sram.rx_buffer = 16_KiB;
    c.memory.jitter.value = 100_ns;
    return c;
  }
  std::string run(const Case& hypothesis) const {
    fabric::sim_context context(time, seed);
    // One stream a direction: the order between them is not the model's.
    RandomStream forward(seed, "test.forward"), backward(seed, "test.backward");
    const auto fate = [&](unsigned port, const Packet& p) -> std::optional<Picoseconds> {
      RandomStream& r = port == 0 ? forward : backward;
      if (r.below(100) < (p.is_data() ? 2 : 3)) return std::nullopt;
      return r.below(10) == 0 ? Picoseconds(r.below(2'000'000)) : 0_ps;
    };
    TappedPair nics(context, hypothesis.set(config()), fate);
    const std::vector<std::pair<Bytes, std::uint64_t>> sizes = {
        {15'000_B, 12}, {700_B, 60}, {Bytes(40'001), 4}, {0_B, 20}};
    std::uint64_t a_bytes = 0, b_bytes = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [to_b, n] = sizes[i];
      const auto [to_a, m] = sizes[3 - i];
      connect_queue_pairs(*nics.a, *nics.b,
                          {.a_to_b = messages(to_b, n, 1_us * static_cast<std::int64_t>(i), 2_us),
                           .b_to_a = messages(to_a, m, 0_ps, 5_us),
                           .depth = static_cast<std::uint32_t>(2 + 3 * i),
                           .first_a = Psn(0xfffff0)});
      a_bytes += static_cast<std::uint64_t>(to_b.count()) * n;
      b_bytes += static_cast<std::uint64_t>(to_a.count()) * m;
    }
    const Picoseconds end = 10_ms;
    test::run_on(context, end);
    std::string text;
    EXPECT_TRUE(nics.a->finished() && nics.b->finished()) << hypothesis.name << " seed " << seed;
    if (nics.a->finished() && nics.b->finished()) {
      EXPECT_EQ(nics.b->counters().delivered_bytes, a_bytes) << hypothesis.name;
      EXPECT_EQ(nics.a->counters().delivered_bytes, b_bytes) << hypothesis.name;
      EXPECT_EQ(nics.a->counters().bytes_completed, a_bytes) << hypothesis.name;
      EXPECT_EQ(nics.b->counters().bytes_completed, b_bytes) << hypothesis.name;
      EXPECT_EQ(context.pool.live(), 0u);
    } else {
      for (const auto* n : {nics.a.get(), nics.b.get()}) {
        for (const auto& line : n->describe_queues()) text += line + "\n";
      }
      ADD_FAILURE() << text;
    }
    for (const auto* n : {nics.a.get(), nics.b.get()}) {
      const RnicCounters& c = n->counters();
      test::expect_time_accounted(*n, end);
      if (n->fetcher() != nullptr) {
        EXPECT_EQ(n->fetcher()->used(), 0_B) << hypothesis.name;
        EXPECT_LE(n->fetcher()->most_used(), config().sram.tx_buffer);
        const auto& f = n->fetcher()->counters();
        EXPECT_EQ(static_cast<std::uint64_t>(f.payload_bytes - f.discarded_bytes),
                  c.bytes_completed);
        text += fmt::format("fetch {} {} {} {} {} ", f.wqe_reads, f.wqes_read, f.payload_reads,
                            f.payload_bytes, f.discarded_bytes);
        const PcieCounters& h = n->host()->counters();
        text += fmt::format("pcie {} {} {} {} ", h.read_requests, h.writes, h.bytes_written,
                            h.reads_in_flight.count());
      }
      text +=
          fmt::format("nacks {} {} {} {} {} services {} {} reads {} {} drops {} lock {} ",
                      c.nacks_received, c.nacks_served, c.nacks_stale, c.nacks_merged,
                      c.nacks_suppressed, c.services, c.service_time.count(), c.retransmit_reads,
                      c.retransmit_read_bytes, c.rx_buffer_drops, c.lock_time.count());
      text += fmt::format("timeouts {} sent", c.timeouts);
      for (const auto s : c.sent) text += fmt::format(" {}", s);
      text += " idle";
      for (const auto t : c.idle) text += fmt::format(" {}", t.count());
      for (std::size_t i = 0; i < n->queue_pairs(); ++i) {
        text += fmt::format(" last {}", n->queue_pair(i).progress().last_completion.count());
      }
      text += "\n";
    }
    return text;
  }
  std::string run_in_child(const Case& hypothesis) const {
    return test::in_child([&] { return run(hypothesis); });
  }
};

std::uint64_t value(const std::string& text, const std::string& word) {
  const std::size_t at = text.find(word + " ");
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + word.size() + 1));
}

class RecoveryNetwork : public testing::TestWithParam<std::string> {};

TEST_P(RecoveryNetwork, EveryMessageArrivesOnceUnderEveryPolicy) {
  std::uint64_t nacks = 0, timeouts = 0;
  for (const Case& hypothesis : cases()) {
    for (const HostModel host : {HostModel::pcie, HostModel::none}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Network network{.transport = GetParam(), .host = host, .seed = seed, .time = {}};
        std::string text;
        ASSERT_NO_THROW(text = network.run_in_child(hypothesis))
            << hypothesis.name << " seed " << seed << (host == HostModel::none ? ", no host" : "");
        nacks += value(text, "nacks");
        timeouts += value(text, "timeouts");
      }
    }
  }
  EXPECT_GT(timeouts, 50u);  // it was lossy
  EXPECT_EQ(nacks > 500, GetParam() != "timeout_only") << nacks;
}

TEST_P(RecoveryNetwork, HowNicsAreRunDoesNotShow) {
  for (const Case& hypothesis : cases()) {
    Network network{.transport = GetParam(), .host = HostModel::pcie, .seed = 11, .time = {}};
    const std::string reference = network.run_in_child(hypothesis);
    EXPECT_GT(reference.size(), 400u);
    for (const Picoseconds window : {137'003_ps, 29'001_ps}) {
      network.time.window = window;
      EXPECT_EQ(network.run_in_child(hypothesis), reference)
          << hypothesis.name << " window " << window.count();
    }
    network.time = {.mode = fabric::scheduling::exact_wake, .window = {}};
    EXPECT_EQ(network.run_in_child(hypothesis), reference) << hypothesis.name << " exact";
  }
}

INSTANTIATE_TEST_SUITE_P(Transport, RecoveryNetwork,
                         testing::Values("rnic_sr", "go_back_n", "timeout_only"),
                         [](const auto& param) { return param.param; });

// Each network does what it is there for.
TEST(RecoveryNetworks, PoliciesDiffer) {
  std::vector<std::string> texts;
  for (const Case& hypothesis : cases()) {
    texts.push_back(Network{.time = {}}.run_in_child(hypothesis));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(texts[i], texts[k]) << i << " and " << k;
  }
}

}  // namespace
}  // namespace horae::rnic::recovery_network_test
