#include "horae/traffic/collective.hpp"

#include <fmt/format.h>

#include <bit>

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

/// Trigger r + 1 + s * ranks: what rank r is sent in step s is there.
std::vector<CollectiveFlow> butterfly(const CollectiveConfig& c) {
  if (!std::has_single_bit(c.ranks))
    throw InputError(fmt::format("a butterfly of {} ranks; expected a power of two", c.ranks));
  std::vector<CollectiveFlow> flows;
  const Bytes message = part(c, 1);
  const std::uint32_t steps = static_cast<std::uint32_t>(std::bit_width(c.ranks)) - 1;
  for (std::uint32_t s = 0; s < steps; ++s) {
    for (std::uint32_t r = 0; r < c.ranks; ++r) {
      const std::uint32_t peer = r ^ (1u << s);
      flows.push_back({.from = r,
                       .to = peer,
                       .message = message,
                       .trigger = s == 0 ? 0 : r + 1 + (s - 1) * c.ranks,
                       .after = s == 0 ? 0u : 1u,
                       .fires_at_receiver = s + 1 == steps ? 0 : peer + 1 + s * c.ranks});
    }
  }
  return flows;
}

/// Rank r's flow number `i` of an all_to_all waits for others of r: trigger r + 1.
void wait_for_window(const CollectiveConfig& c, std::uint32_t i, CollectiveFlow& flow) {
  if (c.window == 0 || c.window >= c.ranks - 1) return;
  flow.fires_at_sender = flow.from + 1;
  if (i < c.window) return;
  flow.trigger = flow.from + 1;
  flow.after = i - c.window + 1;
}

void refuse_slices(const CollectiveConfig& c) {
  if (c.slices == 1) return;
  throw InputError(
      fmt::format("{} slices; a butterfly, and an all_to_all with a window, have none", c.slices));
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
    case Operation::butterfly:
      refuse_slices(c);
      return butterfly(c);
    case Operation::tree:
    case Operation::double_tree:
    case Operation::hierarchical:
      throw ModelError("a collective that is a schedule, taken as flows");
    case Operation::all_to_all:
      if (c.window != 0) refuse_slices(c);
      break;
  }
  std::vector<CollectiveFlow> flows;
  const Bytes message = part(c, c.ranks * c.slices);
  for (std::uint32_t r = 0; r < c.ranks; ++r) {
    // The next rank first: in this order no rank is the first of all others.
    for (std::uint32_t d = 1; d < c.ranks; ++d) {
      flows.push_back({.from = r, .to = (r + d) % c.ranks, .message = message, .count = c.slices});
      wait_for_window(c, d - 1, flows.back());
    }
  }
  return flows;
}

}  // namespace horae::traffic
