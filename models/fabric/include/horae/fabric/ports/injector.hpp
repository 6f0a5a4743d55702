// Harm done on purpose to chosen packets of one direction of a link, as a hardware test bench does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "horae/core/packet.hpp"

namespace horae::fabric {

/// Which packets are harmed, and how. Packets are counted by queue pair, so that each queue pair
/// that passes has its own packet 1. Form and names follow the events of Lumina (SIGCOMM 2023),
/// whose `data-pkt-events` have a queue pair, a PSN, an iteration and a type.
struct Injection {
  enum class Action : std::uint8_t {
    drop,      ///< it is lost
    mark,      ///< its ECN field becomes CE
    corrupt,   ///< a bit is wrong: the end point's ICRC check fails, and it drops the packet
    delay,     ///< it arrives `delay` later; packets behind it overtake it
    duplicate  ///< a copy arrives directly behind it, `delay` later if given
  };
  enum class Packets : std::uint8_t {
    data,  ///< with payload, or the requests of READs and atomics that take their place
    acks,  ///< ACKs and SACKs
    nacks,
    cnps
  };
  /// All that goes from one queue pair to another.
  struct Stream {
    NodeId src = 0;
    NodeId dst = 0;
    std::uint32_t dest_qp = 0;
    friend auto operator<=>(const Stream&, const Stream&) = default;
  };

  Action action = Action::drop;
  Packets packets = Packets::data;
  std::vector<Stream> streams{};  ///< ascending; empty: all
  /// The first PSN, as on the wire; absent: packets are chosen by their ordinal.
  std::optional<std::uint32_t> psn{};
  std::uint64_t iteration = 1;  ///< with a PSN: its so-manieth passing, the first is 1
  std::uint64_t packet = 1;     ///< without a PSN: ordinal of the first, from 1
  std::uint64_t count = 1;      ///< so many packets, or PSNs
  std::uint64_t every = 1;      ///< of so many one, beginning with the first
  Picoseconds delay{};

  bool chooses(const Packet& p) const;
};
std::string_view name_of(Injection::Action action);

/// The injections of one direction of a link. It decides; the port carries it out.
class Injector {
 public:
  /// Fate of one packet.
  struct Harm {
    bool drop = false;
    bool mark = false;
    bool corrupt = false;
    Picoseconds delay{};
    std::optional<Picoseconds> copy{};  ///< a copy arrives so much behind it, its own time on the
                                        ///< wire left aside
  };
  /// An injection, and the packets that it has met.
  struct Met {
    std::uint32_t number;  ///< of the injection, as given
    std::uint64_t packets = 0;
    Picoseconds first = never;  ///< when the first of them was sent
  };

  void add(std::uint32_t number, Injection injection);
  /// A packet is sent at `at`. Calls `met(action)` for each injection that it meets.
  template <class F>
  Harm meet(const Packet& p, Picoseconds at, F&& met) {
    Harm harm;
    for (Rule& rule : rules_) {
      if (!rule.injection.chooses(p) || !meets(rule, p)) continue;
      if (rule.met.packets++ == 0) rule.met.first = at;
      const Injection& i = rule.injection;
      harm.drop |= i.action == Injection::Action::drop;
      harm.mark |= i.action == Injection::Action::mark;
      harm.corrupt |= i.action == Injection::Action::corrupt;
      if (i.action == Injection::Action::delay) harm.delay = harm.delay + i.delay;
      if (i.action == Injection::Action::duplicate) harm.copy = i.delay;
      met(i.action);
    }
    return harm;
  }
  /// By injection, as they were added.
  std::vector<Met> met() const;
  /// Packets counted towards injections that were not over: each may turn what comes next.
  std::uint64_t chances() const { return chances_; }

 private:
  struct Rule {
    Injection injection;
    Met met;
    std::map<Injection::Stream, std::uint64_t> passed{};  ///< packets counted
    std::map<std::pair<Injection::Stream, std::uint32_t>, std::uint64_t> passed_psn{};
  };

  /// Counts a packet that the rule chooses; whether it is one of those to be harmed.
  bool meets(Rule& rule, const Packet& p);

  std::vector<Rule> rules_;
  std::uint64_t chances_ = 0;
};

}  // namespace horae::fabric
