#include "horae/ranks/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <functional>
#include <numeric>
#include <set>

#include "divide.hpp"
#include "horae/core/error.hpp"
#include "horae/ranks/load.hpp"

namespace horae::ranks {
namespace {

Picoseconds delay_of(const config::LinkInstance& link) {
  return std::min(link.config.delay, link.backward.delay);
}

/// Devices in parts that stay together: by device, the number of its part.
struct Parts {
  std::vector<unsigned> of;
  unsigned count = 0;
};

/// Joins the ends of every link for which `stays` holds.
Parts parts_by(const config::PlatformConfig& platform,
               const std::function<bool(std::size_t link)>& stays) {
  const std::size_t n = platform.devices.size();
  std::vector<std::size_t> rank(n), parent(n);
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  boost::disjoint_sets sets(rank.data(), parent.data());
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& e = platform.topology.edges()[i];
    if (stays(i)) sets.union_set(e.a, e.b);
  }
  Parts parts{std::vector<unsigned>(n), 0};
  std::vector<unsigned> number(n, ~0u);
  for (std::size_t i = 0; i < n; ++i) {
    unsigned& part = number[sets.find_set(i)];
    if (part == ~0u) part = parts.count++;
    parts.of[i] = part;
  }
  return parts;
}

/// The platform's parts as the vertices of a graph.
PartGraph graph_of(const config::PlatformConfig& platform, const ExpectedLoad& load,
                   const Parts& parts) {
  PartGraph graph;
  graph.loads.resize(parts.count);
  for (std::size_t i = 0; i < parts.of.size(); ++i) graph.loads[parts.of[i]] += load.devices[i];
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& e = platform.topology.edges()[i];
    const unsigned a = parts.of[e.a], b = parts.of[e.b];
    if (a != b) graph.links[{std::min(a, b), std::max(a, b)}] += load.links[i];
  }
  return graph;
}

/// Ranks in the order of their first devices.
void renumber(std::vector<unsigned>& owners, unsigned ranks) {
  std::vector<unsigned> number(ranks, ranks);
  unsigned next = 0;
  for (unsigned& owner : owners) {
    if (number[owner] == ranks) number[owner] = next++;
    owner = number[owner];
  }
}

/// A module's SystemC processes may look at anything that runs in its process's time.
void require_no_modules(const config::PlatformConfig& platform, unsigned ranks) {
  if (ranks == 1) return;
  const auto refuse = [&](const char* what, const auto& m) {
    throw input_error(m.where, fmt::format("{} '{}' runs in one process, not in {} ranks; "
                                           "expected --ranks 1",
                                           what, m.name, ranks));
  };
  if (!platform.modules.empty()) refuse("module", platform.modules.front());
  if (!platform.memories.empty()) refuse("host memory", platform.memories.front());
}

}  // namespace

std::size_t Partition::devices(unsigned rank) const {
  return static_cast<std::size_t>(std::count(owners.begin(), owners.end(), rank));
}

void check_ranks(const config::PlatformConfig& platform, unsigned ranks) {
  constexpr std::size_t always_taken = 8;
  const std::size_t most = std::max(platform.devices.size(), always_taken);
  if (ranks > most)
    throw InputError(fmt::format(
        "--ranks {}: expected at most {}, {}; the platform has {} devices", ranks, most,
        most > always_taken ? "one for each device" : "as always", platform.devices.size()));
  require_no_modules(platform, ranks);
}

Partition partition(const config::PlatformConfig& platform, unsigned ranks) {
  require_no_modules(platform, ranks);
  // More than there are devices have nothing to run.
  const unsigned busy = std::min(ranks, static_cast<unsigned>(platform.devices.size()));
  const ExpectedLoad load = expected_load(platform);
  Picoseconds between_switches{};  // the longest delay there
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    if (platform.topology.between_switches(platform.topology.edges()[i]))
      between_switches = std::max(between_switches, delay_of(platform.links[i]));
  }
  // An end point stays with its switch, unless it is farther away than all of those are.
  const auto never_cut = [&](std::size_t link) {
    return !platform.topology.between_switches(platform.topology.edges()[link]) &&
           delay_of(platform.links[link]) <= between_switches;
  };
  std::set<Picoseconds, std::greater<>> delays;
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    if (!never_cut(i)) delays.insert(delay_of(platform.links[i]));
  }
  // From the longest links on: shorter ones are cut only if that makes ranks more even.
  constexpr double even_enough = 1.05, clearly = 0.97;
  std::vector<unsigned> owners;
  double best = 0;
  const auto try_parts = [&](const Parts& parts) {
    if (parts.count < busy) return;
    const auto division = divide(graph_of(platform, load, parts), busy);
    if (!owners.empty() && division.imbalance > clearly * best) return;
    best = division.imbalance;
    owners.clear();
    for (const unsigned part : parts.of) owners.push_back(division.owners[part]);
  };
  for (const Picoseconds delay : delays) {
    try_parts(parts_by(platform, [&](std::size_t link) {
      return never_cut(link) || delay_of(platform.links[link]) < delay;
    }));
    if (!owners.empty() && best <= even_enough) break;
  }
  if (owners.empty()) try_parts(parts_by(platform, [](std::size_t) { return false; }));
  renumber(owners, busy);

  Partition out{.owners = owners, .shares = std::vector<double>(ranks)};
  const double sum = std::accumulate(load.devices.begin(), load.devices.end(), 0.0);
  for (std::size_t i = 0; i < owners.size(); ++i)
    out.shares[owners[i]] += sum == 0 ? 0 : load.devices[i] / sum;
  for (std::size_t i = 0; i < platform.links.size(); ++i) {
    const auto& e = platform.topology.edges()[i];
    if (owners[e.a] == owners[e.b]) continue;
    ++out.cut_links;
    out.period = std::min(out.period, delay_of(platform.links[i]));
  }
  return out;
}

}  // namespace horae::ranks
