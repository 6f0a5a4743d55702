// Programs that a P4 compiler placed: its numbers beside ours.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/dataplane/design/design_file.hpp"
#include "horae/size/size.hpp"

namespace horae::size {

/// A compiler's program as a design, and both accounts of it.
struct CompiledDesign {
  std::string pipe;
  std::string compiler;  ///< and its version
  dataplane::DesignCase source;
  SizedDesign sized;  ///< comparisons: of the program (no id), then of each object; with `beside`
  struct Note {
    std::string object;
    std::string text;
    bool left_out = false;
  };
  std::vector<Note> notes;  ///< approximations, and what has no object
  /// Where an object is, each way.
  struct Stages {
    std::string object;
    std::vector<unsigned> ours, as_compiler, compiler;
  };
  std::vector<Stages> stages;
  std::vector<dataplane::PipelineAmount> compiler_pipeline;  ///< its own, of the whole pipeline
  std::vector<dataplane::Tightness> compiler_tightest;       ///< the tightest first
  /// Units of stages that have no price here.
  struct Unpriced {
    std::string name, title;
    std::int64_t used = 0, fullest = 0,
                 capacity = 0;  ///< of all stages, of the fullest, of a stage
    unsigned stage = 0;         ///< the first that is as full
  };
  std::vector<Unpriced> unpriced;
  bool compiled = true;       ///< false: no compiler's numbers and no dependencies are known
  bool compiler_fits = true;  ///< whether the stages it used exist
  unsigned compiler_stages = 0;
};

/// The designs of an output folder of the P4 compiler's Tofino back end, one per pipe. `chip`: in
/// place of the one that they were compiled for. InputError for a folder that is not one.
std::vector<CompiledDesign> size_report_folder(const std::string& folder,
                                               const std::optional<std::string>& chip);

/// The design of a P4Info file (P4Runtime), on `chip`, which is tofino2 when it is not said. Its
/// stages are a bound: what its dependencies take is not in the file. InputError for a file that is
/// none.
CompiledDesign size_p4info(const std::string& file, const std::optional<std::string>& chip);

/// Writes the one design as an objects file, whole or not at all. InputError for several designs,
/// or a file that cannot be written.
void write_objects_file(const std::string& path, const std::vector<CompiledDesign>& designs);
/// The same of designs made of P4 source.
void write_objects_file(const std::string& path, const std::vector<SizedDesign>& designs);

nlohmann::ordered_json compiled_json(const std::string& from,
                                     const std::vector<CompiledDesign>& designs, bool by_stage);
std::string compiled_text(const std::vector<CompiledDesign>& designs, bool by_stage);

}  // namespace horae::size
