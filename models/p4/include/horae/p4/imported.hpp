// A program of a P4 compiler's as a design, with the compiler's own numbers.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "horae/dataplane/design/design.hpp"
#include "horae/dataplane/price/pipeline_amounts.hpp"
#include "horae/dataplane/price/resources.hpp"
#include "horae/p4/report.hpp"

namespace horae::p4 {

/// A part that is not taken as it is.
struct ImportNote {
  std::string object;  ///< the compiler's name of it; empty: of the whole program
  std::string text;
  bool left_out = false;  ///< nothing stands for it in the design
};

/// Numbers that the compiler gave an object of the design: to the tables, gateways and memories
/// that it stands for.
struct CompilerNumbers {
  dataplane::Amounts amounts;
  std::vector<unsigned> stages;
};

struct ImportedDesign {
  std::string chip;  ///< "tofino1", "tofino2"
  dataplane::Design design;
  std::vector<ImportNote> notes;
  std::map<std::string, CompilerNumbers> objects;   ///< by the design's names
  dataplane::Amounts total;                         ///< of the program, each unit once
  std::vector<dataplane::PipelineAmount> pipeline;  ///< the compiler's, of the whole pipeline
  std::vector<UnpricedUse> unpriced;                ///< the compiler's, of what has no price here
  unsigned stages = 0;
  std::array<unsigned, 2> gress_stages = {0, 0};  ///< that hold something, by gress
  std::array<std::uint32_t, 2> cycles = {0, 0};   ///< 0: not said
  bool fits = true;  ///< whether the compiler's own stages are within the chip: it may end without
                     ///< an error beyond them
};

/// The design that a report stands for. InputError when its target is no chip that is shipped, or
/// what it says contradicts itself.
ImportedDesign import_report(const CompilerReport& report);

}  // namespace horae::p4
