// The compiler's tables as objects (internal to the room). A new kind of object is taken
// up here and nowhere else.
#pragma once

#include <string>
#include <vector>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/p4/imported.hpp"
#include "object_names.hpp"

namespace horae::p4 {

/// The objects of a program's nodes. A node is an object of its own, with what is attached to it,
/// or an access to a register that another node accesses as well, or it is left out.
struct ProgramObjects {
  std::vector<dataplane::DesignObject> objects;
  /// For each node: its objects, the one that stands for its table first; none when left out.
  std::vector<std::vector<std::size_t>> of_node;
  /// Names of the compiler's that each object stands for.
  std::vector<std::vector<std::string>> names;
  std::vector<ImportNote> notes;
};
ProgramObjects objects_of(const CompilerReport& report, const NamedTables& tables,
                          const dataplane::ChipSpec& chip);

}  // namespace horae::p4
