// NICs around one switch: the last one receives from all others.
#pragma once

#include <memory>
#include <vector>

#include "horae/fabric/devices/output_queued_switch.hpp"
#include "nic_parts.hpp"

namespace horae::test {

struct Star {
  struct Flow {
    Bytes bytes;
    Picoseconds start;
  };
  /// One flow from each sender.
  Star(fabric::sim_context& context, RnicConfig config, fabric::SwitchConfig sw,
       const std::vector<Flow>& flows, BitRate rate = 100_Gbps, Picoseconds delay = 1_us) {
    const auto n = static_cast<unsigned>(flows.size());
    sw.ports = n + 1;
    middle = std::make_unique<fabric::output_queued_switch>("sw", context, sw);
    const fabric::LinkConfig link{.rate = rate, .delay = delay};
    for (NodeId i = 0; i <= n; ++i) {
      nics.push_back(std::make_unique<Nic>(fmt::format("nic{}", i).c_str(), context, config, i));
      connect(*nics[i], 0, *middle, i, link);
      middle->routes().set(i, {static_cast<std::uint16_t>(i)});
    }
    for (NodeId i = 0; i < n; ++i) {
      connect_queue_pairs(*nics[i], *nics[n],
                          {.a_to_b = messages(flows[i].bytes, 1, flows[i].start)});
    }
  }
  Nic& receiver() { return *nics.back(); }
  fabric::OutputPort& bottleneck() { return middle->port(static_cast<unsigned>(nics.size()) - 1); }
  /// Bytes on the bottleneck's wire so far.
  double carried() const {
    const auto last = static_cast<unsigned>(nics.size()) - 1;
    return static_cast<double>(middle->tx(last).counters().bytes(Layer::l1).count());
  }
  /// Depths of the bottleneck's queue from `from` to `to`, in steps.
  std::vector<double> depths(fabric::sim_context& context, Picoseconds from, Picoseconds to,
                             Picoseconds step) {
    std::vector<double> all;
    for (Picoseconds t = from; t < to; t += step) {
      run_on(context, t);
      all.push_back(static_cast<double>(bottleneck().depth().count()));
    }
    return all;
  }

  std::unique_ptr<fabric::output_queued_switch> middle;
  std::vector<std::unique_ptr<Nic>> nics;
};

/// NICs without latencies of their own that acknowledge every packet.
inline RnicConfig plain_nic(const std::string& algorithm) {
  RnicConfig config;
  config.tx_latency = 0_ps;
  config.rx_latency = 0_ps;
  config.nack_delay = 0_ps;
  config.nack_reaction = 0_ps;
  config.transport = "go_back_n";
  config.reliability.window = 65536;
  config.reliability.ack_every = 1;
  config.reliability.rto = 10_ms;
  config.ack_traffic_class = 7;
  config.congestion.algorithm = algorithm;
  return config;
}

}  // namespace horae::test
