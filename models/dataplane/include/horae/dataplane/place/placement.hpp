// Objects into stages, and what the places cost in time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane {

struct PlacedUnit {
  Unit unit;
  unsigned stage = 0;
};

/// How a stage follows the previous one in a gress.
enum class StageDependency : std::uint8_t { match, action, concurrent };

/// A design in the stages of a chip. Ingress and egress share them.
struct Placement {
  std::vector<PlacedUnit> units;  ///< by stage, then in the order they were put there
  std::vector<Amounts> stages;    ///< what each stage holds, up to the last used
  /// Index of the last used stage + 1; 0 for an empty design.
  unsigned stages_used() const { return static_cast<unsigned>(stages.size()); }
  Amounts total() const;

  std::vector<StageDependency> dependencies[2];  ///< of each stage of the chip, by gress
  Cycles latency[2];                             ///< MAU cycles, by gress

  /// Why it does not fit; empty when it does. With anything here the placement goes beyond the
  /// chip's stages (as if there were more) or lacks what cannot be had at all.
  std::vector<Refusal> refused;
  bool fits() const { return refused.empty(); }
};

/// How far a design that does not fit is placed.
enum class PlaceEffort : std::uint8_t {
  whole,  ///< with what is missing, and why
  fit,    ///< only to know whether it fits: `Placement::fits` is all that is right, and soon
};

/// Places a design: every per-stage limit and every dependency is kept. The same design and chip
/// give the same placement. Throws InputError for a design that contradicts itself.
///
/// Stage by stage, what is ready is put in by priority: first with the longest chain behind it
/// first, then with the largest first, then by name; the placement with the fewest stages is
/// taken, of those the one with the fewest cycles. While that is above what dependencies and
/// resources need at least, further priorities are tried, mixed of these and of numbers drawn from
/// a fixed seed. Where the lines
/// of a file stand decides nothing; equals go by their names.
Placement place(const Design& design, const ChipSpec& chip,
                PlaceEffort effort = PlaceEffort::whole);

/// Places a design as the open Tofino compiler's greedy placer would (p4lang/p4c,
/// backends/tofino/bf-p4c/mau/table_placement.cpp): no search.
///
/// One stage after the other is filled; of what is ready and fits, the longest chain behind it
/// comes first, then what need not be cut. A match table that does not fit as a whole leaves as
/// many entries as do, and the rest in the next stage. The compiler's header containers,
/// crossbar groups and buses are not in it: its own result may be a stage or two longer.
Placement place_as_compiler(const Design& design, const ChipSpec& chip);

/// Stages that a design takes at least, however it is placed: its dependencies, and what tables,
/// memories and ALUs take of a stage. No placement has fewer, here or by the compiler, as long as
/// the prices hold. Objects that no stage holds, and what waits for them, are not counted.
unsigned least_stages(const Design& design, const ChipSpec& chip);

/// Whether one stage can hold these stateful objects: RAMs of each beside its ALU, on rows it
/// reaches (see StatefulSpec).
bool fits_stateful(const std::vector<StatefulMemory>& memories, const ChipSpec& chip);

/// VLIW words that hold the instructions: two in a word, one of them the reserved no-op's, and one
/// each for those that write a field both.
std::int64_t vliw_words(const std::vector<Instruction>& instructions);

}  // namespace horae::dataplane
