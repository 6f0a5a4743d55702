// Collectives whose messages wait for several others: as schedules of operations.
#include <fmt/format.h>

#include <bit>
#include <optional>

#include "goal_formats.hpp"
#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/traffic/collective.hpp"

namespace horae::traffic {
namespace {

/// Operations of one rank, as they are added.
class RankWriter {
 public:
  explicit RankWriter(std::uint64_t compute) : compute_(compute) {}

  using Op = std::uint32_t;
  /// Receives wait for nothing: those of one peer and tag take messages in the order of their being
  /// added.
  Op recv(std::uint32_t from, std::uint32_t tag, std::uint64_t bytes) {
    return add({.size = bytes, .peer = from, .tag = tag, .kind = GoalOp::Kind::recv}, {});
  }
  void send(std::uint32_t to, std::uint32_t tag, std::uint64_t bytes, std::optional<Op> after) {
    add({.size = bytes, .peer = to, .tag = tag, .kind = GoalOp::Kind::send},
        after ? std::vector<Op>{*after} : std::vector<Op>{});
  }
  /// Something to be computed of what came.
  Op compute(const std::vector<Op>& of) {
    return add({.size = compute_, .kind = GoalOp::Kind::calc}, of);
  }
  GoalRank done() {
    place_dependencies(rank_, dependencies_);
    return std::move(rank_);
  }

 private:
  Op add(const GoalOp& op, const std::vector<Op>& after) {
    const auto number = static_cast<Op>(rank_.ops.size());
    rank_.ops.push_back(op);
    rank_.ops.back().place = number;
    for (const Op on : after) dependencies_.push_back({number, on, false});
    return number;
  }

  std::uint64_t compute_;
  GoalRank rank_;
  std::vector<GoalDependency> dependencies_;
};

std::uint64_t part(const CollectiveConfig& c, std::uint64_t parts) {
  const auto size = static_cast<std::uint64_t>(c.size.count());
  if (size % parts == 0 && size != 0) return size / parts;
  throw InputError(fmt::format("{} does not divide into {} equal messages of at least a byte",
                               to_text(c.size), parts));
}

/// Where a rank is in a tree.
struct TreePlace {
  std::optional<std::uint32_t> parent;
  std::vector<std::uint32_t> children;
};

TreePlace tree_place(std::uint32_t r, std::uint32_t n) {
  TreePlace place;
  if (r == 0) {
    if (n > 1) place.children.push_back(std::bit_floor(n - 1));
    return place;
  }
  const std::uint32_t low = r & (~r + 1);
  const std::uint32_t up = (r ^ low) | low << 1;
  place.parent = up < n ? up : r ^ low;
  for (std::uint32_t half = low >> 1; half != 0; half >>= 1) {
    if (place.children.empty()) place.children.push_back(r - half);
    if (r + half < n) {
      place.children.push_back(r + half);
      break;
    }
  }
  return place;
}

/// The second tree of a pair.
TreePlace other_place(std::uint32_t r, std::uint32_t n) {
  const bool shifted = n % 2 != 0;
  const auto to = [&](std::uint32_t x) { return shifted ? (x + 1) % n : n - 1 - x; };
  const auto from = [&](std::uint32_t x) { return shifted ? (x + n - 1) % n : n - 1 - x; };
  TreePlace place = tree_place(from(r), n);
  if (place.parent) place.parent = to(*place.parent);
  for (std::uint32_t& child : place.children) child = to(child);
  return place;
}

void add_tree(RankWriter& rank, const TreePlace& place, std::uint32_t tag, std::uint32_t slices,
              std::uint64_t bytes) {
  const std::uint32_t up = 2 * tag, down = 2 * tag + 1;
  for (std::uint32_t s = 0; s < slices; ++s) {
    std::vector<RankWriter::Op> parts;
    for (const std::uint32_t child : place.children) parts.push_back(rank.recv(child, up, bytes));
    std::optional<RankWriter::Op> reduced;
    if (!parts.empty()) reduced = rank.compute(parts);
    if (place.parent) {
      rank.send(*place.parent, up, bytes, reduced);
      reduced = rank.recv(*place.parent, down, bytes);
    }
    for (const std::uint32_t child : place.children) rank.send(child, down, bytes, reduced);
  }
}

/// A ring of `n`: `steps` steps of `slices` messages to the next one, each of what the step before
/// brought; slice s of the first waits for `after[s]`. Returns what the last step brought.
std::vector<RankWriter::Op> add_ring(RankWriter& rank, std::uint32_t next, std::uint32_t before,
                                     std::uint32_t tag, std::uint32_t steps, std::uint32_t slices,
                                     std::uint64_t bytes, std::vector<RankWriter::Op> after) {
  for (std::uint32_t step = 0; step < steps; ++step) {
    std::vector<RankWriter::Op> came;
    for (std::uint32_t s = 0; s < slices; ++s) {
      rank.send(next, tag, bytes,
                after.empty() ? std::nullopt : std::optional<RankWriter::Op>(after[s]));
      came.push_back(rank.compute({rank.recv(before, tag, bytes)}));
    }
    after = came;
  }
  return after;
}

GoalRank hierarchical_rank(const CollectiveConfig& c, std::uint32_t r) {
  const std::uint32_t nodes = c.ranks / c.local;
  const std::uint32_t first = r / c.local * c.local, mine = r % c.local;
  const std::uint32_t next = first + (mine + 1) % c.local;
  const std::uint32_t before = first + (mine + c.local - 1) % c.local;
  const std::uint64_t of_part = part(c, std::uint64_t{c.local} * c.slices);
  const std::uint64_t of_step = part(c, std::uint64_t{c.ranks} * c.slices);
  RankWriter rank(static_cast<std::uint64_t>(c.compute.count()));
  auto after = add_ring(rank, next, before, 0, c.local - 1, c.slices, of_part, {});
  if (nodes > 1) {
    after = add_ring(rank, (r + c.local) % c.ranks, (r + c.ranks - c.local) % c.ranks, 1,
                     2 * (nodes - 1), c.slices, of_step, after);
  }
  add_ring(rank, next, before, 2, c.local - 1, c.slices, of_part, after);
  return rank.done();
}

}  // namespace

bool is_schedule(Operation operation) {
  return operation == Operation::tree || operation == Operation::double_tree ||
         operation == Operation::hierarchical;
}

GoalSchedule collective_schedule(const CollectiveConfig& c) {
  if (c.ranks < 2) throw InputError(fmt::format("a collective of {} rank", c.ranks));
  GoalSchedule schedule;
  schedule.path = "collective";
  schedule.binary = true;  // places are numbers of operations
  if (c.operation == Operation::hierarchical && (c.local == 0 || c.ranks % c.local != 0)) {
    throw InputError(
        fmt::format("{} ranks do not make nodes of {} each (local)", c.ranks, c.local));
  }
  for (std::uint32_t r = 0; r < c.ranks; ++r) {
    if (c.operation == Operation::hierarchical) {
      schedule.ranks.push_back(hierarchical_rank(c, r));
      continue;
    }
    const bool two = c.operation == Operation::double_tree;
    const std::uint64_t bytes = part(c, std::uint64_t{two ? 2u : 1u} * c.slices);
    RankWriter rank(static_cast<std::uint64_t>(c.compute.count()));
    add_tree(rank, tree_place(r, c.ranks), 0, c.slices, bytes);
    if (two) add_tree(rank, other_place(r, c.ranks), 1, c.slices, bytes);
    schedule.ranks.push_back(rank.done());
  }
  return schedule;
}

}  // namespace horae::traffic
