// A GOAL schedule as LogGOPSim's txt2bin writes it (serialize_mmap in src/LogGOPSim/Parser.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "horae/traffic/goal.hpp"

namespace horae::testing {

inline std::string goal_bytes(const traffic::GoalSchedule& schedule) {
  const auto put = [](std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xff);
  };
  std::string head, parts;
  const std::uint64_t front = 6 + 16 * schedule.ranks.size();
  put(head, 4223, 8);
  put(head, schedule.ranks.size(), 4);
  put(head, 0, 1), put(head, 0, 1);
  for (const auto& rank : schedule.ranks) {
    put(head, front + parts.size(), 8);
    std::string roots, ops, lists;
    std::uint64_t root_count = 0, listed = 0;
    for (std::uint32_t i = 0; i < rank.ops.size(); ++i) {
      const auto& op = rank.ops[i];
      if (op.needs == 0) put(roots, i, 4), ++root_count;
      put(ops, op.needs, 4), put(ops, static_cast<std::uint64_t>(op.kind), 1);
      put(ops, op.peer, 4), put(ops, op.size, 8), put(ops, op.tag, 4);
      put(ops, op.cpu, 1), put(ops, op.nic, 1);
      put(ops, op.at_end, 4), put(ops, listed, 4);
      put(ops, op.at_start, 4), put(ops, listed + op.at_end, 4);
      listed += op.at_end + op.at_start;
      for (const auto d : rank.after_end(op)) put(lists, d, 4);
      for (const auto d : rank.after_start(op)) put(lists, d, 4);
    }
    put(parts, rank.ops.size(), 4), put(parts, root_count, 4);
    parts += roots + ops + lists;
    put(head, front + parts.size(), 8);
  }
  return head + parts;
}

}  // namespace horae::testing
