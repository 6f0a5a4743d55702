// Objects files: a design as a list, without code.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/dataplane/chip_spec.hpp"
#include "horae/dataplane/design/design.hpp"
#include "horae/dataplane/place/field_order.hpp"
#include "horae/params/located.hpp"

namespace horae::dataplane {

/// A known value of another source, to be shown beside ours.
struct Expectation {
  std::string object;    ///< empty: of the whole design
  std::string quantity;  ///< name of a resource, "stages", "ingress_stages", "egress_stages",
                         ///< "ingress_cycles", "egress_cycles", or "placed" (1 or 0)
  double value = 0;
  std::string deviation;  ///< why ours differs, where it is known to; empty: it must not
  Location where;
};

/// A design with the chip it is for and what is known of it.
struct DesignCase {
  Located<std::string> chip;
  Design design;
  std::vector<Expectation> expected;
  std::string source;  ///< where the expectations come from
  Location where = {};
  /// Orders that fields of its objects require and no dependency gives. Copies are one object.
  std::vector<FieldOrder> undeclared = {};
  bool complete = false;  ///< its dependencies are said to be complete, as of a compiled program
};

/// Content of an objects file: one design, or the [[design]] tables of a collection.
struct DesignFile {
  std::vector<DesignCase> cases;
};

/// Reads an objects file. InputError for anything that is not one.
DesignFile read_design_file(const Document& document);
/// The same of what is no file (params/given.hpp).
DesignFile read_design_tables(const Section& root);

/// The text of an objects file that reads back as this design: what differs from the defaults. Its
/// dependencies are said to be complete.
/// Without what is expected of it. An action of a match, a number of pieces that is to be found,
/// and a mirror that is matched have no words there; neither does what else only a program in code
/// can say.
std::string design_text(const DesignCase& design_case);

/// The names of the tables that hold objects: "register", "exact" ...
std::vector<std::string> design_file_kinds();

/// The schemas of an objects file's tables, for `horae list parameters`.
std::vector<std::pair<std::string, std::vector<ParamInfo>>> describe_design_file();

}  // namespace horae::dataplane
