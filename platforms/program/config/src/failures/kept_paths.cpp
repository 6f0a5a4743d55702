#include "kept_paths.hpp"

#include <algorithm>
#include <optional>

namespace horae::config {
namespace {

/// Whether nothing comes through, at some time at least.
bool cuts(const fabric::LinkConfig& direction) {
  return !direction.outages.empty() || direction.loss >= 1.0;
}

}  // namespace

KeptPaths::KeptPaths(const PlatformConfig& platform, bool answers)
    : topology_(platform.topology), routes_(topology_.shortest_path_routes()) {
  const auto& vertices = topology_.vertices();
  for (const auto& v : vertices) out_.emplace_back(v.ports);
  std::vector<std::optional<unsigned>> home(vertices.size());  // the switch of an end point
  const auto& edges = topology_.edges();
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto& e = edges[i];
    out_[e.a][e.port_a] = {i, false};
    out_[e.b][e.port_b] = {i, true};
    if (vertices[e.a].node != fabric::Topology::no_node) home[e.a] = e.b;
    if (vertices[e.b].node != fabric::Topology::no_node) home[e.b] = e.a;
    gone_.push_back({cuts(platform.links[i].config), cuts(platform.links[i].backward)});
  }
  std::map<unsigned, NodeId> behind;  // of each switch the first end point that is asked for
  const auto add = [&](unsigned from, unsigned to) {
    if (!home[from] || !home[to] || *home[from] == *home[to]) return;
    const NodeId node = behind.try_emplace(*home[to], vertices[to].node).first->second;
    senders_[node].insert(*home[from]);
  };
  for (const auto& table : platform.traffic) {
    table->pairs(platform, [&](unsigned from, unsigned to) {
      add(from, to);
      if (answers) add(to, from);
    });
  }
}

bool KeptPaths::take(const std::vector<Direction>& directions) {
  const auto before = gone_;
  for (const Direction d : directions) gone_[d.link][d.backward ? 1 : 0] = true;
  if (complete()) return true;
  gone_ = before;
  return false;
}

bool KeptPaths::complete() const {
  std::vector<std::int8_t> known;
  return std::all_of(senders_.begin(), senders_.end(), [&](const auto& entry) {
    known.assign(out_.size(), 0);
    return std::all_of(entry.second.begin(), entry.second.end(),
                       [&](unsigned from) { return leads(from, entry.first, known); });
  });
}

bool KeptPaths::leads(unsigned vertex, NodeId to, std::vector<std::int8_t>& known) const {
  constexpr std::int8_t yes = 1, no = -1;
  if (known[vertex] != 0) return known[vertex] == yes;
  bool found = false;
  for (const auto port : routes_[vertex].towards(to)) {
    const Direction d = out_[vertex][port];
    const auto& e = topology_.edges()[d.link];
    const unsigned next = d.backward ? e.a : e.b;
    // The last link, to the end point itself, is of no interest here.
    if (topology_.vertices()[next].node == to) found = true;
    if (!found && !gone_[d.link][d.backward ? 1 : 0]) found = leads(next, to, known);
    if (found) break;
  }
  known[vertex] = found ? yes : no;
  return found;
}

}  // namespace horae::config
