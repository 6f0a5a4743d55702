// Dependencies from reads and writes (p4c mau/table_dependency_graph.cpp: which of them need a
// later stage).
#include <algorithm>
#include <map>
#include <tuple>

#include "gress_design.hpp"

namespace horae::p4price {
namespace {

using dataplane::DependencyKind;

enum class Access : std::uint8_t { match, read, write };

struct At {
  std::size_t piece;
  Access access;
  const Use* use;
  Bits words;  ///< the containers' parts of the field
};

DependencyKind kind_of(Access first, Access second) {
  if (first != Access::write) return DependencyKind::anti;
  switch (second) {
    case Access::match:
      return DependencyKind::match;
    case Access::read:
      return DependencyKind::read_after_write;
    case Access::write:
      break;
  }
  return DependencyKind::action;
}

/// The stronger of two dependencies comes first.
int weight(DependencyKind kind) { return static_cast<int>(kind); }

}  // namespace

std::vector<PieceEdge> edges_between(const std::vector<Piece>& pieces,
                                     const ContainerWords& words) {
  std::map<std::string, std::vector<At>> of_field;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].dead) continue;
    const auto take = [&](const std::vector<const Use*>& uses, Access access) {
      for (const Use* u : uses)
        of_field[u->bits.field].push_back({i, access, u, words.around(u->bits)});
    };
    take(pieces[i].crossbar(), Access::match);
    take(pieces[i].reads(), Access::read);
    take(pieces[i].writes(), Access::write);
  }
  std::map<std::pair<std::size_t, std::size_t>, PieceEdge> found;
  for (const auto& [field, uses] : of_field) {
    for (std::size_t b = 0; b < uses.size(); ++b) {
      for (std::size_t a = 0; a < b; ++a) {
        const At &x = uses[a], &y = uses[b];
        if (x.piece == y.piece || (x.access != Access::write && y.access != Access::write))
          continue;
        if (!x.words.meets(y.words) || exclusive(pieces[x.piece], pieces[y.piece])) continue;
        PieceEdge edge{x.piece, y.piece,      kind_of(x.access, y.access),
                       field,   x.use->place, y.use->place};
        const auto [known, added] = found.try_emplace({x.piece, y.piece}, edge);
        if (!added && weight(edge.kind) < weight(known->second.kind)) known->second = edge;
      }
    }
  }
  std::vector<PieceEdge> out;
  for (auto& [pair, edge] : found) out.push_back(std::move(edge));
  return out;
}

}  // namespace horae::p4price
