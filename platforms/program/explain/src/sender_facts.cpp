#include "horae/explain/sender_facts.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "horae/workload/traffic.hpp"

namespace horae::explain {

std::optional<SenderFacts> SenderFacts::of(const config::PlatformConfig& platform) {
  for (std::size_t table = 0; table < platform.traffic.size(); ++table) {
    const workload::Traffic& traffic = workload::traffic_of(platform, table);
    if (traffic.measure() != workload::Measure::streams) continue;
    std::set<std::string> names;
    Bytes message{};
    traffic.flows(platform, [&](const workload::Flow& f) {
      if (names.empty()) message = f.message;
      names.insert(platform.devices[f.from].name);
    });
    if (names.empty()) continue;
    const int vertex = platform.topology.find(*names.begin());
    SenderFacts facts;
    facts.senders = names.size();
    const auto& edges = platform.topology.edges();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (static_cast<int>(edges[i].a) == vertex || static_cast<int>(edges[i].b) == vertex)
        facts.line_gbps = static_cast<double>(platform.links[i].config.rate.count()) / 1e9;
    }
    const auto& nic = std::get<rnic::RnicConfig>(
        platform.profiles.at(platform.devices[static_cast<std::size_t>(vertex)].profile));
    const auto bytes = static_cast<double>(message.count());
    const auto mtu = static_cast<double>(nic.mtu.count());
    facts.payload_bytes = bytes / std::max(1.0, std::ceil(bytes / mtu));
    facts.frame_bytes = facts.payload_bytes + wire::ethernet + wire::ipv4 + wire::udp + wire::bth +
                        wire::icrc + wire::fcs + (nic.reth_on_every_packet ? wire::reth : 0) +
                        wire::preamble + wire::inter_packet_gap;
    return facts;
  }
  return std::nullopt;
}

namespace {

using Texts = std::vector<std::string>;

Texts joined(Texts a, const Texts& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Settings of what is open that may change senders, and what to call each.
struct Combination {
  std::string title;
  Texts set;
};

/// The combinations so far with each of more settings.
std::vector<Combination> times(const std::vector<Combination>& so_far,
                               const std::vector<Combination>& more) {
  std::vector<Combination> out;
  for (const auto& a : so_far) {
    for (const auto& b : more)
      out.push_back({a.title + (a.title.empty() || b.title.empty() ? "" : ", ") + b.title,
                     joined(a.set, b.set)});
  }
  return out;
}

}  // namespace

std::vector<Senders> all_senders(const question::Question& q, const Texts& set) {
  const auto base = question::texts_of(q.observations.conditions.front().set);
  const auto facts_at = [&](const Texts& open) {
    return SenderFacts::of(q.platform.read({joined(joined(base, open), set), q.seed}));
  };
  const auto& variants = q.hypotheses.variants;
  std::vector<Combination> all = {{"", {}}};
  // The first of several choices with equal effect stands for all.
  const auto add = [&](std::vector<Combination> choice) {
    const auto first = facts_at(joined(all.front().set, choice.front().set));
    const bool changes = std::any_of(choice.begin(), choice.end(), [&](const Combination& c) {
      return facts_at(joined(all.front().set, c.set)) != first;
    });
    if (!changes) choice = {{"", choice.front().set}};
    all = times(all, choice);
  };
  std::vector<Combination> choice;
  for (const auto& v : variants) choice.push_back({v.label, question::texts_of(v.set)});
  add(choice);
  for (const auto& n : q.hypotheses.nuisances) {
    if (!n.choice()) continue;
    choice.clear();
    for (const auto& value : n.values)
      choice.push_back({n.key.value + "=" + value.value, n.overrides(value)});
    add(choice);
  }
  std::vector<Senders> out;
  for (const auto& c : all) {
    const auto facts = facts_at(c.set);
    if (!facts) return {};
    const bool there =
        std::any_of(out.begin(), out.end(), [&](const auto& s) { return s.facts == *facts; });
    if (!there) out.push_back({c.title, *facts});
  }
  return out;
}

}  // namespace horae::explain
