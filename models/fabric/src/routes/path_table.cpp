#include "horae/fabric/routes/path_table.hpp"

#include <fmt/format.h>
#include <igraph.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"

namespace horae::fabric {
namespace {

void check(igraph_error_t error) {
  if (error != IGRAPH_SUCCESS) {
    throw ModelError(fmt::format("igraph: {}", igraph_strerror(error)));
  }
}

/// Owns an allocation of igraph.
class Integers {
 public:
  Integers() { check(igraph_vector_int_init(&v_, 0)); }
  ~Integers() { igraph_vector_int_destroy(&v_); }
  Integers(const Integers&) = delete;
  Integers& operator=(const Integers&) = delete;
  igraph_vector_int_t* get() { return &v_; }

 private:
  igraph_vector_int_t v_;
};

class Paths {
 public:
  Paths() { check(igraph_vector_int_list_init(&v_, 0)); }
  ~Paths() { igraph_vector_int_list_destroy(&v_); }
  Paths(const Paths&) = delete;
  Paths& operator=(const Paths&) = delete;
  igraph_vector_int_list_t* get() { return &v_; }

 private:
  igraph_vector_int_list_t v_;
};

/// The switches and their links under shuffled numbers, so that which of several equal paths is
/// found first is random.
class ShuffledGraph {
 public:
  ShuffledGraph(const Topology& topology, const std::vector<std::size_t>& edges,
                RandomStream stream)
      : edges_(edges), number_(topology.vertices().size()) {
    std::iota(number_.begin(), number_.end(), 0u);
    shuffle(number_, stream);
    shuffle(edges_, stream);
    Integers ends;
    for (const std::size_t e : edges_) {
      const auto& edge = topology.edges()[e];
      check(igraph_vector_int_push_back(ends.get(), number_[edge.a]));
      check(igraph_vector_int_push_back(ends.get(), number_[edge.b]));
    }
    check(igraph_create(&graph_, ends.get(), static_cast<igraph_integer_t>(number_.size()),
                        IGRAPH_UNDIRECTED));
  }
  ~ShuffledGraph() { igraph_destroy(&graph_); }
  ShuffledGraph(const ShuffledGraph&) = delete;
  ShuffledGraph& operator=(const ShuffledGraph&) = delete;

  /// Up to `k` paths as lists of edges of the topology, shortest first.
  std::vector<std::vector<std::size_t>> paths(unsigned from, unsigned to, unsigned k) const {
    Paths found;
    check(igraph_get_k_shortest_paths(&graph_, nullptr, nullptr, found.get(), k, number_[from],
                                      number_[to], IGRAPH_ALL));
    std::vector<std::vector<std::size_t>> out;
    for (igraph_integer_t i = 0; i < igraph_vector_int_list_size(found.get()); ++i) {
      const igraph_vector_int_t* path = igraph_vector_int_list_get_ptr(found.get(), i);
      auto& edges = out.emplace_back();
      for (igraph_integer_t j = 0; j < igraph_vector_int_size(path); ++j) {
        edges.push_back(edges_[static_cast<std::size_t>(igraph_vector_int_get(path, j))]);
      }
    }
    return out;
  }

 private:
  template <class T>
  static void shuffle(std::vector<T>& v, RandomStream& stream) {
    for (std::size_t i = v.size(); i > 1; --i) {
      std::swap(v[i - 1], v[stream.below(static_cast<std::uint32_t>(i))]);
    }
  }

  std::vector<std::size_t> edges_;
  std::vector<unsigned> number_;  ///< by vertex
  igraph_t graph_;
};

}  // namespace

PathTable::PathTable(const Topology& topology, unsigned k, std::uint64_t seed,
                     const std::vector<bool>& withdrawn) {
  igraph_set_error_handler(igraph_error_handler_ignore);  // errors are returned, and checked
  const auto& vertices = topology.vertices();
  if (vertices.size() > std::numeric_limits<std::uint16_t>::max()) {
    throw InputError(fmt::format("{} devices are too many for routing by paths", vertices.size()));
  }
  const auto is_switch = [&](unsigned v) { return vertices[v].node == Topology::no_node; };
  std::vector<std::size_t> between;
  std::vector<std::uint32_t> index(vertices.size(), ~std::uint32_t{0});
  home_.resize(topology.endpoints());
  for (std::size_t e = 0; e < topology.edges().size(); ++e) {
    const auto& edge = topology.edges()[e];
    if (is_switch(edge.a) && is_switch(edge.b)) {
      if (e >= withdrawn.size() || !withdrawn[e]) between.push_back(e);
      continue;
    }
    for (const auto& [end, sw] : {std::pair{edge.a, edge.b}, {edge.b, edge.a}}) {
      if (is_switch(end) || !is_switch(sw)) continue;
      if (index[sw] == ~std::uint32_t{0}) {
        index[sw] = static_cast<std::uint32_t>(homes_.size());
        homes_.push_back(sw);
      }
      home_[vertices[end].node] = index[sw];
    }
  }
  pairs_.resize(homes_.size() * homes_.size());
  for (std::size_t s = 0; s < homes_.size(); ++s) {
    const ShuffledGraph graph(topology, between,
                              RandomStream(seed, vertices[homes_[s]].name + ".paths"));
    for (std::size_t d = 0; d < homes_.size(); ++d) {
      if (s == d) continue;
      Range& range = pairs_[s * homes_.size() + d];
      range.begin = static_cast<std::uint32_t>(first_ports_.size());
      for (const auto& path : graph.paths(homes_[s], homes_[d], k)) {
        first_hop_.push_back(static_cast<std::uint32_t>(hops_.size()));
        unsigned at = homes_[s];
        for (const std::size_t e : path) {
          const auto& edge = topology.edges()[e];
          const bool straight = edge.a == at;
          hops_.push_back({static_cast<std::uint16_t>(at),
                           static_cast<std::uint16_t>(straight ? edge.port_a : edge.port_b)});
          at = straight ? edge.b : edge.a;
        }
        first_ports_.push_back(hops_[first_hop_.back()].port);
        ++range.count;
      }
    }
  }
  first_hop_.push_back(static_cast<std::uint32_t>(hops_.size()));
}

}  // namespace horae::fabric
