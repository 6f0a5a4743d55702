// A GOAL schedule on a network that takes the same time for each message, however many there are.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "horae/traffic/goal_program.hpp"

namespace horae::testing {

struct Ran {
  std::vector<Picoseconds> ends;  ///< by rank
  std::uint64_t messages = 0;
  bool finished = true;
};

/// Runs all ranks; a message takes `latency`, and its sender knows of it another `latency` later.
inline Ran run(const traffic::GoalSchedule& schedule, const traffic::GoalTimes& times = {},
               Picoseconds latency = 1_us) {
  const auto plan = std::make_shared<traffic::GoalPlan>(schedule, times);
  std::vector<std::unique_ptr<traffic::HostProgram>> programs;
  enum What { arrives, acknowledged, proceeds };
  using Key = std::tuple<Picoseconds, std::uint64_t>;
  std::map<Key, std::tuple<What, std::uint32_t, std::uint32_t>> events;  // rank, channel
  std::uint64_t ordinal = 0;
  Ran out;
  const auto go_on = [&](std::uint32_t r, Picoseconds now) {
    for (const std::uint32_t c : programs[r]->take_posts()) {
      ++out.messages;
      EXPECT_EQ(plan->channels()[c].from, r);
      events[{now + latency, ordinal++}] = {arrives, plan->channels()[c].to, c};
      events[{now + latency * 2, ordinal++}] = {acknowledged, r, c};
    }
    if (programs[r]->next() != never) events[{programs[r]->next(), ordinal++}] = {proceeds, r, 0};
  };
  for (std::uint32_t r = 0; r < schedule.ranks.size(); ++r) {
    programs.push_back(traffic::goal_program(plan, r));
    programs[r]->begin();
    go_on(r, Picoseconds(0));
  }
  while (!events.empty()) {
    const auto [key, event] = *events.begin();
    events.erase(events.begin());
    const Picoseconds now = std::get<0>(key);
    const auto [what, rank, channel] = event;
    if (what == arrives) programs[rank]->received(channel, 1, now);
    if (what == acknowledged) programs[rank]->completed(channel, 1, now);
    if (what == proceeds) programs[rank]->proceed(now);
    go_on(rank, now);
  }
  for (const auto& program : programs) {
    out.finished = out.finished && program->finished();
    out.ends.push_back(program->end());
  }
  return out;
}

}  // namespace horae::testing
