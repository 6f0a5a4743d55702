// Devices and sources for tests of the fabric.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "forked.hpp"
#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/fabric/device.hpp"
#include "horae/traffic/source.hpp"

namespace horae::test {

/// A link's values in one line.
inline fabric::LinkConfig link_of(BitRate rate, Picoseconds delay, double loss = 0.0,
                                  std::vector<fabric::Outage> outages = {}) {
  return {.rate = rate, .delay = delay, .loss = loss, .outages = std::move(outages)};
}

/// A device under the test's control: sends what it was told at the times it was told, whatever it
/// is paused for, and records everything that reaches it.
class probe : public fabric::device {
 public:
  struct Shot {
    Picoseconds at{};  ///< first bit, or as soon as the wire is free
    NodeId dst = 0;
    Bytes frame = 1086_B;
    unsigned port = 0;
    std::uint8_t traffic_class = 0;
    Ecn ecn = Ecn::ect0;
    std::uint16_t entropy = 0;
    std::uint16_t remaining = 0;
    Opcode opcode = Opcode::write_middle;
    std::uint32_t qp = 0;
    std::uint8_t hop_limit = 255;
    std::uint32_t psn = 0;
    Bytes payload{};  ///< for what needs plain frames: 62 bytes less than `frame`
  };
  struct Arrival {
    Picoseconds at{};
    unsigned port = 0;
    std::uint64_t id = 0;  ///< the sender's `index` << 40 | the ordinal of its shot
    Ecn ecn = Ecn::not_ect;
    unsigned traffic_class = 0;
    std::uint16_t entropy = 0;
    std::uint16_t frame = 0;
    bool corrupted = false;

    std::uint64_t shot() const { return id & ((std::uint64_t{1} << 40) - 1); }
    Picoseconds first_bit(Picoseconds serialisation, Picoseconds delay) const {
      return at - delay - serialisation;
    }
  };
  struct Pause {
    Picoseconds at{};
    unsigned port = 0;
    unsigned traffic_class = 0;
    bool pause = false;
    bool operator==(const Pause&) const = default;
  };

  probe(sc_core::sc_module_name name, fabric::sim_context& context, unsigned ports = 1,
        std::uint32_t index = 0)
      : device(name, context, ports), index_(index) {}

  /// Plans; before the simulation starts.
  void send(const Shot& shot) { shots_.push_back(shot); }
  void send_pause(const Pause& pause) { planned_.push_back(pause); }

  std::vector<Arrival> arrivals;
  std::vector<Pause> pauses;  ///< PFC frames received

 protected:
  void begin() override {
    for (std::size_t i = 0; i < shots_.size(); ++i) schedule(shots_[i].at, shot_event, 0, i, i);
    for (std::size_t i = 0; i < planned_.size(); ++i) {
      schedule(planned_[i].at, send_pause_event, 0, i, i);
    }
  }
  void handle(const fabric::Event& e) override {
    const unsigned port = fabric::key_entity(e.key);
    switch (fabric::key_kind(e.key)) {
      case fabric::arrival_event: {
        Packet& p = arrived(e);
        arrivals.push_back({.at = e.time,
                            .port = port,
                            .id = p.id,
                            .ecn = p.ecn,
                            .traffic_class = p.traffic_class,
                            .entropy = p.entropy,
                            .frame = p.frame,
                            .corrupted = p.corrupted});
        pool().deliver(p);
        break;
      }
      case fabric::pause_event:
      case fabric::resume_event:
        pauses.push_back({e.time, port, static_cast<unsigned>(e.payload),
                          fabric::key_kind(e.key) == fabric::pause_event});
        break;
      case shot_event:
        shoot(e.payload, e.time);
        break;
      case send_pause_event: {
        const Pause& pause = planned_[e.payload];
        tx(pause.port).send_pause(e.time, pause.traffic_class, pause.pause);
        break;
      }
      default:
        break;
    }
  }

 private:
  static constexpr std::uint8_t shot_event = fabric::device_events;
  static constexpr std::uint8_t send_pause_event = fabric::device_events + 1;

