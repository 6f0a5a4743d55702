// The objects of one gress of a pipe.
#pragma once

#include <set>
#include <string>

#include "horae/p4price/price_program.hpp"
#include "objects/container_words.hpp"
#include "steps/pieces.hpp"

namespace horae::p4price {

/// The blocks of one gress.
struct GressBlocks {
  dataplane::Gress gress = dataplane::Gress::ingress;
  const p4lang::Block* parser = nullptr;
  const p4lang::Block* control = nullptr;
  const p4lang::Block* deparser = nullptr;
};

/// Names of one block in another of the same gress: parameters that the architecture connects.
std::string name_in(const std::string& name, const p4lang::Block& from, const p4lang::Block& to);

/// Names that the parser sets beside headers, and that the deparser reads, by the control's names.
struct Edges {
  std::set<std::string> parsed, deparsed, extracted, emitted;
};
Edges edges_of(const p4lang::Program& program, const GressBlocks& blocks);

/// Adds the objects of a gress to a design, with their dependencies.
void add_gress(const p4lang::Program& program, const GressBlocks& blocks,
               const dataplane::ChipSpec& chip, const Sizes& sizes, PipeDesign& out);

/// Adds fields, parser states, value sets and checksums of a gress.
void add_header_vector(const p4lang::Program& program, const GressBlocks& blocks,
                       const dataplane::ChipSpec& chip, PipeDesign& out);

/// Dependencies between pieces: who writes and who needs a field, of those that one packet meets.
struct PieceEdge {
  std::size_t from = 0, to = 0;
  dataplane::DependencyKind kind = dataplane::DependencyKind::match;
  std::string field;
  p4lang::Place written, needed;
};
std::vector<PieceEdge> edges_between(const std::vector<Piece>& pieces, const ContainerWords& words);

}  // namespace horae::p4price
