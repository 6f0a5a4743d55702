// Price of a P4 program on a pipeline, from its source.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/design/design.hpp"
#include "horae/p4lang/program.hpp"

namespace horae::p4price {

/// Why one object of the design comes after another: who wrote a field, and who needs it.
struct Link {
  std::string from, to;  ///< names of objects
  dataplane::DependencyKind kind = dataplane::DependencyKind::match;
  std::string field;  ///< as the source writes it; empty for a branch
  Location written;   ///< for anti dependencies: where the field is read
  Location needed;    ///< where it is matched, read or written again
};

/// Something of a program that its price does not hold, or holds by an approximation.
struct Note {
  std::string object;  ///< empty: the program
  std::string text;    ///< one line
  Location where;
};

/// One pipe of a program.
struct PipeDesign {
  std::string pipe;  ///< its name, "pipe"
  dataplane::Design design;
  std::vector<Link> links;
  std::vector<Note> notes;
};

/// Sizes that take the place of those in the source, by full name: of a table or of a register
/// ("SwitchIngress.flows"), in entries.
using Sizes = std::map<std::string, std::uint64_t>;

/// The designs of all pipes. InputError, with its place in the source, for what the chip cannot do:
/// an expression that no ALU computes, a register action beyond a stateful ALU, a comparison that
/// no gateway makes.
std::vector<PipeDesign> designs_of(const p4lang::Program& program, const dataplane::ChipSpec& chip,
                                   const Sizes& sizes = {});

/// A table or register whose size may be changed.
struct Sized {
  std::string name;        ///< as in Sizes
  std::uint64_t size = 0;  ///< entries, as in the source
  Location where;
};
std::vector<Sized> sizes_of(const p4lang::Program& program);

/// The links of the longest chain of dependencies, in its order: what decides the number of stages
/// where resources do not.
std::vector<Link> longest_chain(const PipeDesign& pipe);
/// A link as a sentence: "`hdr.ipv4.ttl`, written in line 210, is matched in line 233".
std::string link_text(const Link& link);

}  // namespace horae::p4price
