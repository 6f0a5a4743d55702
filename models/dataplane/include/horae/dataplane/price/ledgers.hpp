// Accounts that are worked out once.
#pragma once

#include <vector>

#include "horae/dataplane/price/ledger.hpp"

namespace horae::dataplane {

/// Ledgers of designs. Switches that run the same program on the same chip have the same, but for
/// the name; placing it takes milliseconds.
class Ledgers {
 public:
  /// The ledger of `design`, under its name, whether it fits or not.
  Ledger of(const Design& design, const ChipSpec& chip);
  /// How many were worked out.
  std::size_t placed() const { return known_.size(); }

 private:
  struct Known {
    std::vector<DesignObject> objects;
    std::vector<HeaderField> fields;
    std::vector<ParserState> parser;
    std::vector<ValueSetSpec> value_sets;
    std::vector<ChecksumSpec> checksums;
    ChipSpec chip;
    Ledger ledger;
  };
  std::vector<Known> known_;
};

}  // namespace horae::dataplane
