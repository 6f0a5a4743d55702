// A parameter as it is described to people.
#pragma once

#include <string>

#include "horae/core/cxx20.hpp"

namespace horae {

/// One parameter, as `horae list` shows it.
struct ParamInfo {
  /// "rate", "program.name", "link[].rate"
  std::string path;
  /// "time", "rate", "bytes", "frequency", "integer", "number", "flag", "text", "choice: a|b",
  /// "list of <one of these>"; "table" and "tables" for what holds the paths below it.
  std::string type;
  std::string default_text;  ///< empty when there is none
  std::string range_text;    ///< "1 ns .. 5 us", ">= 1", "<= 1"; empty when unlimited
  std::string doc;
  std::string source;     ///< where the number comes from
  bool verified = true;   ///< false: no public value, a modeller's assumption
  bool required = false;  ///< the document must give it
};

}  // namespace horae