  void shoot(std::uint64_t i, Picoseconds t) {
    const Shot& shot = shots_[i];
    Packet& p = pool().create();
    p.id = static_cast<std::uint64_t>(index_) << 40 | i;
    p.created = t;
    p.src = index_;
    p.dst = shot.dst;
    p.frame = static_cast<std::uint16_t>(shot.frame.count());
    p.traffic_class = shot.traffic_class;
    p.ecn = shot.ecn;
    p.entropy = shot.entropy;
    p.bth_reserved = shot.remaining;
    p.opcode = shot.opcode;
    p.dest_qp = Qpn(shot.qp);
    p.hop_limit = shot.hop_limit;
    p.psn = Psn(shot.psn);
    p.payload = static_cast<std::uint16_t>(shot.payload.count());
    tx(shot.port).send(p, std::max(t, tx(shot.port).busy_until()));
  }

  std::uint32_t index_;
  std::vector<Shot> shots_;
  std::vector<Pause> planned_;
};

/// The items it was given.
class ListSource final : public traffic::TrafficSource {
 public:
  explicit ListSource(std::vector<traffic::TrafficItem> items) : items_(std::move(items)) {}
  std::optional<traffic::TrafficItem> next() override {
    if (next_ == items_.size()) return std::nullopt;
    return items_[next_++];
  }

 private:
  std::vector<traffic::TrafficItem> items_;
  std::size_t next_ = 0;
};

/// Bursts of packets of random size to random others, with random gaps; ends at `end`.
class RandomSource final : public traffic::TrafficSource {
 public:
  struct Config {
    NodeId self = 0;
    NodeId nodes = 2;
    Picoseconds end = 100_us;
    std::uint32_t longest_burst = 16;
    Picoseconds longest_gap = 4_us;
    std::uint64_t seed = 1;
  };
  explicit RandomSource(const Config& config)
      : config_(config), stream_(config.seed, "test.traffic." + std::to_string(config.self)) {}

  std::optional<traffic::TrafficItem> next() override {
    if (left_ == 0) {
      left_ = 1 + stream_.below(config_.longest_burst);
      at_ += Picoseconds(stream_.below(static_cast<std::uint32_t>(config_.longest_gap.count())));
      dst_ = stream_.below(config_.nodes - 1);
      if (dst_ >= config_.self) ++dst_;
      flow_ = static_cast<std::uint16_t>(stream_.below(1u << 14));
    }
    if (at_ >= config_.end) return std::nullopt;
    --left_;
    return traffic::TrafficItem{.at = at_,
                                .dst = dst_,
                                .bytes = Bytes(stream_.below(4097)),
                                .flow = flow_,
                                .remaining = static_cast<std::uint16_t>(left_ + 1)};
  }

 private:
  Config config_;
  RandomStream stream_;
  std::uint32_t left_ = 0;
  Picoseconds at_{};
  NodeId dst_ = 0;
  std::uint16_t flow_ = 0;
};

/// Runs `work` in a child process and says how it ended: "accepted", "InputError: ...",
/// "ModelError: ..." or, for what was thrown inside a SystemC process, "sc_report: ...".
template <class F>
std::string outcome_in_child(F&& work) {
  return in_child([&]() -> std::string {
    sc_core::sc_report_handler::set_handler(
        [](const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
          sc_core::sc_report_handler::default_handler(report, actions & ~sc_core::SC_DISPLAY);
        });
    try {
      work();
      return "accepted";
    } catch (const InputError& e) {
      return std::string("InputError: ") + e.what();
    } catch (const ModelError& e) {
      return std::string("ModelError: ") + e.what();
    } catch (const sc_core::sc_report& e) {
      return std::string("sc_report: ") + e.what();
    }
  });
}

/// Whether `successes` of `trials` at probability `p` lie within five standard deviations.
inline bool plausible(double successes, double trials, double p) {
  return std::abs(successes - trials * p) <= 5 * std::sqrt(trials * p * (1 - p));
}

}  // namespace horae::test
