#include "horae/programs/forward/forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/dataplane/action.hpp"
#include "horae/dataplane/exact_table.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/dataplane/hash.hpp"
#include "horae/dataplane/mirror.hpp"
#include "horae/dataplane/random.hpp"
#include "horae/dataplane/register_action.hpp"
#include "horae/params/schema.hpp"
#include "horae/programs/shared/flow_key.hpp"
#include "horae/programs/shared/least_queue.hpp"
#include "horae/programs/shared/port_groups.hpp"
#include "horae/programs/shared/telemetry_writer.hpp"
#include "shared/configured_factory.hpp"

namespace horae::programs {
namespace {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Gress;
using dataplane::HashSpec;
using dataplane::MatchSpec;

/// Whether the first `drop` of every `of` accesses are to be dropped, and this is one.
struct DropsOfEvery {
  std::uint32_t drop = 0, of = 1;
  template <class C>
  auto operator()(C& count) const {
    const auto drops = count < drop;
    if (count + 1 == of)
      count = 0;
    else
      count += 1;
    return drops;
  }
};

/// One of n after the other.
struct NextTurn {
  template <class C>
  C operator()(C& turn, C n) const {
    const C now = turn;
    if (turn < n) {
      turn += 1;
      return now;
    }
    turn = 1;
    return 0;
  }
};

class Forward final : public RuleKeeper<Forward> {
 public:
  Forward(dataplane::Pipeline& pipeline, const ForwardConfig& config, const Routes& routes)
      : config_(config),
        routes_(pipeline, in, "routes",
                {.key_bits = 32, .entries = config.route_entries, .data_bits = 24}) {
    build_filter(pipeline);
    build_choice(pipeline);
    if (config.trim) build_trimming(pipeline);
    if (config.telemetry.value_or(false)) telemetry_.emplace(pipeline, routes);
    fill(routes);
  }

  void on_ingress(dataplane::PassKind auto& pass) {
    const Packet& p = pass.header();
    const PortGroup* group = routes_.lookup(pass, p.dst);
    if (group == nullptr || group->count == 0) return pass.drop();
    if (p.is_nack()) ++nacks_seen_;
    if (is_nack_ && is_nack_->test(pass, number(p.opcode), std::uint64_t{p.syndrome} >> 5) &&
        drops_nack(pass)) {
      ++nacks_dropped_;
      return pass.drop();
    }
    const std::uint32_t member = group->count == 1 ? 0 : path(pass, *group);
    const std::uint16_t port =
        *members_->lookup(pass, static_cast<std::uint16_t>(group->first + member));
    if (config_.trim) pass.header().metadata = port;  // the same action bridges it
    pass.forward(port);
  }

  void on_egress(dataplane::PassKind auto& pass) {
    if (cut_ && trims(pass)) return;
    if (telemetry_) telemetry_->egress(pass);
  }

  void update(const Routes& routes) override { fill(routes); }

  std::span<const std::uint16_t> watched_ports() const override { return watched_; }
  void ghost(std::span<const std::uint32_t> cells, Picoseconds) override {
    least_queue_->tell(cells);
  }

  std::vector<std::pair<std::string_view, std::uint64_t>> counters() const override {
    std::vector<std::pair<std::string_view, std::uint64_t>> out = {
        {"nacks_seen", nacks_seen_}, {"nacks_dropped", nacks_dropped_}};
    if (config_.trim) out.emplace_back("trimmed", trimmed_);
    return out;
  }

 private:
  static constexpr Gress in = Gress::ingress;
  static constexpr std::uint8_t cut_copy = 1;  ///< type of the mirror session's copies

