// A platform elaborated: its devices, wired and given their traffic.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/fabric/context.hpp"
#include "horae/fabric/open_loop_host.hpp"
#include "horae/fabric/output_queued_switch.hpp"
#include "horae/flows/open_loop.hpp"
#include "horae/flows/traffic_config.hpp"
#include "horae/rnic/rnic.hpp"
#include "horae/rtl/lockstep.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::build {

/// One connection that traffic asked for, with both of its ends.
struct Flow {
  rnic::rnic* sender = nullptr;
  std::size_t sender_qp = 0;
  rnic::rnic* receiver = nullptr;
  std::size_t receiver_qp = 0;
};

/// What a flow of open-loop traffic was to do: a message on a connection of its own.
struct PlannedMessage {
  std::size_t flow = 0;     ///< of flows()
  std::size_t traffic = 0;  ///< number of its traffic table
  Picoseconds at{};
  Bytes bytes{};
  Picoseconds ideal{};     ///< its completion time without anybody else
  bool triggered = false;  ///< started by others in place of `at`
  /// Triggers that it fires, by their place among those of the simulation; negative: none.
  int fires_at_sender = -1, fires_at_receiver = -1;
};

/// A group of a collective, or the flows of an incast query: its flows are `first` to `first +
/// count - 1`.
struct Group {
  std::size_t traffic = 0;   ///< number of its traffic table
  std::uint32_t number = 0;  ///< within that
  Picoseconds start{};
  std::size_t first = 0, count = 0;
};

/// The Tofino switch at a vertex of the platform, without links.
std::unique_ptr<tofino::tofino_switch> build_tofino(const config::PlatformConfig& platform,
                                                    unsigned vertex, fabric::sim_context& context,
                                                    const std::vector<fabric::RouteTable>& routes);
/// Likewise the output-queued switch there, routing by shortest paths; InputError where PFC leaves
/// it no buffer.
std::unique_ptr<fabric::output_queued_switch> build_switch(
    const config::PlatformConfig& platform, unsigned vertex, fabric::sim_context& context,
    const std::vector<fabric::RouteTable>& routes);

/// Devices of a platform as SystemC modules. One per process: SystemC elaborates once.
class Simulation {
 public:
  /// Builds every device, link and flow. InputError where the platform does not fit a device.
  explicit Simulation(const config::PlatformConfig& platform);

  fabric::sim_context& context() { return context_; }
  const config::PlatformConfig& platform() const { return platform_; }
  /// In the order of the platform's devices.
  const std::vector<std::unique_ptr<fabric::device>>& devices() const { return devices_; }
  const std::vector<rnic::rnic*>& nics() const { return nics_; }
  const std::vector<fabric::open_loop_host*>& hosts() const { return hosts_; }
  const std::vector<tofino::tofino_switch*>& tofinos() const { return tofinos_; }
  const std::vector<fabric::output_queued_switch*>& switches() const { return switches_; }
  /// NICs whose ordering layer runs as hardware, alone or beside its model.
  const std::vector<std::pair<const rnic::rnic*, rtl::EunomiaRtl*>>& hardware() const {
    return hardware_;
  }
  const std::vector<Flow>& flows() const { return flows_; }
  const std::vector<Group>& groups() const { return groups_; }
  /// Messages of open-loop traffic, by traffic table, then in the order of time.
  const std::vector<PlannedMessage>& messages() const { return messages_; }
  /// Incast queries.
  const std::vector<Group>& queries() const { return queries_; }
  /// When a message was, or is to be, posted; `never`: it waits for others still.
  Picoseconds posted_at(const PlannedMessage& message) const;
  /// When arrivals of open-loop messages end; 0: there are none.
  Picoseconds arrivals_end() const;
  /// NICs that send messages, and NICs that receive them, each in device order.
  const std::vector<rnic::rnic*>& senders() const { return senders_; }
  const std::vector<rnic::rnic*>& receivers() const { return receivers_; }

  /// Routing has converged on changes, all at one time: every switch learns its new routes.
  void apply(std::span<const config::RouteChange> changes);
  /// Open-loop messages that are completed by `now` need their connections no longer. Between
  /// windows.
  void close_connections(Picoseconds now);
  /// Whether every source is done, its messages are completed and no packet is under way.
  bool finished() const;
  /// Compares model and RTL wherever both run, in all of their state; a ModelError says what
  /// differs.
  void compare_levels() const;
  /// Whether messages are still to be completed, posted or not.
  bool work_left() const;
  /// Whether messages are posted and not completed: what must make progress.
  bool waiting() const;

 private:
  /// An InputError for a NIC with more connections than its RTL has room for.
  void check_levels() const;
  void build_devices();
  /// Of the links that are left, where the platform routes by paths.
  std::shared_ptr<const fabric::PathTable> paths() const;
  void drain(const config::RouteChange& change);
  void build_links();
  void build_messages(const flows::MessagesConfig& config);
  void build_collective(std::size_t table, const flows::CollectiveTraffic& config);
  void build_flows(std::size_t table, const std::vector<flows::PlacedMessage>& flows, bool incast);
  /// What a trigger of a flow list starts, and the exchange of its NIC that counts its firings.
  struct Trigger {
    int exchange = -1;
    std::vector<std::size_t> starts;  ///< messages whose connections are not closed
  };
  /// A connection and its two queue pairs; the caller fills in what it sends.
  struct Connected {
    rnic::rnic* from;
    rnic::rnic* to;
    rnic::QueuePairConfig send, receive;
  };
  void connect(Connected connection, std::uint32_t first_psn);
  rnic::rnic* nic_of(const std::string& name);

  const config::PlatformConfig& platform_;
  fabric::sim_context context_;
  std::vector<std::unique_ptr<fabric::device>> devices_;
  std::vector<rnic::rnic*> nics_;
  std::vector<fabric::open_loop_host*> hosts_;
  std::vector<tofino::tofino_switch*> tofinos_;
  std::vector<fabric::output_queued_switch*> switches_;
  std::vector<Flow> flows_;
  std::vector<Group> groups_;
  std::vector<PlannedMessage> messages_;
  std::vector<Group> queries_;
  std::vector<Trigger> triggers_;
  std::vector<std::size_t> by_time_;  ///< messages in the order of time, but for triggered ones
  std::size_t arrived_ = 0;           ///< of those, so many have arrived
  std::vector<std::size_t> open_;     ///< arrived, their connections not closed
  std::vector<bool> withdrawn_;       ///< links, by number
  std::vector<int> exchanges_;        ///< by NIC: so many are in use
  std::vector<const rtl::LockstepEngine*> locksteps_;                     ///< owned by their NICs
  std::vector<std::pair<const rnic::rnic*, rtl::EunomiaRtl*>> hardware_;  ///< owned by their NICs
  std::vector<rnic::rnic*> senders_;
  std::vector<rnic::rnic*> receivers_;
};

}  // namespace horae::build
