#include "reorder_queues.hpp"

#include <fmt/format.h>

#include <bit>

#include "horae/core/error.hpp"

namespace horae::programs::conweave {
namespace {

/// Port and queue as the tables match them, 9 and 7 bits.
std::uint16_t key_of(unsigned port, unsigned number) {
  return static_cast<std::uint16_t>(port << 7 | number);
}

}  // namespace

ReorderQueues::Group::Group(dataplane::Pipeline& pipeline, const ConweaveConfig& config, char name,
                            const dataplane::Hash& hash, const Needs& owner_needs)
    // Cell of the state, and the word for the traffic manager.
    : queues(pipeline, in, fmt::format("queues_{}", name),
             {.key_bits = 16, .entries = config.queue_entries, .data_bits = 42}, {matches(hash)}),
      owner(pipeline, in, fmt::format("owner_{}", name),
            {.width = 32,
             .entries = config.queue_entries,
             .accesses = 3,
             .reads = {fmt::format("queue_{}", name)}},
            owner_needs),
      take(pipeline, owner, "take"),
      is(pipeline, owner, "is"),
      give_back(pipeline, owner, "give_back") {}

ReorderQueues::ReorderQueues(dataplane::Pipeline& pipeline, const ConweaveConfig& config,
                             const Routes& routes, const dataplane::Object& status,
                             const dataplane::Gateway& is_waiting,
                             const dataplane::Gateway& is_over)
    : queues_(config.queues),
      hash_(pipeline, in, "queue_hash", {.input_bits = 80, .output_bits = 21}) {
  for (unsigned g = 0; g < groups; ++g) {
    Needs needs = {matches(status), guarded_by(is_waiting), guarded_by(is_over)};
    if (g > 0) needs.push_back(matches(groups_[g - 1]->owner));
    groups_[g] =
        std::make_unique<Group>(pipeline, config, static_cast<char>('a' + g), hash_, needs);
  }
  std::uint32_t cell = 0;
  for (const auto& entry : routes.entries) {
    if (!entry.attached) continue;
    if (cell + queues_ > config.queue_entries) {
      throw InputError(
          fmt::format("{}: program.queue_entries = {} is too small for {} queues of "
                      "each port with a NIC",
                      pipeline.name(), config.queue_entries, queues_));
    }
    for (unsigned q = 0; q < queues_; ++q, ++cell) {
      const unsigned number = class_queues + q;
      const unsigned g = q / (queues_ / groups);
      groups_[g]->queues.insert(key_of(entry.ports.at(0), number),
                                {static_cast<std::uint16_t>(cell),
                                 static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(g)});
    }
  }
}

/// Tries the groups in turn.
template <class F>
std::optional<ReorderQueue> ReorderQueues::first_that(const PassKind auto& pass, unsigned port,
                                                      F&& suits) {
  const Packet& p = pass.header();
  const std::uint32_t hash =
      hash_.of(pass, {std::uint64_t{p.src} << 32 | p.dst, std::uint64_t{p.entropy}});
  const unsigned size = queues_ / groups;
  const auto bits = static_cast<unsigned>(std::bit_width(size - 1));
  for (unsigned g = 0; g < groups; ++g) {
    const unsigned sample = hash >> g * bits & (size - 1);
    const ReorderQueue* queue =
        groups_[g]->queues.lookup(pass, key_of(port, class_queues + g * size + sample));
    if (queue == nullptr) continue;
    if (suits(*groups_[g], queue->cell)) return *queue;
  }
  return std::nullopt;
}

std::optional<ReorderQueue> ReorderQueues::take(const PassKind auto& pass, unsigned port,
                                                std::uint16_t flow) {
  return first_that(pass, port, [&](Group& group, std::uint16_t cell) {
    return group.take.run(pass, cell, flow + 1u);
  });
}

std::optional<ReorderQueue> ReorderQueues::find(const PassKind auto& pass, unsigned port,
                                                std::uint16_t flow) {
  return first_that(pass, port, [&](Group& group, std::uint16_t cell) {
    return group.is.run(pass, cell, flow + 1u);
  });
}

void ReorderQueues::give_back(const PassKind auto& pass, std::uint16_t cell, std::uint16_t flow) {
  const unsigned g = cell % queues_ / (queues_ / groups);
  groups_[g]->give_back.run(pass, cell, flow + 1u);
}

Needs ReorderQueues::found() const {
  Needs needs;
  for (const auto& group : groups_) needs.push_back(matches(group->owner));
  return needs;
}

template std::optional<ReorderQueue> ReorderQueues::take(const Pass&, unsigned, std::uint16_t);
template std::optional<ReorderQueue> ReorderQueues::take(const TrustedPass&, unsigned,
                                                         std::uint16_t);
template std::optional<ReorderQueue> ReorderQueues::find(const Pass&, unsigned, std::uint16_t);
template std::optional<ReorderQueue> ReorderQueues::find(const TrustedPass&, unsigned,
                                                         std::uint16_t);
template void ReorderQueues::give_back(const Pass&, std::uint16_t, std::uint16_t);
template void ReorderQueues::give_back(const TrustedPass&, std::uint16_t, std::uint16_t);

}  // namespace horae::programs::conweave