  void fill(const Routes& routes) {
    const PortGroups groups(routes);
    for (const auto& [node, group] : groups.nodes()) routes_.insert(node, group);
    for (std::size_t i = 0; i < groups.ports().size(); ++i)
      members_->insert(static_cast<std::uint16_t>(i), groups.ports()[i]);
    if (!least_queue_) return;
    // The largest group: the uplinks. Others of several ports, as after a failure, are hashed.
    watched_group_ = {};
    for (const auto& [node, group] : groups.nodes()) {
      if (group.count > watched_group_.count && group.count <= depth_ports())
        watched_group_ = group;
    }
    const auto first = groups.ports().begin() + watched_group_.first;
    std::vector<std::uint16_t> now(first, first + watched_group_.count);
    if (now == watched_) return;  // what the registers say is still true
    watched_ = std::move(now);
    least_queue_->tell(std::vector<std::uint32_t>(watched_.size()));
  }

  std::uint32_t depth_ports() const { return config_.depth_ports.value_or(8); }

  /// Objects that cut data which the traffic manager deflects: the action of `members` bridges the
  /// port that it was for; an egress mirror makes a short copy for that port, and the copy is
  /// marked as such there.
  void build_trimming(dataplane::Pipeline& pipeline) {
    constexpr Gress out = Gress::egress;
    const ConditionSpec bit{.kind = ConditionKind::bit};
    const std::vector<std::uint64_t> none;
    is_deflected_.emplace(pipeline, out, "is_deflected", bit, none);
    cut_.emplace(pipeline, out, "cut", dataplane::Needs{guarded_by(*is_deflected_)});
    discard_.emplace(pipeline, out, "discard", dataplane::ActionSpec{.writes = {"drop_ctl"}},
                     dataplane::Needs{guarded_by(*is_deflected_)});
    is_cut_.emplace(pipeline, out, "is_cut", bit, none);
    mark_cut_.emplace(pipeline, out, "mark_cut", dataplane::ActionSpec{.writes = {"dscp"}},
                      dataplane::Needs{guarded_by(*is_cut_)});
  }

  /// Whether the pass ends here: its packet was deflected, and a copy goes on.
  bool trims(dataplane::PassKind auto& pass) {
    Packet& p = pass.header();
    if (is_deflected_->test(pass, p.deflected && p.mirror_type == 0 ? 1 : 0)) {
      const auto length = static_cast<std::uint16_t>(config_.trim->count());
      cut_->request(pass,
                    {.egress_port = p.metadata,
                     .type = cut_copy,
                     .length = length,
                     .traffic_class = static_cast<std::uint8_t>(config_.trim_class.value_or(7))});
      discard_->run(pass, [&] { pass.drop(); });
      ++trimmed_;
      return true;
    }
    if (is_cut_->test(pass, p.mirror_type == cut_copy ? 1 : 0)) {
      mark_cut_->run(pass, [&p] {
        p.trimmed = true;
        p.deflected = false;
        p.payload = 0;
      });
    }
    return false;
  }

  /// The NACK filter, if there is one: a count or a draw for NACKs, and what it says.
  void build_filter(dataplane::Pipeline& pipeline) {
    if (config_.nack_drop == 0) return;
    is_nack_.emplace(pipeline, in, "is_nack", ConditionSpec{.bits = 8, .terms = 2},
                     std::vector<std::uint64_t>{number(Opcode::acknowledge), 3});
    const dataplane::Needs nack = {guarded_by(*is_nack_)};
    if (config_.nack_filter == NackFilter::random) {
      nack_random_.emplace(pipeline, in, "nack_random", nack);
    } else {
      nack_count_.emplace(pipeline, in, "nack_count", 1, 0, nack);
      count_nack_.emplace(pipeline, *nack_count_, "count",
                          DropsOfEvery{config_.nack_drop, config_.nack_of});
    }
    const dataplane::Object& filter =
        nack_random_ ? static_cast<const dataplane::Object&>(*nack_random_) : *nack_count_;
    is_dropped_.emplace(pipeline, in, "is_dropped", ConditionSpec{.kind = ConditionKind::bit},
                        std::vector<std::uint64_t>{}, dataplane::Needs{matches(filter)});
    drop_.emplace(pipeline, in, "drop", dataplane::ActionSpec{},
                  dataplane::Needs{guarded_by(*is_dropped_)});
  }

