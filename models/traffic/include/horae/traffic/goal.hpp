// GOAL schedules: operations of ranks (send, recv, calc) and what waits for what (Hoefler, Siebert,
// Lumsdaine, "Group Operation Assembly Language", ICPP 2009), as LogGOPSim reads them
// (spcl/LogGOPSim: src/LogGOPSim/txt2bin.re, Parser.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::traffic {

/// An operation of a rank.
struct GoalOp {
  enum class Kind : std::uint8_t { send = 1, recv = 2, calc = 3 };  // as in the binary format
  static constexpr std::uint32_t any = 0xffffffff;  ///< a peer or tag of a recv: whatever comes

  std::uint64_t size = 0;  ///< bytes; of a calc: units of time
  std::uint32_t peer = 0;  ///< rank that is sent to, or received from
  std::uint32_t tag = 0;
  std::uint32_t place = 0;  ///< line of the text, or number of the operation in a binary rank
  std::uint32_t needs = 0;  ///< dependencies, of either sort
  std::uint32_t first = 0;  ///< in GoalRank::dependents, of those that wait for its end ...
  std::uint32_t at_end = 0;
  std::uint32_t at_start = 0;  ///< ... then of those that wait for its start
  Kind kind = Kind::calc;
  std::uint8_t cpu = 0;  ///< stream of the host that it takes
  std::uint8_t nic = 0;
};

struct GoalRank {
  std::vector<GoalOp> ops;
  std::vector<std::uint32_t> dependents;  ///< operations of this rank, by number

  std::span<const std::uint32_t> after_end(const GoalOp& op) const {
    return std::span(dependents).subspan(op.first, op.at_end);
  }
  std::span<const std::uint32_t> after_start(const GoalOp& op) const {
    return std::span(dependents).subspan(op.first + op.at_end, op.at_start);
  }
};

struct GoalSchedule {
  std::string path;
  bool binary = false;
  std::vector<GoalRank> ranks;

  std::uint64_t operations() const;
};

/// Reads a file, packed with gzip or zstd or not, as text or as LogGOPSim's txt2bin makes of it.
/// Every fault is an InputError: at file:line:column of a text, with the byte of a binary file.
/// What is read has no operation that can never end: that is refused too (check_goal).
GoalSchedule read_goal(const std::string& path);

/// InputError, at the operation, where dependencies of a rank are a cycle, where a message is never
/// received, where a recv never gets one, and where ranks wait for each other whichever recv takes
/// which message. Of schedules with recvs of any source or tag only cycles are found.
void check_goal(const GoalSchedule& schedule);

}  // namespace horae::traffic
