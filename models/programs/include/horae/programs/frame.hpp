// Bytes of packets in a chip whose program works on bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "horae/core/frame_bytes.hpp"
#include "horae/core/packet.hpp"
#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"

namespace horae::programs {

/// The length of a frame of so many bytes on a wire, with FCS: Ethernet has at least 64.
constexpr std::uint16_t frame_on_wire(std::size_t bytes) {
  return static_cast<std::uint16_t>(std::clamp<std::size_t>(bytes + wire::fcs, 64, 0xffff));
}

/// The trigger of a packet generator: the first bytes of a packet that came around, or what
/// the ingress deparser sends (Tofino2), with the part of the generator's buffer that it asks for.
struct GeneratorMessage {
  std::vector<std::uint8_t> bytes = {};
  std::uint16_t offset = 0, length = 0;
};

/// State of a packet in the chip beside its Packet.
struct Frame {
  /// Message of ingress to the egress of a copy.
  struct Way {
    std::uint16_t rid = 0;
    bool first_replica = false;
    bool bypass = false;  ///< of egress
    std::uint16_t qid = 0;
    std::uint8_t cos = 0;
  };
  FrameBytes bytes;  ///< without FCS; in front of egress with what ingress put there
  Way way;
  std::vector<Way> ways;            ///< of the copies of a group, in the order of its ports
  std::vector<std::uint8_t> again;  ///< of a packet that is resubmitted: put before it
  FrameBytes copy;                  ///< bytes of the mirror copy that the pass asks for
  bool around = false;              ///< it comes by a loopback port
  bool deflects = false;            ///< to the loopback port, where its queue has no room
  std::string_view dropped_for;     ///< the program's reason; lasts as long as the program
  /// The port that it comes by, as the program numbers it, if the packet generator made it.
  std::optional<std::uint16_t> comes_by;
  std::optional<GeneratorMessage> message;  ///< of its ingress pass to the packet generator
  // Its last queue: when it came there, cells that were before it, cells that it left behind.
  Picoseconds queued{};
  std::uint32_t cells_before = 0;
  std::uint32_t cells_behind = 0;
};

/// The frames of all packets in a chip, found by their Packets. Whoever gives the chip a packet
/// enters its bytes; whoever takes a packet from it forgets them.
class Frames {
 public:
  /// `length`: of the frame where it was captured; bytes that are missing are zeros.
  void enter(const Packet& p, std::span<const std::uint8_t> bytes, std::size_t length) {
    Frame& f = make(p);
    f.bytes.assign(bytes);
    f.bytes.resize(std::max(length, bytes.size()));
  }
  bool has(const Packet& p) const { return frames_.contains(&p); }
  /// Bytes of a packet that has none yet, for the caller to fill in.
  FrameBytes& enter(const Packet& p) { return make(p).bytes; }
  Frame& enter_frame(const Packet& p) {
    Frame& f = make(p);
    f.bytes.clear();
    return f;
  }
  Frame& of(const Packet& p) { return *frames_.at(&p); }
  const Frame& of(const Packet& p) const { return *frames_.at(&p); }
  void forget(const Packet& p) {
    const auto found = frames_.find(&p);
    if (found == frames_.end()) return;
    spare_.push_back(std::move(found->second));
    frames_.erase(found);
  }
  std::size_t size() const { return frames_.size(); }

  /// A mirror copy was made: it has the bytes that the pass asked for, and their length.
  void mirrored(const Packet& original, Packet& copy) {
    Frame& f = make(copy);
    f.bytes.swap(of(original).copy);
    copy.frame = frame_on_wire(f.bytes.size());
  }
  /// Copy `i` of a group was made.
  void replicated(const Packet& original, const Packet& copy, std::size_t i) {
    const Frame& from = of(original);
    Frame& f = make(copy);
    f.bytes = from.bytes;
    f.way = from.ways.at(i);
    f.deflects = from.deflects;
  }
  /// The packet itself is the last copy.
  void take_way(const Packet& p, std::size_t i) {
    Frame& f = of(p);
    f.way = f.ways.at(i);
  }

 private:
  Frame& make(const Packet& p) {
    auto& place = frames_[&p];
    if (!spare_.empty()) {
      place = std::move(spare_.back());
      spare_.pop_back();
      place->ways.clear();
      place->again.clear();
      place->copy.clear();
      place->way = {};
      place->around = place->deflects = false;
      place->comes_by.reset();
      place->message.reset();
      place->dropped_for = {};
      place->queued = {};
      place->cells_before = place->cells_behind = 0;
    } else {
      place = std::make_unique<Frame>();
    }
    return *place;
  }

  std::unordered_map<const Packet*, std::unique_ptr<Frame>> frames_;
  std::vector<std::unique_ptr<Frame>> spare_;  ///< with the room of their bytes
};

/// A loopback port of a pipeline among the ports of a group (Program::replicas).
constexpr std::uint16_t loopback_of(unsigned pipeline) {
  return static_cast<std::uint16_t>(0xff00u | pipeline);
}
constexpr bool is_loopback(unsigned port) { return port >= 0xff00u && port < 0xff00u + 256; }

}  // namespace horae::programs