  /// Objects that choose among several ports: one way for data, a hash of the flow for the rest.
  void build_choice(dataplane::Pipeline& pipeline) {
    const bool sprays = config_.path_choice != PathChoice::ecmp;
    const dataplane::Need group = matches(routes_);
    dataplane::Needs chosen = {group};
    dataplane::Needs sprayed = {group}, hashed = {group};
    if (sprays && !config_.spray_responses) {
      is_data_.emplace(
          pipeline, in, "is_data",
          ConditionSpec{
              .kind = ConditionKind::lt, .bits = 8, .constant = number(Opcode::acknowledge)});
      sprayed.push_back(guarded_by(*is_data_));
    }
    const auto choose = [&](auto& object, auto&&... arguments) {
      object.emplace(pipeline, in, std::forward<decltype(arguments)>(arguments)...);
      chosen.push_back(matches(*object));
    };
    if (config_.path_choice == PathChoice::random) choose(path_random_, "path_random", sprayed);
    if (config_.path_choice == PathChoice::round_robin) {
      choose(path_turn_, "path_turn", std::size_t{1}, 0u, sprayed);
      next_turn_.emplace(pipeline, *path_turn_, "next");
    }
    if (config_.path_choice == PathChoice::psn)
      choose(path_psn_, "path_psn", HashSpec{.input_bits = 24, .output_bits = 16}, sprayed);
    if (config_.path_choice == PathChoice::psn_hash)
      choose(path_psn_, "path_psn",
             HashSpec{.input_bits = 128 - config_.burst_log2, .output_bits = 32}, sprayed);
    if (config_.path_choice == PathChoice::adaptive) {
      least_queue_.emplace(pipeline, depth_ports(), sprayed);
      chosen.push_back(least_queue_->result());
    }
    if (!sprays || !config_.spray_responses || config_.path_choice == PathChoice::adaptive)
      choose(path_hash_, "path_hash", HashSpec{.input_bits = 104, .output_bits = 32}, hashed);
    members_.emplace(pipeline, in, "members",
                     MatchSpec{.key_bits = 16, .entries = config_.member_entries, .data_bits = 16},
                     chosen);
  }

  bool drops_nack(dataplane::PassKind auto& pass) {
    const bool dropped = filtered(pass);
    if (is_dropped_->test(pass, dropped ? 1 : 0)) drop_->run(pass, [] {});
    return dropped;
  }

  bool filtered(const dataplane::PassKind auto& pass) {
    if (nack_random_) return nack_random_->below(pass, config_.nack_of) < config_.nack_drop;
    return count_nack_->run(pass, 0);
  }

  /// One of `n` in equal shares of the hash's range.
  static std::uint32_t share(std::uint32_t hash, std::uint32_t n) {
    return static_cast<std::uint32_t>(std::uint64_t{hash} * n >> 32);
  }

  std::uint32_t path(const dataplane::PassKind auto& pass, const PortGroup& group) {
    const Packet& p = pass.header();
    const std::uint32_t n = group.count;
    const bool sprayed = !is_data_ ? config_.path_choice != PathChoice::ecmp
                                   : is_data_->test(pass, number(p.opcode));
    switch (sprayed ? config_.path_choice : PathChoice::ecmp) {
      case PathChoice::random:
        return path_random_->below(pass, n);
      case PathChoice::round_robin:
        return next_turn_->run(pass, 0, n);
      case PathChoice::psn:
        path_psn_->of(pass, {p.psn.value()});  // the identity hash into an action selector
        return p.psn.value() % n;
      case PathChoice::psn_hash:
        return share(path_psn_->of(pass, {static_cast<std::uint64_t>(p.src) << 32 | p.dst,
                                          std::uint64_t{p.psn.value() >> config_.burst_log2},
                                          std::uint64_t{p.entropy}}),
                     n);
      case PathChoice::adaptive:
        if (group.first == watched_group_.first && n == watched_group_.count)
          return least_queue_->least(pass);
        break;
      case PathChoice::ecmp:
        break;
    }
    return share(path_hash_->of(pass, {static_cast<std::uint64_t>(p.src) << 32 | p.dst, 0,
                                       std::uint64_t{p.entropy}}),
                 n);
  }

