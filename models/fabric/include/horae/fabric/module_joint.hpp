// Where a link is cut to take a module: both halves of the link, and the book of the packets that
// the module has.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <systemc>
#include <unordered_map>
#include <vector>

#include "horae/fabric/device.hpp"
#include "horae/fabric/module_kind.hpp"

namespace horae::fabric {

/// A link between two devices with a module in its middle. Each half has half of the delay, so no
/// window is longer than half of it. What the devices send takes the first half as on any link,
/// with loss, outages and bit errors; on the second half outages alone are left. (A packet that an
/// outage takes there has had its draw for loss before, which on a link without a module it has
/// not.)
///
/// An end point is at the second device: it is behind the whole delay. Packets that the device
/// itself sends come to it behind as much.
///
/// Devices hand packets over up to a window ahead of time. Here they wait, and the module gets them
/// in the moment of their last bit; of one moment pauses before packets, side 0 before side 1. So
/// it sees the same whether devices run window by window or event by event.
class module_joint : public sc_core::sc_module, private module_context {
 public:
  struct End {
    device* peer = nullptr;
    unsigned port = 0;
    LinkConfig link{};  ///< the direction that it sends on; its delay is of the whole link
    std::optional<NodeId> node{};  ///< if it is an end point
  };
  /// Where on the link the module is.
  enum class Place {
    middle,
    end,  ///< at the second device: of an end_point
  };
  /// Makes the module as a child named "module", and connects it.
  module_joint(const sc_core::sc_module_name& name, sim_context& context,
               const ModuleFactory& factory, const End& first, const End& second,
               Place place = Place::middle);
  ~module_joint() override;

  /// Packets that are on their way to the module or in it.
  std::uint64_t held() const { return inside_.size(); }
  /// Whether the module says that more is to come.
  bool pending() const { return module_->pending(); }
  /// Adds the packets that came from each side, the dropped ones, and the module's own counters.
  void statistics(StatTree& tree) const;
  /// Where packets are that it holds.
  std::vector<std::string> describe_queues() const;
  /// Whatever it holds may still go on, but for what is sent again and again.
  void add_outlook(Outlook& outlook) const;

 private:
  class face;
  /// Something on its way to the module.
  struct Coming {
    Picoseconds at{};
    packet_phase phase = packet_phase::begin_packet;
    std::uint8_t side = 0;
    std::uint8_t traffic_class = 0;  ///< of a pause
    Packet* packet = nullptr;
    std::uint64_t ordinal = 0;
    bool operator>(const Coming& o) const;
  };
  struct Side {
    device* peer = nullptr;
    unsigned port = 0;
    std::optional<NodeId> node{};
    Picoseconds delay{};  ///< of its half
    BitRate rate{};       ///< towards the device
    Picoseconds busy_until{};
    std::unique_ptr<face> outer;                       ///< towards the device
    std::unique_ptr<face> inner;                       ///< towards the module
    std::uint64_t packets = 0, bytes = 0, pauses = 0;  ///< that came from the device
  };

  BitRate rate(unsigned side) const override { return sides_.at(side).rate; }
  std::optional<NodeId> node(unsigned side) const override { return sides_.at(side).node; }
  Packet& create() override;
  void deliver(Packet& p) override;
  RandomStream random(std::string_view what) const override;
  WireBytes& bytes() override { return context_.bytes; }
  void drop(Packet& p, bool at_random) override;
  void fail(std::exception_ptr error) override;

  /// From a device: files it for its time.
  void file(Coming c);
  void hand_over();
  /// From the module to the device at `side`.
  void leave(unsigned side, Packet& p, Picoseconds last_bit);
  void leave_pause(unsigned side, Packet& carrier, packet_phase phase, Picoseconds last_bit);
  void require_not_past(Picoseconds t) const;
  void end(Packet& p, unsigned from, DropCause cause, Picoseconds at);
  /// The side that it came from; then the module no longer has it.
  unsigned give_up(const Packet& p, const char* what);

  sim_context& context_;
  Place place_;
  std::uint64_t made_ = 0;  ///< packets of an end point
  std::array<Side, 2> sides_;
  std::unique_ptr<link_module> module_;
  std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming_;
  std::unordered_map<const Packet*, std::uint8_t> inside_;  ///< the side it came from
  std::uint64_t filed_ = 0;
  bool deferred_ = false;  ///< to the next delta cycle
  std::uint64_t dropped_ = 0, dropped_at_random_ = 0, cut_ = 0;
  sc_core::sc_event due_{"due"};
};

}  // namespace horae::fabric
