// The same network around a chip and around a plain switch.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chip_parts.hpp"
#include "horae/fabric/devices/output_queued_switch.hpp"

namespace horae::test {

/// ECN and PFC of either.
struct Lossless {
  fabric::RedConfig red{};
  fabric::PfcConfig pfc{};
  std::optional<std::uint32_t> control_class{};
  Bytes headroom{};
  std::int64_t cells = 3314;  ///< of 176 bytes: 583,264 bytes

  tofino::ChipConfig chip() const {
    tofino::ChipConfig config;
    config.cells = static_cast<std::uint32_t>(cells);
    config.ecn.emplace(red);
    config.pfc.emplace(pfc);
    config.control_class = control_class;
    return config;
  }
  fabric::SwitchConfig plain(unsigned ports, Picoseconds latency) const {
    return {.ports = ports,
            .latency = latency,
            .buffer = Bytes(176) * cells,
            .control_class = control_class,
            .red = red,
            .pfc = pfc,
            .headrooms = std::vector<Bytes>(ports, headroom)};
  }
};

/// Device behind the last port, in place of the receiver.
struct NextPort {
  fabric::device* device = nullptr;
  unsigned port = 0;
};

/// Ports 0 to n - 1 lead to senders that obey pauses, port n to a receiver, node n. Links have 100
/// Gbps and 1 us.
class Funnel {
 public:
  static constexpr Picoseconds delay = 1_us;
  static constexpr fabric::LinkConfig link{.rate = 100_Gbps, .delay = delay};

  Funnel(fabric::sim_context& context, bool chip, const Lossless& config, unsigned senders,
         const LambdaProgram& program = {}, NextPort next = {})
      : to("to", context, 1, senders) {
    const auto n = static_cast<std::uint16_t>(senders);
    if (chip) {
      tofino = std::make_unique<tofino::tofino_switch>("sw", context, config.chip(), n + 1u,
                                                       LambdaFactory(program), programs::Routes{});
      tofino->set_headrooms(std::vector<Bytes>(n + 1u, config.headroom));
    } else {
      plain = std::make_unique<fabric::output_queued_switch>("sw", context,
                                                             config.plain(n + 1u, chip_latency));
      plain->routes().set(n, {n});
    }
    for (unsigned i = 0; i < senders; ++i) {
      const auto number = std::to_string(i);
      from.push_back(std::make_unique<probe>(("from" + number).c_str(), context, 1, i));
      // A probe obeys nobody; the switch before it does.
      nics.push_back(std::make_unique<fabric::output_queued_switch>(
          ("nic" + number).c_str(), context, fabric::SwitchConfig{.ports = 2, .latency = 0_ps}));
      connect(*nics[i], 0, *from[i], 0, link);
      connect(*nics[i], 1, sw(), i, link);
      nics[i]->routes().set(n, {1});
      nics[i]->keep_pauses();
    }
    connect(sw(), senders, next.device != nullptr ? *next.device : to, next.port, link);
  }

  /// From the last bit in to the queue of a chip of its configuration, without a wait for a clock.
  static constexpr Picoseconds chip_latency = 60_ns + 50_ns + 56_ns + 40_ns + 150_ns;

  fabric::device& sw() {
    if (tofino) return *tofino;
    return *plain;
  }
  std::uint64_t pauses_sent() const {
    return tofino ? tofino->counters().pauses_sent : plain->counters().pauses_sent;
  }
  std::uint64_t marked() const {
    return tofino ? tofino->counters().marked : plain->counters().marked;
  }
  /// When a sender was held, and when no longer.
  std::vector<fabric::PauseLog::Turn> turns(unsigned sender) const {
    return nics[sender]->pauses(1).turns(never);
  }
  std::string marks() const {
    std::string s;
    for (const auto& a : to.arrivals) s += a.ecn == Ecn::ce ? 'x' : '.';
    return s;
  }

  probe to;
  std::vector<std::unique_ptr<probe>> from;
  std::vector<std::unique_ptr<fabric::output_queued_switch>> nics;
  std::unique_ptr<tofino::tofino_switch> tofino;
  std::unique_ptr<fabric::output_queued_switch> plain;
};

}  // namespace horae::test
