// Requirements of a register's action on its stateful ALU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::dataplane {

/// Requirements of one action on a stateful ALU.
struct ActionFacts {
  std::string name;
  std::uint32_t compares = 0;
  std::uint32_t updates = 0;            ///< different new values of a word, "as it was" included
  std::uint32_t operands = 0;           ///< of header or metadata
  std::uint32_t outputs = 0;            ///< words; what comparisons say is one together
  std::vector<std::int64_t> constants;  ///< beyond -8 to 7: rows of the register file

  bool operator==(const ActionFacts&) const = default;
};

}  // namespace horae::dataplane
