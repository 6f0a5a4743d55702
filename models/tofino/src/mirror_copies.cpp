#include "horae/tofino/mirror_copies.hpp"

#include <algorithm>

#include "horae/tofino/ingress_pauses.hpp"

namespace horae::tofino {

// No node has this number, so that ids stay unique in a chip; copies of two chips may share one.
constexpr std::uint64_t copy_node = 0xffffffu;

Packet& MirrorCopies::make(fabric::PacketPool& pool, const dataplane::AnyPass& pass,
                           Picoseconds deparsed) {
  const auto& request = *pass.mirror_request();
  Packet& copy = pool.create();
  copy = pass.header();
  if (pool.carries_feedback()) feedback_of(copy) = feedback_of(pass.header());
  copy.created = deparsed;
  copy.id = copy_node << 40 | made_++;
  copy.mirror_type = request.type;
  copy.metadata = request.metadata;
  copy.ingress_port &= static_cast<std::uint16_t>(~came_again);
  if (request.length != 0) copy.frame = std::min(copy.frame, request.length);
  if (request.traffic_class) copy.traffic_class = *request.traffic_class;
  headers_[&copy] = request.header;
  return copy;
}

Packet& MirrorCopies::replicate(fabric::PacketPool& pool, const Packet& p, Picoseconds at) {
  Packet& copy = pool.create();
  copy = p;
  if (pool.carries_feedback()) feedback_of(copy) = feedback_of(p);
  copy.created = at;
  copy.id = copy_node << 40 | made_++;
  copy.ingress_port |= came_around;  // it has no sender of its own to be paused
  ++replicated_;
  return copy;
}

}  // namespace horae::tofino
