#include "stuck_detector.hpp"

#include <algorithm>
#include <variant>

#include "horae/fabric/outlook.hpp"
#include "horae/fabric/rank_border.hpp"
#include "horae/policy/entropy/entropy.hpp"

namespace horae::run {
namespace {

/// When links fail and come back, or routing changes, within the run.
std::vector<Picoseconds> network_changes(const config::PlatformConfig& platform) {
  std::vector<Picoseconds> times;
  const auto add = [&](Picoseconds t) {
    if (t <= platform.sim.duration) times.push_back(t);
  };
  for (const auto& link : platform.links) {
    for (const auto* direction : {&link.config, &link.backward}) {
      for (const auto& outage : direction->outages) add(outage.from), add(outage.to);
    }
  }
  for (const auto& change : platform.route_changes) add(change.at);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// Whether what is sent again may take another way: there are several, and one is chosen anew.
bool ways_vary(const config::PlatformConfig& platform) {
  const auto& topology = platform.topology;
  std::size_t switches = 0, links = 0;
  for (const auto& v : topology.vertices()) switches += v.node == fabric::Topology::no_node ? 1 : 0;
  for (const auto& e : topology.edges()) links += topology.between_switches(e) ? 1 : 0;
  if (links < switches) return false;  // a tree
  return std::any_of(platform.profiles.begin(), platform.profiles.end(), [](const auto& profile) {
    if (const auto* nic = std::get_if<rnic::RnicConfig>(&profile.second))
      return !policy::find_entropy_scheme(nic->entropy.scheme).constant;
    if (const auto* plain = std::get_if<fabric::SwitchConfig>(&profile.second))
      return plain->balance != "ecmp";
    return std::holds_alternative<config::TofinoProfile>(profile.second);
  });
}

}  // namespace

StuckDetector::StuckDetector(elaboration::Simulation& simulation)
    : simulation_(simulation), changes_(network_changes(simulation.platform())) {
  // That one way in a dozen is missed so often has a probability of less than 1e-9.
  constexpr std::uint32_t tries_of_many_ways = 250;
  if (ways_vary(simulation.platform())) simulation.context().repetition.most = tries_of_many_ways;
}

void StuckDetector::begin_anew(Picoseconds now) {
  since_ = now;
  expected_ = Picoseconds(-1);
  ++simulation_.context().repetition.era;
}

bool StuckDetector::network_changed(Picoseconds now) {
  const std::size_t before = changed_;
  while (changed_ < changes_.size() && changes_[changed_] <= now) ++changed_;
  return changed_ != before;
}

bool StuckDetector::ends(Picoseconds now, bool work_left) {
  if (network_changed(now)) begin_anew(now);
  if (changed_ < changes_.size() || now - since_ < simulation_.platform().sim.stuck_after ||
      now <= expected_)
    return false;
  fabric::Outlook outlook{.work_left = work_left};
  for (const auto& d : simulation_.devices()) {
    if (d->runs_here()) d->add_outlook(outlook);
  }
  for (const auto& m : simulation_.modules()) m->add_outlook(outlook);
  if (const auto* border = simulation_.context().border; border != nullptr && !border->empty())
    outlook.expect(now);
  if (auto* ranks = simulation_.ranks()) {
    const auto all = ranks->all_of(outlook);
    outlook = {};
    for (const auto& one : all) {
      outlook.expect(one.until);
      outlook.chances += one.chances;
    }
  }
  if (outlook.chances != chances_) {
    chances_ = outlook.chances;
    begin_anew(now);
    return false;
  }
  expected_ = outlook.until;
  return outlook.until < now;
}

}  // namespace horae::run
