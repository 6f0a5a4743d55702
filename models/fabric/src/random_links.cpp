#include "horae/fabric/random_links.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "horae/core/error.hpp"

namespace horae::fabric {
namespace {

/// One attempt.
class RandomGraph {
 public:
  RandomGraph(const std::vector<unsigned>& ports, RandomStream& stream)
      : stream_(stream), free_(ports), joined_(ports.size(), std::vector<bool>(ports.size())) {
    for (unsigned v = 0; v < ports.size(); ++v) {
      if (ports[v] > 0) open_.push_back(v);
      joined_[v][v] = true;  // a switch is not joined to itself
    }
  }

  bool complete() {
    while (const auto pair = random_pair()) join(pair->first, pair->second);
    // The remaining port is joined to all others that have ports left.
    for (unsigned tries = 0; left() > 1; ++tries) {
      if (tries == most_tries || links_.empty()) return false;
      split_for(open_[stream_.below(static_cast<std::uint32_t>(open_.size()))]);
    }
    return connected();
  }

  std::vector<std::pair<unsigned, unsigned>> links() && { return std::move(links_); }

 private:
  static constexpr unsigned most_tries = 10'000;

  unsigned left() const { return std::accumulate(free_.begin(), free_.end(), 0u); }

  std::optional<std::pair<unsigned, unsigned>> random_pair() {
    const auto n = static_cast<std::uint32_t>(open_.size());
    if (n < 2) return std::nullopt;
    constexpr int quick = 32;
    for (int i = 0; i < quick; ++i) {
      const unsigned u = open_[stream_.below(n)], v = open_[stream_.below(n)];
      if (!joined_[u][v]) return std::pair{u, v};
    }
    std::vector<std::pair<unsigned, unsigned>> all;
    for (const unsigned u : open_) {
      for (const unsigned v : open_) {
        if (u < v && !joined_[u][v]) all.emplace_back(u, v);
      }
    }
    if (all.empty()) return std::nullopt;
    return all[stream_.below(static_cast<std::uint32_t>(all.size()))];
  }

  void join(unsigned u, unsigned v) {
    links_.emplace_back(u, v);
    joined_[u][v] = joined_[v][u] = true;
    for (const unsigned x : {u, v}) {
      if (--free_[x] == 0) open_.erase(std::find(open_.begin(), open_.end(), x));
    }
  }

  /// Takes a random link (a, b) out and joins its ends to `u` and to `u` again, or to another
  /// switch with a port left, if neither is joined to them yet.
  void split_for(unsigned u) {
    unsigned v = u;
    if (free_[u] < 2) {
      const auto other =
          std::find_if(open_.begin(), open_.end(), [&](unsigned x) { return x != u; });
      v = *other;
    }
    const std::size_t i = stream_.below(static_cast<std::uint32_t>(links_.size()));
    auto [a, b] = links_[i];
    if (stream_.below(2) == 1) std::swap(a, b);
    if (joined_[u][a] || joined_[v][b] || a == v || b == u) return;
    links_[i] = links_.back();
    links_.pop_back();
    joined_[a][b] = joined_[b][a] = false;
    ++free_[a], ++free_[b];
    for (const unsigned x : {a, b}) {
      if (free_[x] == 1) open_.push_back(x);
    }
    join(u, a);
    join(v, b);
  }

  bool connected() const {
    std::vector<bool> seen(joined_.size());
    std::vector<std::size_t> reached = {0};
    seen[0] = true;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (std::size_t v = 0; v < joined_.size(); ++v) {
        if (!joined_[reached[i]][v] || seen[v]) continue;
        seen[v] = true;
        reached.push_back(v);
      }
    }
    return reached.size() == joined_.size();
  }

  RandomStream& stream_;
  std::vector<unsigned> free_;  ///< ports left
  std::vector<unsigned> open_;  ///< switches that have some
  std::vector<std::vector<bool>> joined_;
  std::vector<std::pair<unsigned, unsigned>> links_;
};

}  // namespace

std::vector<std::pair<unsigned, unsigned>> random_links(const std::vector<unsigned>& ports,
                                                        RandomStream stream) {
  const auto fits = [&](unsigned n) { return n > 0 && n < ports.size(); };
  const bool possible = !ports.empty() && std::all_of(ports.begin(), ports.end(), fits);
  constexpr int attempts = 100;
  for (int i = 0; i < attempts && possible; ++i) {
    RandomGraph graph(ports, stream);
    if (graph.complete()) return std::move(graph).links();
  }
  throw InputError(
      "no connected graph of these switches was found: too few ports between them, or "
      "more than there are other switches");
}

}  // namespace horae::fabric
