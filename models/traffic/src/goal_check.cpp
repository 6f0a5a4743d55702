// Whether a schedule can end: done without time. Which recv of several of one source and tag takes
// a message depends on time, so here a message is enough for all of them: what does not end even so
// never ends.
#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "goal_formats.hpp"

namespace horae::traffic {
namespace {

using Kind = GoalOp::Kind;

class GoalCheck {
 public:
  explicit GoalCheck(const GoalSchedule& schedule)
      : schedule_(schedule), ranks_(schedule.ranks.size()) {}

  void check() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) check_cycles(r);
    if (has_wildcards()) return;
    check_counts();
    do_all();
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (std::uint32_t i = 0; i < ranks_[r].done.size(); ++i) {
        if (!ranks_[r].done[i]) refuse_stuck(r);
      }
    }
  }

 private:
  struct Rank {
    std::vector<std::uint32_t> needs;
    std::vector<bool> done;
  };
  /// Messages of a tag from one rank to another.
  struct Sent {
    bool any = false;
    std::vector<std::uint32_t> waits;  ///< recvs that have begun
  };
  struct Ready {
    std::uint32_t rank, op;
  };
  using Path = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< from, to, tag

  const std::vector<GoalOp>& ops(std::uint32_t rank) const { return schedule_.ranks[rank].ops; }

  std::vector<std::uint32_t> needs_of(std::uint32_t r) const {
    std::vector<std::uint32_t> needs;
    for (const GoalOp& op : ops(r)) needs.push_back(op.needs);
    return needs;
  }

  /// As if each recv had its message at once.
  void check_cycles(std::uint32_t r) const {
    const GoalRank& rank = schedule_.ranks[r];
    auto needs = needs_of(r);
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < needs.size(); ++i) {
      if (needs[i] == 0) ready.push_back(i);
    }
    std::size_t done = 0;
    while (!ready.empty()) {
      const GoalOp& op = rank.ops[ready.back()];
      ready.pop_back();
      ++done;
      const std::span<const std::uint32_t> all(rank.dependents.data() + op.first,
                                               op.at_end + op.at_start);
      for (const std::uint32_t d : all) {
        if (--needs[d] == 0) ready.push_back(d);
      }
    }
    if (done != needs.size()) refuse_cycle(r, needs);
  }

  /// Follows what is left from operation to operation until one comes again.
  [[noreturn]] void refuse_cycle(std::uint32_t r, const std::vector<std::uint32_t>& needs) const {
    const GoalRank& rank = schedule_.ranks[r];
    const auto n = static_cast<std::uint32_t>(needs.size());
    std::vector<std::uint32_t> waits_for(n, n);  // one of what each waits for that is left
    for (std::uint32_t i = 0; i < n; ++i) {
      if (needs[i] == 0) continue;
      const GoalOp& op = rank.ops[i];
      for (std::uint32_t d = 0; d < op.at_end + op.at_start; ++d)
        waits_for[rank.dependents[op.first + d]] = i;
    }
    std::uint32_t at = 0;
    while (needs[at] == 0) ++at;
    std::vector<bool> seen(n);
    while (!seen[at]) seen[at] = true, at = waits_for[at];
    std::string text = fmt::format("a cycle: {}", place_of(schedule_, rank.ops[at]));
    std::uint32_t shown = 0;
    for (std::uint32_t next = waits_for[at];; next = waits_for[next]) {
      constexpr std::uint32_t most_shown = 8;
      if (++shown > most_shown) {
        text += " and so on";
        break;
      }
      text += fmt::format(" waits for {}", place_of(schedule_, rank.ops[next]));
      if (next == at) break;
      text += ", which";
    }
    throw goal_error(schedule_, r, rank.ops[at], text);
  }

  bool has_wildcards() const {
    for (const GoalRank& rank : schedule_.ranks) {
      for (const GoalOp& op : rank.ops) {
        if (op.kind == Kind::recv && (op.peer == GoalOp::any || op.tag == GoalOp::any)) return true;
      }
    }
    return false;
  }

  /// As many messages of a tag from one to another as recvs of them.
  void check_counts() const {
    struct Count {
      std::uint64_t sends = 0, recvs = 0;
      std::uint32_t rank = 0, op = 0;  ///< the last of what there is more of, so far
    };
    std::map<Path, Count> all;
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      for (std::uint32_t i = 0; i < ops(r).size(); ++i) {
        const GoalOp& op = ops(r)[i];
        if (op.kind == Kind::calc) continue;
        const bool sends = op.kind == Kind::send;
        Count& c = all[sends ? Path{r, op.peer, op.tag} : Path{op.peer, r, op.tag}];
        ++(sends ? c.sends : c.recvs);
        if ((sends ? c.sends > c.recvs : c.recvs > c.sends)) c.rank = r, c.op = i;
      }
    }
    for (const auto& [path, c] : all) {
      if (c.sends == c.recvs) continue;
      const auto [from, to, tag] = path;
      const GoalOp& op = ops(c.rank)[c.op];
      throw goal_error(
          schedule_, c.rank, op,
          fmt::format("this {}: rank {} sends {} messages of tag {} to rank {}, which receives {}",
                      c.sends > c.recvs ? "send is never received" : "recv never gets a message",
                      from, c.sends, tag, to, c.recvs));
    }
  }

  void do_all() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].needs = needs_of(r);
      ranks_[r].done.resize(ops(r).size());
      for (std::uint32_t i = 0; i < ops(r).size(); ++i) {
        if (ops(r)[i].needs == 0) ready_.push_back({r, i});
      }
    }
    while (!ready_.empty()) {
      const Ready next = ready_.back();
      ready_.pop_back();
      start(next.rank, next.op);
    }
  }

  void free(std::uint32_t r, std::span<const std::uint32_t> dependents) {
    for (const std::uint32_t d : dependents) {
      if (--ranks_[r].needs[d] == 0) ready_.push_back({r, d});
    }
  }

  void start(std::uint32_t r, std::uint32_t i) {
    const GoalOp& op = ops(r)[i];
    free(r, schedule_.ranks[r].after_start(op));
    if (op.kind == Kind::recv) {
      Sent& sent = sent_[{op.peer, r, op.tag}];
      if (sent.any) return end(r, i);
      sent.waits.push_back(i);
      return;
    }
    end(r, i);
    if (op.kind == Kind::calc) return;
    Sent& sent = sent_[{r, op.peer, op.tag}];
    sent.any = true;
    for (const std::uint32_t recv : std::exchange(sent.waits, {})) end(op.peer, recv);
  }

  void end(std::uint32_t r, std::uint32_t i) {
    ranks_[r].done[i] = true;
    free(r, schedule_.ranks[r].after_end(ops(r)[i]));
  }

  /// Ranks wait for each other: the first recv of this one that has begun, and what would send to
  /// it.
  [[noreturn]] void refuse_stuck(std::uint32_t r) const {
    for (std::uint32_t i = 0; i < ops(r).size(); ++i) {
      const GoalOp& op = ops(r)[i];
      if (ranks_[r].done[i] || ranks_[r].needs[i] != 0 || op.kind != Kind::recv) continue;
      for (std::uint32_t j = 0; j < ops(op.peer).size(); ++j) {
        const GoalOp& send = ops(op.peer)[j];
        if (send.kind != Kind::send || send.peer != r || send.tag != op.tag ||
            ranks_[op.peer].done[j])
          continue;
        throw goal_error(schedule_, r, op,
                         fmt::format("a deadlock: this recv of rank {} waits for the send of {} of "
                                     "rank {}, which waits for others that wait for it",
                                     r, place_of(schedule_, send), op.peer));
      }
    }
    throw ModelError("a schedule that does not end, without a recv that waits");
  }

  const GoalSchedule& schedule_;
  std::vector<Rank> ranks_;
  std::vector<Ready> ready_;
  std::map<Path, Sent> sent_;
};

}  // namespace

void check_goal(const GoalSchedule& schedule) { GoalCheck(schedule).check(); }

}  // namespace horae::traffic
