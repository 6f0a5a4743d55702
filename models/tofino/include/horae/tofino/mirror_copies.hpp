// Copies that the deparser makes for mirror sessions, and the headers that it puts before them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "horae/dataplane/pass.hpp"
#include "horae/fabric/packet_pool.hpp"

namespace horae::tofino {

/// A header stays with its copy until the copy's egress pass takes it or the copy is dropped.
class MirrorCopies {
 public:
  /// The copy that a pass asked for, created when it leaves the deparser.
  Packet& make(fabric::PacketPool& pool, const dataplane::AnyPass& pass, Picoseconds deparsed);
  /// A copy that the traffic manager makes of a packet for one port of a group.
  Packet& replicate(fabric::PacketPool& pool, const Packet& p, Picoseconds at);
  /// Gives the header of the pass's packet to the pass, if it is a copy that has one.
  void take_header(const Packet& p, dataplane::AnyPass& pass) {
    const auto header = headers_.extract(&p);
    if (!header.empty()) pass.set_mirror_header(header.mapped());
  }
  /// The copy is gone.
  void forget(const Packet& p) { headers_.erase(&p); }

  std::uint64_t made() const { return made_ - replicated_; }
  std::uint64_t replicated() const { return replicated_; }
  /// Copies that still have their header.
  std::size_t with_header() const { return headers_.size(); }

 private:
  std::uint64_t made_ = 0;  ///< of either kind
  std::uint64_t replicated_ = 0;
  std::unordered_map<const Packet*, dataplane::MirrorHeader> headers_;
};

}  // namespace horae::tofino
