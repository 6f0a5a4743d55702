// kind = "collective": a collective operation of each group of NICs.
#include "horae/traffic/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "horae/core/error.hpp"
#include "horae/traffic/goal_program.hpp"
#include "horae/workload/end_points.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {
namespace {

struct CollectiveConfig {
  traffic::Operation operation = traffic::Operation::all_reduce;
  Bytes size = 1_MiB;
  std::uint32_t slices = 1;
  std::optional<std::uint32_t> window, local;
  std::uint32_t groups = 1;
  std::vector<Located<std::string>> members;
  Picoseconds start{};
  Picoseconds stagger{};
  Picoseconds compute{};
  std::uint32_t depth = 128;
  std::uint32_t first_psn = 0;
  static const Schema<CollectiveConfig>& schema();
};

const Schema<CollectiveConfig>& CollectiveConfig::schema() {
  using T = CollectiveConfig;
  using traffic::Operation;
  static const Schema<T> s =
      Schema<T>("traffic", "A collective operation of each group of NICs.")
          .choice("operation", &T::operation,
                  {{"ring_permutation", Operation::ring_permutation},
                   {"reduce_scatter", Operation::reduce_scatter},
                   {"all_gather", Operation::all_gather},
                   {"all_reduce", Operation::all_reduce},
                   {"all_to_all", Operation::all_to_all},
                   {"butterfly", Operation::butterfly},
                   {"tree", Operation::tree},
                   {"double_tree", Operation::double_tree},
                   {"hierarchical", Operation::hierarchical}},
                  {.doc = "what a group does: each rank writes size to the next; the ring "
                          "algorithms; size/n to each of the others at once; or an all-reduce by "
                          "recursive doubling (butterfly), size in each of log2(n) steps; up and "
                          "down a binary tree, or two with half of size each; or by rings within "
                          "nodes, among nodes, and within again (hierarchical)",
                   .source = "butterfly: gen_allreduce_butterfly of htsim; trees: NCCL, after "
                             "Sanders, Speck, Traeff, 2009"})
          .field("size", &T::size, {.doc = "buffer of a rank", .min = 1_B})
          .field(
              "slices", &T::slices,
              {.doc = "messages a step of a ring or tree is cut into; a slice goes on when it is "
                      "there",
               .min = 1,
               .max = 4096})
          .field(
              "window", &T::window,
              {.doc = "of all_to_all: peers that a rank writes to at a time; the next one is due "
                      "when any of them has everything. Absent: all at once",
               .min = 1,
               .source = "4, 8, 16: REPS (EuroSys 2026) 4.2; gen_serialn_alltoall of htsim"})
          .field("local", &T::local,
                 {.doc = "of hierarchical: ranks of a node, neighbours in their group; their "
                         "messages go over the network as all others do",
                  .min = 1,
                  .max = 65536})
          .field("groups", &T::groups,
                 {.doc = "groups; member i is in group i mod groups, in the order of the members",
                  .min = 1,
                  .max = 65536})
          .field("members", &T::members, {.doc = "NICs; empty: all, in the order of the platform"})
          .field("start", &T::start, {.doc = "when the first group starts", .min = 0_ps})
          .field("stagger", &T::stagger,
                 {.doc = "time between the starts of two groups", .min = 0_ps})
          .field("compute", &T::compute,
                 {.doc = "from a slice received to its being sent on (reduction, software)",
                  .min = 0_ps})
          .field("depth", &T::depth,
                 {.doc = "messages outstanding per queue pair", .min = 1, .max = 65536})
          .field("first_psn", &T::first_psn,
                 {.doc = "PSN of the first packet of each queue pair", .max = Psn::mask});
  return s;
}

class CollectiveTraffic final : public TrafficOf<CollectiveConfig> {
 public:
  explicit CollectiveTraffic(const TrafficSection& table) : TrafficOf(table) {
    check_end_points(table, config_.members, EndPoint::nic);
    const Section& section = table.section;
    if (config_.window && config_.operation != traffic::Operation::all_to_all)
      throw section.error("window", "window is of operation = \"all_to_all\"");
    const bool hierarchical = config_.operation == traffic::Operation::hierarchical;
    if (config_.local && !hierarchical)
      throw section.error("local", "local is of operation = \"hierarchical\"");
    if (!config_.local && hierarchical)
      throw section.error("operation",
                          "operation = \"hierarchical\" needs 'local', the ranks of a "
                          "node");
    if (traffic::is_schedule(config_.operation)) {
      config::check_at(section, section.has("groups") ? "groups" : "kind",
                       [&] { plan_ = make_plan(table.platform); });
    }
    config::check_at(section, section.has("groups") ? "groups" : "kind", [&] {
      plan(table.platform, [&](const Flow& f) { check_at_once(table.platform, f); });
    });
    table.demand.ask(queue_pairs_of(*this, table.platform), section, "kind");
  }

