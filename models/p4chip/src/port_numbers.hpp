// Ports of a chip as programs number them: pipe << 7 | lane.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "horae/p4prog/entries.hpp"

namespace horae::p4chip {

/// A port of a platform's switch has the number that an entries file gives it. The others have, in
/// each pipe in turn, a lane that is free: from 0 on (Tofino), from 8 on (Tofino2), in steps that
/// leave 64 lanes for the pipe's ports. Where lanes begin, and recirculation: open-p4studio,
/// bf-drivers (front ports of a pipe, dev_port 68 and 6).
class PortNumbers {
 public:
  /// `pipe_of_port`: by the platform's numbers. InputError, with its place, for a number that is
  /// taken, of another pipe or no port's.
  PortNumbers(const std::vector<unsigned>& pipe_of_port, bool tofino2,
              const std::vector<p4prog::PortName>& names);

  unsigned number_of(unsigned switch_port) const { return numbers_.at(switch_port); }
  std::optional<unsigned> port_of(unsigned number) const {
    const auto found = ports_.find(number);
    return found == ports_.end() ? std::nullopt : std::optional(found->second);
  }
  unsigned recirculation(unsigned pipe) const { return recirculation_lane_ | pipe << 7; }
  /// The pipe whose recirculation port that is.
  std::optional<unsigned> pipe_of_recirculation(unsigned number) const {
    return (number & 0x7f) == recirculation_lane_ ? std::optional(number >> 7) : std::nullopt;
  }

 private:
  void give(unsigned switch_port, unsigned number) {
    numbers_[switch_port] = number;
    ports_[number] = switch_port;
  }

  unsigned recirculation_lane_;
  std::vector<unsigned> numbers_;
  std::map<unsigned, unsigned> ports_;
};

}  // namespace horae::p4chip
