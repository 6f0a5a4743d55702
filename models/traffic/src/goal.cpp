#include "horae/traffic/goal.hpp"

#include <fmt/format.h>

#include <array>

#include "goal_formats.hpp"
#include "horae/core/unpacked_file.hpp"
#include "horae/params/location.hpp"

namespace horae::traffic {

std::uint64_t GoalSchedule::operations() const {
  std::uint64_t n = 0;
  for (const GoalRank& rank : ranks) n += rank.ops.size();
  return n;
}

GoalSchedule read_goal(const std::string& path) {
  std::array<char, 8> front{};
  std::size_t have = 0;
  {
    UnpackedFile file(path);
    while (have < front.size()) {
      const std::size_t n = file.read(std::span(front).subspan(have));
      if (n == 0) break;
      have += n;
    }
  }
  std::uint64_t cookie = 0;
  for (std::size_t i = 0; i < front.size(); ++i)
    cookie |= std::uint64_t{static_cast<unsigned char>(front[i])} << 8 * i;
  const bool binary = have == front.size() && cookie == goal_cookie;
  GoalSchedule schedule = binary ? read_goal_binary(path) : read_goal_text(path);
  check_goal(schedule);
  return schedule;
}

std::string place_of(const GoalSchedule& schedule, const GoalOp& op) {
  return fmt::format("{} {}", schedule.binary ? "operation" : "line", op.place);
}

InputError goal_error(const GoalSchedule& schedule, std::uint32_t rank, const GoalOp& op,
                      std::string_view message) {
  if (!schedule.binary) return input_error({schedule.path, op.place, 1, {}}, message);
  return InputError(
      fmt::format("{}: rank {}, operation {}: {}", schedule.path, rank, op.place, message));
}

void place_dependencies(GoalRank& rank, const std::vector<GoalDependency>& all) {
  for (const auto& d : all) {
    ++rank.ops[d.waits].needs;
    ++(d.start ? rank.ops[d.on].at_start : rank.ops[d.on].at_end);
  }
  std::uint32_t first = 0;
  for (GoalOp& op : rank.ops) {
    op.first = first;
    first += op.at_end + op.at_start;
    op.at_end = op.at_start = 0;  // counted again below
  }
  rank.dependents.resize(first);
  for (const bool start : {false, true}) {
    for (const auto& d : all) {
      if (d.start != start) continue;
      GoalOp& on = rank.ops[d.on];
      rank.dependents[on.first + on.at_end + on.at_start] = d.waits;
      ++(start ? on.at_start : on.at_end);
    }
  }
}

}  // namespace horae::traffic
