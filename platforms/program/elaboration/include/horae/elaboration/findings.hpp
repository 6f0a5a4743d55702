// Reports of the devices at the end of a run, from all ranks.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/core/stats.hpp"
#include "horae/elaboration/counted_so_far.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/fabric/ports/pause_waits.hpp"

namespace horae::elaboration {

/// How a connection ended the run, as both of its ends know.
struct FlowEnd {
  rnic::QueuePair::Progress progress{};  ///< what was sent and completed, and what was received
  bool finished = false;
  bool timed = false;  ///< messages were completed since the warm-up; post to completion, in ps:
  std::int64_t p50 = 0, p99 = 0, most = 0;
  CountedSoFar::OfFlow measured{};  ///< in the measured time
  bool in_error() const { return progress.error_time != never; }
};

/// A port began to be held by PFC, or no longer was.
struct PauseTurn {
  Picoseconds at{};
  std::uint32_t port = 0;
  bool held = false;
};

struct DeviceEnd {
  std::uint64_t events = 0;
  std::uint64_t hops = 0;             ///< packets put on links
  std::vector<NamedNumber> counters;  ///< of a chip, or a part of a plain switch; measured time
  nlohmann::ordered_json statistics;  ///< everything it counted (describe_devices)
  std::vector<std::string> queues;    ///< of a stuck run: what is in them (describe_queues)
  fabric::PauseWaits waits;           ///< of a run that did not complete
  std::vector<PauseTurn> pauses;      ///< of a platform with sites: port by port
  std::vector<Picoseconds> programs;  ///< of a NIC's host: when each ended; `never`: it has not
  /// Injections of its ports, by number of the platform's event, and what they have met.
  std::vector<fabric::Injector::Met> injections;
};

/// Report of a module on a link, or of one in the place of host memory.
struct ModuleEnd {
  std::string name;
  std::vector<NamedNumber> counters;  ///< measured time
  nlohmann::ordered_json statistics;
  std::vector<std::string> queues;  ///< as of a device
};

/// The fates of packets, summed.
struct PacketBook {
  std::uint64_t created = 0, delivered = 0;
  std::array<std::uint64_t, fabric::drop_causes> dropped{};
  std::uint64_t live = 0;         ///< by the pools' ledgers, and between ranks
  std::uint64_t outstanding = 0;  ///< out of the pools' free lists, and between ranks
  std::uint64_t held = 0;         ///< by devices, and between ranks
  std::uint64_t between_ranks = 0;

  void add(const PacketBook& other);
};

/// Reports of all devices that run in this process; after gather(), of all devices. Sums and
/// distributions are of whole numbers, so they do not depend on how ranks share the devices.
struct Findings {
  std::vector<FlowEnd> flows;      ///< by connection
  std::vector<DeviceEnd> devices;  ///< by device
  std::vector<ModuleEnd> modules;  ///< as CountedSoFar has them; a run with one has one rank
  PacketBook packets;
  Histogram latency;  ///< post to completion of all messages since the warm-up, ps
  std::vector<Histogram> named_latency;  ///< likewise by traffic table; empty of those without name
  Histogram reorder_depth;               ///< of all receivers
  fabric::output_queued_switch::Counters switches;  ///< of plain ones, in the measured time
  std::int64_t most_buffered = 0;                   ///< by any of them in the whole run, bytes

  /// `warmup`: what was counted when the measured time began; empty: it is the whole run.
  static Findings of(const Simulation& simulation, const CountedSoFar& warmup = {});
  /// Fills in each device's statistics and pauses up to `end`; of a run that ended before all was
  /// done, what its queues hold and wait for.
  void describe_devices(const Simulation& simulation, Picoseconds end, bool ended_early);
  /// All ranks call it: rank 0 then has what all of them found.
  void gather(const Simulation& simulation, fabric::rank_exchange& ranks);

  /// When a message was, or is to be, posted; `never`: it waits for others still.
  Picoseconds posted_at(const Message& message) const {
    return message.flow.trigger == 0 ? message.flow.start
                                     : flows[message.connection].progress.first_post;
  }
};

}  // namespace horae::elaboration