  /// Group by group. InputError, without a place in the file, when members do not divide into
  /// groups of two or more, or the size into messages.
  void plan(const config::PlatformConfig& platform, const FlowSink& sink) const override {
    if (plan_) return scheduled_flows(platform, sink);
    const auto members = members_of(platform, config_.members);
    const std::uint32_t ranks = ranks_of(members);
    const auto flows = traffic::collective_flows({.operation = config_.operation,
                                                  .ranks = ranks,
                                                  .size = config_.size,
                                                  .slices = config_.slices,
                                                  .window = config_.window.value_or(0)});
    // Triggers are numbered through the table.
    std::uint32_t triggers = 0;
    for (const auto& flow : flows)
      triggers = std::max({triggers, flow.trigger, flow.fires_at_sender, flow.fires_at_receiver});
    for (std::uint32_t g = 0; g < config_.groups; ++g) {
      const auto trigger = [&](std::uint32_t t) { return t == 0 ? 0 : t + g * triggers; };
      for (const auto& flow : flows) {
        sink(
            {.from = members[flow.from * config_.groups + g],
             .to = members[flow.to * config_.groups + g],
             .group = g,
             .message = flow.message,
             .count = flow.count,
             .depth = config_.depth,
             .start = config_.start + config_.stagger * static_cast<std::int64_t>(g),
             .first_psn = Psn(config_.first_psn),
             .notify_delay = flow.lead != 0 || flow.fires_at_receiver != 0 ? config_.compute : 0_ps,
             .lead = flow.lead,
             .trigger = trigger(flow.trigger),
             .fires_at_sender = trigger(flow.fires_at_sender),
             .fires_at_receiver = trigger(flow.fires_at_receiver),
             .after = flow.after});
      }
    }
  }

  void programs(const config::PlatformConfig& platform, const ProgramSink& sink) const override {
    if (!plan_) return;
    const auto members = members_of(platform, config_.members);
    for (std::uint32_t m = 0; m < members.size(); ++m) {
      sink(members[m], traffic::goal_program(plan_, m / config_.groups,
                                             config_.stagger * (m % config_.groups)));
    }
  }

  Measure measure() const override { return Measure::groups; }

 private:
  /// Ranks of a group. InputError, without a place in the file.
  std::uint32_t ranks_of(const std::vector<unsigned>& members) const {
    if (members.size() % config_.groups != 0 || members.size() / config_.groups < 2) {
      throw InputError(fmt::format("{} members do not make {} group{} of two or more",
                                   members.size(), config_.groups, config_.groups == 1 ? "" : "s"));
    }
    return static_cast<std::uint32_t>(members.size() / config_.groups);
  }

  std::shared_ptr<const traffic::GoalPlan> make_plan(const config::PlatformConfig& platform) const {
    return std::make_shared<traffic::GoalPlan>(
        traffic::collective_schedule({.operation = config_.operation,
                                      .ranks = ranks_of(members_of(platform, config_.members)),
                                      .size = config_.size,
                                      .slices = config_.slices,
                                      .local = config_.local.value_or(1),
                                      .compute = config_.compute}),
        traffic::GoalTimes{.start = config_.start, .calc_unit = 1_ps, .delays = true});
  }

  void scheduled_flows(const config::PlatformConfig& platform, const FlowSink& sink) const {
    const auto members = members_of(platform, config_.members);
    for (std::uint32_t g = 0; g < config_.groups; ++g) {
      for (std::uint32_t i = 0; i < plan_->channels().size(); ++i) {
        const auto& channel = plan_->channels()[i];
        sink({.from = members[channel.from * config_.groups + g],
              .to = members[channel.to * config_.groups + g],
              .group = g,
              .message = Bytes(static_cast<std::int64_t>(channel.bytes)),
              .count = channel.count,
              .depth = config_.depth,
              .start = config_.start + config_.stagger * static_cast<std::int64_t>(g),
              .first_psn = Psn(config_.first_psn),
              .channel = i});
      }
    }
  }

  /// Serial numbers compare over half their range: no more may be posted at once.
  static void check_at_once(const config::PlatformConfig& platform, const Flow& flow) {
    const std::int64_t packets = packets_of(platform, flow.from, flow.message);
    const std::int64_t messages = std::min(flow.depth, flow.count);
    // Messages that wait for those of others are posted a few at a time.
    const std::int64_t at_once = flow.lead != 0 ? std::min<std::int64_t>(messages, 2) : messages;
    if (packets * at_once <= most_psns) return;
    throw InputError(
        fmt::format("{} messages of {} packets at once are more than the {} PSNs that can "
                    "be told apart; a smaller size or depth, or a larger MTU",
                    at_once, packets, most_psns));
  }

  std::shared_ptr<const traffic::GoalPlan> plan_;  ///< of a schedule
};

}  // namespace

TrafficKind collective_kind() { return traffic_kind<CollectiveTraffic>("collective"); }

}  // namespace horae::workload
