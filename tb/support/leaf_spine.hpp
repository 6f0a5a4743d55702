// A leaf-spine network of open-loop hosts under random traffic, and everything it counts as text:
// what is compared when two ways of running it must not differ.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "exact_host.hpp"
#include "fabric_parts.hpp"
#include "horae/fabric/devices/open_loop_host.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"
#include "horae/fabric/rank_border.hpp"
#include "horae/fabric/topology.hpp"

namespace horae::test {

/// The first number after `name=` in a result text; 0 if there is none.
inline std::uint64_t value_in(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(name + "=");
  std::uint64_t value = 0;
  if (at != std::string::npos) {
    const char* from = text.data() + at + name.size() + 1;
    std::from_chars(from, text.data() + text.size(), value);
  }
  return value;
}

/// The scenario; run() may be called once per process.
struct LeafSpine {
  unsigned leaves = 4, spines = 4, hosts_per_leaf = 4;
  fabric::time_config time;
  std::uint64_t seed = 1;
  fabric::SwitchConfig sw;  ///< its `ports` are set here
  fabric::LinkConfig host_link = link_of(100_Gbps, 500_ns);
  fabric::LinkConfig fabric_link = link_of(100_Gbps, 500_ns);
  std::uint8_t classes = 1;  ///< host i sends in class i % classes
  Picoseconds sources_end = 100_us;
  std::uint32_t longest_burst = 16;
  Picoseconds longest_gap = 4_us;
  std::vector<Picoseconds> stops = {33'333'333_ps, 77'777'001_ps, 400_us};
  std::set<NodeId> exact_hosts;           ///< these are exact-time SystemC modules
  std::uint64_t shuffle = 0;              ///< not 0: modules are created and joined in random order
  bool drains = false;                    ///< nothing may be left at the last stop
  fabric::rank_border* border = nullptr;  ///< this process runs only some of the modules
  bool buffers = false;                   ///< the text has what switches buffer
  fabric::observer* watcher = nullptr;    ///< switches that are watched start packets by events

  unsigned nodes() const { return leaves * hosts_per_leaf; }
  std::string run();
};

namespace detail {

/// The scenario's modules while it runs.
class LeafSpineRun {
 public:
  explicit LeafSpineRun(const LeafSpine& s) : s_(s), context_(s.time, s.seed) {
    if (s.border != nullptr) context_.join(*s.border);
    context_.watcher = s.watcher;
    describe();
    const auto routes = topology_.shortest_path_routes();
    for (const unsigned v : order(static_cast<unsigned>(topology_.vertices().size()))) {
      create(v, routes[v]);
    }
    for (const unsigned e : order(static_cast<unsigned>(topology_.edges().size()))) join(e);
  }

  std::string run() {
    std::string text;
    for (const Picoseconds stop : s_.stops) {
      context_.clock.run_to(stop);
      check_balance();
      text += fmt::format("--- {} ps\n", stop.count());
      report(text, stop);
    }
    if (s_.drains) {
      EXPECT_EQ(context_.packets().live(), 0u);
    }
    return text;
  }

 private:
  void describe() {
    for (unsigned l = 0; l < s_.leaves; ++l) topology_.add_switch(fmt::format("leaf{}", l));
    for (unsigned i = 0; i < s_.spines; ++i) topology_.add_switch(fmt::format("spine{}", i));
    for (unsigned h = 0; h < s_.nodes(); ++h) {
      topology_.add_edge(h / s_.hosts_per_leaf, topology_.add_endpoint(fmt::format("host{}", h)));
    }
    for (unsigned l = 0; l < s_.leaves; ++l) {
      for (unsigned i = 0; i < s_.spines; ++i) topology_.add_edge(l, s_.leaves + i);
    }
    devices_.resize(topology_.vertices().size());
    switches_.resize(topology_.vertices().size());
    hosts_.resize(s_.nodes());
    exact_.resize(s_.nodes());
  }

  std::vector<unsigned> order(unsigned n) const {
    std::vector<unsigned> all(n);
    std::iota(all.begin(), all.end(), 0u);
    RandomStream random(s_.shuffle, "test.order");
    if (s_.shuffle != 0) {
      for (unsigned i = n; i-- > 1;) std::swap(all[i], all[random.below(i + 1)]);
    }
    return all;
  }

  void create(unsigned v, const fabric::RouteTable& routes) {
    const auto& vertex = topology_.vertices()[v];
    const char* name = vertex.name.c_str();
    if (vertex.node == fabric::Topology::no_node) {
      fabric::SwitchConfig config = s_.sw;
      config.ports = vertex.ports;
      auto sw = std::make_unique<fabric::output_queued_switch>(name, context_, config);
      sw->routes() = routes;
      sw->set_switch_ports(topology_.switch_ports(v));
      switches_[v] = sw.get();
      devices_[v] = std::move(sw);
      return;
    }
    const fabric::HostConfig config{
        .id = vertex.node, .traffic_class = static_cast<std::uint8_t>(vertex.node % s_.classes)};
    auto source =
        std::make_unique<RandomSource>(RandomSource::Config{.self = vertex.node,
                                                            .nodes = s_.nodes(),
                                                            .end = s_.sources_end,
                                                            .longest_burst = s_.longest_burst,
                                                            .longest_gap = s_.longest_gap,
                                                            .seed = s_.seed});
    if (s_.exact_hosts.count(vertex.node) != 0) {
      exact_[vertex.node] = std::make_unique<exact_host>(name, context_, config, std::move(source));
    } else {
      auto host =
          std::make_unique<fabric::open_loop_host>(name, context_, config, std::move(source));
      hosts_[vertex.node] = host.get();
      devices_[v] = std::move(host);
    }
  }

