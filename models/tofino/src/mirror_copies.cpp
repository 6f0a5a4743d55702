#include "horae/tofino/mirror_copies.hpp"

#include <algorithm>

namespace horae::tofino {

Packet& MirrorCopies::make(fabric::PacketPool& pool, const dataplane::Pass& pass,
                           Picoseconds deparsed) {
  // No node has this number, so that ids stay unique in a chip; copies of two chips may share one.
  constexpr std::uint64_t copy_node = 0xffffffu;
  const auto& request = *pass.mirror_request();
  Packet& copy = pool.create();
  copy = pass.header();
  copy.created = deparsed;
  copy.id = copy_node << 40 | made_++;
  copy.mirror_type = request.type;
  copy.metadata = request.metadata;
  if (request.length != 0) copy.frame = std::min(copy.frame, request.length);
  if (request.traffic_class) copy.traffic_class = *request.traffic_class;
  headers_[&copy] = request.header;
  return copy;
}

}  // namespace horae::tofino
