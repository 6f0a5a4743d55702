// Resources of a pipeline as a whole, beside its stages: containers of the header vector, the
// parser.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horae/dataplane/place/placement.hpp"

namespace horae::dataplane {

/// An amount of the whole pipeline, both gresses.
struct PipelineAmount {
  std::string name;           ///< in files and JSON: "phv_16"
  std::string title;          ///< in text
  std::int64_t used = 0;      ///< as predicted, or as a compiler has it
  std::int64_t most = 0;      ///< as much when no two fields of metadata share a container
  std::int64_t capacity = 0;  ///< 0: not known
  double percent() const {
    return capacity == 0 ? 0.0 : 100.0 * static_cast<double>(used) / static_cast<double>(capacity);
  }
};

/// Containers by size: 8, 16 and 32 bits.
struct Containers {
  std::array<std::int64_t, 3> count = {};
  static constexpr std::array<std::int64_t, 3> sizes = {8, 16, 32};
  std::int64_t bits() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count.size(); ++i) sum += count[i] * sizes[i];
    return sum;
  }
};

/// The names of all amounts that `pipeline_amounts` and compilers' reports may hold.
std::vector<std::string> pipeline_amount_names();
/// The amounts of containers, least and most, of a chip that has them: "phv_8" to "phv_32", on a
/// chip with tagalong containers "tagalong_8" to "tagalong_32", and "phv_bits" of all of them.
std::vector<PipelineAmount> container_amounts(const Containers& least, const Containers& most,
                                              const Containers& least_aside,
                                              const Containers& most_aside, const ChipSpec& chip);
/// An amount by name: its title, and what a chip has of it.
PipelineAmount pipeline_amount(const std::string& name, std::int64_t used, const ChipSpec& chip);

/// Amounts for the fields, parser states, value sets and checksums of a placed design. Empty for a
/// design that lists none.
///
/// A prediction by a simple rule: a field is cut into containers of 32, 16 and 8 bits, the smallest
/// that hold it; neighbours in a header that end within a byte are one piece. Containers of
/// headers are taken from the parser to the deparser; headers that no packet has together (by the
/// parser's states) share them. Metadata takes a container from the stage behind its first writer
/// to its last reader; another may have it after a stage between. A header field that no stage
/// touches takes a tagalong container, or none where the chip carries such bytes past the stages.
/// `most` is the same without sharing of metadata. Checksums share units of the parser as the
/// compiler lets them; those of the deparser are updates alone. Whether the compiler finds as few
/// is another question: what one operation may read and write constrains it.
struct PipelineUse {
  std::vector<PipelineAmount> amounts;
  std::vector<Refusal> refused;  ///< by bounds, not by the prediction: bits that live at once
                                 ///< against bits of containers, rows, validity bits, checksum
                                 ///< units, bits that a value set compares
};
PipelineUse pipeline_use(const Design& design, const ChipSpec& chip, const Placement& placement);

/// How much of what there is, in per cent of the chip.
struct Tightness {
  std::string resource;  ///< "stages", a resource of stages, or an amount of the pipeline
  double percent = 0;
};
/// The tightest first; what nothing is taken of is not in it.
std::vector<Tightness> by_tightness(const Amounts& total, unsigned stages, const ChipSpec& chip,
                                    const std::vector<PipelineAmount>& pipeline);

}  // namespace horae::dataplane