  ForwardConfig config_;
  dataplane::ExactTable<NodeId, PortGroup> routes_;
  std::optional<dataplane::Gateway> is_nack_;
  std::optional<dataplane::Register<std::uint32_t>> nack_count_;
  std::optional<dataplane::RegisterAction<std::uint32_t, DropsOfEvery>> count_nack_;
  std::optional<dataplane::Random> nack_random_;
  std::optional<dataplane::Gateway> is_dropped_;
  std::optional<dataplane::Action> drop_;
  std::optional<dataplane::Gateway> is_data_;
  std::optional<dataplane::Random> path_random_;
  std::optional<dataplane::Register<std::uint32_t>> path_turn_;
  std::optional<dataplane::RegisterAction<std::uint32_t, NextTurn>> next_turn_;
  std::optional<dataplane::Hash> path_psn_;
  std::optional<dataplane::Hash> path_hash_;
  std::optional<LeastQueue> least_queue_;
  PortGroup watched_group_;
  std::vector<std::uint16_t> watched_;
  std::optional<dataplane::ExactTable<std::uint16_t, std::uint16_t>> members_;
  std::optional<dataplane::Gateway> is_deflected_;
  std::optional<dataplane::Mirror> cut_;
  std::optional<dataplane::Action> discard_;
  std::optional<dataplane::Gateway> is_cut_;
  std::optional<dataplane::Action> mark_cut_;
  std::optional<TelemetryWriter> telemetry_;
  std::uint64_t trimmed_ = 0;
  std::uint64_t nacks_seen_ = 0;  // statistics of the model, not state of the program
  std::uint64_t nacks_dropped_ = 0;
};

class ForwardFactory final : public ConfiguredFactory<ForwardFactory, ForwardConfig> {
 public:
  static constexpr std::string_view name = "forward";
  using ConfiguredFactory::ConfiguredFactory;
  std::unique_ptr<Program> make(dataplane::Pipeline& pipeline,
                                const Routes& routes) const override {
    const PortGroups groups(routes);
    groups.check_sizes(pipeline.name(), config_.route_entries, config_.member_entries);
    if (config_.path_choice == PathChoice::adaptive) check_depths(pipeline.name(), groups);
    return std::make_unique<Forward>(pipeline, config_, routes);
  }
  bool adds_telemetry() const override { return config_.telemetry.value_or(false); }
  bool knows_connections() const override { return false; }
  bool takes_deflected() const override { return config_.trim.has_value(); }
  Picoseconds ghost_period() const override {
    if (config_.path_choice != PathChoice::adaptive) return {};
    return config_.ghost_period.value_or(100_ns);
  }

