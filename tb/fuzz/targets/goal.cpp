// GOAL schedules, text and binary: what is read is a schedule whose binary form reads as the same.
#include "horae/traffic/goal.hpp"

#include "../target.hpp"
#include "goal_bytes.hpp"

namespace {

using namespace horae;
using traffic::GoalOp;

void require_same(const traffic::GoalRank& a, const traffic::GoalRank& b) {
  fuzz::require(a.ops.size() == b.ops.size() && a.dependents == b.dependents,
                "another number of operations or dependents");
  for (std::size_t i = 0; i < a.ops.size(); ++i) {
    const GoalOp &x = a.ops[i], &y = b.ops[i];
    fuzz::require(x.kind == y.kind && x.size == y.size && x.peer == y.peer && x.tag == y.tag &&
                      x.cpu == y.cpu && x.nic == y.nic,
                  "another operation");
    fuzz::require(x.needs == y.needs && x.first == y.first && x.at_end == y.at_end &&
                      x.at_start == y.at_start,
                  "other dependencies");
  }
}

}  // namespace

bool horae::fuzz::one_input(std::span<const std::uint8_t> bytes) {
  static fuzz::MemoryFile file;
  file.write(bytes);
  return fuzz::read_or_refuse([&] {
    const auto schedule = traffic::read_goal(file.path());
    for (const auto& rank : schedule.ranks) {
      for (const GoalOp& op : rank.ops) {
        const bool any = op.kind == GoalOp::Kind::recv && op.peer == GoalOp::any;
        fuzz::require(op.kind == GoalOp::Kind::calc || any || op.peer < schedule.ranks.size(),
                      "a peer that is not there");
      }
    }
    const std::string text = testing::goal_bytes(schedule);
    static fuzz::MemoryFile binary;
    binary.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    const auto again = traffic::read_goal(binary.path());
    fuzz::require(again.binary && again.ranks.size() == schedule.ranks.size(), "other ranks");
    for (std::size_t r = 0; r < again.ranks.size(); ++r)
      require_same(schedule.ranks[r], again.ranks[r]);
  });
}
