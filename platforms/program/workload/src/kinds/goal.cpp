// kind = "goal": a GOAL schedule, a rank on each NIC's host.
#include "horae/traffic/goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/params/file_content.hpp"
#include "horae/params/shipped_file.hpp"
#include "horae/traffic/goal_program.hpp"
#include "horae/workload/end_points.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {
namespace {

struct GoalConfig {
  enum class SendDone : std::uint8_t { acknowledged, posted };
  enum class Nics : std::uint8_t { refuse, one };
  Located<std::string> file;
  std::optional<Located<std::string>> content;
  std::vector<Located<std::string>> members;
  Picoseconds start{};
  Picoseconds calc_unit = 1_ns;
  Picoseconds overhead{};
  SendDone send_done = SendDone::acknowledged;
  Nics nics = Nics::refuse;
  std::uint32_t depth = 128;
  static const Schema<GoalConfig>& schema();
};

const Schema<GoalConfig>& GoalConfig::schema() {
  using T = GoalConfig;
  static const Schema<T> s =
      Schema<T>("traffic",
                "A GOAL schedule: send, recv and calc of ranks, and what waits for what.")
          .required("file", &T::file,
                    {.doc = "the schedule as text or binary, beside this file; packed with gzip or "
                            "zstd or not; formats: traces/README.md",
                     .source = "LogGOPSim (spcl/LogGOPSim), txt2bin"})
          .field("content", &T::content,
                 {.doc = "a hash of its bytes, as the effective configuration has it; refused if "
                         "it is another"})
          .field("members", &T::members,
                 {.doc = "NICs: rank i is on the host of the i-th; empty: the first ones of the "
                         "platform, as many as there are ranks"})
          .field("start", &T::start,
                 {.doc = "of what waits for nothing", .min = 0_ps, .max = 1000_ms})
          .field("calc_unit", &T::calc_unit,
                 {.doc = "time of a unit of calc",
                  .min = 1_ps,
                  .max = 1_ms,
                  .source = "1 ns: LogGOPSim, whose times are nanoseconds"})
          .field("overhead", &T::overhead,
                 {.doc = "time of the cpu for each send before it is posted, and for each recv "
                         "when its message is there",
                  .min = 0_ps,
                  .max = 1_ms,
                  .source = "o of LogGOPS; 0: what the NIC's model does not have is free"})
          .choice("send_done", &T::send_done,
                  {{"acknowledged", T::SendDone::acknowledged}, {"posted", T::SendDone::posted}},
                  {.doc = "when a send has ended for what requires it: when the NIC has completed "
                          "it, or when it is posted"})
          .choice("nics", &T::nics, {{"refuse", T::Nics::refuse}, {"one", T::Nics::one}},
                  {.doc = "of operations with nic 1 and up: refuse them, or let all of a rank's go "
                          "through its one NIC"})
          .field("depth", &T::depth,
                 {.doc = "messages outstanding per queue pair", .min = 1, .max = 65536});
  return s;
}

class GoalTraffic final : public TrafficOf<GoalConfig> {
 public:
  explicit GoalTraffic(const TrafficSection& table) : TrafficOf(table) {
    check_end_points(table, config_.members, EndPoint::nic);
    const std::string path = find_file(config_.file, "file");
    take_content(path, config_.content);
    auto schedule = traffic::read_goal(path);
    members_ = members_of(table.platform, config_.members);
    const std::size_t ranks = schedule.ranks.size();
    if (members_.size() < ranks || (!config_.members.empty() && members_.size() != ranks)) {
      throw table.section.error(
          config_.members.empty() ? "file" : "members",
          fmt::format("{} NICs for the {} ranks of {}; expected {}", members_.size(), ranks,
                      config_.file.value, config_.members.empty() ? "as many or more" : "as many"));
    }
    check(schedule);
    plan_ = std::make_shared<traffic::GoalPlan>(
        std::move(schedule),
        traffic::GoalTimes{.start = config_.start,
                           .calc_unit = config_.calc_unit,
                           .overhead = config_.overhead,
                           .sends_end_posted = config_.send_done == GoalConfig::SendDone::posted});
    for (const auto& c : plan_->channels()) {
      check_psns(table.platform, members_[c.from], Bytes(static_cast<std::int64_t>(c.bytes)));
    }
    table.demand.ask(queue_pairs_of(*this, table.platform), table.section, "file");
  }

