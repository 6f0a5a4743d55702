// Payload of packets as bytes, beside the packets.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "horae/core/codec.hpp"
#include "horae/core/packet.hpp"

namespace horae {

/// Packets of a run are fields. Where NICs have contents, what fields do not hold is kept here from
/// the sender to the receiver: payload, and the RETH. One object serves all NICs of a simulation.
class PacketContents {
 public:
  struct Contents {
    std::uint64_t id = 0;  ///< of the packet
    std::optional<Reth> reth{};
    std::vector<std::uint8_t> payload{};
  };

  /// Those of a packet that is made: empty.
  Contents& make(const Packet& p) {
    Contents& contents = all_[&p];
    contents.id = p.id;
    contents.reth.reset();
    contents.payload.clear();
    return contents;
  }
  /// Null for a packet that has none, as a copy of another one.
  const Contents* find(const Packet& p) const {
    // Found by the packet's address, which the pool gives to others when it has ended.
    const auto found = all_.find(&p);
    return found == all_.end() || found->second.id != p.id ? nullptr : &found->second;
  }

 private:
  std::unordered_map<const Packet*, Contents> all_;
};

/// Puts them into the frame of the packet's fields.
inline void put_contents(RoceFrame& frame, const PacketContents::Contents& contents) {
  if (frame.reth && contents.reth) frame.reth = contents.reth;
  if (frame.payload.size() == contents.payload.size()) frame.payload = contents.payload;
}

}  // namespace horae
