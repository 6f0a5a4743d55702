// A GOAL schedule on hosts: which messages go over which channels, and what each host does when.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/traffic/goal.hpp"
#include "horae/traffic/host_program.hpp"

namespace horae::traffic {

/// How long operations take on a host.
struct GoalTimes {
  Picoseconds start{};            ///< of the schedule
  Picoseconds calc_unit = 1_ns;   ///< of one unit of a calc
  Picoseconds overhead{};         ///< of the cpu, for each send before and each recv after
  bool sends_end_posted = false;  ///< a send ends when it is posted; else when it is acknowledged
  bool delays = false;            ///< calcs are delays, any number at a time: they take no cpu
};

/// Messages of one size and tag from one rank to another: a connection of their own.
struct GoalChannel {
  std::uint32_t from = 0, to = 0;  ///< ranks
  std::uint32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint32_t count = 0;  ///< messages
};

/// A schedule and its channels, for the programs of all its ranks.
class GoalPlan {
 public:
  GoalPlan(GoalSchedule schedule, const GoalTimes& times);

  const GoalSchedule& schedule() const { return schedule_; }
  const GoalTimes& times() const { return times_; }
  /// In the order in which ranks, then operations, need them.
  const std::vector<GoalChannel>& channels() const { return channels_; }
  /// Channel of a sending operation.
  std::uint32_t channel_of(std::uint32_t rank, std::uint32_t op) const {
    return channel_of_[rank][op];
  }

 private:
  GoalSchedule schedule_;
  GoalTimes times_;
  std::vector<GoalChannel> channels_;
  std::vector<std::vector<std::uint32_t>> channel_of_;
};

/// Operations of rank `rank`. An operation is ready when all that it requires has ended and all
/// that it irequires has started. A calc then takes its cpu, when the operations that were ready
/// before it are through with it. A send takes the cpu for the overhead and is posted. A recv has
/// started when it is ready; when its message is there the cpu takes the overhead, and it has
/// ended. Operations that are ready at the same time go in the order in which they became so, at
/// first in that of the file. Everything is `later` by so much.
std::unique_ptr<HostProgram> goal_program(std::shared_ptr<const GoalPlan> plan, std::uint32_t rank,
                                          Picoseconds later = {});

}  // namespace horae::traffic
