#include "horae/traffic/collective.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::traffic {
namespace {

Bytes part(const CollectiveConfig& c, std::uint32_t parts) {
  if (c.size.count() % parts != 0 || c.size.count() == 0) {
    throw InputError(fmt::format("{} does not divide into {} equal messages of at least a byte",
                                 to_text(c.size), parts));
  }
  return Bytes(c.size.count() / parts);
}

/// Each rank to the next, `steps` times what `message` says.
std::vector<CollectiveFlow> ring(const CollectiveConfig& c, Bytes message, std::uint32_t steps,
                                 std::uint32_t lead) {
  std::vector<CollectiveFlow> flows;
  for (std::uint32_t r = 0; r < c.ranks; ++r) {
    flows.push_back({.from = r,
                     .to = (r + 1) % c.ranks,
                     .message = message,
                     .count = steps * c.slices,
                     .lead = lead});
  }
  return flows;
}

}  // namespace

std::vector<CollectiveFlow> collective_flows(const CollectiveConfig& c) {
  if (c.ranks < 2) throw InputError(fmt::format("a collective of {} rank", c.ranks));
  switch (c.operation) {
    case Operation::ring_permutation:
      return ring(c, part(c, c.slices), 1, 0);
    case Operation::reduce_scatter:
    case Operation::all_gather:
      return ring(c, part(c, c.ranks * c.slices), c.ranks - 1, c.slices);
    case Operation::all_reduce:
      return ring(c, part(c, c.ranks * c.slices), 2 * (c.ranks - 1), c.slices);
    case Operation::all_to_all:
      break;
  }
  std::vector<CollectiveFlow> flows;
  const Bytes message = part(c, c.ranks * c.slices);
  for (std::uint32_t r = 0; r < c.ranks; ++r) {
    // The next rank first: in this order nobody is everybody's first.
    for (std::uint32_t d = 1; d < c.ranks; ++d) {
      flows.push_back({.from = r, .to = (r + d) % c.ranks, .message = message, .count = c.slices});
    }
  }
  return flows;
}

}  // namespace horae::traffic
