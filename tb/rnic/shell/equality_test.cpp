// How NICs are run never shows in a result: windows of any length, exact wake-ups, any order of
// creation, any interruption.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/topology.hpp"
#include "horae/policy/congestion/mprdma.hpp"
#include "horae/policy/entropy/reps.hpp"
#include "horae/policy/transport/spray_sr.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::equality_test {
namespace {

using test::connect_queue_pairs;
using test::in_child;
using test::link_of;
using test::messages;
using test::Nic;

// Two leaves, two spines, three NICs on each leaf; everyone writes to the next two. Packets are
// sprayed, so they are reordered; links lose some; queues mark, drop or pause.
struct Network {
  fabric::time_config time;
  RnicConfig nic;
  fabric::SwitchConfig sw;
  fabric::LinkConfig host_link = link_of(100_Gbps, 500_ns, 0.002);
  fabric::LinkConfig fabric_link = link_of(100_Gbps, 700_ns, 0.002, {{50_us, 53_us}});
  std::vector<Picoseconds> stops = {33'333'333_ps, 77'777'001_ps, 400_us};
  unsigned planes = 1;        // copies of leaves and spines; a port of each NIC on each
  std::uint64_t shuffle = 0;  // not 0: created and joined in another order

  std::string run() const;
};

std::vector<unsigned> order(std::uint64_t shuffle, std::size_t n) {
  std::vector<unsigned> all(n);
  std::iota(all.begin(), all.end(), 0u);
  RandomStream random(shuffle, "test.order");
  if (shuffle != 0) {
    for (auto i = static_cast<unsigned>(n); i-- > 1;) std::swap(all[i], all[random.below(i + 1)]);
  }
  return all;
}

std::string text_of(const Nic& nic) {
  const RnicCounters& c = nic.counters();
  std::string text = fmt::format("{} sent", nic.name());
  for (std::size_t i = 0; i < policy::send_kinds; ++i) {
    text += fmt::format(" {}/{}", c.sent[i], c.sent_frames[i]);
  }
  text += fmt::format(
      " acks {}/{} nacks {}/{} served {} stale {} timeouts {} received {} out_of_order {} "
      "duplicates {} discarded {} delivered {} completed {}/{} words {} idle",
      c.acks_sent, c.acks_received, c.nacks_sent, c.nacks_received, c.nacks_served, c.nacks_stale,
      c.timeouts, c.data_received, c.out_of_order, c.duplicates, c.discarded, c.delivered_bytes,
      c.messages_completed, c.bytes_completed, c.bitmap_words);
  for (std::size_t i = 0; i < idle_causes; ++i) {
    text += fmt::format(" {} {}", name_of(static_cast<IdleCause>(i)), c.idle[i].count());
  }
  for (unsigned port = 0; port < nic.ports(); ++port) {
    const auto& tx = nic.tx(port);
    text += fmt::format(" wire {}/{} until {}", tx.counters().packets, tx.counters().frame_bytes,
                        tx.busy_until().count());
  }
  text += fmt::format(" held {}\n", nic.held());
  if (!nic.reorder_depth().empty()) {
    text +=
        fmt::format("  depth {} of {}\n", nic.reorder_depth().mean(), nic.reorder_depth().count());
  }
  for (std::size_t i = 0; i < nic.queue_pairs(); ++i) {
    const QueuePair& qp = nic.queue_pair(i);
    text += fmt::format("  qp {} completed {} last {} delivered {} unacked {} unsent {}", i,
                        qp.progress().completed_messages, qp.progress().last_completion.count(),
                        qp.progress().delivered_bytes, qp.sender().unacked(), qp.sender().unsent());
    if (!qp.message_latency().empty()) {
      text +=
          fmt::format(" latency {} {}", qp.message_latency().mean(), qp.message_latency().max());
    }
    text += "\n";
  }
  if (const auto e = nic.totals().entropy; e.recycled + e.random > 0)
    text += fmt::format("  entropy recycled {} random {} frozen {} freezes {}\n", e.recycled,
                        e.random, e.frozen, e.freezes);
  return text;
}

std::string Network::run() const {
  const unsigned hosts = 6;
  fabric::sim_context context(time, 1);
  fabric::Topology topology;
  for (unsigned plane = 0; plane < planes; ++plane) {
    for (const char* name : {"leaf0", "leaf1", "spine0", "spine1"})
      topology.add_switch(plane == 0 ? name : fmt::format("p{}_{}", plane, name));
  }
  std::vector<unsigned> ends;
  for (unsigned h = 0; h < hosts; ++h)
    ends.push_back(topology.add_endpoint(fmt::format("nic{}", h)));
  for (unsigned plane = 0; plane < planes; ++plane) {
    const unsigned first = 4 * plane;
    for (unsigned h = 0; h < hosts; ++h) topology.add_edge(first + h / 3, ends[h]);
    for (unsigned leaf = 0; leaf < 2; ++leaf) {
      for (unsigned spine = 2; spine < 4; ++spine) topology.add_edge(first + leaf, first + spine);
    }
  }
  const auto routes = topology.shortest_path_routes();
  std::vector<std::unique_ptr<fabric::device>> devices(topology.vertices().size());
  std::vector<Nic*> nics(hosts);
  for (const unsigned v : order(shuffle, devices.size())) {
    const auto& vertex = topology.vertices()[v];
    if (vertex.node == fabric::Topology::no_node) {
      fabric::SwitchConfig config = sw;
      config.ports = vertex.ports;
      auto made =
          std::make_unique<fabric::output_queued_switch>(vertex.name.c_str(), context, config);
      made->routes() = routes[v];
      devices[v] = std::move(made);
    } else {
      auto made = std::make_unique<Nic>(vertex.name.c_str(), context, nic, vertex.node);
      nics[vertex.node] = made.get();
      devices[v] = std::move(made);
    }
  }
  for (const unsigned e : order(shuffle, topology.edges().size())) {
    const auto& edge = topology.edges()[e];
    const bool to_host = topology.vertices()[edge.b].node != fabric::Topology::no_node;
    connect(*devices[edge.a], edge.port_a, *devices[edge.b], edge.port_b,
            to_host ? host_link : fabric_link);
  }
  for (unsigned h = 0; h < hosts; ++h) {
    for (const unsigned step : {1u, 3u}) {
      connect_queue_pairs(*nics[h], *nics[(h + step) % hosts],
                          {.a_to_b = messages(Bytes(20'000 + 1000 * h), 8, 1_us * h, 9_us),
                           .b_to_a = step == 3 ? messages(100_B, 50, 0_ps, 3_us) : nullptr,
                           .first_a = Psn(0xffffe0 + h),
                           .entropy = static_cast<std::uint16_t>(0xc000 + 16 * h + step)});
    }
  }
  std::string text;
  for (const Picoseconds stop : stops) {
    test::run_on(context, stop);
    text += fmt::format("--- {} live {} dropped {}\n", stop.count(), context.pool.live(),
                        context.pool.dropped());
    for (const Nic* n : nics) text += text_of(*n);
  }
  return text;
}

Network lossy(const std::string& transport) {
  Network n;
  n.nic.transport = transport;
  n.nic.reliability.rto = 30'000'007_ps;
  n.nic.reliability.ack_every = 8;
  n.nic.reliability.window = 48;
  n.sw.balance = "spray";
  n.sw.queue_limit = 60'000_B;
  return n;
}
Network shaped() {
  Network n = lossy("rnic_sr");
  n.nic.qp_rate = BitRate(37'000'000'000);
  n.nic.shaping = Shaping::quantum;
  return n;
}
Network lossless() {
  Network n = lossy("rnic_sr");
  n.nic.shaping = Shaping::quantum;
  n.nic.ack_traffic_class = 6;
  n.fabric_link.rate = 25_Gbps;  // so that the leaves hold the NICs back
  n.sw.queue_limit = 0_B;
  n.sw.pfc = {
      .xoff = 6'000_B, .xon = 4'000_B, .headroom = 300_KiB};  // PFC frames must be seen, not tuned
  return n;
}
/// Timers per packet, reports, windows and values chosen by feedback; marks instead of NACKs.
Network sprayed(const std::string& scheme, policy::SendTimer timer) {
  Network n = lossy("spray_sr");
  n.nic.reliability.ack_every = 2;
  n.nic.reliability.parameters.of<policy::SprayParameters>().timer = timer;
  n.nic.entropy.scheme = scheme;
  n.nic.entropy.parameters.of<policy::RepsParameters>().freezing_timeout = 20_us;
  n.nic.congestion.algorithm = "mprdma";
  auto& w = n.nic.congestion.parameters.of<policy::MpRdmaWindowConfig>().values.emplace();
  w.packet = 1_KiB;
  w.initial_window = w.max_window = 40_KiB;
  n.sw.balance = "ecmp";
  n.sw.queue_limit = 20'000_B;
  n.sw.red = {.kmin = 4'000_B, .kmax = 12'000_B, .pmax = 1.0};
  return n;
}
/// Two planes of links that fail and lose, known later; or with PFC, which holds ports apart.
Network several_ports(Network n, PortChoice choice) {
  n.planes = 2;
  n.nic.ports = 2;
  n.nic.port_choice = choice;
  n.nic.port_buffer = 3_KiB;
  n.nic.link_down_known = 700'001_ps;
  n.host_link.outages = {{61_us, 67_us}};
  return n;
}
/// Packets wait for a packet engine, and contexts do not all stay in it.
Network with_engine(Network n, EnginePools pools) {
  n.nic.engine = {
      .send = 111'003_ps,
      .receive = 57'001_ps,
      .ack_send = 31'013_ps,
      .ack_receive = 17'009_ps,
      .pools = pools,
      .units = pools == EnginePools::apart ? 2u : 1u,
      .binding = pools == EnginePools::apart ? EngineBinding::any : EngineBinding::cyclic,
      .queue_pair = 301'007_ps,
      .visit = 53'011_ps,
      .contexts = 4};
  return n;
}
/// The engine works ahead of the wire.
Network ahead(Network n) {
  n.nic.engine->ahead = 3_KiB;
  return n;
}
/// Lanes with little credit; hosts whose threads post in batches and look for compressed CQEs.
Network with_credits(Network n) {
  n.nic.frames = Frames::infiniband;
  n.nic.vl_credits = 4'500_B;
  n.nic.credit_delay = 301'003_ps;
  n.nic.ack_messages = 3;
  n.nic.host = HostModel::pcie;
  n.nic.post = {.threads = 2,
                .wqe = 190'001_ps,
                .lanes = 2,
                .shared = 5'003_ps,
                .doorbell = 370'007_ps,
                .batch = 4,
                .inline_most = 100_B,
                .ringer = Ringer::proxy,
                .proxy = 51'001_ps};
  n.nic.cq = {.poll_interval = 700'001_ps,
              .poll = 71'003_ps,
              .messages = 2,
              .hold = 4'000'003_ps,
              .mini_cqe = 8_B};
  return n;
}
/// Messages that are gathered from buffers which end inside packets.
Network gathered(Network n) {
  n.nic.host = HostModel::pcie;
  n.nic.post = {.threads = 2, .wqe = 190'001_ps, .doorbell = 370'007_ps, .batch = 4, .sges = 3};
  return n;
}
const std::vector<std::pair<std::string, Network>> networks = {
    {"rnic_sr", lossy("rnic_sr")},
    {"go_back_n", lossy("go_back_n")},
    {"timeout", lossy("timeout_only")},
    {"shaped", shaped()},
    {"lossless", lossless()},
    {"spray_random", sprayed("random", policy::SendTimer::packet)},
    {"spray_reps", sprayed("reps", policy::SendTimer::group)},
    {"engine", with_engine(lossy("rnic_sr"), EnginePools::shared)},
    {"lossless_engine", with_engine(lossless(), EnginePools::apart)},
    {"ahead_engine", ahead(with_engine(lossy("rnic_sr"), EnginePools::shared))},
    {"lossless_ahead_engine", ahead(with_engine(lossless(), EnginePools::apart))},
    {"gathered", gathered(lossy("rnic_sr"))},
    {"credits", with_credits(lossy("rnic_sr"))},
    {"spray_planes",
     several_ports(sprayed("random", policy::SendTimer::packet), PortChoice::entropy)},
    {"planes_engine",
     several_ports(with_engine(lossy("rnic_sr"), EnginePools::shared), PortChoice::hash)},
    {"lossless_planes", several_ports(lossless(), PortChoice::least)}};

std::string run(const Network& network) {
  return in_child([&] { return network.run(); });
}

// Where two results differ first, for a readable failure.
std::string difference(const std::string& a, const std::string& b) {
  if (a == b) return {};
  std::size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  const std::size_t line = i == 0 ? 0 : a.rfind('\n', i - 1) + 1;
  return "\n  " + a.substr(line, a.find('\n', i) - line) + "\nagainst\n  " +
         b.substr(line, b.find('\n', i) - line);
}

// Equality of nothing with nothing would prove little.
TEST(Equality, TheNetworksContainWhatTheyShould) {
  const auto sum = [](const std::string& text, const std::string& word) {
    const std::string last = text.substr(text.rfind("--- "));
    std::uint64_t n = 0;
    for (std::size_t at = last.find(" " + word + " "); at != std::string::npos;
         at = last.find(" " + word + " ", at + 1)) {
      n += std::stoull(last.substr(at + word.size() + 2));
    }
    return n;
  };
  for (const auto& [name, network] : networks) {
    const std::string text = run(network);
    EXPECT_GT(sum(text, "out_of_order"), 100u) << name << "\n" << text;
    EXPECT_GE(sum(text, "timeouts"), 2u) << name;
    EXPECT_GT(sum(text, "window"), 0u) << name;
    EXPECT_EQ(sum(text, "shaper") > 0, name == "shaped");
    EXPECT_EQ(sum(text, "engine") > 0, name.ends_with("engine"));
    EXPECT_EQ(sum(text, "credits") > 0, name == "credits");
    EXPECT_EQ(sum(text, "paused") > 0, name.starts_with("lossless"));
    EXPECT_TRUE(name != "spray_planes" || sum(text, "port") > 0) << text;
    EXPECT_EQ(sum(text, "recycled") > 100, name == "spray_reps");
    EXPECT_GT(sum(text, "delivered"), 2'000'000u) << name;
    EXPECT_GT(sum(text, "dropped"), 10u) << name;
    if (name != "timeout" && !name.starts_with("spray")) {
      EXPECT_GT(sum(text, "nacks"), 30u) << name;
    }
  }
}

TEST(Equality, EveryWindowLengthGivesTheSame) {
  for (const auto& [name, network] : networks) {
    const std::string reference = run(network);
    Network n = network;
    for (const Picoseconds window : {500_ns, 250_ns, 137_ns, 499'999_ps, 7'001_ps}) {
      n.time.window = window;
      EXPECT_EQ(difference(reference, run(n)), "") << name << " at " << window.count() << " ps";
    }
  }
}

TEST(Equality, ExactWakeUpsGiveTheSame) {
  for (const auto& [name, network] : networks) {
    Network n = network;
    n.time.mode = fabric::scheduling::exact_wake;
    EXPECT_EQ(difference(run(network), run(n)), "") << name;
  }
}

TEST(Equality, TheOrderOfModulesDoesNotShow) {
  for (const auto& [name, network] : networks) {
    const std::string reference = run(network);
    Network n = network;
    for (const auto mode : {fabric::scheduling::windowed, fabric::scheduling::exact_wake}) {
      n.time.mode = mode;
      for (n.shuffle = 1; n.shuffle <= 3; ++n.shuffle) {
        EXPECT_EQ(difference(reference, run(n)), "") << name << ", order " << n.shuffle;
      }
    }
  }
}

TEST(Equality, WhereARunIsInterruptedDoesNotShow) {
  for (const auto& [name, network] : networks) {
    for (const auto mode : {fabric::scheduling::windowed, fabric::scheduling::exact_wake}) {
      Network n = network;
      n.time.mode = mode;
      n.stops = {400_us};
      const std::string reference = run(n);
      n.stops.clear();
      for (int i = 1; i < 400; ++i) n.stops.push_back(1'000'003_ps * i);
      n.stops.push_back(400_us);
      const std::string all = run(n);
      EXPECT_EQ(difference(reference, all.substr(all.rfind("--- "))), "") << name;
    }
  }
}

}  // namespace
}  // namespace horae::rnic::equality_test
