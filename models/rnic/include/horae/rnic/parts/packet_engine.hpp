// The packet engine: what each packet takes of it beside the wire. No SystemC.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rnic/parts/held_contexts.hpp"
#include "horae/rnic/spec/engine_config.hpp"

namespace horae::rnic {

/// Kind of work of a unit of the engine.
enum class EngineWork : std::uint8_t { send, receive, ack_send, ack_receive, visit, count_ };
inline constexpr std::size_t engine_works = static_cast<std::size_t>(EngineWork::count_);

/// Arrivals, by the time that they take.
enum class Arrival : std::uint8_t { data, read, message, atomic, response, count_ };

/// Names of the public blocks that do it: SXP sends packets, RXT takes received ones apart; context
/// reads have no name of their own.
constexpr std::string_view name_of(EngineWork work) {
  constexpr std::array<std::string_view, engine_works> names = {"sxp_data", "rxt_data", "sxp_ack",
                                                                "rxt_ack", "visit"};
  return names[static_cast<std::size_t>(work)];
}

/// Totals since the start of the run.
struct EngineCounters {
  std::array<Picoseconds, engine_works> busy{};  ///< time of units, all together
  std::uint64_t visits = 0;                      ///< that took time
  Picoseconds rxb_wait{};  ///< received packets waited in the RX buffer for a unit, summed

  /// Calls `f` with each pair of equal counters of both.
  template <class F>
  friend void for_each_pair(EngineCounters& a, const EngineCounters& b, F&& f) {
    for (std::size_t i = 0; i < engine_works; ++i) f(a.busy[i], b.busy[i]);
    f(a.visits, b.visits);
    f(a.rxb_wait, b.rxb_wait);
  }
};

/// Reservations of its units. A received packet takes its unit as soon as it comes, behind those
/// before it; a packet to be sent begins only when its unit is free, so received ones go first.
/// Queue pairs are numbered from 0. Times never decrease.
class PacketEngine {
 public:
  /// Counts in `counters`, which the caller keeps alive.
  PacketEngine(const EngineConfig& config, EngineCounters& counters);

  /// One more queue pair (elaboration only).
  void add();

  /// Whether queue pairs have a ceiling: then sends_from() and send() want to know what begins a
  /// message.
  bool has_ceiling() const { return config_.queue_pair > 0_ps; }
  /// From when a data packet of queue pair `i`, which begins a message or not, may begin.
  Picoseconds sends_from(std::size_t i, bool message) const {
    return message ? std::max(next_message_[i], free_from(i)) : free_from(i);
  }
  /// From when one of its responses may: at once where they take no time.
  Picoseconds responds_from(std::size_t i) const {
    return config_.ack_send == 0_ps ? 0_ps : free_from(i);
  }
  /// From when any unit sends.
  Picoseconds any_from() const { return *std::min_element(sending(), sending() + config_.units); }

  /// A data packet, or a response, of queue pair `i` begins at `now`, when it may.
  void send(std::size_t i, bool message, Picoseconds now);
  void respond(std::size_t i, Picoseconds now);
  /// One arrives; returns when the engine is done with it. Those of a queue pair leave in the order
  /// of their arrival, whichever units worked on them.
  Picoseconds receive(std::size_t i, Arrival what, Picoseconds now);

  /// From when until when a unit works on the packet of the last call of one of these.
  Picoseconds began() const { return began_; }
  Picoseconds done() const { return done_; }

  /// Received packets that are not done: one more, one less.
  void packet_waits() { ++waiting_; }
  void packet_goes_on() { --waiting_; }
  std::uint64_t waiting() const { return waiting_; }

 private:
  const Picoseconds* sending() const { return free_.data(); }
  Picoseconds free_from(std::size_t i) const { return sending()[unit_of(sending(), i)]; }
  Picoseconds* receiving() {
    return free_.data() + (config_.pools == EnginePools::apart ? config_.units : 0);
  }
  std::size_t unit_of(const Picoseconds* pool, std::size_t i) const {
    if (config_.binding == EngineBinding::cyclic) return i % config_.units;
    return static_cast<std::size_t>(std::min_element(pool, pool + config_.units) - pool);
  }
  /// `time` for `work` on queue pair `i`, and that of a visit; counts both.
  Picoseconds take(EngineWork work, Picoseconds time, std::size_t i, ContextRole role);

  EngineConfig config_;
  EngineCounters& counters_;
  std::array<Picoseconds, static_cast<std::size_t>(Arrival::count_)> arrivals_;
  std::vector<Picoseconds> free_;          ///< of each unit: those that send, then those apart
  std::vector<Picoseconds> next_message_;  ///< of each queue pair
  std::vector<Picoseconds> received_;  ///< of each, until when the last one that came is worked on
  HeldContexts contexts_;
  std::uint64_t waiting_ = 0;
  Picoseconds began_{}, done_{};
};

}  // namespace horae::rnic