 private:
  void check_depths(const std::string& pipeline, const PortGroups& groups) const {
    const std::uint32_t have = config_.depth_ports.value_or(8);
    for (const auto& [node, group] : groups.nodes()) {
      if (group.count <= have) continue;
      throw InputError(
          fmt::format("{}: program.depth_ports = {} is too small for a group of {} "
                      "ports",
                      pipeline, have, group.count));
    }
  }
};

}  // namespace

const Schema<ForwardConfig>& ForwardConfig::schema() {
  static const Schema<ForwardConfig> s =
      Schema<ForwardConfig>("program",
                            "Forwarding with per-packet path choice and a NACK drop filter.")
          .choice(
              "path_choice", &ForwardConfig::path_choice,
              {{"random", PathChoice::random},
               {"round_robin", PathChoice::round_robin},
               {"ecmp", PathChoice::ecmp},
               {"psn", PathChoice::psn},
               {"psn_hash", PathChoice::psn_hash},
               {"adaptive", PathChoice::adaptive}},
              {.doc = "how one of several equal-cost ports is chosen for a data packet; "
                      "adaptive: that with the fewest cells in its queues, of equal ones the "
                      "first, for destinations behind the largest group of ports",
               .source = "random: packet-spraying paper 2.3; adaptive: REPS (EuroSys 2026) 4.1, "
                         "Adaptive RoCE"})
          .field("depth_ports", &ForwardConfig::depth_ports,
                 {.doc = "adaptive: depth registers, one for each port of the group. Absent: 8",
                  .min = 2,
                  .max = LeastQueue::most_candidates})
          .field(
              "ghost_period", &ForwardConfig::ghost_period,
              {.doc = "adaptive: how often the ghost thread renews all depths, for the first "
                      "packet of a pipeline in each period; those after it see the same. Absent: "
                      "100 ns",
               .min = 1_ns,
               .source = "estimate: some ten clocks of 0.8 ns for each of 8 ports"})
          .field(
              "burst_log2", &ForwardConfig::burst_log2,
              {.doc = "psn_hash: 2^burst_log2 packets in a row of a flow take one path", .max = 16})
          .field("spray_responses", &ForwardConfig::spray_responses,
                 {.doc = "choose paths of ACKs and NACKs by path_choice; false: by flow"})
          .field("nack_drop", &ForwardConfig::nack_drop,
                 {.doc = "NACKs that are dropped out of every nack_of",
                  .source = "packet-spraying paper 2.3: 255 of 256"})
          .field("nack_of", &ForwardConfig::nack_of,
                 {.doc = "number of NACKs, counted per pipeline, of which nack_drop are dropped",
                  .min = 1})
          .choice("nack_filter", &ForwardConfig::nack_filter,
                  {{"deterministic", NackFilter::deterministic}, {"random", NackFilter::random}},
                  {.doc = "drop the first nack_drop of every nack_of, or each with probability "
                          "nack_drop / nack_of"})
          .field("route_entries", &ForwardConfig::route_entries,
                 {.doc = "entries of the route table", .min = 1, .max = 1 << 20})
          .field("member_entries", &ForwardConfig::member_entries,
                 {.doc = "entries of the table of the groups' ports", .min = 1, .max = 1 << 16})
          .field(
              "trim", &ForwardConfig::trim,
              {.doc = "data that finds no room in its queue or the buffer is deflected to the "
                      "pipeline's loopback port, cut there to a frame of so many bytes by a "
                      "mirror session, and goes to its port in trim_class. Absent: it is dropped",
               .min = 44_B,
               .max = 256_B,
               .source = "64 B: NDP (SIGCOMM 2017) 3; 44 B where NICs have frames = \"htsim\""})
          .field("trim_class", &ForwardConfig::trim_class,
                 {.doc = "class of trimmed packets: the chip's control_class. Absent: 7",
                  .min = 1,
                  .max = 7})
          .field("telemetry", &ForwardConfig::telemetry,
                 {.doc = "egress adds telemetry to data packets that ask for it (hpcc), 8 bytes a "
                         "hop. Absent: false",
                  .source = "HPCC: Li et al., SIGCOMM 2019, 4.1: on Tofino"});
  return s;
}

namespace {
void check(const ForwardConfig& config, const Section& section) {
  if (config.nack_drop > config.nack_of) {
    throw section.error("nack_drop", fmt::format("nack_drop = {} is above nack_of = {}",
                                                 config.nack_drop, config.nack_of));
  }
  if (config.trim && config.trim->count() % 4 != 0) {
    throw section.error("trim", fmt::format("trim = {} B: mirror sessions cut at multiples of 4 B",
                                            config.trim->count()));
  }
  if (section.has("trim_class") && !config.trim) {
    throw section.error("trim_class",
                        "trim_class is of trimmed packets; expected a 'trim' beside it");
  }
  for (const char* key : {"depth_ports", "ghost_period"}) {
    if (!section.has(key) || config.path_choice == PathChoice::adaptive) continue;
    throw section.error(key, fmt::format("{} is of path_choice = \"adaptive\"", key));
  }
}
}  // namespace

ProgramEntry forward_entry() {
  return entry_of<ForwardFactory, check>(
      "shortest paths, per-packet path choice, NACK drop filter");
}

}  // namespace horae::programs
