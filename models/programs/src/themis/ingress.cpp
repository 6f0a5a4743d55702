#include "ingress.hpp"

#include <algorithm>
#include <map>

namespace horae::programs::themis {

using dataplane::ConditionSpec;
using dataplane::MatchSpec;
using dataplane::Needs;

Ingress::TurnBack::TurnBack(dataplane::Pipeline& pipeline, const dataplane::Object& members)
    // Port metadata says whether a port has a NIC, and pipelines are bits of port numbers.
    : is_local_response(pipeline, in, "is_local_response", ConditionSpec{.bits = 8}),
      same_pipeline(pipeline, in, "same_pipeline", ConditionSpec{.bits = 8},
                    Needs{matches(members), guarded_by(is_local_response)}),
      turn_back(pipeline, in, "turn_back", {},
                Needs{overwrites(members), guarded_unless(same_pipeline)}) {}

Ingress::ToSource::ToSource(dataplane::Pipeline& pipeline, const dataplane::Object& members)
    : is_remote_nack(pipeline, in, "is_remote_nack",
                     ConditionSpec{.bits = 8, .reads = {"opcode", "syndrome"}}),
      is_elsewhere(pipeline, in, "is_elsewhere", {},
                   Needs{matches(members), guarded_by(is_remote_nack)}),
      around(pipeline, in, "to_source", Needs{overwrites(members), guarded_by(is_elsewhere)}) {}

Ingress::Ingress(dataplane::Pipeline& pipeline, const ThemisConfig& config, const Routes& routes)
    : nacks_to_source_(config.nacks_to_source),
      follows_routing_(config.path_control == PathControl::port),
      pipeline_(pipeline.index()),
      control_(routes),
      has_nic_(routes.pipeline_of_port.size(), 0),
      routes_(pipeline, in, "routes",
              MatchSpec{.key_bits = 32,
                        .entries = config.route_entries,
                        .data_bits = follows_routing_ ? 48u : 24u}),
      is_data_(pipeline, in, "is_data", opcode_field()) {
  const bool learns = config.source && (config.rerouting || config.failure_handling);
  if (learns) {
    is_nack_.emplace(pipeline, in, "is_nack",
                     ConditionSpec{.bits = 8, .reads = {"opcode", "syndrome"}});
  }
  if (config.source)
    source_.emplace(pipeline, config, routes_, is_data_, learns ? &*is_nack_ : nullptr,
                    routes.path_tiers);
  Needs chosen = {matches(routes_)};
  if (source_) {
    const Needs by = source_->chosen_by();
    chosen.insert(chosen.end(), by.begin(), by.end());
  } else {
    flow_path_.emplace(pipeline, in, "flow_path",
                       dataplane::HashSpec{.input_bits = 104, .output_bits = 16});
    chosen.push_back(matches(*flow_path_));
  }
  members_.emplace(pipeline, in, "members",
                   MatchSpec{.key_bits = 16, .entries = config.member_entries, .data_bits = 16},
                   chosen);
  if (config.destination) turn_back_.emplace(pipeline, *members_);
  if (learns && nacks_to_source_ == NacksToSource::recirculate)
    to_source_.emplace(pipeline, *members_);
  whole_ = source_ && source_->whole() && is_nack_ && turn_back_ && to_source_;
  fill(routes);
}

void Ingress::fill(const Routes& routes) {
  for (const auto& entry : routes.entries) {
    if (!entry.attached) continue;
    has_nic_.at(entry.ports.at(0)) = 1;
    pipeline_of_nic_.try_emplace(entry.node, routes.pipeline_of_port.at(entry.ports[0]));
  }
  const PortGroups groups(routes);
  for (const auto& [node, group] : groups.nodes()) routes_.insert(node, {group, group});
  insert_members(0, groups.ports());
}

void Ingress::insert_members(std::size_t first, const std::vector<std::uint16_t>& ports) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const bool elsewhere =
        has_nic_.at(ports[i]) != 0 && control_.pipeline_of_port.at(ports[i]) != pipeline_;
    members_->insert(static_cast<std::uint16_t>(first + i), {ports[i], elsewhere});
  }
}

void Ingress::update(const Routes& routes) {
  if (!follows_routing_) return;
  // Behind the members there were at first.
  const PortGroups before(control_);
  std::vector<std::uint16_t> members = before.ports();
  std::map<std::vector<std::uint16_t>, PortGroup> known;
  const auto group_of = [&](const std::vector<std::uint16_t>& ports) {
    const auto [at, added] =
        known.try_emplace(ports, PortGroup{static_cast<std::uint16_t>(members.size()),
                                           static_cast<std::uint16_t>(ports.size())});
    if (added) members.insert(members.end(), ports.begin(), ports.end());
    return at->second;
  };
  for (std::size_t i = 0; i < routes.entries.size(); ++i) {
    const auto& [node, live, attached] = routes.entries[i];
    std::vector<std::uint16_t> sprayed = control_.entries[i].ports;
    for (std::size_t k = 0; k < sprayed.size() && !live.empty(); ++k) {
      if (std::find(live.begin(), live.end(), sprayed[k]) == live.end())
        sprayed[k] = live[(k + node) % live.size()];  // by node, or one port would have it all
    }
    routes_.insert(node, {group_of(sprayed), group_of(live)});
  }
  insert_members(0, members);
}

void Ingress::add_counters(std::vector<std::pair<std::string_view, std::uint64_t>>& out) const {
  if (!source_) return;
  out.emplace_back("rerouted", source_->rerouted());
  out.emplace_back("nacks_past_source", nacks_past_);
  out.emplace_back("nacks_to_source", nacks_around_);
}

}  // namespace horae::programs::themis