  void plan(const config::PlatformConfig& platform, const FlowSink& sink) const override {
    for (std::uint32_t i = 0; i < plan_->channels().size(); ++i) {
      const traffic::GoalChannel& c = plan_->channels()[i];
      const Bytes message(static_cast<std::int64_t>(c.bytes));
      const unsigned from = members_[c.from];
      // No more PSNs at a time than can be told apart.
      const std::int64_t packets = std::max<std::int64_t>(1, packets_of(platform, from, message));
      const auto most = static_cast<std::uint32_t>(std::max<std::int64_t>(1, most_psns / packets));
      sink({.from = from,
            .to = members_[c.to],
            .message = message,
            .count = c.count,
            .depth = std::min(config_.depth, most),
            .channel = i});
    }
  }

  void programs(const config::PlatformConfig& /*platform*/,
                const ProgramSink& sink) const override {
    for (std::uint32_t r = 0; r < plan_->schedule().ranks.size(); ++r)
      sink(members_[r], traffic::goal_program(plan_, r));
  }

  void add_rows(nlohmann::ordered_json& rows) const override {
    std::uint64_t messages = 0, bytes = 0;
    for (const auto& c : plan_->channels()) {
      messages += c.count;
      bytes += c.bytes * c.count;
    }
    rows["schedules"].push_back({{"traffic", number()},
                                 {"file", config_.file.value},
                                 {"format", plan_->schedule().binary ? "binary" : "text"},
                                 {"ranks", plan_->schedule().ranks.size()},
                                 {"operations", plan_->schedule().operations()},
                                 {"messages", messages},
                                 {"bytes", bytes},
                                 {"connections", plan_->channels().size()}});
  }

 private:
  void check(const traffic::GoalSchedule& schedule) const {
    // In picoseconds of 64 bits nothing may come near the end of time.
    constexpr std::int64_t longest = 1'000'000'000'000'000'000;
    const auto most = static_cast<std::uint64_t>(longest / config_.calc_unit.count());
    for (std::uint32_t r = 0; r < schedule.ranks.size(); ++r) {
      std::uint64_t sum = 0;
      for (const auto& op : schedule.ranks[r].ops) {
        const bool calc = op.kind == traffic::GoalOp::Kind::calc;
        if (calc) sum += op.size;
        if (sum > most)
          throw refusal(schedule, r, op,
                        "calc of this rank take more than a million seconds; "
                        "expected a smaller calc_unit");
        if (!calc && op.nic != 0 && config_.nics == GoalConfig::Nics::refuse)
          throw refusal(schedule, r, op,
                        fmt::format("nic {}: a rank has one NIC here; expected nic 0, or nics = "
                                    "\"one\"",
                                    op.nic));
      }
    }
  }

  static InputError refusal(const traffic::GoalSchedule& schedule, std::uint32_t rank,
                            const traffic::GoalOp& op, std::string_view message) {
    if (!schedule.binary) return input_error({schedule.path, op.place, 1, {}}, message);
    return InputError(
        fmt::format("{}: rank {}, operation {}: {}", schedule.path, rank, op.place, message));
  }

  std::vector<unsigned> members_;  ///< by rank, and those behind
  std::shared_ptr<const traffic::GoalPlan> plan_;
};

}  // namespace

TrafficKind goal_kind() { return traffic_kind<GoalTraffic>("goal"); }

}  // namespace horae::workload