  void join(unsigned e) {
    const auto& edge = topology_.edges()[e];
    const NodeId node = topology_.vertices()[edge.b].node;  // hosts are the second ends
    const auto& link = node == fabric::Topology::no_node ? s_.fabric_link : s_.host_link;
    if (devices_[edge.b]) {
      connect(*devices_[edge.a], edge.port_a, *devices_[edge.b], edge.port_b, link);
    } else {
      exact_[node]->join(*devices_[edge.a], edge.port_a, link);
    }
  }

  void check_balance() const {
    std::uint64_t held = 0;
    for (const auto& d : devices_) held += d ? d->held() : 0;
    for (const auto& h : exact_) held += h ? h->held() : 0;
    const fabric::PacketCounts packets = context_.packets();
    EXPECT_EQ(held, packets.live());
    EXPECT_EQ(packets.outstanding, packets.live());
    EXPECT_EQ(packets.created + packets.taken_over,
              packets.delivered + packets.all_dropped() + packets.given_away + packets.live());
  }

  void report(std::string& text, Picoseconds now) const {
    const fabric::PacketCounts packets = context_.packets();
    text += fmt::format("pool created={} delivered={} live={}", packets.created, packets.delivered,
                        packets.live());
    for (std::size_t c = 0; c < fabric::drop_causes; ++c) {
      const auto cause = static_cast<fabric::DropCause>(c);
      text += fmt::format(" {}={}", fabric::name_of(cause), packets.dropped[c]);
    }
    std::uint64_t marked = 0, pauses = 0, deflected = 0, trimmed = 0;
    for (const auto* sw : switches_) {
      marked += sw != nullptr ? sw->counters().marked : 0;
      pauses += sw != nullptr ? sw->counters().pauses_sent : 0;
      deflected += sw != nullptr ? sw->counters().deflected : 0;
      trimmed += sw != nullptr ? sw->counters().trimmed : 0;
    }
    text += fmt::format(" marked={} pauses={} deflected={} trimmed={}\n", marked, pauses, deflected,
                        trimmed);
    for (std::size_t v = 0; v < devices_.size(); ++v) {
      const auto* sw = switches_[v];
      if (sw == nullptr || !sw->runs_here()) continue;
      text += fmt::format("{} forwarded={} marked={} pauses={} dropped={} held={}\n", sw->name(),
                          sw->counters().forwarded, sw->counters().marked,
                          sw->counters().pauses_sent, sw->counters().dropped, sw->held());
      if (s_.buffers) {
        text += fmt::format("  buffered={} most={}\n", sw->buffered().count(),
                            sw->most_buffered().count());
      }
      for (unsigned i = 0; i < sw->ports(); ++i) {
        const auto& tx = sw->tx(i).counters();
        text += fmt::format(
            "  tx{} packets={} bytes={} lost={} cut={} pauses={} busy_until={} depth={} held={}\n",
            i, tx.packets, tx.frame_bytes, tx.lost, tx.cut, tx.pauses,
            sw->tx(i).busy_until().count(), sw->port(i).depth().count(),
            sw->pauses(i).held(now).count());
      }
    }
    for (NodeId n = 0; n < s_.nodes(); ++n) {
      if (hosts_[n] != nullptr && !hosts_[n]->runs_here()) continue;
      const auto& c = hosts_[n] != nullptr ? hosts_[n]->counters() : exact_[n]->counters();
      text += fmt::format(
          "host{} sent={} received={} bytes={} marked={} latency_sum={} latency_max={} "
          "checksum={:016x} held={}\n",
          n, c.sent, c.received, c.received_bytes, c.marked, c.latency_sum.count(),
          c.latency_max.count(), c.order_checksum,
          hosts_[n] != nullptr ? hosts_[n]->held() : exact_[n]->held());
    }
  }

  const LeafSpine& s_;
  fabric::sim_context context_;
  fabric::Topology topology_;
  std::vector<std::unique_ptr<fabric::device>> devices_;  ///< by vertex; none for exact hosts
  std::vector<fabric::output_queued_switch*> switches_;   ///< by vertex; none for hosts
  std::vector<fabric::open_loop_host*> hosts_;            ///< by node; none for exact hosts
  std::vector<std::unique_ptr<exact_host>> exact_;        ///< by node
};

}  // namespace detail

inline std::string LeafSpine::run() { return detail::LeafSpineRun(*this).run(); }

}  // namespace horae::test
