// Outcome of the ALU that an action describes, and how that differs from its run.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/dataplane/register_action.hpp"

namespace horae::dataplane::stateful {
namespace {

std::uint64_t mask_of(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::string text_of(const AluOutcome& out) {
  std::string text = fmt::format("cell {:#x}", fmt::join(out.cell, ", "));
  if (!out.words.empty()) text += fmt::format(", gives {:#x}", fmt::join(out.words, ", "));
  for (const bool flag : out.flags) text += flag ? ", yes" : ", no";
  return text;
}

}  // namespace

std::uint64_t Exploration::value(int node, const AluInput& in) const {
  const Node& n = nodes_.at(static_cast<std::size_t>(node));
  const std::uint64_t mask = mask_of(in.width);
  switch (n.op) {
    case 'c':
      return static_cast<std::uint64_t>(n.value) & mask;
    case 'b':
      return in.cell.at(static_cast<std::size_t>(n.value)) & mask;
    case 'o':
      return in.operands.at(static_cast<std::size_t>(n.value)) & mask;
    default:
      break;
  }
  const std::uint64_t a = value(n.left, in), b = value(n.right, in);
  switch (n.op) {
    case '+':
      return (a + b) & mask;
    case '-':
      return (a - b) & mask;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case 'm':
      return std::min(a, b);
    case 'M':
      return std::max(a, b);
    case 's':
      return a > mask - b ? mask : a + b;
    case 'd':
      return a < b ? 0 : a - b;
    case 'h':
      return a / 2;
    default:
      throw ModelError(fmt::format("no operation of a stateful ALU: {}", n.op));
  }
}

bool Exploration::holds(const Compare& c, const AluInput& in) const {
  const std::uint64_t a = value(c.left, in), b = value(c.right, in);
  if (c.relation == "==") return a == b;
  if (c.relation == "<") return a < b;
  const std::uint64_t ahead = (a - b) & mask_of(c.bits);
  return ahead != 0 && ahead < std::uint64_t{1} << (c.bits - 1);
}

std::optional<AluOutcome> Exploration::outcome(const AluInput& in) const {
  std::vector<bool> answers;
  for (const Compare& c : compares_) answers.push_back(holds(c, in));
  const Path* chosen = nullptr;
  for (const Path& p : paths_) {
    const bool fits = std::ranges::all_of(p.decided, [&](const auto& d) {
      return answers.at(static_cast<std::size_t>(d.first)) == d.second;
    });
    if (!fits) continue;
    if (chosen != nullptr) return std::nullopt;
    chosen = &p;
  }
  if (chosen == nullptr) return std::nullopt;
  AluOutcome out;
  for (const int node : chosen->cell) out.cell.push_back(value(node, in));
  for (const int node : chosen->words) out.words.push_back(value(node, in));
  for (const GivenFlag& f : chosen->flags) {
    out.flags.push_back(
        f.compare < 0 ? f.value : answers.at(static_cast<std::size_t>(f.compare)) != f.negated);
  }
  return out;
}

std::vector<std::int64_t> Exploration::constants() const {
  std::vector<std::int64_t> out;
  for (const Node& n : nodes_)
    if (n.op == 'c') out.push_back(n.value);
  return out;
}

AluInput draw_input(RandomStream& random, const std::vector<std::int64_t>& constants,
                    unsigned width) {
  AluInput in;
  in.width = width;
  const std::uint64_t mask = mask_of(width);
  std::uint64_t near = 0;  // what was drawn last
  const auto draw = [&]() -> std::uint64_t {
    const std::uint64_t step = std::uint64_t{random.below(9)} - 4;
    switch (random.below(7)) {
      case 0:
        return random.below(8);
      case 1:
        return mask - random.below(4);
      case 2:
        return near + step;
      case 3:
        return near + (mask >> 1) + step;  // the other side of the circle
      case 4:
        return near + (std::uint64_t{1} << random.below(width)) + step;
      case 5:
        if (!constants.empty()) {
          const auto at = random.below(static_cast<std::uint32_t>(constants.size()));
          const std::uint64_t c = static_cast<std::uint64_t>(constants[at]) + step;
          return random.below(2) == 0 ? c : near + c;
        }
        [[fallthrough]];
      default:
        return std::uint64_t{random.bits()} << 32 | random.bits();
    }
  };
  for (auto* const values : {&in.cell, &in.operands})
    for (auto& v : *values) v = near = draw() & mask;
  return in;
}

std::string difference(const AluInput& in, const std::optional<AluOutcome>& described,
                       AluOutcome ran) {
  const std::uint64_t mask = mask_of(in.width);
  for (auto& w : ran.words) w &= mask;
  if (described == ran) return {};
  return fmt::format("cell {:#x}, operands {:#x}: runs to {}; described as {}",
                     fmt::join(in.cell, ", "), fmt::join(in.operands, ", "), text_of(ran),
                     described ? text_of(*described) : "several ways, or none");
}

}  // namespace horae::dataplane::stateful
