// A platform elaborated: its devices, wired and given their traffic.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/elaboration/connections.hpp"
#include "horae/elaboration/devices.hpp"
#include "horae/elaboration/levels.hpp"
#include "horae/elaboration/routing.hpp"
#include "horae/fabric/context.hpp"
#include "horae/fabric/rank_exchange.hpp"

namespace horae::elaboration {

/// Devices of a platform as SystemC modules. One per process: SystemC elaborates once.
class Simulation {
 public:
  /// Builds every device, link and flow. InputError where the platform does not fit a device.
  /// `border`: where this process runs only some of the devices; null: it runs all. `meter`:
  /// charged for all of it, or null.
  explicit Simulation(const config::PlatformConfig& platform, fabric::rank_border* border = nullptr,
                      MemoryMeter* meter = nullptr);
  /// The devices alone, before simulation starts: no device sends anything, and connect_alone() is
  /// to follow.
  struct Silent {};
  Simulation(const config::PlatformConfig& platform, Silent silent);
  /// In a time that grows with the number of devices, not with its square.
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// One message of the platform's traffic (Connections::build_alone), which is messages().front().
  void connect_alone(const workload::PlacedMessage& message) { connections_.build_alone(message); }
  /// Sets the ideal times that slowdowns of messages() are relative to, by message.
  void set_ideal(std::span<const std::optional<Picoseconds>> times) {
    connections_.set_ideal(times);
  }

  fabric::sim_context& context() { return context_; }
  const fabric::sim_context& context() const { return context_; }
  const config::PlatformConfig& platform() const { return platform_; }
  /// In the order of the platform's devices.
  const std::vector<std::unique_ptr<fabric::device>>& devices() const { return devices_.all; }
  const std::vector<rnic::rnic*>& nics() const { return devices_.nics; }
  const std::vector<fabric::open_loop_host*>& hosts() const { return devices_.hosts; }
  const std::vector<tofino::tofino_switch*>& tofinos() const { return devices_.tofinos; }
  const std::vector<fabric::output_queued_switch*>& switches() const { return devices_.switches; }
  /// In the order of the platform.
  const std::vector<std::unique_ptr<fabric::module_joint>>& modules() const {
    return devices_.modules;
  }
  /// Likewise.
  const std::vector<std::unique_ptr<rnic::memory_module>>& memories() const {
    return devices_.memories;
  }
  /// Bytes of packets; null: no NIC's memory has contents.
  const WireBytes* contents() const {
    return context_.bytes.contents() ? &context_.bytes : nullptr;
  }
  /// NICs whose ordering layer runs as hardware, alone or beside its model.
  const std::vector<std::pair<const rnic::rnic*, rtl::OrderingRtl*>>& hardware() const {
    return levels_.hardware();
  }
  /// The connection of each flow of traffic, by traffic table.
  const std::vector<Connection>& flows() const { return connections_.all(); }
  const std::vector<Group>& groups() const { return connections_.groups(); }
  /// Messages of open-loop traffic, by traffic table, then in the order of time.
  const std::vector<Message>& messages() const { return connections_.messages(); }
  /// Incast queries.
  const std::vector<Group>& queries() const { return connections_.queries(); }
  /// When arrivals of open-loop messages end; 0: there are none.
  Picoseconds arrivals_end() const;
  /// NICs that send messages, and NICs that receive them, each in device order.
  const std::vector<rnic::rnic*>& senders() const { return connections_.senders(); }
  const std::vector<rnic::rnic*>& receivers() const { return connections_.receivers(); }

  /// Routing has converged on changes, all at one time: every switch learns its new routes.
  void apply(std::span<const config::RouteChange> changes) { routing_.apply(changes, devices_); }
  /// Open-loop messages that are completed by `now` need their connections no longer. Between
  /// windows, and by all ranks.
  void close_connections(Picoseconds now) { connections_.close(now, ranks()); }
  /// Whether, here, every source is done, its messages are completed and no packet is under way.
  bool finished() const;
  /// Time at the end of a finished simulation, in this process: when its last message was
  /// completed, its last program had ended, or the last bit that any port sent had come to the
  /// other end of its link, whichever was last.
  Picoseconds finished_at() const;
  /// Compares model and RTL wherever both run, in all of their state; a ModelError says what
  /// differs.
  void compare_levels() const { levels_.compare(); }
  Levels::Compared compared_levels() const { return levels_.compared(); }
  /// Whether, here, messages are still to be completed, posted or not.
  bool work_left() const;
  /// Whether, here, messages are posted and not completed: what must make progress.
  bool waiting() const { return connections_.waiting(); }
  /// The processes of the run; null: there is this one only.
  fabric::rank_exchange* ranks() const;

 private:
  bool only_generated_left() const;
  struct Bare {};  ///< nothing is built yet
  Simulation(const config::PlatformConfig& platform, Bare bare);
  void build_devices(bool silent, MemoryMeter* meter);

  const config::PlatformConfig& platform_;
  /// Without a part in the simulation: see the destructor.
  std::array<std::unique_ptr<sc_core::sc_module>, 2> oldest_;
  fabric::sim_context context_;
  Routing routing_;
  Levels levels_;
  Devices devices_;
  Connections connections_;
  mutable std::size_t unfinished_ = 0;  ///< the NIC that work_left() asks first
};

}  // namespace horae::elaboration
