// The two formats of GOAL schedules, and how their dependencies are put in place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/traffic/goal.hpp"

namespace horae::traffic {

inline constexpr std::uint64_t goal_cookie = 4223;  ///< a binary file begins with it
inline constexpr std::uint32_t most_goal_ranks = 131072;
inline constexpr std::uint64_t most_goal_bytes = std::uint64_t{1} << 40;  ///< of a message
inline constexpr std::uint64_t most_goal_units = std::uint64_t{1} << 50;  ///< of a calc

GoalSchedule read_goal_text(const std::string& path);
GoalSchedule read_goal_binary(const std::string& path);

/// A fault of an operation, at its line, or its number in a binary file.
InputError goal_error(const GoalSchedule& schedule, std::uint32_t rank, const GoalOp& op,
                      std::string_view message);
/// "line 4", or "operation 4" of a binary file.
std::string place_of(const GoalSchedule& schedule, const GoalOp& op);

/// `waits` waits for the end of `on`, or for its start.
struct GoalDependency {
  std::uint32_t waits = 0, on = 0;
  bool start = false;
};

/// Fills in what `rank` says of dependencies.
void place_dependencies(GoalRank& rank, const std::vector<GoalDependency>& all);

}  // namespace horae::traffic
