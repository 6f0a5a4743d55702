#include "horae/traffic/goal_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "goal_formats.hpp"
#include "goal_match.hpp"

namespace horae::traffic {

using Kind = GoalOp::Kind;

GoalPlan::GoalPlan(GoalSchedule schedule, const GoalTimes& times)
    : schedule_(std::move(schedule)), times_(times) {
  channel_of_.resize(schedule_.ranks.size());
  for (std::uint32_t r = 0; r < schedule_.ranks.size(); ++r) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::uint32_t> known;
    const auto& ops = schedule_.ranks[r].ops;
    channel_of_[r].resize(ops.size());
    for (std::uint32_t i = 0; i < ops.size(); ++i) {
      if (ops[i].kind != Kind::send) continue;
      const auto next = static_cast<std::uint32_t>(channels_.size());
      const auto [it, added] = known.try_emplace({ops[i].peer, ops[i].tag, ops[i].size}, next);
      if (added) channels_.push_back({r, ops[i].peer, ops[i].tag, ops[i].size, 0});
      ++channels_[it->second].count;
      channel_of_[r][i] = it->second;
    }
  }
}

namespace {

class GoalProgram final : public HostProgram {
 public:
  GoalProgram(std::shared_ptr<const GoalPlan> plan, std::uint32_t rank, Picoseconds later)
      : plan_(std::move(plan)),
        times_(plan_->times()),
        start_(times_.start + later),
        number_(rank),
        rank_(plan_->schedule().ranks[rank]) {
    for (const GoalOp& op : rank_.ops) needs_.push_back(op.needs);
    done_.resize(needs_.size());
  }

  void begin() override {
    for (std::uint32_t i = 0; i < needs_.size(); ++i) {
      if (needs_[i] == 0) plan_step(start_, Step::ready, i);
    }
    proceed(Picoseconds(0));
  }

  void received(std::uint32_t channel, std::uint64_t messages, Picoseconds now) override {
    const GoalChannel& c = plan_->channels()[channel];
    for (std::uint64_t m = 0; m < messages; ++m) {
      if (const auto recv = match_.arrived(c.from, c.tag, channel)) take_message(*recv, now);
    }
    proceed(now);
  }

  void completed(std::uint32_t channel, std::uint64_t messages, Picoseconds now) override {
    if (times_.sends_end_posted) return;
    auto& posted = posted_.at(channel);
    for (std::uint64_t m = 0; m < messages; ++m) {
      plan_step(now, Step::end, posted.front());
      posted.pop_front();
    }
    proceed(now);
  }

  void proceed(Picoseconds now) override {
    while (!steps_.empty() && steps_.top().at <= now) {
      const PlannedStep step = steps_.top();
      steps_.pop();
      take(step);
    }
  }

  Picoseconds next() const override { return steps_.empty() ? never : steps_.top().at; }
  std::vector<std::uint32_t> take_posts() override { return std::exchange(posts_, {}); }
  bool finished() const override { return ended_ == needs_.size(); }
  Picoseconds end() const override { return end_; }

  std::vector<std::string> waiting() const override {
    std::vector<std::string> lines;
    constexpr std::size_t most_lines = 4;
    for (std::uint32_t i = 0; i < needs_.size() && lines.size() < most_lines; ++i) {
      const GoalOp& op = rank_.ops[i];
      if (done_[i] || needs_[i] != 0 || op.kind == Kind::calc) continue;
      const auto said = [](std::uint32_t n) {
        return n == GoalOp::any ? std::string("any") : std::to_string(n);
      };
      lines.push_back(
          fmt::format("rank {}: the {} of {} waits, {} rank {}, tag {}", number_,
                      op.kind == Kind::send ? "send" : "recv", place_of(plan_->schedule(), op),
                      op.kind == Kind::send ? "to" : "from", said(op.peer), said(op.tag)));
    }
    return lines;
  }

 private:
  enum class Step : std::uint8_t { ready, start, post, end };
  struct PlannedStep {
    Picoseconds at{};
    std::uint64_t ordinal = 0;
    std::uint32_t op = 0;
    Step step = Step::ready;
    bool operator>(const PlannedStep& other) const {
      return std::tie(at, ordinal) > std::tie(other.at, other.ordinal);
    }
  };

  void plan_step(Picoseconds at, Step step, std::uint32_t op) {
    steps_.push({at, ordinal_++, op, step});
  }

  void take(const PlannedStep& s) {
    const GoalOp& op = rank_.ops[s.op];
    switch (s.step) {
      case Step::ready:
        return begin_op(s.op, op, s.at);
      case Step::start:
        return free(rank_.after_start(op), s.at);
      case Step::post: {
        const std::uint32_t channel = plan_->channel_of(number_, s.op);
        posts_.push_back(channel);
        if (times_.sends_end_posted) return plan_step(s.at, Step::end, s.op);
        posted_[channel].push_back(s.op);
        return;
      }
      case Step::end:
        done_[s.op] = true;
        ++ended_;
        end_ = s.at;
        return free(rank_.after_end(op), s.at);
    }
  }

  void begin_op(std::uint32_t i, const GoalOp& op, Picoseconds now) {
    if (op.kind == Kind::recv) {
      plan_step(now, Step::start, i);
      if (match_.posted(op.peer, op.tag, i)) take_message(i, now);
      return;
    }
    const bool sends = op.kind == Kind::send;
    const Picoseconds takes =
        sends ? times_.overhead : times_.calc_unit * static_cast<std::int64_t>(op.size);
    const Picoseconds start = take_cpu(op.cpu, now, takes);
    plan_step(start, Step::start, i);
    plan_step(start + takes, sends ? Step::post : Step::end, i);
  }

  void take_message(std::uint32_t recv, Picoseconds now) {
    const Picoseconds start = take_cpu(rank_.ops[recv].cpu, now, times_.overhead);
    plan_step(start + times_.overhead, Step::end, recv);
  }

  /// From when on the cpu is the caller's.
  Picoseconds take_cpu(std::uint8_t cpu, Picoseconds now, Picoseconds takes) {
    if (times_.delays) return now;
    const Picoseconds start = std::max(now, cpu_free_[cpu]);
    cpu_free_[cpu] = start + takes;
    return start;
  }

  void free(std::span<const std::uint32_t> dependents, Picoseconds now) {
    for (const std::uint32_t d : dependents) {
      if (--needs_[d] == 0) plan_step(now, Step::ready, d);
    }
  }

  std::shared_ptr<const GoalPlan> plan_;
  const GoalTimes& times_;
  Picoseconds start_;
  std::uint32_t number_;
  const GoalRank& rank_;
  std::vector<std::uint32_t> needs_;  ///< by operation: dependencies that are left
  std::vector<bool> done_;
  std::uint64_t ended_ = 0, ordinal_ = 0;
  Picoseconds end_{};
  std::priority_queue<PlannedStep, std::vector<PlannedStep>, std::greater<>> steps_;
  std::array<Picoseconds, 256> cpu_free_{};
  GoalMatch match_;  ///< recvs by operation, messages by channel
  std::map<std::uint32_t, std::deque<std::uint32_t>> posted_;  ///< by channel: sends on their way
  std::vector<std::uint32_t> posts_;
};

}  // namespace

std::unique_ptr<HostProgram> goal_program(std::shared_ptr<const GoalPlan> plan, std::uint32_t rank,
                                          Picoseconds later) {
  return std::make_unique<GoalProgram>(std::move(plan), rank, later);
}

}  // namespace horae::traffic
